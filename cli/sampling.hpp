// --shard, --checkpoint and MPI ranks: where the samples of an experiment come from.
#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/checkpoint.hpp"
#include "analysis/sampling_run.hpp"
#include "cli/options.hpp"
#include "sim/ranks.hpp"

namespace tapalab::cli {

struct SamplingFlags {
  std::optional<std::string> shard, checkpoint;
};
void add_sampling_options(CLI::App& app, SamplingFlags& flags);

class SamplingSession {
 public:
  /// Joins the ranks, and opens the checkpoint where one was asked for. Throws InputError where
  /// options need samples and no curve is sampled, and as parse_shard and CheckpointFile do.
  SamplingSession(const SamplingFlags& flags, const std::vector<CurveTask>& tasks);

  bool is_shard() const { return is_shard_; }
  Shard shard() const { return shard_; }
  /// False on ranks that only help: rank 0 alone has results.
  bool reports() const { return ranks_->is_root(); }

  /// The samples of curve `index`; says on standard error, once, where the checkpoint cannot be
  /// written any more.
  SampleRange draw(std::size_t index, const CurveTask& task);

  /// Adds resumed_from and ranks to a provenance, where there is something to say.
  void describe(nlohmann::ordered_json& provenance) const;

 private:
  Shard shard_;
  bool is_shard_ = false;
  std::string path_;
  std::unique_ptr<Ranks> ranks_;
  std::optional<CheckpointFile> checkpoint_;
  bool warned_ = false;
  nlohmann::ordered_json resumed_ = nlohmann::ordered_json::array();
};

}  // namespace tapalab::cli
