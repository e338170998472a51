#include "proofs-check/report.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "analysis/compare_read.hpp"
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

// The figure that --plot drew under the same name, where there is one.
std::string figure_beside(const std::string& name) {
  const std::filesystem::path svg = std::filesystem::path(name).replace_extension(".svg");
  std::error_code error;
  return std::filesystem::is_regular_file(svg, error) ? read_for_report(svg.string())
                                                      : std::string();
}

// The page and its tables must not take the place of what they are made from, whatever its name.
void refuse_replaced(const std::string& out_dir, const std::string& source) {
  std::error_code error;
  for (std::filesystem::directory_iterator entry(out_dir, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::filesystem::path& path = entry->path();
    if (path.filename() != "report.html" && path.extension() != ".csv") continue;
    std::error_code ignored;
    if (std::filesystem::equivalent(path, source, ignored))
      throw InputError(fmt::format(
          "report: {} may be replaced by a file of the report; accepted: another --out-dir, or a "
          "result that is no .csv or report.html in it",
          printable(source)));
  }
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
  nlohmann::ordered_json origin;
  content.writes_verify_json = false;
  for (const std::string& name : names) {
    refuse_replaced(out_dir, name);
    const std::string text = read_for_report(name);
    if (result_schema(text, name) != "tapalab/verify/1") {
      content.results.push_back(result_section(name, text, figure_beside(name)));
      continue;
    }
    if (!content.verify.outcomes.empty())
      throw InputError(
          fmt::format("{}: a second result of verify; accepted: one a page", printable(name)));
    content.verify = read_verify(text, name, origin);
  }
  if (activations && content.verify.outcomes.empty())
    throw InputError("--activations: no result of verify is among the files; accepted: with one");
  if (std::error_code error; activations && !std::filesystem::exists(*activations, error))
    throw InputError(
        fmt::format("--activations: there is no file {}; accepted is a .safetensors file",
                    printable(*activations)));
  content.verify.activations = activations.value_or(default_activations());
  const ReportFiles files = write_report(content, origin, out_dir);
  if (!quiet) say_report_files(files);
  return 0;
}

}  // namespace tapalab::cli
