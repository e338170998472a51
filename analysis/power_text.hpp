// Whole numbers written as powers: 2^40, 2^63-1.
#pragma once

#include <boost/multiprecision/cpp_int.hpp>
#include <optional>
#include <string_view>

namespace tapalab {

/// BASE^EXPONENT or BASE^EXPONENT-LESS, each in decimal digits: exact up to 2^70, and some larger
/// number beyond. Empty where the text has another form or the value is negative.
std::optional<boost::multiprecision::cpp_int> parse_power(std::string_view text);

}  // namespace tapalab
