#include "sim/simd_level.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

SimdLevel widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
    return SimdLevel::avx512;
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return SimdLevel::avx2;
#endif
  return SimdLevel::scalar;
}

SimdLevel limit() {
  const char* value = std::getenv("TAPALAB_SIMD");
  const std::string name = value == nullptr ? "" : value;
  if (name.empty() || name == "avx512") return SimdLevel::avx512;
  if (name == "avx2") return SimdLevel::avx2;
  if (name == "scalar") return SimdLevel::scalar;
  throw InputError("TAPALAB_SIMD is '" + name + "'; accepted are scalar, avx2 and avx512");
}

}  // namespace

SimdLevel simd_level() { return std::min(widest(), limit()); }

}  // namespace tapalab
