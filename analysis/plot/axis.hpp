// Ranges and ticks.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "analysis/plot/figure.hpp"

namespace tapalab::plot {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  bool empty() const { return !(low <= high); }
  double span() const { return high - low; }
  /// Takes in a finite value; NaN and infinities are passed over.
  void include(double value);
};

struct Tick {
  double at = 0;
  std::string label;  ///< gnuplot enhanced text; empty for a minor tick
};

/// 1, 2 or 5 times a power of ten, the smallest such that `span` holds at most `most` steps.
double nice_step(double span, int most);

/// Ticks of an axis in decades: powers of ten over wide ranges, 1-2-5 below two decades, evenly
/// spaced numbers below 0.8 of one.
std::vector<Tick> decade_ticks(const Range& range, int most);

/// Ticks of a plain axis.
std::vector<Tick> plain_ticks(const Range& range, int most);

/// What a panel must show, with room around it; never empty, never of zero span.
Range panel_range(const Panel& panel);

}  // namespace tapalab::plot
