#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/distance_grid.hpp"
#include "analysis/plot/figure.hpp"
#include "analysis/retrieval/retrieval.hpp"
#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"

namespace tapalab::cli {
namespace {

struct RetrievalFlags {
  std::optional<std::string> lengths, needle_rho, trials;
};

void add_retrieval_options(CLI::App& app, ExperimentFlags& flags, RetrievalFlags& retrieval) {
  add_list(app, "--encoding", flags.encodings,
           "encoding, repeatable (default tapa; tapalab list encodings)");
  add_list(app, "--density", flags.densities,
           "density of queries and keys, repeatable: gaussian without rho, or empirical (default "
           "gaussian)");
  add_head_dim_option(app, flags.head_dim);
  add_text(app, "--lengths", retrieval.lengths,
           "numbers of keys, 2 to 2^24, at distances 1 to that number (default "
           "2^6,2^8,2^10,2^12,2^14,2^16)")
      ->type_name("LIST");
  add_text(app, "--distances", flags.distances,
           "distances of the needle, beside one that is uniform: 1,10 or log:1:2^16:17")
      ->type_name("LIST");
  add_text(app, "--needle-rho", retrieval.needle_rho,
           "correlation of each coordinate of the needle with the query's, -1 to 1 (default 0.5)")
      ->type_name("R");
  add_text(app, "--trials", retrieval.trials,
           "queries, each with its needle, 2 to 1e7 (default 1000)")
      ->type_name("N");
  add_text(app, "--seq-len", flags.seq_len,
           "sequence length, for encodings that depend on it (default: largest length + 1)")
      ->type_name("N");
  add_seed_option(app, flags.seed, "the queries and keys");
  add_confidence_option(app, flags.confidence);
  add_threads_option(app, flags.threads);
}

std::vector<RetrievalTask> retrieval_tasks(ExperimentFlags flags, const RetrievalFlags& retrieval,
                                           const OutputFlags& output) {
  RetrievalTask common;
  try {
    common.lengths =
        parse_distances(retrieval.lengths.value_or("2^6,2^8,2^10,2^12,2^14,2^16")).distances;
  } catch (const InputError& error) {
    throw InputError(fmt::format("--lengths: {}", error.what()));
  }
  std::sort(common.lengths.begin(), common.lengths.end());
  common.lengths.erase(std::unique(common.lengths.begin(), common.lengths.end()),
                       common.lengths.end());
  if (common.lengths.front() < 2 || common.lengths.back() > kMostKeys)
    throw InputError(fmt::format("--lengths: accepted are 2 to 2^24 keys"));
  if (flags.distances) common.distances = parse_distances(*flags.distances).distances;
  common.needle_rho = ExactDecimal::parse(retrieval.needle_rho.value_or("0.5"), "--needle-rho");
  if (retrieval.trials) common.trials = parse_count(*retrieval.trials, "--trials", 2, kMostTrials);
  if (flags.densities.empty()) flags.densities.emplace_back("gaussian");
  // the default sequence length is that of the largest distance
  flags.distances = std::to_string(common.lengths.back());
  return planned_tasks(common, flags, output);
}

}  // namespace

int run_retrieve(const Arguments& arguments) {
  ExperimentFlags flags;
  RetrievalFlags retrieval;
  OutputFlags output;
  const auto app = make_app(
      "retrieve",
      "Whether a query finds the key that was made for it among many that were not: the "
      "probability "
      "that its score is the largest, and its share of the softmax.",
      "tapalab retrieve --encoding rope --encoding tapa --needle-rho 0.5 --lengths 2^10,2^16");
  add_retrieval_options(*app, flags, retrieval);
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();
  output.check_files();
  std::vector<RetrievalTask> tasks = retrieval_tasks(flags, retrieval, output);
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<Retrieval> retrievals;
  for (RetrievalTask& task : tasks) {
    progress.start("retrieve", static_cast<double>(task.trials), "trials");
    task.progress = [&](double fraction) { progress.update(fraction); };
    retrievals.push_back(retrieve(task));
    progress.finish();
  }
  if (output.plot) plot::draw(retrieval_figure(retrievals), *output.plot);
  std::string text;
  switch (format) {
    case Format::json:
      text = json_text(retrievals_json(retrievals, provenance(arguments, flags.thread_count())));
      break;
    case Format::csv:
      text = retrievals_csv(retrievals);
      break;
    case Format::table:
      text = retrievals_table(retrievals);
      break;
  }
  write_result(text, output.out.value_or(""));
  std::size_t carried = 0, points = 0;
  for (const Retrieval& result : retrievals)
    for (const RetrievalPoint& point : result.points) {
      carried += point.carried_by_one ? 1 : 0;
      ++points;
    }
  if (carried == 0) return kDone;
  if (!output.quiet)
    write_stderr(fmt::format(
        "tapalab: at {} of {} points one trial carries a tenth or more of a second moment "
        "(target-not-met): raise --trials\n",
        carried, points));
  return kTargetNotMet;
}

}  // namespace tapalab::cli
