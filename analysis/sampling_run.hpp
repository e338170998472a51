// A sampled curve in steps: which samples, on how many processes, from where, and what is saved
// meanwhile. The curve depends on the samples alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/ranks.hpp"

namespace tapalab {

/// Part `index` (from 1) of `count` of the samples of every curve.
struct Shard {
  std::uint64_t index = 1;
  std::uint64_t count = 1;
};

/// "2/3". Throws InputError.
Shard parse_shard(const std::string& text);

/// Samples begin .. begin + done - 1 of a range that ends before `end`; begin is a multiple of
/// kBlockSamples. `done` is a multiple of it as well until it reaches the end.
struct SampleRange {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t done = 0;
  SamplingState state;
};

/// The samples of that part, none of them drawn: whole blocks, of equal number up to one; all parts
/// together are samples 0 .. samples - 1. A part is empty where there are more parts than blocks.
SampleRange shard_range(std::uint64_t samples, Shard shard);

/// Gets what is known so far, on rank 0, before each round of about a quarter of a second; `last`
/// when no round follows.
using SaveSamples = std::function<void(const SampleRange&, bool last)>;

/// Draws the samples of the shard, from `start` on where it is set, with all ranks (nullptr:
/// alone). Without a shard (count 1) it stops early at the first look that meets the tolerances.
/// Rank 0 gets the samples, others an empty range. Throws InputError on every rank for options out
/// of range, for tolerances together with shards and as ScoreSampler::add; Interrupted
/// (sim/interrupt .hpp), after a last `save`, on every rank where a signal reached any.
SampleRange sample_range(const CurveTask& task, Shard shard, const SaveSamples& save,
                         const SampleRange* start, const Ranks* ranks = nullptr);

/// The curve that these samples, 0 .. samples - 1, give.
DistanceCurve sampled_curve(const CurveTask& task, const SamplingState& state,
                            std::uint64_t samples);

/// Sample counts at which a run may stop: the whole run, and with a tolerance its halvings down to
/// 8192, rounded up to whole blocks, so that a stopped run is the beginning of a longer one.
std::vector<std::uint64_t> sampling_looks(const SamplingOptions& sampling);

/// Throws InputError where mc cannot sample the task.
ScoreSampler make_sampler(const CurveTask& task);

/// Throws InputError for what the engine that draws this task's samples would refuse, before a
/// device is asked for; tasks that draw none pass.
void check_samples(const CurveTask& task);

/// Whether the task's samples are those of sample_range: by mc, and by gpu without a conditional
/// estimator. Throws as choose_engine.
bool draws_samples(const CurveTask& task);

/// Adds samples begin .. end-1 to a state, as ScoreSampler::add.
using AddSamples =
    std::function<void(std::uint64_t begin, std::uint64_t end, SamplingState& state)>;

/// The samples of the engine gpu, drawn and summed on task.device. Throws UnavailableError where
/// there is none, or it does not draw; InputError as make_sampler.
AddSamples device_samples(const CurveTask& task);

/// Which of the device's kernels that is, and what the host does: for --explain.
std::string device_kernel_text(const CurveTask& task);

/// What a change of the device's arithmetic raises: parts of two such versions do not belong
/// together.
inline constexpr std::uint32_t kDeviceArithmetic = 2;

}  // namespace tapalab
