#include "proofs-check/ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb.h>
#include <flint/arb_hypgeom.h>
#else
#include <acb.h>
#include <arb_hypgeom.h>
#endif

#include <algorithm>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>
#include <memory>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

/// A number is what ExactDecimal accepts too: [+-]digits[.digits][e[+-]digits]. Arb's own reader
/// would take "inf", "nan" and "1 +/- 2" as well.
bool is_decimal(std::string_view text) {
  std::size_t at = 0;
  const auto sign = [&] { at += at < text.size() && (text[at] == '+' || text[at] == '-'); };
  const auto digits = [&] {
    const std::size_t start = at;
    while (at < text.size() && text[at] >= '0' && text[at] <= '9') ++at;
    return at - start;
  };
  sign();
  std::size_t count = digits();
  if (at < text.size() && text[at] == '.') {
    ++at;
    count += digits();
  }
  if (count == 0) return false;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    sign();
    if (digits() == 0) return false;
  }
  return at == text.size();
}

struct Printed {
  std::string midpoint;
  std::string radius;
};

/// arb_get_str prints "[m +/- r]" with r covering the rounding of m, "[+/- r]", or "m" where exact.
Printed print(arb_srcptr x, int digits) {
  const std::unique_ptr<char, void (*)(void*)> text(arb_get_str(x, digits, 0), flint_free);
  std::string s(text.get());
  if (s.front() != '[') return {s, "0"};
  s = s.substr(1, s.size() - 2);
  const auto mark = s.find("+/-");
  if (mark == std::string::npos) return {s, "0"};
  std::string m = s.substr(0, mark);
  while (!m.empty() && m.back() == ' ') m.pop_back();
  return {m.empty() ? "0" : m, s.substr(mark + 4)};
}

struct Fmpz {
  Fmpz() { fmpz_init(value); }
  Fmpz(const Fmpz&) = delete;
  Fmpz& operator=(const Fmpz&) = delete;
  ~Fmpz() { fmpz_clear(value); }
  fmpz_t value;
};

/// 2x without rounding.
Ball twice(const Ball& x) {
  Ball result(0, x.bits());
  arb_mul_2exp_si(result.get(), x.get(), 1);
  return result;
}

class Acb {
 public:
  Acb() { acb_init(value_); }
  explicit Acb(const ComplexBall& z) : Acb() { acb_set_arb_arb(value_, z.re.get(), z.im.get()); }
  Acb(const Acb&) = delete;
  Acb& operator=(const Acb&) = delete;
  ~Acb() { acb_clear(value_); }
  acb_ptr get() { return value_; }
  ComplexBall parts(slong bits) const {
    ComplexBall z{Ball(0, bits), Ball(0, bits)};
    arb_set(z.re.get(), acb_realref(value_));
    arb_set(z.im.get(), acb_imagref(value_));
    return z;
  }

 private:
  acb_t value_;
};

slong common_bits(const ComplexBall& z) { return std::max(z.re.bits(), z.im.bits()); }

}  // namespace

Ball::Ball(slong value, slong bits) : bits_(bits) {
  arb_init(value_);
  arb_set_si(value_, value);
}
Ball::Ball(const Ball& other) : bits_(other.bits_) {
  arb_init(value_);
  arb_set(value_, other.value_);
}
Ball::Ball(Ball&& other) noexcept : bits_(other.bits_) {
  arb_init(value_);
  arb_swap(value_, other.value_);
}
Ball& Ball::operator=(const Ball& other) {
  arb_set(value_, other.value_);
  bits_ = other.bits_;
  return *this;
}
Ball& Ball::operator=(Ball&& other) noexcept {
  arb_swap(value_, other.value_);
  bits_ = other.bits_;
  return *this;
}
Ball::~Ball() { arb_clear(value_); }

Ball Ball::decimal(std::string_view text, slong bits) {
  Ball result(0, bits);
  if (!is_decimal(text) ||
      arb_set_str(result.value_, std::string(text[0] == '+' ? text.substr(1) : text).c_str(),
                  bits) != 0)
    throw InputError("decimal number '" + std::string(text) +
                     "': accepted are [+-]digits[.digits][e[+-]digits]");
  return result;
}
Ball Ball::distance(std::uint64_t value, slong bits) {
  Ball result(0, bits);
  arb_set_ui(result.value_, value);
  return result;
}
Ball Ball::exactly(const Wide& value, slong bits) {
  Ball result(0, bits);
  if (value == 0) return result;
  long long exponent = 0;
  // value = significand * 2^exponent with an integer significand of kWideBits bits
  const Wide significand = ldexp(frexp(value, &exponent), kWideBits);
  exponent -= kWideBits;
  Fmpz m, e;
  fmpz_set_str(m.value, static_cast<boost::multiprecision::cpp_int>(significand).str().c_str(), 10);
  fmpz_set_si(e.value, exponent);
  arb_set_fmpz_2exp(result.value_, m.value, e.value);
  return result;
}
Ball Ball::exactly(double value, slong bits) {
  Ball result(0, bits);
  arb_set_d(result.value_, value);
  return result;
}
Ball Ball::pi(slong bits) {
  Ball result(0, bits);
  arb_const_pi(result.value_, bits);
  return result;
}
Ball Ball::with_bits(slong bits) const {
  Ball result = *this;
  result.bits_ = bits;
  return result;
}

Ball& Ball::operator+=(const Ball& other) {
  bits_ = std::max(bits_, other.bits_);
  arb_add(value_, value_, other.value_, bits_);
  return *this;
}
Ball& Ball::operator-=(const Ball& other) {
  bits_ = std::max(bits_, other.bits_);
  arb_sub(value_, value_, other.value_, bits_);
  return *this;
}
Ball& Ball::operator*=(const Ball& other) {
  bits_ = std::max(bits_, other.bits_);
  arb_mul(value_, value_, other.value_, bits_);
  return *this;
}
Ball& Ball::operator/=(const Ball& other) {
  bits_ = std::max(bits_, other.bits_);
  arb_div(value_, value_, other.value_, bits_);
  return *this;
}
Ball operator+(Ball a, slong b) {
  arb_add_si(a.value_, a.value_, b, a.bits_);
  return a;
}
Ball operator-(Ball a, slong b) {
  arb_sub_si(a.value_, a.value_, b, a.bits_);
  return a;
}
Ball operator*(Ball a, slong b) {
  arb_mul_si(a.value_, a.value_, b, a.bits_);
  return a;
}
Ball operator/(Ball a, slong b) {
  arb_div_si(a.value_, a.value_, b, a.bits_);
  return a;
}
Ball Ball::operator-() const {
  Ball result = *this;
  arb_neg(result.value_, result.value_);
  return result;
}

std::string Ball::midpoint(int digits) const { return print(value_, digits).midpoint; }
std::string Ball::radius(int digits) const { return print(value_, digits).radius; }

namespace {

Wide wide_of(const arf_t x) {
  Fmpz m, e;
  arf_get_fmpz_2exp(m.value, e.value, x);
  const std::unique_ptr<char, void (*)(void*)> digits(fmpz_get_str(nullptr, 10, m.value),
                                                      flint_free);
  return ldexp(Wide(boost::multiprecision::cpp_int(digits.get())),
               static_cast<long long>(fmpz_get_si(e.value)));
}

}  // namespace

Wide Ball::midpoint_wide() const {
  Ball rounded(0, kWideBits);
  arf_set_round(arb_midref(rounded.value_), arb_midref(value_), kWideBits, ARF_RND_NEAR);
  return wide_of(arb_midref(rounded.value_));
}

namespace {

/// An end of the ball as a number of Wide's digits on the outer side.
Wide outer_end(const arb_t x, bool upper) {
  arf_t end;
  arf_init(end);
  const arf_rnd_t rounding = upper ? ARF_RND_CEIL : ARF_RND_FLOOR;
  if (upper) {
    arb_get_ubound_arf(end, x, kWideBits);
  } else {
    arb_get_lbound_arf(end, x, kWideBits);
  }
  arf_set_round(end, end, kWideBits, rounding);
  const Wide result = wide_of(end);
  arf_clear(end);
  return result;
}

}  // namespace

Wide Ball::lower_wide() const { return outer_end(value_, false); }
Wide Ball::upper_wide() const { return outer_end(value_, true); }

double Ball::log10_abs() const {
  if (arf_is_zero(arb_midref(value_))) return -std::numeric_limits<double>::infinity();
  Ball middle(0, 64);
  arb_set_arf(middle.value_, arb_midref(value_));
  const Ball result = log(abs(middle)) / log(Ball(10, 64));
  return arf_get_d(arb_midref(result.value_), ARF_RND_NEAR);
}

Ball abs(const Ball& x) {
  Ball result(0, x.bits());
  arb_abs(result.get(), x.get());
  return result;
}
Ball sqrt(const Ball& x) {
  Ball result(0, x.bits());
  arb_sqrt(result.get(), x.get(), x.bits());
  return result;
}
Ball exp(const Ball& x) {
  Ball result(0, x.bits());
  arb_exp(result.get(), x.get(), x.bits());
  return result;
}
Ball log(const Ball& x) {
  Ball result(0, x.bits());
  arb_log(result.get(), x.get(), x.bits());
  return result;
}
Ball pow(const Ball& x, const Ball& exponent) {
  const slong bits = std::max(x.bits(), exponent.bits());
  Ball result(0, bits);
  arb_pow(result.get(), x.get(), exponent.get(), bits);
  return result;
}
Ball pow(const Ball& x, slong exponent) {
  Ball result(0, x.bits());
  Fmpz e;
  fmpz_set_si(e.value, exponent);
  arb_pow_fmpz(result.get(), x.get(), e.value, x.bits());
  return result;
}
Ball cos_turns(const Ball& x) {
  Ball result(0, x.bits());
  arb_cos_pi(result.get(), twice(x).get(), x.bits());
  return result;
}
Ball sin_turns(const Ball& x) {
  Ball result(0, x.bits());
  arb_sin_pi(result.get(), twice(x).get(), x.bits());
  return result;
}
Ball cosine_integral(const Ball& x) {
  Ball result(0, x.bits());
  arb_hypgeom_ci(result.get(), x.get(), x.bits());
  return result;
}
Ball sine_integral(const Ball& x) {
  Ball result(0, x.bits());
  arb_hypgeom_si(result.get(), x.get(), x.bits());
  return result;
}
Ball hull(const Ball& a, const Ball& b) {
  const slong bits = std::max(a.bits(), b.bits());
  Ball result(0, bits);
  arb_union(result.get(), a.get(), b.get(), bits);
  return result;
}

ComplexBall operator*(const ComplexBall& a, const ComplexBall& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
ComplexBall operator+(const ComplexBall& a, const ComplexBall& b) {
  return {a.re + b.re, a.im + b.im};
}
ComplexBall pow(const ComplexBall& z, const Ball& exponent) {
  const slong bits = std::max(common_bits(z), exponent.bits());
  Acb value(z);
  acb_pow_arb(value.get(), value.get(), exponent.get(), bits);
  return value.parts(bits);
}
ComplexBall exp(const ComplexBall& z) {
  const slong bits = common_bits(z);
  Acb value(z);
  acb_exp(value.get(), value.get(), bits);
  return value.parts(bits);
}
Ball abs(const ComplexBall& z) {
  const slong bits = common_bits(z);
  Ball result(0, bits);
  acb_abs(result.get(), Acb(z).get(), bits);
  return result;
}

}  // namespace tapalab
