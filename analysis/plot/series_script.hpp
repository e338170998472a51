// The gnuplot commands that draw the curves of a panel and their samples in the legend.
#pragma once

#include <iosfwd>
#include <string>

#include "analysis/plot/axis.hpp"
#include "analysis/plot/figure.hpp"

namespace tapalab::plot {

/// Writes data blocks and one plot command. At most a few thousand vertices of a curve are sent,
/// whatever its length: per column of pixels the first, last, lowest and highest. `markers`: of one
/// joined curve; with more points than this (64 where they are not joined) a regular part of them
/// is marked.
void write_series(std::ostream& out, const Panel& panel, const Range& x, const Range& y,
                  double markers);

/// A sample of a line and its marker between two places given in gnuplot's words.
void write_sample(std::ostream& out, const LegendRow& row, const std::string& left,
                  const std::string& right, const std::string& middle);

/// The vertices that still draw the same line at `columns` columns over `x`. Exposed for its test.
std::vector<Vertex> thinned(const std::vector<Vertex>& line, const Range& x, std::size_t columns);

}  // namespace tapalab::plot
