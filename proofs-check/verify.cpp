#include "proofs-check/verify.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void require_known(const std::vector<std::string>& ids, const std::string& what) {
  for (const std::string& id : ids) {
    if (find_claim(id) != nullptr) continue;
    std::string known;
    for (const Claim& claim : claim_registry()) known += (known.empty() ? "" : ", ") + claim.id;
    throw InputError(what + ": unknown claim '" + id + "'; accepted are " + known);
  }
}

bool contains(const std::vector<std::string>& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

ClaimResult run_check(const Claim& claim, const ClaimContext& context) {
  ClaimResult result;
  if (!claim.check) {
    result.reason = claim.not_run_reason;
    return result;
  }
  try {
    return claim.check(context);
  } catch (const UnavailableError& error) {
    result.reason = error.what();
    return result;
  }
}

}  // namespace

bool ClaimOutcome::failed() const {
  const bool ran = result.verdict != Verdict::not_run;
  return !as_recorded && (ran || required);
}

int VerifyReport::exit_code() const {
  return std::any_of(outcomes.begin(), outcomes.end(),
                     [](const ClaimOutcome& outcome) { return outcome.failed(); })
             ? 1
             : 0;
}

void check_verify(const VerifyOptions& options) {
  require_known(options.claims, "CLAIM");
  require_known(options.require, "--require");
  if (std::error_code ignored;
      !options.activations.empty() && !std::filesystem::exists(options.activations, ignored))
    throw InputError("--activations: there is no file " + printable(options.activations) +
                     "; accepted is a .safetensors file");
}

VerifyReport run_verify(const VerifyOptions& options) {
  check_verify(options);
  const auto start = std::chrono::steady_clock::now();

  VerifyReport report;
  report.effort = options.effort;
  report.seed = options.seed;
  report.activations = options.activations.empty() ? default_activations() : options.activations;
  const ClaimContext context{options.effort, options.seed, options.threads, report.activations,
                             options.device};

  std::vector<const Claim*> chosen;
  for (const Claim& claim : claim_registry())
    if (options.claims.empty() || contains(options.claims, claim.id) ||
        contains(options.require, claim.id))
      chosen.push_back(&claim);

  const auto say = [&](std::string_view claim) {
    if (options.progress) options.progress({report.outcomes.size(), chosen.size(), claim});
  };
  for (const Claim* claim : chosen) {
    say(claim->id);
    throw_if_interrupted();
    const auto begun = std::chrono::steady_clock::now();
    ClaimOutcome outcome{*claim, run_check(*claim, context), false,
                         contains(options.require, claim->id)};
    throw_if_interrupted();
    outcome.result.seconds = seconds_since(begun);
    outcome.as_recorded =
        outcome.result.verdict != Verdict::not_run && outcome.result.verdict == claim->recorded;
    report.outcomes.push_back(std::move(outcome));
  }
  say({});
  report.seconds = seconds_since(start);
  return report;
}

}  // namespace tapalab
