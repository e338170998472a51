// %% [markdown]
// # First steps
//
// A *positional encoding* of attention turns the score of a query $q$ at position $m$ and a key $k$
// at position $n$ into a function of the distance $\delta = |m - n|$ as well. tapalab takes $q$ and
// $k$ as random vectors with a joint density and asks what is left when the vectors are averaged
// out: the mean of the score, which is the preference that the encoding has for one distance over
// another whatever the tokens say (its *bias*), and the variance, which is the room that the tokens
// have to say something.
//
// Two encodings stand for the rest. *RoPE* rotates the coordinates of each pair $d$ by an angle
// proportional to the distance,
//
// $$\frac{1}{\sqrt D} \sum_{d < D/2} \left(A_d \cos \delta f_d + B_d \sin \delta f_d\right),
// \qquad f_d = b^{-2d/D},$$
//
// with $A_d = q_{2d} k_{2d} + q_{2d+1} k_{2d+1}$ and $B_d = q_{2d} k_{2d+1} - q_{2d+1} k_{2d}$.
// *TAPA* leaves the choice of the frequency to the tokens: half of the coordinates make an
// amplitude, the other half a phase,
//
// $$\frac{q_A \cdot k_A}{\sqrt{d_A}}
// \cos\left(2 \pi \delta^\alpha \frac{q_P \cdot k_P}{\sqrt{d_P}}\right).$$

// %% tags=["global"]
#include "analysis/experiment.hpp"
#include "analysis/plot/curve_plot.hpp"
#include "analysis/writers/table.hpp"
#include "notebooks-cpp/tool/curves.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"
#include "proofs-check/ball_curve.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

// %% [markdown]
// ## An experiment is four texts
//
// Encoding, density, head dimension and distances, each in the words of the command line. Numbers
// in them are exact decimals: `alpha=0.1` is one tenth, not the double next to it. The density here
// is a joint Gaussian in which coordinate $i$ of the query has correlation $\rho$ with coordinate
// $i$ of the key, and all else is independent.

// %%
CurveTask task;
task.encoding = parse_encoding("tapa:alpha=0.1");
task.density = parse_density("gaussian:rho=0.25");
task.head_dim = 128;
task.distances = parse_distances("0,1,10,1000,1000000,2^40");

const EngineChoice choice = choose_engine(task);
display_markdown("Engine *" + std::string(to_string(choice.engine)) + "*; " + choice.reason + ".");
const DistanceCurve tapa = compute_curve(task);
std::printf("%s", curves_table({tapa}, TableQuantities::all).c_str());

// %% [markdown]
// The engine was chosen from the specification alone. A joint Gaussian has a closed form: with the
// amplitude $a$ and $\Phi_1(t) = \mathrm{E}\, a e^{i t \phi}$, the mean is
// $\mathrm{Re}\, \Phi_1(2 \pi \delta^\alpha)$ and the *envelope* is $|\Phi_1|$. The mean passes
// through zero, the envelope does not, so that accuracy is stated relative to the envelope.
//
// Means this small are why results are numbers with an exponent of their own and not doubles:

// %%
const Quantity far = *point_at(tapa, std::uint64_t{1} << 40).mean;
display_markdown("At distance $2^{40}$ the mean is **" + far.estimate.decimal(17) +
                 "**, known to within " + far.error.absolute.decimal(2, Rounding::up) +
                 ". The largest over these distances is " +
                 point_at(tapa, 0).mean->estimate.decimal(3) +
                 ", at distance 0, where the phase is 0 and the score is the amplitude.");

// %% [markdown]
// ## No number without its error
//
// A result says how wide its error is and of what kind: `rounding` (a running bound on a closed
// form), `quadrature`, `confidence` (a statistical interval) or `ball`. The last is a certificate:
// interval arithmetic from the decimals of the specification, which shares no number with the
// closed form. The two intervals must meet at every distance; this notebook fails if they do not.

// %%
CurveTask certified = task;
certified.engine = Engine::ball;
certified.certify = ball_curve;
const DistanceCurve balls = compute_curve(certified);
std::vector<std::vector<std::string>> rows;
for (const CurvePoint& point : balls.points) {
  const CurvePoint& exact = point_at(tapa, point.distance);
  rows.push_back(
      {std::to_string(point.distance), with_error(*exact.mean), with_error(*point.mean)});
  require(overlap(*exact.mean, *point.mean), "the exact mean meets the certified one");
  require(overlap(*exact.variance, *point.variance), "so does the variance");
}
display_table({"distance", "exact", "certified"}, rows);

// %% [markdown]
// Sampling is the third way. With 64 phase coordinates the mean is far too small for it: the
// standard error falls as $n^{-1/2}$, and no affordable $n$ makes it small enough. With two phase
// coordinates the mean can be seen. Intervals are asked for at a confidence of 0.999, and the exact
// mean must lie in each of them.

// %%
const CurveTask small = curve_task("tapa:alpha=0.1", "gaussian:rho=0.5", 4, "0,1,4,16,64");
const DistanceCurve closed = compute_curve(small);
const DistanceCurve drawn = compute_curve(sampled(small, 400000, 0.999));
std::printf("%s\n%s", curves_table({closed}, TableQuantities::mean).c_str(),
            curves_table({drawn}, TableQuantities::mean).c_str());
for (const CurvePoint& point : drawn.points) {
  require(overlap(*point.mean, *point_at(closed, point.distance).mean),
          "the exact mean is inside of the sampled interval");
}

// %% [markdown]
// ## A figure
//
// The same curve beside RoPE's. RoPE's means are of one size and change sign, TAPA's fall over
// dozens of decades, so that each has a panel of its own; filled markers are positive values and
// hollow ones negative. The caption says what was computed and what is drawn.

// %%
const DistanceCurve tapa_curve =
    compute_curve(curve_task("tapa:alpha=0.1", "gaussian:rho=0.25", 128, "log:1:2^40:41"));
const DistanceCurve rope_curve =
    compute_curve(curve_task("rope:base=500000", "gaussian:rho=0.25", 128, "log:1:2^40:81"));
display_figure(curve_figure({tapa_curve, rope_curve}, PlotQuantity::bias));

// %%
std::size_t fallen = 0, above_one = 0, negative = 0;
for (const CurvePoint& point : tapa_curve.points) fallen += point.mean->estimate.log10_abs() < -6;
for (const CurvePoint& point : rope_curve.points) {
  above_one += point.mean->estimate.value() > 1;
  negative += point.mean->estimate.sign() < 0;
}
display_markdown("TAPA's mean is below $10^{-6}$ at " + std::to_string(fallen) + " of " +
                 std::to_string(tapa_curve.points.size()) +
                 " distances from 1 to $2^{40}$. RoPE's is above 1 at " +
                 std::to_string(above_one) + " of " + std::to_string(rope_curve.points.size()) +
                 ", all of them near, and negative at " + std::to_string(negative) + ", all far.");
require(fallen == tapa_curve.points.size(), "TAPA's bias is spent from distance 1 on");
for (const CurvePoint& point : rope_curve.points) {
  const double mean = point.mean->estimate.value();
  require(mean <= 1 || point.distance < 10000, "RoPE prefers near keys");
  require(mean >= 0 || point.distance > 10000, "RoPE's mean changes sign far away alone");
}

// %% [markdown]
// The other notebooks take one question each: how fast the bias falls, what is left of the
// variance, when the theorem about the decay is sharp, where a theorem fails, at which distances
// RoPE's preference returns, how far low precision can be trusted, and how to ask all this of your
// own density and your own activations.
