// A claim, how it is decided, and what was found.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tapalab {

class Backend;

/// About the statement as printed; corrected: a stated repair holds and the printed form does not.
enum class Verdict { confirmed, corrected, refuted, inconclusive, not_run };
/// How much a verdict can be trusted, strongest first.
enum class Rigor { proved, certified, numerical, statistical };
std::string_view to_string(Verdict verdict);
std::string_view to_string(Rigor rigor);

/// How long checks may take: quick fits in a minute on two cores, full spends hours.
enum class Effort { quick, normal, full };
std::string_view to_string(Effort effort);

/// One comparison of a prediction with an observation, by one engine.
struct Evidence {
  std::string engine;     ///< "exact", "ball", "mc", ...
  std::string quantity;   ///< what was compared, with its parameters
  std::string predicted;  ///< decimal string, or a relation such as ">= 0.5"
  std::string observed;   ///< decimal string
  std::string error;      ///< of `observed`: a decimal half-width and its kind
  bool holds = false;
};

/// Witness of a refutation: name and decimal string, or a matrix as rows of strings.
struct WitnessField {
  std::string name;
  std::vector<std::vector<std::string>> rows;  ///< 1 x 1 for a scalar
};

struct ClaimResult {
  Verdict verdict = Verdict::not_run;
  std::string reason;  ///< why, where the verdict is not_run or inconclusive
  std::optional<Rigor> rigor;
  std::string scope;       ///< what the verdict covers and what not
  std::string correction;  ///< the repaired statement, where the verdict is corrected
  std::vector<Evidence> evidence;
  std::vector<WitnessField> witness;
  double seconds = 0;
};

struct ClaimContext {
  Effort effort = Effort::normal;
  std::uint64_t seed = 1;
  unsigned threads = 0;
  std::string activations;  ///< path of the .safetensors with real queries and keys; may be empty
  std::shared_ptr<const Backend>
      device{};  ///< draws and scores sampled curves and histograms where set
};

/// A claim of the registry.
struct Claim {
  std::string id;         ///< "theorem-3.2"
  std::string source;     ///< where the statement is printed: "paper, Theorem 3.2" or "derived"
  std::string statement;  ///< as printed, in plain text
  std::string hypotheses;
  Verdict recorded = Verdict::not_run;  ///< the verdict that `verify` must reproduce
  std::function<ClaimResult(const ClaimContext&)> check;  ///< empty: not checked yet
  std::string not_run_reason;                             ///< where check is empty
  std::string overturned_by;  ///< what would overturn the recorded verdict; empty where none is
};

/// All claims, in the order of the report.
const std::vector<Claim>& claim_registry();
/// nullptr for an unknown id.
const Claim* find_claim(std::string_view id);

}  // namespace tapalab
