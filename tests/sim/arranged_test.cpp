// Scrambled Sobol points and mirrored pairs: the law of one sample, and how samples lie.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/arranged_source.hpp"
#include "sim/encoding.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/random/streams.hpp"

using namespace tapalab;

namespace {

// Scrambled by a walk down the tree of digits, one node after the other; the bits below are 0.
std::uint32_t scrambled_word(std::uint32_t word, SobolReplicas::Key key) {
  std::uint32_t result = 0, node = 1;
  for (unsigned k = 0; k < kScrambledBits; ++k) {
    const std::uint32_t digit = word >> (31 - k) & 1;
    const std::uint32_t flip = detail::mixed(detail::mixed(node ^ key.first) + key.second) >> 31;
    result |= (digit ^ flip) << (31 - k);
    node = 2 * node + digit;
  }
  return result;
}

// Coordinate `dimension` of point `number` of a replica, upper 32 bits, as the definition has it.
std::uint32_t sobol_coordinate(const SobolReplicas& points, std::uint32_t replica,
                               std::uint32_t dimension, std::uint32_t number) {
  std::uint32_t word = 0;
  for (unsigned k = 0; k < 32; ++k) {
    if (number >> k & 1) word ^= points.direction(dimension)[k];
  }
  return scrambled_word(word, points.key(replica, dimension));
}

std::vector<double> sobol_samples(const SobolSource& source, std::uint64_t first, std::size_t size,
                                  std::size_t count) {
  std::vector<double> all(size * count), x(size * kLanes);
  for (std::size_t i = 0; i < count; i += kLanes) {
    source.lanes(first + i, x.data());
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      for (std::size_t c = 0; c < size; ++c) all[c * count + i + lane] = x[c * kLanes + lane];
    }
  }
  return all;
}

ProductModel product(const std::string& spec, std::uint32_t head_dim) {
  const Density density = parse_density(spec);
  return lower(std::get<ProductDensity>(density.law), parse_encoding("nope"), head_dim);
}

class WidthGuard {
 public:
  explicit WidthGuard(const char* width) { setenv("TAPALAB_SIMD", width, 1); }
  ~WidthGuard() { unsetenv("TAPALAB_SIMD"); }
};

}  // namespace

TEST_CASE("Scrambled points fill every elementary interval, in one dimension and in two") {
  const SobolReplicas points(200, kSobolReplicas, 3);
  for (const std::uint32_t replica : {0u, 7u}) {
    for (const std::uint32_t dimension : {0u, 1u, 2u, 17u, 199u}) {
      for (const std::uint32_t begin : {0u, 1024u, 5u << 10}) {
        std::set<std::uint32_t> cells;
        for (std::uint32_t i = 0; i < 1024; ++i) {
          cells.insert(sobol_coordinate(points, replica, dimension, begin + i) >> 22);
        }
        CHECK(cells.size() == 1024);
      }
    }
    // Dimensions 0 and 1 are a (0, 2)-sequence: 2^10 points meet each box of area 2^-10 once.
    for (unsigned bits = 0; bits <= 10; ++bits) {
      std::set<std::uint64_t> boxes;
      for (std::uint32_t i = 0; i < 1024; ++i) {
        const std::uint64_t a =
            std::uint64_t{sobol_coordinate(points, replica, 0, i)} >> (32 - bits);
        const std::uint64_t b =
            std::uint64_t{sobol_coordinate(points, replica, 1, i)} >> (22 + bits);
        boxes.insert(a << 32 | b);
      }
      CHECK(boxes.size() == 1024);
    }
  }
}

TEST_CASE("Samples are the points of their replica, in the place that their number says") {
  // Uniform coordinates: x = sqrt(3) (2 u - 1), u of the dimension that is the coordinate.
  const SobolSource source(product("uniform", 3), 9);
  const SobolReplicas points(source.dimensions(), kSobolReplicas, 9);
  REQUIRE(source.dimensions() == 6);
  for (const std::uint64_t first : {0ULL, 1024ULL * 5 + 48, 1024ULL * 16 * 77 + 1024 * 2}) {
    const SobolPlace place = sobol_place(first);
    CHECK(place.replica == first / 1024 % 16);
    const auto x = sobol_samples(source, first, 6, kLanes);
    for (std::uint32_t c = 0; c < 6; ++c) {
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const double u = 0.5 * (x[c * kLanes + lane] / std::sqrt(3.0) + 1);
        const auto word = static_cast<std::uint32_t>(u * 0x1p32);
        CHECK(word >> 8 == sobol_coordinate(points, place.replica, c, place.point + lane) >> 8);
      }
    }
  }
}

TEST_CASE("Flips are fair and those of different nodes, replicas and dimensions unrelated") {
  // Each of the upper bits of the first points, over many seeds: sums of n signs are within 5 sqrt
  // n.
  const int seeds = 4000;
  const double margin = 5 * std::sqrt(double(seeds));
  std::vector<double> fair(24), beside(24), other(24), next(24);
  for (int seed = 0; seed < seeds; ++seed) {
    const SobolReplicas points(2, 2, static_cast<std::uint64_t>(seed));
    const auto sign = [](std::uint32_t word, unsigned bit) {
      return (word >> (31 - bit) & 1) != 0 ? 1.0 : -1.0;
    };
    const std::uint32_t here = scrambled_word(0, points.key(0, 0));
    const std::uint32_t there = scrambled_word(0, points.key(0, 1));
    const std::uint32_t replica = scrambled_word(0, points.key(1, 0));
    const std::uint32_t half = scrambled_word(0x80000000u, points.key(0, 0));
    for (unsigned bit = 0; bit < 24; ++bit) {
      fair[bit] += sign(here, bit);
      beside[bit] += sign(here, bit) * sign(there, bit);
      other[bit] += sign(here, bit) * sign(replica, bit);
      if (bit > 0) next[bit] += sign(here, bit) * sign(half, bit);  // another node of that level
    }
    CHECK((here ^ half) >> 31 == 1);  // siblings stay apart
  }
  for (unsigned bit = 0; bit < 24; ++bit) {
    INFO("bit " << bit);
    for (const double sum : {fair[bit], beside[bit], other[bit], next[bit]}) {
      CHECK(std::abs(sum) < margin);
    }
  }
}

TEST_CASE("Sobol samples of every law have mean 0, variance 1 and its own fourth moment") {
  for (const std::string spec : {"sech", "logistic", "bump", "hermite2", "laplace", "uniform",
                                 "student-t:nu=9", "rademacher", "singular"}) {
    const ProductModel model = product(spec, 2);
    const SobolSource source(model, 5);
    const std::size_t count = 1u << 14;
    const auto x = sobol_samples(source, 0, 4, count);  // a block of each replica
    const double fourth = facts(model.query).fourth_moment;
    for (std::size_t c = 0; c < 4; ++c) {
      double mean = 0, square = 0, power = 0;
      for (std::size_t i = 0; i < count; ++i) {
        const double v = x[c * count + i], v2 = v * v;
        mean += v / double(count);
        square += v2 / double(count);
        power += v2 * v2 / double(count);
      }
      INFO(spec << " coordinate " << c);
      // Independent samples would be within five of these deviations.
      CHECK(std::abs(mean) < 5 / std::sqrt(double(count)));
      CHECK(std::abs(square - 1) <= 5 * std::sqrt((fourth - 1) / double(count)) + 1e-15);
      CHECK(power == Approx(fourth).epsilon(0.35));
      // A replica's block has its coordinate in every cell: the mean is far closer than chance.
      if (spec == "uniform" || spec == "rademacher") CHECK(std::abs(mean) < 1e-3);
    }
  }
}

TEST_CASE("Every vector width gives the same Sobol points and mirror images") {
  const GaussianModel model =
      lower(std::get<GaussianDensity>(parse_density("gaussian:rho=0.25,mean_q=1").law),
            parse_encoding("nope"), 6);
  const SparseRoot root = covariance_root(model);
  const SobolSource gaussian(root, 11), hermite(product("hermite2", 6), 11),
      bump(product("bump:mean_k=0.5", 6), 11);
  std::vector<std::vector<double>> seen;
  for (const char* width : {"scalar", "avx2", "avx512"}) {
    const WidthGuard guard(width);
    std::vector<double> all;
    for (const SobolSource* source : {&gaussian, &hermite, &bump}) {
      const auto x = sobol_samples(*source, 3 * kBlockSamples + 32, 12, 64);
      all.insert(all.end(), x.begin(), x.end());
    }
    std::vector<double> x(12 * kLanes);
    reflected_gaussian_lanes(root, stream_key(2), 48, 6, x.data());
    all.insert(all.end(), x.begin(), x.end());
    seen.push_back(all);
  }
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("A mirror image has the query of its sample and the key reflected at its mean") {
  // k = rho q + sqrt(1 - rho^2) e: both keys of a pair average to rho q.
  const double rho = 0.25, shift = 2;
  const GaussianModel model =
      lower(std::get<GaussianDensity>(parse_density("gaussian:rho=0.25,mean_k=2").law),
            parse_encoding("nope"), 4);
  const SparseRoot root = covariance_root(model);
  std::vector<double> x(8 * kLanes), mirror(x);
  reflected_gaussian_lanes(root, stream_key(2), 64, 8, x.data());  // none reflected
  reflected_gaussian_lanes(root, stream_key(2), 64, 4, mirror.data());
  std::vector<double> plain(x);
  block_kernels(SimdLevel::scalar).gaussian_lanes(root, stream_key(2), 64, plain.data());
  CHECK(plain == x);
  for (std::size_t i = 0; i < 4 * kLanes; ++i) {
    CHECK(mirror[i] == x[i]);
    CHECK(0.5 * (x[4 * kLanes + i] + mirror[4 * kLanes + i]) ==
          Approx(shift + rho * x[i]).margin(1e-14));
    CHECK(mirror[4 * kLanes + i] != x[4 * kLanes + i]);
  }
}

TEST_CASE("Samples beyond the table's dimensions are independent numbers") {
  const SobolSource source(product("student-t:nu=9", 1000), 4);  // two dimensions a coordinate
  CHECK(source.dimensions() == 4000);
  const auto x = sobol_samples(source, 0, 2000, 32);
  double square = 0;
  for (std::size_t i = 1900 * 32; i < 2000 * 32; ++i) square += x[i] * x[i] / 3200;
  CHECK(square == Approx(1).epsilon(5 * std::sqrt(3.2 / 3200)));
}
