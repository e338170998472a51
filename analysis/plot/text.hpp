// Text that goes into figures: safe for gnuplot, wrapped to a width.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tapalab::plot {

/// A gnuplot string literal that shows `text` literally: every ASCII character but letters and
/// spaces is an octal escape, so that none can end the literal or start a substitution.
/// (gnuplot 5.4 reads any number of octal digits after a backslash, hence digits too; and within
/// single quotes it misreads a leading quote.) Control characters become spaces, bytes that are not
/// UTF-8 become U+FFFD, so that an SVG stays valid XML. Draw it with `noenhanced`.
std::string quoted(std::string_view text);

/// Code points in valid UTF-8 text.
std::size_t text_width(std::string_view text);

/// Lines of at most `width` code points (at least 8): broken at spaces, else after one of ",:;/=",
/// else anywhere. An empty text gives no line.
std::vector<std::string> wrap_text(std::string_view text, std::size_t width);

/// "0.25", "1200", "4.5e-12": at most `digits` significant digits.
std::string short_number(double value, int digits = 3);

/// Powers of ten of any size: "3.2e-9000" from log10|x|.
std::string short_power(double log10_abs);

/// 1000000 -> "1 000 000" (thin spaces).
std::string grouped(unsigned long long value);

}  // namespace tapalab::plot
