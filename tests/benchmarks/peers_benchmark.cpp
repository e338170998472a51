// The product engine beside GSL (qawf, qagi), Boost (ooura_fourier_cos) and libcubature (hcubature)
// on the same integrals in one run: correct digits, what each says of itself, and time; then
// microseconds a distance of the engine for every law. Run on a quiet machine.
#include <fmt/core.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>

#if __has_include(<cubature.h>)
#include <cubature.h>
#define TAPALAB_BENCHMARK_CUBATURE
#endif

#include <algorithm>
#include <boost/math/quadrature/ooura_fourier_integrals.hpp>
#include <cmath>
#include <ctime>
#include <functional>
#include <string>
#include <vector>

#include "analysis/experiment.hpp"
#include "analysis/product_curve.hpp"
#include "analysis/product_transform.hpp"
#include "proofs-check/ball_curve.hpp"
#include "proofs-check/marginal_ball.hpp"
#include "proofs-check/product_pair_ball.hpp"
#include "sim/marginal_law.hpp"

using namespace tapalab;

namespace {

using Function = std::function<double(double)>;

/// Seconds of processor that this thread has used: a busy machine counts no further.
double used_seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The least of five rounds, microseconds of processor time a call.
template <class F>
double time_us(const F& f) {
  double least = 1e30;
  for (int round = 0; round < 5; ++round) {
    int calls = 0;
    const double start = used_seconds();
    double seconds = 0;
    do {
      f();
      ++calls;
      seconds = used_seconds() - start;
    } while (seconds < 0.02);
    least = std::min(least, 1e6 * seconds / calls);
  }
  return least;
}

struct Answer {
  double value = 0, claimed = 0;
  std::string status;
};

double call(double x, void* function) { return (*static_cast<const Function*>(function))(x); }

struct Workspaces {
  gsl_integration_workspace* main = gsl_integration_workspace_alloc(2000);
  gsl_integration_workspace* cycles = gsl_integration_workspace_alloc(2000);
  ~Workspaces() {
    gsl_integration_workspace_free(main);
    gsl_integration_workspace_free(cycles);
  }
};

std::string gsl_status(int code) { return code == 0 ? "success" : gsl_strerror(code); }

/// int_0^inf f(x) cos(w x) dx
Answer qawf(const Function& f, double w) {
  Workspaces space;
  gsl_integration_qawo_table* table =
      gsl_integration_qawo_table_alloc(w, 1, GSL_INTEG_COSINE, 2000);
  gsl_function target{call, const_cast<Function*>(&f)};
  Answer answer;
  const int code = gsl_integration_qawf(&target, 0, 1e-16, 2000, space.main, space.cycles, table,
                                        &answer.value, &answer.claimed);
  answer.status = gsl_status(code);
  gsl_integration_qawo_table_free(table);
  return answer;
}

/// int_0^inf f(x) dx
Answer qagiu(const Function& f) {
  Workspaces space;
  gsl_function target{call, const_cast<Function*>(&f)};
  Answer answer;
  const int code =
      gsl_integration_qagiu(&target, 0, 0, 1e-13, 2000, space.main, &answer.value, &answer.claimed);
  answer.status = gsl_status(code);
  return answer;
}

Answer ooura(const Function& f, double w) {
  static boost::math::quadrature::ooura_fourier_cos<double> rule(1e-15);
  const auto [value, relative] = rule.integrate(f, w);
  return {value, std::fabs(relative * value), relative < 1e-12 ? "relative error met" : "honest"};
}

#ifdef TAPALAB_BENCHMARK_CUBATURE
int on_unit(unsigned, const double* z, void* function, unsigned, double* result) {
  const double rest = 1 - z[0];  // x = z/(1 - z)
  result[0] = rest > 0 ? (*static_cast<const Function*>(function))(z[0] / rest) / (rest * rest) : 0;
  return 0;
}
Answer cubature(const Function& f) {
  const double low = 0, high = 1;
  Answer answer;
  const int code = hcubature(1, on_unit, const_cast<Function*>(&f), 1, &low, &high, 200000, 0,
                             1e-13, ERROR_INDIVIDUAL, &answer.value, &answer.claimed);
  answer.status = code == 0 ? "success" : "failure";
  return answer;
}
#endif

/// Correct decimal digits of value against a ball; 0 where none is.
double digits(const Wide& value, const Ball& truth) {
  const Ball off = abs(Ball::exactly(value, truth.bits()) - truth) / abs(truth);
  const double log10 = off.log10_abs();
  return std::clamp(-log10, 0.0, 17.0);
}

void print_row(const char* who, const Answer& answer, double factor, unsigned power,
               const Ball& truth, double us) {
  Wide value = 1;
  for (unsigned i = 0; i < power; ++i) value *= Wide(answer.value) * factor;
  fmt::print("| {} | {} | {:.1f} | {:.1e} | {} | {:.1f} |\n", who, LogNumber(value).decimal(6),
             digits(value, truth), answer.claimed * factor, answer.status, us);
}

template <class F>
void compare(const char* who, double factor, unsigned power, const Ball& truth, const F& f) {
  Answer answer;
  const double us = time_us([&] { answer = f(); });
  print_row(who, answer, factor, power, truth, us);
}

void peers_of(const Function& f, const Function& product, double w, double factor, unsigned power,
              const Ball& truth) {
  if (f) {
    compare("GSL qawf", factor, power, truth, [&] { return qawf(f, w); });
    compare("Boost ooura_fourier_cos", factor, power, truth, [&] { return ooura(f, w); });
  }
  compare("GSL qagiu", factor, power, truth, [&] { return qagiu(product); });
#ifdef TAPALAB_BENCHMARK_CUBATURE
  compare("hcubature", factor, power, truth, [&] { return cubature(product); });
#else
  fmt::print("| hcubature | not installed | | | | |\n");
#endif
}

void header(const std::string& title) {
  fmt::print("\n{}\n\n| | value | digits correct | error claimed | status | microseconds |\n",
             title);
  fmt::print("|---|---|---|---|---|---|\n");
}

Marginal law_of(MarginalFamily family) { return {family, ExactDecimal::parse("5.5", "nu")}; }

// 2 int_0^inf f(x) cos(w x) dx: the transform of one coordinate, as under a linear phase.
void one_coordinate(MarginalFamily family, double w) {
  const Marginal law = law_of(family);
  const MarginalLaw<double> formulas(law);
  const Function density = [&](double x) { return formulas.density(x); };
  const Function product = [&](double x) { return formulas.density(x) * std::cos(w * x); };
  const Ball truth = characteristic_ball(law, Ball::exactly(w, 1600));
  header(fmt::format("E cos({} X), X {}: {}", w, marginal_name(family), truth.midpoint(15)));
  PairTransform ours;
  const double us = time_us([&] { ours = marginal_transform(law, Wide(0), Wide(1), Wide(w)); });
  fmt::print("| tapalab | {} | {:.1f} | {} | bound | {:.1f} |\n",
             LogNumber(ours.value.re).decimal(6), digits(ours.value.re, truth),
             LogNumber(ours.error).decimal(2), us);
  double ball_us = time_us([&] { characteristic_ball(law, Ball::exactly(w, 1600)); });
  fmt::print("| Arb, 1600 bits | {} | 17.0 | {} | certified | {:.1f} |\n", truth.midpoint(6),
             truth.radius(), ball_us);
  peers_of(density, product, w, 2, 1, truth);
}

// (2 int_0^inf f(x) F(t x) dx)^64: split TAPA's E cos(2 pi s phi) at D = 128.
void split(MarginalFamily family, double t) {
  const Marginal law = law_of(family);
  const MarginalLaw<double> formulas(law);
  const Function product = [&](double x) {
    return formulas.density(x) * formulas.characteristic(t * x);
  };
  const auto whole = [&](slong bits) {
    return pow(product_pair_ball(law, law, {}, Ball::exactly(t, bits)).re, 64);
  };
  const Ball truth = whole(256);
  header(fmt::format("g(t)^64, both coordinates {}, t = {}: {}", marginal_name(family), t,
                     truth.midpoint(15)));
  const ProductPair pair(law, law, {});
  WideComplex ours;
  PairTransform g;
  const double us = time_us([&] {
    g = pair.at(Wide(t), 1e-14);
    ours = pow(g.value, 64);
  });
  fmt::print("| tapalab | {} | {:.1f} | {:.1e} of g | estimate | {:.1f} |\n",
             LogNumber(ours.re).decimal(6), digits(ours.re, truth),
             static_cast<double>(Wide(g.error / abs(g.value))), us);
  fmt::print("| Arb, 256 bits | {} | 17.0 | {} | certified | {:.1f} |\n", truth.midpoint(6),
             truth.radius(), time_us([&] { whole(256); }));
  peers_of(nullptr, product, 0, 2, 64, truth);
}

void engine_times() {
  fmt::print(
      "\nmicroseconds a distance of the engine (mean, envelope, variance, excess; D = 128)\n\n");
  fmt::print(
      "| law of both | set up, ms | distances 1 to 2^62, alpha = 0.1 | linear law, 1 to 2^60 | "
      "worst status |\n|---|---|---|---|---|\n");
  for (const MarginalFamily family : kMarginalFamilies) {
    if (family == MarginalFamily::gaussian) continue;
    const std::string name(marginal_name(family));
    const std::string nu = family == MarginalFamily::student_t ? "nu=5.5," : "";
    std::string row = fmt::format("| {} ", name), status = "converged";
    bool first = true;
    for (const char* encoding : {"tapa:alpha=0.1", "tapa:alpha=1,law=linear"}) {
      CurveTask task;
      task.encoding = parse_encoding(encoding);
      task.density = parse_density(name + ":" + nu + "a.mean_q=0.5,a.mean_k=0.5");
      task.distances.distances = {1};
      task.engine = Engine::quadrature;
      if (first) {
        const double start = used_seconds();
        product_curve(task);
        const double ms = 1e3 * (used_seconds() - start);
        row += fmt::format("| {:.1f} ", ms);
        first = false;
      }
      // what one distance costs once the tables stand: many distances less one
      const double one = time_us([&] { product_curve(task); });
      for (int k = 1; k <= 60; ++k) {
        task.distances.distances.push_back((std::uint64_t{1} << k) + 1);
      }
      DistanceCurve curve;
      const double many = time_us([&] { curve = product_curve(task); });
      row += fmt::format("| {:.1f} ", (many - one) / 60);
      for (const CurvePoint& point : curve.points) {
        if (point.status != Status::converged) status = "target-not-met";
      }
    }
    fmt::print("{}| {} |\n", row, status);
  }
}

}  // namespace

int main() {
  gsl_set_error_handler_off();
  one_coordinate(MarginalFamily::gaussian, 37);
  one_coordinate(MarginalFamily::sech, 700);
  one_coordinate(MarginalFamily::logistic, 40);
  one_coordinate(MarginalFamily::laplace, 1e6);
  for (const MarginalFamily family :
       {MarginalFamily::sech, MarginalFamily::logistic, MarginalFamily::hermite2,
        MarginalFamily::laplace, MarginalFamily::singular}) {
    split(family, 30);
  }
  split(MarginalFamily::sech, 1e8);
  engine_times();
}
