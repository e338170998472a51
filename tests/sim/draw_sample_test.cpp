// Samples one by one, as a device draws them, against those that the host draws many at a time.
#include "sim/draw_sample.hpp"

#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/density_source.hpp"
#include "sim/normal_lanes.hpp"

using namespace tapalab;

namespace {

struct Room {
  double* x;
  double& operator()(std::uint32_t c) const { return x[c]; }
};

// Coordinates of samples that differ in any bit.
std::size_t differing(const std::string& spec, const char* encoding_spec, std::uint32_t head_dim) {
  const Encoding encoding = parse_encoding(encoding_spec);
  const Density density = parse_density(spec);
  const DensitySource source = make_density_source(density.law, encoding, head_dim, 11);
  const DrawTables tables = draw_tables(source);
  const std::size_t size = 2 * std::size_t{head_dim};
  std::vector<double> lanes(size * kLanes), one(size);
  std::size_t wrong = 0;
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) + 5 * kLanes}) {
    draw_lanes(source, block_kernels(simd_level()), first, 7, lanes.data());
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
      draw_sample(view(tables), first + lane, 7, false, Room{one.data()});
      for (std::size_t c = 0; c < size; ++c) wrong += lanes[c * kLanes + lane] != one[c];
    }
  }
  return wrong;
}

}  // namespace

TEST_CASE("A sample drawn by itself has the bits of the same sample among many") {
  for (const char* density :
       {"sech", "logistic:scale_q=2", "laplace:mean_q=0.5,a.mean_k=-1", "uniform", "hermite2",
        "student-t:nu=10", "bump", "singular", "rademacher", "sech:key=uniform,p.mean_q=0.25",
        "gaussian:rho=0.25,mean_q=1",
        "mixture:weight=0.3,rho=0.9,a.mean_q=1;weight=0.7,p.scale_k=2", "student-t-joint:nu=10",
        "student-t-joint:nu=2.5,mean_q=1", "quartic:rho=0.5,mean_q=0.25"}) {
    INFO(density);
    CHECK(differing(density, "tapa", 10) == 0);
  }
  CHECK(differing("quartic", "nope", 3) == 0);
  for (const char* pairs : {"all", "causal", "shuffled", "at-distance", "causal,bandwidth=0.1"}) {
    INFO(pairs);
    CHECK(differing(std::string("empirical:file=") + TAPALAB_TEST_DATA +
                        "/qk.safetensors,q=layers.0.q,k=layers.0.k,head=1,pairs=" + pairs,
                    "rope", 64) == 0);
  }
}

TEST_CASE("A sample drawn by itself from normals in float has the bits of the same among many") {
  const Encoding encoding = parse_encoding("tapa");
  const Density density = parse_density("gaussian:rho=0.25,mean_q=1");
  for (const std::uint32_t head_dim : {10u, 6u}) {
    const GaussianSource source(lower(std::get<GaussianDensity>(density.law), encoding, head_dim),
                                11);
    const DrawTables tables = source.tables();
    const std::size_t size = 2 * std::size_t{head_dim};
    std::vector<float> normals(source.single_normals());
    std::vector<double> lanes(size * kLanes), one(size);
    source.single_lanes(normal_kernels(simd_level()), 3 * kLanes, normals.data(), lanes.data());
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
      draw_sample(view(tables), 3 * kLanes + lane, 0, true, Room{one.data()});
      for (std::size_t c = 0; c < size; ++c) CHECK(lanes[c * kLanes + lane] == one[c]);
    }
  }
}
