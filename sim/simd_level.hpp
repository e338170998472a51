// How wide the vector code may be. The width never changes a bit of any result.
#pragma once

namespace tapalab {

enum class SimdLevel { scalar, avx2, avx512 };

/// The widest level that this processor has, limited by the environment variable TAPALAB_SIMD
/// (scalar, avx2 or avx512; unset or empty: no limit). Throws InputError for any other value.
SimdLevel simd_level();

}  // namespace tapalab
