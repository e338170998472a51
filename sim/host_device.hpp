// Functions that host and device share carry TAPALAB_HD.
#pragma once

#if defined(__CUDACC__)
#define TAPALAB_HD __host__ __device__
#else
#define TAPALAB_HD
#endif
