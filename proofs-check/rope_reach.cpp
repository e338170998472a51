#include "proofs-check/rope_reach.hpp"

#include <flint/fmpz_lll.h>
#include <flint/fmpz_mat.h>

#include <memory>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

class Matrix {
 public:
  Matrix(slong rows, slong columns) { fmpz_mat_init(value_, rows, columns); }
  Matrix(const Matrix&) = delete;
  Matrix& operator=(const Matrix&) = delete;
  ~Matrix() { fmpz_mat_clear(value_); }
  fmpz* at(slong row, slong column) { return fmpz_mat_entry(value_, row, column); }
  fmpz_mat_struct* get() { return value_; }

 private:
  fmpz_mat_t value_;
};

Ball ball_of(const fmpz* z, slong bits) {
  Ball result(0, bits);
  arb_set_fmpz(result.get(), z);
  return result;
}

/// z = the integer nearest to the midpoint of x.
void nearest(fmpz* z, const Ball& x) { arf_get_fmpz(z, arb_midref(x.get()), ARF_RND_NEAR); }

Ball dot(const std::vector<Ball>& a, const std::vector<Ball>& b, slong bits) {
  Ball sum(0, bits);
  for (std::size_t i = 0; i < a.size(); ++i) arb_addmul(sum.get(), a[i].get(), b[i].get(), bits);
  return sum;
}

/// target -= factor * row
void subtract(std::vector<Ball>& target, const Ball& factor, const std::vector<Ball>& row,
              slong bits) {
  for (std::size_t i = 0; i < row.size(); ++i)
    arb_submul(target[i].get(), factor.get(), row[i].get(), bits);
}

}  // namespace

std::string reach_phases(const std::vector<Ball>& frequencies, const std::vector<Ball>& targets,
                         long bits) {
  if (frequencies.empty() || frequencies.size() != targets.size())
    throw InputError("reach_phases: accepted are as many targets as frequencies, at least one");
  const slong n = static_cast<slong>(frequencies.size()) + 1;
  // frequencies are rounded to 2^-scale and multiplied by t: 2^-20 of what is reached is lost
  const slong guard = 20 + bits / n;
  const slong scale = bits + guard;
  const slong working = 2 * scale + 128;
  const auto scaled = [&](const Ball& x) {
    Ball y(0, working);
    arb_mul_2exp_si(y.get(), x.get(), scale);
    return y;
  };

  // rows: one step of t, and a whole turn of each frequency
  Matrix basis(n, n);
  fmpz_one(basis.at(0, 0));
  fmpz_mul_2exp(basis.at(0, 0), basis.at(0, 0), guard);
  for (slong j = 1; j < n; ++j) {
    nearest(basis.at(0, j), scaled(frequencies[static_cast<std::size_t>(j - 1)]));
    fmpz_one(basis.at(j, j));
    fmpz_mul_2exp(basis.at(j, j), basis.at(j, j), scale);
  }
  fmpz_lll_t method;
  fmpz_lll_context_init_default(method);
  fmpz_lll(basis.get(), nullptr, method);

  // Gram-Schmidt, then Babai's nearest plane
  std::vector<std::vector<Ball>> rows, orthogonal;
  std::vector<Ball> norms;
  for (slong i = 0; i < n; ++i) {
    std::vector<Ball> row;
    for (slong j = 0; j < n; ++j) row.push_back(ball_of(basis.at(i, j), working));
    rows.push_back(row);
    for (std::size_t k = 0; k < orthogonal.size(); ++k)
      subtract(row, dot(rows.back(), orthogonal[k], working) / norms[k], orthogonal[k], working);
    norms.push_back(dot(row, row, working));
    orthogonal.push_back(std::move(row));
  }
  std::vector<Ball> rest = {scaled(Ball(1, working))};  // t near 2^bits, so that it is positive
  for (const Ball& target : targets) rest.push_back(scaled(target));
  Matrix sum(1, 1), factor(1, 1);
  for (slong i = n - 1; i >= 0; --i) {
    const std::size_t k = static_cast<std::size_t>(i);
    nearest(factor.at(0, 0), dot(rest, orthogonal[k], working) / norms[k]);
    fmpz_addmul(sum.at(0, 0), factor.at(0, 0), basis.at(i, 0));
    subtract(rest, ball_of(factor.at(0, 0), working), rows[k], working);
  }
  fmpz_fdiv_q_2exp(sum.at(0, 0), sum.at(0, 0), guard);
  const std::unique_ptr<char, void (*)(void*)> text(fmpz_get_str(nullptr, 10, sum.at(0, 0)),
                                                    flint_free);
  return text.get();
}

}  // namespace tapalab
