#include "cli/curves.hpp"

namespace tapalab::cli {

int run_curve(const Arguments& arguments) {
  return run_curves(arguments, CurveQuantity::all,
                    "Mean, envelope and variance of the score at each distance, each with its "
                    "error; one curve for each encoding and density.",
                    "tapalab curve --encoding tapa --density gaussian:rho=0.25 "
                    "--distances 1,10,1000 --format json");
}

}  // namespace tapalab::cli
