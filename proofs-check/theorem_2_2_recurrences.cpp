#include <regex>

#include "proofs-check/theorem_2_2.hpp"

namespace tapalab {

std::vector<CertifiedRecurrence> certified_recurrences(const std::vector<Evidence>& rows) {
  static const std::regex kGapBelow(
      R"((?:gap|largest gap [^,]*), b = ([0-9.]{1,40}), D = ([0-9]{1,9}), (turns|radians), )"
      R"(distances ([0-9]{1,19}) and ([0-9]{1,400}))");
  std::vector<CertifiedRecurrence> found;
  for (const Evidence& row : rows) {
    std::smatch part;
    if (row.engine != "ball" || !row.holds || !row.predicted.starts_with("< ") ||
        !std::regex_match(row.quantity, part, kGapBelow))
      continue;
    found.push_back({{part[1], static_cast<std::uint32_t>(std::stoul(part[2])),
                      part[3] == "turns" ? AngleUnit::turns : AngleUnit::radians},
                     std::stoull(part[4]),
                     part[5],
                     row.observed});
  }
  return found;
}

}  // namespace tapalab
