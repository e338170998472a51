#include "cli/curves.hpp"

namespace tapalab::cli {

int run_bias(const Arguments& arguments) {
  return run_curves(arguments, CurveQuantity::mean,
                    "The mean of the score at each distance: the bias that an encoding puts on "
                    "distance alone; --plot draws it.",
                    "tapalab bias --encoding rope:base=10000 --encoding tapa "
                    "--distances log:1:2^20:64 --plot bias.svg");
}

}  // namespace tapalab::cli
