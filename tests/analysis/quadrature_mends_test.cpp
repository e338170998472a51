// Places where a stated error of quadrature was once too small (docs/results/honesty.md), each
// against a primitive of its integrand.
#include <cmath>

#include "analysis/product_transform.hpp"
#include "analysis/stationary_phase.hpp"
#include "catch.hpp"

using namespace tapalab;

namespace {

Marginal mended_law(MarginalFamily family) { return {family, ExactDecimal(0)}; }

PairLaw mended_means(double u) {
  PairLaw law;
  law.mean_q = ExactDecimal::from_double(u, "mean");
  return law;
}

/// The uniform law around u > sqrt(3) beside sech: int sech(T x) dx = -(2/T) atan e^(-T x).
Wide uniform_sech(const Wide& u, const Wide& T) {
  const Wide root3 = sqrt(Wide(3));
  const auto at = [&](const Wide& x) { return atan2(Wide(exp(Wide(-T * x))), Wide(1)); };
  return (at(u - root3) - at(u + root3)) / (T * root3);
}

void check_held(const PairTransform& g, const Wide& exact) {
  CHECK(abs(g.value.re - exact) <= g.error);
}

}  // namespace

TEST_CASE("uniform beside laplace: no error is too small at T of 1e12 to 1e39, nothing beyond") {
  const ProductPair pair(mended_law(MarginalFamily::uniform), mended_law(MarginalFamily::laplace),
                         {});
  for (const char* text : {"1e12", "1e26", "1e28", "3e30", "1e35", "1e39"}) {
    const Wide T(text), y = T * sqrt(Wide(1.5));  // atan(y)/y
    const PairTransform g = pair.at(T, 1e-13);
    INFO("T = " << text);
    check_held(g, atan2(y, Wide(1)) / y);
  }
  const PairTransform far = pair.at(Wide("1e45"), 1e-13);
  CHECK(far.error == 1);
}

TEST_CASE("a uniform law a hundred scales from 0 beside sech keeps its width") {
  for (const double u : {20.0, 105.0, 104.7, 3000.0}) {
    const ProductPair pair(mended_law(MarginalFamily::uniform), mended_law(MarginalFamily::sech),
                           mended_means(u));
    for (const double T : {1e-4, 0.01, 0.3, 2.0}) {
      INFO("u = " << u << ", T = " << T);
      const Wide exact = uniform_sech(Wide(u), Wide(T));
      check_held(pair.at(Wide(T), 1), exact);
      check_held(pair.at(Wide(T), 1e-15), exact);
    }
  }
}

TEST_CASE("a uniform law that begins beside the center of its partner keeps that small place") {
  // F falls over 1/T, far less than the support's width
  for (const double above : {1e-3, 1e-7, 1e-11}) {
    const double u = std::sqrt(3.0) + above;
    const ProductPair pair(mended_law(MarginalFamily::uniform), mended_law(MarginalFamily::sech),
                           mended_means(u));
    for (const double T : {1.0, 0.5 / above, 20 / above}) {
      INFO("support from " << above << ", T = " << T);
      const Wide exact = uniform_sech(Wide(u), Wide(T));
      check_held(pair.at(Wide(T), 1), exact);
      const PairTransform g = pair.at(Wide(T), 1e-12);
      check_held(g, exact);
      CHECK(g.error <= Wide(1e-12) * exact);
    }
  }
}

TEST_CASE("exponents of ten million are counted in 192 bits") {
  for (const double u : {1e5, 1e7, 4e8}) {
    const ProductPair pair(mended_law(MarginalFamily::uniform), mended_law(MarginalFamily::sech),
                           mended_means(u));
    const PairTransform g = pair.at(Wide(1), 1e-30);
    const Wide exact = uniform_sech(Wide(u), Wide(1));
    INFO("u = " << u);
    check_held(g, exact);
    CHECK(exact > 0);
    CHECK(g.error < Wide(1e-30) * exact);
  }
}

TEST_CASE("the stationary expansion refuses bump, whose ends it does not see") {
  CHECK_FALSE(StationaryPair::applies(mended_law(MarginalFamily::bump)));
  CHECK_FALSE(StationaryPair::applies(mended_law(MarginalFamily::uniform)));
  CHECK(StationaryPair::applies(mended_law(MarginalFamily::sech)));
}
