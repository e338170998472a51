// The result of an engine: quantities of the score at each distance.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/quantity.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace tapalab {

/// converged: the error meets what was asked (1e-12 of the envelope for exact and quadrature);
/// target_not_met: a sound but wider result; unresolved: a sampled mean whose interval contains 0.
enum class Status { converged, target_not_met, unresolved };
std::string_view to_string(Status status);

enum class Engine { automatic, exact, quadrature, asymptotic, mc, qmc, conditional, ball, gpu };
std::string_view to_string(Engine engine);

struct CurvePoint {
  std::uint64_t distance = 0;
  Engine engine = Engine::exact;
  Status status = Status::converged;
  std::optional<Quantity> mean;
  /// |Phi_1| for phase scores; for rotary scores scale * sum_d sqrt(mu_d^2 + nu_d^2), the largest
  /// mean that any distance can have.
  std::optional<Quantity> envelope;
  std::optional<Quantity> variance;
  /// Var - E[a^2]/2, computed without that subtraction; phase scores only.
  std::optional<Quantity> variance_excess;
};

struct DistanceCurve {
  Encoding encoding;
  Density density;
  std::uint32_t head_dim = 0;
  std::optional<std::uint64_t> seed;     ///< sampling engines only
  std::optional<std::uint64_t> samples;  ///< sampling engines only
  std::vector<CurvePoint> points;        ///< in the order of the distances asked for
  /// Why quantities that the engine gives elsewhere are missing here, in one sentence; empty where
  /// none is.
  std::string unavailable{};
  /// Which estimator ran, where it is not the plain one; empty elsewhere.
  std::string estimator{};
};

}  // namespace tapalab
