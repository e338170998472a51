// %% [markdown]
// # When the theorem is sharp
//
// Theorem 3.2 promises that TAPA's mean falls at least like $s^{-d_P}$, $s = \delta^\alpha$, for a
// Schwartz density. Two questions follow. Is $d_P$ the exponent, or do some densities decay faster?
// And is Schwartz needed, that is smoothness of every order and tails below every power?
//
// Stationary phase answers both. The phase $q_P \cdot k_P$ has one critical point, the origin,
// where its Hessian has full rank $2 d_P$; each coordinate pair contributes a factor
//
// $$g(t) = \mathrm{E}\, e^{i t x y} \sim \frac{2 \pi}{t} \sum_{k \ge 0} \frac{(i/t)^k}{k!}
// f^{(k)}(0)\, h^{(k)}(0),$$
//
// with $f$ and $h$ the densities of $x$ and $y$. The exponent is therefore that of the first pair
// of derivatives at 0 that do not vanish, and nothing else about the densities matters, in the
// limit.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>

#include "analysis/asymptote.hpp"
#include "analysis/fit.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "sim/marginal.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// The amplitude has a mean, so that the score has one.
CurveTask measured_task(const std::string& density, const std::string& distances) {
  const std::string separator = density.find(':') == std::string::npos ? ":" : ",";
  return curve_task("tapa:alpha=1,law=linear", density + separator + "a.mean_q=0.5,a.mean_k=0.5",
                    16, distances);
}

// Exponent in s between two distances.
double exponent(const std::string& density, const std::string& distances) {
  FitWindow window;
  window.t_min = 0;
  return fit_decay(compute_curve(measured_task(density, distances)), window)
      .local.front()
      .in_scale.value;
}

// %% [markdown]
// ## Laws of one coordinate
//
// The encoding has eight phase coordinates and the linear law, so that $s$ is the distance. Each
// row has a law for all coordinates, scaled to unit variance, and compares the exponent that is
// predicted from the law's behaviour at 0 with the one measured near (from 2 to 3) and far (from
// $2^{30}$ to $2^{40}$).

// %%
std::vector<std::vector<std::string>> rows;
for (const std::string density :
     {"gaussian:rho=0.25", "sech", "logistic", "hermite2", "hermite2:p.mean_q=0.5,p.mean_k=0.5",
      "laplace", "uniform", "student-t:nu=3", "hermite2:key=laplace", "singular"}) {
  const CurveTask task = measured_task(density, "2,3");
  const Asymptote limit = decay_law(task.encoding, task.density, task.head_dim).asymptote;
  const auto family = find_marginal(density_name(task.density.law));
  const bool schwartz =
      density.find("laplace") == std::string::npos && (!family || facts({*family, 3}).schwartz);
  const double near = exponent(density, "2,3");
  const double far = exponent(density, "2^30,2^40");
  const double predicted = limit.exponent_in_scale.value();
  rows.push_back({density, schwartz ? "yes" : "no", fmt::format("{:g}", predicted),
                  fmt::format("{:.4f}", near), fmt::format("{:.4f}", far)});
  // singular beside itself keeps a logarithm, which 2^40 does not outgrow
  const double room = density == "singular" ? 0.5 : 1e-3;
  require(std::abs(far - predicted) < room, "the exponent of " + density);
}
display_table({"law", "Schwartz", "predicted", "near", "far"}, rows);

// %% [markdown]
// What can be read from it:
//
// - Schwartz is sufficient and not necessary. Laplace has a kink, uniform a jump and Student's t
//   heavy tails, and they decay with $d_P$ like the smooth ones: what counts is the origin.
// - $d_P$ is not the exponent of every Schwartz density. The law `hermite2`, $x^2 e^{-x^2/2}$ up to
//   scale, vanishes at 0 with its slope, so that the first term left has two derivatives of either
//   factor and each pair falls like $t^{-3}$. A mean of the phase coordinates moves the density's
//   zero away from the critical point, and $d_P$ is back.
// - A law that blows up at 0 (`singular`, $|x|^{-1/2} e^{-|x|}$) falls with half of the exponent.
// - The near column is what a model sees: exponents belong to large distances.

// %%
std::vector<DistanceCurve> curves;
for (const char* density : {"sech", "hermite2", "uniform", "singular"}) {
  curves.push_back(compute_curve(measured_task(density, "log:1:2^20:41")));
}
PlotOptions options;
options.title = "Four laws of the coordinates, eight phase coordinates";
display_figure(curve_figure(curves, PlotQuantity::bias, options));

// %% [markdown]
// ## Tokens that never forget
//
// Coordinates of $\pm 1$ have no density at all. The sum $q_P \cdot k_P$ of 64 signs is an even
// number, and $\phi$ a multiple of $2/\sqrt{64} = 1/4$: where $s$ is a multiple of 4, every phase
// is a whole number of turns, every cosine is 1, and the mean is that of distance 0, exactly. With
// $\alpha = 0.1$ the first such distance is $2^{20}$, where $s = 4$.

// %%
const DistanceCurve signs = compute_curve(
    curve_task("tapa:alpha=0.1", "rademacher:a.mean_q=0.5,a.mean_k=0.5", 128, "0,1000,2^20,2^30"));
std::vector<std::vector<std::string>> revival;
for (const CurvePoint& point : signs.points) {
  revival.push_back({std::to_string(point.distance), with_error(*point.mean)});
}
display_table({"distance", "mean"}, revival);
const double start = point_at(signs, 0).mean->estimate.value();
for (const std::uint64_t back : {1ull << 20, 1ull << 30}) {
  require(std::abs(point_at(signs, back).mean->estimate.value() - start) < 1e-12 * start,
          "the mean of distance 0 is back");
}

// %% [markdown]
// ## A phase of lower rank
//
// In the general form $q^T M k \cos(2 \pi s\, q^T N k)$ it is the rank of $N$ that counts. Under
// correlated Gaussians with diagonal $M$ and $N$ the mean falls like $s^{-\mathrm{rank}\, N}$ while
// some coordinate is left out of the phase. With full rank the amplitude vanishes at the critical
// point and the next term is imaginary: the envelope falls with $\mathrm{rank}\, N + 1$, and the
// mean, its real part, with $\mathrm{rank}\, N + 2$.

// %%
std::vector<std::vector<std::string>> ranks;
for (int rank = 1; rank <= 4; ++rank) {
  TapaGeneralEncoding general;
  general.alpha = ExactDecimal(1);
  general.M = general.N = {4, 4, std::vector<ExactDecimal>(16, ExactDecimal(0))};
  for (std::size_t i = 0; i < 4; ++i) {
    general.M.entries[5 * i] = ExactDecimal(static_cast<int>(i) + 1);
    if (static_cast<int>(i) < rank) general.N.entries[5 * i] = ExactDecimal(1);
  }
  CurveTask task = curve_task("nope", "gaussian:rho=0.5", 4, "2^30,2^34");
  task.encoding = {"tapa-general", general};
  const DistanceCurve curve = compute_curve(task);
  const auto slope = [&](std::optional<Quantity> CurvePoint::*quantity) {
    return ((curve.points[1].*quantity)->estimate.log10_abs() -
            (curve.points[0].*quantity)->estimate.log10_abs()) /
           (4 * std::log10(2.0));
  };
  const double mean = slope(&CurvePoint::mean), envelope = slope(&CurvePoint::envelope);
  ranks.push_back(
      {std::to_string(rank), fmt::format("{:.6f}", envelope), fmt::format("{:.6f}", mean)});
  const bool full = rank == 4;
  require(std::abs(envelope + rank + (full ? 1 : 0)) < 1e-6, "the exponent of the envelope");
  require(std::abs(mean + rank + (full ? 2 : 0)) < 1e-6, "the exponent of the mean");
}
display_table({"rank of N", "envelope", "mean"}, ranks);
