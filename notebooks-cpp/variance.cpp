// %% [markdown]
// # What is left of the variance
//
// A score whose mean vanishes could vanish altogether, and attention would see nothing far away.
// Theorem 3.3 says that TAPA's does not. What happens can be read from the second moment of a score
// $a \cos(2 \pi s \phi)$, since $2 \cos^2 x = 1 + \cos 2x$:
//
// $$\mathrm{Var} = \tfrac12\, \mathrm{E}\, a^2 + \tfrac12\, \mathrm{Re}\, \Phi_2(4 \pi s) -
// (\mathrm{Re}\, \Phi_1(2 \pi s))^2, \qquad \Phi_j(t) = \mathrm{E}\, a^j e^{i t \phi}.$$
//
// As the scale $s$ grows both transforms tend to 0 (Riemann and Lebesgue: an absolutely continuous
// phase suffices), and the variance to $\mathrm{E}\, a^2/2$: the half that the cosine's square
// leaves on average.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>

#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "proofs-check/gaussian_ball.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// %% [markdown]
// ## The limit, by hand
//
// For coordinate pairs of correlation $\rho$ and unit variance, Isserlis' theorem gives
//
// $$\mathrm{E}\, a^2 = \frac{1}{d_A} \mathrm{E} \left( \sum_i q_i k_i \right)^2
// = 1 + \rho^2 + d_A \rho^2,$$
//
// and at distance 0, where the score is $a$ itself, $\mathrm{Var}\, a = 1 + \rho^2$. Both can be
// checked against the curve, which knows neither formula.

// %%
const double rho = 0.25, amplitude_dim = 64;
const double square = 1 + rho * rho + amplitude_dim * rho * rho;
const CurveTask task =
    curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", 128, "0,1,10,1000,1000000,2^40");
const DistanceCurve curve = compute_curve(task);
std::vector<std::vector<std::string>> rows;
for (const CurvePoint& point : curve.points) {
  rows.push_back({std::to_string(point.distance), point.variance->estimate.decimal(17),
                  with_error(*point.variance_excess)});
}
display_table({"distance", "variance", "Var - E a^2/2"}, rows);
display_markdown(fmt::format("By hand: {} at distance 0, and a limit of {}.", 1 + rho * rho,
                             square / 2));
require(std::abs(curve.points.front().variance->estimate.value() - (1 + rho * rho)) < 1e-15,
        "Var a at distance 0");
require(std::abs(curve.points.back().variance->estimate.value() - square / 2) < 1e-15,
        "the limit E a^2/2");

// %% [markdown]
// The last column is not a difference of the two numbers before it, which would be rounding noise
// from the second row on. It is computed without subtraction, from $\Phi_2$ and $\Phi_1$, and
// certified by ball arithmetic here.

// %%
SplitGaussian model{64, 64, "0.1", {}, {}};
model.amplitude.rho = model.phase.rho = ExactDecimal::parse("0.25", "rho");
for (const CurvePoint& point : curve.points) {
  const Ball truth = split_gaussian_ball(model, point.distance, 512).variance_excess;
  require(truth.lower_wide() <= point.variance_excess->error.upper.wide() &&
              point.variance_excess->error.lower.wide() <= truth.upper_wide(),
          "the excess is the certified one");
}
const Quantity last = *curve.points.back().variance_excess;
display_markdown("At distance $2^{40}$ the variance differs from its limit by **" +
                 last.estimate.decimal(6) + "**.");
require(last.estimate.log10_abs() < -60, "the excess falls as the bias does");

// %% [markdown]
// ## RoPE beside it
//
// RoPE's variance under the same density stays as well. That a score keeps its variance far away
// does not tell the two encodings apart. For independent coordinates RoPE's variance is exactly 1
// at every distance: rotating one of two independent isotropic vectors changes nothing.

// %%
const DistanceCurve tapa =
    compute_curve(curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", 128, "log:1:2^20:41"));
const DistanceCurve rope =
    compute_curve(curve_task("rope:base=10000", "gaussian:rho=0.25", 128, "log:1:2^20:41"));
display_figure(curve_figure({tapa, rope}, PlotQuantity::variance));

const DistanceCurve independent =
    compute_curve(curve_task("rope:base=10000", "gaussian", 128, "1,1000,1000000"));
for (const CurvePoint& point : independent.points) {
  require(std::abs(point.variance->estimate.value() - 1) < 1e-15,
          "RoPE's variance is 1 for independent coordinates");
}

// %% [markdown]
// ## The same by sampling
//
// An interval for a variance needs the fourth moment of the score, and one for the excess more.
// The head is small here, so that the variance still moves where samples can follow it; each
// interval, at a confidence of 0.999, must contain the exact value.

// %%
const CurveTask small = curve_task("tapa:alpha=0.1", "gaussian:rho=0.5", 8, "0,1,10,1000,100000");
const DistanceCurve closed = compute_curve(small);
const DistanceCurve drawn = compute_curve(sampled(small, 400000, 0.999));
std::vector<std::vector<std::string>> compared;
for (const CurvePoint& point : drawn.points) {
  const CurvePoint& exact = point_at(closed, point.distance);
  compared.push_back({std::to_string(point.distance), exact.variance->estimate.decimal(6),
                      with_error(*point.variance, 6)});
  require(overlap(*point.variance, *exact.variance), "the exact variance is in the interval");
  require(overlap(*point.variance_excess, *exact.variance_excess), "and so is the excess");
}
display_table({"distance", "exact", "400,000 samples"}, compared);

// %% [markdown]
// ## What the theorem says, and what it should
//
// Printed is $\liminf \mathrm{Var} \ge \sigma_0^2/2$, where $\sigma_0^2 = \mathrm{E} (q_d k_d)^2$
// is the second moment of one coordinate. For the densities above $\mathrm{E}\, a^2$ exceeds
// $\sigma_0^2$, and the statement holds. It does so because the cross terms $\mathrm{E}\, q_i k_i
// q_j k_j$ are not negative here; the notebook on the counterexample makes them negative.

// %%
const double sigma_square = 1 + 2 * rho * rho;
display_markdown(fmt::format("Here $\\sigma_0^2/2$ = {} and $\\mathrm{{E}}\\, a^2/2$ = {}.",
                             sigma_square / 2, square / 2));
require(square >= sigma_square, "the cross terms of this density are not negative");
