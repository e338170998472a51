// Parameters are exact decimals: 0.1 means one tenth, not the nearest double. With law=linear at
// distance 2^63 the two differ by 51 turns times the phase.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/numbers/wide.hpp"

namespace tapalab {

/// A finite decimal number with the text it was given as.
class ExactDecimal {
 public:
  ExactDecimal() : ExactDecimal(0) {}
  ExactDecimal(int value);

  /// Reads `[+-]digits[.digits][e[+-]digits]` (e or E), at most 4096 characters and a decimal
  /// exponent within +-100000. `name` is what an error message calls it ("alpha", "--confidence").
  /// Throws InputError for anything else: NaN, infinity, empty text, trailing characters.
  static ExactDecimal parse(std::string_view text, std::string_view name);

  /// The exact decimal expansion of a finite double; throws InputError for NaN and infinity.
  static ExactDecimal from_double(double value, std::string_view name);

  /// As given: the echo in results.
  const std::string& text() const { return text_; }
  /// Nearest Wide (relative error 2^-192) and nearest double.
  Wide wide() const { return wide_; }
  double value() const { return static_cast<double>(wide_); }
  /// The Wide nearest to the exact product with an integer.
  Wide times(std::uint64_t factor) const;
  /// -1, 0 or 1 as the decimal is below, equal to or above `other`; exact, where `wide` has
  /// rounded.
  int compare(int other) const;

  friend bool operator==(const ExactDecimal& a, const ExactDecimal& b) {
    return a.wide_ == b.wide_;
  }

 private:
  std::string text_;
  Wide wide_;
};

/// A dense matrix of exact decimals, row by row.
struct DecimalMatrix {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<ExactDecimal> entries;

  const ExactDecimal& operator()(std::size_t row, std::size_t col) const {
    return entries[row * cols + col];
  }
};

}  // namespace tapalab
