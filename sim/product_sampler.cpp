#include "sim/product_sampler.hpp"

#include <cmath>
#include <utility>

#include "sim/block_kernels.hpp"
#include "sim/marginal_sampler.hpp"
#include "sim/marginal_special.hpp"
#include "sim/simd_level.hpp"

namespace tapalab {
namespace {

struct Span {
  const double* mean;
  const double* scale;
  std::uint32_t begin, end;  // coordinates of x
};

template <class Draw>
TAPALAB_INLINE void fill(const Draw& draw, const Span& span, PhiloxKey key, std::uint64_t first,
                         double* x) {
  for (std::uint32_t c = span.begin; c < span.end; ++c) {
    double* row = x + std::size_t{c} * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) {
      row[lane] = draw(CoordinateWords{first + static_cast<std::uint64_t>(lane), c, key});
    }
    for (int lane = 0; lane < kLanes; ++lane) {
      row[lane] = detail::fused(span.scale[c], row[lane], span.mean[c]);
    }
  }
}

TAPALAB_INLINE void fill_family(MarginalFamily family, DrawStudentT student, const Span& span,
                                PhiloxKey key, std::uint64_t first, double* x) {
  switch (family) {
    case MarginalFamily::gaussian:
      return fill(DrawGaussian{}, span, key, first, x);
    case MarginalFamily::sech:
      return fill(DrawSech{}, span, key, first, x);
    case MarginalFamily::logistic:
      return fill(DrawLogistic{}, span, key, first, x);
    case MarginalFamily::bump:
      return fill(DrawBump{}, span, key, first, x);
    case MarginalFamily::hermite2:
      return fill(DrawHermite2{}, span, key, first, x);
    case MarginalFamily::laplace:
      return fill(DrawLaplace{}, span, key, first, x);
    case MarginalFamily::uniform:
      return fill(DrawUniform{}, span, key, first, x);
    case MarginalFamily::student_t:
      return fill(student, span, key, first, x);
    case MarginalFamily::rademacher:
      return fill(DrawRademacher{}, span, key, first, x);
    case MarginalFamily::singular:
      return fill(DrawSingular{}, span, key, first, x);
  }
}

// One copy per vector width, as in sim/block_kernels.cpp: the same bits from each.
void fill_scalar(MarginalFamily family, DrawStudentT student, const Span& span, PhiloxKey key,
                 std::uint64_t first, double* x) {
  fill_family(family, student, span, key, first, x);
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) void fill_avx2(MarginalFamily family, DrawStudentT student,
                                                   const Span& span, PhiloxKey key,
                                                   std::uint64_t first, double* x) {
  fill_family(family, student, span, key, first, x);
}
__attribute__((target("avx2,fma,avx512f,avx512dq,avx512vl,avx512bw"))) void fill_avx512(
    MarginalFamily family, DrawStudentT student, const Span& span, PhiloxKey key,
    std::uint64_t first, double* x) {
  fill_family(family, student, span, key, first, x);
}
#endif

DrawLaw draw_law(MarginalFamily family) {
  switch (family) {
    case MarginalFamily::gaussian:
      return DrawLaw::gaussian;
    case MarginalFamily::sech:
      return DrawLaw::sech;
    case MarginalFamily::logistic:
      return DrawLaw::logistic;
    case MarginalFamily::bump:
      return DrawLaw::bump;
    case MarginalFamily::hermite2:
      return DrawLaw::hermite2;
    case MarginalFamily::laplace:
      return DrawLaw::laplace;
    case MarginalFamily::uniform:
      return DrawLaw::uniform;
    case MarginalFamily::student_t:
      return DrawLaw::student_t;
    case MarginalFamily::rademacher:
      return DrawLaw::rademacher;
    case MarginalFamily::singular:
      break;
  }
  return DrawLaw::singular;
}

auto fill_at(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return fill_avx512;
  if (level == SimdLevel::avx2) return fill_avx2;
#endif
  (void)level;
  return fill_scalar;
}

}  // namespace

StudentShape student_shape(const Marginal& law) {
  if (law.family != MarginalFamily::student_t) return {};
  return {2 / law.nu.value(), static_cast<double>(student_excess(law.nu))};
}

ProductModel lower(const ProductDensity& density, const Encoding& encoding,
                   std::uint32_t head_dim) {
  const GaussianModel moments = moment_model(density, encoding, head_dim);
  ProductModel model{head_dim, density.query, density.key, {}, {}};
  for (const Wide& mean : moments.mean) model.mean.push_back(static_cast<double>(mean));
  model.scale.resize(model.mean.size());
  for (const CovarianceTerm& term : moments.covariance) {
    model.scale[term.row] = static_cast<double>(Wide(sqrt(term.value)));
  }
  return model;
}

ProductSource::ProductSource(ProductModel model, std::uint64_t seed)
    : model_(std::move(model)),
      key_(stream_key(seed)),
      query_student_(student_shape(model_.query)),
      key_student_(student_shape(model_.key)) {}

void ProductSource::lanes(std::uint64_t first, double* x) const {
  const auto draw = [](const StudentShape& shape) {
    return DrawStudentT{shape.exponent, shape.excess};
  };
  const auto run = fill_at(simd_level());
  const std::uint32_t dim = model_.head_dim;
  const double* mean = model_.mean.data();
  const double* scale = model_.scale.data();
  run(model_.query.family, draw(query_student_), {mean, scale, 0, dim}, key_, first, x);
  run(model_.key.family, draw(key_student_), {mean, scale, dim, 2 * dim}, key_, first, x);
}

DrawTables ProductSource::tables() const {
  DrawTables tables;
  tables.kind = DrawKind::product;
  tables.head_dim = model_.head_dim;
  tables.key = key_;
  tables.mean = model_.mean;
  tables.scale = model_.scale;
  tables.query_law = {draw_law(model_.query.family), query_student_.exponent,
                      query_student_.excess};
  tables.key_law = {draw_law(model_.key.family), key_student_.exponent, key_student_.excess};
  return tables;
}

void ProductSource::mirrored_lanes(std::uint64_t first, double* x) const {
  lanes(first, x);
  for (std::size_t c = model_.head_dim; c < 2 * std::size_t{model_.head_dim}; ++c) {
    double* row = x + c * kLanes;
    for (int lane = 0; lane < kLanes; ++lane) row[lane] = 2 * model_.mean[c] - row[lane];
  }
}

}  // namespace tapalab
