#include <random>

#include "analysis/gaussian_form.hpp"
#include "catch.hpp"

using namespace tapalab;

namespace {

Wide decimal(const char* text) { return Wide(text); }

/// A random joint Gaussian with rank-deficient covariance where asked, and random dense forms.
struct RandomProblem {
  GaussianModel model;
  SparseForm amplitude, phase;

  RandomProblem(unsigned seed, std::uint32_t head_dim, std::uint32_t rank) {
    std::mt19937_64 random(seed);
    std::normal_distribution<double> normal;
    const std::uint32_t n = 2 * head_dim;
    std::vector<std::vector<Wide>> root(n, std::vector<Wide>(rank));
    for (auto& row : root) {
      for (Wide& entry : row) entry = normal(random) / 2;
    }
    model.head_dim = head_dim;
    for (std::uint32_t i = 0; i < n; ++i) {
      model.mean.push_back(Wide(normal(random) / 3));
      for (std::uint32_t j = 0; j <= i; ++j) {
        Wide sum = 0;
        for (std::uint32_t k = 0; k < rank; ++k) sum += root[i][k] * root[j][k];
        model.covariance.push_back({i, j, sum});
      }
    }
    for (std::uint32_t i = 0; i < head_dim; ++i) {
      for (std::uint32_t j = 0; j < head_dim; ++j) {
        amplitude.bilinear.push_back({i, j, Wide(normal(random))});
        phase.bilinear.push_back({i, j, Wide(normal(random) / 2)});
      }
      phase.linear.push_back({i, Wide(normal(random) / 4)});
    }
  }
};

Wide distance(const WideComplex& a, const WideComplex& b) { return abs(a - b); }

/// -i d/dt of a transform by a central difference of fourth order.
template <class F>
WideComplex minus_i_derivative(F value, const Wide& t) {
  const Wide h("1e-11");
  const WideComplex d1 = value(Wide(t + h)) - value(Wide(t - h));
  const WideComplex d2 = value(Wide(t + 2 * h)) - value(Wide(t - 2 * h));
  const WideComplex d = (Wide(1) / (12 * h)) * (Wide(8) * d1 - d2);
  return WideComplex{0, -1} * d;
}

}  // namespace

TEST_CASE("one correlated pair with means follows its closed form") {
  // E e^(itxy) = Delta^(-1/2) exp{[i t u v + t^2 r u v - t^2 (u^2+v^2)/2]/Delta},
  // Delta = (1 - itr)^2 + t^2, by integrating the bivariate density.
  for (const char* r_text : {"0", "0.25", "-0.75"}) {
    for (const char* t_text : {"0", "0.3", "7", "12345"}) {
      const Wide r = decimal(r_text), t = decimal(t_text), u = decimal("0.5"), v = decimal("-1.25");
      const GaussianModel model{1, {u, v}, {{0, 0, 1}, {1, 0, r}, {1, 1, 1}}};
      const SparseForm product{{{0, 0, Wide(1)}}, {}};
      const Transform computed = GaussianTransform(model, product, product).at(t);
      const WideComplex one_minus{1, -t * r};
      const WideComplex delta = one_minus * one_minus + WideComplex{t * t, 0};
      const WideComplex numerator{t * t * r * u * v - t * t * (u * u + v * v) / 2, t * u * v};
      // Delta = (1-itr)^2 + t^2 = (1 - it(r+1))(1 - it(r-1)): each factor's principal root.
      const WideComplex root = sqrt(reciprocal(WideComplex{1, -t * (r + 1)})) *
                               sqrt(reciprocal(WideComplex{1, -t * (r - 1)}));
      const WideComplex expected = root * exp(numerator * reciprocal(delta));
      CHECK(distance(computed.phi0, expected) <= Wide("1e-45") * abs(expected));
    }
  }
}

TEST_CASE("with the phase as amplitude Phi_1 and Phi_2 are derivatives of Phi_0") {
  for (const unsigned seed : {1U, 2U, 3U, 4U}) {
    const std::uint32_t head_dim = 1 + seed % 3;
    const RandomProblem p(seed, head_dim, seed == 4 ? 1 : 2 * head_dim);
    const GaussianTransform transform(p.model, p.phase, p.phase);
    for (const char* t_text : {"0.1", "1.5", "9"}) {
      const Wide t = decimal(t_text);
      const Transform at = transform.at(t);
      const auto phi0 = [&](const Wide& x) { return transform.at(x).phi0; };
      const auto phi1 = [&](const Wide& x) { return transform.at(x).phi1; };
      CHECK(distance(at.phi1, minus_i_derivative(phi0, t)) < Wide("1e-32"));
      CHECK(distance(at.phi2, minus_i_derivative(phi1, t)) < Wide("1e-32"));
    }
  }
}

TEST_CASE("at t = 0 the transform gives the moments of the amplitude") {
  const RandomProblem p(11, 3, 6);
  const FormMoments moments = GaussianMoments(p.model).of(p.amplitude);
  const Transform at = GaussianTransform(p.model, p.amplitude, p.phase).at(Wide(0));
  CHECK(abs(at.phi0.re - 1) < Wide("1e-50"));
  CHECK(abs(at.phi1.re - moments.mean) < Wide("1e-48"));
  CHECK(abs(at.phi2.re - moments.variance - moments.mean * moments.mean) < Wide("1e-46"));
}

TEST_CASE("equal coordinate pairs are treated once and counted") {
  GaussianModel model;
  model.head_dim = 64;
  SparseForm amplitude, phase;
  for (std::uint32_t i = 0; i < 128; ++i) {
    model.mean.push_back(Wide(0));
    model.covariance.push_back({i, i, Wide(1)});
  }
  for (std::uint32_t i = 0; i < 64; ++i) {
    model.covariance.push_back({64 + i, i, decimal("0.25")});
    (i < 32 ? amplitude : phase).bilinear.push_back({i, i, Wide(1)});
  }
  const GaussianTransform transform(model, amplitude, phase);
  CHECK(transform.blocks().size() == 2);
  // |Phi_0| = |(1 - it/4)^2 + t^2|^(-16) for 32 pairs of correlation 1/4.
  const Wide t = 3;
  const WideComplex delta{1 - t * t / 16 + t * t, -t / 2};
  CHECK(abs(abs(transform.at(t).phi0) * pow(abs(delta), Wide(16)) - 1) < Wide("1e-48"));
}

TEST_CASE("a Gaussian tail beyond the exponent range is an honest bound, not a zero") {
  // A linear phase decays like exp(-t^2/2): at t = 2^40 the mean is about 10^(-2.6e23).
  const GaussianModel model{1, {Wide(1), Wide(1)}, {{0, 0, 1}, {1, 1, 1}}};
  const Transform at = GaussianTransform(model, {{{0, 0, Wide(1)}}, {}}, {{}, {{0, Wide(1)}}})
                           .at(ldexp(Wide(1), 40));
  CHECK(at.underflow);
  CHECK(at.error1 > 0);
}
