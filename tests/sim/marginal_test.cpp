#include <algorithm>
#include <boost/math/quadrature/gauss.hpp>
#include <boost/math/special_functions/bessel.hpp>
#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/errors.hpp"
#include "sim/exponential.hpp"
#include "sim/marginal_law.hpp"
#include "sim/marginal_table.hpp"
#include "sim/product_sampler.hpp"

using namespace tapalab;

namespace {

constexpr double kUnit = 1.1102230246251565e-16;

Marginal law_of(MarginalFamily family, const char* nu = "12") {
  return {family, ExactDecimal::parse(nu, "nu")};
}

// int_0^end g(x) dx in panels of s, x = s^2: takes the square-root singularity away.
template <class Function>
double integral(const Function& g, double end) {
  const double limit = std::sqrt(end);
  const int panels = static_cast<int>(limit / 0.05) + 1;
  double sum = 0;
  for (int i = 0; i < panels; ++i) {
    sum += boost::math::quadrature::gauss<double, 30>::integrate(
        [&](double s) { return 2 * s * g(s * s); }, limit * i / panels, limit * (i + 1) / panels);
  }
  return sum;
}

double end_of(const MarginalLaw<double>& law) {
  if (law.half_width() > 0) return law.half_width();
  return law.family() == MarginalFamily::student_t ? 400 : 60;
}

ProductModel one_coordinate(MarginalFamily family, const char* nu = "12") {
  return {1, law_of(family, nu), law_of(family, nu), {0, 0}, {1, 1}};
}

std::vector<double> draws(MarginalFamily family, std::size_t count, const char* nu = "12") {
  const ProductSource source(one_coordinate(family, nu), 20240611);
  std::vector<double> values, x(2 * kLanes);
  for (std::uint64_t first = 0; values.size() < count; first += kLanes) {
    source.lanes(first, x.data());
    values.insert(values.end(), x.begin(), x.end());
  }
  values.resize(count);
  return values;
}

}  // namespace

TEST_CASE("every density has mass 1, variance 1 and the stated fourth moment") {
  for (const MarginalFamily family : kMarginalFamilies) {
    if (family == MarginalFamily::rademacher) continue;
    INFO(marginal_name(family));
    const MarginalLaw<double> law(law_of(family));
    const double end = end_of(law);
    const auto moment = [&](int n) {
      return 2 * integral([&](double x) { return std::pow(x, n) * law.density(x); }, end);
    };
    CHECK(std::fabs(moment(0) - 1) < 1e-13);
    CHECK(std::fabs(moment(2) - 1) < 1e-13);
    CHECK(std::fabs(moment(4) / facts(law_of(family)).fourth_moment - 1) < 1e-12);
  }
  CHECK(std::isinf(facts(law_of(MarginalFamily::student_t, "4")).fourth_moment));
}

TEST_CASE("every characteristic function is the numerical Fourier transform of its density") {
  for (const MarginalFamily family : kMarginalFamilies) {
    if (family == MarginalFamily::rademacher) continue;
    const MarginalLaw<double> law(law_of(family));
    for (const double w : {0.0, 1e-3, 0.3, 0.9, 2.0, 5.0, 11.0}) {
      INFO(marginal_name(family) << " w=" << w);
      const double expected =
          2 * integral([&](double x) { return law.density(x) * std::cos(w * x); }, end_of(law));
      CHECK(std::fabs(law.characteristic(w) - expected) < 1e-13);
      CHECK(std::fabs(law.characteristic(w)) <= law.size(w) * (1 + 1e-14));
    }
  }
}

TEST_CASE("double and Wide agree within the stated bounds") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const MarginalFamily family : kMarginalFamilies) {
    const bool costly = family == MarginalFamily::bump || family == MarginalFamily::student_t;
    const MarginalLaw<double> quick(law_of(family, "5.5"));
    const MarginalLaw<Wide> fine(law_of(family, "5.5"));
    for (int i = 0; i < (costly ? 12 : 200); ++i) {
      const double x = std::exp(12 * unit(random) - 8);
      INFO(marginal_name(family) << " at " << x);
      const Wide F = fine.characteristic(Wide(x)), size = fine.size(Wide(x));
      if (size > Wide(1e-290)) {
        // An angle or exponent of size x or x^2 is rounded as a whole.
        const double condition = 8 + std::fabs(std::log(static_cast<double>(size))) + 2 * x;
        CHECK(abs(Wide(quick.characteristic(x)) - F) <= Wide(2 * kUnit * condition) * size);
      }
      if (family == MarginalFamily::rademacher) continue;
      const Wide f = fine.density(Wide(x));
      if (f < Wide(1e-290)) continue;
      const double exponent = std::fabs(std::log(static_cast<double>(f)));
      const double edge = family == MarginalFamily::bump ? exponent * exponent : 0;
      CHECK(abs(Wide(quick.density(x)) - f) <= Wide(2 * kUnit * (4 + exponent + edge)) * f);
    }
  }
}

TEST_CASE("student-t has Bessel's function K for its characteristic function") {
  for (const char* text : {"2.5", "3", "7", "40"}) {
    const double nu = std::stod(text), m = nu / 2;
    const MarginalLaw<double> law(law_of(MarginalFamily::student_t, text));
    for (const double w : {1e-3, 0.1, 1.0, 4.0, 20.0}) {
      const double z = w * std::sqrt(nu - 2);
      const double expected =
          2 / std::tgamma(m) * std::pow(z / 2, m) * boost::math::cyl_bessel_k(m, z);
      INFO("nu=" << nu << " w=" << w);
      CHECK(std::fabs(law.characteristic(w) / expected - 1) < 1e-13 * (1 + m));
    }
  }
}

TEST_CASE("tables keep the stated bounds") {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> unit(0, 1);
  for (const char* nu : {"2.1", "3", "5.5", "16"}) {
    const StudentTable table(ExactDecimal::parse(nu, "nu"));
    const StudentT<long double> law(ExactDecimal::parse(nu, "nu"));
    for (int i = 0; i < 2000; ++i) {
      const double w = std::exp(25 * unit(random) - 20);
      const double z = w * std::sqrt(std::stod(nu) - 2);
      if (z > 690) continue;
      INFO("nu=" << nu << " w=" << w);
      const long double exact = law.characteristic(w);
      CHECK(std::fabs(static_cast<double>(table.characteristic(w) / exact - 1)) < kUnit * (8 + z));
    }
  }
  const BumpTable& bump = BumpTable::instance();
  for (int i = 0; i < 3000; ++i) {
    const double frequency = i % 3 == 0 ? 20 * unit(random) : BumpTable::kEnd * unit(random);
    const double w = frequency / bump_half_width<double>();
    INFO("w'=" << frequency);
    const long double exact = bump_characteristic<long double>(w);
    const double size = std::min(1.0, 16 * std::exp(-std::sqrt(frequency)));
    CHECK(std::fabs(static_cast<double>(bump.characteristic(w) - exact)) <= 4 * kUnit * size);
    CHECK(std::fabs(static_cast<double>(exact)) <= size * (1 + 1e-12));
  }
}

TEST_CASE("samples follow their distribution function (Kolmogorov)") {
  constexpr std::size_t kCount = 40'000;
  for (const MarginalFamily family : kMarginalFamilies) {
    if (family == MarginalFamily::rademacher) continue;
    std::vector<double> values = draws(family, kCount);
    std::sort(values.begin(), values.end());
    const MarginalLaw<double> law(law_of(family));
    // The distribution function at every 40th value: by integrals from value to value.
    double worst = 0;
    for (std::size_t i = 20; i < kCount; i += 40) {
      const double x = std::fabs(values[i]);
      const double half = integral([&](double y) { return law.density(y); }, x);
      const double below = values[i] < 0 ? 0.5 - half : 0.5 + half;
      worst = std::max(worst, std::fabs(below - (static_cast<double>(i) + 0.5) / kCount));
    }
    INFO(marginal_name(family));
    CHECK(worst * std::sqrt(kCount) < 1.95);  // exceeded by chance once in 1000
  }
}

TEST_CASE("samples have mean 0, variance 1 and the fourth moment") {
  constexpr std::size_t kCount = 100'000;
  for (const MarginalFamily family : kMarginalFamilies) {
    double m1 = 0, m2 = 0, m4 = 0, m8 = 0;
    for (const double x : draws(family, kCount, "40")) {
      m1 += x;
      m2 += x * x;
      m4 += x * x * x * x;
      m8 += std::pow(x, 8);
    }
    for (double* moment : {&m1, &m2, &m4, &m8}) *moment /= kCount;
    INFO(marginal_name(family));
    const double fourth = facts(law_of(family, "40")).fourth_moment;
    const double root = std::sqrt(double{kCount});
    CHECK(std::fabs(m1) < 4 / root);
    CHECK(std::fabs(m2 - 1) <= 4 * std::sqrt(std::max(0.0, fourth - 1)) / root + 1e-12);
    CHECK(std::fabs(m4 - fourth) <= 5 * std::sqrt(std::max(0.0, m8 - m4 * m4)) / root + 1e-12);
  }
}

TEST_CASE("e^y - 1 keeps its stated bound") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < 100'000; ++i) {
    const double y = i % 2 == 0 ? 700 * unit(random) : std::exp(-40 * unit(random));
    const long double exact = std::expm1(static_cast<long double>(y));
    REQUIRE(std::fabs(static_cast<double>(exp_minus_one(y) / exact - 1)) <= 6e-16);
  }
  CHECK(exp_minus_one(0) == 0);
}

TEST_CASE("product densities are read, with their refusals") {
  const auto law = [](const char* spec) {
    return std::get<ProductDensity>(parse_density(spec).law);
  };
  const ProductDensity mixed = law("sech:key=student-t,nu=3,a.mean_q=0.5,scale_k=2");
  CHECK(mixed.query.family == MarginalFamily::sech);
  CHECK(mixed.key.family == MarginalFamily::student_t);
  CHECK(mixed.key.nu.text() == "3");
  CHECK(mixed.split);
  CHECK(mixed.amplitude.mean_q.text() == "0.5");
  CHECK(mixed.phase.scale_k.text() == "2");
  CHECK(law("gaussian:key=laplace").name == "gaussian");
  CHECK(std::holds_alternative<GaussianDensity>(parse_density("gaussian:key=gaussian").law));
  for (const char* spec : {"student-t", "student-t:nu=2", "student-t:nu=1.5", "sech:rho=0.25",
                           "sech:nu=3", "gaussian:rho=0.5,key=sech", "laplace:scale_q=0",
                           "laplace:key=cauchy", "sech:key=student-t", "gaussian:nu=3"}) {
    INFO(spec);
    CHECK_THROWS_AS(parse_density(spec), InputError);
  }
}
