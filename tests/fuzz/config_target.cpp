#include "fuzz/refusal.hpp"
#include "fuzz/targets.hpp"
#include "sim/io/model_config.hpp"

namespace tapalab::fuzz {

// Every layer of a configuration that was read has frequencies at any length.
void run_config(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  may_refuse([&] {
    for (const auto& layer : parse_model_config(text, "config.json").layers) {
      for (const std::uint64_t length :
           {std::uint64_t{1}, layer.original, ~std::uint64_t{0} >> 1}) {
        may_refuse([&] {
          const auto found = rope_frequencies(layer.rope, layer.head_dim, length);
          if (found.radians.size() != found.rotary_dim / 2 ||
              found.pairs.size() != found.radians.size())
            throw Fault("frequencies without pairs");
          for (const auto& radians : found.radians) {
            if (!(radians >= 0) || !isfinite(radians)) throw Fault("a frequency that is no number");
          }
        });
      }
    }
  });
}

}  // namespace tapalab::fuzz
