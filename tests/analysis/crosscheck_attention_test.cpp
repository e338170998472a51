// Rows of attention in low precision: the reference against plain softmax over exact scores, the
// rule by which kernels pass, and files that go round.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "analysis/crosscheck/attention.hpp"
#include "analysis/crosscheck/attention_files.hpp"
#include "analysis/crosscheck/phase_kernel.hpp"
#include "analysis/crosscheck/rotary_kernel.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

constexpr std::uint32_t kDim = 32;

std::unique_ptr<TokenStream> tokens_of(const Encoding& encoding, std::uint64_t count,
                                       FloatFormat io) {
  return density_tokens(parse_density("gaussian:rho=0.25"), encoding, kDim, count, 3, io);
}

AttentionTask task_of(const char* encoding, const TokenStream& tokens, FloatFormat dtype,
                      std::uint64_t rows) {
  AttentionTask task;
  task.encoding = parse_encoding(encoding);
  task.precisions = preset(dtype);
  task.tokens = &tokens;
  task.last_row = rows;
  return task;
}

// Exact scores of query `row` and all keys up to it, by the route of the score kernels.
std::vector<long double> exact_scores(const ScoreModel& model, const TokenBlock& tokens,
                                      std::uint64_t row) {
  const Precisions precisions = preset(FloatFormat::f64);
  const double* q = &tokens.q[row * kDim];
  std::vector<long double> scores;
  for (std::uint64_t n = 0; n <= row; ++n) {
    const double* k = &tokens.k[n * kDim];
    ScoreSample sample;
    if (const auto* phase = std::get_if<PhaseScore>(&model)) {
      const PhaseKernel kernel(*phase, precisions);
      sample = kernel.score(kernel.features(q, k), kernel.scale(row - n));
    } else {
      const RotaryKernel kernel(std::get<RotaryScore>(model), precisions);
      RotaryKernel::Workspace work;
      sample = kernel.score(q, k, kernel.place(row - n, 0), work);
    }
    scores.push_back(static_cast<long double>(sample.value) - sample.error);
  }
  return scores;
}

struct TemporaryFile {
  std::string path = (std::filesystem::temp_directory_path() /
                      ("tapalab-golden-" + std::to_string(std::rand()) + ".safetensors"))
                         .string();
  ~TemporaryFile() { std::remove(path.c_str()); }
};

}  // namespace

TEST_CASE("The fp64 reference of attention is softmax over exact scores") {
  for (const char* spec :
       {"tapa", "tapa:law=linear,alpha=3.7", "tapa-linear", "rope", "yarn:factor=4,original=32"}) {
    INFO(spec);
    const Encoding encoding = parse_encoding(spec);
    const auto tokens = tokens_of(encoding, 150, FloatFormat::f32);
    const AttentionCheck check = check_attention(task_of(spec, *tokens, FloatFormat::f64, 3));
    const TokenBlock all = tokens->read(0, 150);
    const ScoreModel model = lower(encoding, kDim);
    for (std::size_t r = 0; r < 3; ++r) {
      const std::uint64_t row = check.rows[r];
      const auto scores = exact_scores(model, all, row);
      const long double largest = *std::max_element(scores.begin(), scores.end());
      long double sum = 0;
      std::vector<long double> out(kDim, 0);
      for (std::uint64_t n = 0; n <= row; ++n) {
        const long double weight = std::exp(scores[n] - largest);
        sum += weight;
        for (std::uint32_t i = 0; i < kDim; ++i) out[i] += weight * all.v[n * kDim + i];
      }
      double worst = 0;
      for (std::uint32_t i = 0; i < kDim; ++i) {
        worst = std::max(
            worst, std::abs(static_cast<double>(out[i] / sum) - check.reference[r * kDim + i]));
      }
      CHECK(worst < 1e-13);
    }
    CHECK(check.kernel.max < 1e-12);
  }
}

TEST_CASE("Emulated kernels pass their rule, and their stages add up to at least the error") {
  for (const char* spec : {"tapa", "tapa-linear", "rope"}) {
    for (const FloatFormat dtype : {FloatFormat::f32, FloatFormat::bf16, FloatFormat::f16}) {
      INFO(spec);
      INFO(static_cast<int>(dtype));
      const auto tokens = tokens_of(parse_encoding(spec), 700, dtype);
      const AttentionCheck check = check_attention(task_of(spec, *tokens, dtype, 40));
      CHECK(check.holds);
      CHECK(check.kernel.max > 0);
      CHECK(check.kernel.non_finite == 0);
      REQUIRE(check.budget_rows == 8);
      CHECK(check.budget_error > 0);
      CHECK(check.budget.total() >= check.budget_error);
      CHECK(check.budget.total() <= 10 * check.budget_error);
      CHECK(check.budget[Stage::softmax] > 0);
      // fp32 outputs of an fp32 accumulator are stored as they are.
      CHECK((check.budget[Stage::output] > 0) == (dtype != FloatFormat::f32));
    }
  }
}

TEST_CASE("A kernel with bf16 phases fails the rule of fp32, as does a spoiled output") {
  const auto tokens = tokens_of(parse_encoding("rope"), 2000, FloatFormat::f32);
  AttentionTask task = task_of("rope", *tokens, FloatFormat::f32, 16);
  const AttentionCheck sound = check_attention(task);
  CHECK(sound.holds);
  task.precisions.phase = FloatFormat::bf16;
  const AttentionCheck coarse = check_attention(task);
  CHECK_FALSE(coarse.holds);
  CHECK(coarse.kernel.max > 100 * sound.kernel.max);

  task.precisions.phase = FloatFormat::f32;
  task.observed = sound.reference;
  CHECK(check_attention(task).holds);
  task.observed[77] += 1e-3;
  const AttentionCheck spoiled = check_attention(task);
  CHECK_FALSE(spoiled.holds);
  CHECK(spoiled.observed->worst == 77);
  task.observed[77] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(check_attention(task).holds);
  CHECK(check_attention(task).observed->non_finite == 1);
  task.observed.pop_back();
  CHECK_THROWS_AS(check_attention(task), InputError);
}

TEST_CASE("A kernel that pairs coordinates the other way fails the rule, in bf16 as well") {
  const auto tokens = tokens_of(parse_encoding("rope"), 600, FloatFormat::bf16);
  const AttentionTask half = task_of("rope:pairing=half", *tokens, FloatFormat::bf16, 16);
  AttentionTask adjacent = task_of("rope:pairing=adjacent", *tokens, FloatFormat::bf16, 16);
  adjacent.observed = check_attention(half).reference;
  const AttentionCheck mixed = check_attention(adjacent);
  CHECK_FALSE(mixed.holds);
  CHECK(mixed.kernel.max <= mixed.tolerance);
  CHECK(mixed.observed->max > 2 * mixed.tolerance);
}

TEST_CASE("Threads and blocks change nothing; rows are spread and never repeat") {
  const auto tokens = tokens_of(parse_encoding("tapa"), 1500, FloatFormat::bf16);
  AttentionTask task = task_of("tapa", *tokens, FloatFormat::bf16, 12);
  task.threads = 1;
  const AttentionCheck one = check_attention(task);
  task.threads = 3;
  const AttentionCheck three = check_attention(task);
  CHECK(one.reference == three.reference);
  CHECK(one.kernel.max == three.kernel.max);
  CHECK(one.kernel.rms == three.kernel.rms);
  // The same rows in two parts.
  task.first_row = 5;
  const AttentionCheck part = check_attention(task);
  CHECK(std::equal(part.reference.begin(), part.reference.end(), one.reference.begin() + 5 * kDim));

  for (const std::uint64_t length : {1u, 2u, 100u, 4096u}) {
    const auto rows = spread_rows(length, 0, length);
    CHECK(std::set<std::uint64_t>(rows.begin(), rows.end()).size() == length);
    CHECK(rows.front() == length - 1);
  }
  // 225304 rows of 9728 values end past 2^31: positions stay 64-bit.
  for (const std::uint64_t row : spread_rows(225304 * std::uint64_t{9728}, 0, 50)) {
    CHECK(row < 225304 * std::uint64_t{9728});
  }
  CHECK_THROWS_AS(check_attention(task_of("tapa", *tokens, FloatFormat::f32, 1501)), InputError);
  CHECK_THROWS_AS(check_attention(task_of("tapa", *tokens, FloatFormat::f32, 0)), InputError);
}

TEST_CASE("Golden files go round: inputs as they were, the reference passes as an output") {
  for (const FloatFormat io :
       {FloatFormat::bf16, FloatFormat::f16, FloatFormat::f32, FloatFormat::f64}) {
    INFO(static_cast<int>(io));
    const auto tokens = tokens_of(parse_encoding("rope"), 90, io);
    const AttentionTask task = task_of("rope", *tokens, io, 7);
    const AttentionCheck check = check_attention(task);
    const TemporaryFile file;
    export_golden(file.path, *tokens, io, check, "rope");
    const auto read = file_tokens(file.path, io);
    REQUIRE(read->tokens() == 90);
    REQUIRE(read->dim() == kDim);
    const TokenBlock given = tokens->read(0, 90), got = read->read(0, 90);
    CHECK(given.q == got.q);
    CHECK(given.k == got.k);
    CHECK(given.v == got.v);
    CHECK(read_outputs(file.path, check.rows, 90, kDim) == check.reference);
    // The file says which tokens its rows are, in whatever order they are asked for.
    const std::vector<std::uint64_t> turned{check.rows[4], check.rows[1]};
    std::vector<double> expected;
    for (const std::size_t row : {4, 1}) {
      for (std::size_t i = 0; i < kDim; ++i) expected.push_back(check.reference[row * kDim + i]);
    }
    CHECK(read_outputs(file.path, turned, 90, kDim) == expected);
    CHECK_THROWS_AS(read_outputs(file.path, {1, 2}, 90, kDim), InputError);
  }
}
