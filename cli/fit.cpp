#include "analysis/fit.hpp"

#include <nlohmann/json.hpp>

#include "analysis/fit_json.hpp"
#include "analysis/writers/fit_table.hpp"
#include "analysis/writers/json.hpp"
#include "cli/curves.hpp"
#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/provenance.hpp"
#include "sim/errors.hpp"

namespace tapalab::cli {
namespace {

struct FitFlags {
  std::optional<std::string> t_min, t_max;
};

FitWindow window_of(const FitFlags& flags) {
  FitWindow window;
  if (flags.t_min) window.t_min = parse_tolerance(*flags.t_min, "--t-min");
  if (flags.t_max) window.t_max = parse_tolerance(*flags.t_max, "--t-max");
  if (window.t_min >= window.t_max) throw InputError("--t-max: not above --t-min");
  return window;
}

std::string text_of(const std::vector<FitResult>& fits, const Arguments& arguments,
                    unsigned threads, Format format) {
  switch (format) {
    case Format::csv:
      return fits_csv(fits);
    case Format::json:
      return json_text(fits_json(fits, provenance(arguments, threads)));
    case Format::table:
      break;
  }
  return fits_table(fits);
}

}  // namespace

int run_fit(const Arguments& arguments) {
  ExperimentFlags flags;
  OutputFlags output;
  FitFlags fit;
  const auto app = make_app("fit",
                            "Local exponents of the decay of the envelope with distance, beside "
                            "what the law predicts at those distances and the asymptote.",
                            "tapalab fit --distances log:1:2^40:41");
  add_experiment_options(*app, flags);
  add_text(*app, "--t-min", fit.t_min,
           "least t = 2 pi s/sqrt(dP) that is used, above 0 (default 1)")
      ->type_name("T");
  add_text(*app, "--t-max", fit.t_max, "largest t that is used (default: no limit)")
      ->type_name("T");
  add_output_options(*app, output, "table, csv or json");
  add_explain_option(*app, output);
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "csv", "json"});
  output.progress_mode();
  output.check_files();
  output.keep(flags.spec, "the file of --spec");
  const FitWindow window = window_of(fit);
  const unsigned threads = flags.thread_count();
  std::vector<CurveTask> tasks = plan_curves(flags.experiment(), threads);
  output.keep_sources(tasks);
  say_warnings(tasks, output.quiet);
  SamplingSession session({}, tasks);
  const std::vector<DistanceCurve> curves = compute_curves(std::move(tasks), session, output);
  if (!session.reports()) return kDone;
  std::vector<FitResult> fits;
  for (const DistanceCurve& curve : curves) fits.push_back(fit_decay(curve, window));
  write_result(text_of(fits, arguments, threads, format), output.out.value_or(""));
  return target_code(curves);
}

}  // namespace tapalab::cli
