#include "cli/sampling.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "cli/output.hpp"
#include "cli/ranks.hpp"
#include "sim/errors.hpp"

namespace tapalab::cli {

void add_sampling_options(CLI::App& app, SamplingFlags& flags) {
  add_text(app, "--shard", flags.shard,
           "draw part I of N of the samples and print it as JSON for tapalab merge; 1/1 is all")
      ->type_name("I/N");
  add_text(app, "--checkpoint", flags.checkpoint,
           "save the samples to this file every second and at Ctrl-C, and resume from it; it is "
           "refused where it belongs to another experiment")
      ->type_name("FILE");
}

SamplingSession::SamplingSession(const SamplingFlags& flags, const std::vector<CurveTask>& tasks)
    : is_shard_(flags.shard.has_value()), path_(flags.checkpoint.value_or("")) {
  if (flags.shard) shard_ = parse_shard(*flags.shard);
  const bool sampled = std::any_of(tasks.begin(), tasks.end(),
                                   [](const CurveTask& task) { return draws_samples(task); });
  for (const auto& [name, given] : {std::pair{"--shard", flags.shard.has_value()},
                                    std::pair{"--checkpoint", flags.checkpoint.has_value()}}) {
    if (!given || sampled) continue;
    const bool conditional = std::any_of(tasks.begin(), tasks.end(), [](const CurveTask& task) {
      return choose_engine(task).engine == Engine::conditional;
    });
    throw InputError(fmt::format("{}: {}; accepted: --engine mc, qmc or gpu", name,
                                 conditional ? "engine conditional can be neither split nor saved: "
                                               "it draws all its samples in one run"
                                             : "no curve of this experiment is sampled"));
  }
  ranks_ = join_ranks();
  if (flags.checkpoint && ranks_->is_root()) {
    checkpoint_.emplace(path_, sampling_identity(tasks, shard_));
  }
}

SampleRange SamplingSession::draw(std::size_t index, const CurveTask& task) {
  if (!checkpoint_) return sample_range(task, shard_, {}, nullptr, ranks_.get());
  const SampleRange* found = checkpoint_->found(index);
  if (found != nullptr) {
    resumed_.push_back({{"checkpoint", path_}, {"curve", index}, {"samples", found->done}});
  }
  const auto save = [&](const SampleRange& samples, bool last) {
    checkpoint_->keep(index, samples, last);
    const std::string& failure = checkpoint_->failure();
    if (!failure.empty() && !warned_) {
      write_stderr(one_line("tapalab: warning: " + failure +
                            "; the run goes on, and the file holds what it held") +
                   "\n");
    }
    warned_ = !failure.empty();
  };
  return sample_range(task, shard_, save, found, ranks_.get());
}

void SamplingSession::describe(nlohmann::ordered_json& provenance) const {
  if (ranks_->size() > 1) provenance["ranks"] = ranks_->size();
  if (!resumed_.empty()) provenance["resumed_from"] = resumed_;
}

}  // namespace tapalab::cli
