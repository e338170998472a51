// Scores of a kernel that computes in given floating-point formats, as a backend with such
// arithmetic takes them: plain numbers, each a value of the format that it is said to have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/io/float_formats.hpp"

namespace tapalab {

/// Where the kernel rounds (analysis/crosscheck/precision.hpp).
struct KernelFormats {
  FloatFormat io, accum, phase, table, trig;
};

/// q and k: `count` rows of head_dim values of the io format.
struct KernelRows {
  KernelFormats formats;
  std::uint32_t head_dim = 0;
  std::size_t count = 0;
  const double* q = nullptr;
  const double* k = nullptr;
};

/// A split score at one distance (analysis/crosscheck/phase_kernel.hpp).
struct PhaseBatch {
  KernelRows rows;
  std::uint32_t amplitude_dim = 0;
  bool linear = false;          ///< eq. 16
  double amplitude_factor = 1;  ///< of the accumulation format, as is the next
  double phase_factor = 1;
  double scale = 1;  ///< of the phase format
};

/// Of each row.
struct PhaseOutputs {
  std::vector<double> score, cosine;
  std::vector<double> turns;  ///< the reduced phase
};

/// A rotary score at one place (analysis/crosscheck/rotary_kernel.hpp).
struct RotaryBatch {
  KernelRows rows;
  struct Pair {
    std::uint32_t first, second;
    double frequency;  ///< radians a token, of the phase format
    double factor;     ///< of the trigonometric format
  };
  std::vector<Pair> pairs;
  std::uint64_t query_position = 0, key_position = 0;
  double scale = 1;  ///< of the accumulation format
};

struct RotaryOutputs {
  std::vector<double> score;
  /// Of each pair, the query's and then the key's: what the kernel's tables hold.
  std::vector<double> cosine, sine;
  std::vector<double> angle;  ///< reduced, in radians
};

}  // namespace tapalab
