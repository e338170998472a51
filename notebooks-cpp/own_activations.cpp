// %% [markdown]
// # Your own activations
//
// Queries and keys of a trained model are no Gaussians with equal moments. A file of them is a
// density as well: the *empirical* one, in which each pair of a query token and a key token has the
// same probability. This notebook takes the file in `tests/data`, from a small language model that
// was trained with RoPE, and puts the pairs at every distance: the curves say what encodings do to
// these vectors, not what a model trained with another encoding would have learnt.

// %% tags=["global"]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/empirical_moments.hpp"
#include "analysis/inspect_file.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

const std::string kFile = "tests/data/qk.safetensors";

std::string tokens_of(int layer, const std::string& further = "") {
  return fmt::format("empirical:file={},q=layers.{}.q,k=layers.{}.k,head=0{}", kFile, layer, layer,
                     further);
}

// %% [markdown]
// ## What the file holds
//
// Any `.safetensors` file with a tensor of queries and one of keys will do, as will two `.npy`
// files of tokens by coordinates. Shapes are heads, tokens, coordinates.

// %%
std::vector<std::vector<std::string>> tensors;
for (const TensorReport& tensor : inspect_file(kFile).tensors) {
  std::string shape;
  for (const std::uint64_t size : tensor.shape)
    shape += (shape.empty() ? "" : " x ") + std::to_string(size);
  const ValueReport values = tensor.values.value();
  tensors.push_back({tensor.name, tensor.dtype, shape, fmt::format("{:.3f}", *values.min),
                     fmt::format("{:.3f}", *values.max), std::to_string(values.nan)});
  require(values.nan == 0 && values.infinite == 0, "all values are finite");
}
display_table({"tensor", "type", "shape", "least", "largest", "NaN"}, tensors);

// %% [markdown]
// ## The bias of RoPE and TAPA
//
// Layer 3, head 0. For RoPE the sum over all pairs of tokens has a short form, and each distance
// costs next to nothing. TAPA needs a cosine for every pair at every distance. Either way the
// estimate is the exact average over the file's pairs. The band is a block bootstrap over the
// tokens: what another stretch of the same text might have given.

// %%
const DistanceCurve rope =
    compute_curve(curve_task("rope:base=10000,pairing=half", tokens_of(3), 64, "log:1:2^20:64"));
const DistanceCurve tapa =
    compute_curve(curve_task("tapa:alpha=0.1", tokens_of(3), 64, "1,16,256,4096,65536,2^20"));
display_figure(curve_figure({rope, tapa}, PlotQuantity::bias));

// %%
const auto by_mean = [](const CurvePoint& a, const CurvePoint& b) {
  return a.mean->estimate.value() < b.mean->estimate.value();
};
const CurvePoint lowest = *std::min_element(rope.points.begin(), rope.points.end(), by_mean);
const CurvePoint highest_far =
    *std::max_element(rope.points.begin() + 32, rope.points.end(), by_mean);
const auto unresolved =
    std::count_if(tapa.points.begin(), tapa.points.end(),
                  [](const auto& point) { return point.status == Status::unresolved; });
display_markdown(fmt::format(
    "RoPE gives neighbours {:.1f} logits on average, keys at distance {} a mean of {:.1f}, and "
    "keys "
    "at distance {} again {:.1f}. TAPA's mean cannot be told from 0 at {} of {} distances.",
    rope.points.front().mean->estimate.value(), lowest.distance, lowest.mean->estimate.value(),
    highest_far.distance, highest_far.mean->estimate.value(), unresolved, tapa.points.size()));
require(rope.points.front().mean->error.lower.value() > 0, "RoPE prefers neighbours");
require(lowest.mean->error.upper.value() < 0, "and disfavours some middle distance");
require(highest_far.mean->error.lower.value() > 0, "and prefers some far one");

// %% [markdown]
// ## The same by hand
//
// Over all pairs of tokens a query coordinate and a key coordinate are independent, so that
// $\mathrm{E}\, q_i k_j = \bar q_i \bar k_j$. That is enough for RoPE's mean, in its per-pair form
//
// $$\frac{1}{\sqrt D} \sum_{d < D/2} (\mu_d \cos \delta f_d + \nu_d \sin \delta f_d),$$
//
// with $\mu_d = \bar q_d \bar k_d + \bar q_{d'} \bar k_{d'}$, $\nu_d = \bar q_d \bar k_{d'} - \bar
// q_{d'} \bar k_d$ and $d' = d + D/2$: this model pairs the halves of its heads.

// %%
const Density density = parse_density(tokens_of(3));
const TokenTable& table = *std::get<EmpiricalDensity>(density.law).table;
const std::size_t head_dim = table.head_dim, half = head_dim / 2;
std::vector<double> q(head_dim, 0.0), k(head_dim, 0.0);
for (std::size_t token = 0; token < table.tokens; ++token) {
  for (std::size_t i = 0; i < head_dim; ++i) {
    q[i] += table.queries[token * head_dim + i] / static_cast<double>(table.tokens);
    k[i] += table.keys[token * head_dim + i] / static_cast<double>(table.tokens);
  }
}
std::vector<std::vector<std::string>> by_hand;
for (const std::size_t index : {std::size_t{0}, std::size_t{20}, std::size_t{40}}) {
  const CurvePoint& point = rope.points[index];
  double sum = 0;
  for (std::size_t d = 0; d < half; ++d) {
    const double frequency = std::pow(10000.0, -2.0 * static_cast<double>(d) / 64);
    const double angle = static_cast<double>(point.distance) * frequency;
    sum += (q[d] * k[d] + q[d + half] * k[d + half]) * std::cos(angle) +
           (q[d] * k[d + half] - q[d + half] * k[d]) * std::sin(angle);
  }
  sum /= std::sqrt(static_cast<double>(head_dim));
  by_hand.push_back({std::to_string(point.distance), fmt::format("{:.10f}", sum),
                     point.mean->estimate.decimal(11)});
  require(std::abs(sum - point.mean->estimate.value()) < 1e-9, "the mean by hand");
}
display_table({"distance", "by hand", "computed"}, by_hand);

// %% [markdown]
// ## Assumption 2.1
//
// The paper's statements about RoPE take $\mu_d$, $\nu_d$ and the second moments to be the same for
// every pair $d$. On trained activations they are not. For layer 7, with intervals of the block
// bootstrap:

// %%
const Density last_layer = parse_density(tokens_of(7));
const EmpiricalMoments moments =
    empirical_moments(*std::get<EmpiricalDensity>(last_layer.law).table, {});
const auto smaller = [](const MomentEstimate& a, const MomentEstimate& b) {
  return a.estimate < b.estimate;
};
const auto [least, most] = std::minmax_element(moments.mu.begin(), moments.mu.end(), smaller);
const auto interval = [](const MomentEstimate& moment) {
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", moment.estimate, moment.lower, moment.upper);
};
display_table({"over all pairs of tokens", "estimate and interval"},
              {{"smallest mu_d", interval(*least)},
               {"largest mu_d", interval(*most)},
               {"largest/smallest E (q_i k_i)^2, coordinates", interval(moments.coordinate_ratio)},
               {"largest/smallest E A_d^2, pairs", interval(moments.pair_ratio)}});
require(least->upper < most->lower, "mu_d differs between pairs beyond its intervals");
require(moments.coordinate_ratio.lower > 10, "second moments differ by more than a factor of ten");

// %% [markdown]
// ## Which pairs
//
// All pairs of tokens are one choice. In causal attention a query sees the keys before it only
// (`pairs=causal`), and the pairs that really stand at a distance in the text are fewer still
// (`pairs=at-distance`). `bandwidth=h` adds Gaussian noise of that size to every coordinate, which
// makes the density Schwartz, as Theorem 3.2 wants it.

// %%
std::vector<std::vector<std::string>> rules;
for (const std::string rule : {"all", "causal", "at-distance"}) {
  const DistanceCurve curve = compute_curve(
      curve_task("rope:base=10000,pairing=half", tokens_of(3, ",pairs=" + rule), 64, "1,100,1000"));
  std::vector<std::string> row = {rule};
  for (const CurvePoint& point : curve.points) row.push_back(with_error(*point.mean, 3));
  rules.push_back(row);
}
display_table({"pairs", "distance 1", "100", "1000"}, rules);
