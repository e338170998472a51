// %% [markdown]
// # Where RoPE's preference for near keys returns
//
// RoPE's mean score, with $\mu_0 = \mathrm{E} A_d$ and $\nu_0 = \mathrm{E} B_d$ the same for every
// pair of coordinates, is
//
// $$\frac{1}{\sqrt D}\, \mathrm{E}\, \mathrm{RoPE}(\delta) = \mu_0 C_D(\delta) + \nu_0
// S_D(\delta), \qquad C_D(\delta) = \frac1D \sum_{d < D/2} \cos 2 \pi \delta f_d,$$
//
// $f_d = b^{-2d/D}$, with angles in turns as in the paper's eq. 3. Theorem 2.2 reads: for small
// $1/b$, if $1 < \delta < b^{1/4}/8$ and $\delta' > b$, then the mean at $\delta$ exceeds that at
// $\delta'$ by more than $|\mu_0|/8$ (over $\sqrt D$), for large $D$. Near keys are preferred, and
// all far ones are alike.
//
// $C_D$ is a finite sum of cosines, hence almost periodic: whatever value it has had, it comes near
// again, for ever. With one $D$ for all $\delta'$ the statement cannot hold. The question is when
// it fails, and whether a text can be that long.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "analysis/plot/curve_plot.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "proofs-check/rope_gap.hpp"
#include "proofs-check/rope_independence.hpp"
#include "proofs-check/rope_long.hpp"
#include "proofs-check/rope_sums.hpp"
#include "proofs-check/theorem_2_1.hpp"
#include "proofs-check/theorem_2_2.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// %% [markdown]
// ## The smallest failure, by exhaustive scan
//
// For the base 500,000 of several models and $D = 64$ the hypothesis allows a few near distances.
// The scan takes the weakest of them and passes over a far distance only where a bound on $C_D$,
// rounding included, rules it out; what it stops at is decided in ball arithmetic.

// %%
const RopeSetting setting{"500000", 64, AngleUnit::turns};
std::string near_list;
for (const std::uint64_t d : near_distances(setting.base)) {
  near_list += (near_list.empty() ? " " : ", ") + std::to_string(d);
}
const std::uint64_t near = weakest_near_distance(setting).value();
GapScan scan;
scan.setting = setting;
scan.near_distance = near;
scan.first = 500001;
scan.last = 700000;
const std::uint64_t far = smallest_gap_violation(scan).value();
const Ball gap = rope_cosine_mean_ball(setting, near) - rope_cosine_mean_ball(setting, far);
display_markdown("Near distances of the hypothesis:" + near_list + ". The first far distance at " +
                 "which the gap from distance " + std::to_string(near) + " is too small is **" +
                 std::to_string(far) + "** tokens: the gap is **" + gap.midpoint(6) +
                 "** and should exceed 0.125.");
require(certainly_less(gap, Ball::decimal("0.125", 128)), "the gap is certainly below 1/8");

// %% [markdown]
// The sum has $D/2$ terms and can be written down. In double precision, from the definition, with
// nothing of tapalab:

// %%
const auto plain_cosine_mean = [](std::uint64_t distance) {
  double sum = 0;
  for (int d = 0; d < 32; ++d) {
    const double turns = static_cast<double>(distance) * std::pow(500000.0, -2.0 * d / 64);
    sum += std::cos(2 * std::numbers::pi * (turns - std::round(turns)));
  }
  return sum / 64;
};
display_table({"distance", "C_D, plain", "C_D, certified"},
              {{std::to_string(near), fmt::format("{:.9f}", plain_cosine_mean(near)),
                rope_cosine_mean_ball(setting, near).midpoint(9)},
               {std::to_string(far), fmt::format("{:.9f}", plain_cosine_mean(far)),
                rope_cosine_mean_ball(setting, far).midpoint(9)}});
const double plain_gap = plain_cosine_mean(near) - plain_cosine_mean(far);
require(std::abs(plain_gap - static_cast<double>(gap.midpoint_wide())) < 1e-8,
        "plain doubles agree with the certificate");

// %% [markdown]
// ## The curve
//
// A Gaussian with correlation 1/2 has $\mu_0 = 1$ and $\nu_0 = 0$, so that its mean is $\sqrt D\,
// C_D$. The statement asks the curve to stay below the dashed line at every distance beyond $b$; at
// the large marker it does not.

// %%
const CurveTask task =
    curve_task("rope:base=500000,angle=turns,pairing=adjacent", "gaussian:rho=0.5", 64,
               fmt::format("log:1:500000:100,{},log:600000:1e8:60", far));
const DistanceCurve curve = compute_curve(task);
const double root = std::sqrt(64.0);
const double threshold = root * (plain_cosine_mean(near) - 0.125);
PlotOptions options;
options.title = "Mean of RoPE, base 500,000, D = 64, angles in turns";
plot::Figure figure = curve_figure({curve}, PlotQuantity::bias, options);
figure.panels.front().rules.push_back({threshold, 1});
figure.legend.push_back({plot::LegendRow::Sample::rule, 1,
                         fmt::format("mean at distance {} less sqrt(D)/8", near), false});
plot::Series mark;
mark.style = 1;
mark.sampled = true;  // a larger marker
mark.connected = false;
const double mean_there = point_at(curve, far).mean->estimate.value();
mark.marks.push_back({std::log10(static_cast<double>(far)), mean_there, mean_there, mean_there});
figure.panels.front().series.push_back(mark);
figure.caption.push_back(fmt::format("Large marker: distance {}.", far));
display_figure(figure);
require(mean_there > threshold, "the exact engine is above the threshold as well");

// %% [markdown]
// ## With the far distance fixed, the theorem holds
//
// As $D$ grows with $b$ and the distances fixed, $C_D$ is a Riemann sum, and tends to
//
// $$\frac{\mathrm{Ci}(2 \pi \delta) - \mathrm{Ci}(2 \pi \delta/b)}{2 \ln b}.$$
//
// At the very distance that broke the gap above, the gap recovers for larger heads:

// %%
const Ball limit_gap = rope_cosine_limit(setting, near) - rope_cosine_limit(setting, far);
std::vector<std::vector<std::string>> rows;
for (const std::uint32_t head_dim : {64u, 128u, 256u, 1024u, 4096u}) {
  const RopeSetting larger{setting.base, head_dim, setting.angle};
  const Ball value = rope_cosine_mean_ball(larger, near) - rope_cosine_mean_ball(larger, far);
  rows.push_back({std::to_string(head_dim), value.midpoint(6)});
}
rows.push_back({"limit", limit_gap.midpoint(6)});
display_table({"D", fmt::format("gap between {} and {}", near, far)}, rows);
require(certainly_less(Ball::decimal("0.125", 128), limit_gap),
        "the limit of the gap is above 1/8");

// %% [markdown]
// ## Every value comes back: Theorem 2.1
//
// Where the frequencies are rationally independent, $\frac{2}{\sqrt D} \mathrm{E}\, \mathrm{RoPE}$
// comes near every value in $[-r, r]$, $r^2 = \mu_0^2 + \nu_0^2$. Whether they are is a
// question about whole numbers: $b^{2d/D}$, $d < D/2$, are independent if and only if the degree of
// $b^{2/D}$ is $D/2$.

// %%
std::vector<std::vector<std::string>> independence;
for (const char* base : {"10000", "500000", "1000000", "10000000"}) {
  const std::uint64_t rank = independent_rank(parse_radical_base(base), 64);
  independence.push_back({base, std::to_string(rank), rank == 64 ? "independent" : "dependent"});
  require(rank == degree_by_factoring(base, "1", 64), "the degree, by factoring a polynomial");
}
display_table({"base", "degree of b^(2/D), D = 128", "frequencies"}, independence);

// %% [markdown]
// The proof is constructive through lattice reduction: for a wanted value $\gamma$ it finds a whole
// number at which all phases stand where they should. How many digits it has grows with the number
// of pairs. The value is certified by balls and computed again in 1024-bit arithmetic that shares
// nothing with them.

// %%
const RopeSetting small{"500000", 16, AngleUnit::turns};
std::vector<std::vector<std::string>> reached;
for (const char* gamma : {"-0.7", "0", "0.9"}) {
  const std::string distance = distance_reaching(small, "0", gamma);
  const Ball value = rope_sums_at(small, distance).cosine * 2;
  const std::string again = rope_mean_long(small, "0", distance);
  reached.push_back({gamma, distance, value.midpoint(8)});
  require(certainly_less(abs(value - Ball::decimal(gamma, 192)), Ball::decimal("0.05", 192)),
          "the value is reached");
  require(certainly_less(abs(value - Ball::decimal(again, 192)), Ball::decimal("1e-20", 192)),
          "the long arithmetic agrees");
}
display_table({"wanted", "distance", "2/(sqrt(D) r) E RoPE"}, reached);
display_markdown(
    fmt::format("With $D = {}$ such distances have up to {} digits: beyond any text, "
                "unlike the failure at {} tokens.",
                small.head_dim, reached.back()[1].size(), far));
