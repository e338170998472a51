#include "sim/io/float_formats.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "sim/io/binary_file.hpp"

namespace tapalab {
namespace {

double decode_half(std::uint32_t bits) {
  const std::uint32_t exponent = bits >> 10 & 0x1f;
  const std::uint32_t fraction = bits & 0x3ff;
  double magnitude;
  if (exponent == 0)
    magnitude = std::ldexp(static_cast<double>(fraction), -24);
  else if (exponent == 0x1f)
    magnitude = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
  else
    magnitude = std::ldexp(static_cast<double>(fraction | 0x400), static_cast<int>(exponent) - 25);
  return (bits & 0x8000) != 0 ? -magnitude : magnitude;
}

}  // namespace

std::string_view to_string(FloatFormat format) {
  switch (format) {
    case FloatFormat::bf16:
      return "bf16";
    case FloatFormat::f16:
      return "f16";
    case FloatFormat::f32:
      return "f32";
    case FloatFormat::f64:
      return "f64";
  }
  return "";
}

std::size_t byte_width(FloatFormat format) {
  switch (format) {
    case FloatFormat::bf16:
    case FloatFormat::f16:
      return 2;
    case FloatFormat::f32:
      return 4;
    case FloatFormat::f64:
      return 8;
  }
  return 0;
}

double decode_float(FloatFormat format, const unsigned char* bytes) {
  const auto bits = little_endian(bytes, static_cast<unsigned>(byte_width(format)));
  switch (format) {
    case FloatFormat::bf16:  // the upper half of a binary32
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
    case FloatFormat::f16:
      return decode_half(static_cast<std::uint32_t>(bits));
    case FloatFormat::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case FloatFormat::f64:
      return std::bit_cast<double>(bits);
  }
  return 0;
}

std::vector<double> decode_floats(FloatFormat format, const unsigned char* bytes,
                                  std::size_t count) {
  std::vector<double> values(count);
  const std::size_t width = byte_width(format);
  for (std::size_t i = 0; i < count; ++i) values[i] = decode_float(format, bytes + i * width);
  return values;
}

}  // namespace tapalab
