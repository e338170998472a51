// Functions of the device over every argument that they can get.
#pragma once

#include <cstdint>

namespace tapalab::gpu {

/// The largest error over a set of floats, and a float that has it.
struct LargestError {
  double error = 0;
  float at = 0;
};

/// Over every float in [-1/2, 1/2].
struct CosineErrors {
  LargestError sine, cosine;      ///< sincos_2pi in float, of the shared score function
  LargestError special;           ///< cos_turns_special of the attention kernel
  LargestError polynomial;        ///< cos_turns_polynomial of the attention kernel
  std::uint64_t sum_of_bits = 0;  ///< of the bits of sincos_2pi's sines and cosines
};
CosineErrors cosine_errors();

/// The exponential of the attention kernel, relative errors.
struct ExponentialErrors {
  LargestError near_zero;  ///< over every float in [-1/2, 1/2]
  LargestError weights;    ///< over every float in [-126, 6], the exponents of weights
};
ExponentialErrors exponential_errors();

/// Cosines of the integers 0 to 131071, in radians, on the special-function unit.
struct FarCosineErrors {
  LargestError direct;   ///< as fast-math compiles it
  LargestError reduced;  ///< of the fraction of a turn that phase_turns leaves
};
FarCosineErrors far_cosine_errors();

/// FastNormals over every word.
struct NormalErrors {
  double radius = 0;             ///< largest absolute error of a radius
  double radius_from_tenth = 0;  ///< the same for radii of at least 0.1
  double wave = 0;               ///< of the sine and the cosine
  double square_bias = 0;        ///< (mean square of a normal)/(that of exact arithmetic) - 1
  double fourth_bias = 0;        ///< likewise of fourth powers
  double exact_square = 0;       ///< mean square in exact arithmetic of the words, about 1
  bool finite = true;
};
NormalErrors normal_errors();

}  // namespace tapalab::gpu
