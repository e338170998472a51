// The page that `verify` leaves behind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proofs-check/report_page.hpp"
#include "proofs-check/verify.hpp"

namespace tapalab {

struct ReportFiles {
  std::vector<std::string> written;
  /// Why figures are not in the page (no gnuplot, or one that fails); empty where all are.
  std::string figures_missing;
};

/// What stands in the page.
struct ReportContent {
  VerifyReport verify;               ///< no outcomes: a page of results alone
  std::vector<std::string> results;  ///< sections of other results, below the claims
  bool writes_verify_json = true;    ///< false where `verify` was read from a file
};

/// Writes report.html (one self-contained page: no script, no outside link), one .csv with the
/// data of each figure, and verify.json where asked, into `out_dir`, which is made where it is
/// missing. `provenance` is that of the run of verify. Each file appears whole or not at all. The
/// paths written stand in that order. Throws InputError where the folder cannot be written.
ReportFiles write_report(const ReportContent& content, const nlohmann::ordered_json& provenance,
                         const std::string& out_dir);

}  // namespace tapalab
