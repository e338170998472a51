// From the exact numbers of a score to its tables of doubles.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/numbers/wide.hpp"
#include "sim/score_model.hpp"
#include "sim/score_tables.hpp"

namespace tapalab {

/// hi the nearest double and lo the nearest double of the rest: relative error below 2^-105.
TwoTerm<double> two_term(const Wide& x);

/// Tables for the distances, in their order.
ScoreTables make_score_tables(const ScoreModel& model, const std::vector<std::uint64_t>& distances);

std::uint32_t head_dim_of(const ScoreModel& model);

}  // namespace tapalab
