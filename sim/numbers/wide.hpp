// Wide: the real number of the exact engines. 192 binary digits (57 decimal) and a 64-bit
// exponent, so that a mean of 1e-9000 keeps every digit and a distance of 2^63 times a frequency
// can be reduced to a fraction of a turn without loss.
#pragma once

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace tapalab {

inline constexpr int kWideBits = 192;

/// Range 2^-(2^60) to 2^(2^60), about 10^(3.5e17) either way; relative rounding error of
/// + - * / sqrt at most 2^-192; of log, and of exp, pow, sin and cos for arguments (pow: exponents
/// times logarithms) up to 6, a few units of that, and in proportion to larger arguments.
using Wide = boost::multiprecision::number<
    boost::multiprecision::cpp_bin_float<kWideBits, boost::multiprecision::digit_base_2, void,
                                         long long, -(1LL << 60), (1LL << 60)>,
    boost::multiprecision::et_off>;

/// 2^-191, the unit in which rounding errors of Wide arithmetic are counted.
inline Wide wide_epsilon() { return ldexp(Wide(1), -(kWideBits - 1)); }

inline Wide wide_pi() {
  static const Wide pi(
      "3."
      "14159265358979323846264338327950288419716939937510582097494459230781640628620899862803482534"
      "211706798");
  return pi;
}
inline Wide wide_two_pi() { return 2 * wide_pi(); }

/// x - round(x), in [-1/2, 1/2]: the fraction of a turn that a phase of x turns leaves.
/// Exact for |x| < 2^191.
inline Wide reduce_turns(const Wide& x) { return x - floor(x + Wide(0.5)); }

/// cos(2 pi x) and sin(2 pi x), reduced in turns first.
inline Wide cos_turns(const Wide& x) { return cos(wide_two_pi() * reduce_turns(x)); }
inline Wide sin_turns(const Wide& x) { return sin(wide_two_pi() * reduce_turns(x)); }

/// A complex number over Wide; just the operations that the closed forms need.
struct WideComplex {
  Wide re{0};
  Wide im{0};

  friend WideComplex operator+(const WideComplex& a, const WideComplex& b) {
    return {a.re + b.re, a.im + b.im};
  }
  friend WideComplex operator-(const WideComplex& a, const WideComplex& b) {
    return {a.re - b.re, a.im - b.im};
  }
  friend WideComplex operator*(const WideComplex& a, const WideComplex& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  }
  friend WideComplex operator*(const Wide& a, const WideComplex& b) { return {a * b.re, a * b.im}; }
};

inline Wide abs(const WideComplex& z) { return sqrt(z.re * z.re + z.im * z.im); }
inline WideComplex reciprocal(const WideComplex& z) {
  const Wide norm = z.re * z.re + z.im * z.im;
  return {z.re / norm, -z.im / norm};
}
/// Principal square root (real part >= 0).
WideComplex sqrt(const WideComplex& z);
/// e^z, relative error below 2^-186 in modulus. Throws std::range_error where the result leaves the
/// exponent range of Wide or |im| reaches 2^256 (no digit of the angle would be left).
WideComplex exp(const WideComplex& z);
/// z^n by repeated squaring; relative error about n * 2^-190.
WideComplex pow(WideComplex z, unsigned long long n);

}  // namespace tapalab
