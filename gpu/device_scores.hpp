// What the host part of the CUDA backend asks of its device part. Light: no multiprecision, no
// CUDA.
#pragma once

#include <cstddef>
#include <string>

#include "sim/score_tables.hpp"

namespace tapalab::gpu {

/// Empty where device 0 can run this build's kernels, else why not, in one line.
std::string unavailable_reason();

/// Makes device `number`, modulo their number, that of the calling thread. Does nothing without
/// one.
void choose_device(unsigned number);

/// scores[pair * distances + i] for `count` pairs of head_dim values each, at as many distances as
/// the tables have. Throws UnavailableError where the device cannot run or
/// CUDA fails.
void device_scores(const ScoreTables& tables, std::size_t distances, std::size_t head_dim,
                   std::size_t count, const double* queries, const double* keys, double* scores);

}  // namespace tapalab::gpu
