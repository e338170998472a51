#include "proofs-check/verify.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "analysis/writers/json.hpp"
#include "cli/command.hpp"
#include "cli/device.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "cli/provenance.hpp"
#include "cli/report_folder.hpp"
#include "proofs-check/report.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

struct VerifyFlags {
  std::vector<std::string> claims;
  std::vector<std::string> require;
  bool quick = false;
  bool full = false;
  std::optional<std::string> out_dir, activations, seed, threads, engine;
};

Effort effort_of(const VerifyFlags& flags) {
  if (flags.quick && flags.full) throw InputError("--full: cannot stand beside --quick");
  if (flags.quick) return Effort::quick;
  return flags.full ? Effort::full : Effort::normal;
}

bool on_device(const VerifyFlags& flags) {
  const std::string engine = flags.engine.value_or("auto");
  if (engine != "auto" && engine != "gpu") {
    throw InputError("--engine: unknown '" + escaped(engine) +
                     "'; accepted with verify: auto, gpu");
  }
  return engine == "gpu";
}

void check_claims(const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const auto& claim : claim_registry()) known.push_back(claim.id);
  for (const auto& id : ids) {
    if (!find_claim(id)) throw InputError(unknown_name("verify", "claim", id, known));
  }
}

}  // namespace

int run_verify(const Arguments& arguments) {
  VerifyFlags flags;
  OutputFlags output;
  const auto app = make_app("verify",
                            "Checks the claims, all or those named, and writes report.html, its "
                            "figures' data and verify.json.",
                            "tapalab verify theorem-3.3 --quick");
  app->add_option("claims", flags.claims, "ids of claims (default: all; tapalab list claims)")
      ->type_name("CLAIM");
  app->add_flag("--quick", flags.quick, "about a minute");
  app->add_flag("--full", flags.full, "everything, however long");
  add_list(*app, "--require", flags.require,
           "exit 1 unless this claim ran and came out as recorded; repeatable")
      ->type_name("CLAIM");
  add_text(*app, "--out-dir", flags.out_dir, "where the report goes (default out)")
      ->type_name("DIR");
  add_text(*app, "--activations", flags.activations,
           ".safetensors with queries and keys of a model (default: those of the repository)")
      ->type_name("FILE");
  add_text(*app, "--engine", flags.engine,
           "gpu: curves and histograms of sampled evidence are drawn by a CUDA device (default: "
           "here)")
      ->type_name("E");
  add_seed_option(*app, flags.seed, "sampled evidence");
  add_threads_option(*app, flags.threads);
  add_output_options(*app, output, "table or json");
  parse(*app, arguments.rest);

  const Format format = output.chosen_format({"table", "json"});
  output.check_files();
  const std::string out_dir = flags.out_dir.value_or("out");
  check_report_folder(out_dir);
  output.keep(flags.activations, "the file of --activations");
  refuse_within_report(out_dir, output.out, "--out");
  refuse_within_report(out_dir, flags.activations, "--activations");
  check_claims(flags.claims);
  check_claims(flags.require);
  Progress progress(output.progress_mode(), output.quiet);

  VerifyOptions options;
  options.claims = flags.claims;
  options.require = flags.require;
  options.effort = effort_of(flags);
  if (flags.seed) options.seed = parse_seed(*flags.seed, "--seed");
  options.threads = parse_threads(flags.threads);
  options.activations = flags.activations.value_or("");
  check_verify(options);
  if (on_device(flags)) options.device = cuda_device();
  progress.start("verify", 0, "claims");
  options.progress = [&](const VerifyProgress& state) {
    progress.step(state.done, state.total, std::string(state.claim));
  };
  const VerifyReport report = tapalab::run_verify(options);
  progress.finish();

  const auto origin = provenance(arguments, options.threads);
  const auto files = write_report({report, {}, true}, origin, out_dir);
  if (!output.quiet) say_report_files(files);
  write_result(
      format == Format::json ? json_text(verify_json(report, origin)) : verify_table(report),
      output.out.value_or(""));
  return report.exit_code();
}

}  // namespace tapalab::cli
