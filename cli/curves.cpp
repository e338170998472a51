#include "cli/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/plot/curve_plot.hpp"
#include "analysis/sampling_run.hpp"
#include "analysis/shards.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "cli/device.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "proofs-check/ball_curve.hpp"
#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

std::string name_of(const CurveTask& task) {
  return fmt::format("{} under {}", printable(task.encoding.spec), printable(task.density.spec));
}

// A grid rounds and drops duplicates: say how many distances that left.
void note_count(const DistanceGrid& grid) {
  if (grid.spec.find(':') == std::string::npos) return;
  write_stderr(
      fmt::format("tapalab: {} distances from {}\n", grid.distances.size(), printable(grid.spec)));
}

TableQuantities table_quantities(CurveQuantity quantity) {
  switch (quantity) {
    case CurveQuantity::mean:
      return TableQuantities::mean;
    case CurveQuantity::variance:
      return TableQuantities::variance;
    case CurveQuantity::all:
      break;
  }
  return TableQuantities::all;
}

std::string text_of(const std::vector<DistanceCurve>& curves, const ExperimentSpec& spec,
                    const nlohmann::ordered_json& provenance, Format format,
                    CurveQuantity quantity) {
  switch (format) {
    case Format::csv:
      return curves_csv(curves);
    case Format::json:
      return json_text(curves_json(curves, experiment_json(spec), provenance));
    case Format::table:
      break;
  }
  return curves_table(curves, table_quantities(quantity));
}

// variance has nothing to print where means alone are estimated.
void require_variances(const std::vector<CurveTask>& tasks) {
  for (const CurveTask& task : tasks) {
    const Engine engine = choose_engine(task).engine;
    if (engine != Engine::conditional &&
        !(engine == Engine::gpu && is_conditional(task.sampling.estimator))) {
      continue;
    }
    throw InputError(fmt::format(
        "variance: conditional estimates are of means alone ({}); accepted: --engine auto, exact, "
        "quadrature, mc, qmc, gpu, without --estimator conditional, zero-variance, importance",
        name_of(task)));
  }
}

// Which engine runs, and how far it is.
void announce(CurveTask& task, Progress& progress, bool explain) {
  const EngineChoice choice = choose_engine(task);
  if (explain) {
    write_stderr(fmt::format("tapalab: {}: engine {}: {}\n", name_of(task),
                             to_string(choice.engine), choice.reason));
  }
  const bool scores = draws_scores(choice.engine);
  if (explain && (choice.engine == Engine::conditional || scores)) {
    task.engine = choice.engine;
    const EstimatorChoice estimator = choose_estimator(task);
    write_stderr(fmt::format("tapalab: {}: estimator {}: {}\n", name_of(task),
                             to_string(estimator.estimator), estimator.reason));
  }
  if (explain && choice.engine == Engine::gpu && !is_conditional(task.sampling.estimator)) {
    write_stderr(fmt::format("tapalab: {}: {}\n", name_of(task), device_kernel_text(task)));
  }
  const bool sampled =
      choice.engine == Engine::conditional || scores || choice.engine == Engine::gpu;
  if (choice.engine == Engine::gpu) task.device = cuda_device();
  progress.start(
      name_of(task),
      static_cast<double>(sampled ? task.sampling.samples : task.distances.distances.size()),
      sampled ? "samples" : "distances");
  task.progress = [&progress](double fraction) {
    throw_if_interrupted();
    progress.update(fraction);
  };
}

// --shard: the samples themselves, for merge.
std::string shard_text(const ExperimentSpec& spec, std::vector<CurveTask> tasks,
                       SamplingSession& session, const OutputFlags& output,
                       const Arguments& arguments, unsigned threads) {
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<SampleRange> ranges(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!draws_samples(tasks[i])) continue;  // merge computes it
    announce(tasks[i], progress, output.explain);
    ranges[i] = session.draw(i, resolved(tasks[i]));
    progress.finish();
  }
  auto origin = provenance(arguments, threads);
  session.describe(origin);
  return json_text(shard_json(spec, tasks, session.shard(), ranges, origin));
}

}  // namespace

std::vector<DistanceCurve> compute_curves(std::vector<CurveTask> tasks, SamplingSession& session,
                                          const OutputFlags& output) {
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<DistanceCurve> curves;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    CurveTask& task = tasks[i];
    announce(task, progress, output.explain);
    task.draw = [&session, i](const CurveTask& chosen) { return session.draw(i, chosen); };
    task.certify = ball_curve;
    curves.push_back(compute_curve(task));
    progress.finish();
  }
  return curves;
}

void write_curves(const std::vector<DistanceCurve>& curves, const ExperimentSpec& spec,
                  const nlohmann::ordered_json& provenance, Format format, CurveQuantity quantity,
                  const OutputFlags& output) {
  if (output.plot) {
    plot_curves(curves,
                quantity == CurveQuantity::variance ? PlotQuantity::variance : PlotQuantity::bias,
                *output.plot);
  }
  write_result(text_of(curves, spec, provenance, format, quantity), output.out.value_or(""));
  for (const DistanceCurve& curve : curves) {
    if (output.quiet || curve.unavailable.empty()) continue;
    write_stderr(fmt::format("tapalab: not available: {}\n", curve.unavailable));
  }
  if (!output.quiet) note_count(spec.distances.value());
}

int target_code(const std::vector<DistanceCurve>& curves) {
  const auto missed = [](const CurvePoint& point) {
    return point.status == Status::target_not_met;
  };
  const bool any = std::any_of(curves.begin(), curves.end(), [&](const DistanceCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(), missed);
  });
  return any ? kTargetNotMet : kDone;
}

int run_curves(const Arguments& arguments, CurveQuantity quantity, const std::string& description,
               const std::string& example) {
  ExperimentFlags flags;
  OutputFlags output;
  SamplingFlags sampling;
  const auto app = make_app(arguments.command, description, example);
  add_experiment_options(*app, flags);
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  add_explain_option(*app, output);
  add_sampling_options(*app, sampling);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();  // refused before anything is computed
  output.check_files();
  output.keep(flags.spec, "the file of --spec");
  output.keep(sampling.checkpoint, "the file of --checkpoint");
  const unsigned threads = flags.thread_count();
  const ExperimentSpec spec = flags.experiment();
  std::vector<CurveTask> tasks = plan_curves(spec, threads);
  output.keep_sources(tasks);
  say_warnings(tasks, output.quiet);
  if (quantity == CurveQuantity::variance) require_variances(tasks);
  for (const CurveTask& task : tasks) check_samples(task);
  SamplingSession session(sampling, tasks);
  if (session.is_shard()) {
    if ((output.format && format != Format::json) || output.plot) {
      throw InputError(
          fmt::format("--shard: a part is printed as JSON for tapalab merge; accepted "
                      "with it: --format json, and no --plot"));
    }
    const std::string text =
        shard_text(spec, std::move(tasks), session, output, arguments, threads);
    if (session.reports()) write_result(text, output.out.value_or(""));
    return kDone;
  }
  const std::vector<DistanceCurve> curves = compute_curves(std::move(tasks), session, output);
  if (!session.reports()) return kDone;
  auto origin = provenance(arguments, threads);
  session.describe(origin);
  write_curves(curves, spec, origin, format, quantity, output);
  return target_code(curves);
}

}  // namespace tapalab::cli
