#include "cli/curves.hpp"

namespace tapalab::cli {

int run_variance(const Arguments& arguments) {
  return run_curves(arguments, CurveQuantity::variance,
                    "The variance of the score at each distance, and what it has beyond its limit "
                    "E[a^2]/2; --plot draws it.",
                    "tapalab variance --encoding tapa --encoding rope "
                    "--distances log:1:2^20:64 --plot variance.svg");
}

}  // namespace tapalab::cli
