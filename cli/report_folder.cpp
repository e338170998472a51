#include "cli/report_folder.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "cli/output.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {

void check_report_folder(const std::string& directory) {
  std::error_code error;
  if (directory.empty() ||
      (std::filesystem::exists(directory, error) && !std::filesystem::is_directory(directory))) {
    throw InputError(
        fmt::format("--out-dir: {} is not a directory; accepted: one that exists or "
                    "can be made",
                    printable(directory)));
  }
}

void refuse_within_report(const std::string& directory, const std::optional<std::string>& file,
                          const char* option) {
  if (!file) return;
  const std::filesystem::path parent = std::filesystem::path(*file).parent_path();
  std::error_code error;
  if (std::filesystem::equivalent(parent.empty() ? "." : parent, directory, error))
    throw InputError(
        fmt::format("{}: {} stands in the folder of --out-dir, whose files the report replaces; "
                    "accepted: another folder",
                    option, printable(*file)));
}

void say_report_files(const ReportFiles& files) {
  write_stderr(fmt::format("tapalab: report in {}\n", escaped(files.written.front())));
  if (files.figures_missing.empty()) return;
  write_stderr(fmt::format("tapalab: its figures are left out: {}; the data stand beside it\n",
                           one_line(files.figures_missing)));
}

}  // namespace tapalab::cli
