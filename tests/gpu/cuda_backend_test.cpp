// Device scores against the CPU reference: equal bits. Where there is no device the cases print
// "skipped: no CUDA device", which ctest shows as skipped.
#include "gpu/cuda_backend.hpp"

#include <iostream>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"
#include "sim/score_model.hpp"

using namespace tapalab;

namespace {

// The backend, or nothing where it cannot run here.
std::unique_ptr<Backend> device() {
  auto backend = make_cuda_backend();
  const std::string reason = backend->unavailable_reason();
  if (reason.empty()) return backend;
  std::cout << "skipped: no CUDA device; the backend says: " << reason << std::endl;
  return nullptr;
}

PairBatch random_batch(std::size_t count, std::uint32_t head_dim, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  PairBatch batch{count, head_dim, {}, {}};
  for (auto* values : {&batch.queries, &batch.keys}) {
    for (std::size_t i = 0; i < count * head_dim; ++i) values->push_back(normal(random));
  }
  return batch;
}

const std::vector<std::uint64_t> kDistances{0,
                                            1,
                                            2,
                                            3,
                                            1000,
                                            65536,
                                            1ULL << 20,
                                            1ULL << 31,
                                            (1ULL << 32) + 1,
                                            1ULL << 40,
                                            (1ULL << 63) - 1};

void check_equal_bits(const Backend& cuda, const ScoreModel& model, const PairBatch& batch) {
  const auto expected = make_cpu_backend()->scores(model, batch, kDistances);
  const auto computed = cuda.scores(model, batch, kDistances);
  REQUIRE(computed.size() == batch.count * kDistances.size());
  std::size_t different = 0, zeros = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    different += computed[i] != expected[i];
    zeros += computed[i] == 0;
  }
  CHECK(different == 0);
  CHECK(zeros == 0);
}

DecimalMatrix random_matrix(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  DecimalMatrix matrix{size, size, {}};
  for (std::size_t i = 0; i < size * size; ++i) {
    matrix.entries.push_back(ExactDecimal::from_double(uniform(random), "entry"));
  }
  return matrix;
}

}  // namespace

TEST_CASE("Device scores have the bits of the CPU reference, at distances up to 2^63-1") {
  const auto cuda = device();
  if (!cuda) return;
  CHECK(cuda->name() == "cuda");
  for (const char* encoding :
       {"tapa", "tapa:alpha=0.3,share=0.25,law=linear", "tapa-linear", "rope",
        "rope:base=500000,angle=turns,pairing=adjacent,freq=f32", "nope"}) {
    INFO(encoding);
    check_equal_bits(*cuda, lower(parse_encoding(encoding), 128), random_batch(1537, 128, 1));
  }
}

TEST_CASE("Device scores of general TAPA have the bits of the CPU reference") {
  const auto cuda = device();
  if (!cuda) return;
  TapaGeneralEncoding general;
  general.M = random_matrix(5, 2);
  general.N = random_matrix(5, 3);
  check_equal_bits(*cuda, lower(Encoding{"tapa-general", general}, 5), random_batch(777, 5, 4));
}

TEST_CASE("Device scores do not depend on how many pairs share a launch") {
  const auto cuda = device();
  if (!cuda) return;
  const ScoreModel model = lower(parse_encoding("tapa"), 64);
  const PairBatch batch = random_batch(300, 64, 5);
  const auto all = cuda->scores(model, batch, kDistances);
  for (const std::size_t i : {0u, 127u, 128u, 299u}) {
    PairBatch one{1, 64, {}, {}};
    one.queries.assign(batch.queries.begin() + i * 64, batch.queries.begin() + (i + 1) * 64);
    one.keys.assign(batch.keys.begin() + i * 64, batch.keys.begin() + (i + 1) * 64);
    const auto alone = cuda->scores(model, one, kDistances);
    for (std::size_t d = 0; d < kDistances.size(); ++d) {
      CHECK(alone[d] == all[i * kDistances.size() + d]);
    }
  }
}

TEST_CASE("A batch of no pairs has no scores, and one that does not fit is refused") {
  const auto cuda = device();
  if (!cuda) return;
  const ScoreModel model = lower(parse_encoding("nope"), 4);
  CHECK(cuda->scores(model, random_batch(0, 4, 1), {1}).empty());
  CHECK_THROWS_AS(cuda->scores(model, random_batch(1, 2, 1), {1}), InputError);
}

TEST_CASE("Without a device the backend says why and refuses to compute") {
  const auto backend = make_cuda_backend();
  const std::string reason = backend->unavailable_reason();
  if (reason.empty()) return;  // the cases above cover a device
  CHECK(reason.find('\n') == std::string::npos);
  const ScoreModel model = lower(parse_encoding("nope"), 4);
  CHECK_THROWS_AS(backend->scores(model, random_batch(2, 4, 1), {1}), UnavailableError);
}
