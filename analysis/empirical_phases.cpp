#include "analysis/empirical_phases.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "analysis/empirical_products.hpp"

namespace tapalab::empirical {
namespace {

constexpr double kUnitRoundoff = 0x1p-53;

TwoDouble two_product(double a, double b) {
  const double product = a * b;
  return {product, std::fma(a, b, -product)};
}

TwoDouble operator*(const TwoDouble& a, double b) {
  const TwoDouble leading = two_product(a.high, b);
  return two_sum(leading.high, leading.low + a.low * b);
}

/// Weight that all phase terms share, or 1.
Wide common_weight(const PhaseScore& score) {
  const Wide first = !score.phase_bilinear.empty() ? score.phase_bilinear.front().weight
                     : !score.phase_linear.empty() ? score.phase_linear.front().weight
                                                   : Wide(1);
  for (const auto& term : score.phase_bilinear)
    if (term.weight != first) return Wide(1);
  for (const auto& term : score.phase_linear)
    if (term.weight != first) return Wide(1);
  return first;
}

double largest_magnitude(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

/// The largest e for which every value is a multiple of 2^e.
int common_exponent(const std::vector<double>& values) {
  int lowest = std::numeric_limits<int>::max();
  for (const double value : values) {
    if (value == 0) continue;
    int exponent;
    const double fraction = std::frexp(std::abs(value), &exponent);
    const auto digits = static_cast<std::uint64_t>(std::ldexp(fraction, 53));
    lowest = std::min(lowest, exponent - 53 + std::countr_zero(digits));
  }
  return lowest;
}

/// Bound for the rounding error of sums of `rank` products of entries of a and b; 0 where the
/// products and all partial sums are multiples of one power of two below 2^53 of it.
double product_error(const std::vector<double>& a, const std::vector<double>& b, std::size_t rank) {
  const double terms = static_cast<double>(rank);
  const double largest = terms * largest_magnitude(a) * largest_magnitude(b);
  if (largest == 0) return 0;
  const double grain = std::ldexp(1.0, std::max(common_exponent(a) + common_exponent(b), -1070));
  if (largest < 0x1p53 * grain) return 0;
  return (terms + 1) * kUnitRoundoff * largest;
}

/// Rounds each row of `high` + `low` to multiples of 2^-bits of its largest entry's power of two.
void split_rows(const std::vector<double>& high, const std::vector<double>& low, std::size_t rank,
                int bits, std::vector<double>& upper, std::vector<double>& lower) {
  upper.resize(high.size());
  lower.resize(high.size());
  for (std::size_t row = 0; row * rank < high.size(); ++row) {
    double largest = 0;
    for (std::size_t i = row * rank; i < (row + 1) * rank; ++i)
      largest = std::max(largest, std::abs(high[i]));
    const double grain =
        largest == 0 ? 0 : std::ldexp(1.0, std::max(std::ilogb(largest) + 1 - bits, -1022));
    for (std::size_t i = row * rank; i < (row + 1) * rank; ++i) {
      upper[i] = grain == 0 ? 0 : std::nearbyint(high[i] / grain) * grain;
      lower[i] = (high[i] - upper[i]) + (low.empty() ? 0 : low[i]);
    }
  }
}

/// The sum of the three products in two doubles.
TwoDouble combine(double leading, double first, double second, double last) {
  const TwoDouble cross = two_sum(first, second);
  const TwoDouble top = two_sum(leading, cross.high);
  return two_sum(top.high, top.low + (cross.low + last));
}

double dot(const double* a, const double* b, std::size_t b_stride, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += a[i] * b[i * b_stride];
  return sum;
}

void store(const TwoDouble& phase, std::size_t index, PairValues& values) {
  values.high_head[index] = head(phase.high);
  values.high_rest[index] = phase.high - values.high_head[index];
  values.low[index] = phase.low;
}

}  // namespace

TwoDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}

TwoDouble operator+(const TwoDouble& a, const TwoDouble& b) {
  const TwoDouble high = two_sum(a.high, b.high);
  return two_sum(high.high, high.low + (a.low + b.low));
}

TwoDouble two_double(const Wide& x) {
  const auto high = static_cast<double>(x);
  return {high, static_cast<double>(Wide(x - Wide(high)))};
}

double head(double x) {
  const double scaled = x * (0x1p27 + 1);
  return scaled - (scaled - x);
}

void PairValues::resize(std::size_t count) {
  for (auto* values : {&amplitude, &high_head, &high_rest, &low}) values->resize(count);
}

PhaseTable::PhaseTable(const PhaseScore& score, const TokenTable& table) : tokens_(table.tokens) {
  unit_ = common_weight(score);
  set_amplitude(score, table);
  set_phase(score, table);
  set_linear(score, table);
  // Two doubles hold a phase to 2^-104 of itself.
  error_ += largest_ * 0x1p-104;
}

PhaseTable::Bilinear PhaseTable::transform(const std::vector<BilinearTerm>& terms, const Wide& unit,
                                           const TokenTable& table) {
  Bilinear result;
  for (const auto& term : terms) result.keys.push_back(term.key);
  std::sort(result.keys.begin(), result.keys.end());
  result.keys.erase(std::unique(result.keys.begin(), result.keys.end()), result.keys.end());
  result.rank = result.keys.size();
  std::vector<TwoDouble> sums(table.tokens * result.rank);
  for (const auto& term : terms) {
    const auto column = static_cast<std::size_t>(
        std::lower_bound(result.keys.begin(), result.keys.end(), term.key) - result.keys.begin());
    const TwoDouble weight = two_double(term.weight == unit ? Wide(1) : Wide(term.weight / unit));
    for (std::size_t t = 0; t < table.tokens; ++t) {
      auto& sum = sums[t * result.rank + column];
      sum = sum + weight * table.queries[t * table.head_dim + term.query];
    }
  }
  for (const auto& sum : sums) {
    result.high.push_back(sum.high);
    result.low.push_back(sum.low);
  }
  return result;
}

void PhaseTable::set_amplitude(const PhaseScore& score, const TokenTable& table) {
  auto bilinear = transform(score.amplitude, Wide(1), table);
  amplitude_rank_ = bilinear.rank;
  query_amplitude_ = std::move(bilinear.high);
  for (const auto key : bilinear.keys)
    for (std::size_t t = 0; t < tokens_; ++t)
      key_amplitude_.push_back(table.keys[t * table.head_dim + key]);
}

void PhaseTable::set_phase(const PhaseScore& score, const TokenTable& table) {
  const auto bilinear = transform(score.phase_bilinear, unit_, table);
  phase_rank_ = bilinear.rank;
  if (phase_rank_ == 0) return;
  const int bits = (53 - static_cast<int>(std::bit_width(phase_rank_ - 1))) / 2;
  split_rows(bilinear.high, bilinear.low, phase_rank_, bits, query_upper_, query_lower_);
  std::vector<double> keys, upper, lower;
  for (std::size_t t = 0; t < tokens_; ++t)
    for (const auto key : bilinear.keys) keys.push_back(table.keys[t * table.head_dim + key]);
  split_rows(keys, {}, phase_rank_, bits, upper, lower);
  const double rank = static_cast<double>(phase_rank_);
  const double largest_key = largest_magnitude(keys);
  largest_ += rank * largest_magnitude(bilinear.high) * largest_key;
  error_ += product_error(query_upper_, lower, phase_rank_) +
            product_error(query_lower_, upper, phase_rank_) +
            product_error(query_lower_, lower, phase_rank_);
  // Weights other than the common one: the low part of the transformed query is rounded to one
  // double, and the transform itself to 2^-100 of the sum of its terms' magnitudes.
  if (largest_magnitude(bilinear.low) > 0) {
    double row = 0;
    for (const auto& term : score.phase_bilinear)
      row += std::abs(static_cast<double>(Wide(term.weight / unit_)));
    error_ += rank * largest_key *
              (kUnitRoundoff * largest_magnitude(query_lower_) +
               0x1p-100 * row * largest_magnitude(table.queries));
  }
  key_upper_ = transposed(upper, tokens_, phase_rank_);
  key_lower_ = transposed(lower, tokens_, phase_rank_);
}

void PhaseTable::set_linear(const PhaseScore& score, const TokenTable& table) {
  if (score.phase_linear.empty()) return;
  query_linear_.resize(tokens_);
  key_linear_.resize(tokens_);
  double row = 0;
  for (const auto& term : score.phase_linear) {
    const Wide relative = term.weight == unit_ ? Wide(1) : Wide(term.weight / unit_);
    const TwoDouble weight = two_double(relative);
    row += std::abs(weight.high);
    const bool query = term.coordinate < table.head_dim;
    auto& sums = query ? query_linear_ : key_linear_;
    const auto& values = query ? table.queries : table.keys;
    const std::uint32_t column = query ? term.coordinate : term.coordinate - table.head_dim;
    for (std::size_t t = 0; t < tokens_; ++t)
      sums[t] = sums[t] + weight * values[t * table.head_dim + column];
  }
  const double largest =
      row * std::max(largest_magnitude(table.queries), largest_magnitude(table.keys));
  largest_ += largest;
  error_ += 0x1p-100 * static_cast<double>(score.phase_linear.size()) * largest;
}

void PhaseTable::tile(std::size_t first_query, std::size_t queries, std::size_t first_key,
                      std::size_t keys, PairValues& values) const {
  const std::size_t count = queries * keys;
  values.resize(count);
  const auto tile_product = [&](const std::vector<double>& left, const std::vector<double>& right,
                                std::size_t rank, double* out) {
    if (rank == 0) {
      std::fill(out, out + count, 0.0);
      return;
    }
    product(&left[first_query * rank], rank, &right[first_key], tokens_, out, keys, queries, rank,
            keys);
  };
  tile_product(query_amplitude_, key_amplitude_, amplitude_rank_, values.amplitude.data());
  std::vector<double> leading(count), first(count), second(count), last(count);
  tile_product(query_upper_, key_upper_, phase_rank_, leading.data());
  tile_product(query_upper_, key_lower_, phase_rank_, first.data());
  tile_product(query_lower_, key_upper_, phase_rank_, second.data());
  tile_product(query_lower_, key_lower_, phase_rank_, last.data());
  for (std::size_t i = 0; i < count; ++i) {
    TwoDouble phase = combine(leading[i], first[i], second[i], last[i]);
    if (!query_linear_.empty())
      phase = phase + (query_linear_[first_query + i / keys] + key_linear_[first_key + i % keys]);
    store(phase, i, values);
  }
}

void PhaseTable::list(const std::size_t* query, const std::size_t* key, std::size_t count,
                      PairValues& values) const {
  values.resize(count);
  for (std::size_t p = 0; p < count; ++p) {
    const auto entry = [&](const std::vector<double>& left, const std::vector<double>& right,
                           std::size_t rank) {
      return rank == 0 ? 0.0 : dot(&left[query[p] * rank], &right[key[p]], tokens_, rank);
    };
    values.amplitude[p] = entry(query_amplitude_, key_amplitude_, amplitude_rank_);
    TwoDouble phase = combine(
        entry(query_upper_, key_upper_, phase_rank_), entry(query_upper_, key_lower_, phase_rank_),
        entry(query_lower_, key_upper_, phase_rank_), entry(query_lower_, key_lower_, phase_rank_));
    if (!query_linear_.empty()) phase = phase + (query_linear_[query[p]] + key_linear_[key[p]]);
    store(phase, p, values);
  }
}

}  // namespace tapalab::empirical
