#include "analysis/empirical.hpp"

#include <algorithm>
#include <cmath>

#include "../sim/file_bytes.hpp"
#include "analysis/empirical_phase_sums.hpp"
#include "catch.hpp"
#include "empirical_brute.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using namespace tapalab::testing;

namespace {

constexpr PairRule kRules[] = {PairRule::all, PairRule::causal, PairRule::shuffled,
                               PairRule::at_distance};
constexpr std::uint32_t kDim = 8;

Encoding general_encoding() {
  Normals normal(5);
  TapaGeneralEncoding general;
  for (auto* matrix : {&general.M, &general.N}) {
    matrix->rows = matrix->cols = kDim;
    for (std::size_t i = 0; i < kDim * kDim; ++i)
      matrix->entries.push_back(ExactDecimal::from_double(normal() / kDim, "entry"));
  }
  return {"tapa-general", general};
}

std::vector<Encoding> encodings() {
  return {parse_encoding("tapa"),
          parse_encoding("tapa:law=linear,share=0.25"),
          parse_encoding("tapa-linear:alpha=0.4"),
          general_encoding(),
          parse_encoding("rope"),
          parse_encoding("rope:pairing=adjacent,angle=turns,base=500000"),
          parse_encoding("nope")};
}

double value(const std::optional<Quantity>& quantity) { return quantity.value().estimate.value(); }

/// The estimate agrees with the reference, and the error encloses it.
void check_close(const std::optional<Quantity>& quantity, long double expected, long double scale) {
  REQUIRE(quantity);
  CHECK(std::abs(static_cast<double>(quantity->estimate.value() - expected)) <=
        static_cast<double>(1e-12L * scale));
  CHECK(quantity->error.kind == ErrorKind::confidence);
  CHECK(quantity->error.lower.wide() <= Wide(quantity->estimate.wide()));
  CHECK(quantity->error.upper.wide() >= Wide(quantity->estimate.wide()));
}

}  // namespace

TEST_CASE("sums over the pairs equal loops in 57 digits for every rule, score and distance") {
  // 70 tokens: 16 blocks of unequal length.
  // Few bits in each number, as activations have them: with law=linear the last distances would
  // leave a phase of 53-bit factors known to 1e-7 turns only.
  const auto table = random_table(11, 70, kDim, 0.3, 0.5);
  for (auto* values : {&table->queries, &table->keys})
    for (double& x : *values) x = std::round(x * 256) / 256;
  for (const auto& encoding : encodings())
    for (const PairRule rule : kRules) {
      const std::vector<std::uint64_t> distances{5, 0, 1, 68, 1000, 1ULL << 40, (1ULL << 63) - 1};
      const DistanceCurve curve = empirical_curve(empirical_task(encoding, table, rule, distances));
      REQUIRE(curve.points.size() == distances.size());
      const ScoreModel model = lower(encoding, kDim);
      for (std::size_t i = 0; i < distances.size(); ++i) {
        INFO(encoding.spec << ", rule " << static_cast<int>(rule) << ", distance " << distances[i]);
        const auto& point = curve.points[i];
        CHECK(point.distance == distances[i]);
        const auto* phase = std::get_if<PhaseScore>(&model);
        const Brute expected =
            phase != nullptr ? brute(*phase, *table, rule, distances[i])
                             : brute(std::get<RotaryScore>(model), *table, rule, distances[i]);
        if (expected.count < 2) {
          CHECK(!point.mean);
          CHECK(!point.variance);
          continue;
        }
        const long double scale = std::sqrt(expected.second_moment) + expected.envelope;
        check_close(point.mean, expected.mean, scale);
        check_close(point.envelope, expected.envelope, scale);
        check_close(point.variance, expected.variance, scale * scale);
        REQUIRE(point.variance_excess.has_value() == (phase != nullptr));
        if (phase != nullptr)
          check_close(point.variance_excess, expected.excess, expected.amplitude_square);
      }
    }
}

TEST_CASE("phases beyond two doubles widen the interval by their rounding") {
  const auto table = random_table(11, 40, kDim, 0.3, 0.5);  // 53 bits in each number
  const Encoding encoding = parse_encoding("tapa:law=linear,alpha=1");
  const std::uint64_t far = (1ULL << 63) - 1;
  auto task = empirical_task(encoding, table, PairRule::all, {far});
  task.sampling.confidence = 1e-6;  // next to nothing of the interval is statistical
  const auto point = empirical_curve(task).points[0];
  const Brute expected =
      brute(std::get<PhaseScore>(lower(encoding, kDim)), *table, PairRule::all, far);
  CHECK(std::abs(value(point.mean) - static_cast<double>(expected.mean)) > 1e-9);
  CHECK(point.mean->error.lower.value() <= static_cast<double>(expected.mean));
  CHECK(point.mean->error.upper.value() >= static_cast<double>(expected.mean));
  CHECK(point.mean->error.absolute.value() < 0.1);  // amplitudes are about 1: still of use
}

TEST_CASE("several tiles and blocks of more than 32 tokens give the same sums") {
  // 2500 tokens: 64 blocks of 39 or 40, each of two tiles; checked on the moments of the amplitude,
  // which at distance 0 is the score.
  const auto table = random_table(12, 2500, 2, 0.2, 0);
  for (const PairRule rule : {PairRule::all, PairRule::causal}) {
    const auto curve = empirical_curve(empirical_task(parse_encoding("tapa"), table, rule, {0}));
    long double sum = 0, squares = 0, count = 0;
    // The sums over keys up to the query, or over all keys, from running sums.
    std::vector<long double> keys(1, 0), key_squares(1, 0);
    for (std::size_t n = 0; n < table->tokens; ++n) {
      const long double k = table->keys[2 * n];
      keys.push_back(keys.back() + k);
      key_squares.push_back(key_squares.back() + k * k);
    }
    for (std::size_t m = 0; m < table->tokens; ++m) {
      const long double q = table->queries[2 * m];
      const std::size_t seen = rule == PairRule::all ? table->tokens : m + 1;
      sum += q * keys[seen];
      squares += q * q * key_squares[seen];
      count += static_cast<long double>(seen);
    }
    const long double mean = sum / count;
    CHECK(value(curve.points[0].mean) == Approx(static_cast<double>(mean)).epsilon(1e-11));
    CHECK(value(curve.points[0].variance) ==
          Approx(static_cast<double>(squares / count - mean * mean)).epsilon(1e-12));
  }
}

TEST_CASE("one and two threads give the same bits") {
  const auto table = random_table(13, 150, kDim, 0.3, 0.5);
  for (const auto& encoding : encodings())
    for (const PairRule rule : kRules) {
      CurveTask task = empirical_task(encoding, table, rule, {0, 1, 7, 100, 100000});
      std::vector<DistanceCurve> curves;
      for (const unsigned threads : {1u, 2u}) {
        task.sampling.threads = threads;
        curves.push_back(empirical_curve(task));
      }
      for (std::size_t i = 0; i < curves[0].points.size(); ++i) {
        const auto &one = curves[0].points[i], &two = curves[1].points[i];
        for (const auto member : {&CurvePoint::mean, &CurvePoint::envelope, &CurvePoint::variance,
                                  &CurvePoint::variance_excess}) {
          REQUIRE((one.*member).has_value() == (two.*member).has_value());
          if (!(one.*member)) continue;
          CHECK((one.*member)->estimate.wide() == (two.*member)->estimate.wide());
          CHECK((one.*member)->error.lower.wide() == (two.*member)->error.lower.wide());
          CHECK((one.*member)->error.upper.wide() == (two.*member)->error.upper.wide());
        }
      }
    }
}

TEST_CASE("the seed moves the interval, never the estimate") {
  const auto table = random_table(14, 100, kDim, 0.3, 0.5);
  for (const PairRule rule : kRules) {
    CurveTask task = empirical_task(parse_encoding("tapa"), table, rule, {1});
    const auto first = empirical_curve(task);
    task.sampling.seed = 2;
    const auto second = empirical_curve(task);
    CHECK(value(first.points[0].mean) == value(second.points[0].mean));
    CHECK(first.points[0].mean->error.lower.wide() != second.points[0].mean->error.lower.wide());
    CHECK(first.seed == std::optional<std::uint64_t>(1));
  }
}

TEST_CASE("a mean whose interval contains 0 is unresolved, one that does not is resolved") {
  const auto table = random_table(15, 200, kDim, 1, 0);
  const auto curve = empirical_curve(
      empirical_task(parse_encoding("tapa:law=linear"), table, PairRule::all, {0, 1000000}));
  CHECK(curve.points[0].status == Status::converged);
  CHECK(curve.points[0].mean->sign_resolved);
  CHECK(curve.points[1].status == Status::unresolved);
  CHECK(!curve.points[1].mean->sign_resolved);
}

TEST_CASE("a tolerance that the interval misses is a target not met") {
  const auto table = random_table(15, 200, kDim, 1, 0);
  CurveTask task = empirical_task(parse_encoding("rope"), table, PairRule::all, {0});
  task.sampling.rel_tol = 1e-6;
  CHECK(empirical_curve(task).points[0].status == Status::target_not_met);
  task.sampling.rel_tol = 10;
  CHECK(empirical_curve(task).points[0].status == Status::converged);
}

TEST_CASE("phases carry the error that their table states") {
  const auto table = random_table(16, 40, kDim, 0.5, 0);
  for (const auto& encoding : encodings()) {
    const ScoreModel model = lower(encoding, kDim);
    const auto* score = std::get_if<PhaseScore>(&model);
    if (score == nullptr) continue;
    const empirical::PhaseTable phases(*score, *table);
    CHECK(phases.error() < 1e-16 * phases.largest());
    empirical::PairValues values;
    phases.tile(3, 20, 5, 30, values);
    for (std::size_t p = 0; p < values.size(); ++p) {
      const double* q = &table->queries[(3 + p / 30) * kDim];
      const double* k = &table->keys[(5 + p % 30) * kDim];
      Wide phase = 0;
      for (const auto& term : score->phase_bilinear)
        phase += term.weight * Wide(q[term.query]) * Wide(k[term.key]);
      for (const auto& term : score->phase_linear)
        phase += term.weight *
                 Wide(term.coordinate < kDim ? q[term.coordinate] : k[term.coordinate - kDim]);
      const Wide held = Wide(values.high_head[p]) + Wide(values.high_rest[p]) + Wide(values.low[p]);
      REQUIRE(abs(held - phase / phases.unit()) <= Wide(phases.error()));
      REQUIRE(abs(held) <= Wide(phases.largest()));
    }
  }
}

TEST_CASE("sums of cosines are within 1e-14 of 57-digit ones for scales up to 2^60") {
  Normals normal(17);
  empirical::PairValues values;
  values.resize(61);
  std::vector<Wide> phases;
  for (std::size_t p = 0; p < values.size(); ++p) {
    const double high = 20 * normal(), low = 0x1p-54 * normal();
    values.amplitude[p] = normal();
    values.high_head[p] = empirical::head(high);
    values.high_rest[p] = high - values.high_head[p];
    values.low[p] = low;
    phases.push_back(Wide(high) + Wide(low));
  }
  for (const char* text : {"0", "1", "1.7", "78.8", "65536.123", "123456789.125", "1e12", "1e18"}) {
    const Wide scale = Wide(text) / 7;
    const auto sums = empirical::phase_sums(values, empirical::make_phase_scale(scale),
                                            static_cast<double>(scale) * 100);
    Wide cosine = 0, sine = 0, second = 0, total = 0;
    for (std::size_t p = 0; p < phases.size(); ++p) {
      const Wide a(values.amplitude[p]);
      cosine += a * cos_turns(scale * phases[p]);
      sine += a * sin_turns(scale * phases[p]);
      second += a * a * cos_turns(2 * scale * phases[p]);
      total += abs(a) + a * a;
    }
    INFO("scale " << text << "/7");
    CHECK(abs(cosine - Wide(sums.cosine)) <= total * Wide(1e-14));
    CHECK(abs(sine - Wide(sums.sine)) <= total * Wide(1e-14));
    CHECK(abs(second - Wide(sums.second)) <= total * Wide(1e-14));
  }
}

TEST_CASE("what the empirical engine cannot compute is refused in one line") {
  const auto table = random_table(18, 20, kDim, 0, 0);
  auto task = empirical_task(parse_encoding("tapa"), table, PairRule::all, {1});
  task.head_dim = 16;
  CHECK_THROWS_AS(empirical_curve(task), InputError);
  task =
      empirical_task(parse_encoding("tapa"), random_table(18, 1, kDim, 0, 0), PairRule::all, {1});
  CHECK(contains(refusal([&] { empirical_curve(task); }), "at least 2"));
  task = empirical_task(parse_encoding("tapa:alpha=4"), table, PairRule::all, {1ULL << 62});
  CHECK(contains(refusal([&] { empirical_curve(task); }), "quarter of a turn"));
  auto large = std::make_shared<TokenTable>(*table);
  for (auto& x : large->queries) x = 1e200;
  for (auto& x : large->keys) x = 1e200;
  for (const char* encoding : {"rope", "nope", "tapa"}) {
    task = empirical_task(parse_encoding(encoding), large, PairRule::all, {1});
    CHECK_THROWS_AS(empirical_curve(task), InputError);
  }
  task = empirical_task(parse_encoding("tapa"), random_table(18, 20000, 2, 0, 0), PairRule::all,
                        std::vector<std::uint64_t>(1000, 1));
  CHECK(contains(refusal([&] { empirical_curve(task); }), "--engine mc"));
}
