// Scores over the pairs of tokens of a file, with or without a bandwidth, as sums in balls: the
// formulas of docs/theory/dependence.md, "Tokens with a bandwidth", and nothing of the engines'
// numbers.
#pragma once

#include "proofs-check/ball_curve.hpp"

namespace tapalab {

/// The mean over the pairs that the density's rule makes (and over the Gaussians around them):
/// every encoding. The sums are those of the file's pairs: no error speaks of other tokens.
/// O(pairs (head_dim + exponentials)). Throws InputError for more than 2^31 products of
/// coordinates.
PointBalls token_balls(const CurveTask& task, std::uint64_t distance, slong bits);

}  // namespace tapalab
