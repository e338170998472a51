// LogNumber: a real number of any size that a result can hold. E can be 1e-70 at ordinary settings
// and 1e-9000 at extreme ones; it is never printed as 0.
#pragma once

#include <string>

#include "sim/numbers/wide.hpp"

namespace tapalab {

class LogNumber {
 public:
  LogNumber() = default;
  explicit LogNumber(Wide value) : value_(std::move(value)) {}
  explicit LogNumber(double value) : value_(value) {}

  /// -1, 0 or 1.
  int sign() const { return value_.sign(); }
  /// log10 of the magnitude; -infinity for 0.
  double log10_abs() const;
  /// Nearest double; 0 or infinity where it is out of range (`decimal` is authoritative).
  double value() const;
  /// Scientific notation, correctly rounded to `digits` significant digits, any exponent:
  /// "-6.8434543593029599e-51".
  std::string decimal(int digits = 17) const;
  const Wide& wide() const { return value_; }

  /// Reads what `decimal` writes. Throws InputError.
  static LogNumber parse(std::string_view text, std::string_view name);

 private:
  Wide value_{0};
};

}  // namespace tapalab
