// Figures of distance curves: bias decay and variance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/distance_curve.hpp"

namespace tapalab {

namespace plot {
struct Figure;
}

enum class PlotQuantity { bias, variance };

/// automatic: rotary curves on a linear axis (their means are of one size and change sign), phase
/// scores in decades of the magnitude (their means fall over thousands of decades) unless all of
/// them are within a factor of 20; both kinds together make two panels.
enum class PlotScale { automatic, linear, log };

/// A line beside the curves of the bias figure, such as the bound of Theorem 3.2.
struct PlotReference {
  struct Point {
    std::uint64_t distance = 0;
    LogNumber value;
  };
  std::string label;  ///< its text in the legend
  std::vector<Point> points;
};

struct PlotOptions {
  std::string title;  ///< empty: one that names the quantity
  PlotScale scale = PlotScale::automatic;
  std::vector<PlotReference> references;  ///< drawn among phase scores
};

/// Draws the curves to `file`; the extension (.svg, .png, .pdf) is the format. A file appears whole
/// or not at all. Points of any size, even 1e-9000, are drawn from their logarithms. Distance 0
/// stands left of a break in the logarithmic axis. Unresolved means in decades are arrows that
/// point down from the upper bound of |mean|. Throws InputError for another extension, a directory
/// that cannot be written, or curves that hold nothing to draw; UnavailableError where gnuplot is
/// not installed; std::runtime_error with gnuplot's message where it fails.
void plot_curves(const std::vector<DistanceCurve>& curves, PlotQuantity quantity,
                 const std::string& file, const PlotOptions& options = {});

/// The figure that plot_curves draws.
plot::Figure curve_figure(const std::vector<DistanceCurve>& curves, PlotQuantity quantity,
                          const PlotOptions& options = {});

}  // namespace tapalab
