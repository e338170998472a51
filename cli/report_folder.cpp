#include "cli/report_folder.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "cli/output.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab::cli {

void check_report_folder(const std::string& directory) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(directory, error).lexically_normal();
  while (place.has_relative_path() && !std::filesystem::exists(place, error)) {
    place = place.parent_path();
  }
  if (directory.empty() || !std::filesystem::is_directory(place, error) ||
      access(place.c_str(), W_OK | X_OK) != 0) {
    throw InputError(
        fmt::format("--out-dir: {} is no directory that can be written; accepted: one that exists "
                    "or can be made",
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
