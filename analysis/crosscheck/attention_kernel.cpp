#include "analysis/crosscheck/attention_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/crosscheck/exact_sum.hpp"
#include "analysis/crosscheck/phase_kernel.hpp"
#include "analysis/crosscheck/rotary_kernel.hpp"
#include "analysis/crosscheck/tiles.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/numbers/two_pi.hpp"
#include "sim/score.hpp"

namespace tapalab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr ExactPair kInverseTwoPi{0x1.45f306dc9c883p-3, -0x1.6b01ec5417056p-57};

// Numbers of one format that vector code reads: as floats for fp32, else as doubles.
class Numbers {
 public:
  Numbers(FloatFormat format, std::size_t size) : narrow_(format == FloatFormat::f32) {
    if (narrow_) {
      floats_.resize(size);
    } else {
      doubles_.resize(size);
    }
  }
  void set(std::size_t i, double x) {
    if (narrow_) {
      floats_[i] = static_cast<float>(x);
    } else {
      doubles_[i] = x;
    }
  }
  double operator[](std::size_t i) const { return narrow_ ? floats_[i] : doubles_[i]; }
  const float* floats() const { return floats_.data(); }
  float* floats() { return floats_.data(); }
  const double* doubles() const { return doubles_.data(); }
  double* doubles() { return doubles_.data(); }

 private:
  bool narrow_;
  std::vector<float> floats_;
  std::vector<double> doubles_;
};

// kTile dot products of query coordinates begin .. begin + dims - 1 at `query` with keys stored by
// coordinate.
void dot_tile(FloatFormat format, const Numbers& queries, std::size_t query, const Numbers& keys,
              std::size_t key, std::size_t stride, std::size_t dims, double* dot) {
  if (format == FloatFormat::f32) {
    float result[kTile];
    tile_kernels<float>(simd_level())
        .dots(queries.floats() + query, keys.floats() + key, stride, dims, result);
    std::copy(result, result + kTile, dot);
  } else if (format == FloatFormat::f64) {
    tile_kernels<double>(simd_level())
        .dots(queries.doubles() + query, keys.doubles() + key, stride, dims, dot);
  } else {
    for (std::size_t j = 0; j < kTile; ++j) {
      dot[j] = 0;
      for (std::size_t i = 0; i < dims; ++i) {
        dot[j] = fused_multiply_add(format, queries[query + i], keys[key + i * stride + j], dot[j])
                     .value;
      }
    }
  }
}

void weigh_tile(FloatFormat format, const double* weights, const Numbers& values, std::size_t first,
                std::size_t count, std::size_t dims, Numbers& out, std::size_t at) {
  if (format == FloatFormat::f32) {
    float narrow[kTile];
    std::transform(weights, weights + count, narrow,
                   [](double w) { return static_cast<float>(w); });
    tile_kernels<float>(simd_level())
        .weigh(narrow, values.floats() + first * dims, count, dims, out.floats() + at);
  } else if (format == FloatFormat::f64) {
    tile_kernels<double>(simd_level())
        .weigh(weights, values.doubles() + first * dims, count, dims, out.doubles() + at);
  } else {
    for (std::size_t i = 0; i < dims; ++i) {
      double sum = out[at + i];
      for (std::size_t j = 0; j < count; ++j) {
        sum = fused_multiply_add(format, weights[j], values[(first + j) * dims + i], sum).value;
      }
      out.set(at + i, sum);
    }
  }
}

// Softmax and the weighted sum of values; where logits come from is left to the encoding.
class SoftmaxKernel : public AttentionKernel {
 public:
  SoftmaxKernel(const StageFormats& formats, std::uint32_t head_dim, std::size_t rows,
                std::size_t block)
      : formats_(formats),
        dim_(head_dim),
        padded_((head_dim + kPadding - 1) / kPadding * kPadding),
        block_(block),
        positions_(rows),
        largest_(rows, -kInfinity),
        sum_(rows, 0.0),
        values_(formats.softmax, block * padded_),
        out_(formats.softmax, rows * padded_) {}

  void set_query(std::size_t row, std::uint64_t position, const double* query) override {
    positions_[row] = position;
    store_query(row, query);
  }

  void prepare(const KeyBlock& block, std::size_t begin, std::size_t end) override {
    for (std::size_t j = begin; j < end; ++j) {
      for (std::size_t i = 0; i < dim_; ++i) {
        values_.set(j * padded_ + i, block.values[j * dim_ + i]);
      }
    }
    store_keys(block, begin, end);
  }

  void attend(const KeyBlock& block, std::size_t row) override {
    const std::uint64_t position = positions_[row];
    if (position < block.first) return;
    const auto visible =
        static_cast<std::size_t>(std::min<std::uint64_t>(block.count, position - block.first + 1));
    for (std::size_t begin = 0; begin < visible; begin += kTile) {
      const std::size_t count = std::min(kTile, visible - begin);
      double logit[kTile];
      logits(block, row, position, begin, count, logit);
      for (std::size_t j = 0; j < count; ++j) logit[j] = round_to(formats_.logits, logit[j]);
      take_in(row, begin, count, logit);
    }
  }

  std::vector<double> output(std::size_t row) const override {
    std::vector<double> result(dim_);
    for (std::size_t i = 0; i < dim_; ++i) {
      const double quotient = round_to(formats_.softmax, out_[row * padded_ + i] / sum_[row]);
      result[i] = round_to(formats_.output, quotient);
    }
    return result;
  }

 protected:
  virtual void store_query(std::size_t row, const double* query) = 0;
  virtual void store_keys(const KeyBlock& block, std::size_t begin, std::size_t end) = 0;
  /// Of keys begin .. begin + count - 1 of the block.
  virtual void logits(const KeyBlock& block, std::size_t row, std::uint64_t position,
                      std::size_t begin, std::size_t count, double* logit) const = 0;

  double accumulated(double x) const { return round_to(formats_.accumulation, x); }

  StageFormats formats_;
  std::size_t dim_, padded_, block_;
  std::vector<std::uint64_t> positions_;

 private:
  // One step of the softmax with a running maximum (Milakov and Gimelshein, arXiv 1805.02867).
  void take_in(std::size_t row, std::size_t first, std::size_t count, const double* logit) {
    const FloatFormat type = formats_.softmax;
    const double largest = std::max(largest_[row], *std::max_element(logit, logit + count));
    const double correction = round_to(type, std::exp(round_to(type, largest_[row] - largest)));
    double& sum = sum_[row];
    if (largest_[row] != largest) {
      sum = round_to(type, sum * correction);
      for (std::size_t i = row * padded_; i < (row + 1) * padded_; ++i) {
        out_.set(i, round_to(type, out_[i] * correction));
      }
      largest_[row] = largest;
    }
    double weight[kTile];
    for (std::size_t j = 0; j < count; ++j) {
      const double e = round_to(type, std::exp(round_to(type, logit[j] - largest)));
      sum = round_to(type, sum + e);
      weight[j] = round_to(formats_.weights, e);
    }
    weigh_tile(type, weight, values_, first, count, padded_, out_, row * padded_);
  }

  std::vector<double> largest_, sum_;
  Numbers values_, out_;
};

class PhaseAttention : public SoftmaxKernel {
 public:
  PhaseAttention(const PhaseScore& score, const StageFormats& formats, std::uint64_t seq_len,
                 std::size_t rows, std::size_t block)
      : SoftmaxKernel(formats, score.head_dim, rows, block),
        linear_(!score.phase_linear.empty()),
        amplitude_dim_(score.amplitude_dim),
        amplitude_factor_(factor(score.amplitude.front().weight)),
        phase_factor_(factor(linear_ ? score.phase_linear.front().weight
                                     : score.phase_bilinear.front().weight)),
        queries_(formats.accumulation, rows * score.head_dim),
        keys_(formats.accumulation, block * score.head_dim),
        query_sums_(rows),
        key_sums_(block) {
    fill_scales(score, seq_len);
  }

 protected:
  void store_query(std::size_t row, const double* query) override {
    for (std::size_t i = 0; i < dim_; ++i) queries_.set(row * dim_ + i, query[i]);
    query_sums_[row] = phase_sum(query);
  }
  void store_keys(const KeyBlock& block, std::size_t begin, std::size_t end) override {
    for (std::size_t j = begin; j < end; ++j) {
      const double* key = block.keys + j * dim_;
      for (std::size_t i = 0; i < dim_; ++i) keys_.set(i * block_ + j, key[i]);
      key_sums_[j] = phase_sum(key);
    }
  }
  void logits(const KeyBlock& block, std::size_t row, std::uint64_t position, std::size_t begin,
              std::size_t count, double* logit) const override {
    double amplitude[kTile], phase[kTile];
    dot_tile(formats_.accumulation, queries_, row * dim_, keys_, begin, block_, amplitude_dim_,
             amplitude);
    if (linear_) {
      for (std::size_t j = 0; j < count; ++j) {
        phase[j] = accumulated(query_sums_[row] + key_sums_[begin + j]);
      }
    } else {
      dot_tile(formats_.accumulation, queries_, row * dim_ + amplitude_dim_, keys_,
               amplitude_dim_ * block_ + begin, block_, dim_ - amplitude_dim_, phase);
    }
    for (std::size_t j = 0; j < count; ++j) {
      const double a = accumulated(amplitude[j] * amplitude_factor_);
      const double phi = round_to(formats_.phase, accumulated(phase[j] * phase_factor_));
      const std::uint64_t distance = position - (block.first + begin + j);
      const double cosine =
          round_to(formats_.cosine, cos_2pi(round_to(formats_.reduction, turns(distance, phi))));
      logit[j] = accumulated(a * accumulated(cosine));
    }
  }

 private:
  double factor(const Wide& exact) const {
    return round_pair(formats_.accumulation, pair_of(exact)).value;
  }
  // eq. 16: the sum over phase coordinates
  double phase_sum(const double* x) const {
    double sum = 0;
    if (!linear_) return sum;
    for (std::size_t i = amplitude_dim_; i < dim_; ++i) {
      sum = add(formats_.accumulation, sum, x[i]).value;
    }
    return sum;
  }
  double turns(std::uint64_t distance, double phi) const {
    const ExactPair scale = scales_[distance];
    if (formats_.phase == FloatFormat::f64) {
      return phase_turns<DoublePrecision>(phi, TwoTerm<double>{scale.hi, scale.lo});
    }
    const double p = round_to(formats_.phase, scale.hi * phi);
    return p - round_even(p);
  }
  // In fp64 the power is within 2^-52 of itself, the product exact up to 2^-104.
  void fill_scales(const PhaseScore& score, std::uint64_t seq_len) {
    const FloatFormat type = formats_.scale;
    const bool fine = type == FloatFormat::f64;
    const ExactPair exact_alpha = pair_of(score.alpha.wide());
    const double alpha = fine ? exact_alpha.hi : round_pair(type, exact_alpha).value;
    scales_.reserve(seq_len);
    for (std::uint64_t distance = 0; distance < seq_len; ++distance) {
      const double delta = from_integer(type, distance).value;
      if (score.law == PhaseLaw::power) {
        scales_.push_back({distance == 0 ? 0 : round_to(type, std::pow(delta, alpha)), 0});
      } else if (fine) {
        const ExactPair product = two_product(alpha, delta);
        scales_.push_back(fast_two_sum(product.hi, product.lo + exact_alpha.lo * delta));
      } else {
        scales_.push_back({multiply(type, alpha, delta).value, 0});
      }
    }
  }

  bool linear_;
  std::size_t amplitude_dim_;
  double amplitude_factor_, phase_factor_;
  Numbers queries_, keys_;
  std::vector<double> query_sums_, key_sums_;
  std::vector<ExactPair> scales_;
};

class RotaryAttention : public SoftmaxKernel {
 public:
  RotaryAttention(const RotaryScore& score, const StageFormats& formats, std::size_t rows,
                  std::size_t block)
      : SoftmaxKernel(formats, score.head_dim, rows, block),
        score_(score),
        scale_(round_pair(formats.accumulation, pair_of(score.scale)).value),
        queries_(formats.accumulation, rows * score.head_dim),
        keys_(formats.accumulation, block * score.head_dim) {
    for (const RotaryPair& pair : score.pairs) {
      const ExactPair radians = pair_of(wide_two_pi() * pair.frequency_turns);
      const ExactPair stored = formats.scale == FloatFormat::f64
                                   ? radians
                                   : ExactPair{round_pair(formats.scale, radians).value, 0};
      const ExactPair factor = pair_of(Wide(sqrt(pair.weight)));
      frequencies_.push_back({stored, round_pair(formats.cosine, factor).value});
    }
  }

 protected:
  void store_query(std::size_t row, const double* query) override {
    std::vector<double> rotated(dim_);
    rotate(positions_[row], query, rotated.data());
    for (std::size_t i = 0; i < dim_; ++i) queries_.set(row * dim_ + i, rotated[i]);
  }
  void store_keys(const KeyBlock& block, std::size_t begin, std::size_t end) override {
    std::vector<double> rotated(dim_);
    for (std::size_t j = begin; j < end; ++j) {
      rotate(block.first + j, block.keys + j * dim_, rotated.data());
      for (std::size_t i = 0; i < dim_; ++i) keys_.set(i * block_ + j, rotated[i]);
    }
  }
  void logits(const KeyBlock&, std::size_t row, std::uint64_t, std::size_t begin, std::size_t count,
              double* logit) const override {
    double dot[kTile];
    dot_tile(formats_.accumulation, queries_, row * dim_, keys_, begin, block_, dim_, dot);
    for (std::size_t j = 0; j < count; ++j) logit[j] = accumulated(dot[j] * scale_);
  }

 private:
  struct Frequency {
    ExactPair radians;
    double factor;
  };
  // The angle in [-pi, pi]; NaN where it left the range of the phase type.
  double reduced_angle(const Frequency& f, std::uint64_t position) const {
    const double m = from_integer(formats_.phase, position).value;
    ExactPair angle;
    if (formats_.phase == FloatFormat::f64) {
      const ExactPair product = two_product(m, f.radians.hi);
      angle = fast_two_sum(product.hi, product.lo + m * f.radians.lo);
    } else {
      angle = {multiply(formats_.phase, m, f.radians.hi).value, 0};
    }
    if (!std::isfinite(angle.hi)) return std::numeric_limits<double>::quiet_NaN();
    if (std::abs(angle.hi) <= 3.14) return angle.hi + angle.lo;
    const ExactPair turns = two_product(angle.hi, kInverseTwoPi.hi);
    const double rest = turns.lo + (angle.hi * kInverseTwoPi.lo + angle.lo * kInverseTwoPi.hi);
    const double fraction = (turns.hi - round_even(turns.hi)) + rest;
    return kTwoPi * (fraction - round_even(fraction));
  }
  void rotate(std::uint64_t position, const double* x, double* rotated) const {
    for (const std::uint32_t i : score_.plain) rotated[i] = x[i];
    for (std::size_t d = 0; d < frequencies_.size(); ++d) {
      const Frequency& f = frequencies_[d];
      const double r = round_to(formats_.reduction, reduced_angle(f, position));
      const double c = stored(std::cos(r), f.factor), s = stored(std::sin(r), f.factor);
      const RotaryPair& pair = score_.pairs[d];
      rotated[pair.first] = turned(x[pair.first], c, -x[pair.second], s);
      rotated[pair.second] = turned(x[pair.second], c, x[pair.first], s);
    }
  }
  double stored(double wave, double factor) const {
    const double value = round_to(formats_.cosine, wave);
    if (factor == 1) return round_to(formats_.table, value);
    return round_to(formats_.table, round_to(formats_.cosine, value * factor));
  }
  double turned(double a, double c, double b, double s) const {
    const double second = accumulated(b * s);
    return round_to(formats_.output, fused_multiply_add(formats_.accumulation, a, c, second).value);
  }

  const RotaryScore& score_;
  double scale_;
  std::vector<Frequency> frequencies_;
  Numbers queries_, keys_;
};

}  // namespace

StageFormats formats_of(const Precisions& p) {
  return {p.phase, p.phase, p.trig, p.trig, p.table, p.accum, p.accum, p.io, p.io, p.accum};
}

StageFormats io_formats_of(const Precisions& p) {
  return {p.io, p.io, p.io, p.io, p.io, p.accum, p.accum, p.io, p.io, p.io};
}

StageFormats first_stages(const StageFormats& formats, std::size_t end) {
  StageFormats result;
  const auto takes_part = [end](Stage stage) { return static_cast<std::size_t>(stage) < end; };
  if (takes_part(Stage::scale)) result.scale = formats.scale;
  if (takes_part(Stage::phase)) result.phase = formats.phase;
  if (takes_part(Stage::reduction)) result.reduction = formats.reduction;
  if (takes_part(Stage::cosine)) {
    result.cosine = formats.cosine;
    result.table = formats.table;
  }
  if (takes_part(Stage::accumulation)) {
    result.accumulation = formats.accumulation;
    result.logits = formats.logits;
  }
  if (takes_part(Stage::softmax)) {
    result.softmax = formats.softmax;
    result.weights = formats.weights;
  }
  if (takes_part(Stage::output)) result.output = formats.output;
  return result;
}

std::unique_ptr<AttentionKernel> make_attention_kernel(const ScoreModel& model,
                                                       const StageFormats& formats,
                                                       std::uint64_t seq_len, std::size_t rows,
                                                       std::size_t block) {
  if (const auto* phase = std::get_if<PhaseScore>(&model)) {
    [[maybe_unused]] const PhaseKernel accepted(*phase, Precisions{});  // or refused
    return std::make_unique<PhaseAttention>(*phase, formats, seq_len, rows, block);
  }
  const auto& rotary = std::get<RotaryScore>(model);
  [[maybe_unused]] const RotaryKernel accepted(rotary, Precisions{});
  return std::make_unique<RotaryAttention>(rotary, formats, rows, block);
}

}  // namespace tapalab
