// Parts of sampled experiments as JSON, and their sum.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analysis/experiment_spec.hpp"
#include "analysis/sampling_run.hpp"

namespace tapalab {

/// {"schema":"tapalab/shard/1", "provenance", "experiment", "shard", "identity", "curves"}: the
/// experiment as in a result, what parts must share (analysis/checkpoint.hpp), and of each curve
/// its specification and its samples: `ranges` in the order of `tasks`, empty for curves that are
/// not sampled.
nlohmann::ordered_json shard_json(const ExperimentSpec& completed,
                                  const std::vector<CurveTask>& tasks, Shard shard,
                                  const std::vector<SampleRange>& ranges,
                                  const nlohmann::ordered_json& provenance);

/// One shard file: its name for messages, and what it holds.
struct ShardText {
  std::string name;
  std::string text;
};

struct MergedShards {
  ExperimentSpec experiment;  ///< completed
  std::vector<DistanceCurve> curves;
};

/// What the experiment gives in one run, to the last bit. Curves that are not sampled are computed
/// here. Throws InputError where a text is not a shard or is damaged, where two belong to different
/// experiments, and where samples are in none of them or in two.
MergedShards merge_shards(const std::vector<ShardText>& shards, unsigned threads);

}  // namespace tapalab
