#include "cli/curves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/plot/curve_plot.hpp"
#include "analysis/writers/csv.hpp"
#include "analysis/writers/json.hpp"
#include "analysis/writers/table.hpp"
#include "cli/device.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
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
                    const Arguments& arguments, unsigned threads, Format format,
                    CurveQuantity quantity) {
  switch (format) {
    case Format::csv:
      return curves_csv(curves);
    case Format::json:
      return json_text(curves_json(curves, experiment_json(spec), provenance(arguments, threads)));
    case Format::table:
      break;
  }
  return curves_table(curves, table_quantities(quantity));
}

}  // namespace

std::vector<DistanceCurve> compute_curves(const ExperimentSpec& spec, unsigned threads,
                                          const OutputFlags& output) {
  Progress progress(output.progress_mode(), output.quiet);
  std::vector<DistanceCurve> curves;
  for (auto& task : plan_curves(spec, threads)) {
    const EngineChoice choice = choose_engine(task);
    if (output.explain) {
      write_stderr(fmt::format("tapalab: {}: engine {}: {}\n", name_of(task),
                               to_string(choice.engine), choice.reason));
    }
    const bool sampled = choice.engine == Engine::mc || choice.engine == Engine::gpu;
    if (choice.engine == Engine::gpu) task.device = cuda_device();
    progress.start(
        name_of(task),
        static_cast<double>(sampled ? task.sampling.samples : task.distances.distances.size()),
        sampled ? "samples" : "distances");
    task.progress = [&progress](double fraction) {
      throw_if_interrupted();
      progress.update(fraction);
    };
    curves.push_back(compute_curve(task));
    progress.finish();
  }
  return curves;
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
  const auto app = make_app(arguments.command, description, example);
  add_experiment_options(*app, flags);
  add_output_options(*app, output, "table, csv or json");
  add_plot_option(*app, output);
  add_explain_option(*app, output);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();  // refused before anything is computed
  output.check_files();
  const unsigned threads = flags.thread_count();
  const ExperimentSpec spec = flags.experiment();
  const std::vector<DistanceCurve> curves = compute_curves(spec, threads, output);
  if (output.plot) {
    plot_curves(curves,
                quantity == CurveQuantity::variance ? PlotQuantity::variance : PlotQuantity::bias,
                *output.plot);
  }
  write_result(text_of(curves, spec, arguments, threads, format, quantity),
               output.out.value_or(""));
  if (!output.quiet) note_count(spec.distances.value());
  return target_code(curves);
}

}  // namespace tapalab::cli
