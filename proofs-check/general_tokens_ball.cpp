#include "proofs-check/general_tokens_ball.hpp"

#ifdef TAPALAB_FLINT3
#include <flint/acb_mat.h>
#include <flint/arb_mat.h>
#else
#include <acb_mat.h>
#include <arb_mat.h>
#endif

#include <vector>

#include "analysis/smoothed_curve.hpp"
#include "sim/encoding.hpp"
#include "sim/interrupt.hpp"

namespace tapalab {
namespace {

struct RealMatrix {
  RealMatrix(slong rows, slong cols) { arb_mat_init(m, rows, cols); }
  ~RealMatrix() { arb_mat_clear(m); }
  RealMatrix(const RealMatrix&) = delete;
  RealMatrix& operator=(const RealMatrix&) = delete;
  arb_mat_t m;
};
struct ComplexMatrix {
  ComplexMatrix(slong rows, slong cols) { acb_mat_init(m, rows, cols); }
  ~ComplexMatrix() { acb_mat_clear(m); }
  ComplexMatrix(const ComplexMatrix&) = delete;
  ComplexMatrix& operator=(const ComplexMatrix&) = delete;
  acb_mat_t m;
};

void fill_matrix(RealMatrix& to, const DecimalMatrix& from, slong bits) {
  for (std::size_t i = 0; i < from.rows; ++i) {
    for (std::size_t j = 0; j < from.cols; ++j) {
      arb_set(arb_mat_entry(to.m, static_cast<slong>(i), static_cast<slong>(j)),
              Ball::decimal(from(i, j).text(), bits).get());
    }
  }
}

ComplexBall parts(const acb_t z, slong bits) {
  ComplexBall result{Ball(0, bits), Ball(0, bits)};
  arb_set(result.re.get(), acb_realref(z));
  arb_set(result.im.get(), acb_imagref(z));
  return result;
}

/// z^T X w as complex numbers over rows of two tables: a quadratic form of mu = (q, k), as its
/// parts in q alone, in k alone, and rows q^T X_qk that a pair multiplies with k.
class PairForm {
 public:
  PairForm(const ComplexMatrix& X, const RealMatrix& q, const RealMatrix& k, slong bits)
      : bits_(bits), dim_(arb_mat_ncols(q.m)), cross_(arb_mat_nrows(q.m), dim_) {
    const slong tokens = arb_mat_nrows(q.m);
    ComplexMatrix mixed(dim_, dim_);
    for (slong i = 0; i < dim_; ++i) {
      for (slong j = 0; j < dim_; ++j) {
        acb_add(acb_mat_entry(mixed.m, i, j), acb_mat_entry(X.m, i, dim_ + j),
                acb_mat_entry(X.m, dim_ + j, i), bits);
      }
    }
    ComplexMatrix rows(tokens, dim_);
    acb_mat_set_arb_mat(rows.m, q.m);
    acb_mat_mul(cross_.m, rows.m, mixed.m, bits);
    of_queries_ = own(X, q, 0);
    of_keys_ = own(X, k, dim_);
  }
  ComplexBall at(std::size_t m, std::size_t n, const ComplexMatrix& keys) const {
    ComplexBall sum = of_queries_[m] + of_keys_[n];
    acb_t dot;
    acb_init(dot);
    acb_dot(dot, nullptr, 0, acb_mat_entry(cross_.m, static_cast<slong>(m), 0), 1,
            acb_mat_entry(keys.m, static_cast<slong>(n), 0), 1, dim_, bits_);
    sum = sum + parts(dot, bits_);
    acb_clear(dot);
    return sum;
  }

 private:
  // x^T X x of every row, X's diagonal block from `first` on
  std::vector<ComplexBall> own(const ComplexMatrix& X, const RealMatrix& table, slong first) const {
    const slong tokens = arb_mat_nrows(table.m);
    ComplexMatrix block(dim_, dim_), rows(tokens, dim_), product(tokens, dim_);
    for (slong i = 0; i < dim_; ++i) {
      for (slong j = 0; j < dim_; ++j) {
        acb_set(acb_mat_entry(block.m, i, j), acb_mat_entry(X.m, first + i, first + j));
      }
    }
    acb_mat_set_arb_mat(rows.m, table.m);
    acb_mat_mul(product.m, rows.m, block.m, bits_);
    std::vector<ComplexBall> values;
    acb_t dot;
    acb_init(dot);
    for (slong m = 0; m < tokens; ++m) {
      acb_dot(dot, nullptr, 0, acb_mat_entry(product.m, m, 0), 1, acb_mat_entry(rows.m, m, 0), 1,
              dim_, bits_);
      values.push_back(parts(dot, bits_));
    }
    acb_clear(dot);
    return values;
  }

  slong bits_, dim_;
  ComplexMatrix cross_;
  std::vector<ComplexBall> of_queries_, of_keys_;
};

/// The transform of a Gaussian of deviation h around mu at one t, as forms of mu: exponent Q, L_1 =
/// mu^T R_1 mu + trace_1, L_2 = 4 h^2 mu^T R_2 mu + trace_2, and Phi_0's factor.
struct PairTransforms {
  ComplexMatrix Q, R1, R2;
  ComplexBall trace1, trace2;
  Ball factor;

  PairTransforms(const RealMatrix& M, const RealMatrix& N, const Ball& t, const Ball& h2)
      : Q(size(M), size(M)),
        R1(size(M), size(M)),
        R2(size(M), size(M)),
        trace1{Ball(0, t.bits()), Ball(0, t.bits())},
        trace2(trace1),
        factor(1, t.bits()) {
    const slong bits = t.bits(), D = arb_mat_nrows(M.m), n = 2 * D;
    const Ball tau = t * h2;
    // S = (I + tau^2 N N^T)^-1, S' = (I + tau^2 N^T N)^-1; C = [S, i tau S N; i tau N^T S, S']
    RealMatrix NT(D, D), square(D, D), S(D, D), Sk(D, D), SN(D, D);
    arb_mat_transpose(NT.m, N.m);
    const auto resolvent = [&](const RealMatrix& a, const RealMatrix& b, RealMatrix& to) {
      arb_mat_mul(square.m, a.m, b.m, bits);
      arb_mat_scalar_mul_arb(square.m, square.m, (tau * tau).get(), bits);
      for (slong i = 0; i < D; ++i) {
        arb_add_si(arb_mat_entry(square.m, i, i), arb_mat_entry(square.m, i, i), 1, bits);
      }
      if (arb_mat_inv(to.m, square.m, bits) == 0) arb_mat_indeterminate(to.m);
    };
    resolvent(NT, N, Sk);
    resolvent(N, NT, S);
    Ball det(0, bits);
    arb_mat_det(det.get(), square.m, bits);
    factor = Ball(1, bits) / sqrt(det);
    arb_mat_mul(SN.m, S.m, N.m, bits);
    arb_mat_scalar_mul_arb(SN.m, SN.m, tau.get(), bits);
    ComplexMatrix C(n, n), Ms(n, n), Ns(n, n), left(n, n);
    const Ball half = Ball(1, bits) / 2;
    for (slong i = 0; i < D; ++i) {
      for (slong j = 0; j < D; ++j) {
        arb_set(acb_realref(acb_mat_entry(C.m, i, j)), arb_mat_entry(S.m, i, j));
        arb_set(acb_realref(acb_mat_entry(C.m, D + i, D + j)), arb_mat_entry(Sk.m, i, j));
        arb_set(acb_imagref(acb_mat_entry(C.m, i, D + j)), arb_mat_entry(SN.m, i, j));
        arb_set(acb_imagref(acb_mat_entry(C.m, D + j, i)), arb_mat_entry(SN.m, i, j));
        symmetric(Ms, M, i, j, D, half);
        symmetric(Ns, N, i, j, D, half);
      }
    }
    // Q = i t Ns C, R_1 = C Ms C, R_2 = C Ms C Ms C
    acb_mat_mul(Q.m, Ns.m, C.m, bits);
    acb_mat_scalar_mul_arb(Q.m, Q.m, t.get(), bits);
    acb_t i;
    acb_init(i);
    acb_onei(i);
    acb_mat_scalar_mul_acb(Q.m, Q.m, i, bits);
    acb_clear(i);
    acb_mat_mul(left.m, C.m, Ms.m, bits);
    acb_mat_mul(R1.m, left.m, C.m, bits);
    acb_mat_mul(R2.m, left.m, R1.m, bits);
    // h^2 tr(Ms C), 2 h^4 tr((Ms C)^2)
    trace1 = scaled(h2, trace(left, bits));
    acb_mat_mul(left.m, left.m, left.m, bits);
    trace2 = scaled(h2 * h2 * 2, trace(left, bits));
  }

  static ComplexBall scaled(const Ball& x, const ComplexBall& z) { return {x * z.re, x * z.im}; }

 private:
  static slong size(const RealMatrix& M) { return 2 * arb_mat_nrows(M.m); }
  static void symmetric(ComplexMatrix& to, const RealMatrix& from, slong i, slong j, slong D,
                        const Ball& half) {
    for (acb_ptr entry : {acb_mat_entry(to.m, i, D + j), acb_mat_entry(to.m, D + j, i)}) {
      arb_mul(acb_realref(entry), arb_mat_entry(from.m, i, j), half.get(), half.bits());
    }
  }
  static ComplexBall trace(const ComplexMatrix& X, slong bits) {
    acb_t sum;
    acb_init(sum);
    acb_mat_trace(sum, X.m, bits);
    ComplexBall result = parts(sum, bits);
    acb_clear(sum);
    return result;
  }
};

}  // namespace

PointBalls general_token_balls(const CurveTask& task, std::uint64_t distance, const Ball& t) {
  const auto& encoding = std::get<TapaGeneralEncoding>(task.encoding.law);
  const auto& density = std::get<EmpiricalDensity>(task.density.law);
  const TokenTable& table = *density.table;
  const slong bits = t.bits(), D = task.head_dim, tokens = static_cast<slong>(table.tokens);
  const Ball h2 = pow(Ball::decimal(density.bandwidth.text(), bits), 2);
  RealMatrix M(D, D), N(D, D), q(tokens, D), k(tokens, D);
  fill_matrix(M, encoding.M, bits);
  fill_matrix(N, encoding.N, bits);
  ComplexMatrix keys(tokens, D);
  for (slong m = 0; m < tokens; ++m) {
    for (slong i = 0; i < D; ++i) {
      const auto place = static_cast<std::size_t>(m * D + i);
      arb_set_d(arb_mat_entry(q.m, m, i), table.queries[place]);
      arb_set_d(arb_mat_entry(k.m, m, i), table.keys[place]);
    }
  }
  acb_mat_set_arb_mat(keys.m, k.m);
  const empirical::PairLists lists(density.pairs, table.tokens, distance);
  const Ball pairs = Ball::exactly(lists.pairs(), bits);
  const ComplexBall none{Ball(0, bits), Ball(0, bits)};
  // E a^j e^(i t phi) over all pairs, j = 1 and 2
  const auto mean_of = [&](const Ball& at) {
    const PairTransforms transforms(M, N, at, h2);
    const PairForm exponent(transforms.Q, q, k, bits), first(transforms.R1, q, k, bits),
        second(transforms.R2, q, k, bits);
    std::pair<ComplexBall, ComplexBall> sums{none, none};
    const bool still = arb_is_zero(at.get()) != 0;
    for (std::size_t m = 0; m < table.tokens; ++m) {
      const auto row = lists.of(m);
      for (std::size_t n = row.first; n < row.first + row.count; ++n) {
        throw_if_interrupted();
        const ComplexBall L1 = first.at(m, n, keys) + transforms.trace1;
        const ComplexBall L2 =
            PairTransforms::scaled(h2 * 4, second.at(m, n, keys)) + transforms.trace2;
        ComplexBall phi0{Ball(1, bits), Ball(0, bits)};
        if (!still) {
          const ComplexBall z = exponent.at(m, n, keys);
          const Ball turns = z.im / (Ball::pi(bits) * 2), decay = exp(z.re);
          phi0 = {decay * cos_turns(turns), decay * sin_turns(turns)};
        }
        sums.first = sums.first + phi0 * L1;
        sums.second = sums.second + phi0 * (L1 * L1 + L2);
      }
    }
    const Ball share = transforms.factor / pairs;
    return std::pair{PairTransforms::scaled(share, sums.first),
                     PairTransforms::scaled(share, sums.second)};
  };
  const auto [mean, square] = mean_of(Ball(0, bits));
  if (arb_is_zero(t.get())) {
    const Ball variance = square.re - mean.re * mean.re;
    return {mean.re, abs(mean.re), variance, variance - square.re / 2};
  }
  const ComplexBall phi1 = mean_of(t).first;
  const Ball excess = mean_of(t * 2).second.re / 2 - phi1.re * phi1.re;
  return {phi1.re, abs(phi1), square.re / 2 + excess, excess};
}

}  // namespace tapalab
