// %% [markdown]
// # Precision at a million tokens
//
// A positional encoding turns a distance into an angle, and low precision leaves less of an angle
// the larger the distance is: what is kept are leading digits, what matters is the fraction of a
// turn. This notebook runs the arithmetic of attention kernels in fp32, bf16 and fp16, one
// correctly rounded operation after the other, beside a reference that loses nothing, and asks up
// to which distance a phase can be trusted.

// %% tags=["global"]
#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "analysis/crosscheck/figure.hpp"
#include "analysis/crosscheck/rounding.hpp"
#include "analysis/crosscheck/scores.hpp"
#include "notebooks-cpp/tool/figure.hpp"
#include "notebooks-cpp/tool/notebook.hpp"

using namespace tapalab;
using namespace tapalab::notebook;

CrosscheckTask kernel(const std::string& encoding, FloatFormat dtype) {
  CrosscheckTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density("gaussian:rho=0.25");
  task.head_dim = 128;
  task.distances = parse_distances("1,16,256,4096,65536,2^20");
  task.dtype = dtype;
  task.precisions = preset(dtype);
  task.samples = 200;
  task.horizon = 0.01;
  return task;
}

std::string horizon_text(const Horizon& horizon) {
  if (!horizon.safe) return "none";
  return horizon.next ? std::to_string(*horizon.safe) : "2^63-1";
}

// %% [markdown]
// ## Positions are rounded first
//
// bf16 has 8 significant bits. A position id made in it is a whole number up to 256 and a rounded
// one afterwards; fp16, with 11 bits, keeps them up to 2048, and fp32 up to $2^{24}$.

// %%
std::vector<std::vector<std::string>> positions;
for (const FloatFormat format : {FloatFormat::bf16, FloatFormat::f16, FloatFormat::f32}) {
  std::uint64_t first = 1;
  while (round_to(format, static_cast<double>(first)) == static_cast<double>(first)) ++first;
  positions.push_back({std::string(precision_name(format)), std::to_string(first),
                       fmt::format("{}", round_to(format, static_cast<double>(first)))});
  require(first == (std::uint64_t{1} << limits_of(format).digits) + 1,
          "whole numbers are kept up to two to the number of significant bits");
}
display_table({"type", "first position not kept", "becomes"}, positions);

// %% [markdown]
// A rotary table in fp16 at position 1857, pair 1 of a head of 32 with base 10,000: the angle is
// $1857 \cdot 10000^{-1/16}$ radians, and the nearest fp16 number is this far from it. It is a
// fault that was met in practice.

// %%
const double angle = 1857 * std::pow(10000.0, -1.0 / 16);
const double stored =
    round_to(FloatFormat::f16, 1857 * round_to(FloatFormat::f16, std::pow(10000.0, -1.0 / 16)));
display_markdown(
    fmt::format("Angle {:.4f}, in fp16 {}; cosine {:.4f}, from the stored angle "
                "{:.4f}: **off by {:.2f}**.",
                angle, stored, std::cos(angle), std::cos(stored),
                std::abs(std::cos(angle) - std::cos(stored))));
require(std::abs(std::cos(angle) - std::cos(stored)) > 0.1, "the cosine is of no use");

// %% [markdown]
// ## The horizon
//
// `check_scores` draws queries and keys, computes scores as a kernel does with all its roundings,
// and compares. For each distance it gives the largest phase error seen, a running bound on it, and
// the *horizon*: the largest distance up to which no phase can be off by more than a hundredth of a
// turn. The bound must never be below what is seen.

// %%
const std::vector<std::string> encodings = {"rope:base=500000", "tapa:alpha=0.1",
                                            "tapa:alpha=0.1,law=linear"};
std::vector<ScoreCheck> checks;
std::vector<std::vector<std::string>> rows;
for (const FloatFormat dtype : {FloatFormat::f32, FloatFormat::bf16, FloatFormat::f16}) {
  for (const std::string& encoding : encodings) {
    const ScoreCheck check = check_scores(kernel(encoding, dtype));
    for (const CrosscheckPoint& point : check.points) {
      // 65536 and above are infinite in fp16
      const bool lost = dtype == FloatFormat::f16 && point.distance >= 65536;
      require(point.score.non_finite == (lost ? check.samples : 0), "scores are finite");
      require(lost || point.holds, "no error of a score above its bound");
      require(point.phase_error <= point.phase_bound, "no phase error above its bound");
    }
    const CrosscheckPoint& last = check.points.back();
    rows.push_back({encoding, std::string(precision_name(dtype)),
                    fmt::format("{:.2e}", check.points.front().phase_error),
                    fmt::format("{:.2e}", last.phase_error), std::to_string(last.score.non_finite),
                    horizon_text(check.horizon.value())});
    checks.push_back(check);
  }
}
display_table({"encoding", "type", "turns off at 1", "at 2^20", "not finite at 2^20", "horizon"},
              rows);

// %%
display_figure(crosscheck_figure(checks));

// %% [markdown]
// The power law of TAPA takes a million tokens to a phase scale of four, and its phase error grows
// by no more than about that. In fp32 it is safe at every distance there is. In bf16 it is not safe
// at any: the phase $q_P \cdot k_P/\sqrt{d_P}$ itself has lost its last bits before the distance
// comes in. RoPE and the linear law multiply by the distance itself, and end where the table says.
// fp16 ends altogether: beyond its largest number positions are infinite.
//
// What decides is the type of positions and angles, not that of queries and keys: with io in bf16
// and angles in fp32, as most kernels have it, RoPE's horizon is that of fp32.

// %%
CrosscheckTask mixed = kernel("rope:base=500000", FloatFormat::bf16);
mixed.precisions.phase = mixed.precisions.table = mixed.precisions.trig = FloatFormat::f32;
const ScoreCheck mixed_check = check_scores(mixed);
const auto safe = [](const ScoreCheck& check) { return check.horizon->safe.value_or(0); };
display_markdown(fmt::format(
    "RoPE's horizon: {} tokens in fp32, {} in bf16, and {} in bf16 with "
    "angles in fp32. The largest number of fp16 is {}.",
    safe(checks[0]), safe(checks[3]), safe(mixed_check), limits_of(FloatFormat::f16).largest));
require(safe(mixed_check) == safe(checks[0]), "the horizon is that of the angles");
require(safe(checks[3]) < 100 && safe(checks[0]) > 100000, "bf16 angles end early, fp32 late");
const auto growth = [](const ScoreCheck& check) {
  return check.points.back().phase_error / check.points.front().phase_error;
};
require(growth(checks[1]) < 8 && growth(checks[4]) < 8, "TAPA's phase error grows like its scale");
require(!checks[1].horizon->next, "in fp32 it is safe at every distance");
require(!checks[4].horizon->safe, "in bf16 at none");

// %% [markdown]
// ## Relative positions
//
// A score should depend on $m - n$ alone. In exact arithmetic RoPE's does; with rounded positions,
// $\mathrm{score}(m + c, n + c)$ differs from $\mathrm{score}(m, n)$, and the more so the larger
// the offset $c$ is.

// %%
std::vector<std::vector<std::string>> shifts;
std::vector<double> by_type;
for (const FloatFormat dtype : {FloatFormat::f32, FloatFormat::bf16}) {
  CrosscheckTask task = kernel("rope:base=500000", dtype);
  task.distances = parse_distances("16");
  task.offsets = {0, 1024, 1048576};
  task.horizon.reset();
  const ScoreCheck check = check_scores(task);
  for (const CrosscheckPoint& point : check.points) {
    shifts.push_back({std::string(precision_name(dtype)), std::to_string(point.offset),
                      fmt::format("{:.2e}", point.shift.value())});
    by_type.push_back(point.shift.value());
  }
}
display_table({"type", "offset c", "largest difference of scores"}, shifts);
require(by_type[0] == 0 && by_type[3] == 0, "no offset, no difference");
require(by_type[2] > by_type[1] && by_type[5] > by_type[4], "the difference grows with the offset");
require(by_type[4] > by_type[1], "and is larger in bf16");
