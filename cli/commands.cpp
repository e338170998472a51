#include "cli/command.hpp"

namespace tapalab::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"curve", "mean, envelope and variance of the score at each distance", run_curve},
      {"bias", "the mean of the score at each distance, and its plot", run_bias},
      {"variance", "the variance of the score at each distance, and its plot", run_variance},
      {"histogram", "score differences between two ranges of distance", run_histogram},
      {"retrieve", "whether a query finds its key among many", run_retrieve},
      {"fit", "local exponents of the decay beside theory", run_fit},
      {"verify", "check the claims and write a report", run_verify},
      {"crosscheck", "scores of a kernel in low precision against exact ones", run_crosscheck},
      {"report", "one page of what verify and other commands found", run_report},
      {"compare", "whether two results differ beyond their errors", run_compare},
      {"merge", "the result of an experiment from the files of its shards", run_merge},
      {"inspect", "what an .npy, .safetensors or config.json file holds", run_inspect},
      {"list", "encodings, densities, claims or engines", run_list},
  };
  return table;
}

}  // namespace tapalab::cli
