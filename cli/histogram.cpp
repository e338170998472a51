#include "analysis/histogram.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/plot/figure.hpp"
#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/device.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

struct HistogramFlags {
  std::optional<std::string> near, far, pairs, bins, engine;
};

void add_options(CLI::App& app, ExperimentFlags& flags, HistogramFlags& histogram) {
  add_list(app, "--encoding", flags.encodings,
           "encoding, repeatable (default tapa; tapalab list encodings)");
  add_list(app, "--density", flags.densities,
           "density of queries and keys, repeatable (default gaussian:rho=0.25; tapalab list "
           "densities)");
  add_head_dim_option(app, flags.head_dim);
  add_text(app, "--near", histogram.near, "range of the near distance (default 0:100)")
      ->type_name("A:B");
  add_text(app, "--far", histogram.far, "range of the far distance (default 10000:10100)")
      ->type_name("A:B");
  add_text(app, "--pairs", histogram.pairs, "pairs of query and key, 2 to 1e8 (default 10000)")
      ->type_name("N");
  add_text(app, "--bins", histogram.bins, "bins of equal width, 1 to 10000 (default 60)")
      ->type_name("N");
  add_text(app, "--seq-len", flags.seq_len,
           "sequence length, for encodings that depend on it (default: largest distance + 1)")
      ->type_name("N");
  add_text(app, "--engine", histogram.engine,
           "mc (default): drawn here; gpu: drawn and scored by a CUDA device, the same bits")
      ->type_name("E");
  add_seed_option(app, flags.seed, "the pairs");
  add_confidence_option(app, flags.confidence);
  add_threads_option(app, flags.threads);
}

std::vector<HistogramTask> tasks_of(ExperimentFlags flags, const HistogramFlags& histogram,
                                    const OutputFlags& output) {
  HistogramTask common;
  if (histogram.near) common.near = parse_distance_range(*histogram.near, "--near");
  if (histogram.far) common.far = parse_distance_range(*histogram.far, "--far");
  if (histogram.pairs) common.pairs = parse_count(*histogram.pairs, "--pairs", 2, kMostPairs);
  if (histogram.bins) common.bins = parse_count(*histogram.bins, "--bins", 1, 10'000);
  // the default length is that of the largest distance
  flags.distances = std::to_string(std::max(common.near.last, common.far.last));
  return planned_tasks(common, flags, output);
}

bool on_device(const HistogramFlags& flags) {
  const std::string engine = flags.engine.value_or("mc");
  if (engine != "mc" && engine != "auto" && engine != "gpu") {
    throw InputError("--engine: unknown '" + escaped(engine) +
                     "'; accepted with histogram: auto, mc, gpu");
  }
  return engine == "gpu";
}

}  // namespace

int run_histogram(const Arguments& arguments) {
  ExperimentFlags flags;
  HistogramFlags histogram;
  OutputFlags output;
  const auto app = make_app(
      "histogram",
      "Score differences of one pair of query and key between a near and a far distance, each "
      "uniform on its range.",
      "tapalab histogram --encoding rope --encoding tapa --near 0:100 --far 10000:10100");
  add_options(*app, flags, histogram);
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();
  output.check_files();
  output.keep(flags.spec, "the file of --spec");
  std::vector<HistogramTask> tasks = tasks_of(flags, histogram, output);
  for (const HistogramTask& task : tasks) check_histogram(task);
  if (on_device(histogram)) {
    const std::shared_ptr<const Backend> device = cuda_device();
    for (HistogramTask& task : tasks) task.device = device;
  }
  Progress progress(output.progress_mode(), output.quiet);
  progress.start("histogram", static_cast<double>(tasks.size()), "histograms");
  std::vector<ScoreHistogram> histograms;
  for (const HistogramTask& task : tasks) {
    histograms.push_back(score_histogram(task));
    progress.update(static_cast<double>(histograms.size()) / static_cast<double>(tasks.size()));
  }
  progress.finish();
  if (output.plot) {
    plot::draw(histogram_figure(histograms, "Score differences between two ranges of distance"),
               *output.plot);
  }
  std::string text;
  switch (format) {
    case Format::json:
      text = json_text(histograms_json(histograms, provenance(arguments, flags.thread_count())));
      break;
    case Format::csv:
      text = histograms_csv(histograms);
      break;
    case Format::table:
      text = histograms_table(histograms);
      break;
  }
  write_result(text, output.out.value_or(""));
  return kDone;
}

}  // namespace tapalab::cli
