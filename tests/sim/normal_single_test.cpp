// Normals in float: their stated accuracy, their law into the tails, and the same bits from every
// vector width.
#include "sim/random/normal_single.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "catch.hpp"
#include "sim/block_kernels.hpp"
#include "sim/encoding.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/normal_lanes.hpp"
#include "sim/numbers/wide.hpp"
#include "sim/random/streams.hpp"

using namespace tapalab;

namespace {

// The map that the header states, in 192 bits.
struct Exact {
  Wide radius, first, second;
};

Exact exact_pair(std::uint32_t radius_word, std::uint32_t angle_word) {
  const Wide u = ldexp(Wide(radius_word >> 1) + Wide(0.5), -31);
  const Wide radius = sqrt(Wide(-2 * log(u)));
  const auto turns = static_cast<std::int32_t>(angle_word << 2 | 2u);
  const Wide r = ldexp(Wide(turns), -34);
  Wide c = cos_turns(r);
  const Wide s = sin_turns(r);
  if ((angle_word & 0x40000000u) != 0) c = -c;
  const bool swap = (angle_word & 0x80000000u) != 0;
  return {radius, radius * (swap ? s : c), radius * (swap ? c : s)};
}

std::vector<float> normals(std::size_t samples, std::uint32_t draws, std::uint64_t seed) {
  std::vector<float> z(samples * draws * 4);
  const NormalKernels& kernels = normal_kernels(simd_level());
  for (std::size_t first = 0; first < samples; first += kLanes) {
    kernels.single(stream_key(seed), first, draws, z.data() + first * draws * 4);
  }
  return z;
}

double upper_tail(double z) { return 0.5 * std::erfc(z / std::sqrt(2.0)); }

}  // namespace

TEST_CASE("Normals in float are within 2e-7 of their radius of exact arithmetic on their words") {
  std::vector<std::uint32_t> words{0,           1,           2,           3,           0x7FFFFFFFu,
                                   0x80000000u, 0xFFFFFFFFu, 0xFFFFFFFEu, 0xFFFFFFFDu, 0xFFFFFF00u,
                                   0xB504F333u, 0xB504F334u, 0xB504F332u, 0xB504F2FFu, 0x3FFFFFFFu,
                                   0x40000000u, 0x1FFFFFFFu, 0x20000000u, 0x5A827999u, 0xB504F400u};
  for (std::uint64_t i = 0; i < 4000; ++i) {
    const PhiloxBlock block = philox(stream_counter(i, 0, 0), stream_key(3));
    words.insert(words.end(), block.word, block.word + 2);
    words.push_back(block.word[2] >> (i % 32));     // small u
    words.push_back(~(block.word[3] >> (i % 32)));  // u near 1
  }
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t radius_word = words[i], angle_word = words[words.size() - 1 - i];
    const SingleNormalPair pair = normal_pair_single(radius_word, angle_word);
    const Exact exact = exact_pair(radius_word, angle_word);
    for (const auto& [z, truth] :
         {std::pair{pair.first, exact.first}, std::pair{pair.second, exact.second}}) {
      worst = std::max(worst, static_cast<double>(Wide(abs(Wide(z) - truth) / exact.radius)));
      largest = std::max(largest, std::abs(static_cast<double>(z)));
    }
  }
  CAPTURE(worst);
  CHECK(worst <= 2e-7);
  CHECK(worst > 3e-8);  // floats cannot do better: the comparison compares
  CHECK(largest <= 6.6605);
}

TEST_CASE("The smallest u is the largest radius, and u near 1 keeps its small radii apart") {
  CHECK(std::hypot(normal_pair_single(0, 0).first, normal_pair_single(0, 0).second) ==
        Approx(std::sqrt(64 * std::log(2.0))).epsilon(1e-6));
  float before = 0;
  for (std::uint32_t n = 0; n < 1000; ++n) {  // radius^2 = (2 n + 1) 2^-31
    const SingleNormalPair pair = normal_pair_single(0xFFFFFFFFu - 2 * n, 0x12345678u);
    const float radius = std::hypot(pair.first, pair.second);
    CHECK(radius == Approx(std::sqrt((2 * n + 1) * 0x1p-31)).epsilon(1e-6));
    CHECK(radius > before);
    before = radius;
  }
}

TEST_CASE("Every vector width gives the normals of the definition, bit by bit") {
  for (const std::uint64_t first : {std::uint64_t{0}, (std::uint64_t{1} << 32) - kLanes,
                                    (std::uint64_t{7} << 40) + 5 * kLanes}) {
    for (const std::uint32_t draws : {1u, 2u, 5u, 64u}) {
      const PhiloxKey key = stream_key(0x0123456789ABCDEFu);
      std::vector<float> expected(std::size_t{4} * draws * kLanes);
      for (std::uint32_t draw = 0; draw < draws; ++draw) {
        for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
          const PhiloxBlock block =
              philox(stream_counter(first + lane, draw, stream_tag(Stream::gaussian_single)), key);
          const SingleNormalPair a = normal_pair_single(block.word[0], block.word[1]);
          const SingleNormalPair b = normal_pair_single(block.word[2], block.word[3]);
          const float four[] = {a.first, a.second, b.first, b.second};
          for (std::size_t i = 0; i < 4; ++i) {
            expected[(std::size_t{4} * draw + i) * kLanes + lane] = four[i];
          }
        }
      }
      for (const auto level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
        if (level > simd_level()) continue;
        std::vector<float> z(expected.size() + 1, 77.0f);
        normal_kernels(level).single(key, first, draws, z.data());
        CHECK(z.back() == 77.0f);  // nothing beyond the draws asked for
        z.pop_back();
        CHECK(z == expected);
      }
    }
  }
}

TEST_CASE("Rows and features of normals in float have the same bits for every width") {
  const Encoding split = parse_encoding("tapa"), linear = parse_encoding("tapa-linear");
  const Density density = parse_density("gaussian:rho=0.25,mean_q=0.5,p.mean_k=-1,a.scale_q=2");
  for (const Encoding& encoding : {split, linear}) {
    const SparseRoot root =
        covariance_root(lower(std::get<GaussianDensity>(density.law), encoding, 6));
    const auto tables = std::get<PhaseTables>(make_score_tables(lower(encoding, 6), {3}));
    std::vector<float> z(12 * kLanes);
    normal_kernels(SimdLevel::scalar).single(stream_key(1), 32, 3, z.data());
    std::vector<double> x(12 * kLanes), amplitude(kLanes), phi(kLanes);
    normal_kernels(SimdLevel::scalar).rows(root, z.data(), x.data());
    block_kernels(SimdLevel::scalar).phase_features(tables, x.data(), amplitude.data(), phi.data());
    // By hand: x is the mean plus the root times the normals, up to rounding.
    for (std::size_t row = 0; row < 12; ++row) {
      double expected = root.mean[row];
      for (auto e = root.begin[row]; e < root.begin[row + 1]; ++e) {
        expected += root.entries[e].weight * z[root.entries[e].column * kLanes + 3];
      }
      CHECK(x[row * kLanes + 3] == Approx(expected).epsilon(1e-14).margin(1e-14));
    }
    for (const auto level : {SimdLevel::scalar, SimdLevel::avx2, SimdLevel::avx512}) {
      if (level > simd_level()) continue;
      std::vector<double> rows(x.size()), a(kLanes), p(kLanes);
      normal_kernels(level).rows(root, z.data(), rows.data());
      normal_kernels(level).features(root, tables, z.data(), a.data(), p.data());
      CHECK(rows == x);
      CHECK(a == amplitude);
      CHECK(p == phi);
    }
  }
}

TEST_CASE("Two million normals in float follow the normal distribution") {
  const auto sample = normals(8'192, 64, 42);
  std::vector<double> z(sample.begin(), sample.end());
  std::sort(z.begin(), z.end());
  const double n = static_cast<double>(z.size());
  double ks = 0, anderson = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    const double below = upper_tail(-z[i]);
    const double rank = static_cast<double>(i);
    ks = std::max({ks, (rank + 1) / n - below, below - rank / n});
    anderson -= (2 * rank + 1) / n * (std::log(below) + std::log(upper_tail(z[z.size() - 1 - i])));
  }
  CHECK(ks * std::sqrt(n) < 2.23);  // Kolmogorov, probability 1e-4
  CHECK(anderson - n < 9.0);        // Anderson-Darling, probability about 1e-4
}

TEST_CASE("Tails and moments of normals in float hold what they should, to five sigma") {
  std::vector<double> above(6), below(6);
  double power[9] = {};
  const std::size_t rounds = 16, samples = 16'384;
  for (std::size_t round = 0; round < rounds; ++round) {
    for (const float z : normals(samples, 64, 100 + round)) {
      double y = 1;
      for (double& sum : power) {
        sum += y;
        y *= z;
      }
      for (std::size_t k = 1; k < 6; ++k) {
        above[k] += z > static_cast<float>(k);
        below[k] += z < -static_cast<float>(k);
      }
    }
  }
  const double n = power[0];
  CHECK(n == static_cast<double>(rounds * samples * 256));
  for (std::size_t k = 1; k < 6; ++k) {
    const double expected = n * upper_tail(static_cast<double>(k));
    CHECK(std::abs(above[k] - expected) <= 5 * std::sqrt(expected));
    CHECK(std::abs(below[k] - expected) <= 5 * std::sqrt(expected));
  }
  // E z^j and the variance of z^j: (2j - 1)!! - (E z^j)^2.
  const double odd_factorial[] = {1, 1, 3, 15, 105, 945, 10395, 135135, 2027025};
  for (int j = 1; j <= 8; ++j) {
    const double mean = j % 2 == 1 ? 0 : odd_factorial[j / 2];
    CHECK(std::abs(power[j] / n - mean) < 5 * std::sqrt((odd_factorial[j] - mean * mean) / n));
  }
}

TEST_CASE("Normals in float of one sample and of neighbours are uncorrelated, squares too") {
  const std::size_t samples = 65'536;
  const std::uint32_t draws = 4;
  const auto z = normals(samples, draws, 9);
  const auto at = [&](std::size_t sample, std::size_t c) {
    return static_cast<double>(
        z[sample / kLanes * draws * 4 * kLanes + c * kLanes + sample % kLanes]);
  };
  const double n = static_cast<double>(samples - 1);
  for (std::size_t a = 0; a < draws * 4; ++a) {
    for (std::size_t b = 0; b < draws * 4; ++b) {
      double within = 0, next = 0, squares = 0;
      for (std::size_t i = 0; i + 1 < samples; ++i) {
        const double x = at(i, a);
        within += x * at(i, b);
        next += x * at(i + 1, b);
        squares += (x * x - 1) * (at(i, b) * at(i, b) - 1) / 2;
      }
      if (a != b) {
        CHECK(std::abs(within) < 5.5 * std::sqrt(n));
        CHECK(std::abs(squares) < 6 * std::sqrt(n));
      }
      CHECK(std::abs(next) < 5.5 * std::sqrt(n));
    }
  }
}
