#include "analysis/sampling_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>

#include "analysis/experiment_values.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/sampling_bytes.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using Clock = std::chrono::steady_clock;

// How long a round should take: signals are answered and checkpoints taken between rounds.
constexpr double kRoundSeconds = 0.25;
// A device is idle between rounds.
constexpr double kDeviceRoundSeconds = 1.0;

// What rank 0 tells all ranks to do next.
struct Order {
  enum class Kind : std::uint64_t {
    round,
    done,
    interrupted,
    failed,
    unavailable
  } kind = Kind::round;
  std::uint64_t begin = 0, end = 0;  // samples of the round, or the signal in `begin`
  std::string text{};                // why it failed

  std::string bytes() const {
    std::string out(24, '\0');
    const std::uint64_t words[] = {static_cast<std::uint64_t>(kind), begin, end};
    std::memcpy(out.data(), words, sizeof words);
    return out + text;
  }
  static Order from(const std::string& bytes) {
    std::uint64_t words[3];
    std::memcpy(words, bytes.data(), sizeof words);
    return {static_cast<Kind>(words[0]), words[1], words[2], bytes.substr(24)};
  }
};

// The part of begin .. end-1 that one of `size` ranks draws: whole blocks.
SampleRange rank_part(const Order& order, const Ranks& ranks) {
  SampleRange part = shard_range(
      order.end - order.begin,
      {static_cast<std::uint64_t>(ranks.rank()) + 1, static_cast<std::uint64_t>(ranks.size())});
  part.begin += order.begin;
  part.end += order.begin;
  return part;
}

// What a rank answers: the signal that reached it, then 'f' or 'u' and why its part failed or what
// is missing, or 's' and the state of its part.
std::string answer(const AddSamples& add, const SampleRange& part) {
  std::string body;
  try {
    SamplingState state;
    add(part.begin, part.end, state);
    body = 's' + to_bytes(state);
  } catch (const UnavailableError& error) {
    body = std::string("u") + error.what();
  } catch (const std::exception& error) {
    body = std::string("f") + error.what();
  }
  return std::string(1, static_cast<char>(interrupt_signal())) + body;
}

// The samples of a run as rank 0 sees them.
class Run {
 public:
  Run(const CurveTask& task, Shard shard, const SaveSamples& save, const SampleRange* start)
      : task_(task), save_(save), samples_(shard_range(task.sampling.samples, shard)) {
    if (shard.count > 1) {
      looks_ = {samples_.end - samples_.begin};
    } else {
      looks_ = sampling_looks(task.sampling);
    }
    may_stop_ = looks_.size() > 1;
    if (start != nullptr) samples_ = *start;
  }

  Order next(int ranks, unsigned threads) {
    if (!failure_.empty()) {
      return {unavailable_ ? Order::Kind::unavailable : Order::Kind::failed, 0, 0, failure_};
    }
    if (signal_ == 0) signal_ = interrupt_signal();
    const bool over = finished();
    if (save_) save_(samples_, over || signal_ != 0);
    if (over) return {Order::Kind::done};
    if (signal_ != 0) return {Order::Kind::interrupted, static_cast<std::uint64_t>(signal_)};
    const std::uint64_t least =
        std::max<std::uint64_t>(1, static_cast<std::uint64_t>(ranks) * std::max(1u, threads));
    round_blocks_ = std::clamp<std::uint64_t>(round_blocks_, least, std::uint64_t{1} << 32);
    const std::uint64_t begin = samples_.begin + samples_.done;
    const std::uint64_t most = samples_.begin + next_look() - begin;
    const std::uint64_t count = std::min(most, round_blocks_ * kBlockSamples);
    started_ = Clock::now();
    return {Order::Kind::round, begin, begin + count};
  }

  void take(const Order& order, const std::vector<std::string>& answers) {
    for (const std::string& one : answers) {
      if (one[0] != 0) signal_ = static_cast<unsigned char>(one[0]);
      if (one[1] != 's' && failure_.empty()) {
        failure_ = one.substr(2);
        unavailable_ = one[1] == 'u';
      }
    }
    if (!failure_.empty()) return;
    for (const std::string& one : answers) {
      samples_.state.insert(state_from_bytes(std::string_view(one).substr(2)));
    }
    samples_.done += order.end - order.begin;
    // Not more than four times longer: the first rounds are short and tell little.
    const double seconds = std::chrono::duration<double>(Clock::now() - started_).count();
    const double wanted = task_.engine == Engine::gpu ? kDeviceRoundSeconds : kRoundSeconds;
    const double factor = std::clamp(wanted / std::max(seconds, 1e-6), 0.25, 4.0);
    round_blocks_ = static_cast<std::uint64_t>(factor * static_cast<double>(round_blocks_)) + 1;
    if (!task_.progress) return;
    try {
      task_.progress(static_cast<double>(samples_.done) / static_cast<double>(looks_.back()));
    } catch (const Interrupted& stop) {
      signal_ = stop.signal;  // the next order ends the run, with a last save
    }
  }

  SampleRange samples() { return std::move(samples_); }

 private:
  std::uint64_t next_look() const {
    return *std::upper_bound(looks_.begin(), looks_.end(), samples_.done);
  }

  bool finished() const {
    if (samples_.done >= looks_.back()) return true;
    if (!may_stop_ || !std::binary_search(looks_.begin(), looks_.end(), samples_.done)) {
      return false;
    }
    const DistanceCurve curve = sampled_curve(task_, samples_.state, samples_.done);
    return std::none_of(curve.points.begin(), curve.points.end(), [](const CurvePoint& point) {
      return point.status == Status::target_not_met;
    });
  }

  const CurveTask& task_;
  const SaveSamples& save_;
  SampleRange samples_;
  std::vector<std::uint64_t> looks_;
  bool may_stop_ = false;
  std::uint64_t round_blocks_ = 4;
  Clock::time_point started_;
  std::string failure_;
  bool unavailable_ = false;
  int signal_ = 0;
};

AddSamples samples_of(const CurveTask& task) {
  if (task.engine == Engine::gpu) return device_samples(task);
  return [sampler = make_sampler(task), threads = task.sampling.threads](
             std::uint64_t begin, std::uint64_t end, SamplingState& state) {
    sampler.add(begin, end, threads, {}, state);
  };
}

}  // namespace

bool draws_samples(const CurveTask& task) {
  const Engine engine = choose_engine(task).engine;
  return draws_scores(engine) ||
         (engine == Engine::gpu && !is_conditional(task.sampling.estimator));
}

Shard parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  if (slash == std::string::npos) {
    throw InputError(fmt::format("--shard: {} is not I/N; accepted: 1/3 for the first of three",
                                 printable(text)));
  }
  Shard shard;
  shard.count = parse_count(text.substr(slash + 1), "--shard", 1, std::uint64_t{1} << 32);
  shard.index = parse_count(text.substr(0, slash), "--shard", 1, shard.count);
  return shard;
}

SampleRange shard_range(std::uint64_t samples, Shard shard) {
  __extension__ using Product = unsigned __int128;
  const std::uint64_t blocks = samples / kBlockSamples + (samples % kBlockSamples != 0);
  const auto cut = [&](std::uint64_t parts) {
    const auto block = static_cast<std::uint64_t>(Product{blocks} * parts / shard.count);
    return block == blocks ? samples : block * kBlockSamples;
  };
  SampleRange range;
  range.begin = cut(shard.index - 1);
  range.end = cut(shard.index);
  return range;
}

SampleRange sample_range(const CurveTask& task, Shard shard, const SaveSamples& save,
                         const SampleRange* start, const Ranks* ranks) {
  const SoloRanks solo;
  if (ranks == nullptr) ranks = &solo;
  if (shard.count > 1 && (task.sampling.rel_tol || task.sampling.abs_tol)) {
    throw InputError(
        "--shard: a part cannot tell when all parts together meet --rel-tol or --abs-tol; accepted "
        "with --shard: --samples alone");
  }
  sampling_looks(task.sampling);  // refuses options out of range
  const AddSamples add = samples_of(task);
  std::optional<Run> run;
  if (ranks->is_root()) run.emplace(task, shard, save, start);
  while (true) {
    std::string bytes;
    if (run) {
      try {
        bytes = run->next(ranks->size(), task.sampling.threads).bytes();
      } catch (const std::exception& error) {
        // The others wait for an order; then this rank says it in its own words.
        if (ranks->size() > 1) {
          ranks->broadcast(Order{Order::Kind::failed, 0, 0, error.what()}.bytes());
        }
        throw;
      }
    }
    const Order order = Order::from(ranks->broadcast(bytes));
    switch (order.kind) {
      case Order::Kind::done:
        return run ? run->samples() : SampleRange{};
      case Order::Kind::interrupted:
        throw Interrupted{static_cast<int>(order.begin)};
      case Order::Kind::failed:
        throw InputError(order.text);
      case Order::Kind::unavailable:
        throw UnavailableError(order.text);
      case Order::Kind::round:
        break;
    }
    const auto answers = ranks->gather(answer(add, rank_part(order, *ranks)));
    if (run) run->take(order, answers);
  }
}

}  // namespace tapalab
