#include "analysis/conditional/proposal.hpp"

#include <algorithm>
#include <cmath>

namespace tapalab {

Proposal::Proposal(const std::function<double(double)>& log_target, std::vector<double> edges)
    : edges_(std::move(edges)) {
  for (const double x : edges_) height_.push_back(log_target(x));
  const double peak = *std::max_element(height_.begin(), height_.end());
  for (double& height : height_) height = std::exp(height - peak);
  double total = 0;
  for (std::size_t i = 0; i + 1 < edges_.size(); ++i) {
    mass_.push_back(0.5 * (height_[i] + height_[i + 1]) * (edges_[i + 1] - edges_[i]));
    total += mass_.back();
  }
  for (double& height : height_) height /= total;
  double sum = 0;
  for (double& mass : mass_) {
    mass /= total;
    below_.push_back(sum);
    sum += mass;
  }
  const std::size_t parts = 2 * mass_.size();
  std::size_t cell = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    const double u = static_cast<double>(part) / static_cast<double>(parts);
    while (cell + 1 < mass_.size() && below_[cell + 1] <= u) ++cell;
    guide_.push_back(cell);
  }
}

Proposal::Draw Proposal::operator()(double u) const {
  const auto parts = static_cast<double>(guide_.size());
  std::size_t cell = guide_[static_cast<std::size_t>(std::min(u * parts, parts - 1))];
  while (cell + 1 < mass_.size() && below_[cell + 1] < u) ++cell;
  while (cell > 0 && mass_[cell] == 0) --cell;  // rounding may leave u beyond the last mass
  const double share = std::clamp((u - below_[cell]) / mass_[cell], 0.0, 1.0);
  // y of the cell's width with p0 y + (p1 - p0) y^2/2 = share (p0 + p1)/2
  const double p0 = height_[cell], p1 = height_[cell + 1];
  const double root = std::sqrt(p0 * p0 + share * (p1 * p1 - p0 * p0));
  const double y = p0 + root > 0 ? share * (p0 + p1) / (p0 + root) : 0;
  return {edges_[cell] + y * (edges_[cell + 1] - edges_[cell]), std::log(p0 + y * (p1 - p0))};
}

std::vector<double> geometric_edges(const EdgePlan& plan) {
  constexpr double kStep = 1.02;
  std::vector<double> edges;
  for (const double centre : plan.centres) {
    for (double offset = plan.inner * 1e-9; offset < plan.reach; offset *= kStep) {
      edges.push_back(centre - offset);
      edges.push_back(centre + offset);
    }
    edges.push_back(centre - plan.reach);
    edges.push_back(centre + plan.reach);
  }
  if (plan.limit > 0) {
    const double low = plan.support_centre - plan.limit, high = plan.support_centre + plan.limit;
    std::erase_if(edges, [&](double x) { return x <= low || x >= high; });
    edges.push_back(low);
    edges.push_back(high);
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

}  // namespace tapalab
