// Which moments of a score exist.
#pragma once

#include <string>
#include <string_view>

#include "sim/density.hpp"

namespace tapalab {

/// E|a|^p is finite for the amplitude a of a score under this density, and so E|score|^p, for p
/// below this; infinity where all moments are finite. For a sum of products of independent
/// coordinates it is the least of their own: nu for student-t. Where q and k share one scale it is
/// half of that: nu/2 for student-t-joint.
double moments_below(const DensityLaw& law);

/// Throws InputError, beginning with `option`, where scores have no variance, so that no interval
/// for a sampled mean can be had.
void check_sampled_mean(const DensityLaw& law, std::string_view option);

/// A sampled variance v has a standard error where fourth moments exist, and an estimate of that
/// error that settles as 1/sqrt(n) where eighth moments do: without them intervals for v cover too
/// rarely at any number of samples that can be had. Empty where eighth moments exist, else the
/// reason in one sentence. Means need second moments.
std::string spread_unavailable(const DensityLaw& law);

}  // namespace tapalab
