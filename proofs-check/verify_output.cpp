#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "proofs-check/verify.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

Json optional_text(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json evidence_json(const std::vector<Evidence>& rows) {
  Json list = Json::array();
  for (const Evidence& row : rows)
    list.push_back({{"engine", row.engine},
                    {"quantity", row.quantity},
                    {"predicted", row.predicted},
                    {"observed", row.observed},
                    {"error", row.error},
                    {"holds", row.holds}});
  return list;
}

/// null, or an object of decimal strings and matrices of them.
Json witness_json(const std::vector<WitnessField>& fields) {
  if (fields.empty()) return Json();
  Json witness = Json::object();
  for (const WitnessField& field : fields) {
    const bool is_scalar = field.rows.size() == 1 && field.rows.front().size() == 1;
    witness[field.name] = is_scalar ? Json(field.rows.front().front()) : Json(field.rows);
  }
  return witness;
}

Json claim_json(const ClaimOutcome& outcome) {
  const ClaimResult& result = outcome.result;
  Json json;
  json["id"] = outcome.claim.id;
  json["source"] = outcome.claim.source;
  json["statement"] = outcome.claim.statement;
  json["hypotheses"] = outcome.claim.hypotheses;
  json["verdict"] = to_string(result.verdict);
  json["reason"] = optional_text(result.reason);
  json["recorded"] = to_string(outcome.claim.recorded);
  json["as_recorded"] = outcome.as_recorded;
  json["required"] = outcome.required;
  json["rigor"] = result.rigor ? Json(to_string(*result.rigor)) : Json();
  json["scope"] = optional_text(result.scope);
  json["correction"] = optional_text(result.correction);
  json["evidence"] = evidence_json(result.evidence);
  json["witness"] = witness_json(result.witness);
  json["seconds"] = result.seconds;
  return json;
}

}  // namespace

nlohmann::ordered_json verify_json(const VerifyReport& report,
                                   const nlohmann::ordered_json& provenance) {
  Json json;
  json["schema"] = "tapalab/verify/1";
  json["provenance"] = provenance;
  json["effort"] = to_string(report.effort);
  json["seed"] = report.seed;
  json["seconds"] = report.seconds;
  json["passed"] = report.exit_code() == 0;
  json["claims"] = Json::array();
  for (const ClaimOutcome& outcome : report.outcomes) json["claims"].push_back(claim_json(outcome));
  return json;
}

std::string verify_table(const VerifyReport& report) {
  std::string text = fmt::format("{:<21} {:<13} {:<12} {:>9} {:>8}  {}\n", "claim", "verdict",
                                 "rigor", "evidence", "seconds", "as recorded");
  std::size_t ran = 0, differing = 0;
  for (const ClaimOutcome& outcome : report.outcomes) {
    const ClaimResult& result = outcome.result;
    const bool not_run = result.verdict == Verdict::not_run;
    ran += !not_run;
    differing += outcome.failed();
    const auto holding = std::count_if(result.evidence.begin(), result.evidence.end(),
                                       [](const Evidence& row) { return row.holds; });
    text += fmt::format("{:<21} {:<13} {:<12} {:>9} {:>8}  {}\n", outcome.claim.id,
                        to_string(result.verdict), result.rigor ? to_string(*result.rigor) : "-",
                        not_run ? "-" : fmt::format("{}/{}", holding, result.evidence.size()),
                        not_run ? "-" : fmt::format("{:.2f}", result.seconds),
                        outcome.failed() ? "NO" : (not_run ? "-" : "yes"));
  }
  text += fmt::format(
      "\n{} of {} claims checked, {} not as recorded, {:.1f} s ({} effort, seed {})\n", ran,
      report.outcomes.size(), differing, report.seconds, to_string(report.effort), report.seed);
  for (const ClaimOutcome& outcome : report.outcomes)
    if (!outcome.result.reason.empty() && (outcome.claim.check || outcome.required))
      text += fmt::format("{}: {}: {}\n", outcome.claim.id, to_string(outcome.result.verdict),
                          outcome.result.reason);
  const bool unchecked =
      std::any_of(report.outcomes.begin(), report.outcomes.end(),
                  [](const ClaimOutcome& outcome) { return !outcome.claim.check; });
  if (unchecked)
    text +=
        "not-run: no check of these claims is built into this version; report.html says what "
        "each needs\n";
  return text;
}

}  // namespace tapalab
