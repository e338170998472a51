#include <fmt/format.h>

#include <cmath>

#include "analysis/experiment.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/gaussian_ball.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"
#include "sim/mutants.hpp"

namespace tapalab {

ComplexBall diagonal_transform_ball(const std::vector<std::string>& M,
                                    const std::vector<std::string>& N, const std::string& rho,
                                    const Ball& t) {
  const slong bits = t.bits();
  const Ball r = Ball::decimal(rho, bits), zero(0, bits), one(1, bits);
  PairLaw law;
  law.rho = ExactDecimal::parse(rho, "rho");
  ComplexBall product{one, zero}, sum{zero, zero};
  for (std::size_t i = 0; i < N.size(); ++i) {
    const Ball u = Ball::decimal(N[i], bits) * t;
    product = product * pair_transform_ball(law, u);
    const ComplexBall delta{one - u * u * r * r + u * u, -(u * r * 2)};
    // E x y e^(iuxy) = -i d/du Delta^(-1/2)
    const ComplexBall numerator{r, u * (one - r * r) * mutated("general-derivative", 1L, 2L)};
    const ComplexBall term = numerator * pow(delta, Ball(-1, bits));
    const Ball weight = Ball::decimal(M[i], bits);
    sum = sum + ComplexBall{term.re * weight, term.im * weight};
  }
  return product * sum;
}

namespace {

constexpr slong kTheorem32GeneralBits = 256;

DecimalMatrix diagonal(const std::vector<std::string>& values) {
  const std::size_t n = values.size();
  DecimalMatrix matrix{n, n, std::vector<ExactDecimal>(n * n, ExactDecimal(0))};
  for (std::size_t i = 0; i < n; ++i)
    matrix.entries[i * n + i] = ExactDecimal::parse(values[i], "matrix");
  return matrix;
}

void check_rank(std::size_t rank, std::vector<Evidence>& rows) {
  const std::vector<std::string> M = {"1", "-0.5", "2", "0.75"};
  std::vector<std::string> N = {"1", "0.5", "-2", "1.5"};
  for (std::size_t i = rank; i < N.size(); ++i) N[i] = "0";
  CurveTask task;
  TapaGeneralEncoding encoding;
  encoding.alpha = ExactDecimal(1);
  encoding.M = diagonal(M);
  encoding.N = diagonal(N);
  task.encoding = {fmt::format("tapa-general, rank N = {}", rank), encoding};
  task.density = parse_density("gaussian:rho=0.5");
  task.head_dim = 4;
  task.distances = parse_distances("1,7,2^30,2^34");
  const DistanceCurve curve = exact_gaussian_curve(task);
  const std::string where =
      fmt::format(", tapa-general with diagonal M, rank N = {}, gaussian:rho=0.5, D = 4", rank);
  for (const CurvePoint& point : curve.points) {
    const Ball t =
        Ball::pi(kTheorem32GeneralBits) * 2 * Ball::distance(point.distance, kTheorem32GeneralBits);
    const ComplexBall truth = diagonal_transform_ball(M, N, "0.5", t);
    rows.push_back(agrees_with_ball("exact",
                                    fmt::format("mean at distance {}", point.distance) + where,
                                    *point.mean, truth.re));
  }
  // with rank N < D the amplitude keeps rho M_i on the null space of N; with full rank it vanishes
  // at the critical point, the next term is imaginary, and the mean falls faster than the envelope
  const bool full = rank == N.size();
  const auto exponent = [&](std::optional<Quantity> CurvePoint::*quantity) {
    const auto& near = curve.points[2].*quantity;
    const auto& far = curve.points[3].*quantity;
    return (near->estimate.log10_abs() - far->estimate.log10_abs()) / (4 * std::log10(2.0));
  };
  const double r = static_cast<double>(rank);
  const auto row = [&](const char* what, double observed, double expected) {
    rows.push_back({"exact", fmt::format("exponent of the {} between 2^30 and 2^34", what) + where,
                    fmt::format("{} = rank N{}", expected,
                                expected > r ? fmt::format(" + {}", expected - r) : ""),
                    fmt::format("{:.9g}", observed), "1e-12 (rounding)",
                    std::abs(observed - expected) < 1e-6});
  };
  row("envelope", exponent(&CurvePoint::envelope), full ? r + 1 : r);
  row("mean", exponent(&CurvePoint::mean), full ? r + 2 : r);
}

}  // namespace

void check_general_matrices(std::vector<Evidence>& rows) {
  for (std::size_t rank = 1; rank <= 4; ++rank) check_rank(rank, rows);
}

}  // namespace tapalab
