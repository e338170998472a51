// Draws from a density on the line that is known at points: continuous, linear between them.
#pragma once

#include <functional>
#include <vector>

namespace tapalab {

/// The density that is linear between the edges and proportional to exp(log_target) at them. A draw
/// comes with its own log density, so that whoever divides by it makes no error by the
/// interpolation.
class Proposal {
 public:
  /// At least two edges, ascending; log_target below infinity at each, and above -infinity at one
  /// or more. Of any size: heights are relative to the largest.
  Proposal(const std::function<double(double)>& log_target, std::vector<double> edges);

  struct Draw {
    double x;
    double log_density;
  };
  /// u in (0, 1]: the inverse of the distribution function.
  Draw operator()(double u) const;

  std::size_t cells() const { return mass_.size(); }

 private:
  std::vector<double> edges_, height_;  // at the edges, normalised
  std::vector<double> mass_, below_;    // of each cell, and of those before it
  std::vector<std::size_t> guide_;      // first cell that may hold u, by the leading part of u
};

/// Edges for integrands with scales `inner` and `outer` around each centre: geometric steps of 2%
/// from inner/1e9 to `reach` on both sides, cut to [-limit, limit] around `support_centre` where
/// limit > 0.
struct EdgePlan {
  std::vector<double> centres;
  double inner = 1, reach = 1;
  double support_centre = 0, limit = 0;
};
std::vector<double> geometric_edges(const EdgePlan& plan);

}  // namespace tapalab
