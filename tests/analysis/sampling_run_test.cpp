// Samples in shards, on ranks, and from checkpoints: the same curve to the last bit.
#include "analysis/sampling_run.hpp"

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "analysis/checkpoint.hpp"
#include "analysis/shards.hpp"
#include "analysis/writers/json.hpp"
#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/sampling_bytes.hpp"

using namespace tapalab;

namespace {

ExperimentSpec experiment(std::uint64_t samples, std::uint64_t seed = 7) {
  ExperimentSpec spec;
  spec.encodings = {parse_encoding("tapa"), parse_encoding("rope")};
  spec.densities = {parse_density("gaussian:rho=0.25")};
  spec.distances = parse_distances("0,1,1000");
  spec.head_dim = 8;
  spec.engine = Engine::mc;
  spec.samples = samples;
  spec.seed = seed;
  return completed(spec);
}

std::string curve_text(const DistanceCurve& curve) { return curve_json(curve).dump(); }

SampleRange draw(const CurveTask& task, Shard shard = {}, const SampleRange* start = nullptr) {
  return sample_range(task, shard, {}, start);
}

ShardText shard_file(const ExperimentSpec& spec, Shard shard) {
  const auto tasks = plan_curves(spec, 1);
  std::vector<SampleRange> ranges;
  for (const CurveTask& task : tasks) ranges.push_back(draw(task, shard));
  return {"part" + std::to_string(shard.index),
          json_text(shard_json(spec, tasks, shard, ranges, nlohmann::ordered_json::object()))};
}

std::string message_of_merge(const std::vector<ShardText>& shards) {
  try {
    merge_shards(shards, 1);
    return "";
  } catch (const InputError& error) {
    return error.what();
  }
}

class TempFile {
 public:
  TempFile() {
    path_ = (std::filesystem::temp_directory_path() /
             ("tapalab-checkpoint-" + std::to_string(::getpid())))
                .string();
    std::filesystem::remove(path_);
  }
  ~TempFile() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }
  std::string text() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void write(const std::string& text) const {
    std::ofstream(path_, std::ios::binary | std::ios::trunc) << text;
  }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("Shards are whole blocks, in order, and all samples together") {
  for (const std::uint64_t samples : {2ULL, 1024ULL, 1025ULL, 100'000ULL, 1ULL << 62}) {
    for (const std::uint64_t count : {1ULL, 2ULL, 3ULL, 7ULL, 5000ULL}) {
      std::uint64_t next = 0, least = ~0ULL, most = 0;
      for (std::uint64_t index = 1; index <= count; ++index) {
        const SampleRange part = shard_range(samples, {index, count});
        REQUIRE(part.begin == next);
        REQUIRE((part.begin == samples || part.begin % kBlockSamples == 0));
        next = part.end;
        const std::uint64_t blocks = (part.end - part.begin + kBlockSamples - 1) / kBlockSamples;
        least = std::min(least, blocks);
        most = std::max(most, blocks);
      }
      CHECK(next == samples);
      CHECK(most - least <= 1);
    }
  }
  CHECK(parse_shard("2/3").index == 2);
  for (const char* text : {"", "1", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1.5/2"}) {
    CHECK_THROWS_AS(parse_shard(text), InputError);
  }
}

TEST_CASE("Merged shards give the run in one, to the last bit, in any order") {
  const ExperimentSpec spec = experiment(20'001);
  std::vector<std::string> expected;
  for (const CurveTask& task : plan_curves(spec, 2)) {
    expected.push_back(curve_text(compute_curve(task)));
  }
  REQUIRE(expected.size() == 2);
  for (const std::uint64_t count : {1, 2, 3, 40}) {
    std::vector<ShardText> shards;
    for (std::uint64_t index = count; index >= 1; --index) {
      shards.push_back(shard_file(spec, {index, count}));
    }
    const MergedShards merged = merge_shards(shards, 1);
    REQUIRE(merged.curves.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) CHECK(curve_text(merged.curves[i]) == expected[i]);
    CHECK(experiment_json(merged.experiment) == experiment_json(spec));
  }
}

TEST_CASE("Merging refuses gaps, overlaps, other experiments and damage, in one line") {
  const ExperimentSpec spec = experiment(20'001);
  const ShardText first = shard_file(spec, {1, 3}), second = shard_file(spec, {2, 3}),
                  third = shard_file(spec, {3, 3});
  CHECK(message_of_merge({first, second, third}) == "");
  const auto refuses = [](const std::vector<ShardText>& shards, const std::string& words) {
    const std::string message = message_of_merge(shards);
    INFO(message);
    CHECK(message.find(words) != std::string::npos);
    CHECK(message.find('\n') == std::string::npos);
  };
  refuses({first, third}, "samples 6144 to 13311 are in none");
  refuses({first, second}, "are in none");
  refuses({second, third}, "samples 0 to 6143 are in none");
  refuses({first, second, second, third}, "samples 6144 to 13311 are in both");
  refuses({first, shard_file(spec, {1, 2}), shard_file(spec, {2, 2})}, "in both");
  refuses({first, second, shard_file(experiment(20'001, 8), {3, 3})}, "seed");
  refuses({first, second, shard_file(experiment(20'002), {3, 3})}, "samples");
  refuses({}, "no files");
  refuses({{"x", "{}"}}, "is not a shard");
  refuses({{"x", "not JSON"}}, "is not a shard");
  ShardText damaged = first;
  const auto digit = damaged.text.rfind("0.");
  REQUIRE(digit != std::string::npos);
  damaged.text[digit + 2] = damaged.text[digit + 2] == '1' ? '2' : '1';
  refuses({damaged, second, third}, "is damaged");
}

TEST_CASE("A run that is stopped after any round and resumed gives the same bits") {
  const CurveTask task = plan_curves(experiment(300'000), 1)[0];
  const std::string expected = curve_text(compute_curve(task));
  for (const int rounds : {0, 1, 3}) {
    // A signal that the progress of a round notices.
    CurveTask stopped = task;
    int seen = 0;
    if (rounds > 0) {
      stopped.progress = [&](double) {
        if (++seen == rounds) throw Interrupted{SIGTERM};
      };
    }
    SampleRange saved;
    bool last_seen = false;
    const auto save = [&](const SampleRange& samples, bool last) {
      saved = samples;
      last_seen = last;
    };
    if (rounds == 0) {
      install_interrupt_handlers();
      std::raise(SIGINT);
    }
    try {
      sample_range(stopped, {}, save, nullptr);
      FAIL("not interrupted");
    } catch (const Interrupted& stop) {
      CHECK(stop.signal == (rounds == 0 ? SIGINT : SIGTERM));
    }
    install_interrupt_handlers();  // clears the flag
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
    CHECK(last_seen);
    CHECK(saved.done < 300'000);
    CHECK((saved.done > 0) == (rounds > 0));
    const SampleRange resumed = sample_range(task, {}, {}, &saved);
    CHECK(curve_text(sampled_curve(task, resumed.state, resumed.done)) == expected);
    // A finished one gives its result again.
    const SampleRange again = sample_range(task, {}, {}, &resumed);
    CHECK(curve_text(sampled_curve(task, again.state, again.done)) == expected);
  }
}

TEST_CASE("Early stopping ends at the same look with and without a resume") {
  ExperimentSpec spec = experiment(1 << 18);
  spec.abs_tol = 0.01;
  const CurveTask task = plan_curves(spec, 1)[1];
  const SampleRange whole = draw(task);
  CHECK(whole.done < (1 << 18));
  CurveTask stopped = task;
  stopped.progress = [](double) { throw Interrupted{SIGTERM}; };
  SampleRange saved;
  CHECK_THROWS_AS(sample_range(
                      stopped, {}, [&](const SampleRange& s, bool) { saved = s; }, nullptr),
                  Interrupted);
  const SampleRange resumed = draw(task, {}, &saved);
  CHECK(resumed.done == whole.done);
  CHECK(to_bytes(resumed.state) == to_bytes(whole.state));
  CHECK_THROWS_AS(draw(task, {1, 2}), InputError);
}

TEST_CASE("A checkpoint holds samples bit for bit, and refuses what it is not") {
  const ExperimentSpec spec = experiment(5000);
  const auto tasks = plan_curves(spec, 1);
  const auto identity = sampling_identity(tasks, {});
  const SampleRange samples = draw(tasks[0]);
  const TempFile file;
  {
    CheckpointFile checkpoint(file.path(), identity);
    CHECK(checkpoint.found(0) == nullptr);
    checkpoint.keep(0, samples, true);
  }
  const CheckpointFile again(file.path(), identity);
  REQUIRE(again.found(0) != nullptr);
  CHECK(again.found(1) == nullptr);
  CHECK(again.found(0)->done == 5000);
  CHECK(to_bytes(again.found(0)->state) == to_bytes(samples.state));

  const auto message = [&](const nlohmann::ordered_json& wanted) -> std::string {
    try {
      CheckpointFile(file.path(), wanted);
      return "";
    } catch (const InputError& error) {
      return error.what();
    }
  };
  const std::string whole = file.text();
  CHECK(whole.size() < 8000);
  CHECK(message(identity) == "");
  CHECK(message(sampling_identity(plan_curves(experiment(5000, 8), 1), {})).find("seed") !=
        std::string::npos);
  CHECK(message(sampling_identity(tasks, {1, 2})).find("shard") != std::string::npos);
  CHECK(file.text() == whole);
  // Every byte counts, and so does the length.
  for (std::size_t i = 0; i < whole.size(); i += 37) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    file.write(damaged);
    INFO("byte " << i);
    CHECK(message(identity) != "");
    file.write(whole.substr(0, i));
    CHECK(message(identity) != "");
  }
  file.write(whole + "x");
  CHECK(message(identity).find("damaged") != std::string::npos);
  file.write("some text of the user's\n");
  CHECK(message(identity).find("is not a checkpoint") != std::string::npos);
  CHECK(file.text() == "some text of the user's\n");
}

TEST_CASE("A checkpoint that cannot be written is refused at once") {
  const auto identity = sampling_identity(plan_curves(experiment(5000), 1), {});
  CHECK_THROWS_AS(CheckpointFile("/dev/full", identity), InputError);
  CHECK_THROWS_AS(CheckpointFile("/nonexistent/directory/file", identity), InputError);
}
