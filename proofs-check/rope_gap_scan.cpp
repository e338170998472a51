// Exhaustive scan for distances where C_D comes back above a threshold.
//
// Distances are taken in chunks of 2h+1. Over a chunk the slow terms hardly move: with phi_d = 2 pi
// f_d h their sum is at most its value at the chunk's centre plus sum_d 2 sin(phi_d/2), and each
// other term is at most 1. A chunk whose bound stays below the threshold is passed over; the rest
// is summed term by term in float32, and what comes near the threshold there is decided by ball.
#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "proofs-check/rope_gap.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

constexpr int kHalfChunk = 8;
constexpr int kChunk = 2 * kHalfChunk + 1;
constexpr int kChunks = 512;  ///< chunks per block; tables of 64 terms stay in the second cache
constexpr std::uint64_t kBlock = std::uint64_t{kChunk} * kChunks;

/// Bound on the error of the float32 sum of n terms: each term is off by at most 12 units of 2^-24
/// (5 roundings of two rotations; 6 for the long double phase below 2^40 turns, off by 2^-24
/// turns), and n additions of partial sums of at most n round n units each.
double rounding_margin(std::size_t terms) {
  const double n = static_cast<double>(terms);
  return n * (n + 12) * 0x1p-24;
}

/// Rotations by multiples of a step, for one frequency.
struct Table {
  std::vector<float> cosine, sine;
};

double fraction_of_turn(long double turns) {
  return static_cast<double>(turns - std::floor(turns));
}

Table rotations(long double frequency, long double step, int count) {
  Table table;
  for (int k = 0; k < count; ++k) {
    const double angle = 2 * std::numbers::pi * fraction_of_turn(frequency * step * k);
    table.cosine.push_back(static_cast<float>(std::cos(angle)));
    table.sine.push_back(static_cast<float>(std::sin(angle)));
  }
  return table;
}

struct Filter {
  std::vector<long double> frequencies;  ///< turns per token, fastest first
  std::vector<Table> coarse;             ///< by chunk
  std::vector<Table> fine;               ///< within a chunk
  std::size_t fast = 0;                  ///< terms 0 .. fast-1 are bounded by 1
  double allowance = 0;                  ///< bound on what the slow terms gain within a chunk
  double threshold = 0;                  ///< on the sum over d of the cosines
  double margin = 0;
};

Filter make_filter(const GapScan& scan) {
  Filter filter;
  const slong terms = static_cast<slong>(scan.setting.head_dim) / 2;
  const Ball base = Ball::decimal(scan.setting.base, 128);
  for (slong d = 0; d < terms; ++d) {
    Ball f = pow(base, Ball(-d, 128) / terms);
    if (scan.setting.angle == AngleUnit::radians) f /= Ball::pi(128) * 2;
    filter.frequencies.push_back(static_cast<long double>(f.midpoint_wide()));
  }
  for (const long double f : filter.frequencies) {
    filter.coarse.push_back(rotations(f, kChunk, kChunks));
    filter.fine.push_back(rotations(f, 1, kChunk));
    const double phi = 2 * std::numbers::pi * kHalfChunk * static_cast<double>(f);
    if (phi > 1)
      ++filter.fast;
    else
      filter.allowance += 2 * std::sin(phi / 2);
  }
  const Ball near = rope_cosine_mean_ball(scan.setting, scan.near_distance);
  const Ball threshold =
      (near - Ball::decimal(scan.bound, 128)) * static_cast<slong>(scan.setting.head_dim);
  filter.threshold = static_cast<double>(threshold.midpoint_wide());
  filter.margin = rounding_margin(static_cast<std::size_t>(terms));
  return filter;
}

/// Distances of [start, start + kBlock) that the filter cannot rule out, in order.
std::vector<std::uint64_t> candidates(const Filter& filter, std::uint64_t start) {
  const std::size_t terms = filter.frequencies.size();
  std::vector<float> c0(terms), s0(terms);
  for (std::size_t d = 0; d < terms; ++d) {
    const double angle =
        2 * std::numbers::pi *
        fraction_of_turn(filter.frequencies[d] * static_cast<long double>(start + kHalfChunk));
    c0[d] = static_cast<float>(std::cos(angle));
    s0[d] = static_cast<float>(std::sin(angle));
  }
  alignas(64) float centre[kChunks] = {};
  for (std::size_t d = filter.fast; d < terms; ++d) {
    const float c = c0[d], s = s0[d];
    const float* const cosine = filter.coarse[d].cosine.data();
    const float* const sine = filter.coarse[d].sine.data();
    for (int k = 0; k < kChunks; ++k) centre[k] += c * cosine[k] - s * sine[k];
  }
  const double slow_bound =
      filter.threshold - filter.margin - filter.allowance - static_cast<double>(filter.fast);
  std::vector<std::uint64_t> found;
  for (int k = 0; k < kChunks; ++k) {
    if (centre[k] < slow_bound) continue;
    float sums[kChunk] = {};
    for (std::size_t d = 0; d < terms; ++d) {
      const Table& coarse = filter.coarse[d];
      // at the chunk's centre
      const float c = c0[d] * coarse.cosine[k] - s0[d] * coarse.sine[k];
      const float s = s0[d] * coarse.cosine[k] + c0[d] * coarse.sine[k];
      const Table& fine = filter.fine[d];
      sums[kHalfChunk] += c;
      for (int j = 1; j <= kHalfChunk; ++j) {
        const float even = c * fine.cosine[j], odd = s * fine.sine[j];
        sums[kHalfChunk + j] += even - odd;
        sums[kHalfChunk - j] += even + odd;
      }
    }
    for (int j = 0; j < kChunk; ++j)
      if (sums[j] > filter.threshold - filter.margin)
        found.push_back(start + static_cast<std::uint64_t>(k) * kChunk +
                        static_cast<std::uint64_t>(j));
  }
  return found;
}

bool certainly_violates(const GapScan& scan, const Ball& near, std::uint64_t distance) {
  const Ball bound = Ball::decimal(scan.bound, 256);
  return certainly_less(near - rope_cosine_mean_ball(scan.setting, distance, 256), bound);
}

}  // namespace

std::optional<std::uint64_t> smallest_gap_violation(const GapScan& scan) {
  if (scan.first > scan.last || scan.last >= std::uint64_t{1} << 40)
    throw InputError("scan range: accepted is first <= last < 2^40");
  const Filter filter = make_filter(scan);
  const Ball near = rope_cosine_mean_ball(scan.setting, scan.near_distance, 256);
  const std::int64_t blocks = static_cast<std::int64_t>((scan.last - scan.first) / kBlock) + 1;
  const int threads = scan.threads > 0 ? static_cast<int>(scan.threads) : omp_get_max_threads();
  // Rounds grow, so that an early violation is found at once and a late one at full speed.
  std::int64_t round = 64;
  for (std::int64_t begin = 0; begin < blocks;
       begin += round, round = std::min<std::int64_t>(2 * round, 1 << 14)) {
    const std::int64_t end = std::min(blocks, begin + round);
    std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>(end - begin));
#pragma omp parallel for schedule(dynamic, 8) num_threads(threads)
    for (std::int64_t block = begin; block < end; ++block) {
      if (interrupted()) continue;  // nothing may be thrown across threads
      found[static_cast<std::size_t>(block - begin)] =
          candidates(filter, scan.first + static_cast<std::uint64_t>(block) * kBlock);
    }
    throw_if_interrupted();
    for (const auto& list : found)
      for (const std::uint64_t distance : list)
        if (distance <= scan.last && certainly_violates(scan, near, distance)) return distance;
  }
  return std::nullopt;
}

}  // namespace tapalab
