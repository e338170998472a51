// Densities whose amplitude and phase depend on each other: one random scale, and a Gaussian around
// every pair of tokens.
#include <cmath>
#include <cstdlib>
#include <memory>

#include "problem.hpp"

namespace tapalab::honesty {
namespace {

std::string radial_keys(Random& random, const std::string& prefix) {
  std::string keys;
  const auto add = [&](const char* key, const std::string& value) {
    keys += (keys.empty() ? "" : ",") + prefix + key + "=" + value;
  };
  if (random.below(2) == 0) add("mean_q", random.decimal(-3, 0.5, true));
  if (random.below(2) == 0) add("mean_k", random.decimal(-3, 0.5, true));
  add("scale_q", random.decimal(-2, 1, false));
  add("scale_k", random.decimal(-2, 1, false));
  add("rho", random.below(4) == 0 ? "0" : random.decimal(-3, -0.001, true));
  return keys;
}

ExactDecimal decimal(const std::string& text) { return ExactDecimal::parse(text, "number"); }

DecimalMatrix random_matrix(Random& random, std::uint32_t D) {
  DecimalMatrix m{D, D, {}};
  for (std::uint32_t i = 0; i < D * D; ++i) {
    m.entries.push_back(decimal(random.below(4) == 0 ? "0" : random.decimal(-1, 0.3, true)));
  }
  return m;
}

std::shared_ptr<const TokenTable> random_tokens(Random& random, std::size_t tokens,
                                                std::uint32_t D) {
  TokenTable table{tokens, D, {}, {}};
  for (std::size_t i = 0; i < tokens * D; ++i) {
    table.queries.push_back(std::strtod(random.decimal(-2, 0.3, true).c_str(), nullptr));
    table.keys.push_back(std::strtod(random.decimal(-2, 0.3, true).c_str(), nullptr));
  }
  return std::make_shared<const TokenTable>(std::move(table));
}

TapaGeneralEncoding random_general(Random& random, const std::string& alpha, std::uint32_t D) {
  TapaGeneralEncoding encoding;
  encoding.alpha = decimal(alpha);
  encoding.law = random.below(4) == 0 ? PhaseLaw::linear : PhaseLaw::power;
  encoding.M = random_matrix(random, D);
  encoding.N = random_matrix(random, D);
  return encoding;
}

std::string moderate_alpha(Random& random) {
  return random.decimal(-2, random.below(5) == 0 ? 0 : -0.5, false);
}

}  // namespace

Problem radial_problem(Random& random, const std::string& name) {
  std::string nu;
  if (name == "student-t-joint") {
    nu = random.decimal(0.35, random.below(4) == 0 ? 4 : 1.2, false);
    // beside 4 the tails of E R^4 need more nodes than the engine ball takes
    if (std::fabs(std::strtod(nu.c_str(), nullptr) - 4) < 0.1) nu = "4.5";
    nu = "nu=" + nu + ",";
  }
  const std::string alpha = moderate_alpha(random);
  const std::uint64_t which = random.below(8);
  const std::uint64_t distance = random.distance();
  if (which == 0) {  // matrices that couple all coordinates
    const auto D = 1 + static_cast<std::uint32_t>(random.below(4));
    const std::string spec = name + ":" + nu + radial_keys(random, "");
    Problem problem = certified_problem("tapa", parse_density(spec), D, distance);
    problem.task.encoding = {"tapa-general:alpha=" + alpha, random_general(random, alpha, D)};
    problem.text += " general, alpha = " + alpha;
    const CurveTask task = problem.task;
    problem.truth = [task, distance](slong bits) { return point_balls(task, distance, bits); };
    return problem;
  }
  const std::uint32_t head_dim = 2 * (1 + static_cast<std::uint32_t>(random.below(32)));
  if (which == 1) {
    return certified_problem(random.below(2) == 0 ? "rope" : "alibi:slope=0.25",
                             parse_density(name + ":" + nu + radial_keys(random, "")), head_dim,
                             distance);
  }
  const std::string keys = radial_keys(random, "a.") + "," + radial_keys(random, "p.");
  return certified_problem((which == 2 ? "tapa-linear:alpha=" : "tapa:alpha=") + alpha,
                           parse_density(name + ":" + nu + keys), head_dim, distance);
}

Problem token_problem(Random& random) {
  const std::uint32_t D = 2 * (1 + static_cast<std::uint32_t>(random.below(4)));
  EmpiricalDensity law;
  law.file = "memory";
  const PairRule rules[] = {PairRule::all, PairRule::causal, PairRule::shuffled};
  law.pairs = rules[random.below(3)];
  law.bandwidth = decimal(random.decimal(-3, 0.3, false));
  law.table = random_tokens(random, 2 + random.below(30), D);
  const std::string encoding = random.one_of({"tapa:alpha=", "tapa:alpha=", "tapa-linear:alpha="});
  const bool rotary = random.below(5) == 0;
  const std::string alpha = moderate_alpha(random);
  return certified_problem(rotary ? "rope" : encoding + alpha, {"empirical", law}, D,
                           random.distance());
}

Problem general_token_problem(Random& random) {
  const auto D = 1 + static_cast<std::uint32_t>(random.below(3));
  const std::size_t tokens = 2 + random.below(4);
  const std::string alpha = moderate_alpha(random);
  // of which the square, the mixture's variance, is a decimal too
  const int power = static_cast<int>(random.below(12)) - 10;
  EmpiricalDensity law;
  law.file = "memory";
  law.bandwidth = ExactDecimal::from_double(std::ldexp(1.0, power), "bandwidth");
  law.table = random_tokens(random, tokens, D);
  const Encoding encoding{"tapa-general:alpha=" + alpha, random_general(random, alpha, D)};
  Problem problem = certified_problem("tapa", {"empirical", law}, D, random.distance());
  problem.task.encoding = encoding;
  const CurveTask smoothed = problem.task;
  // Every pair a component of a mixture, which the exact engine knows.
  MixtureDensity mixture;
  for (std::size_t m = 0; m < tokens; ++m) {
    for (std::size_t n = 0; n < tokens; ++n) {
      FullGaussianDensity one;
      one.covariance = {2 * D, 2 * D, std::vector<ExactDecimal>(4 * D * D, ExactDecimal(0))};
      for (std::uint32_t i = 0; i < 2 * D; ++i) {
        const double x = i < D ? law.table->queries[m * D + i] : law.table->keys[n * D + i - D];
        one.mean.push_back(ExactDecimal::from_double(x, "mean"));
        one.covariance.entries[i * (2 * D + 1)] =
            ExactDecimal::from_double(std::ldexp(1.0, 2 * power), "variance");
      }
      mixture.components.push_back({{}, std::move(one)});
    }
  }
  problem.task.density = {"mixture", std::move(mixture)};
  problem.text = "general over " + std::to_string(tokens) + " tokens, D = " + std::to_string(D) +
                 ", alpha = " + alpha + ", bandwidth 2^" + std::to_string(power) + ", distance " +
                 std::to_string(problem.distance());
  problem.truth = [smoothed](slong bits) {
    return point_balls(smoothed, smoothed.distances.distances[0], bits);
  };
  return problem;
}

}  // namespace tapalab::honesty
