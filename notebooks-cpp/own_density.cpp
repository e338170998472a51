// %% [markdown]
// # Your own density
//
// Everything that tapalab says of an encoding, it says under a density of queries and keys. The
// other notebooks take independent or correlated Gaussians. This one brings others: laws that are
// not Gaussian, mixtures, tails that all coordinates share, and a covariance of your own, and lets
// an engine that knows the density's formula and one that only draws samples check each other.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>

#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// The most exact engine beside samples of the same task, intervals at a confidence of 0.999.
DistanceCurve compared(const CurveTask& task, std::vector<std::vector<std::string>>& rows) {
  const DistanceCurve exact = compute_curve(task);
  const DistanceCurve drawn = compute_curve(sampled(task, 200000, 0.999));
  for (const CurvePoint& point : drawn.points) {
    const CurvePoint& computed = point_at(exact, point.distance);
    rows.push_back({task.density.spec, std::to_string(point.distance),
                    std::string(to_string(computed.engine)), with_error(*computed.mean),
                    with_error(*point.mean)});
    require(overlap(*computed.mean, *point.mean), task.density.spec + ": the mean");
    require(overlap(*computed.variance, *point.variance), task.density.spec + ": the variance");
  }
  return exact;
}

const std::vector<std::string> kColumns = {"density", "distance", "engine", "mean", "sampled"};

// %% [markdown]
// ## A law for each coordinate
//
// A density is a name with keys, as in `--density`. `sech:key=logistic` gives query coordinates a
// hyperbolic secant law and key coordinates a logistic one, each at unit variance, then shifted and
// scaled as `mean_q`, `scale_k` and so on say; the prefixes `a.` and `p.` speak of amplitude and
// phase coordinates alone. Coordinates are independent, so that the transform is a product of
// one-dimensional integrals, and the engine is quadrature.
//
// A mixture of Gaussians is a sum of closed forms. Its coordinates depend on each other through the
// component they share, and so do those of `student-t-joint`, which is a Gaussian divided by one
// random scale for all of them: heavy tails in every direction at once. (The interval of a sampled
// variance rests on eighth moments, and is poor where those barely exist: hence thirty degrees of
// freedom, not three.)

// %%
std::vector<std::vector<std::string>> rows;
std::vector<DistanceCurve> curves;
for (const char* density :
     {"gaussian:mean_q=0.5,mean_k=0.5", "sech:key=logistic,mean_q=0.5,mean_k=0.5",
      "mixture:weight=0.3,rho=0.9,mean_q=1;weight=0.7,rho=-0.2", "student-t-joint:nu=30,rho=0.3"}) {
  compared(curve_task("tapa:alpha=0.1", density, 8, "0,1,100"), rows);
  curves.push_back(compute_curve(curve_task("tapa:alpha=0.1", density, 8, "log:1:2^20:21")));
}
display_table(kColumns, rows);

PlotOptions options;
options.title = "Mean of TAPA under four densities, D = 8";
options.scale = PlotScale::log;
display_figure(curve_figure(curves, PlotQuantity::bias, options));

// %% [markdown]
// ## A covariance of your own
//
// A joint Gaussian may have any mean and any covariance of $x = (q, k)$, query first; entries are
// exact decimals. Here neighbouring coordinates are correlated with $\rho^{|i - j|}$, as in a
// stationary process, across the border of query and key too. On the command line the same is a
// matrix in a TOML file or a `.npy` file.

// %%
const std::uint32_t head_dim = 4;
const std::size_t n = 2 * head_dim;
FullGaussianDensity process;
process.mean.assign(n, ExactDecimal::parse("0.25", "mean"));
process.covariance = {n, n, std::vector<ExactDecimal>(n* n, ExactDecimal(0))};
const std::vector<std::string> powers = {"1",      "0.5",     "0.25",     "0.125",
                                         "0.0625", "0.03125", "0.015625", "0.0078125"};
for (std::size_t i = 0; i < n; ++i) {
  for (std::size_t j = 0; j < n; ++j) {
    process.covariance.entries[i * n + j] =
        ExactDecimal::parse(powers[i > j ? i - j : j - i], "covariance");
  }
}
CurveTask own = curve_task("tapa:alpha=0.1", "gaussian", head_dim, "0,1,10,100");
own.density = {"neighbours, rho = 0.5", process};
std::vector<std::vector<std::string>> own_rows;
const DistanceCurve own_curve = compared(own, own_rows);
display_table(kColumns, own_rows);

// %% [markdown]
// At distance 0 the score is the amplitude, and its mean can be had by hand: $\mathrm{E}\, a =
// \frac{1}{\sqrt{d_A}} \sum_{i < d_A} (\mathrm{Cov}(q_i, k_i) + \mathrm{E} q_i\, \mathrm{E} k_i)$,
// where $q_i$ and $k_i$ are $D$ places apart.

// %%
const double by_hand = 2 * (std::pow(0.5, 4) + 0.25 * 0.25) / std::sqrt(2.0);
const Quantity at_zero = *own_curve.points.front().mean;
display_markdown(fmt::format("By hand {:.15f}, computed {}.", by_hand, with_error(at_zero, 16)));
require(std::abs(at_zero.estimate.value() - by_hand) < 1e-15, "E a by hand");

// %% [markdown]
// ## What is refused
//
// A density that is none is not repaired. Messages are one line: what was given, what is wrong with
// it, what is accepted.

// %%
const auto refusal = [](const auto& attempt) -> std::string {
  try {
    attempt();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
};
std::vector<std::string> messages = {
    refusal([] { parse_density("gausian:rho=0.5"); }),
    refusal([] { parse_density("gaussian:rho=1.5"); }),
    refusal([] { parse_density("mixture:weight=0.3;weight=0.3"); }), refusal([&] {
      FullGaussianDensity broken = process;  // |correlation| above 1
      broken.covariance.entries[1] = broken.covariance.entries[n] = ExactDecimal(2);
      CurveTask task = own;
      task.density = {"broken", broken};
      compute_curve(task);
    })};
std::vector<std::vector<std::string>> refused;
for (const std::string& message : messages) {
  require(!message.empty() && message.find('\n') == std::string::npos, "refused in one line");
  refused.push_back({message});
}
display_table({"message"}, refused);
