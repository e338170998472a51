// Cross-checks of attention rows as text and JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analysis/crosscheck/attention.hpp"

namespace tapalab {

/// A check and what it was made of.
struct AttentionReport {
  Encoding encoding;
  std::optional<Density> density;     ///< where tokens were drawn
  std::optional<std::uint64_t> seed;  ///< likewise
  std::string inputs, observed;       ///< files; empty: none
  std::uint32_t head = 0;             ///< of the files
  FloatFormat dtype = FloatFormat::f32;
  Precisions precisions;
  AttentionCheck check;
};

std::string attention_table(const std::vector<AttentionReport>& reports);
/// One row for each report and kernel: emulated, io, observed.
std::string attention_csv(const std::vector<AttentionReport>& reports);
/// A part of `tapalab/crosscheck/1`.
nlohmann::ordered_json attention_json(const AttentionReport& report);

}  // namespace tapalab
