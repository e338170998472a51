// The page that `verify` leaves behind.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "proofs-check/verify.hpp"

namespace tapalab {

struct ReportFiles {
  std::vector<std::string> written;
  /// Why figures are not in the page (no gnuplot, or one that fails); empty where all are.
  std::string figures_missing;
};

/// Writes report.html (one self-contained page: no script, no outside link), one .csv with the
/// data of each figure, and verify.json into `out_dir`, which is made where it is missing. Each
/// file appears whole or not at all. The paths written stand in that order.
/// Throws InputError where the folder cannot be written.
ReportFiles write_report(const VerifyReport& report, const nlohmann::ordered_json& provenance,
                         const std::string& out_dir);

}  // namespace tapalab
