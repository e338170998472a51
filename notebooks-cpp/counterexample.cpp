// %% [markdown]
// # A counterexample to the variance bound
//
// Assumption 2.1 of the TAPA paper is about the pairs of coordinates of a query at position $m$ and
// a key at position $n$: there are $\mu_0$, $\nu_0$ and $\sigma_0^2$ such that for all $m$, $n$ and
// $d$
//
// $$\mathrm{E}\,(q_{2d} k_{2d} + q_{2d+1} k_{2d+1}) = \mu_0, \qquad
// \mathrm{E}\,(q_{2d} k_{2d+1} - q_{2d+1} k_{2d}) = \nu_0, \qquad
// \mathrm{E}\,|q_d k_d|^2 = \sigma_0^2.$$
//
// Theorem 3.3 states that then, for a Schwartz density,
//
// $$\liminf_{\delta \to \infty} \mathrm{Var}\, \mathrm{TAPA} \ge \sigma_0^2/2.$$
//
// The variance tends to $\mathrm{E}\, a^2/2$ with $a = q_A \cdot k_A/\sqrt{d_A}$. The printed proof
// puts $\mathrm{E} (q_A \cdot k_A)^2 = d_A \sigma_0^2$, which drops the cross terms $\mathrm{E}\,
// q_i k_i q_j k_j$. Nothing in the assumption keeps them from being negative. This notebook makes
// them so, checks every hypothesis in rational arithmetic, and looks at the variance in three ways.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <random>

#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "proofs-check/activation_heads.hpp"
#include "proofs-check/rational_covariance.hpp"
#include "proofs-check/theorem_3_3.hpp"
#include "proofs-check/theorem_3_3_activations.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// %% [markdown]
// ## The density
//
// Amplitude coordinates come in blocks of two. With $x, u, e, e'$ independent standard Gaussians
// and $0 < r < 1$ a block has
//
// $$q = (x,\; r x + \sqrt{1 - r^2}\, e), \qquad k = (u,\; -r u + \sqrt{1 - r^2}\, e').$$
//
// Query and key are independent and every coordinate has variance 1, so that $\mathrm{E} (q_d
// k_d)^2 = 1$. But $q_0$ and $q_1$ go together while $k_0$ and $k_1$ go against each other:
// $\mathrm{E}\, q_0 k_0 q_1 k_1 = -r^2$. Hence $\mathrm{E}\, a^2 = 1 - r^2$, as small as one likes.

// %%
const std::string r = "0.96";
const std::size_t amplitude_dim = 4;
const auto covariance = opposed_blocks(amplitude_dim, r);
std::vector<std::vector<std::string>> shown;
for (std::size_t i = 0; i < covariance.size(); ++i) {
  shown.push_back({(i < amplitude_dim ? "q" : "k") + std::to_string(i % amplitude_dim)});
  shown.back().insert(shown.back().end(), covariance[i].begin(), covariance[i].end());
}
display_table({"Cov", "q0", "q1", "q2", "q3", "k0", "k1", "k2", "k3"}, shown);

// %% [markdown]
// ## The hypotheses, without rounding
//
// Sylvester's criterion for a positive definite covariance, the second moments by Isserlis'
// theorem, and the means that Assumption 2.1 is about, all as fractions of whole numbers.

// %%
const CovarianceFacts facts = rational_covariance_facts(covariance, amplitude_dim);
display_table({"what", "value"}, {{"smallest leading principal minor", facts.smallest_minor},
                                  {"E (q_d k_d)^2, d = 0", facts.pair_squares.front()},
                                  {"E A_d of the first pair", facts.pair_cosine_means.front()},
                                  {"E B_d of the first pair", facts.pair_sine_means.front()},
                                  {"E a^2", facts.amplitude_square + " = " +
                                                fraction_decimal(facts.amplitude_square)}});
require(facts.symmetric, "the covariance is symmetric");
require(facts.positive_definite, "and positive definite");
for (const std::string& square : facts.pair_squares) require(square == "1", "sigma_0^2 = 1");
for (const std::string& mean : facts.pair_cosine_means) require(mean == "0", "mu_0 = 0");
for (const std::string& mean : facts.pair_sine_means) require(mean == "0", "nu_0 = 0");
require(fraction_less(facts.amplitude_square, "1"), "E a^2 below sigma_0^2");

// %% [markdown]
// ## What the assumption is worth on a trained model
//
// The density above meets the assumption exactly, so it is a counterexample to the theorem as it is
// printed. Real queries and keys do not meet it: on the heads of the file in `tests/data`, over all
// pairs of tokens, $\mathrm{E} (q_d k_d)^2$ is far from one number for all $d$. And with
// $\sigma_0^2$ read as its average over $d$, the cross terms there are positive: the printed bound
// holds on those heads, for a reason that the theorem does not give. The counterexample says what
// can happen, not what does in this model.

// %%
const std::string file = "tests/data/qk.safetensors";
std::vector<std::vector<std::string>> heads;
std::size_t unequal = 0, positive = 0;
for (const ActivationHead& head : activation_heads(file)) {
  const TokenTable table = read_head(file, head);
  const std::size_t dA = table.head_dim / 2;
  double least = HUGE_VAL, most = 0;
  for (std::size_t d = 0; d < table.head_dim; ++d) {
    double q = 0, k = 0;  // over all pairs E (q_d k_d)^2 = E q_d^2 E k_d^2
    for (std::size_t t = 0; t < table.tokens; ++t) {
      q += std::pow(table.queries[t * table.head_dim + d], 2);
      k += std::pow(table.keys[t * table.head_dim + d], 2);
    }
    const double square = q * k / std::pow(static_cast<double>(table.tokens), 2);
    least = std::min(least, square);
    most = std::max(most, square);
  }
  const AmplitudeMoments moments = amplitude_moments(table, dA);
  unequal += most > 10 * least;
  positive += moments.cross_terms() >= 0;
  heads.push_back({head.name(), fmt::format("{:.1f}", most / least),
                   fmt::format("{:+.3f}", moments.cross_terms()),
                   fmt::format("{:.3f}", moments.square / moments.sigma_square)});
}
display_table({"head", "largest/smallest E (q_d k_d)^2", "cross terms", "E a^2/sigma_0^2"}, heads);
display_markdown(fmt::format(
    "On **{} of {}** heads the largest second moment is more than ten times the smallest, so that "
    "the assumption fails; on **{} of {}** the cross terms sum to at least 0.",
    unequal, heads.size(), positive, heads.size()));
require(unequal == heads.size(), "no head meets the assumption");

// %% [markdown]
// ## The variance
//
// A Gaussian density is Schwartz; the phase coordinates are independent standard Gaussians. The
// exact engine gives the variance at each distance from the full covariance of the sixteen numbers,
// Monte Carlo samples it, with intervals at a confidence of 0.999.

// %%
CurveTask task = curve_task("tapa:alpha=0.1", "gaussian", 8, "log:1:2^40:41");
task.density = {"opposed blocks, r = 0.96", with_independent_phases(covariance)};
const DistanceCurve exact = compute_curve(task);

CurveTask few = sampled(task, 400000, 0.999);
few.distances = parse_distances("log:1:2^40:9");
const DistanceCurve drawn = compute_curve(few);

const double printed_bound = 0.5;  // sigma_0^2/2, sigma_0^2 = 1
for (const CurvePoint& point : drawn.points) {
  require(overlap(*point.variance, *point_at(exact, point.distance).variance),
          "the exact variance is inside of the sampled interval");
  if (point.distance < 1000) continue;
  require(point.variance->error.upper.value() < printed_bound, "sampled: below the printed bound");
}
const Quantity last = *exact.points.back().variance;
require(last.error.upper.value() < printed_bound, "exact: below the printed bound");
display_markdown("At distance $2^{40}$ the variance is **" + last.estimate.decimal(10) +
                 "**, where the printed bound asks for at least **" +
                 fmt::format("{}", printed_bound) + "**.");

PlotOptions options;
options.title = "Variance of TAPA under opposed blocks";
options.scale = PlotScale::linear;
plot::Figure figure = curve_figure({exact, drawn}, PlotQuantity::variance, options);
figure.panels.front().rules.push_back({printed_bound, figure.legend.size()});
figure.legend.push_back({plot::LegendRow::Sample::rule, figure.legend.size(),
                         "sigma_0^2/2, the printed lower limit", false});
display_figure(figure);

// %% [markdown]
// ## The same in a few lines of plain C++
//
// A counterexample should not rest on the library that found it. This cell uses nothing of tapalab:
// the standard library's generator, the definition of the blocks and the definition of the score.

// %%
std::mt19937_64 generator(2025);
std::normal_distribution<double> normal;
const double rr = 0.96, rest = std::sqrt(1 - rr * rr);
const double scale = std::pow(2.0, 0.1 * 40);
const int samples = 200000;
double sum = 0, squares = 0, fourth = 0, pair_square = 0;
for (int i = 0; i < samples; ++i) {
  double a = 0, phase = 0;
  for (int block = 0; block < 2; ++block) {
    const double x = normal(generator), u = normal(generator);
    const double q1 = rr * x + rest * normal(generator), k1 = -rr * u + rest * normal(generator);
    a += (x * u + q1 * k1) / 2;  // sqrt(d_A) = 2
    pair_square += (x * x * u * u + q1 * q1 * k1 * k1) / 4;
  }
  for (int j = 0; j < 4; ++j) phase += normal(generator) * normal(generator) / 2;
  const double score = a * std::cos(2 * std::numbers::pi * scale * phase);
  sum += score;
  squares += score * score;
  fourth += score * score * score * score;
}
const double variance = squares / samples - sum / samples * (sum / samples);
const double error = std::sqrt((fourth / samples - variance * variance) / samples);
const double expected = (1 - rr * rr) / 2;
display_markdown(
    fmt::format("Variance {:.5f} $\\pm$ {:.5f} (one standard error) from {} samples; "
                "$(1 - r^2)/2$ = {:.5f}. The second moment of a coordinate's product, "
                "sampled as well: {:.3f}.",
                variance, error, samples, expected, pair_square / samples));
require(std::abs(variance - expected) < 4 * error, "plain C++ agrees");
require(variance + 10 * error < printed_bound, "plain C++ is below the printed bound");

// %% [markdown]
// ## What holds instead
//
// $\mathrm{Var} \to \mathrm{E}\, a^2/2$ whenever $\mathrm{E}\, a^2$ is finite and $\mathrm{E}\,
// e^{i t \phi} \to 0$: the limit is that of the amplitude, and the printed inequality holds if and
// only if the cross terms sum to at least 0. The excess over the limit falls as fast as the bias,
// at least like $\delta^{-\alpha d_P}$ for a Schwartz density (docs/theory/theorem-3.3.md).

// %%
const double limit = std::stod(fraction_decimal(facts.amplitude_square)) / 2;
require(std::abs(last.estimate.value() - limit) < 1e-3, "the variance tends to E a^2/2");
require(std::abs(limit - expected) < 1e-15, "E a^2 = 1 - r^2");
std::vector<std::vector<std::string>> excess;
for (const std::size_t i : {0u, 10u, 20u, 30u, 40u}) {
  const CurvePoint& point = exact.points[i];
  excess.push_back({std::to_string(point.distance), point.variance->estimate.decimal(8),
                    with_error(*point.variance_excess)});
}
display_table({"distance", "variance", "Var - E a^2/2"}, excess);
