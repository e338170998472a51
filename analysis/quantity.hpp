// A computed quantity with its error and the kind of that error.
#pragma once

#include <optional>
#include <string_view>

#include "analysis/log_number.hpp"

namespace tapalab {

/// rounding: closed form, bounded by a running error bound; quadrature: discretisation estimate;
/// confidence: statistical interval at `level`; ball: certified enclosure.
enum class ErrorKind { rounding, quadrature, confidence, ball };
std::string_view to_string(ErrorKind kind);

/// The truth lies in [lower, upper]: always (rigorous), by the estimate (not rigorous), or with
/// probability `level` (confidence).
struct Error {
  ErrorKind kind = ErrorKind::rounding;
  bool rigorous = false;
  LogNumber absolute;  ///< largest distance from the estimate to an end of the interval
  std::optional<double> relative_to_envelope;  ///< absolute / |Phi_1|; unset where it is undefined
  std::optional<double> level;                 ///< confidence level; unset for other kinds
  LogNumber lower;
  LogNumber upper;
};

struct Quantity {
  LogNumber estimate;
  Error error;
  bool sign_resolved = true;  ///< false: the interval of a sampled mean contains 0
};

/// estimate +- absolute.
Quantity with_symmetric_error(LogNumber estimate, ErrorKind kind, bool rigorous,
                              const Wide& absolute);

/// Fills error.relative_to_envelope of `quantity`.
void relate_to_envelope(Quantity& quantity, const Wide& envelope);

}  // namespace tapalab
