#include "sim/marginal.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace tapalab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Name {
  MarginalFamily family;
  std::string_view name;
};
constexpr Name kNames[] = {
    {MarginalFamily::gaussian, "gaussian"},     {MarginalFamily::sech, "sech"},
    {MarginalFamily::logistic, "logistic"},     {MarginalFamily::bump, "bump"},
    {MarginalFamily::hermite2, "hermite2"},     {MarginalFamily::laplace, "laplace"},
    {MarginalFamily::uniform, "uniform"},       {MarginalFamily::student_t, "student-t"},
    {MarginalFamily::rademacher, "rademacher"}, {MarginalFamily::singular, "singular"},
};

}  // namespace

std::string_view marginal_name(MarginalFamily family) {
  for (const Name& entry : kNames) {
    if (entry.family == family) return entry.name;
  }
  return "";
}

std::optional<MarginalFamily> find_marginal(std::string_view name) {
  for (const Name& entry : kNames) {
    if (entry.name == name) return entry.family;
  }
  return std::nullopt;
}

MarginalFacts facts(const Marginal& law) {
  constexpr std::string_view kAnalytic = "analytic, and it falls exponentially or faster";
  switch (law.family) {
    case MarginalFamily::gaussian:
      return {"exp(-x^2/2)", true, kAnalytic, 3, kInfinity, 0.0, true};
    case MarginalFamily::sech:
      return {"sech(pi x/2)", true, kAnalytic, 5, kInfinity, 0.0, true};
    case MarginalFamily::logistic:
      return {"sech^2(x/2)", true, kAnalytic, 4.2, kInfinity, 0.0, true};
    case MarginalFamily::bump:
      return {"exp(-1/(1 - x^2)) on (-1, 1)",
              true,
              "smooth, all derivatives vanishing at the ends of a bounded support",
              2.1192793353606755,
              2.514868821655911,
              0.0,
              false};
    case MarginalFamily::hermite2:
      return {"x^2 exp(-x^2/2)", true, kAnalytic, 5.0 / 3, kInfinity, 2.0, true};
    case MarginalFamily::laplace:
      return {"exp(-|x|)", false, "its first derivative jumps at 0", 6, kInfinity, 0.0, true};
    case MarginalFamily::uniform:
      return {"1 on [-1, 1]",
              false,
              "it jumps at the ends of its support",
              1.8,
              std::sqrt(3.0),
              0.0,
              true};
    case MarginalFamily::student_t: {
      const double nu = law.nu.value();
      return {"(1 + x^2/nu)^(-(nu + 1)/2)",
              false,
              "it falls like a power",
              nu > 4 ? 3 * (nu - 2) / (nu - 4) : kInfinity,
              kInfinity,
              0.0,
              false};
    }
    case MarginalFamily::rademacher:
      return {"1/2 at -1 and at 1", false, "it has no density", 1, 1, std::nullopt, true};
    case MarginalFamily::singular:
      return {"|x|^(-1/2) exp(-|x|)", false, "it blows up at 0", 35.0 / 3, kInfinity, -0.5, true};
  }
  return {};
}

}  // namespace tapalab
