// The floating-point formats of .npy and .safetensors, widened to double without rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tapalab {

/// bfloat16 and IEEE 754 binary16, binary32, binary64; little endian in files.
enum class FloatFormat { bf16, f16, f32, f64 };

std::string_view to_string(FloatFormat format);
/// Bytes per value: 2, 2, 4, 8.
std::size_t byte_width(FloatFormat format);

/// One value from its byte_width(format) bytes, least significant first. Exact: every value of
/// every format, subnormal numbers, infinities and NaN included, is a double.
double decode_float(FloatFormat format, const unsigned char* bytes);

/// `count` consecutive values.
std::vector<double> decode_floats(FloatFormat format, const unsigned char* bytes,
                                  std::size_t count);

}  // namespace tapalab
