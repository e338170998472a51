#include "sim/score.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "catch.hpp"
#include "sim/backend.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/score_model.hpp"

using namespace tapalab;

namespace {

PairBatch random_batch(std::size_t count, std::uint32_t head_dim, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  PairBatch batch{count, head_dim, std::vector<double>(count * head_dim),
                  std::vector<double>(count * head_dim)};
  for (auto* values : {&batch.queries, &batch.keys}) {
    // float inputs, as models have them: products are exact in double
    for (auto& value : *values) value = static_cast<float>(normal(random));
  }
  return batch;
}

const std::vector<std::uint64_t> kDistances{0,          1,          2,          1000,
                                            1ULL << 20, 1ULL << 40, 1ULL << 53, (1ULL << 63) - 1};

// The scores of a batch in 192 bits, from the same model.
Wide exact_score(const ScoreModel& model, const double* q, const double* k,
                 std::uint64_t distance) {
  if (const auto* phase = std::get_if<PhaseScore>(&model)) {
    Wide amplitude = 0, phi = 0;
    for (const auto& term : phase->amplitude) {
      amplitude += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
    }
    for (const auto& term : phase->phase_bilinear) {
      phi += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
    }
    for (const auto& term : phase->phase_linear) {
      phi += term.weight * Wide(term.coordinate < phase->head_dim
                                    ? q[term.coordinate]
                                    : k[term.coordinate - phase->head_dim]);
    }
    return amplitude * cos_turns(phase->phase_scale(distance) * phi);
  }
  const auto& rotary = std::get<RotaryScore>(model);
  Wide sum = 0;
  for (const auto& pair : rotary.pairs) {
    const Wide q0 = q[pair.first], q1 = q[pair.second], k0 = k[pair.first], k1 = k[pair.second];
    const Wide turns = Wide(distance) * pair.frequency_turns;
    sum += (q0 * k0 + q1 * k1) * cos_turns(turns) + (q0 * k1 - q1 * k0) * sin_turns(turns);
  }
  for (const auto c : rotary.plain) sum += Wide(q[c]) * Wide(k[c]);
  return rotary.scale * sum;
}

void check_backend(const std::string& encoding, double tolerance) {
  const ScoreModel model = lower(parse_encoding(encoding), 64);
  const PairBatch batch = random_batch(20, 64, 7);
  const auto scores = make_cpu_backend()->scores(model, batch, kDistances);
  REQUIRE(scores.size() == 20 * kDistances.size());
  for (std::size_t i = 0; i < batch.count; ++i) {
    for (std::size_t j = 0; j < kDistances.size(); ++j) {
      const Wide exact = exact_score(model, batch.queries.data() + i * 64,
                                     batch.keys.data() + i * 64, kDistances[j]);
      INFO(encoding << " at distance " << kDistances[j]);
      CHECK(std::abs(static_cast<double>(Wide(scores[i * kDistances.size() + j] - exact))) <=
            tolerance);
    }
  }
}

}  // namespace

TEST_CASE("A phase is reduced to its stated error at every size") {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> uniform(-4, 4);
  for (int i = 0; i < 5000; ++i) {
    const Wide scale =
        ldexp(Wide(1) + Wide(uniform(random)) / 9 + ldexp(Wide(uniform(random)), -60), i % 70 - 3);
    const TwoTerm<double> terms = two_term(scale);
    const double phi = uniform(random);
    const double turns = phase_turns<DoublePrecision>(phi, terms);
    const Wide exact = (Wide(terms.hi) + Wide(terms.lo)) * Wide(phi);
    const double bound =
        std::ldexp(1.0, -53) + std::ldexp(std::abs(static_cast<double>(exact)), -103);
    REQUIRE(std::abs(turns) <= 0.5);
    REQUIRE(std::abs(static_cast<double>(reduce_turns(Wide(turns) - exact))) <= bound);
    REQUIRE(abs(Wide(Wide(terms.hi) + Wide(terms.lo) - scale)) <= ldexp(abs(scale), -105));
  }
}

TEST_CASE("A phase in float is reduced to its stated error") {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<float> uniform(-4, 4);
  for (int i = 0; i < 5000; ++i) {
    const float hi = (1 + std::abs(uniform(random))) * std::ldexp(1.0f, i % 30 - 3);
    const TwoTerm<float> terms{hi, std::ldexp(hi, -26) * uniform(random) / 4};
    const float phi = uniform(random);
    const float turns = phase_turns<SinglePrecision>(phi, terms);
    const Wide exact = (Wide(terms.hi) + Wide(terms.lo)) * Wide(phi);
    const double bound =
        std::ldexp(1.0, -24) + std::ldexp(std::abs(static_cast<double>(exact)), -45);
    REQUIRE(std::abs(turns) <= 0.5f);
    REQUIRE(std::abs(static_cast<double>(reduce_turns(Wide(turns) - exact))) <= bound);
  }
}

TEST_CASE("Reference scores agree with 192-bit scores") {
  // At s = 79 (power, 2^63) the phase's own rounding, s * 2^-53 |q.k|, is what remains.
  check_backend("tapa", 2e-13);
  check_backend("tapa-linear", 1e-12);
  check_backend("rope", 1e-14);
  check_backend("rope:base=500000,angle=turns,pairing=adjacent", 1e-14);
  check_backend("nope", 1e-14);
}

TEST_CASE("With exact dot products the reference is right at any phase scale") {
  // Small integers: the sums are exact, and so is all that the table's two terms must not lose,
  // although the phase is about 1e18 turns at the largest distance.
  const ScoreModel model = lower(parse_encoding("tapa:law=linear"), 64);
  std::mt19937 random(3);
  PairBatch batch = random_batch(50, 64, 1);
  for (auto* values : {&batch.queries, &batch.keys}) {
    for (auto& value : *values) value = static_cast<double>(random() % 7) - 3;
  }
  const auto scores = make_cpu_backend()->scores(model, batch, kDistances);
  for (std::size_t i = 0; i < batch.count; ++i) {
    for (std::size_t j = 0; j < kDistances.size(); ++j) {
      const Wide exact = exact_score(model, batch.queries.data() + i * 64,
                                     batch.keys.data() + i * 64, kDistances[j]);
      CHECK(std::abs(static_cast<double>(Wide(scores[i * kDistances.size() + j] - exact))) <=
            2e-12);
    }
  }
}

TEST_CASE("Single precision scores follow double ones") {
  for (const float phi : {-1.5f, 0.3f, 2.0f}) {
    const TwoTerm<double> scale = two_term(Wide("3.7"));
    const float hi = static_cast<float>(scale.hi);
    const TwoTerm<float> narrow{hi, static_cast<float>(scale.hi - hi)};
    CHECK(score<SinglePrecision>(2.0f, phi, narrow) ==
          Approx(score<DoublePrecision>(2.0, phi, scale)).margin(1e-6));
  }
}

TEST_CASE("Batches that do not fit are refused") {
  const ScoreModel model = lower(parse_encoding("nope"), 4);
  const auto backend = make_cpu_backend();
  CHECK(backend->name() == "cpu");
  CHECK(backend->unavailable_reason().empty());
  CHECK_THROWS_AS(backend->scores(model, random_batch(1, 2, 1), {1}), InputError);
  PairBatch batch = random_batch(2, 4, 1);
  batch.keys.pop_back();
  CHECK_THROWS_AS(backend->scores(model, batch, {1}), InputError);
}
