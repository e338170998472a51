// Samples a second of the kernels that draw and sum on the device.
// Arguments: seconds for each row (default 1), then rows to keep (a part of their name).
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string>
#include <vector>

#include "gpu/cuda_backend.hpp"
#include "sim/encoding.hpp"

using namespace tapalab;

namespace {

using Clock = std::chrono::steady_clock;

struct Row {
  std::string name, encoding;
  std::uint32_t head_dim;
  std::size_t distances;
  bool exact = false;
  std::string density = "gaussian:rho=0.25";
};

std::vector<std::uint64_t> powers(std::size_t count, unsigned step) {
  std::vector<std::uint64_t> distances;
  for (std::size_t i = 0; i < count; ++i) {
    distances.push_back(step > 0 ? std::uint64_t{1} << (i * step) : 1 + 1000 * i);
  }
  return distances;
}

void measure(const Row& row, double seconds) {
  const Encoding encoding = parse_encoding(row.encoding);
  const Density density = parse_density(row.density);
  const auto distances = powers(row.distances, row.distances > 31 ? 0 : 2);
  const auto device = make_cuda_backend({0, row.exact});
  const ScoreModel score = lower(encoding, row.head_dim);
  std::unique_ptr<DeviceSampler> sampler;
  if (const auto* gaussian = std::get_if<GaussianDensity>(&density.law)) {
    sampler = device->sampler(score, lower(*gaussian, encoding, row.head_dim), distances, 1);
  }
  if (!sampler) sampler = device->drawn_sampler(score, density.law, encoding, distances, 1);
  SamplingState state;
  std::uint64_t done = std::uint64_t{1} << 26, step = done;
  sampler->add(0, done, state);  // warms up
  const auto start = Clock::now();
  std::uint64_t timed = 0;
  double elapsed = 0;
  while (elapsed < seconds) {
    sampler->add(done, done + step, state);
    done += step;
    timed += step;
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    if (elapsed < 0.3 * seconds) step *= 2;
  }
  const CurveMoments total = state.total();
  const Moments& last = total.points.back().score;
  fmt::print(
      "{:<34} {:.4g} samples/s, {:.3g} normals/s; {} samples, mean {:.9g}, variance {:.9g}\n",
      row.name, static_cast<double>(timed) / elapsed,
      static_cast<double>(timed) / elapsed * 2 * row.head_dim, last.count, last.mean,
      sample_variance(last));
  std::fflush(stdout);
}

}  // namespace

int main(int count, char** arguments) {
  const double seconds = count > 1 ? std::atof(arguments[1]) : 1;
  const std::string kept = count > 2 ? arguments[2] : "";
  for (const Row& row :
       {Row{"tapa D=128, 16 distances", "tapa", 128, 16},
        Row{"tapa D=128, 1 distance", "tapa", 128, 1},
        Row{"tapa D=128, 64 distances", "tapa", 128, 64},
        Row{"tapa D=64, 16 distances", "tapa", 64, 16},
        Row{"tapa D=16, 16 distances", "tapa", 16, 16},
        Row{"tapa-linear D=128, 16 distances", "tapa-linear", 128, 16},
        Row{"rope D=128, 16 distances", "rope", 128, 16},
        Row{"exact normals D=128, 16 distances", "tapa", 128, 16, true},
        Row{"double normals D=128, 16 distances", "tapa:law=linear,alpha=1e9", 128, 16},
        Row{"tapa, laplace D=128, 16", "tapa", 128, 16, false, "laplace"},
        Row{"tapa, sech D=128, 16", "tapa", 128, 16, false, "sech"},
        Row{"tapa, student-t D=128, 16", "tapa", 128, 16, false, "student-t:nu=10"},
        Row{"tapa, bump D=128, 16", "tapa", 128, 16, false, "bump"},
        Row{"rope, laplace D=128, 16", "rope", 128, 16, false, "laplace"},
        Row{"tapa, mixture D=128, 16", "tapa", 128, 16, false, "mixture:rho=0.9;mean_q=1"},
        Row{"tapa, student-t-joint D=128, 16", "tapa", 128, 16, false, "student-t-joint:nu=10"},
        Row{"partial rope D=128, 16", "partial:partial=0.5", 128, 16}}) {
    if (row.name.find(kept) != std::string::npos) measure(row, seconds);
  }
  return 0;
}
