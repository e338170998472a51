// Lets Eigen's decompositions run on Wide.
#pragma once

#include <Eigen/Dense>

#include "sim/numbers/wide.hpp"

namespace Eigen {

template <>
struct NumTraits<tapalab::Wide> : GenericNumTraits<tapalab::Wide> {
  enum {
    IsInteger = 0,
    IsSigned = 1,
    IsComplex = 0,
    RequireInitialization = 1,
    ReadCost = 4,
    AddCost = 20,
    MulCost = 40
  };
  static tapalab::Wide epsilon() { return tapalab::wide_epsilon(); }
  static tapalab::Wide dummy_precision() { return ldexp(tapalab::wide_epsilon(), 10); }
  static int digits10() { return 57; }
};

}  // namespace Eigen
