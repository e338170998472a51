#include <fmt/format.h>

#include <cmath>

#include "analysis/experiment.hpp"
#include "proofs-check/evidence.hpp"
#include "proofs-check/theorem_3_2_extended.hpp"
#include "sim/errors.hpp"
#include "sim/marginal_law.hpp"
#include "sim/mutants.hpp"

namespace tapalab {

double transform_norm(const Marginal& law) {
  const double pi = std::acos(-1.0);
  switch (law.family) {
    case MarginalFamily::gaussian:
    case MarginalFamily::sech:
    case MarginalFamily::logistic:
    case MarginalFamily::laplace:
    case MarginalFamily::student_t:
      return MarginalLaw<double>(law).density(0.0);
    case MarginalFamily::hermite2:
      return mutated("controls-hermite-norm", 4.0, 1.0) * std::sqrt(3.0) * std::exp(-0.5) /
             (2 * pi);
    default:
      break;
  }
  throw InputError(
      "transform norm: accepted are gaussian, sech, logistic, laplace, student-t and "
      "hermite2");
}

namespace {

CurveTask task_of(const std::string& encoding, const std::string& law, std::uint32_t head_dim,
                  const std::string& distances) {
  CurveTask task;
  task.encoding = parse_encoding(encoding);
  const bool has_keys = law.find(':') != std::string::npos;
  task.density = parse_density(law + (has_keys ? "," : ":") + "a.mean_q=0.5,a.mean_k=0.25");
  task.head_dim = head_dim;
  task.distances = parse_distances(distances);
  return task;
}

/// E a = sqrt(dA)/8 of the means above.
double amplitude_mean(const CurveTask& task) {
  return std::sqrt(static_cast<double>(task.head_dim) / 2) / 8;
}

double log_envelope(const CurvePoint& point) {
  return point.envelope->estimate.log10_abs() * std::log(10.0);
}

/// The bound with its constant, for laws that are Schwartz (sech, logistic, hermite2) and not.
void check_bound(const std::string& law, std::vector<Evidence>& rows) {
  const CurveTask task = task_of("tapa", law, 128, "log:1:2^62:12");
  const Marginal marginal = std::get<ProductDensity>(task.density.law).query;
  const double dP = 64, norm = transform_norm(marginal);
  const bool vanishes = marginal.family == MarginalFamily::hermite2;
  double worst = 0, previous = 0;
  bool rising = true;
  for (const CurvePoint& point : compute_curve(task).points) {
    const double s = std::pow(static_cast<double>(point.distance), 0.1);
    // ln (l^-dP |E a| (I_q I_k)^dP), l = s/sqrt(dP)
    const double bound =
        std::log(amplitude_mean(task)) + dP * std::log(norm * norm * std::sqrt(dP) / s);
    const double ratio = std::exp((log_envelope(point) - bound) / dP);
    rising = rising && ratio >= previous;
    previous = ratio;
    worst = std::max(worst, ratio);
  }
  rows.push_back(
      {"quadrature",
       fmt::format("(envelope/(l^-dP ||w^||_1))^(1/dP), largest, {}, D = 128, 12 distances from 1 "
                   "to 2^62",
                   law),
       vanishes ? "< 1" : "< 1, rising", fmt::format("{:.6g}", worst), "1e-12 (quadrature)",
       worst < 1 && (vanishes || rising)});
}

/// The exponent in s between two far scales.
void check_exponent(const std::string& law, double expected, double slack, const std::string& why,
                    std::vector<Evidence>& rows) {
  const CurveTask task = task_of("tapa:alpha=1", law, 8, "2^30,2^34");
  const DistanceCurve curve = compute_curve(task);
  const double exponent =
      (log_envelope(curve.points[0]) - log_envelope(curve.points[1])) / (4 * std::log(2.0));
  rows.push_back({"quadrature", fmt::format("exponent of s between 2^30 and 2^34, {}, dP = 4", law),
                  fmt::format("{} within {:g}: {}", expected, slack, why),
                  fmt::format("{:.9g}", exponent), "1e-10 (quadrature)",
                  std::abs(exponent - expected) < slack});
}

/// singular: g sqrt(t) grows by 2 c^2 sqrt(2 pi) for each unit of ln t, c^2 = sqrt(3)/(8 pi) the
/// square of its density's coefficient of |x|^(-1/2).
void check_singular(std::vector<Evidence>& rows) {
  const CurveTask task = task_of("tapa:alpha=1", "singular", 4, "2^20,2^40");
  const DistanceCurve curve = compute_curve(task);
  const double pi = std::acos(-1.0);
  double scaled[2];
  for (std::size_t i = 0; i < 2; ++i) {
    const double t = 2 * pi * static_cast<double>(curve.points[i].distance) / std::sqrt(2.0);
    // envelope = E a g^2
    scaled[i] = std::exp((log_envelope(curve.points[i]) - std::log(amplitude_mean(task))) / 2) *
                std::sqrt(t);
  }
  const double growth = (scaled[1] - scaled[0]) / (20 * std::log(2.0));
  const double expected =
      2 *
      mutated("controls-singular-square", std::sqrt(3.0) / (8 * pi), std::sqrt(3.0) / (4 * pi)) *
      std::sqrt(2 * pi);
  rows.push_back(
      {"quadrature", "growth of g sqrt(t) with ln t, singular, t from 2^20 to 2^40",
       fmt::format("{:.6g} within 1e-4: g ~ const ln t/sqrt(t), exponent dP/2", expected),
       fmt::format("{:.6g}", growth), "1e-10 (quadrature)", std::abs(growth - expected) < 1e-4});
}

void check_rademacher(std::vector<Evidence>& rows) {
  // dP = 4: s q.k/2 is whole for every even s
  const CurveTask task = task_of("tapa:alpha=1", "rademacher", 8, "2^20,2^40");
  for (const CurvePoint& point : compute_curve(task).points) {
    const double mean = point.mean->estimate.value(), expected = amplitude_mean(task);
    rows.push_back({"exact",
                    fmt::format("mean at scale s = {}, rademacher, dP = 4", point.distance),
                    fmt::format("{:.12g} = E a: no decay", expected), fmt::format("{:.12g}", mean),
                    error_text(*point.mean), std::abs(mean - expected) < 1e-12});
  }
}

}  // namespace

void check_control_densities(std::vector<Evidence>& rows) {
  for (const char* law : {"sech", "logistic", "hermite2", "laplace", "student-t:nu=3"})
    check_bound(law, rows);
  const std::string schwartz = "Schwartz, density not 0 at 0";
  const std::string control = "not Schwartz, and decays with dP all the same";
  check_exponent("sech", 4, 1e-6, schwartz, rows);
  check_exponent("hermite2", 12, 1e-6, "3 dP: the density vanishes to second order at 0", rows);
  check_exponent("laplace", 4, 1e-6, control, rows);
  check_exponent("uniform", 4, 1e-6, control, rows);
  check_exponent("student-t:nu=3", 4, 1e-6, control, rows);
  check_singular(rows);
  check_rademacher(rows);
}

}  // namespace tapalab
