// How functions that host and device share, or that every vector width compiles for itself, are
// declared.
#pragma once

#if defined(__CUDACC__)
#define TAPALAB_HD __host__ __device__
#else
#define TAPALAB_HD
#endif

/// Always inlined: into kernels of one vector width, where a call would leave that width and its
/// fused multiply-add.
#define TAPALAB_INLINE inline __attribute__((always_inline))
