#include "analysis/crosscheck/scores.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "analysis/crosscheck/horizon.hpp"
#include "analysis/crosscheck/phase_kernel.hpp"
#include "analysis/crosscheck/rotary_kernel.hpp"
#include "analysis/crosscheck/samples.hpp"
#include "sim/backend.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kPositions = std::uint64_t{1} << 63;

// The kernels as one sees them at a fixed place; rows of `samples` in the io type.
// Samples between two looks at signals, where they are taken one by one.
constexpr std::size_t kBetweenSignals = 256;

class Scorer {
 public:
  virtual ~Scorer() = default;
  virtual void move_to(std::uint64_t distance, std::uint64_t offset) = 0;
  virtual void score(std::size_t begin, std::size_t end, std::vector<ScoreSample>& out) const = 0;
  virtual void describe(CrosscheckPoint& point) const = 0;
  virtual std::size_t exact_sums() const = 0;
  virtual std::size_t head_dim() const = 0;
  virtual double worst_phase(std::uint64_t distance, std::uint64_t offset) const = 0;
};

// What a kernel gets, where a backend runs it.
struct KernelInput {
  const PairSamples& samples;
  const Precisions& precisions;
  const Backend* device;

  KernelRows rows() const {
    return {{precisions.io, precisions.accum, precisions.phase, precisions.table, precisions.trig},
            samples.head_dim,
            samples.count,
            samples.q.data(),
            samples.k.data()};
  }
};

template <class Outputs>
Outputs require(std::optional<Outputs> outputs) {
  if (!outputs) {
    throw UnavailableError("--backend: this one has no arithmetic of its own; accepted: cpu, cuda");
  }
  return std::move(*outputs);
}

class PhaseScorer : public Scorer {
 public:
  PhaseScorer(const PhaseScore& score, const KernelInput& input)
      : kernel_(score, input.precisions), input_(input) {
    const PairSamples& samples = input.samples;
    for (std::size_t i = 0; i < samples.count; ++i) {
      if (i % kBetweenSignals == 0) throw_if_interrupted();
      features_.push_back(
          kernel_.features(&samples.q[i * samples.head_dim], &samples.k[i * samples.head_dim]));
    }
  }
  // The kernel's distance is a difference of integers: the offset leaves no trace.
  void move_to(std::uint64_t distance, std::uint64_t) override {
    scale_ = kernel_.scale(distance);
    if (input_.device == nullptr) return;
    seen_ = require(input_.device->kernel_scores(kernel_.batch(scale_, input_.rows())));
  }
  void score(std::size_t begin, std::size_t end, std::vector<ScoreSample>& out) const override {
    for (std::size_t i = begin; i < end; ++i) {
      if (input_.device == nullptr) {
        out[i] = kernel_.score(features_[i], scale_);
        continue;
      }
      const PhaseKernel::Observed observed{seen_.score[i], seen_.cosine[i], seen_.turns[i]};
      out[i] = kernel_.score(features_[i], scale_, &observed);
    }
  }
  void describe(CrosscheckPoint&) const override {}
  std::size_t head_dim() const override { return input_.samples.head_dim; }
  std::size_t exact_sums() const override {
    return static_cast<std::size_t>(std::count_if(features_.begin(), features_.end(),
                                                  [](const auto& f) { return f.exact_sums; }));
  }
  double worst_phase(std::uint64_t distance, std::uint64_t) const override {
    const PhaseKernel::WorstScale scale = kernel_.worst_scale(distance);
    double worst = 0;
    for (const auto& f : features_) worst = std::max(worst, kernel_.worst_phase(f, scale));
    return worst;
  }

 private:
  PhaseKernel kernel_;
  KernelInput input_;
  PhaseOutputs seen_;
  PhaseKernel::Scale scale_{};
  std::vector<PhaseKernel::Features> features_;
};

class RotaryScorer : public Scorer {
 public:
  RotaryScorer(const RotaryScore& score, const KernelInput& input)
      : kernel_(score, input.precisions), input_(input), samples_(input.samples) {}
  void move_to(std::uint64_t distance, std::uint64_t offset) override {
    place_ = kernel_.place(distance, offset, input_.device != nullptr);
    if (input_.device == nullptr) return;
    seen_ = require(input_.device->kernel_scores(kernel_.batch(distance, offset, input_.rows())));
    kernel_.observe(seen_, place_);
  }
  void score(std::size_t begin, std::size_t end, std::vector<ScoreSample>& out) const override {
    RotaryKernel::Workspace work;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = i * samples_.head_dim;
      out[i] = kernel_.score(&samples_.q[row], &samples_.k[row], place_, work,
                             input_.device == nullptr ? nullptr : &seen_.score[i]);
    }
  }
  void describe(CrosscheckPoint& point) const override {
    if (kernel_.model().pairs.empty()) return;
    const RotaryPair& pair = kernel_.model().pairs[place_.worst_pair];
    point.phase_pair = {pair.first, pair.second};
  }
  std::size_t head_dim() const override { return samples_.head_dim; }
  std::size_t exact_sums() const override {
    std::size_t count = 0;
    for (std::size_t i = 0; i < samples_.count; ++i) {
      if (i % kBetweenSignals == 0) throw_if_interrupted();
      const std::size_t row = i * samples_.head_dim;
      count += kernel_.exact_sums(&samples_.q[row], &samples_.k[row]);
    }
    return count;
  }
  double worst_phase(std::uint64_t distance, std::uint64_t offset) const override {
    return kernel_.worst_phase(distance, offset);
  }

 private:
  RotaryKernel kernel_;
  KernelInput input_;
  RotaryOutputs seen_;
  RotaryKernel::Place place_;
  const PairSamples& samples_;
};

std::unique_ptr<Scorer> make_scorer(const ScoreModel& model, const KernelInput& input) {
  if (const auto* phase = std::get_if<PhaseScore>(&model)) {
    return std::make_unique<PhaseScorer>(*phase, input);
  }
  return std::make_unique<RotaryScorer>(std::get<RotaryScore>(model), input);
}

// Bounds multiply a few of these numbers and their squares.
void check_sizes(const PairSamples& samples, const Density& density) {
  for (const auto* values : {&samples.q, &samples.k}) {
    double largest = 0;
    for (const double x : *values) largest = std::max(largest, std::abs(x));
    if (largest == 0 || (largest > 1e-70 && largest < 1e70)) continue;
    throw InputError(
        fmt::format("density {}: its largest value is {:.3g}; accepted: between 1e-70 and 1e70",
                    density.spec, largest));
  }
}

void check_positions(const CrosscheckTask& task) {
  for (const std::uint64_t distance : task.distances.distances) {
    for (const std::uint64_t offset : task.offsets) {
      if (distance < kPositions - offset) continue;
      throw InputError(fmt::format(
          "--offset: distance {} from position {} passes 2^63-1; accepted: positions below 2^63",
          distance, offset));
    }
  }
}

// Fixed parts, so that the number of threads changes nothing but the time.
void score_all(const Scorer& scorer, unsigned threads, std::vector<ScoreSample>& out) {
  constexpr std::size_t part = 256;
  // coordinates between two looks at signals
  const auto together = static_cast<std::ptrdiff_t>(
      std::max<std::size_t>(1, (std::size_t{1} << 21) / (part * scorer.head_dim())));
  const auto parts = static_cast<std::ptrdiff_t>((out.size() + part - 1) / part);
  const int count = threads != 0 ? static_cast<int>(threads) : omp_get_max_threads();
  for (std::ptrdiff_t first = 0; first < parts; first += together) {
    throw_if_interrupted();
    const std::ptrdiff_t last = std::min(parts, first + together);
#pragma omp parallel for schedule(dynamic) num_threads(count)
    for (std::ptrdiff_t i = first; i < last; ++i) {
      const std::size_t begin = static_cast<std::size_t>(i) * part;
      scorer.score(begin, std::min(begin + part, out.size()), out);
    }
  }
}

CrosscheckPoint summarise_point(const std::vector<ScoreSample>& samples) {
  CrosscheckPoint point;
  std::vector<double> errors;
  errors.reserve(samples.size());
  for (const ScoreSample& sample : samples) {
    errors.push_back(sample.error);
    point.phase_error = std::max(point.phase_error, sample.phase_error);
    point.phase_bound = std::max(point.phase_bound, sample.phase_bound);
    point.holds = point.holds && sample.phase_error <= sample.phase_bound;
    if (!std::isfinite(sample.error)) continue;
    const double bound = sample.budget.total();
    point.holds = point.holds && std::abs(sample.error) <= bound;
    if (bound <= point.bound) continue;
    point.bound = bound;
    point.budget = sample.budget;
  }
  point.score = summarise(errors);
  // a distance without one finite score has nothing that holds
  point.holds = point.holds && point.score.count > 0;
  return point;
}

std::optional<double> largest_shift(const std::vector<ScoreSample>& moved,
                                    const std::vector<double>& still) {
  std::optional<double> largest;
  for (std::size_t i = 0; i < still.size(); ++i) {
    const double shift = std::abs(moved[i].value - still[i]);
    if (std::isfinite(shift)) largest = std::max(largest.value_or(0), shift);
  }
  return largest;
}

}  // namespace

ErrorSummary summarise(const std::vector<double>& errors) {
  ErrorSummary summary;
  std::vector<double> sizes;
  sizes.reserve(errors.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    if (!std::isfinite(errors[i])) {
      ++summary.non_finite;
      continue;
    }
    const double size = std::abs(errors[i]);
    if (size > summary.max || sizes.empty()) {
      summary.max = size;
      summary.worst = i;
    }
    sizes.push_back(size);
    sum += errors[i];
    squares += size * size;
  }
  summary.count = sizes.size();
  if (sizes.empty()) return summary;
  const double n = static_cast<double>(sizes.size());
  summary.mean = sum / n;
  summary.rms = std::sqrt(squares / n);
  const auto rank = static_cast<std::ptrdiff_t>(std::ceil(0.9999 * n)) - 1;
  std::nth_element(sizes.begin(), sizes.begin() + rank, sizes.end());
  summary.p9999 = sizes[static_cast<std::size_t>(rank)];
  return summary;
}

void check_task(const CrosscheckTask& task) {
  check_positions(task);
  const PairSamples samples =
      PairDrawer(task.density, task.encoding, task.head_dim, task.seed, task.precisions.io)
          .draw(0, std::min<std::size_t>(task.samples, 2));
  make_scorer(lower(task.encoding, task.head_dim), {samples, task.precisions, nullptr});
}

ScoreCheck check_scores(const CrosscheckTask& task) {
  check_positions(task);
  const ScoreModel model = lower(task.encoding, task.head_dim);
  const PairSamples samples =
      PairDrawer(task.density, task.encoding, task.head_dim, task.seed, task.precisions.io)
          .draw(0, task.samples);
  check_sizes(samples, task.density);
  const auto scorer = make_scorer(model, {samples, task.precisions, task.device.get()});
  ScoreCheck check{task.encoding, task.density, task.head_dim,        task.dtype, task.precisions,
                   task.samples,  task.seed,    scorer->exact_sums(), {},         {},
                   true};
  std::vector<ScoreSample> scores(task.samples);
  const bool shifted = std::any_of(task.offsets.begin(), task.offsets.end(),
                                   [](std::uint64_t offset) { return offset != 0; });
  std::vector<double> still;  // score(m, n) at this distance, where an offset asks for it
  const double total = static_cast<double>(task.distances.distances.size());
  for (const std::uint64_t distance : task.distances.distances) {
    if (shifted) {
      scorer->move_to(distance, 0);
      score_all(*scorer, task.threads, scores);
      still.clear();
      for (const ScoreSample& sample : scores) still.push_back(sample.value);
    }
    for (const std::uint64_t offset : task.offsets) {
      scorer->move_to(distance, offset);
      score_all(*scorer, task.threads, scores);
      CrosscheckPoint point = summarise_point(scores);
      point.distance = distance;
      point.offset = offset;
      point.phase_worst_case = scorer->worst_phase(distance, offset);
      if (shifted) point.shift = largest_shift(scores, still);
      scorer->describe(point);
      check.holds = check.holds && point.holds;
      check.points.push_back(std::move(point));
    }
    if (task.progress) {
      task.progress(static_cast<double>(check.points.size()) /
                    (total * static_cast<double>(task.offsets.size())));
    }
  }
  if (task.horizon) {
    check.horizon = find_horizon(*task.horizon, [&](std::uint64_t distance) {
      throw_if_interrupted();
      return scorer->worst_phase(distance, 0);
    });
  }
  return check;
}

}  // namespace tapalab
