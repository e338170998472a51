// The folder that verify and report write into.
#pragma once

#include <optional>
#include <string>

#include "proofs-check/report.hpp"

namespace tapalab::cli {

/// Throws InputError where `directory` is something else, or cannot be made or written: before
/// minutes of work.
void check_report_folder(const std::string& directory);

/// Throws InputError where `file` stands in `directory`: the report's files have names of their own
/// choosing.
void refuse_within_report(const std::string& directory, const std::optional<std::string>& file,
                          const char* option);

/// Where the page is, and what is missing in it, on standard error.
void say_report_files(const ReportFiles& files);

}  // namespace tapalab::cli
