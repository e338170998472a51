#include "analysis/conditional/conditional_sums.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "sim/block_kernels.hpp"
#include "sim/interrupt.hpp"
#include "sim/marginal_sampler.hpp"
#include "sim/random/streams.hpp"

namespace tapalab {
namespace {

constexpr std::uint64_t kBlocksTogether = 256;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Squares of e^this are within the exponents of Wide.
constexpr double kLeastLog = -3.9e17;

}  // namespace

void WideMoments::merge(const WideMoments& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const Wide na(count), nb(other.count), n = na + nb;
  const Wide delta = other.mean - mean;
  mean += delta * nb / n;
  m2 += other.m2 + delta * delta * na * nb / n;
  largest = std::max(largest, other.largest);
  count += other.count;
  lost += other.lost;
  rounding = std::max(rounding, other.rounding);
}

double WideMoments::relative_error() const {
  if (mean == 0) return std::numeric_limits<double>::infinity();
  return static_cast<double>(Wide(sqrt(m2 / (Wide(count) * Wide(count - 1))) / abs(mean)));
}

Wide WideMoments::root_mean_square() const { return sqrt(Wide(m2 / Wide(count) + mean * mean)); }

bool WideMoments::spread_out() const {
  return lost == 0 && 10 * largest * largest <= m2 + Wide(count) * mean * mean;
}

struct ConditionalSampler::Room {
  std::vector<double> words;  // uniforms, coordinate by coordinate
  std::vector<double> log_abs, sign, phase, amplitude;
  std::vector<double> terms;  // sum of the sizes of a sample's logarithms and phases
};

ConditionalSampler::ConditionalSampler(const SplitProblem& problem, Estimator estimator,
                                       const std::vector<std::uint64_t>& distances,
                                       std::uint64_t seed, bool pilot)
    : problem_(problem),
      estimator_(estimator),
      key_(stream_key(seed)),
      tag_(stream_tag(Stream::conditional, pilot ? 1 : 0)),
      coordinates_(problem.phase_dim) {
  std::size_t cells = 0;
  for (const std::uint64_t distance : distances) {
    frequencies_.push_back(problem.frequency(distance));
    phase_.push_back(make_proposal(problem.phase, estimator, frequencies_.back()));
    cells = std::max(cells, phase_.back().cells());
  }
  if (estimator == Estimator::conditional) {
    coordinates_ += problem.amplitude_dim;
    amplitude_.push_back(make_proposal(problem.amplitude, estimator, 0));
  }
  amplitude_mean_ = problem.amplitude_weight * static_cast<double>(problem.amplitude_dim) *
                    problem.amplitude.product_mean();
  // Of each coordinate: the masses of its cells, a sum of them; its logarithms, below about 700 in
  // size; the tails beyond its cells, and the ends of a bounded support.
  rounding_ =
      static_cast<double>(coordinates_) * ((static_cast<double>(cells) + 3000) * 0x1p-52 + 2e-13);
}

void ConditionalSampler::draw_words(std::uint64_t first, std::size_t count, Room& room) const {
  for (std::uint32_t c = 0; c < coordinates_; c += 2) {
    for (std::size_t i = 0; i < count; ++i) {
      const PhiloxBlock block = philox(stream_counter(first + i, c / 2, tag_), key_);
      room.words[c * kBlockSamples + i] = detail::unit_first(block);
      if (c + 1 < coordinates_) {
        room.words[(c + 1) * kBlockSamples + i] = detail::unit_second(block);
      }
    }
  }
}

WideMoments ConditionalSampler::moments_at(std::size_t distance, std::size_t count,
                                           Room& room) const {
  const ConditionalPair& pair = problem_.phase;
  const double t = frequencies_[distance];
  std::fill_n(room.log_abs.begin(), count, 0.0);
  std::fill_n(room.sign.begin(), count, 1.0);
  std::fill_n(room.phase.begin(), count, 0.0);
  std::fill_n(room.terms.begin(), count, 0.0);
  for (std::uint32_t c = 0; c < problem_.phase_dim; ++c) {
    const double* words = room.words.data() + c * kBlockSamples;
    for (std::size_t i = 0; i < count; ++i) {
      const Proposal::Draw draw = phase_[distance](words[i]);
      int sign = 1;
      const double factor = pair.log_factor(t * pair.spread * draw.x, sign);
      const double own = pair.log_density(draw.x), phase = t * draw.x * pair.key_mean(draw.x);
      room.log_abs[i] += (own - draw.log_density) + factor;
      room.phase[i] += phase;
      room.terms[i] +=
          std::abs(own) + std::abs(draw.log_density) + 3 * std::abs(factor) + 4 * std::abs(phase);
      if (sign < 0) room.sign[i] = -room.sign[i];
    }
  }
  WideMoments result;
  result.count = count;
  double most = -kInfinity;
  for (std::size_t i = 0; i < count; ++i) {
    const double value = room.amplitude[i] * std::cos(room.phase[i]);
    if (value < 0) room.sign[i] = -room.sign[i];
    room.log_abs[i] += std::log(std::abs(value));
    if (!(room.log_abs[i] > kLeastLog)) {
      if (value != 0) ++result.lost;
      room.log_abs[i] = -kInfinity;
      continue;
    }
    // A few units of each term's last place, and of each addition's.
    result.rounding = std::max(result.rounding, 0x1p-50 * room.terms[i]);
    most = std::max(most, room.log_abs[i]);
  }
  if (most == -kInfinity) return result;
  for (std::size_t i = 0; i < count; ++i) {
    room.log_abs[i] = room.sign[i] * std::exp(room.log_abs[i] - most);
  }
  const Moments moments = block_kernels(simd_level()).moments(room.log_abs.data(), count);
  const Wide scale = exp(Wide(most));
  result.mean = moments.mean * scale;
  result.m2 = moments.m2 * scale * scale;
  result.largest = scale;
  return result;
}

void ConditionalSampler::block(std::uint64_t first, std::size_t count, Room& room,
                               WideMoments* sums) const {
  draw_words(first, count, room);
  std::fill_n(room.amplitude.begin(), count, amplitude_mean_);
  if (!amplitude_.empty()) {  // E[a | q], of drawn q
    const ConditionalPair& pair = problem_.amplitude;
    std::fill_n(room.amplitude.begin(), count, 0.0);
    for (std::uint32_t c = problem_.phase_dim; c < coordinates_; ++c) {
      const double* words = room.words.data() + c * kBlockSamples;
      for (std::size_t i = 0; i < count; ++i) {
        const double q = amplitude_.front()(words[i]).x;
        room.amplitude[i] += problem_.amplitude_weight * q * pair.key_mean(q);
      }
    }
  }
  for (std::size_t d = 0; d < frequencies_.size(); ++d) sums[d] = moments_at(d, count, room);
}

void ConditionalSampler::add(std::uint64_t begin, std::uint64_t end, unsigned threads,
                             std::vector<WideMoments>& sums) const {
  const std::size_t distances = frequencies_.size();
  sums.resize(distances);
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (std::uint64_t first = begin; first < end; first += kBlocksTogether * kBlockSamples) {
    throw_if_interrupted();
    const std::uint64_t last = std::min(end, first + kBlocksTogether * kBlockSamples);
    const auto blocks = static_cast<std::int64_t>((last - first - 1) / kBlockSamples + 1);
    std::vector<WideMoments> parts(static_cast<std::size_t>(blocks) * distances);
    const int team = static_cast<int>(std::min<std::int64_t>(threads, blocks));
#pragma omp parallel num_threads(team)
    {
      Room room;
      room.words.resize(std::size_t{coordinates_} * kBlockSamples);
      for (auto* array : {&room.log_abs, &room.sign, &room.phase, &room.amplitude, &room.terms}) {
        array->resize(kBlockSamples);
      }
#pragma omp for schedule(dynamic, 1)
      for (std::int64_t b = 0; b < blocks; ++b) {
        const std::uint64_t start = first + static_cast<std::uint64_t>(b) * kBlockSamples;
        const auto count =
            static_cast<std::size_t>(std::min<std::uint64_t>(kBlockSamples, last - start));
        block(start, count, room, parts.data() + static_cast<std::size_t>(b) * distances);
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) sums[i % distances].merge(parts[i]);
  }
}

}  // namespace tapalab
