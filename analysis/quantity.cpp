#include "analysis/quantity.hpp"

#include <algorithm>
#include <cmath>

#include "analysis/distance_curve.hpp"

namespace tapalab {

std::string_view to_string(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::rounding:
      return "rounding";
    case ErrorKind::quadrature:
      return "quadrature";
    case ErrorKind::confidence:
      return "confidence";
    case ErrorKind::ball:
      return "ball";
  }
  return "";
}

std::string_view to_string(Status status) {
  switch (status) {
    case Status::converged:
      return "converged";
    case Status::target_not_met:
      return "target-not-met";
    case Status::unresolved:
      return "unresolved";
  }
  return "";
}

std::string_view to_string(Engine engine) {
  switch (engine) {
    case Engine::automatic:
      return "auto";
    case Engine::exact:
      return "exact";
    case Engine::quadrature:
      return "quadrature";
    case Engine::asymptotic:
      return "asymptotic";
    case Engine::mc:
      return "mc";
    case Engine::qmc:
      return "qmc";
    case Engine::conditional:
      return "conditional";
    case Engine::ball:
      return "ball";
    case Engine::gpu:
      return "gpu";
  }
  return "";
}

Quantity with_symmetric_error(LogNumber estimate, ErrorKind kind, bool rigorous,
                              const Wide& absolute) {
  Quantity quantity;
  quantity.error.kind = kind;
  quantity.error.rigorous = rigorous;
  quantity.error.absolute = LogNumber(absolute);
  quantity.error.lower = LogNumber(Wide(estimate.wide() - absolute));
  quantity.error.upper = LogNumber(Wide(estimate.wide() + absolute));
  quantity.estimate = std::move(estimate);
  return quantity;
}

void relate_to_envelope(Quantity& quantity, const Wide& envelope) {
  if (envelope <= 0) {
    quantity.error.relative_to_envelope.reset();
    return;
  }
  long long exponent = 0;
  const Wide part = frexp(Wide(quantity.error.absolute.wide() / envelope), &exponent);
  const double ratio = std::ldexp(static_cast<double>(part),
                                  static_cast<int>(std::clamp(exponent, -2000LL, 2000LL)));
  quantity.error.relative_to_envelope =
      std::isfinite(ratio) ? std::optional<double>(ratio) : std::nullopt;
}

}  // namespace tapalab
