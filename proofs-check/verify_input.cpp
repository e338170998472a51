#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "proofs-check/verify.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using InputJson = nlohmann::ordered_json;

/// The members of one object; what is missing or of another type is named.
class Members {
 public:
  Members(const InputJson& object, const std::string& label) : object_(object), label_(label) {
    if (!object.is_object()) fail("is no object");
  }
  const InputJson& at(const char* key) const {
    if (!object_.contains(key)) fail(fmt::format("has no {}", key));
    return object_[key];
  }
  std::string text(const char* key) const {
    const InputJson& value = at(key);
    if (value.is_null()) return {};
    if (!value.is_string()) fail(fmt::format("has a {} that is no text", key));
    return value.get<std::string>();
  }
  bool flag(const char* key) const {
    if (!at(key).is_boolean()) fail(fmt::format("has a {} that is not true or false", key));
    return object_[key].get<bool>();
  }
  double number(const char* key) const {
    if (!at(key).is_number()) fail(fmt::format("has a {} that is no number", key));
    return object_[key].get<double>();
  }
  const InputJson& list(const char* key) const {
    if (!at(key).is_array()) fail(fmt::format("has {} that are no list", key));
    return object_[key];
  }
  /// The value of an enumeration by its name.
  template <typename Enum, std::size_t N>
  Enum named(const char* key, const std::array<Enum, N>& values) const {
    const std::string word = text(key);
    for (const Enum value : values)
      if (word == to_string(value)) return value;
    fail(fmt::format("has the {} {}", key, printable(word)));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(
        fmt::format("{} {}; accepted: verify.json as tapalab verify writes it", label_, what));
  }

 private:
  const InputJson& object_;
  std::string label_;
};

constexpr std::array kVerdicts = {Verdict::confirmed, Verdict::corrected, Verdict::refuted,
                                  Verdict::inconclusive, Verdict::not_run};
constexpr std::array kRigors = {Rigor::proved, Rigor::certified, Rigor::numerical,
                                Rigor::statistical};
constexpr std::array kEfforts = {Effort::quick, Effort::normal, Effort::full};

std::vector<WitnessField> witness_from(const Members& claim) {
  std::vector<WitnessField> fields;
  const InputJson& witness = claim.at("witness");
  if (witness.is_null()) return fields;
  if (!witness.is_object()) claim.fail("has a witness that is no object");
  for (const auto& [name, value] : witness.items()) {
    WitnessField field{name, {}};
    const auto word = [&](const InputJson& item) {
      if (!item.is_string()) claim.fail("has a witness that is not made of decimal strings");
      return item.get<std::string>();
    };
    if (value.is_array()) {
      for (const InputJson& row : value) {
        if (!row.is_array()) claim.fail("has a witness whose matrix has no rows");
        field.rows.emplace_back();
        for (const InputJson& item : row) field.rows.back().push_back(word(item));
      }
    } else {
      field.rows = {{word(value)}};
    }
    fields.push_back(std::move(field));
  }
  return fields;
}

ClaimOutcome outcome_from(const InputJson& json, const std::string& label) {
  const Members claim(json, label);
  ClaimOutcome outcome;
  outcome.claim.id = claim.text("id");
  outcome.claim.source = claim.text("source");
  outcome.claim.statement = claim.text("statement");
  outcome.claim.hypotheses = claim.text("hypotheses");
  outcome.claim.recorded = claim.named("recorded", kVerdicts);
  if (const Claim* known = find_claim(outcome.claim.id);
      known != nullptr && known->recorded == outcome.claim.recorded)
    outcome.claim.overturned_by = known->overturned_by;
  outcome.as_recorded = claim.flag("as_recorded");
  outcome.required = claim.flag("required");
  ClaimResult& result = outcome.result;
  result.verdict = claim.named("verdict", kVerdicts);
  result.reason = claim.text("reason");
  if (!claim.at("rigor").is_null()) result.rigor = claim.named("rigor", kRigors);
  result.scope = claim.text("scope");
  result.correction = claim.text("correction");
  for (const InputJson& item : claim.list("evidence")) {
    const Members row(item, label + ", evidence");
    result.evidence.push_back({row.text("engine"), row.text("quantity"), row.text("predicted"),
                               row.text("observed"), row.text("error"), row.flag("holds")});
  }
  result.witness = witness_from(claim);
  result.seconds = claim.number("seconds");
  return outcome;
}

}  // namespace

VerifyReport read_verify(const std::string& text, const std::string& name, InputJson& provenance) {
  const std::string label = printable(name) + ":";
  check_json_text(text, printable(name));
  const InputJson document = InputJson::parse(text, nullptr, false);
  const Members members(document, label);
  if (members.text("schema") != "tapalab/verify/1") members.fail("is no result of verify");
  VerifyReport report;
  report.effort = members.named("effort", kEfforts);
  if (!members.at("seed").is_number_unsigned()) members.fail("has a seed that is no count");
  report.seed = document["seed"].get<std::uint64_t>();
  report.seconds = members.number("seconds");
  provenance = members.at("provenance");
  for (const InputJson& item : members.list("claims"))
    report.outcomes.push_back(
        outcome_from(item, fmt::format("{} claim {}", label, report.outcomes.size() + 1)));
  if (report.outcomes.empty()) members.fail("has no claims");
  return report;
}

}  // namespace tapalab
