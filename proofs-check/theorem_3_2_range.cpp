#include <fmt/format.h>

#include "proofs-check/evidence.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"
#include "sim/mutants.hpp"

namespace tapalab {
namespace {

constexpr slong kTheorem32RangeBits = 96;
constexpr int kDepth = 60;

class Certifier {
 public:
  explicit Certifier(const PairLaw& phase) : phase_(phase) {
    const Ball rho = Ball::decimal(phase.rho.text(), kTheorem32RangeBits);
    root_ = sqrt(Ball(1, kTheorem32RangeBits) - rho * rho);
    if (mutant("range-correlation-dropped")) root_ = Ball(1, kTheorem32RangeBits);
  }

  bool decide(const Ball& low, const Ball& high, int depth, RangeCertificate& certificate) {
    const Ball t = hull(low, high);
    const Ball ratio = abs(pair_transform_ball(phase_, t)) * t * root_;
    if (certainly_less(ratio, Ball(1, kTheorem32RangeBits))) {
      ++certificate.intervals;
      if (!certainly_less(ratio, certificate.worst)) certificate.worst = ratio;
      return true;
    }
    if (depth == kDepth) return false;
    // halves in the logarithm; the midpoint of a ball, exactly, so that no gap is left
    const Ball middle = Ball::exactly(sqrt(low * high).midpoint_wide(), kTheorem32RangeBits);
    return decide(low, middle, depth + 1, certificate) &&
           decide(middle, high, depth + 1, certificate);
  }

 private:
  const PairLaw& phase_;
  Ball root_{1, kTheorem32RangeBits};
};

}  // namespace

RangeCertificate certify_bound_over_scales(const PairLaw& phase, std::uint32_t phase_dim,
                                           const Ball& low, const Ball& high) {
  const Ball per_scale = Ball::pi(kTheorem32RangeBits) * 2 /
                         sqrt(Ball(static_cast<slong>(phase_dim), kTheorem32RangeBits));
  RangeCertificate certificate{false, 0, Ball(0, kTheorem32RangeBits)};
  certificate.holds = Certifier(phase).decide(low * per_scale, high * per_scale, 0, certificate);
  return certificate;
}

void check_bound_over_ranges(std::vector<Evidence>& rows) {
  for (const char* rho : {"0", "0.25", "0.9"}) {
    PairLaw phase;
    phase.rho = ExactDecimal::parse(rho, "rho");
    // 2^(63/10) < 79
    const RangeCertificate found = certify_bound_over_scales(
        phase, 64, Ball(1, kTheorem32RangeBits), Ball(79, kTheorem32RangeBits));
    rows.push_back(
        {"ball",
         fmt::format("intervals that hold every real s in [1, 79], so all distances from 1 to 2^63 "
                     "at alpha = 0.1, on each of which the whole ball of (envelope/(l^-dP "
                     "||w^||_1))^(1/dP) is below 1; rho = {}, D = 128",
                     rho),
         "all", found.holds ? fmt::format("all {}", found.intervals) : "not all", "0 (ball)",
         found.holds});
  }
}

}  // namespace tapalab
