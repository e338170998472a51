#include "analysis/crosscheck/horizon.hpp"

namespace tapalab {

Horizon find_horizon(double turns, const std::function<double(std::uint64_t)>& bound) {
  constexpr std::uint64_t last = (std::uint64_t{1} << 63) - 1;
  Horizon horizon{turns, {}, {}};
  if (bound(1) > turns) {
    horizon.next = 1;
    return horizon;
  }
  std::uint64_t safe = 1, broken = 2;
  while (bound(broken) <= turns) {
    safe = broken;
    if (broken == last) {
      horizon.safe = last;
      return horizon;
    }
    broken = broken > last / 2 ? last : 2 * broken;
  }
  while (broken - safe > 1) {
    const std::uint64_t middle = safe + (broken - safe) / 2;
    (bound(middle) <= turns ? safe : broken) = middle;
  }
  horizon.safe = safe;
  horizon.next = broken;
  return horizon;
}

}  // namespace tapalab
