// Kernels in low precision: their exact reference against wide arithmetic, their bounds against
// what is observed, and faults that real kernels have had.
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "analysis/crosscheck/horizon.hpp"
#include "analysis/crosscheck/phase_kernel.hpp"
#include "analysis/crosscheck/rotary_kernel.hpp"
#include "analysis/crosscheck/samples.hpp"
#include "analysis/crosscheck/scores.hpp"
#include "catch.hpp"
#include "sim/errors.hpp"

using namespace tapalab;

namespace {

CrosscheckTask task_of(const std::string& encoding, FloatFormat dtype, const char* distances,
                       std::size_t samples) {
  CrosscheckTask task;
  task.encoding = parse_encoding(encoding);
  task.density = parse_density("gaussian:rho=0.25");
  task.distances = parse_distances(distances);
  task.dtype = dtype;
  task.precisions = preset(dtype);
  task.samples = samples;
  return task;
}

PairSamples samples_of(const Encoding& encoding, FloatFormat io, std::size_t count) {
  return PairDrawer(parse_density("gaussian:rho=0.25"), encoding, 128, 5, io).draw(0, count);
}

Wide dot(const PairSamples& samples, std::size_t row, std::size_t begin, std::size_t end) {
  Wide sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    sum += Wide(samples.q[row * 128 + i]) * Wide(samples.k[row * 128 + i]);
  }
  return sum;
}

// exact score that `sample` was compared with
Wide reference_of(const ScoreSample& sample) { return Wide(sample.value) - Wide(sample.error); }

RotaryScore rope(const char* spec, std::uint32_t head_dim) {
  return std::get<RotaryScore>(lower(parse_encoding(spec), head_dim));
}

}  // namespace

TEST_CASE("Phase references agree with wide arithmetic, the linear law up to 2^63-1 included") {
  for (const char* spec : {"tapa", "tapa:law=linear"}) {
    for (const FloatFormat io : {FloatFormat::bf16, FloatFormat::f32}) {
      INFO(spec);
      INFO(precision_name(io));
      const Encoding encoding = parse_encoding(spec);
      const auto model = std::get<PhaseScore>(lower(encoding, 128));
      const PairSamples samples = samples_of(encoding, io, 100);
      const PhaseKernel kernel(model, preset(io));
      Wide worst = 0, worst_far = 0;
      for (const std::uint64_t distance :
           {std::uint64_t{1}, std::uint64_t{1000}, std::uint64_t{1} << 40,
            (std::uint64_t{1} << 40) + 12345, (std::uint64_t{1} << 63) - 1}) {
        const auto scale = kernel.scale(distance);
        const Wide s = model.phase_scale(distance);
        for (std::size_t row = 0; row < samples.count; ++row) {
          const auto sample =
              kernel.score(kernel.features(&samples.q[row * 128], &samples.k[row * 128]), scale);
          const Wide turns = s * dot(samples, row, 64, 128) / 8;
          const Wide exact = dot(samples, row, 0, 64) / 8 * cos_turns(turns);
          Wide& largest = distance >> 60 != 0 ? worst_far : worst;
          largest = std::max(largest, Wide(abs(exact - reference_of(sample))));
          CHECK(sample.phase_error <= 0.5);
        }
      }
      // |a| <= 5 times the error of the reduced phase in radians and of the cosine
      CHECK(worst < Wide(1e-14));
      CHECK(worst_far < Wide(1e-10));  // 2^-102 of 4e18 turns
    }
  }
}

TEST_CASE("Rotary references agree with wide arithmetic") {
  const Encoding encoding = parse_encoding("rope");
  const RotaryScore model = rope("rope", 128);
  const RotaryKernel kernel(model, preset(FloatFormat::f32));
  const PairSamples samples = samples_of(encoding, FloatFormat::f32, 100);
  RotaryKernel::Workspace work;
  Wide worst = 0;
  for (const std::uint64_t distance :
       {std::uint64_t{3}, std::uint64_t{100003}, (std::uint64_t{1} << 40) + 77}) {
    const auto place = kernel.place(distance, 12345);
    std::vector<WideComplex> turned;
    for (const RotaryPair& pair : model.pairs) {
      const Wide turns = Wide(distance) * pair.frequency_turns;
      turned.push_back({cos_turns(turns), sin_turns(turns)});
    }
    for (std::size_t row = 0; row < samples.count; ++row) {
      const double* q = &samples.q[row * 128];
      const double* k = &samples.k[row * 128];
      Wide exact = 0;
      for (std::size_t i = 0; i < model.pairs.size(); ++i) {
        const RotaryPair& p = model.pairs[i];
        exact += (Wide(q[p.first]) * k[p.first] + Wide(q[p.second]) * k[p.second]) * turned[i].re;
        exact += (Wide(q[p.first]) * k[p.second] - Wide(q[p.second]) * k[p.first]) * turned[i].im;
      }
      const ScoreSample sample = kernel.score(q, k, place, work);
      worst = std::max(worst, Wide(abs(exact / sqrt(Wide(128)) - reference_of(sample))));
    }
  }
  CHECK(worst < Wide(1e-15));
}

TEST_CASE("Errors stay below their bounds, and bounds below ten times the errors, up to 2^40") {
  for (const char* encoding :
       {"rope:base=10000", "rope:base=500000", "yarn:factor=16,original=4096,base=10000",
        "tapa:alpha=0.1", "tapa:alpha=0.1,law=linear", "tapa-linear"}) {
    for (const FloatFormat dtype : {FloatFormat::f32, FloatFormat::bf16, FloatFormat::f16}) {
      INFO(encoding);
      INFO(precision_name(dtype));
      // No powers of two but the ends: those have an exact place in every format. More samples
      // bring the largest error seen nearer to what is possible; rotary phases do not depend on
      // them.
      const bool rotary = is_rotary(parse_encoding(encoding).law);
      const ScoreCheck check =
          check_scores(task_of(encoding, dtype, "log:1:2^40:22", rotary ? 800 : 4000));
      CHECK(check.holds == (dtype != FloatFormat::f16));  // some distances have no number there
      REQUIRE(check.points.size() == 22);
      std::size_t finite = 0;
      for (const CrosscheckPoint& point : check.points) {
        INFO(point.distance);
        CHECK(point.phase_error <= point.phase_bound);
        CHECK(point.phase_bound <= 10 * point.phase_error);
        CHECK(point.phase_bound <= point.phase_worst_case * (1 + 1e-9) + 1e-15);
        if (point.score.count == 0) continue;
        ++finite;
        CHECK(point.score.max <= point.bound);
        CHECK(point.bound <= 10 * point.score.max);
        double sum = 0;
        for (const double part : point.budget.part) sum += part;
        CHECK(sum == Approx(point.bound).epsilon(1e-9));
      }
      // fp16 ends at 65504; the other types hold every distance.
      CHECK(finite == (dtype == FloatFormat::f16 ? 9u : 22u));
    }
  }
}

TEST_CASE("No distance of a size has a larger phase bound than the worst case says") {
  std::mt19937_64 random(3);
  for (const char* encoding : {"rope", "tapa", "tapa:law=linear"}) {
    for (const FloatFormat dtype : {FloatFormat::f32, FloatFormat::bf16, FloatFormat::f16}) {
      INFO(encoding);
      INFO(precision_name(dtype));
      std::string distances = "1";
      for (int bits = 1; bits < 15; ++bits) {
        distances += "," + std::to_string((1u << bits) + random() % (1u << bits));
      }
      CrosscheckTask task = task_of(encoding, dtype, distances.c_str(), 200);
      task.head_dim = 64;
      double largest_ratio = 0;
      for (const CrosscheckPoint& point : check_scores(task).points) {
        INFO(point.distance);
        CHECK(point.phase_bound <= point.phase_worst_case * (1 + 1e-9) + 1e-15);
        largest_ratio = std::max(largest_ratio, point.phase_worst_case / point.phase_bound);
      }
      CHECK(largest_ratio < 10);
    }
  }
}

TEST_CASE("An fp16 rotary table is off by 0.78, as gpt-neox saw; position 1857 of pair 1 is 1045") {
  const RotaryScore model = rope("rope:base=10000", 32);
  // torch: frequencies, positions and angles in fp16, cosines of them in fp32, stored in fp16
  const Precisions half{FloatFormat::f16, FloatFormat::f32, FloatFormat::f16, FloatFormat::f16,
                        FloatFormat::f32};
  const RotaryKernel kernel(model, half);
  double worst = 0;
  for (std::uint64_t position = 0; position < 2048; ++position) {
    for (std::size_t pair = 0; pair < 16; ++pair) {
      const double frequency = std::pow(10000.0, -static_cast<double>(pair) / 16);
      const double exact = std::cos(static_cast<double>(position) * frequency);
      worst = std::max(worst, std::abs(kernel.angle(pair, position).cos - exact));
    }
  }
  CHECK(worst == Approx(0.7819).margin(5e-4));
  const auto angle = kernel.angle(1, 1857);
  CHECK(angle.r == Approx(std::remainder(1045.0, 2 * 3.141592653589793)).margin(1e-6));
  CHECK(angle.cos - std::cos(1044.2678) ==
        Approx(std::cos(1045.0) - std::cos(1044.2678)).margin(1e-3));
  // and in fp32 nothing of this
  const RotaryKernel single(model, preset(FloatFormat::f32));
  CHECK(single.angle(1, 1857).cos ==
        Approx(std::cos(1857 * std::pow(10000.0, -1.0 / 16))).margin(1e-4));
}

TEST_CASE("Positions in bf16 and fp16 lose integers above 256 and 2048, and bounds say so") {
  const RotaryScore model = rope("rope", 128);
  for (const auto& [dtype, last] :
       {std::pair{FloatFormat::bf16, 256u}, std::pair{FloatFormat::f16, 2048u}}) {
    INFO(precision_name(dtype));
    const RotaryKernel kernel(model, preset(dtype));
    CHECK(kernel.angle(0, last).phase_error == 0);  // frequency 1: the angle is the position
    CHECK(kernel.angle(0, last + 1).phase_error == 1);
    CHECK(kernel.worst_phase(last, 0) < kernel.worst_phase(last + 1, 0));
    CHECK(kernel.place(last + 1, 0).phase_error >= 0.15);  // one radian is 0.159 turns
  }
  // In fp32 positions past the range of int16 are what they are.
  const RotaryKernel single(model, preset(FloatFormat::f32));
  for (const std::uint64_t position : {32767u, 32768u, 40000u, 65536u}) {
    CHECK(single.place(position, 0).phase_error < 1e-3);
  }
}

TEST_CASE("Frequencies in bf16 ruin most outputs at position 4095") {
  const RotaryScore model = rope("rope", 128);
  // positions and angles in fp32: only the frequencies' error is counted
  const RotaryKernel kernel(model, preset(FloatFormat::bf16));
  std::size_t wrong = 0;
  double worst = 0;
  for (std::size_t pair = 0; pair < 64; ++pair) {
    const double off = kernel.angle(pair, 4095).scale_error;
    const double exact = std::pow(10000.0, -static_cast<double>(pair) / 64);
    const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(exact));
    const std::uint32_t upper = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000u;
    const double stored = std::bit_cast<float>(upper);
    CHECK(off == Approx(4095 * std::abs(stored - exact)).epsilon(1e-3).margin(1e-6));
    for (const double difference : {std::cos(4095 * stored) - std::cos(4095 * exact),
                                    std::sin(4095 * stored) - std::sin(4095 * exact)}) {
      wrong += std::abs(difference) > 0.01;
      worst = std::max(worst, std::abs(difference));
      CHECK(std::abs(difference) <= 2 * std::sin(std::min(off, 3.1415927) / 2) + 1e-5);
    }
  }
  CHECK(wrong >= 72);
  CHECK(worst > 0.83);
}

TEST_CASE("With an exact angle, reduction first keeps fp32 cosines to 1e-7 at any position") {
  const RotaryScore model = rope("rope", 128);
  Precisions precisions = preset(FloatFormat::f32);
  const RotaryKernel plain(model, precisions);
  precisions.phase = FloatFormat::f64;
  const RotaryKernel exact_angle(model, precisions);
  for (const std::uint64_t position : {39001u, 52001u, 131071u, 17000001u}) {
    INFO(position);
    double worst = 0, worst_plain = 0;
    for (std::size_t pair = 0; pair < 64; ++pair) {
      const Wide turns = Wide(position) * model.pairs[pair].frequency_turns;
      const double exact = static_cast<double>(cos_turns(turns));
      const double cosine = exact_angle.angle(pair, position).cos;
      CHECK(std::abs(cosine) <= 1);
      worst = std::max(worst, std::abs(cosine - exact));
      worst_plain = std::max(worst_plain, std::abs(plain.angle(pair, position).cos - exact));
    }
    CHECK(worst < 2.5e-7);
    CHECK(worst_plain > 1e-4);
  }
}

TEST_CASE("bf16 breaks the relativity of RoPE, the more the larger the offset; TAPA keeps it") {
  const auto shifts = [](const char* encoding, FloatFormat dtype) {
    CrosscheckTask task = task_of(encoding, dtype, "64", 500);
    task.offsets = {0, 1 << 10, 1 << 20};
    const ScoreCheck check = check_scores(task);
    CHECK(check.holds);
    std::vector<double> result;
    for (const CrosscheckPoint& point : check.points) result.push_back(point.shift.value());
    return result;
  };
  const auto coarse = shifts("rope", FloatFormat::bf16);
  const auto single = shifts("rope", FloatFormat::f32);
  const auto fine = shifts("rope", FloatFormat::f64);
  REQUIRE(coarse.size() == 3);
  CHECK(coarse[0] == 0);
  CHECK(coarse[1] > 0.5);
  CHECK(single[1] > 1e-6);
  CHECK(single[1] < 1e-3);
  CHECK(single[2] > 30 * single[1]);
  CHECK(fine[2] < 1e-8);
  for (const double shift : shifts("tapa", FloatFormat::bf16)) CHECK(shift == 0);
}

TEST_CASE("The horizon is where a growing bound meets the limit") {
  const auto step = [](std::uint64_t distance) { return distance <= 1000 ? 0.01 : 0.02; };
  const Horizon horizon = find_horizon(0.01, step);
  CHECK(horizon.safe == std::uint64_t{1000});
  CHECK(horizon.next == std::uint64_t{1001});
  CHECK_FALSE(find_horizon(0.001, step).safe);
  const Horizon all = find_horizon(0.5, step);
  CHECK(all.safe == (std::uint64_t{1} << 63) - 1);
  CHECK_FALSE(all.next);
}

TEST_CASE("Horizons of RoPE: bf16 within hundreds of tokens, fp32 within hundreds of thousands") {
  for (const auto& [dtype, low, high] :
       {std::tuple{FloatFormat::bf16, 4u, 100u}, std::tuple{FloatFormat::f16, 40u, 1000u},
        std::tuple{FloatFormat::f32, 300000u, 3000000u}}) {
    INFO(precision_name(dtype));
    CrosscheckTask task = task_of("rope:base=500000", dtype, "1", 100);
    task.horizon = 0.01;
    const ScoreCheck check = check_scores(task);
    const auto horizon = check.horizon.value();
    REQUIRE(horizon.safe);
    CHECK(*horizon.safe >= low);
    CHECK(*horizon.safe <= high);
    CHECK(*horizon.next == *horizon.safe + 1);
  }
}

TEST_CASE("Threads change nothing, and non-finite scores are counted apart") {
  CrosscheckTask task = task_of("rope", FloatFormat::f16, "1000,70000", 600);
  task.threads = 1;
  const ScoreCheck one = check_scores(task);
  task.threads = 3;
  const ScoreCheck three = check_scores(task);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(one.points[i].score.max == three.points[i].score.max);
    CHECK(one.points[i].score.mean == three.points[i].score.mean);
    CHECK(one.points[i].bound == three.points[i].bound);
  }
  CHECK(one.points[0].score.non_finite == 0);
  CHECK(one.points[1].score.non_finite == 600);
  CHECK(one.points[1].score.count == 0);
  CHECK(one.points[1].phase_error == 0.5);
  const ErrorSummary summary = summarise({1.0, -3.0, std::nan(""), 2.0});
  CHECK(summary.max == 3);
  CHECK(summary.worst == 1);
  CHECK(summary.non_finite == 1);
  CHECK(summary.mean == Approx(0));
  CHECK(summary.rms == Approx(std::sqrt(14.0 / 3)));
}

TEST_CASE("Kernels that do not exist here are refused by name") {
  CHECK_THROWS_AS(check_scores(task_of("tapa:share=0.3", FloatFormat::f32, "1", 16)), InputError);
  CrosscheckTask task = task_of("rope", FloatFormat::f32, "2^62", 16);
  task.offsets = {std::uint64_t{1} << 62};
  CHECK_THROWS_AS(check_scores(task), InputError);
}
