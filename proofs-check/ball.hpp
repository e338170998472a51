// Ball arithmetic: real numbers as midpoint +- radius that always contain the truth (Arb).
#pragma once

#ifdef TAPALAB_FLINT3
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/numbers/wide.hpp"

namespace tapalab {

/// An enclosure of a real number. Each ball carries the precision of the operations on it, in bits;
/// an operation on two balls works at the larger of both. Every operation encloses: whatever
/// numbers the operands contain, the result contains theirs. Too little precision gives a wide
/// ball, never a wrong one.
class Ball {
 public:
  /// Exactly `value`, to be worked with at `bits` bits.
  explicit Ball(slong value, slong bits);
  Ball(const Ball& other);
  Ball(Ball&& other) noexcept;
  Ball& operator=(const Ball& other);
  Ball& operator=(Ball&& other) noexcept;
  ~Ball();

  /// The decimal number in `text` ("0.1", "-3.5e-20", any number of digits), enclosed at `bits`
  /// bits; exact where it is an integer below 2^bits. Throws InputError for anything else.
  static Ball decimal(std::string_view text, slong bits);
  /// Exactly the distance: an integer up to 2^64 - 1.
  static Ball distance(std::uint64_t value, slong bits);
  /// Exactly the number that `value` holds.
  static Ball exactly(const Wide& value, slong bits);
  static Ball exactly(double value, slong bits);
  static Ball pi(slong bits);

  slong bits() const { return bits_; }
  Ball with_bits(slong bits) const;

  Ball& operator+=(const Ball& other);
  Ball& operator-=(const Ball& other);
  Ball& operator*=(const Ball& other);
  Ball& operator/=(const Ball& other);
  friend Ball operator+(Ball a, const Ball& b) { return a += b; }
  friend Ball operator-(Ball a, const Ball& b) { return a -= b; }
  friend Ball operator*(Ball a, const Ball& b) { return a *= b; }
  friend Ball operator/(Ball a, const Ball& b) { return a /= b; }
  friend Ball operator+(Ball a, slong b);
  friend Ball operator-(Ball a, slong b);
  friend Ball operator*(Ball a, slong b);
  friend Ball operator/(Ball a, slong b);
  Ball operator-() const;

  /// Relations that hold for every pair of numbers that the balls contain; false where undecided.
  friend bool certainly_less(const Ball& a, const Ball& b) { return arb_lt(a.value_, b.value_); }
  friend bool certainly_at_most(const Ball& a, const Ball& b) { return arb_le(a.value_, b.value_); }
  bool certainly_positive() const { return arb_is_positive(value_); }
  bool certainly_negative() const { return arb_is_negative(value_); }
  bool contains(const Ball& inner) const { return arb_contains(value_, inner.value_); }
  bool overlaps(const Ball& other) const { return arb_overlaps(value_, other.value_); }
  bool is_finite() const { return arb_is_finite(value_); }

  /// Decimal digits of the midpoint, scientific notation; "0" where the ball determines none.
  std::string midpoint(int digits = 17) const;
  /// Largest distance of the truth from what midpoint(digits) prints, rounded up: "3.1e-40".
  std::string radius(int digits = 17) const;
  /// Midpoint as Wide (not an enclosure).
  Wide midpoint_wide() const;
  /// Ends of the ball, rounded away from it; the ball is finite and within Wide's range.
  Wide lower_wide() const;
  Wide upper_wide() const;
  /// log10 of the midpoint's magnitude, to double accuracy; for figures and text.
  double log10_abs() const;

  arb_srcptr get() const { return value_; }
  arb_ptr get() { return value_; }

 private:
  arb_t value_;
  slong bits_;
};

Ball abs(const Ball& x);
Ball sqrt(const Ball& x);
Ball exp(const Ball& x);
Ball log(const Ball& x);
Ball pow(const Ball& x, const Ball& exponent);
Ball pow(const Ball& x, slong exponent);
/// cos(2 pi x) and sin(2 pi x); the midpoint is reduced exactly, at any size. A useful answer
/// needs bits well above log2 |x|.
Ball cos_turns(const Ball& x);
Ball sin_turns(const Ball& x);
/// Cosine and sine integrals, Ci(x) for x > 0.
Ball cosine_integral(const Ball& x);
Ball sine_integral(const Ball& x);
/// Numbers that lie in either ball or between them.
Ball hull(const Ball& a, const Ball& b);

/// An enclosure of a complex number, real and imaginary part by ball.
struct ComplexBall {
  Ball re;
  Ball im;
};
ComplexBall operator*(const ComplexBall& a, const ComplexBall& b);
ComplexBall operator+(const ComplexBall& a, const ComplexBall& b);
/// z^exponent, principal branch (cut along the negative real axis).
ComplexBall pow(const ComplexBall& z, const Ball& exponent);
/// e^z.
ComplexBall exp(const ComplexBall& z);
Ball abs(const ComplexBall& z);

}  // namespace tapalab
