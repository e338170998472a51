#include "proofs-check/report.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/report_folder.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {
namespace {

constexpr std::uint64_t kMostReportBytes = std::uint64_t{1} << 28;

std::string read_for_report(const std::string& name) {
  return read_bounded_text(name, kMostReportBytes, "report");
}

bool is_verify_result(const std::string& text) {
  return text.find("\"tapalab/verify/1\"") != std::string::npos;
}

// The figure that --plot drew under the same name, where there is one.
std::string figure_beside(const std::string& name) {
  const std::filesystem::path svg = std::filesystem::path(name).replace_extension(".svg");
  std::error_code error;
  return std::filesystem::is_regular_file(svg, error) ? read_for_report(svg.string())
                                                      : std::string();
}

}  // namespace

int run_report(const Arguments& arguments) {
  std::vector<std::string> names;
  std::optional<std::string> out_dir_text, activations;
  bool quiet = false;
  const auto app =
      make_app("report",
               "One self-contained page (report.html) of what verify found and of results of other "
               "commands, "
               "each with the command that repeats it. Nothing is checked again; figures of claims "
               "are drawn "
               "anew. A figure NAME.svg beside a result NAME.json is shown with it.",
               "tapalab verify --out-dir out\n"
               "  tapalab bias --distances log:1:1e6:13 --out bias.json --plot bias.svg\n"
               "  tapalab report out/verify.json bias.json --out-dir out");
  app->add_option("FILE", names,
                  "results in JSON, at most one of them of verify (default: out/verify.json)")
      ->type_name("FILE.json");
  add_text(*app, "--out-dir", out_dir_text, "where the page and its data go (default out)")
      ->type_name("DIR");
  add_text(*app, "--activations", activations,
           ".safetensors with the queries and keys that verify was given (default: those of the "
           "repository)")
      ->type_name("FILE");
  app->add_flag("--quiet", quiet, "nothing on standard error but errors");
  parse(*app, arguments.rest);

  if (names.empty()) names.push_back("out/verify.json");
  const std::string out_dir = out_dir_text.value_or("out");
  check_report_folder(out_dir);
  refuse_within_report(out_dir, activations, "--activations");

  ReportContent content;
  content.writes_verify_json = false;
  for (const std::string& name : names) {
    const std::string text = read_for_report(name);
    if (!is_verify_result(text)) {
      content.results.push_back({name, text, figure_beside(name)});
      continue;
    }
    if (!content.verify.outcomes.empty())
      throw InputError(
          fmt::format("{}: a second result of verify; accepted: one a page", printable(name)));
    content.verify = read_verify(text, name, content.provenance);
  }
  content.verify.activations = activations.value_or(default_activations());
  const ReportFiles files = write_report(content, out_dir);
  if (!quiet) say_report_files(files);
  return 0;
}

}  // namespace tapalab::cli
