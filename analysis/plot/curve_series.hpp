// From the points of a curve to the marks of a figure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/distance_curve.hpp"
#include "analysis/plot/figure.hpp"

namespace tapalab::plot {

/// How distances stand on the x axis: log10, and distance 0 (if any curve has it) in a slot of its
/// own to the left.
struct DistanceAxis {
  std::optional<double> zero_slot;
  double position(std::uint64_t distance) const;
};
DistanceAxis distance_axis(const std::vector<DistanceCurve>& curves);

/// log10|x| in double precision, -infinity for 0; a hundred times faster than LogNumber's own, for
/// curves of many points. Absolute error below 1e-15 (1 + |log10|x||).
double fast_log10_abs(const LogNumber& number);

using QuantityOf = std::optional<Quantity> CurvePoint::*;

/// The points of `curve` that have the quantity, by distance. In decades an estimate of 0 has no
/// place: it is left out and counted in `left_out`.
std::vector<Mark> marks_of(const DistanceCurve& curve, QuantityOf quantity, AxisKind axis,
                           const DistanceAxis& x, std::size_t& left_out);

/// log10 of the envelope (decades) or the envelope itself, where a curve has one whose interval
/// does not reach 0; y is NaN, a lifted pen, at the others.
std::vector<Vertex> envelope_of(const DistanceCurve& curve, AxisKind axis, const DistanceAxis& x);

/// True for an engine that draws its points; exact sums over a file are not sampled.
bool is_sampling(Engine engine);

/// "tapa:alpha=0.1 · gaussian:rho=0.25 · D = 128 · exact", with samples and seed where sampled.
std::string describe(const DistanceCurve& curve);

/// Sentences on the errors of the quantity over all curves: what the bands are, and how small the
/// errors of computed values are: of a mean relative to its envelope, else to the value.
std::vector<std::string> describe_errors(const std::vector<DistanceCurve>& curves,
                                         QuantityOf quantity);

}  // namespace tapalab::plot
