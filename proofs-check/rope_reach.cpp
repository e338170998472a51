#include "proofs-check/rope_reach.hpp"

#include <flint/fmpz_lll.h>
#include <flint/fmpz_mat.h>

#include "sim/errors.hpp"

namespace tapalab {
namespace {

constexpr slong kGramBits = 192;

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

/// Plain floating point: radii, which would grow with every step of the orthogonalisation, are
/// dropped.
void drop_radius(Ball& x) { mag_zero(arb_radref(x.get())); }

Ball dot(const std::vector<Ball>& a, const std::vector<Ball>& b, slong bits) {
  Ball sum(0, bits);
  for (std::size_t i = 0; i < a.size(); ++i) arb_addmul(sum.get(), a[i].get(), b[i].get(), bits);
  drop_radius(sum);
  return sum;
}

/// target -= factor * row
void subtract(std::vector<Ball>& target, const Ball& factor, const std::vector<Ball>& row,
              slong bits) {
  for (std::size_t i = 0; i < row.size(); ++i) {
    arb_submul(target[i].get(), factor.get(), row[i].get(), bits);
    drop_radius(target[i]);
  }
}

}  // namespace

/// Rows: one step of t, and a whole turn of each frequency; all in units of 2^-scale.
struct PhaseLattice::Reduced {
  Reduced(slong size, long bits)
      : n(size), guard(20 + bits / size), scale(bits + guard), basis(size, size) {}

  Ball scaled(const Ball& x) const {
    Ball y(0, working);
    arb_mul_2exp_si(y.get(), x.get(), scale);
    return y;
  }

  slong n;
  // frequencies are rounded to 2^-scale and multiplied by t: 2^-20 of what is reached is lost
  slong guard, scale;
  slong working = 2 * scale + 128;
  Matrix basis;
  std::vector<std::vector<Ball>> rows, orthogonal;
  std::vector<Ball> norms;
};

PhaseLattice::~PhaseLattice() = default;
PhaseLattice::PhaseLattice(PhaseLattice&&) noexcept = default;
PhaseLattice& PhaseLattice::operator=(PhaseLattice&&) noexcept = default;

PhaseLattice::PhaseLattice(const std::vector<Ball>& frequencies, long bits) {
  if (frequencies.empty()) throw InputError("phase lattice: accepted is at least one frequency");
  const slong n = static_cast<slong>(frequencies.size()) + 1;
  reduced_ = std::make_unique<Reduced>(n, bits);
  Reduced& r = *reduced_;
  fmpz_one(r.basis.at(0, 0));
  fmpz_mul_2exp(r.basis.at(0, 0), r.basis.at(0, 0), r.guard);
  for (slong j = 1; j < n; ++j) {
    nearest(r.basis.at(0, j), r.scaled(frequencies[static_cast<std::size_t>(j - 1)]));
    fmpz_one(r.basis.at(j, j));
    fmpz_mul_2exp(r.basis.at(j, j), r.basis.at(j, j), r.scale);
  }
  fmpz_lll_t method;
  fmpz_lll_context_init_default(method);
  fmpz_lll(r.basis.get(), nullptr, method);

  // Gram-Schmidt: only whole factors come of it, and a reduced basis is well conditioned
  for (slong i = 0; i < n; ++i) {
    std::vector<Ball> row;
    for (slong j = 0; j < n; ++j) row.push_back(ball_of(r.basis.at(i, j), r.working));
    r.rows.push_back(row);
    for (std::size_t k = 0; k < r.orthogonal.size(); ++k)
      subtract(row, dot(r.rows.back(), r.orthogonal[k], kGramBits) / r.norms[k], r.orthogonal[k],
               kGramBits);
    r.norms.push_back(dot(row, row, kGramBits));
    r.orthogonal.push_back(std::move(row));
  }
}

std::string PhaseLattice::reach(const std::vector<Ball>& targets) const {
  Reduced& r = *reduced_;
  if (static_cast<slong>(targets.size()) + 1 != r.n)
    throw InputError("phase lattice: accepted are as many targets as frequencies");
  // Babai's nearest plane; t near 2^bits, so that it is positive
  std::vector<Ball> rest = {r.scaled(Ball(1, r.working))};
  for (const Ball& target : targets) rest.push_back(r.scaled(target));
  Matrix sum(1, 1), factor(1, 1);
  for (slong i = r.n - 1; i >= 0; --i) {
    const std::size_t k = static_cast<std::size_t>(i);
    nearest(factor.at(0, 0), dot(rest, r.orthogonal[k], kGramBits) / r.norms[k]);
    fmpz_addmul(sum.at(0, 0), factor.at(0, 0), r.basis.at(i, 0));
    subtract(rest, ball_of(factor.at(0, 0), r.working), r.rows[k], r.working);
  }
  fmpz_fdiv_q_2exp(sum.at(0, 0), sum.at(0, 0), r.guard);
  const std::unique_ptr<char, void (*)(void*)> text(fmpz_get_str(nullptr, 10, sum.at(0, 0)),
                                                    flint_free);
  return text.get();
}

std::string reach_phases(const std::vector<Ball>& frequencies, const std::vector<Ball>& targets,
                         long bits) {
  return PhaseLattice(frequencies, bits).reach(targets);
}

}  // namespace tapalab
