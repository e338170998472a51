// %% [markdown]
// # How fast the bias falls
//
// Theorem 3.2 of the TAPA paper bounds the mean score: for a Schwartz density of queries and keys
//
// $$|\mathrm{E}\, \mathrm{TAPA}| < C(\rho, D)\, \delta^{-\alpha d_P},$$
//
// with $d_P$ phase coordinates, that is a power of the distance whose exponent grows with the head
// dimension. This notebook computes the mean exactly, puts the bound with its right constant above
// it, and measures the exponent: at which distances is it there, and what is it before?

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>

#include "analysis/fit.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "analysis/plot/fit_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "proofs-check/gaussian_ball.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// %% [markdown]
// ## The bound and its constant
//
// The score is $a \cos(2 \pi s \phi)$ with the phase scale $s = \delta^\alpha$ and $\phi = q_P
// \cdot k_P/\sqrt{d_P}$, a quadratic form in $x_P = (q_P, k_P)$. Parseval turns the mean into an
// integral of the Fourier transform of $w(x_P)$, the integral of $a$ times the density over the
// amplitude coordinates, against a Gaussian kernel of modulus one, and
//
// $$|\mathrm{E}\, \mathrm{TAPA}| \le \ell^{-d_P} \| \hat w \|_1, \qquad \ell = s/\sqrt{d_P}.$$
//
// For Gaussian coordinate pairs of correlation $\rho$ the norm is $|\mathrm{E}\, a| (2 \pi)^{-d_P}
// (1 - \rho^2)^{-d_P/2}$. Both sides are enclosed by ball arithmetic, so that the comparison is a
// certificate at each of these distances (docs/theory/theorem-3.2.md proves it at all).

// %%
const SplitGaussian model{64, 64, "0.1", {}, {}};
SplitGaussian correlated = model;
correlated.amplitude.rho = correlated.phase.rho = ExactDecimal::parse("0.25", "rho");

const CurveTask task = curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", 128, "log:1:2^40:41");
const DistanceCurve curve = compute_curve(task);

PlotReference bound{"bound of Theorem 3.2, dP = 64", {}};
for (const CurvePoint& point : curve.points) {
  const Ball limit = bias_bound_ball(correlated, point.distance, 1, 256);
  const Ball mean = split_gaussian_ball(correlated, point.distance, 256).mean;
  require(certainly_less(abs(mean), limit), "Theorem 3.2 with the right constant");
  bound.points.push_back({point.distance, LogNumber(limit.midpoint_wide())});
}
PlotOptions options;
options.title = "Bias of TAPA under its bound";
options.references = {bound};
display_figure(curve_figure({curve}, PlotQuantity::bias, options));

// %% [markdown]
// The bound is far above the mean at ordinary distances and close to the envelope only at the
// right end. How far, as the ratio of bound to envelope:

// %%
std::vector<std::vector<std::string>> ratios;
Wide last_ratio = 0;
for (const std::uint64_t distance : {1ull, 1024ull, 1ull << 20, 1ull << 40}) {
  const Ball limit = bias_bound_ball(correlated, distance, 1, 256);
  const Ball envelope = split_gaussian_ball(correlated, distance, 256).envelope;
  last_ratio = (limit / envelope).midpoint_wide();
  ratios.push_back({std::to_string(distance), envelope.midpoint(4), limit.midpoint(4),
                    LogNumber(last_ratio).decimal(4)});
}
display_table({"distance", "envelope", "bound", "bound/envelope"}, ratios);

// %% [markdown]
// ## The constant in the printed proof
//
// The proof takes the phase $x^T J x$ for $q \cdot k$, which is half of it: with $J$ the matrix
// that swaps queries and keys, $x^T J x = 2\, q \cdot k$. Its constant is therefore too small by a
// factor $2^{d_P}$. The statement is not touched by this, since it names no constant, but a bound
// computed from the proof would be. For independent coordinates ($\mathrm{E}\, a = 0$, so an
// amplitude mean of one half stands in):

// %%
SplitGaussian shifted = model;
shifted.amplitude.mean_q = shifted.amplitude.mean_k = ExactDecimal::parse("0.5", "mean");
const std::uint64_t violated_at = 1ull << 40;
const Ball observed = abs(split_gaussian_ball(shifted, violated_at, 256).mean);
const Ball printed = bias_bound_ball(shifted, violated_at, 2, 256);
const Ball repaired = bias_bound_ball(shifted, violated_at, 1, 256);
display_table({"at distance 2^40", "value"}, {{"|mean|", observed.midpoint(6)},
                                              {"bound, printed scale", printed.midpoint(6)},
                                              {"bound, right scale", repaired.midpoint(6)}});
require(certainly_less(printed, observed), "the printed constant is violated");
require(certainly_less(observed, repaired), "the right one is not");

// %% [markdown]
// ## The exponent is an asymptotic statement
//
// For independent standard Gaussians the envelope is $|\mathrm{E}\, a| (1 + t^2)^{-d_P/2}$ with $t
// = 2 \pi s/\sqrt{d_P}$, and the local exponent in $s$ is
//
// $$-\frac{\mathrm{d} \ln |\Phi_1|}{\mathrm{d} \ln s} = d_P \frac{t^2}{1 + t^2}:$$
//
// the power $d_P$ is reached when $t \gg 1$, and $t$ grows as slowly as $\delta^{0.1}$. `fit_decay`
// measures exponents between neighbouring distances of a curve, and gives the closed form's beside
// them.

// %%
const FitResult fit = fit_decay(curve);
display_figure(fit_figure({fit}, "Local exponents of TAPA's envelope"));
for (const LocalExponent& local : fit.local) {
  require(local.predicted.has_value(), "a joint Gaussian has a closed form");
  require(std::abs(local.in_distance.value - local.predicted->value) <= 1e-9,
          "the measured exponent is that of the closed form");
}

// %%
const double asymptote = fit.asymptote.exponent_in_distance.value();
std::vector<std::vector<std::string>> exponents;
for (const LocalExponent& local : fit.local) {
  if (exponents.size() > 12 && local.distance_high != fit.points.back().distance) continue;
  exponents.push_back({std::to_string(local.distance_low), fmt::format("{:.3f}", local.t_low),
                       fmt::format("{:.4f}", local.in_distance.value),
                       fmt::format("{:.2f}", local.in_distance.value / asymptote)});
}
display_table({"from distance", "t", "local exponent", "of the asymptote"}, exponents);
display_markdown(
    fmt::format("The asymptote is $-\\alpha d_P = {}$. Between the last two distances "
                "the exponent is {:.3f}, {:.0f}% of it.",
                asymptote, fit.local.back().in_distance.value,
                100 * fit.local.back().in_distance.value / asymptote));
require(fit.local.front().in_distance.value > asymptote, "near, the decay is slower");
require(fit.local.back().in_distance.value / asymptote > 0.9, "far, the exponent is close");

// %% [markdown]
// ## Samples see the decay where it is slow enough
//
// With $d_P = 2$ the mean stays above the noise of sampling for a while, and Monte Carlo, which
// knows nothing of the closed form, can be asked. Arrows in the figure mark distances at which the
// interval contains 0: no sign is claimed there, only an upper bound.

// %%
const CurveTask few = curve_task("tapa:alpha=0.1", "gaussian:rho=0.5", 4, "log:1:2^20:11");
const DistanceCurve exact = compute_curve(few);
const DistanceCurve drawn = compute_curve(sampled(few, 400000, 0.999));
for (const CurvePoint& point : drawn.points) {
  require(overlap(*point.mean, *point_at(exact, point.distance).mean),
          "the exact mean is inside of the sampled interval");
}
PlotOptions in_decades;
in_decades.title = "Two phase coordinates: exact and sampled";
in_decades.scale = PlotScale::log;
display_figure(curve_figure({exact, drawn}, PlotQuantity::bias, in_decades));
