#include "analysis/stationary_phase.hpp"

#include "sim/errors.hpp"
#include "sim/marginal_law.hpp"

namespace tapalab {
namespace {

// The rest is judged by this many terms: some vanish, and some nearly do.
constexpr std::size_t kWindow = 4;
constexpr std::size_t kLength = StationaryPair::kOrders + kWindow;

Wide zero_of(const Wide&) { return Wide(0); }
WideComplex zero_of(const WideComplex&) { return {}; }
Wide quotient(const Wide& a, const Wide& b) { return a / b; }
WideComplex quotient(const WideComplex& a, const WideComplex& b) { return a * reciprocal(b); }

/// The first kLength Taylor coefficients of a function.
template <class Value>
using Taylor = std::vector<Value>;

template <class Value>
Taylor<Value> product(const Taylor<Value>& a, const Taylor<Value>& b) {
  Taylor<Value> c(kLength, zero_of(a[0]));
  for (std::size_t i = 0; i < kLength; ++i) {
    for (std::size_t j = 0; i + j < kLength; ++j) c[i + j] = c[i + j] + a[i] * b[j];
  }
  return c;
}

// e^p from e'= p' e; `first` is e^p[0].
template <class Value>
Taylor<Value> exponential(const Taylor<Value>& p, const Value& first) {
  Taylor<Value> e(kLength, zero_of(first));
  e[0] = first;
  for (std::size_t n = 1; n < kLength; ++n) {
    for (std::size_t k = 1; k <= n; ++k) {
      e[n] = e[n] + (Wide(k) / Wide(n)) * (p[k] * e[n - k]);
    }
  }
  return e;
}

// b^exponent from b e' = exponent b' e; `first` is b[0]^exponent.
template <class Value>
Taylor<Value> power_series(const Taylor<Value>& b, const Wide& exponent, const Value& first) {
  Taylor<Value> e(kLength, zero_of(first));
  e[0] = first;
  for (std::size_t n = 1; n < kLength; ++n) {
    Value sum = zero_of(first);
    for (std::size_t k = 1; k <= n; ++k) {
      const Wide weight = exponent * Wide(k) - Wide(n - k);
      sum = sum + weight * (b[k] * e[n - k]);
    }
    e[n] = (Wide(1) / Wide(n)) * quotient(sum, b[0]);
  }
  return e;
}

Taylor<Wide> polynomial(std::initializer_list<Wide> low) {
  Taylor<Wide> p(low);
  p.resize(kLength, Wide(0));
  return p;
}

// f(c + z), f of unit variance.
Taylor<Wide> density_series(const Marginal& law, const Wide& c) {
  const MarginalLaw<Wide> formulas(law);
  const Wide value = formulas.density(c);
  switch (law.family) {
    case MarginalFamily::gaussian:
      return exponential(polynomial({-c * c / 2, -c, Wide(-0.5)}), value);
    case MarginalFamily::hermite2: {
      const Wide norm = 3 * sqrt(Wide(3)) / sqrt(Wide(2 * wide_pi()));
      const Taylor<Wide> bell = exponential(polynomial({-3 * c * c / 2, -3 * c, Wide(-1.5)}),
                                            Wide(norm * exp(Wide(-3 * c * c / 2))));
      return product(polynomial({c * c, 2 * c, Wide(1)}), bell);
    }
    case MarginalFamily::sech:
    case MarginalFamily::logistic: {
      // cosh(r (c + z))^-n
      const bool sech = law.family == MarginalFamily::sech;
      const Wide rate = sech ? Wide(wide_pi() / 2) : Wide(wide_pi() / (2 * sqrt(Wide(3))));
      const Wide up = exp(Wide(rate * c)) / 2, down = exp(Wide(-rate * c)) / 2;
      Taylor<Wide> cosh(kLength, Wide(0));
      Wide factor = 1;
      for (std::size_t n = 0; n < kLength; ++n) {
        cosh[n] = factor * (n % 2 == 0 ? Wide(up + down) : Wide(up - down));
        factor *= rate / Wide(n + 1);
      }
      return power_series(cosh, Wide(sech ? -1 : -2), value);
    }
    case MarginalFamily::student_t: {
      const Wide spread = student_excess(law.nu);
      const Wide exponent = -(spread + 3) / 2;
      return power_series(polynomial({1 + c * c / spread, 2 * c / spread, 1 / spread}), exponent,
                          value);
    }
    default:
      throw InputError(
          "--engine asymptotic: this density is not analytic; accepted: gaussian, sech, "
          "logistic, hermite2, student-t");
  }
}

// i^k x
WideComplex turned_by(int k, const Wide& x) {
  switch (k % 4) {
    case 0:
      return {x, Wide(0)};
    case 1:
      return {Wide(0), x};
    case 2:
      return {Wide(-x), Wide(0)};
    default:
      return {Wide(0), Wide(-x)};
  }
}

}  // namespace

bool StationaryPair::applies(const Marginal& law) {
  switch (law.family) {
    case MarginalFamily::gaussian:
    case MarginalFamily::sech:
    case MarginalFamily::logistic:
    case MarginalFamily::hermite2:
    case MarginalFamily::student_t:
      return true;
    default:
      return false;
  }
}

StationaryPair::StationaryPair(const PairLaw& law)
    : scale_(law.scale_q.wide() * law.scale_k.wide()) {
  // g = Delta^(-1/2) e^(P/Delta) (docs/theory/fits.md, 2) in powers of e = 1/T:
  // Delta = T^2 (1 - r^2 - 2 i r e + e^2), P = T^2 (r u v - (u^2 + v^2)/2 + i u v e).
  const Wide u = law.mean_q.wide() / law.scale_q.wide();
  const Wide v = law.mean_k.wide() / law.scale_k.wide(), r = law.rho.wide();
  const auto real = [](const Wide& x) { return WideComplex{x, Wide(0)}; };
  Taylor<WideComplex> base(kLength), top(kLength);
  base[0] = real(Wide((1 - r) * (1 + r)));
  base[1] = {Wide(0), Wide(-2 * r)};
  base[2] = real(Wide(1));
  top[0] = real(Wide(r * u * v - (u * u + v * v) / 2));
  top[1] = {Wide(0), Wide(u * v)};
  const Taylor<WideComplex> exponent =
      product(top, power_series(base, Wide(-1), real(Wide(1 / base[0].re))));
  terms_ = product(power_series(base, Wide(-0.5), real(Wide(1 / sqrt(base[0].re)))),
                   exponential(exponent, real(exp(exponent[0].re))));
}

StationaryPair::StationaryPair(const Marginal& q, const Marginal& k, const PairLaw& law)
    : scale_(law.scale_q.wide() * law.scale_k.wide()) {
  // f(x) = f_q(x - u): around x = 0 the series at -u; k! turns coefficients into derivatives twice
  // and divides once.
  const Taylor<Wide> f = density_series(q, Wide(-law.mean_q.wide() / law.scale_q.wide()));
  const Taylor<Wide> h = density_series(k, Wide(-law.mean_k.wide() / law.scale_k.wide()));
  Wide factorial = 1;
  for (std::size_t n = 0; n < kLength; ++n) {
    if (n > 1) factorial *= Wide(n);
    terms_.push_back(turned_by(static_cast<int>(n), wide_two_pi() * factorial * f[n] * h[n]));
  }
}

Wide StationaryPair::rest(std::size_t from, const Wide& T) const {
  Wide power = pow(T, static_cast<int>(from) + 1), largest = 0;
  for (std::size_t k = from; k < from + kWindow; ++k, power *= T) {
    largest = std::max(largest, Wide(abs(terms_[k]) / power));
  }
  return 2 * largest;
}

int StationaryPair::order(const Wide& t) const {
  const Wide T = abs(t * scale_);
  int best = 0;
  Wide least(-1), largest = 0, power = T;
  for (int k = 1; k <= kOrders; ++k, power *= T) {
    const Wide size = rest(static_cast<std::size_t>(k), T);
    largest = std::max(largest, Wide(abs(terms_[static_cast<std::size_t>(k) - 1]) / power));
    // Terms that still grow say nothing of the rest: those to come must be below those before.
    if (size == 0 || size >= largest || (least >= 0 && size >= least)) continue;
    least = size;
    best = k;
  }
  return best;
}

PairTransform StationaryPair::at(const Wide& t) const { return sum(t, false); }
PairTransform StationaryPair::slope(const Wide& t) const { return sum(t, true); }

PairTransform StationaryPair::sum(const Wide& t, bool derivative) const {
  const Wide T = abs(t * scale_);
  PairTransform result;
  result.method = PairMethod::wide_quadrature;
  if (T == 0) return result;
  const int stop = order(t);
  result.value = {};
  if (stop == 0) {  // |g| <= 1 is all that is known
    result.error = 1;
    return result;
  }
  Wide power = T, size = 0;
  for (int k = 0; k < stop; ++k, power *= T) {
    const Wide factor = derivative ? Wide(-(k + 1) / power) : Wide(1 / power);
    const WideComplex term = factor * terms_[static_cast<std::size_t>(k)];
    result.value = result.value + term;
    size += abs(term);
  }
  const Wide most = derivative ? Wide(stop) + kWindow : Wide(1);
  result.error = most * rest(static_cast<std::size_t>(stop), T) + ldexp(wide_epsilon(), 16) * size;
  if (t < 0) result.value.im = -result.value.im;
  return result;
}

}  // namespace tapalab
