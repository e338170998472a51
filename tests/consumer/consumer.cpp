// Uses the installed package alone: one exact mean against a value computed elsewhere at 60 digits
// (tests/data/tapa_gaussian.json), and the claim registry, which links the ball arithmetic.
#include <cstdio>
#include <exception>

#include "analysis/experiment.hpp"
#include "proofs-check/claim.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"

namespace {

int run() {
  tapalab::CurveTask task;
  task.encoding = tapalab::parse_encoding("tapa");
  task.density = tapalab::parse_density("gaussian:rho=0.25");
  task.distances = tapalab::parse_distances("1000");
  const tapalab::CurvePoint point = tapalab::exact_gaussian_curve(task).points.at(0);

  const tapalab::Wide expected("8.0910262792256317415e-18");
  const tapalab::Wide miss = abs(point.mean->estimate.wide() - expected);
  const bool mean_holds = miss <= tapalab::Wide(1e-12) * point.envelope->estimate.wide();
  const bool claim_known = tapalab::find_claim("theorem-3.2") != nullptr;

  std::printf("mean at distance 1000: %s, %s; theorem-3.2 %s\n",
              point.mean->estimate.decimal().c_str(), mean_holds ? "as expected" : "wrong",
              claim_known ? "is listed" : "is missing");
  return mean_holds && claim_known ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const std::exception& fault) {
    std::fprintf(stderr, "%s\n", fault.what());
    return 1;
  }
}
