#include "proofs-check/rope_long.hpp"

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace tapalab {

std::string rope_mean_long(const RopeSetting& setting, const std::string& psi_turns,
                           const std::string& distance) {
  using Long = boost::multiprecision::number<
      boost::multiprecision::cpp_bin_float<1024, boost::multiprecision::digit_base_2>,
      boost::multiprecision::et_off>;
  const Long pi = 4 * atan(Long(1)), full = 2 * pi;
  const Long unit = setting.angle == AngleUnit::turns ? full : Long(1);
  const Long l = unit * Long(distance), shift = full * Long(psi_turns);
  // f_d = f_1^d
  const Long ratio = exp(-2 * log(Long(setting.base)) / Long(setting.head_dim));
  Long sum = 0, frequency = 1;
  for (std::uint32_t d = 0; d < setting.head_dim / 2; ++d, frequency *= ratio) {
    const Long angle = l * frequency - shift;
    sum += cos(Long(angle - full * floor(angle / full)));
  }
  return Long(2 * sum / setting.head_dim).str(40, std::ios_base::scientific);
}

}  // namespace tapalab
