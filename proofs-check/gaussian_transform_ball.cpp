#include "proofs-check/gaussian_transform_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb.h>
#else
#include <acb.h>
#endif

#include <algorithm>
#include <map>
#include <numeric>

#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

ComplexBall zero_complex(slong bits) { return {Ball(0, bits), Ball(0, bits)}; }
ComplexBall real_complex(const Ball& x) { return {x, Ball(0, x.bits())}; }
ComplexBall minus(const ComplexBall& a, const ComplexBall& b) { return {a.re - b.re, a.im - b.im}; }
ComplexBall scaled(const Ball& x, const ComplexBall& z) { return {x * z.re, x * z.im}; }
// i x z
ComplexBall turned(const Ball& x, const ComplexBall& z) { return {-(x * z.im), x * z.re}; }

ComplexBall whole_power(ComplexBall z, std::uint32_t n) {
  ComplexBall result = real_complex(Ball(1, z.re.bits()));
  for (; n > 0; n /= 2) {
    if (n % 2 == 1) result = result * z;
    if (n > 1) z = z * z;
  }
  return result;
}

bool is_zero(const Ball& x) { return arb_is_zero(x.get()); }
bool same(const std::vector<Ball>& a, const std::vector<Ball>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](auto& x, auto& y) {
           return arb_equal(x.get(), y.get()) != 0;
         });
}

class UnionFind {
 public:
  explicit UnionFind(std::size_t n) : parent_(n) { std::iota(parent_.begin(), parent_.end(), 0u); }
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t a, std::size_t b) { parent_[root(a)] = root(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace

/// One block as it stands in the forms: `rows` coordinates of x, `cols` of y.
struct GaussianTransformBall::Coupled {
  std::size_t rows = 0, cols = 0;
  std::vector<Ball> mean, linear;
  std::vector<Ball> factor;            ///< rows x cols
  std::vector<Ball> amplitude, phase;  ///< rows x rows, symmetric

  bool operator==(const Coupled& other) const {
    return rows == other.rows && cols == other.cols && same(mean, other.mean) &&
           same(linear, other.linear) && same(factor, other.factor) &&
           same(amplitude, other.amplitude) && same(phase, other.phase);
  }
};

GaussianTransformBall::GaussianTransformBall(const GaussianFormsBall& forms, slong bits)
    : bits_(bits) {
  const std::size_t n = forms.mean.size();
  std::uint32_t columns = 0;
  for (const BallEntry& e : forms.factor) columns = std::max(columns, e.col + 1);
  UnionFind sets(n + columns);
  for (const BallEntry& e : forms.factor) sets.join(e.row, n + e.col);
  for (const BallEntry& e : forms.amplitude) sets.join(e.row, e.col);
  for (const BallEntry& e : forms.phase) sets.join(e.row, e.col);

  // places of each coordinate within its block
  std::map<std::size_t, Coupled> found;
  std::vector<std::size_t> place(n + columns);
  for (std::size_t i = 0; i < n + columns; ++i) {
    Coupled& block = found[sets.root(i)];
    place[i] = i < n ? block.rows++ : block.cols++;
    if (i < n) block.mean.push_back(forms.mean[i]);
  }
  const Ball zero(0, bits);
  for (auto& [root, block] : found) {
    block.linear.assign(block.rows, zero);
    block.factor.assign(block.rows * block.cols, zero);
    block.amplitude.assign(block.rows * block.rows, zero);
    block.phase = block.amplitude;
  }
  const auto add_form = [&](const std::vector<BallEntry>& entries, std::vector<Ball> Coupled::*at) {
    for (const BallEntry& e : entries) {
      Coupled& block = found.at(sets.root(e.row));
      const Ball half = e.value / 2;
      (block.*at)[place[e.row] * block.rows + place[e.col]] += half;
      (block.*at)[place[e.col] * block.rows + place[e.row]] += half;
    }
  };
  add_form(forms.amplitude, &Coupled::amplitude);
  add_form(forms.phase, &Coupled::phase);
  for (const BallEntry& e : forms.phase_linear) {
    found.at(sets.root(e.row)).linear[place[e.row]] += e.value;
  }
  for (const BallEntry& e : forms.factor) {
    Coupled& block = found.at(sets.root(e.row));
    block.factor[place[e.row] * block.cols + place[n + e.col]] += e.value;
  }

  std::vector<std::pair<Coupled, std::uint32_t>> kinds;  // equal blocks once
  for (auto& entry : found) {
    Coupled& block = entry.second;
    const auto all_zero = [](const std::vector<Ball>& values) {
      return std::all_of(values.begin(), values.end(), is_zero);
    };
    if (all_zero(block.amplitude) && all_zero(block.phase) && all_zero(block.linear)) continue;
    const auto known = std::find_if(kinds.rbegin(), kinds.rend(),
                                    [&](const auto& kind) { return kind.first == block; });
    if (known != kinds.rend()) {
      ++known->second;
    } else {
      kinds.emplace_back(std::move(block), 1u);
    }
  }
  for (const auto& [kind, count] : kinds) {
    blocks_.push_back(reduce(kind));
    blocks_.back().multiplicity = count;
  }
}

GaussianTransformBall::Block GaussianTransformBall::reduce(const Coupled& x) const {
  const Ball zero(0, bits_);
  Block block{1, x.cols, zero, zero, {}, {}, {}, {}, false};
  // S^T form S and S^T form mean
  const auto pull = [&](const std::vector<Ball>& form, std::vector<Ball>& quadratic,
                        std::vector<Ball>& linear, Ball& constant) {
    std::vector<Ball> form_factor(x.rows * x.cols, zero), form_mean(x.rows, zero);
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t j = 0; j < x.rows; ++j) {
        const Ball& weight = form[i * x.rows + j];
        if (is_zero(weight)) continue;
        form_mean[i] += weight * x.mean[j];
        for (std::size_t c = 0; c < x.cols; ++c) {
          const Ball& s = x.factor[j * x.cols + c];
          if (!is_zero(s)) form_factor[i * x.cols + c] += weight * s;
        }
      }
      constant += x.mean[i] * form_mean[i];
    }
    quadratic.assign(x.cols * x.cols, zero);
    linear.assign(x.cols, zero);
    for (std::size_t i = 0; i < x.rows; ++i) {
      for (std::size_t c = 0; c < x.cols; ++c) {
        const Ball& s = x.factor[i * x.cols + c];
        if (is_zero(s)) continue;
        linear[c] += s * form_mean[i] * 2;
        for (std::size_t d = 0; d < x.cols; ++d) {
          const Ball& v = form_factor[i * x.cols + d];
          if (!is_zero(v)) quadratic[c * x.cols + d] += s * v;
        }
      }
    }
  };
  pull(x.amplitude, block.amplitude2, block.amplitude1, block.amplitude0);
  pull(x.phase, block.phase2, block.phase1, block.phase0);
  for (Ball& value : block.phase2) value = value * 2;
  for (std::size_t i = 0; i < x.rows; ++i) {
    if (is_zero(x.linear[i])) continue;
    block.phase0 += x.linear[i] * x.mean[i];
    for (std::size_t c = 0; c < x.cols; ++c) {
      block.phase1[c] += x.linear[i] * x.factor[i * x.cols + c];
    }
  }
  const auto any = [](const std::vector<Ball>& values) {
    return !std::all_of(values.begin(), values.end(), is_zero);
  };
  block.has_phase = any(block.phase1) || any(block.phase2) || !is_zero(block.phase0);
  return block;
}

GaussianTransformBall::Cumulants GaussianTransformBall::cumulants(const Block& block, const Ball& t,
                                                                  const ComplexBall* zeta) const {
  const std::size_t n = block.n;
  // M = I - i t phase2, complex symmetric with real part I: elimination without pivoting, M = L D
  // L^T; every pivot has a positive real part, so that principal roots keep the branch. With zeta
  // it is M = zeta I - i t phase2, and Phi_0 has the factor zeta^(n/2).
  std::vector<ComplexBall> lower(n * n, zero_complex(bits_));
  std::vector<ComplexBall> inverse_pivot;
  ComplexBall free = real_complex(Ball(1, bits_));
  const auto entry = [&](std::size_t i, std::size_t j) -> ComplexBall& { return lower[i * n + j]; };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      entry(i, j) = {Ball(i == j ? 1 : 0, bits_), -(t * block.phase2[i * n + j])};
    }
    if (zeta != nullptr) {
      entry(i, i).re = zeta->re;
      entry(i, i).im += zeta->im;
    }
  }
  if (zeta != nullptr) free = pow(*zeta, Ball(static_cast<slong>(n), bits_) / 2);
  const std::vector<ComplexBall> original = n == 2 ? lower : std::vector<ComplexBall>{};
  const Ball minus_half = Ball(-1, bits_) / 2, minus_one(-1, bits_);
  for (std::size_t k = 0; k < n; ++k) {
    throw_if_interrupted();
    const ComplexBall inverse = pow(entry(k, k), minus_one);
    free = free * pow(entry(k, k), minus_half);
    for (std::size_t i = k + 1; i < n; ++i) {
      if (is_zero(entry(i, k).re) && is_zero(entry(i, k).im)) continue;
      const ComplexBall ratio = entry(i, k) * inverse;
      for (std::size_t j = k + 1; j <= i; ++j) {
        entry(i, j) = minus(entry(i, j), ratio * entry(j, k));
      }
    }
    // later columns read the entries above unscaled; scale them once they are done
    for (std::size_t i = k + 1; i < n; ++i) entry(i, k) = entry(i, k) * inverse;
    inverse_pivot.push_back(inverse);
  }
  // C = M^-1, column by column
  std::vector<ComplexBall> C(n * n, zero_complex(bits_));
  if (n == 2) {
    // by the adjugate: where the off-diagonal entry is far larger, 1/d_1 + l^2/d_2 cancels
    const ComplexBall inverse_det = inverse_pivot[0] * inverse_pivot[1];
    C[0] = original[3] * inverse_det;
    C[1] = C[2] = scaled(Ball(-1, bits_), original[2] * inverse_det);
    C[3] = original[0] * inverse_det;
  }
  for (std::size_t col = 0; n != 2 && col < n; ++col) {
    std::vector<ComplexBall> y(n, zero_complex(bits_));
    y[col] = real_complex(Ball(1, bits_));
    for (std::size_t i = col + 1; i < n; ++i) {
      for (std::size_t j = col; j < i; ++j) y[i] = minus(y[i], entry(i, j) * y[j]);
    }
    for (std::size_t i = col; i < n; ++i) y[i] = y[i] * inverse_pivot[i];
    for (std::size_t i = n; i-- > 0;) {
      for (std::size_t j = i + 1; j < n; ++j) y[i] = minus(y[i], entry(j, i) * y[j]);
      C[i * n + col] = y[i];
    }
  }
  // tilted mean m = i t C phase1; Phi_0 = e^(i t phase0) det M^(-1/2) e^(i t phase1.m/2)
  std::vector<ComplexBall> m(n, zero_complex(bits_)), Am = m;
  ComplexBall exponent{Ball(0, bits_), t * block.phase0};
  for (std::size_t i = 0; i < n; ++i) {
    ComplexBall sum = zero_complex(bits_);
    for (std::size_t j = 0; j < n; ++j) sum = sum + scaled(block.phase1[j], C[i * n + j]);
    m[i] = turned(t, sum);
    exponent = exponent + turned(t * block.phase1[i] / 2, m[i]);
  }
  free = free * exp(exponent);

  ComplexBall first = real_complex(block.amplitude0), second = zero_complex(bits_);
  std::vector<ComplexBall> P(n * n, zero_complex(bits_));  // A C
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const Ball& a = block.amplitude2[i * n + j];
      if (is_zero(a)) continue;
      Am[i] = Am[i] + scaled(a, m[j]);
      for (std::size_t k = 0; k < n; ++k) P[i * n + k] = P[i * n + k] + scaled(a, C[j * n + k]);
    }
  }
  std::vector<ComplexBall> slope;  // amplitude1 + 2 A m
  for (std::size_t i = 0; i < n; ++i) {
    first = first + scaled(block.amplitude1[i], m[i]) + m[i] * Am[i] + P[i * n + i];
    slope.push_back(real_complex(block.amplitude1[i]) + scaled(Ball(2, bits_), Am[i]));
  }
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      second = second + scaled(Ball(2, bits_), P[i * n + j] * P[j * n + i]) +
               slope[i] * (C[i * n + j] * slope[j]);
    }
  }
  return {free, first, second};
}

TransformBall GaussianTransformBall::at(const Ball& t) const { return transform(t, nullptr); }
TransformBall GaussianTransformBall::at(const Ball& t, const ComplexBall& zeta) const {
  return transform(t, &zeta);
}

TransformBall GaussianTransformBall::transform(const Ball& t_given, const ComplexBall* zeta) const {
  const Ball t = t_given.with_bits(bits_);
  ComplexBall free = real_complex(Ball(1, bits_));
  ComplexBall first = zero_complex(bits_), second = first;
  for (const Block& block : blocks_) {
    const Cumulants part = cumulants(block, block.has_phase ? t : Ball(0, bits_), zeta);
    const Ball count(static_cast<slong>(block.multiplicity), bits_);
    free = free * whole_power(part.free, block.multiplicity);
    first = first + scaled(count, part.first);
    second = second + scaled(count, part.second);
  }
  return {free, free * first, free * (first * first + second)};
}

bool GaussianTransformBall::amplitude_is_odd() const {
  return std::all_of(blocks_.begin(), blocks_.end(), [](const Block& block) {
    const auto zero = [](const std::vector<Ball>& values) {
      return std::all_of(values.begin(), values.end(), is_zero);
    };
    bool trace = false;
    for (std::size_t i = 0; i < block.n; ++i) {
      trace = trace || !is_zero(block.amplitude2[i * block.n + i]);
    }
    const bool none = zero(block.amplitude1) && zero(block.amplitude2);
    return is_zero(block.amplitude0) && (none || (!block.has_phase && !trace));
  });
}

Ball GaussianTransformBall::amplitude_mean() const { return at(Ball(0, bits_)).phi1.re; }

Ball GaussianTransformBall::amplitude_variance() const {
  Ball sum(0, bits_);
  for (const Block& block : blocks_) {
    sum += cumulants(block, Ball(0, bits_), nullptr).second.re *
           static_cast<slong>(block.multiplicity);
  }
  return sum;
}

}  // namespace tapalab
