// LogNumber: a real number of any size that a result can hold. E can be 1e-70 at ordinary settings
// and 1e-9000 at extreme ones; it is never printed as 0.
#pragma once

#include <string>
#include <string_view>

#include "sim/numbers/wide.hpp"

namespace tapalab {

/// The double nearest to what `LogNumber::decimal` wrote; 0 or infinity where that is out of range.
double nearest_double(std::string_view decimal);

/// Which way printed digits are rounded: to the nearest, or to a number not above or not below.
enum class Rounding { nearest, down, up };

class LogNumber {
 public:
  LogNumber() = default;
  explicit LogNumber(Wide value) : value_(std::move(value)) {}
  explicit LogNumber(double value) : value_(value) {}

  /// -1, 0 or 1.
  int sign() const { return value_.sign(); }
  /// log10 of the magnitude; -infinity for 0.
  double log10_abs() const;
  /// The double nearest to `decimal()`, which is authoritative, and so within its last digit of
  /// the number itself; 0 or infinity where it is out of range.
  double value() const;
  /// Scientific notation, correctly rounded to `digits` significant digits (1 to 18; to nearest:
  /// halves away from 0), any exponent: "-6.8434543593029599e-51". Beyond 10^(+-80) the digits
  /// are those of a number within 2^-180 of this one, relative (beyond 10^(+-1000), 2^-120).
  std::string decimal(int digits = 17, Rounding rounding = Rounding::nearest) const;
  const Wide& wide() const { return value_; }

  /// Reads what `decimal` writes. Throws InputError.
  static LogNumber parse(std::string_view text, std::string_view name);

 private:
  Wide value_{0};
};

}  // namespace tapalab
