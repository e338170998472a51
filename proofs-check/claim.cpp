#include "proofs-check/claim.hpp"

#include <algorithm>

namespace tapalab {

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::confirmed:
      return "confirmed";
    case Verdict::corrected:
      return "corrected";
    case Verdict::refuted:
      return "refuted";
    case Verdict::inconclusive:
      return "inconclusive";
    case Verdict::not_run:
      return "not-run";
  }
  return "unknown";
}

std::string_view to_string(Rigor rigor) {
  switch (rigor) {
    case Rigor::proved:
      return "proved";
    case Rigor::certified:
      return "certified";
    case Rigor::numerical:
      return "numerical";
    case Rigor::statistical:
      return "statistical";
  }
  return "unknown";
}

std::string_view to_string(Effort effort) {
  switch (effort) {
    case Effort::quick:
      return "quick";
    case Effort::normal:
      return "normal";
    case Effort::full:
      return "full";
  }
  return "unknown";
}

const Claim* find_claim(std::string_view id) {
  const auto& claims = claim_registry();
  const auto found =
      std::find_if(claims.begin(), claims.end(), [&](const Claim& c) { return c.id == id; });
  return found == claims.end() ? nullptr : &*found;
}

}  // namespace tapalab
