// The fused attention against double precision on the CPU. Bound on the largest error: twice that
// of the same computation rounded to the io precision at every stage, plus twice what adding and
// taking away 0.3 in that precision does to the right result.
#include "gpu/attention/attention.hpp"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <cmath>
#include <cstring>
#include <iostream>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "catch.hpp"
#include "sim/density.hpp"
#include "sim/encoding.hpp"
#include "sim/errors.hpp"

using namespace tapalab;
using attention::Precision;
using attention::Problem;
using attention::Strides;

namespace {

bool device_missing() {
  int count = 0;
  if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return false;
  std::cout << "skipped: no CUDA device" << std::endl;
  return true;
}

struct Deleter {
  void operator()(void* p) const { cudaFree(p); }
};
using DeviceMemory = std::unique_ptr<void, Deleter>;

DeviceMemory allocate(std::size_t bytes) {
  void* p = nullptr;
  REQUIRE(cudaMalloc(&p, std::max<std::size_t>(bytes, 1)) == cudaSuccess);
  REQUIRE(cudaMemset(p, 0xFF, bytes) == cudaSuccess);  // NaN: every element must be written
  return DeviceMemory(p);
}
template <class T>
DeviceMemory upload(const std::vector<T>& values) {
  auto memory = allocate(values.size() * sizeof(T));
  REQUIRE(cudaMemcpy(memory.get(), values.data(), values.size() * sizeof(T),
                     cudaMemcpyHostToDevice) == cudaSuccess);
  return memory;
}
template <class T>
std::vector<T> download(const void* memory, std::size_t count) {
  std::vector<T> values(count);
  REQUIRE(cudaMemcpy(values.data(), memory, count * sizeof(T), cudaMemcpyDeviceToHost) ==
          cudaSuccess);
  return values;
}

enum class Input { random, channel_mean, quarter_turns, rising, real };

struct Case {
  std::int64_t rows, keys;
  bool causal = true;
  std::int64_t offset = 0;
  int head_dim = 128, amplitude_dim = 64;
  int heads = 1, key_heads = 1, batch = 1;
  bool rows_outside_heads = false;  // bshd rather than bhsd
  double alpha = 0.1;
  PhaseLaw law = PhaseLaw::power;
  Input input = Input::random;
  int layer = 0;  // of real inputs: 0, 3 or 7
};

template <class Element>
double rounded(double x) {
  return static_cast<double>(static_cast<float>(Element(static_cast<float>(x))));
}

// Queries or keys of a trained model, head by head, of its last `length` tokens. The file holds no
// values: keys of another layer stand in their place.
template <class Element>
std::vector<Element> activations(const Case& c, int heads, std::int64_t length, unsigned seed) {
  const int layer = seed < 3 ? c.layer : c.layer == 3 ? 7 : 3;
  std::vector<Element> values;
  for (int head = 0; head < heads; ++head) {
    const std::string name = "layers." + std::to_string(layer);
    const Density density = parse_density(std::string("empirical:file=") + TAPALAB_TEST_DATA +
                                          "/qk.safetensors,q=" + name + ".q,k=" + name +
                                          ".k,head=" + std::to_string(head));
    const TokenTable& table = *std::get<EmpiricalDensity>(density.law).table;
    REQUIRE(table.head_dim == static_cast<std::uint32_t>(c.head_dim));
    const std::vector<double>& all = seed == 1 ? table.queries : table.keys;
    const auto count = static_cast<std::size_t>(length * c.head_dim);
    REQUIRE(all.size() >= count);
    for (std::size_t i = all.size() - count; i < all.size(); ++i) {
      values.push_back(Element(static_cast<float>(all[i])));
    }
  }
  return values;
}

template <class Element>
std::vector<Element> numbers(const Case& c, int heads, std::int64_t length, unsigned seed) {
  if (c.input == Input::real) return activations<Element>(c, heads, length, seed);
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Element> values(static_cast<std::size_t>(c.batch * heads * length * c.head_dim));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const int column = static_cast<int>(i % c.head_dim);
    float x = normal(random);
    if (c.input == Input::channel_mean && column % 16 == 3) x += 7.3f;
    // The kernels go through the keys from the last to the first.
    if (c.input == Input::rising && seed < 3) {
      const auto row = static_cast<double>(static_cast<std::int64_t>(i) / c.head_dim % length);
      x *= seed == 1 ? 3.0f : static_cast<float>(3.0 - 2.8 * row / static_cast<double>(length));
    }
    // One phase coordinate alone: products of 1/4 and 1/2 turn in alternate keys.
    if (c.input == Input::quarter_turns && column >= c.amplitude_dim) {
      const auto dims = static_cast<float>(c.head_dim - c.amplitude_dim);
      const bool odd = i / c.head_dim % 2 == 1;
      x = column > c.amplitude_dim ? 0.0f : seed == 1 ? 1.0f : std::sqrt(dims) / (odd ? 4 : 2);
    }
    values[i] = Element(x);
  }
  return values;
}

// One row of output and its log-sum-exp; Io: every stage rounded to Element.
template <class Element, bool Io>
double reference_row(const Case& c, const float* q, const float* k, const float* v,
                     std::int64_t stride, std::int64_t row, std::vector<double>& out) {
  const auto round = [](double x) { return Io ? rounded<Element>(x) : x; };
  std::vector<double> score(static_cast<std::size_t>(c.keys));
  const int split = c.amplitude_dim > 0 ? c.amplitude_dim : c.head_dim;
  double top = -std::numeric_limits<double>::infinity();
  for (std::int64_t n = 0; n < c.keys; ++n) {
    double a = 0.0, phi = 0.0;
    for (int d = 0; d < split; ++d) a += double(q[d]) * k[n * stride + d];
    for (int d = split; d < c.head_dim; ++d) phi += double(q[d]) * k[n * stride + d];
    a = round(a / std::sqrt(double(split)));
    if (c.amplitude_dim > 0) {
      const double distance = std::fabs(double(row + c.offset - n));
      const double scale =
          round(c.law == PhaseLaw::linear ? c.alpha * distance : std::pow(distance, c.alpha));
      phi = round(round(phi / std::sqrt(double(c.head_dim - split))) * scale);
      a = round(a * round(std::cos(2 * M_PI * (phi - std::round(phi)))));
    }
    if (c.causal && n > row + c.offset) a = -std::numeric_limits<double>::infinity();
    score[n] = a;
    top = std::max(top, a);
  }
  out.assign(static_cast<std::size_t>(c.head_dim), 0.0);
  if (std::isinf(top)) return top;
  double sum = 0.0;
  for (double& s : score) sum += s = std::exp(s - top);
  for (std::int64_t n = 0; n < c.keys; ++n)
    if (score[n] > 0.0)
      for (int d = 0; d < c.head_dim; ++d)
        out[d] += round(score[n] / sum) * double(v[n * stride + d]);
  for (double& x : out) x = round(x);
  return top + std::log(sum);
}

template <class Element>
void compare(const Case& c) {
  const Precision precision = std::is_same_v<Element, __half> ? Precision::fp16 : Precision::bf16;
  INFO((precision == Precision::fp16 ? "fp16" : "bf16")
       << " rows " << c.rows << " keys " << c.keys << " head_dim " << c.head_dim << " amplitude "
       << c.amplitude_dim << " causal " << c.causal << " offset " << c.offset);
  const auto q = numbers<Element>(c, c.heads, c.rows, 1);
  const auto k = numbers<Element>(c, c.key_heads, c.keys, 2);
  const auto v = numbers<Element>(c, c.key_heads, c.keys, 3);
  const auto strides = [&](int heads, std::int64_t length) {
    const std::int64_t d = c.head_dim;
    return c.rows_outside_heads ? Strides{length * heads * d, d, heads * d}
                                : Strides{length * heads * d, length * d, d};
  };
  const auto device_q = upload(q), device_k = upload(k), device_v = upload(v);
  const auto device_out = allocate(q.size() * sizeof(Element));
  const std::size_t out_rows = static_cast<std::size_t>(c.batch * c.heads * c.rows);
  const auto device_lse = allocate(out_rows * sizeof(float));
  Problem p;
  p.query = device_q.get();
  p.key = device_k.get();
  p.value = device_v.get();
  p.out = device_out.get();
  p.log_sum_exp = static_cast<float*>(device_lse.get());
  p.query_strides = p.out_strides = strides(c.heads, c.rows);
  p.key_strides = p.value_strides = strides(c.key_heads, c.keys);
  p.precision = precision;
  p.batch = c.batch;
  p.heads = c.heads;
  p.key_heads = c.key_heads;
  p.rows = c.rows;
  p.keys = c.keys;
  p.head_dim = c.head_dim;
  p.amplitude_dim = c.amplitude_dim;
  p.offset = c.offset;
  p.causal = c.causal;
  p.alpha = c.alpha;
  p.law = c.law;
  const auto workspace = allocate(attention::workspace_bytes(p));
  attention::prepare(p, workspace.get(), nullptr);
  attention::forward(p, workspace.get(), nullptr);
  REQUIRE(cudaDeviceSynchronize() == cudaSuccess);
  const auto out = download<Element>(device_out.get(), q.size());
  const auto lse = download<float>(device_lse.get(), out_rows);
  attention::forward(p, workspace.get(), nullptr);
  const auto again = download<Element>(device_out.get(), q.size());
  CHECK(std::memcmp(out.data(), again.data(), out.size() * sizeof(Element)) == 0);

  const std::vector<float> fq(q.begin(), q.end()), fk(k.begin(), k.end()), fv(v.begin(), v.end());
  double worst = 0.0, worst_io = 0.0, worst_step = 0.0, worst_lse = 0.0;
  std::vector<double> exact, io;
  for (std::size_t r = 0; r < out_rows; ++r) {
    const auto row = static_cast<std::int64_t>(r % c.rows);
    const auto head = static_cast<std::int64_t>(r / c.rows % c.heads);
    const auto batch = static_cast<std::int64_t>(r / c.rows / c.heads);
    const auto at =
        batch * p.query_strides.batch + head * p.query_strides.head + row * p.query_strides.row;
    const auto key_at =
        batch * p.key_strides.batch + head / (c.heads / c.key_heads) * p.key_strides.head;
    const double log_sum = reference_row<Element, false>(c, &fq[at], &fk[key_at], &fv[key_at],
                                                         p.key_strides.row, row, exact);
    reference_row<Element, true>(c, &fq[at], &fk[key_at], &fv[key_at], p.key_strides.row, row, io);
    for (int d = 0; d < c.head_dim; ++d) {
      const double x = static_cast<float>(out[at + d]);
      if (!std::isfinite(x)) FAIL("not finite at row " << row << " column " << d);
      worst = std::max(worst, std::fabs(x - exact[d]));
      worst_io = std::max(worst_io, std::fabs(io[d] - exact[d]));
      const double cast = rounded<Element>(exact[d]);
      worst_step = std::max(worst_step,
                            std::fabs(rounded<Element>(rounded<Element>(cast + 0.3) - 0.3) - cast));
    }
    if (std::isinf(log_sum))
      CHECK(lse[r] == -std::numeric_limits<float>::infinity());
    else
      worst_lse = std::max(worst_lse, std::fabs(lse[r] - log_sum) / (1.0 + std::fabs(log_sum)));
  }
  CHECK(worst <= 2 * worst_io + 2 * worst_step);
  if (c.input == Input::real) {
    std::cout << "attention on layer " << c.layer << ", "
              << (precision == Precision::fp16 ? "fp16" : "bf16") << ", alpha " << c.alpha
              << ": error " << worst << ", of the io precision " << worst_io << ", step "
              << worst_step << ", log-sum-exp " << worst_lse << "\n";
  }
  if (c.input == Input::random && c.law == PhaseLaw::power) CHECK(worst_lse <= 2e-5);
}

void compare_both(const Case& c) {
  compare<__nv_bfloat16>(c);
  compare<__half>(c);
}

}  // namespace

TEST_CASE("attention holds its error bound for every head dimension and split") {
  if (device_missing()) return;
  for (const int head_dim : {64, 128, 256})
    for (const int quarters : {0, 1, 2, 3})
      for (const bool causal : {false, true})
        compare_both({.rows = 150,
                      .keys = 150,
                      .causal = causal,
                      .head_dim = head_dim,
                      .amplitude_dim = quarters * head_dim / 4});
}

TEST_CASE("attention holds its error bound at ragged and tiny lengths") {
  if (device_missing()) return;
  for (const bool causal : {false, true}) {
    compare_both({.rows = 1, .keys = 1, .causal = causal});
    compare_both({.rows = 113, .keys = 203, .causal = causal, .offset = 90});
    compare_both({.rows = 1, .keys = 500, .causal = causal, .offset = 499});
    compare<__nv_bfloat16>({.rows = 1023, .keys = 1024, .causal = causal, .offset = 1});
  }
}

TEST_CASE("attention shares key heads and reads either layout") {
  if (device_missing()) return;
  for (const bool bshd : {false, true})
    compare_both({.rows = 140,
                  .keys = 260,
                  .offset = 120,
                  .heads = 6,
                  .key_heads = 2,
                  .batch = 2,
                  .rows_outside_heads = bshd});
}

TEST_CASE("attention holds its error bound on inputs with large means and at sharp phases") {
  if (device_missing()) return;
  compare_both({.rows = 300, .keys = 300, .input = Input::channel_mean});
  compare_both({.rows = 300, .keys = 300, .alpha = 1e-9, .input = Input::quarter_turns});
}

TEST_CASE("attention holds its error bound where ever larger scores come to light") {
  if (device_missing()) return;
  for (const bool causal : {false, true}) {
    compare_both(
        {.rows = 130, .keys = 1200, .causal = causal, .offset = 1070, .input = Input::rising});
  }
}

TEST_CASE("attention holds its error bound on queries and keys of a trained model") {
  if (device_missing()) return;
  for (const int layer : {0, 3, 7}) {
    compare_both({.rows = 200,
                  .keys = 2048,
                  .offset = 1848,
                  .head_dim = 64,
                  .amplitude_dim = 32,
                  .heads = 4,
                  .key_heads = 4,
                  .input = Input::real,
                  .layer = layer});
    compare_both({.rows = 130,
                  .keys = 130,
                  .causal = false,
                  .head_dim = 64,
                  .amplitude_dim = 16,
                  .heads = 4,
                  .key_heads = 4,
                  .alpha = 0.5,
                  .input = Input::real,
                  .layer = layer});
  }
}

TEST_CASE("attention holds its error bound where phases span many turns") {
  if (device_missing()) return;
  compare_both({.rows = 300, .keys = 1500, .offset = 1200, .law = PhaseLaw::linear});
  compare_both({.rows = 40, .keys = 300, .offset = 5000, .alpha = 0.6});
}

TEST_CASE("rows that see no key give 0 and log-sum-exp -inf") {
  if (device_missing()) return;
  compare_both({.rows = 300, .keys = 300, .offset = -150});
  compare_both({.rows = 40, .keys = 40, .offset = -40, .head_dim = 80, .amplitude_dim = 30});
}

TEST_CASE("attention computes rows of a million-token sequence") {
  if (device_missing()) return;
  const std::int64_t keys = std::int64_t{1} << 20;
  compare<__nv_bfloat16>(
      {.rows = 3, .keys = keys, .offset = keys - 3, .head_dim = 64, .amplitude_dim = 32});
}

TEST_CASE("the portable kernel takes any split") {
  if (device_missing()) return;
  compare_both(
      {.rows = 100, .keys = 170, .offset = 70, .head_dim = 80, .amplitude_dim = 30, .heads = 2});
  compare_both({.rows = 33, .keys = 40, .causal = false, .head_dim = 7, .amplitude_dim = 3});
}

TEST_CASE("malformed attention problems are refused by name") {
  Problem p;
  p.rows = p.keys = 16;
  CHECK(attention::workspace_bytes(p) > 0);
  p.heads = 6;
  p.key_heads = 4;
  CHECK_THROWS_AS(attention::workspace_bytes(p), InputError);
  p.key_heads = 3;
  p.amplitude_dim = 128;
  CHECK_THROWS_AS(attention::workspace_bytes(p), InputError);
  p.amplitude_dim = 64;
  p.alpha = 0.0;
  CHECK_THROWS_AS(attention::workspace_bytes(p), InputError);
}
