// Sampled rows of causal attention in low precision, against fp64.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/scores.hpp"
#include "analysis/crosscheck/tokens.hpp"

namespace tapalab {

struct AttentionTask {
  Encoding encoding;
  Precisions precisions;
  const TokenStream* tokens = nullptr;
  /// Row numbers first_row .. last_row - 1 of spread_rows; unless `rows` names the tokens.
  std::uint64_t first_row = 0, last_row = 0;
  std::vector<std::uint64_t> rows{};
  /// Outputs of somebody else's kernel at those rows, dim values each; empty: none.
  std::vector<double> observed{};
  unsigned threads = 0;  ///< 0: all; never changes a result
  std::function<void(double fraction)> progress{};
};

/// Rows first .. last - 1 of a fixed order in which every stretch is spread over the sequence:
/// number i is row (L - 1 - i g) mod L, g prime to L and near 0.618 L; number 0 is the last row.
/// last <= seq_len <= 2^32.
std::vector<std::uint64_t> spread_rows(std::uint64_t seq_len, std::uint64_t first,
                                       std::uint64_t last);

struct AttentionCheck {
  std::uint64_t seq_len = 0;
  std::uint32_t head_dim = 0;
  std::vector<std::uint64_t> rows;
  std::vector<double> reference;  ///< rows x head_dim
  ErrorSummary kernel;  ///< the emulated kernel's; `worst` is row number * head_dim + coordinate
  ErrorSummary io;      ///< the same computation with every step stored in the io type
  std::optional<ErrorSummary> observed;
  double io_spacing = 0;  ///< max |(ref + 0.3 - 0.3) - ref| in the io type
  double tolerance = 0;   ///< 2 io.max + 2 io_spacing
  /// What each stage adds to the kernel's outputs, at most, when the stages are rounded one after
  /// the other: their sum is at least kernel.max over budget_rows of the rows.
  Budget budget;
  std::size_t budget_rows = 0;
  double budget_error = 0;  ///< the kernel's largest error over those rows
  /// The observed kernel's, else the emulated one's, largest error is within the tolerance, and all
  /// its outputs are finite.
  bool holds = true;
};

/// Scores as in phase_kernel.hpp and rotary_kernel.hpp; softmax in tiles of 64 keys with a running
/// maximum, exponentials and sums in the accumulation type, weights rounded to the io type before
/// they meet the values, outputs divided and stored in the io type. Keys stream in blocks: memory
/// does not grow with the square of the sequence. Throws InputError as check_scores does, and where
/// `observed` has another size.
AttentionCheck check_attention(const AttentionTask& task);

}  // namespace tapalab
