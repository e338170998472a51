// The page that `verify` leaves behind.
#pragma once

#include <nlohmann/json.hpp>
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
  VerifyReport verify;                ///< no outcomes: a page of results alone
  nlohmann::ordered_json provenance;  ///< of the run of verify, as it stands in verify.json
  std::vector<PageResult> results;    ///< of other commands, below the claims
  bool writes_verify_json = true;     ///< false where `verify` was read from a file
};

/// Writes report.html (one self-contained page: no script, no outside link), one .csv with the
/// data of each figure, and verify.json where asked, into `out_dir`, which is made where it is
/// missing. Each file appears whole or not at all. The paths written stand in that order.
/// Throws InputError where the folder cannot be written, or a result is none of this program.
ReportFiles write_report(const ReportContent& content, const std::string& out_dir);

}  // namespace tapalab
