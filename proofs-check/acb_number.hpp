// A complex ball of Arb that is cleared where it goes out of scope.
#pragma once

#ifdef TAPALAB_FLINT3
#include <flint/acb.h>
#else
#include <acb.h>
#endif

namespace tapalab {

struct AcbNumber {
  AcbNumber() { acb_init(z); }
  ~AcbNumber() { acb_clear(z); }
  AcbNumber(const AcbNumber&) = delete;
  AcbNumber& operator=(const AcbNumber&) = delete;
  acb_t z;
};

}  // namespace tapalab
