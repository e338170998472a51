// The floating-point formats of a kernel's parts, and their names on the command line.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/io/float_formats.hpp"

namespace tapalab {

/// Where a kernel of a positional encoding rounds.
struct Precisions {
  FloatFormat io = FloatFormat::f32;     ///< queries, keys, values, rotated vectors, outputs
  FloatFormat accum = FloatFormat::f32;  ///< dot products, logits, softmax, weighted sums
  FloatFormat phase = FloatFormat::f32;  ///< positions, frequencies, phase scale, angle or phase
  FloatFormat table = FloatFormat::f32;  ///< stored cosines and sines of rotary encodings
  FloatFormat trig = FloatFormat::f32;   ///< reduced angle, and the cosine and sine of it

  friend bool operator==(const Precisions&, const Precisions&) = default;
};

/// io, phase, table and trig in `dtype`; accum in fp32, or fp64 for fp64: what tensor cores and
/// attention kernels do.
Precisions preset(FloatFormat dtype);

/// What a device's cosine and sine may be off by: those of sim/elementary.hpp or of CUDA's library
/// (2 units in the last place), and their roundings to the trigonometric, the table's and the
/// accumulation format.
double device_cosine_error(const Precisions& precisions);

/// "fp64", "fp32", "bf16", "fp16".
std::string_view precision_name(FloatFormat format);

/// Reads such a name; `name` is the option. Throws InputError.
FloatFormat parse_precision(std::string_view text, std::string_view name);

/// Names separated by commas, each once. Throws InputError.
std::vector<FloatFormat> parse_precisions(std::string_view text, std::string_view name);

/// "io=bf16 accum=fp32 phase=bf16 table=bf16 trig=bf16".
std::string to_text(const Precisions& precisions);

}  // namespace tapalab
