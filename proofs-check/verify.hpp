// Runs claims of the registry and says whether each came out as recorded.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "proofs-check/claim.hpp"

namespace tapalab {

/// Said once before each claim's check and once after the last, from the calling thread.
struct VerifyProgress {
  std::size_t done = 0;
  std::size_t total = 0;
  std::string_view claim;  ///< about to be checked; empty after the last
};

struct VerifyOptions {
  std::vector<std::string> claims;   ///< ids, in any order; empty: the whole registry
  std::vector<std::string> require;  ///< ids that must have run and come out as recorded
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  unsigned threads = 0;  ///< 0: one per hardware thread; never changes a result
  std::string
      activations;  ///< .safetensors with real queries and keys; empty: default_activations()
  /// Where set, curves and histograms of sampled evidence are drawn there (engine gpu).
  std::shared_ptr<const Backend> device;
  std::function<void(const VerifyProgress&)> progress;  ///< may be empty
};

/// What one claim came to. `as_recorded`: it ran, and its verdict is the registry's.
struct ClaimOutcome {
  Claim claim;
  ClaimResult result;
  bool as_recorded = false;
  bool required = false;
  /// It ran and differs from the registry, or was required and is not as recorded.
  bool failed() const;
};

struct VerifyReport {
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  std::string activations;
  std::vector<ClaimOutcome> outcomes;  ///< in the order of the registry
  double seconds = 0;
  /// 0 when every verdict that ran is the recorded one and every required claim ran; else 1.
  int exit_code() const;
};

/// Throws InputError for an id that the registry does not hold and for a file of activations that
/// is not there.
void check_verify(const VerifyOptions& options);

/// Runs the checks one after another. A check that throws UnavailableError is `not_run` with that
/// reason; InputError (a broken activations file) passes through.
/// Throws as check_verify.
VerifyReport run_verify(const VerifyOptions& options);

/// The activations that `verify` reads when it is told none: $TAPALAB_DATA (the file itself, or a
/// folder that holds qk.safetensors), the source tree's tests/data, or the installed
/// share/tapalab. Empty where none of them exists.
std::string default_activations();

/// `tapalab/verify/1`. `provenance` is placed as given.
nlohmann::ordered_json verify_json(const VerifyReport& report,
                                   const nlohmann::ordered_json& provenance);

/// What verify_json wrote, its provenance into `provenance`. The texts are those of the file; what
/// would overturn a verdict is the registry's, where that records the same one. The activations'
/// path is not in the file. `name` begins messages. Throws InputError for anything else.
VerifyReport read_verify(const std::string& text, const std::string& name,
                         nlohmann::ordered_json& provenance);

/// Plain text for the terminal: one row per claim, then what failed and what did not run.
std::string verify_table(const VerifyReport& report);

}  // namespace tapalab
