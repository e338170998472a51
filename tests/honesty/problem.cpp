#include "problem.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tapalab::honesty {
namespace {

std::string with_prefix(const std::string& prefix, const std::string& mean_q,
                        const std::string& mean_k, const std::string& scale_q,
                        const std::string& scale_k) {
  return prefix + "mean_q=" + mean_q + "," + prefix + "mean_k=" + mean_k + "," + prefix +
         "scale_q=" + scale_q + "," + prefix + "scale_k=" + scale_k;
}

std::string correlation(Random& random) {
  if (random.below(4) == 0) return random.below(2) == 0 ? "1" : "-1";
  return random.below(4) == 0 ? "0" : random.decimal(-4, -0.001, true);
}

/// Means, scales and a correlation of every coordinate, with one prefix.
std::string gaussian_keys(Random& random, const std::string& prefix) {
  const std::string mean_q = random.mean(), mean_k = random.mean();
  const std::string scale_q = random.scale(), scale_k = random.scale();
  return with_prefix(prefix, mean_q, mean_k, scale_q, scale_k) + "," + prefix +
         "rho=" + correlation(random);
}

Problem gaussian(Random& random) {
  const std::uint32_t half = 1 + static_cast<std::uint32_t>(random.below(64));
  const std::string amplitude = gaussian_keys(random, "a."), phase = gaussian_keys(random, "p.");
  return certified_problem("tapa:alpha=" + random.alpha(),
                           parse_density("gaussian:" + amplitude + "," + phase), 2 * half,
                           random.distance());
}

Problem mixture(Random& random) {
  const std::uint32_t half = 1 + static_cast<std::uint32_t>(random.below(40));
  std::string spec = "mixture:";
  const char* weights[] = {"0.5", "0.125", "0.375"};
  for (const char* weight : weights) {
    if (weight != weights[0]) spec += ";";
    spec += "weight=" + std::string(weight) + "," + gaussian_keys(random, "a.") + "," +
            gaussian_keys(random, "p.");
  }
  const char* encoding = random.below(3) == 0 ? "tapa-linear:alpha=" : "tapa:alpha=";
  return certified_problem(encoding + random.alpha(), parse_density(spec), 2 * half,
                           random.distance());
}

/// General M and N, full mean and covariance (L L^T over a power of two: exact decimals), small
/// sizes; in a third of the problems the covariance is singular, in a third N.
Problem general(Random& random) {
  const auto D = 1 + static_cast<std::uint32_t>(random.below(4)), n = 2 * D;
  const auto entry = [&](double size) {
    return ExactDecimal::from_double(std::ldexp(std::round((random.unit() - 0.5) * size * 64), -5),
                                     "entry");
  };
  const auto square = [](std::uint32_t rows) {
    DecimalMatrix m;
    m.rows = m.cols = rows;
    m.entries.assign(std::size_t(rows) * rows, ExactDecimal(0));
    return m;
  };
  TapaGeneralEncoding encoding;
  const std::string alpha = random.alpha();
  encoding.alpha = ExactDecimal::parse(alpha, "alpha");
  encoding.law = random.below(4) == 0 ? PhaseLaw::linear : PhaseLaw::power;
  encoding.M = encoding.N = square(D);
  for (auto& x : encoding.M.entries) x = entry(2);
  for (auto& x : encoding.N.entries) x = entry(2);
  if (D > 1 && random.below(3) == 0) {
    for (std::uint32_t j = 0; j < D; ++j) encoding.N.entries[j] = ExactDecimal(0);
  }
  FullGaussianDensity density;
  for (std::uint32_t i = 0; i < n; ++i) {
    density.mean.push_back(random.below(2) == 0 ? ExactDecimal(0) : entry(4));
  }
  const std::uint32_t rank = random.below(3) == 0 ? n - 1 : n;
  std::vector<double> L(std::size_t(n) * n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < rank && j <= i; ++j) {
      L[i * n + j] = std::ldexp(std::round((random.unit() - 0.5) * 64), -5);
    }
  }
  density.covariance = square(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    for (std::uint32_t j = 0; j < n; ++j) {
      double sum = 0;
      for (std::uint32_t k = 0; k < n; ++k) sum += L[i * n + k] * L[j * n + k];
      density.covariance.entries[i * n + j] = ExactDecimal::from_double(sum, "entry");
    }
  }
  Problem problem = certified_problem("tapa", {"gaussian", density}, D, random.distance());
  problem.task.encoding = {"tapa-general:alpha=" + alpha, encoding};
  problem.text = "general, D = " + std::to_string(D) + ", alpha = " + alpha + ", distance " +
                 std::to_string(problem.distance());
  const CurveTask task = problem.task;
  problem.truth = [task](slong bits) {
    return point_balls(task, task.distances.distances[0], bits);
  };
  return problem;
}

Problem rotary(Random& random) {
  const std::uint32_t half = 2 + static_cast<std::uint32_t>(random.below(63));
  const std::string encoding =
      random.one_of({"rope", "rope:angle=turns", "rope:base=500000,pairing=adjacent",
                     "alibi:slope=0.25", "xpos", "nope", "pi:factor=8", "ntk:factor=4"});
  const std::string mean_q = random.mean(), mean_k = random.mean();
  const std::string scale_q = random.scale(), scale_k = random.scale();
  const std::string keys =
      with_prefix("", mean_q, mean_k, scale_q, scale_k) + ",rho=" + correlation(random);
  return certified_problem(encoding, parse_density("gaussian:" + keys), 2 * half,
                           random.distance());
}

const std::vector<std::string> kClosedLaws{"gaussian", "sech",    "logistic", "hermite2",
                                           "laplace",  "uniform", "singular", "rademacher"};

Problem linear(Random& random) {
  const std::vector<std::string> laws(kClosedLaws.begin() + 1, kClosedLaws.end());
  const std::string q = random.one_of(laws), k = random.one_of(laws);
  const ProductKeys keys(random, true);
  const auto half = 1 + static_cast<std::uint32_t>(random.below(32));
  return certified_problem("tapa-linear:alpha=" + random.alpha(), parse_density(keys.density(q, k)),
                           2 * half, random.distance());
}

/// Split TAPA, one coordinate of the law `q`, the other of one of `partners`, with means and scales
/// on both sides; the truth by integrals in ball arithmetic.
Problem split(Random& random, const std::string& q, const std::vector<std::string>& partners) {
  const auto tabulated = [](const std::string& law) { return law == "bump" || law == "student-t"; };
  const std::string k = random.one_of(partners);
  ProductKeys keys(random, false);
  // The truth takes minutes where F of student-t or bump oscillates.
  const bool both = !(tabulated(q) && tabulated(k));
  if (random.below(2) == 0) keys.phase_mean_q = random.decimal(-3, 0.5, true);
  if (random.below(2) == 0 && (both || keys.phase_mean_q == "0")) {
    keys.phase_mean_k = random.decimal(-3, 0.5, true);
  }
  keys.phase_scale_q = random.decimal(-2, 1, false);
  keys.phase_scale_k = random.decimal(-2, 1, false);
  const std::string alpha = random.decimal(-2, random.below(5) == 0 ? 0 : -0.5, false);
  std::string density = keys.density(q, k);
  const std::string nu = random.decimal(0.35, 1.2, false);
  if (q == "student-t" || k == "student-t") density += ",nu=" + nu;
  const auto half = 1 + static_cast<std::uint32_t>(random.below(64));
  return certified_problem("tapa:alpha=" + alpha, parse_density(density), 2 * half,
                           random.distance());
}

/// hermite2 as transform where it is 0: its partner's mean u is many of its scales, and T u, or 2 T
/// u of the second moment, is within a few 1/u of sqrt(3).
Problem at_a_zero(Random& random) {
  const std::string partner = random.one_of({"singular", "laplace", "uniform", "hermite2"});
  ProductKeys keys(random, false);
  const auto half = 1 + static_cast<std::uint32_t>(random.below(64));
  const double u = std::pow(10.0, 0.3 + 3 * random.unit());
  const double turns = 1 + static_cast<double>(random.below(2));
  const double near = std::sqrt(3.0) * (1 + 4 * (random.unit() - 0.5) / u);
  const double T = near / u / turns, t = 2 * 3.141592653589793 / std::sqrt(half);
  const auto text = [](double x) {
    char digits[64];
    std::snprintf(digits, sizeof digits, "%.9e", x);
    return std::string(digits);
  };
  keys.phase_scale_k = random.decimal(-2, 1, false);
  const double scale_k = std::strtod(keys.phase_scale_k.c_str(), nullptr);
  keys.phase_scale_q = text(T / t / scale_k);
  keys.phase_mean_k = text(u * scale_k);
  // hermite2's own mean, in its scales: none, or up to the partner's
  if (random.below(3) > 0) {
    const double v = std::pow(10.0, -2 + random.unit() * (2 + std::log10(u)));
    keys.phase_mean_q = text(v * T / t / scale_k);
  }
  return certified_problem("tapa:alpha=0.1", parse_density(keys.density("hermite2", partner)),
                           2 * half, 1);
}

}  // namespace

std::string Random::decimal(double low, double high, bool signed_value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.4e", std::pow(10.0, low + unit() * (high - low)));
  return (signed_value && below(2) == 0 ? "-" : "") + std::string(text);
}

ProductKeys::ProductKeys(Random& random, bool phase_means) {
  mean_q = random.mean();
  mean_k = random.mean();
  scale_q = random.scale();
  scale_k = random.scale();
  phase_mean_q = phase_means ? random.mean() : "0";
  phase_mean_k = phase_means ? random.mean() : "0";
  phase_scale_q = random.scale();
  phase_scale_k = random.scale();
}

std::string ProductKeys::density(const std::string& q, const std::string& k) const {
  return q + ":key=" + k + "," + with_prefix("a.", mean_q, mean_k, scale_q, scale_k) + "," +
         with_prefix("p.", phase_mean_q, phase_mean_k, phase_scale_q, phase_scale_k);
}

Problem certified_problem(const std::string& encoding, const Density& density,
                          std::uint32_t head_dim, std::uint64_t distance) {
  Problem problem;
  problem.task.encoding = parse_encoding(encoding);
  problem.task.density = density;
  problem.task.head_dim = head_dim;
  problem.task.distances.distances = {distance};
  problem.text = "--encoding " + encoding + " --density '" + density.spec + "' --head-dim " +
                 std::to_string(head_dim) + " --distances " + std::to_string(distance);
  const CurveTask task = problem.task;
  problem.truth = [task, distance](slong bits) { return point_balls(task, distance, bits); };
  return problem;
}

std::vector<Kind> kinds() {
  std::vector<Kind> all{
      {"gaussian", "split TAPA under joint Gaussians", gaussian, 6144},
      {"mixture", "split and linear TAPA under mixtures of three Gaussians", mixture, 6144},
      {"general", "general TAPA, matrices and covariances of any rank", general, 6144},
      {"rotary", "rotary scores under joint Gaussians", rotary, 3072},
      {"linear", "TAPA with a linear phase under independent coordinates", linear, 6144},
      {"formulas", "split TAPA under laws with formulas of their own", formula_problem, 6144}};
  for (const std::string& law : kClosedLaws) {
    all.push_back({"split-" + law, "split TAPA, " + law + " beside any closed law",
                   [law](Random& random) { return split(random, law, kClosedLaws); }, 3072});
  }
  all.push_back({"zeros", "split TAPA, a law whose mass lies at a zero of hermite2's transform",
                 at_a_zero, 3072});
  const std::vector<std::string> smooth{"gaussian", "sech", "logistic", "hermite2", "laplace"};
  for (const std::string& law : {std::string("student-t"), std::string("bump")}) {
    all.push_back({"split-" + law, "split TAPA, " + law + " beside a closed law",
                   [law, smooth](Random& random) { return split(random, law, smooth); }, 768});
    // Beside itself every value of bump's F is an integral in balls: a minute a problem at 192
    // bits.
    all.push_back({"both-" + law, "split TAPA, " + law + " beside itself",
                   [law](Random& random) { return split(random, law, {law}); },
                   law == "bump" ? 192 : 768});
  }
  for (const std::string& name : {std::string("student-t-joint"), std::string("quartic")}) {
    all.push_back({name, "every encoding under " + name,
                   [name](Random& random) { return radial_problem(random, name); }, 768});
  }
  all.push_back({"tokens", "tapa, tapa-linear and rope over smoothed tokens", token_problem, 768});
  all.push_back({"general-tokens", "tapa-general over smoothed tokens, against a mixture",
                 general_token_problem, 768});
  return all;
}

}  // namespace tapalab::honesty
