#include "analysis/plot/curve_series.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "analysis/plot/text.hpp"

namespace tapalab::plot {
namespace {

const Wide& larger_magnitude(const LogNumber& a, const LogNumber& b) {
  return abs(a.wide()) < abs(b.wide()) ? b.wide() : a.wide();
}

/// Estimate and interval in decades of the magnitude.
Mark decade_mark(const Quantity& quantity) {
  Mark mark;
  mark.filled = quantity.estimate.sign() >= 0;
  mark.y = fast_log10_abs(quantity.estimate);
  const LogNumber& lower = quantity.error.lower;
  const LogNumber& upper = quantity.error.upper;
  mark.high = fast_log10_abs(LogNumber(larger_magnitude(lower, upper)));
  const bool contains_zero = lower.sign() * upper.sign() <= 0;
  mark.low = contains_zero ? -INFINITY : std::min(fast_log10_abs(lower), fast_log10_abs(upper));
  mark.upper_bound = !quantity.sign_resolved;
  return mark;
}

Mark plain_mark(const Quantity& quantity) {
  return {0, quantity.estimate.value(), quantity.error.lower.value(), quantity.error.upper.value()};
}

bool by_position(const Mark& a, const Mark& b) { return a.x < b.x; }

}  // namespace

double fast_log10_abs(const LogNumber& number) {
  if (number.sign() == 0) return -INFINITY;
  long long exponent = 0;
  const Wide significand = frexp(number.wide(), &exponent);
  return std::log10(std::abs(static_cast<double>(significand))) +
         static_cast<double>(exponent) * 0.30102999566398119521;
}

double DistanceAxis::position(std::uint64_t distance) const {
  return distance == 0 ? zero_slot.value_or(0) : std::log10(static_cast<double>(distance));
}

DistanceAxis distance_axis(const std::vector<DistanceCurve>& curves) {
  double low = INFINITY, high = -INFINITY;
  bool zero = false;
  for (const DistanceCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      zero = zero || point.distance == 0;
      if (point.distance == 0) continue;
      low = std::min(low, std::log10(static_cast<double>(point.distance)));
      high = std::max(high, std::log10(static_cast<double>(point.distance)));
    }
  }
  DistanceAxis axis;
  if (zero) axis.zero_slot = low > high ? 0 : low - std::max(0.11 * (high - low), 0.06);
  return axis;
}

std::vector<Mark> marks_of(const DistanceCurve& curve, QuantityOf quantity, AxisKind axis,
                           const DistanceAxis& x, std::size_t& left_out) {
  std::vector<Mark> marks;
  for (const CurvePoint& point : curve.points) {
    const std::optional<Quantity>& value = point.*quantity;
    if (!value) continue;
    Mark mark = axis == AxisKind::decades ? decade_mark(*value) : plain_mark(*value);
    mark.x = x.position(point.distance);
    mark.at_zero = point.distance == 0;
    if (!std::isfinite(mark.upper_bound ? mark.high : mark.y)) {
      ++left_out;
      continue;
    }
    marks.push_back(mark);
  }
  std::stable_sort(marks.begin(), marks.end(), by_position);
  return marks;
}

std::vector<Vertex> envelope_of(const DistanceCurve& curve, AxisKind axis, const DistanceAxis& x) {
  std::vector<Vertex> line;
  for (const CurvePoint& point : curve.points) {
    if (!point.envelope || point.distance == 0) continue;
    const LogNumber& value = point.envelope->estimate;
    double y = axis == AxisKind::decades ? fast_log10_abs(value) : value.value();
    const bool resolved = point.envelope->sign_resolved && point.envelope->error.lower.sign() > 0;
    if (!resolved || !std::isfinite(y)) y = NAN;
    line.push_back({x.position(point.distance), y});
  }
  std::stable_sort(line.begin(), line.end(),
                   [](const Vertex& a, const Vertex& b) { return a.x < b.x; });
  const bool any = std::any_of(line.begin(), line.end(),
                               [](const Vertex& vertex) { return !std::isnan(vertex.y); });
  return any ? line : std::vector<Vertex>{};
}

bool is_sampling(Engine engine) {
  return engine == Engine::mc || engine == Engine::qmc || engine == Engine::conditional ||
         engine == Engine::gpu;
}

std::string describe(const DistanceCurve& curve) {
  std::set<std::string> engines;
  for (const CurvePoint& point : curve.points) engines.emplace(to_string(point.engine));
  std::string names;
  for (const std::string& name : engines) names += (names.empty() ? "" : " + ") + name;
  std::string text = fmt::format("{}  ·  {}  ·  D = {}  ·  engine {}", curve.encoding.spec,
                                 curve.density.spec, curve.head_dim, names);
  if (curve.samples) text += "  ·  n = " + grouped(*curve.samples);
  if (curve.seed) text += fmt::format(", seed {}", *curve.seed);
  return text;
}

std::vector<std::string> describe_errors(const std::vector<DistanceCurve>& curves,
                                         QuantityOf quantity) {
  const bool relative_to_envelope = quantity == &CurvePoint::mean;
  const char* of = relative_to_envelope                       ? "of the envelope"
                   : quantity == &CurvePoint::variance_excess ? "of the excess"
                                                              : "of the variance";
  std::set<double> levels;
  bool rigorous = true, computed = false, unrelated = false;
  double worst = -INFINITY;  // log10 of the largest relative error of what is not statistical
  for (const DistanceCurve& curve : curves) {
    for (const CurvePoint& point : curve.points) {
      const std::optional<Quantity>& value = point.*quantity;
      if (!value) continue;
      const Error& error = value->error;
      if (error.kind == ErrorKind::confidence) {
        levels.insert(error.level.value_or(0));
        continue;
      }
      computed = true;
      rigorous = rigorous && error.rigorous;
      if (error.absolute.sign() == 0) continue;
      double relative = fast_log10_abs(error.absolute) - fast_log10_abs(value->estimate);
      if (relative_to_envelope && point.envelope) {
        relative = fast_log10_abs(error.absolute) - fast_log10_abs(point.envelope->estimate);
      }
      unrelated = unrelated || !std::isfinite(relative);
      if (std::isfinite(relative)) worst = std::max(worst, relative);
    }
  }
  std::vector<std::string> sentences;
  for (const double level : levels) {
    sentences.push_back(level > 0
                            ? fmt::format("Shaded bands and bars: {:g}% confidence intervals, "
                                          "point by point.",
                                          100 * level)
                            : "Shaded bands and bars: confidence intervals, point by point.");
  }
  if (computed && !unrelated && std::isfinite(worst)) {
    sentences.push_back(fmt::format("Errors of computed (not sampled) curves: {} {} {}{}.",
                                    rigorous ? "certified to be at most" : "at most",
                                    short_power(worst), of,
                                    worst < -3 ? ", narrower than the lines" : ", drawn as bands"));
  }
  return sentences;
}

}  // namespace tapalab::plot
