// Moments that the device draws and sums itself, against those of the host's samples. Where there
// is no device the cases print "skipped: no CUDA device", which ctest shows as skipped.
#include <cmath>
#include <complex>
#include <iostream>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "exhaustive.hpp"
#include "gpu/cuda_backend.hpp"
#include "sim/block_kernels.hpp"
#include "sim/density.hpp"
#include "sim/density_source.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"
#include "sim/make_fused_plan.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/monte_carlo.hpp"
#include "sim/pair_scores.hpp"
#include "sim/random/streams.hpp"

using namespace tapalab;

namespace {

std::unique_ptr<Backend> fused_device(CudaOptions options = {}) {
  auto backend = make_cuda_backend(options);
  const std::string reason = backend->unavailable_reason();
  if (reason.empty()) return backend;
  std::cout << "skipped: no CUDA device; the backend says: " << reason << std::endl;
  return nullptr;
}

struct Case {
  std::string encoding, density;
  std::uint32_t head_dim;
  std::vector<std::uint64_t> distances;
  /// How far moments may be from the host's, in units of 1e-7, means and higher ones: phases of t
  /// turns are sums in float, whose errors of about t 2^-21 turns average out.
  double means = 10, others = 30;

  ScoreModel score() const { return lower(parse_encoding(encoding), head_dim); }
  GaussianModel law() const {
    const Density parsed = parse_density(density);
    return lower(std::get<GaussianDensity>(parsed.law), parse_encoding(encoding), head_dim);
  }
};

const std::vector<std::uint64_t> kNear{0, 1, 2, 1000, 1 << 20};
const std::vector<Case> kPhaseCases{
    {"tapa", "gaussian:rho=0.25", 128, kNear},
    {"tapa:alpha=0.3,share=0.25", "gaussian:rho=0.25,mean_q=0.5,mean_k=-1.5,scale_k=2", 64, kNear,
     200, 500},
    {"tapa:law=linear",
     "gaussian:rho=-0.9,a.mean_q=3",
     16,
     {0, 1, 4096, 1ULL << 20, 1ULL << 32, 1ULL << 40, 1ULL << 62},
     500,
     1000},
    {"tapa-linear", "gaussian:rho=0.25,p.mean_q=0.1", 128, kNear},
    {"tapa-linear:law=linear", "gaussian:rho=1", 16, {1, 1ULL << 20, 1ULL << 36}}};
const std::vector<Case> kRotaryCases{
    {"rope", "gaussian:rho=0.25,mean_q=0.5,mean_k=0.25", 128, kNear},
    {"rope:base=500000,angle=turns,pairing=adjacent", "gaussian:rho=0.25", 64, kNear}};

CurveMoments on_host(const Case& of, std::uint64_t begin, std::uint64_t end) {
  SamplingState state;
  ScoreSampler(of.score(), of.law(), of.distances, 7).add(begin, end, 2, {}, state);
  return state.total();
}

// Largest differences, relative to the spread of the quantity.
struct Differences {
  double mean = 0, second = 0, higher = 0, companions = 0;
};

Differences compare(const CurveMoments& a, const CurveMoments& b, bool phase) {
  Differences most;
  const auto note = [](double& worst, double difference) {
    worst = std::isnan(difference) ? difference : std::fmax(worst, std::fabs(difference));
  };
  REQUIRE(a.points.size() == b.points.size());
  REQUIRE(!a.points.empty());
  for (std::size_t i = 0; i < a.points.size(); ++i) {
    const ScoreMoments &x = a.points[i], &y = b.points[i];
    REQUIRE(x.score.count == y.score.count);
    const double n = static_cast<double>(x.score.count), sd = std::sqrt(x.score.m2 / n);
    REQUIRE(sd > 0);
    note(most.mean, (x.score.mean - y.score.mean) / sd);
    note(most.second, (x.score.m2 - y.score.m2) / x.score.m2);
    note(most.higher, (x.score.m3 - y.score.m3) / (n * sd * sd * sd));
    note(most.higher, (x.score.m4 - y.score.m4) / x.score.m4);
    if (!phase) continue;
    note(most.companions, (x.sine.mean - y.sine.mean) / sd);
    note(most.companions, (x.sine.m2 - y.sine.m2) / x.score.m2);
    note(most.companions, (x.sine.cross - y.sine.cross) / x.score.m2);
    note(most.companions, (x.excess.mean - y.excess.mean) / (sd * sd));
    note(most.companions, (x.excess.m2 - y.excess.m2) / x.score.m4);
    note(most.companions, (x.excess.cross - y.excess.cross) / (n * sd * sd * sd));
  }
  return most;
}

bool same_bits(const SamplingState& a, const SamplingState& b) {
  const auto left = a.nodes(), right = b.nodes();
  if (left.size() != right.size() || left.empty()) return false;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].level != right[i].level || left[i].index != right[i].index ||
        !(left[i].value.points == right[i].value.points)) {
      return false;
    }
  }
  return true;
}

std::string with_file(const char* keys) {
  return std::string("empirical:file=") + TAPALAB_TEST_DATA + "/qk.safetensors," + keys;
}

// Densities and scores of the kernels that know all of them: encoding, density, head dimension.
struct DrawnCase {
  std::string encoding, density;
  std::uint32_t head_dim;
  std::vector<std::uint64_t> distances{0, 1, 1000, 1 << 20};
};

std::vector<DrawnCase> drawn_cases() {
  std::vector<DrawnCase> cases;
  for (const char* density :
       {"sech", "logistic:scale_q=2", "laplace:mean_q=0.5,a.mean_k=-1", "uniform", "hermite2",
        "student-t:nu=10", "bump", "singular", "rademacher", "sech:key=uniform,p.mean_q=0.25",
        "mixture:weight=0.3,rho=0.9,a.mean_q=1;weight=0.7,p.scale_k=2", "student-t-joint:nu=10",
        "quartic:rho=0.5,mean_q=0.25"}) {
    cases.push_back({"tapa", density, 128});
  }
  cases.push_back({"tapa-linear", "laplace", 64});
  cases.push_back({"tapa:law=linear", "sech", 32, {1, 1ULL << 30, 1ULL << 60}});
  cases.push_back({"tapa", "gaussian:rho=0.25", 12});  // parts of 6
  for (const char* encoding :
       {"rope", "nope", "alibi", "xpos", "partial:partial=0.5", "yarn:factor=4,original=4096",
        "rope:base=500000,angle=turns,pairing=adjacent"}) {
    cases.push_back({encoding, "hermite2:mean_q=0.5", 64});
  }
  cases.push_back({"partial:partial=0.5", "gaussian:rho=0.25", 64});
  cases.push_back({"nope", "quartic", 32});
  return cases;
}

CurveMoments drawn_on_host(const ScoreModel& score, const DrawnCase& of, const Density& density,
                           const Encoding& encoding, std::uint64_t end) {
  SamplingState state;
  ScoreSampler(score, density.law, encoding, of.distances, 7).add(0, end, 2, {}, state);
  return state.total();
}

double largest(const Differences& seen) {
  return std::fmax(std::fmax(seen.mean, seen.second), std::fmax(seen.higher, seen.companions));
}

}  // namespace

TEST_CASE("Fused moments of exact normals are those of the host's samples to rounding") {
  const auto cuda = fused_device({0, true});
  if (!cuda) return;
  // The second range has samples with numbers on both sides of 2^32, and ends within a block.
  const std::uint64_t high = (std::uint64_t{1} << 32) - 3 * kBlockSamples;
  for (const Case& of : kPhaseCases) {
    INFO(of.encoding << " under " << of.density);
    const auto sampler = cuda->sampler(of.score(), of.law(), of.distances, 7);
    REQUIRE(sampler);
    for (const auto& [begin, end] :
         {std::pair<std::uint64_t, std::uint64_t>{0, 40 * kBlockSamples},
          std::pair<std::uint64_t, std::uint64_t>{high, high + 6 * kBlockSamples + 77}}) {
      SamplingState state;
      sampler->add(begin, end, state);
      const Differences seen = compare(on_host(of, begin, end), state.total(), true);
      CHECK(seen.mean < of.means * 1e-7);
      CHECK(seen.second < of.others * 1e-7);
      CHECK(seen.higher < of.others * 1e-7);
      CHECK(seen.companions < of.others * 1e-7);
      std::cout << "exact normals, " << of.encoding << ": " << seen.mean << " " << seen.second
                << " " << seen.higher << " " << seen.companions << "\n";
    }
  }
}

TEST_CASE("Fused moments of fast normals are those of the host's samples to a millionth") {
  const auto cuda = fused_device();
  if (!cuda) return;
  for (const auto* cases : {&kPhaseCases, &kRotaryCases}) {
    for (const Case& of : *cases) {
      INFO(of.encoding << " under " << of.density);
      const auto sampler = cuda->sampler(of.score(), of.law(), of.distances, 7);
      REQUIRE(sampler);
      const std::uint64_t end = 100 * kBlockSamples + 5;
      SamplingState state;
      sampler->add(0, end, state);
      const Differences seen = compare(on_host(of, 0, end), state.total(), cases == &kPhaseCases);
      CHECK(seen.mean < of.means * 2e-7);
      CHECK(seen.second < of.others * 2e-7);
      CHECK(seen.higher < of.others * 2e-7);
      CHECK(seen.companions < of.others * 2e-7);
      std::cout << "fast normals, " << of.encoding << ": " << seen.mean << " " << seen.second << " "
                << seen.higher << " " << seen.companions << "\n";
    }
  }
}

TEST_CASE("Fused moments at distances of double normals have phases to the last bits") {
  const auto cuda = fused_device();
  if (!cuda) return;
  const Case of{"tapa:law=linear", "gaussian:rho=0.25", 128, {1ULL << 30, 1ULL << 40, 1ULL << 62}};
  const auto sampler = cuda->sampler(of.score(), of.law(), of.distances, 7);
  REQUIRE(sampler);
  SamplingState state;
  sampler->add(0, 20 * kBlockSamples, state);
  const Differences seen = compare(on_host(of, 0, 20 * kBlockSamples), state.total(), true);
  CHECK(seen.mean < 1e-11);
  CHECK(seen.second < 1e-11);
  CHECK(seen.higher < 1e-11);
  CHECK(seen.companions < 1e-11);
}

TEST_CASE("Fused moments depend on the samples alone, not on how they are split into calls") {
  const auto cuda = fused_device();
  if (!cuda) return;
  for (const Case& of : {kPhaseCases[0], kPhaseCases[2], kRotaryCases[0]}) {
    INFO(of.encoding);
    const auto sampler = cuda->sampler(of.score(), of.law(), of.distances, 7);
    REQUIRE(sampler);
    const std::uint64_t end = 9001 * kBlockSamples + 321;
    SamplingState whole, parts;
    sampler->add(0, end, whole);
    const std::uint64_t cuts[] = {0, 1, 18, 1000, 1024, 5555, 9001};
    for (const int i : {3, 0, 5, 1, 4, 2}) {
      sampler->add(cuts[i] * kBlockSamples, cuts[i + 1] * kBlockSamples, parts);
    }
    sampler->add(cuts[6] * kBlockSamples, end, parts);
    CHECK(same_bits(whole, parts));
    CHECK(whole.total().points == parts.total().points);
    CHECK(whole.total().points[0].score.count == end);
  }
}

TEST_CASE("Fused moments at a distance do not depend on the other distances") {
  const auto cuda = fused_device();
  if (!cuda) return;
  std::vector<std::uint64_t> many;
  for (std::uint64_t d = 0; d < 150; ++d) many.push_back(d * d);
  for (const char* encoding : {"tapa", "rope"}) {
    const Case all{encoding, "gaussian:rho=0.25", 64, many};
    const Case few{encoding, "gaussian:rho=0.25", 64, {many[77], many[149]}};
    SamplingState of_all, of_few;
    cuda->sampler(all.score(), all.law(), all.distances, 3)->add(0, 50000, of_all);
    cuda->sampler(few.score(), few.law(), few.distances, 3)->add(0, 50000, of_few);
    CHECK(of_all.total().points[77] == of_few.total().points[0]);
    CHECK(of_all.total().points[149] == of_few.total().points[1]);
  }
}

TEST_CASE("Conditional samples of the device have the mean of the closed form") {
  const auto cuda = fused_device();
  if (!cuda) return;
  FusedPlan plan;
  plan.kind = FusedKind::conditional;
  plan.head_dim = 32;
  plan.key = stream_key(5);
  plan.forms = {{0, 0, 0.125, 0, 0.01}, {0, -0.05, 0, 0, 0.003}, {0.1, -0.05, 0.2, 0.04, 0}};
  const auto sampler = cuda->conditional_sampler(plan);
  REQUIRE(sampler);
  SamplingState state;
  sampler->add(0, 20'000'000, state);
  const CurveMoments total = state.total();
  REQUIRE(total.points.size() == plan.forms.size());
  for (std::size_t i = 0; i < plan.forms.size(); ++i) {
    // E e^(u n + w n^2) = (1 - 2w)^(-1/2) e^(u^2/(2 (1 - 2w))) for complex u, w.
    const ConditionalForm& form = plan.forms[i];
    const std::complex<double> turn(0, 6.283185307179586);
    const auto u = form.log1 + turn * form.turns1, w = form.log2 + turn * form.turns2;
    const std::complex<double> one =
        std::exp(0.5 * u * u / (1.0 - 2.0 * w)) / std::sqrt(1.0 - 2.0 * w);
    const std::complex<double> expected = std::pow(one, 32) * std::exp(turn * form.turns0);
    const ScoreMoments& seen = total.points[i];
    const double n = static_cast<double>(seen.score.count);
    CHECK(n == 20'000'000);
    CHECK(std::fabs(seen.score.mean - expected.real()) < 5 * std::sqrt(seen.score.m2) / n);
    CHECK(std::fabs(seen.sine.mean - expected.imag()) < 5 * std::sqrt(seen.sine.m2) / n);
  }
}

TEST_CASE("Kernels in fp64 score as the reference does") {
  const auto cuda = fused_device();
  if (!cuda) return;
  PairBatch pairs{100, 64, {}, {}};
  std::mt19937_64 random(9);
  std::normal_distribution<double> normal;
  for (auto* values : {&pairs.queries, &pairs.keys}) {
    for (int i = 0; i < 6400; ++i) values->push_back(normal(random));
  }
  const KernelFormats all{FloatFormat::f64, FloatFormat::f64, FloatFormat::f64, FloatFormat::f64,
                          FloatFormat::f64};
  const KernelRows rows{all, 64, 100, pairs.queries.data(), pairs.keys.data()};
  const auto cpu = make_cpu_backend();
  const double root = 1 / std::sqrt(32.0);
  const auto phase =
      cuda->kernel_scores(PhaseBatch{rows, 32, false, root, root, std::pow(1000.0, 0.1)});
  const auto expected = cpu->scores(lower(parse_encoding("tapa"), 64), pairs, {1000});
  REQUIRE((phase && phase->score.size() == expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::fabs(phase->score[i] - expected[i]) < 1e-13);
  }
  RotaryBatch rotary{rows, {}, 1007, 7, 0.125};
  for (std::uint32_t d = 0; d < 32; ++d) {
    rotary.pairs.push_back({d, d + 32, std::pow(10000.0, -2.0 * d / 64), 1});
  }
  const auto rotated = cuda->kernel_scores(rotary);
  const auto exact = cpu->scores(lower(parse_encoding("rope"), 64), pairs, {1000});
  REQUIRE((rotated && rotated->score.size() == exact.size()));
  for (std::size_t i = 0; i < exact.size(); ++i) {
    CHECK(std::fabs(rotated->score[i] - exact[i]) < 1e-11);
  }
}

TEST_CASE("Scores and densities that the fused kernels do not know are left to others") {
  const auto plan = [](const Case& of) {
    return make_fused_plan(of.score(), of.law(), of.distances, 1).has_value();
  };
  CHECK(plan({"tapa", "gaussian:rho=0.25", 128, {1}}));
  CHECK(plan({"rope", "gaussian:rho=0.25", 64, {1}}));
  CHECK_FALSE(plan({"tapa", "gaussian:rho=0.25", 12, {1}}));  // parts of 6
  CHECK_FALSE(plan({"rope", "gaussian:rho=0.25", 12, {1}}));
  CHECK_FALSE(plan({"nope", "gaussian:rho=0.25", 64, {1}}));
  // the rotary kernels' float would show
  CHECK_FALSE(plan({"rope", "gaussian:mean_q=10,mean_k=10", 64, {1}}));
  CHECK_FALSE(plan({"rope", "gaussian:scale_q=1e20", 64, {1}}));
  CHECK_FALSE(plan({"partial:partial=0.5", "gaussian:rho=0.25", 64, {1}}));
}

TEST_CASE("Cosines, exponentials and normals of the device keep their bounds over every argument") {
  const auto cuda = fused_device();
  if (!cuda) return;
  const gpu::CosineErrors cosine = gpu::cosine_errors();
  CHECK(cosine.sine.error <= 6.5e-8);
  CHECK(cosine.cosine.error <= 6.5e-8);
  CHECK(cosine.special.error <= 3.5e-7);
  CHECK(cosine.polynomial.error <= 1.3e-6);
  const gpu::ExponentialErrors exponential = gpu::exponential_errors();
  CHECK(exponential.near_zero.error <= 1.5e-7);
  CHECK(exponential.weights.error <= 1.5e-7);
  const gpu::FarCosineErrors far = gpu::far_cosine_errors();
  CHECK(far.direct.error > 1e-3);  // what reduction is for
  CHECK(far.reduced.error <= 5e-7);
  const gpu::NormalErrors normal = gpu::normal_errors();
  CHECK(normal.finite);
  CHECK(normal.wave <= 4.5e-7);
  CHECK(normal.radius_from_tenth <= 2e-6);
  CHECK(std::fabs(normal.square_bias) <= 5e-8);
  CHECK(std::fabs(normal.fourth_bias) <= 1e-6);
  std::cout.precision(4);
  const auto show = [](const char* name, const gpu::LargestError& largest) {
    std::cout << name << ": " << largest.error << " at " << largest.at << "\n";
  };
  show("sincos_2pi, sine", cosine.sine);
  show("sincos_2pi, cosine", cosine.cosine);
  show("cos_turns_special", cosine.special);
  show("cos_turns_polynomial", cosine.polynomial);
  std::cout << "sum of the bits of sincos_2pi: " << cosine.sum_of_bits << "\n";
  show("exp2_approx in [-1/2, 1/2], relative", exponential.near_zero);
  show("exp2_approx in [-126, 6], relative", exponential.weights);
  show("cosine of 0 to 131071 radians, direct", far.direct);
  show("the same after reduction", far.reduced);
  std::cout << "normals: radius " << normal.radius << ", from 0.1 " << normal.radius_from_tenth
            << ", wave " << normal.wave << ", bias of squares " << normal.square_bias
            << ", of fourth powers " << normal.fourth_bias << ", mean square less 1 "
            << normal.exact_square - 1 << "\n";
}

TEST_CASE("Drawn moments of every density and score are those of the host's samples") {
  const auto cuda = fused_device();
  if (!cuda) return;
  const std::uint64_t end = 20 * kBlockSamples + 77;
  for (const DrawnCase& of : drawn_cases()) {
    INFO(of.encoding << " under " << of.density);
    const Encoding encoding = parse_encoding(of.encoding);
    const Density density = parse_density(of.density);
    const ScoreModel score = lower(encoding, of.head_dim);
    const auto sampler = cuda->drawn_sampler(score, density.law, encoding, of.distances, 7);
    REQUIRE(sampler);
    SamplingState whole, parts;
    sampler->add(0, end, whole);
    for (const auto& [from, to] :
         {std::pair{11 * kBlockSamples, end}, std::pair{std::uint64_t{0}, 3 * kBlockSamples},
          std::pair{3 * kBlockSamples, 11 * kBlockSamples}}) {
      sampler->add(from, to, parts);
    }
    CHECK(same_bits(whole, parts));
    const bool phase = std::holds_alternative<PhaseScore>(score);
    const Differences seen =
        compare(drawn_on_host(score, of, density, encoding, end), whole.total(), phase);
    CHECK(largest(seen) < 1e-9);
    std::cout << "drawn, " << of.encoding << " under " << of.density << ": " << largest(seen)
              << "\n";
  }
}

TEST_CASE("Drawn moments of tokens of a file are those of the host's pairs") {
  const auto cuda = fused_device();
  if (!cuda) return;
  const std::uint64_t end = 10 * kBlockSamples + 5;
  for (const char* pairs : {"all", "causal", "shuffled", "at-distance", "causal,bandwidth=0.1"}) {
    for (const char* name : {"tapa", "rope"}) {
      INFO(name << ", pairs=" << pairs);
      const Density density =
          parse_density(with_file("q=layers.0.q,k=layers.0.k,head=0,pairs=") + pairs);
      const Encoding encoding = parse_encoding(name);
      const DrawnCase of{name, density.spec, dictated_head_dim(density.law), {0, 1, 9, 30}};
      const ScoreModel score = lower(encoding, of.head_dim);
      const auto sampler = cuda->drawn_sampler(score, density.law, encoding, of.distances, 7);
      SamplingState state;
      sampler->add(0, end, state);
      const Differences seen = compare(drawn_on_host(score, of, density, encoding, end),
                                       state.total(), std::holds_alternative<PhaseScore>(score));
      CHECK(largest(seen) < 1e-9);
    }
  }
  const Density far =
      parse_density(with_file("q=layers.0.q,k=layers.0.k,head=0,pairs=at-distance"));
  const Encoding rope = parse_encoding("rope");
  CHECK_THROWS_AS(
      cuda->drawn_sampler(lower(rope, dictated_head_dim(far.law)), far.law, rope, {1ULL << 40}, 7),
      InputError);
}

TEST_CASE("Drawn moments of a general score are those of the host's samples") {
  const auto cuda = fused_device();
  if (!cuda) return;
  const std::uint32_t dim = 5;
  PhaseScore score;
  score.head_dim = dim;
  std::mt19937_64 random(4);
  std::normal_distribution<double> normal;
  for (std::uint32_t i = 0; i < dim; ++i) {
    for (std::uint32_t j = 0; j < dim; ++j) {
      score.amplitude.push_back({i, j, Wide(normal(random))});
      score.phase_bilinear.push_back({i, j, Wide(normal(random))});
    }
  }
  score.phase_linear.push_back({3, Wide(0.5)});
  score.alpha = ExactDecimal::parse("0.1", "alpha");
  for (const char* spec : {"laplace:mean_q=0.5", "gaussian:rho=0.25"}) {
    const Density density = parse_density(spec);
    const DrawnCase of{"nope", spec, dim};
    const auto sampler =
        cuda->drawn_sampler(score, density.law, parse_encoding("nope"), of.distances, 7);
    SamplingState state;
    sampler->add(0, 9000, state);
    const Differences seen = compare(
        drawn_on_host(score, of, density, parse_encoding("nope"), 9000), state.total(), true);
    CHECK(largest(seen) < 1e-9);
  }
}

TEST_CASE("Differences of scores on the device have the bits of the host's") {
  const auto cuda = fused_device();
  if (!cuda) return;
  for (const DrawnCase& of : drawn_cases()) {
    if (of.distances.size() != 4) continue;
    INFO(of.encoding << " under " << of.density);
    const Encoding encoding = parse_encoding(of.encoding);
    const Density density = parse_density(of.density);
    const ScoreModel score = lower(encoding, of.head_dim);
    const ScoreTables tables = make_score_tables(score, of.distances);
    const DensitySource source = make_density_source(density.law, encoding, of.head_dim, 7);
    constexpr std::uint64_t kFirst = 3 * kLanes, kCount = 40 * kLanes + 3;
    std::vector<std::uint32_t> near, far;
    for (std::uint32_t i = 0; i < kCount; ++i) {
      near.push_back(i % 4);
      far.push_back((i + i / 4) % 4);
    }
    std::vector<double> seen(kCount);
    cuda->differences(tables, density.law, encoding, 7)->fill(kFirst, near, far, seen.data());
    std::vector<double> x(2 * std::size_t{of.head_dim} * kLanes), one(2 * std::size_t{of.head_dim});
    std::size_t equal = 0;
    for (std::uint64_t i = 0; i < kCount; ++i) {
      if (i % kLanes == 0) {
        draw_lanes(source, block_kernels(SimdLevel::scalar), kFirst + i, 0, x.data());
      }
      for (std::size_t c = 0; c < one.size(); ++c) one[c] = x[c * kLanes + i % kLanes];
      double scores[4];
      std::visit(
          [&](const auto& t) {
            pair_scores(view(t), one.data(), one.data() + of.head_dim, 4, scores);
          },
          tables);
      equal += seen[i] == scores[near[i]] - scores[far[i]];
    }
    CHECK(equal == kCount);
  }
}
