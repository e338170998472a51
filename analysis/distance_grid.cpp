#include "analysis/distance_grid.hpp"

#include <boost/multiprecision/cpp_int.hpp>

#include "analysis/power_text.hpp"
#include "sim/errors.hpp"
#include "sim/numbers/decimal_parts.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using boost::multiprecision::cpp_int;

constexpr std::uint64_t kMaxDistance = (1ULL << 63) - 1;
constexpr std::uint64_t kMaxCount = 1'000'000;
constexpr std::size_t kMaxSpecBytes = 16 << 20;

[[noreturn]] void refuse(std::string_view item, const std::string& reason) {
  throw InputError(
      "--distances: " + printable(item) + " " + reason +
      "; accepted: integers from 0 to 2^63-1 (also as 2^40, 2^40-1 or 1e6), log:LO:HI:N with "
      "LO >= 1, lin:LO:HI:N, separated by commas, at most 1000000 distances");
}

std::uint64_t parse_distance(std::string_view text) {
  if (text.empty()) refuse(text, "is empty");
  if (text.find('^') != std::string_view::npos) {
    const auto power = parse_power(text);
    if (!power) refuse(text, "is not an integer from 0 to 2^63-1");
    if (*power > kMaxDistance) refuse(text, "is larger than 2^63-1");
    return static_cast<std::uint64_t>(*power);
  }
  if (text.front() == '-') refuse(text, "is negative");
  if (text.size() > 4096) refuse(text, "is too long");
  const DecimalParts parts = [&] {
    try {
      return parse_decimal_parts(text, "--distances");
    } catch (const InputError&) {
      refuse(text, "is not an integer");
    }
  }();
  // Beyond 10^19 nothing fits, and the integer itself would be costly to write out.
  if (parts.digits != 0 && parts.exponent > 19) refuse(text, "is larger than 2^63-1");
  cpp_int whole;
  if (!parts.whole(whole)) refuse(text, "is not an integer");
  if (whole > kMaxDistance) refuse(text, "is larger than 2^63-1");
  return static_cast<std::uint64_t>(whole);
}

struct Range {
  std::uint64_t low;
  std::uint64_t high;
  std::uint64_t count;
};

// LO:HI:N
Range parse_range(std::string_view item, std::string_view text) {
  const std::size_t first = text.find(':');
  const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
  if (second == std::string_view::npos || text.find(':', second + 1) != std::string_view::npos) {
    refuse(item, "does not have the form LO:HI:N");
  }
  const Range range{parse_distance(text.substr(0, first)),
                    parse_distance(text.substr(first + 1, second - first - 1)),
                    parse_distance(text.substr(second + 1))};
  if (range.low > range.high) refuse(item, "has LO > HI");
  if (range.count < 1) refuse(item, "has N < 1");
  if (range.count > kMaxCount) refuse(item, "has N > 1000000");
  return range;
}

void append_new(std::vector<std::uint64_t>& grid, std::size_t start, std::uint64_t distance) {
  // Grids rise, so equal values are neighbours.
  if (grid.size() == start || grid.back() != distance) grid.push_back(distance);
}

// LO + i (HI - LO)/(N - 1), rounded half up, in integers throughout.
void append_linear(const Range& range, std::vector<std::uint64_t>& grid) {
  using boost::multiprecision::uint128_t;
  const std::size_t start = grid.size();
  const uint128_t span = range.high - range.low;
  const std::uint64_t steps = range.count - 1;
  append_new(grid, start, range.low);
  for (std::uint64_t i = 1; i <= steps; ++i) {
    const uint128_t offset = (2 * span * i + steps) / (2 * steps);
    append_new(grid, start, range.low + static_cast<std::uint64_t>(offset));
  }
}

// LO (HI/LO)^(i/(N-1)), rounded. No value lies on a half: its (N-1)-th power is an integer, so it
// is an integer or irrational. The running product is off by less than N 2^-190.
void append_logarithmic(const Range& range, std::vector<std::uint64_t>& grid) {
  const std::size_t start = grid.size();
  append_new(grid, start, range.low);
  if (range.count == 1) return;
  const Wide ratio = exp(log(Wide(range.high) / range.low) / (range.count - 1));
  Wide value = range.low;
  for (std::uint64_t i = 1; i + 1 < range.count; ++i) {
    value *= ratio;
    append_new(grid, start, static_cast<std::uint64_t>(floor(value + Wide(0.5))));
  }
  append_new(grid, start, range.high);
}

}  // namespace

DistanceGrid parse_distances(std::string_view spec) {
  if (spec.size() > kMaxSpecBytes) refuse(spec, "is longer than 16 MiB");
  DistanceGrid grid;
  grid.spec = spec;
  std::size_t start = 0;
  while (true) {
    const std::size_t comma = spec.find(',', start);
    const std::string_view item =
        spec.substr(start, comma == std::string_view::npos ? comma : comma - start);
    if (item.substr(0, 4) == "log:") {
      const Range range = parse_range(item, item.substr(4));
      if (range.low == 0) refuse(item, "has LO = 0");
      append_logarithmic(range, grid.distances);
    } else if (item.substr(0, 4) == "lin:") {
      append_linear(parse_range(item, item.substr(4)), grid.distances);
    } else {
      grid.distances.push_back(parse_distance(item));
    }
    if (grid.distances.size() > kMaxCount) refuse(spec, "has more than 1000000 distances");
    if (comma == std::string_view::npos) return grid;
    start = comma + 1;
  }
}

}  // namespace tapalab
