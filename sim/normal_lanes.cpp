// One source, compiled by Highway for AVX2 and AVX-512; the scalar kernels are the plain
// definitions. Highway's operations are single instructions, and nothing is contracted or
// reassociated, so each width gives the same bits.
#undef HWY_DISABLED_TARGETS
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL | HWY_NEON | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/normal_lanes.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/highway.h>

#include "sim/block_kernels.hpp"
#include "sim/normal_lanes.hpp"
#include "sim/random/normal.hpp"
#include "sim/random/normal_single.hpp"
#include "sim/random/streams.hpp"

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace tapalab {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using Words = hn::ScalableTag<std::uint32_t>;
using Wide64 = hn::ScalableTag<std::uint64_t>;
using Singles = hn::ScalableTag<float>;
using Doubles = hn::ScalableTag<double>;
using Word64 = hn::Vec<Wide64>;

// Four words of each block, one block in each 64-bit lane: the low half counts, the upper half of
// each lane is left as it falls.
struct Blocks {
  Word64 c0, c1, c2, c3;
};

HWY_INLINE Word64 times(Word64 word, std::uint32_t factor) {
  const Words words;
  return hn::MulEven(hn::BitCast(words, word), hn::Set(words, factor));
}

// Philox of blocks that share all but the low word of their sample number: the first round and half
// of the second are the same for all draws of a sample, or for all samples of a draw.
class PhiloxLanes {
 public:
  HWY_INLINE PhiloxLanes(PhiloxKey key, std::uint64_t first, std::uint32_t tag)
      : key_(key), sample_high_(static_cast<std::uint32_t>(first >> 32)), tag_(tag) {
    for (std::uint32_t round = 0; round < kPhiloxRounds; ++round) {
      hn::Store(hn::Set(Wide64(), key.word[0] + round * 0x9E3779B9u), Wide64(), keys_[round][0]);
      hn::Store(hn::Set(Wide64(), key.word[1] + round * 0xBB67AE85u), Wide64(), keys_[round][1]);
    }
  }

  // p = M0 c0 of the first round, of samples first + step i.
  static HWY_INLINE Word64 product(std::uint64_t first, int step) {
    const Wide64 d;
    const Word64 lanes = hn::Iota(d, std::uint64_t{0});
    const Word64 sample =
        hn::Add(step == 2 ? hn::Add(lanes, lanes) : lanes, hn::Set(d, first & 0xFFFFFFFFu));
    return times(sample, 0xD2511F53);
  }

  HWY_INLINE Blocks blocks(std::uint32_t draw, Word64 product0) const {
    const Wide64 d;
    const auto set = [&](std::uint64_t word) { return hn::Set(d, word); };
    std::uint32_t k0 = key_.word[0], k1 = key_.word[1];
    // Round 1: c0 and c1 come from the draw alone.
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * draw;
    const std::uint32_t s0 = static_cast<std::uint32_t>(p1 >> 32) ^ sample_high_ ^ k0;
    const auto s1 = static_cast<std::uint32_t>(p1);
    Word64 c2 = hn::Xor(hn::ShiftRight<32>(product0), set(tag_ ^ k1));
    Word64 c3 = product0;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
    // Round 2: its first product is that of s0.
    const std::uint64_t q0 = std::uint64_t{0xD2511F53} * s0;
    const Word64 q1 = times(c2, 0xCD9E8D57);
    Word64 c0 = hn::Xor(hn::ShiftRight<32>(q1), set(s1 ^ k0));
    Word64 c1 = q1;
    c2 = hn::Xor(c3, set((q0 >> 32) ^ k1));
    c3 = set(q0 & 0xFFFFFFFFu);
    for (int round = 2; round < kPhiloxRounds; ++round) {
      const Word64 a = times(c0, 0xD2511F53);
      const Word64 b = times(c2, 0xCD9E8D57);
      c0 = hn::Xor3(hn::ShiftRight<32>(b), c1, hn::Load(d, keys_[round][0]));
      c1 = b;
      c2 = hn::Xor3(hn::ShiftRight<32>(a), c3, hn::Load(d, keys_[round][1]));
      c3 = a;
    }
    return {c0, c1, c2, c3};
  }

 private:
  PhiloxKey key_;
  std::uint32_t sample_high_, tag_;
  // Broadcast, to be read where they are used: more than there are registers.
  alignas(64) std::uint64_t keys_[kPhiloxRounds][2][hn::MaxLanes(Wide64())];
};

using WordVec = hn::Vec<Words>;
using Single = hn::Vec<Singles>;

// normal_pair_single, lane by lane.
HWY_INLINE void single_pair(WordVec radius_word, WordVec angle_word, float* HWY_RESTRICT first,
                            float* HWY_RESTRICT second) {
  const Words dw;
  const Singles df;
  const hn::RebindToSigned<Words> di;
  const auto word = [&](std::uint32_t w) { return hn::Set(dw, w); };
  const auto value = [&](float x) { return hn::Set(df, x); };

  const auto n = hn::BitCast(di, hn::ShiftRight<1>(radius_word));
  const WordVec bits = hn::BitCast(dw, hn::Add(hn::ConvertTo(df, n), value(0.5f)));
  const WordVec shifted = hn::Add(bits, word(0x3F800000u - detail::kRootHalfBits));
  const auto e = hn::Sub(hn::BitCast(di, hn::ShiftRight<23>(shifted)), hn::Set(di, 127 + 31));
  const WordVec m = hn::Add(hn::Sub(bits, hn::And(shifted, word(0xFF800000u))), word(0x3F800000u));
  const Single near = hn::Sub(hn::BitCast(df, m), value(1.0f));
  const Single far =
      hn::Mul(hn::Sub(hn::ConvertTo(df, hn::Sub(n, hn::Set(di, 0x7FFFFFFF))), value(0.5f)),
              value(0x1p-31f));
  const Single f = hn::IfThenElse(hn::RebindMask(df, hn::Eq(e, hn::Zero(di))), far, near);
  Single p = value(detail::log1p_term(detail::kLog1pTerms - 1));
  for (int k = detail::kLog1pTerms - 2; k >= 0; --k) {
    p = hn::MulAdd(p, f, value(detail::log1p_term(k)));
  }
  const Single log_m = hn::MulAdd(hn::Mul(f, f), p, f);
  const Single exponent = hn::ConvertTo(df, e);
  const Single log_u = hn::MulAdd(exponent, value(detail::kLn2High),
                                  hn::MulAdd(exponent, value(detail::kLn2Low), log_m));
  const Single radius = hn::Sqrt(hn::Mul(value(-2.0f), log_u));

  const auto turns = hn::BitCast(di, hn::Or(hn::ShiftLeft<2>(angle_word), word(2u)));
  const Single r = hn::Mul(hn::ConvertTo(df, turns), value(0x1p-34f));
  const Single u = hn::Mul(r, r);
  Single s = hn::MulAdd(value(detail::sine_term(2)), u, value(detail::sine_term(1)));
  s = hn::MulAdd(s, u, value(detail::sine_term(0)));
  s = hn::MulAdd(r, value(detail::kTwoPi), hn::Mul(r, hn::MulAdd(s, u, value(detail::kTwoPiRest))));
  Single c = hn::MulAdd(value(detail::cosine_term(3)), u, value(detail::cosine_term(2)));
  c = hn::MulAdd(c, u, value(detail::cosine_term(1)));
  c = hn::MulAdd(c, u, value(detail::cosine_term(0)));
  c = hn::MulAdd(c, u, value(1.0f));
  const WordVec sign = hn::And(hn::ShiftLeft<1>(angle_word), word(0x80000000u));
  c = hn::BitCast(df, hn::Xor(hn::BitCast(dw, c), sign));
  const auto swap =
      hn::MaskFromVec(hn::BitCast(df, hn::BroadcastSignBit(hn::BitCast(di, angle_word))));
  hn::StoreU(hn::Mul(radius, hn::IfThenElse(swap, s, c)), df, first);
  hn::StoreU(hn::Mul(radius, hn::IfThenElse(swap, c, s)), df, second);
}

// The low words of even and odd samples, in the order of samples.
HWY_INLINE WordVec joined(Word64 even, Word64 odd) {
  const Words d;
  return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
}

HWY_INLINE void store_normals(const Blocks& even, const Blocks& odd, float* z) {
  single_pair(joined(even.c0, odd.c0), joined(even.c1, odd.c1), z, z + kLanes);
  single_pair(joined(even.c2, odd.c2), joined(even.c3, odd.c3), z + 2 * kLanes, z + 3 * kLanes);
}

void single_lanes(PhiloxKey key, std::uint64_t first, std::uint32_t draws, float* z) {
  const PhiloxLanes philox(key, first, stream_tag(Stream::gaussian_single));
  const std::size_t width = hn::Lanes(Singles());
  for (std::size_t lane = 0; lane < kLanes; lane += width) {
    const Word64 even = PhiloxLanes::product(first + lane, 2);
    const Word64 odd = PhiloxLanes::product(first + lane + 1, 2);
    // Two draws at a time keep more independent work in flight than one.
    for (std::uint32_t draw = 0; draw < draws; draw += 2) {
      const Blocks a = philox.blocks(draw, even), b = philox.blocks(draw, odd);
      const Blocks c = philox.blocks(draw + 1, even), d = philox.blocks(draw + 1, odd);
      float* out = z + std::size_t{4} * draw * kLanes + lane;
      store_normals(a, b, out);
      if (draw + 1 < draws) store_normals(c, d, out + std::size_t{4} * kLanes);
    }
  }
}

struct Pair64 {
  hn::Vec<Doubles> low, high;
};

// One row of L z + mean, two vectors of samples.
HWY_INLINE Pair64 row_of(const SparseRoot& root, std::size_t row, const float* z) {
  const Doubles d;
  const hn::Rebind<float, Doubles> half;
  Pair64 sum{hn::Set(d, root.mean[row]), hn::Set(d, root.mean[row])};
  for (std::uint32_t e = root.begin[row]; e < root.begin[row + 1]; ++e) {
    const auto weight = hn::Set(d, root.entries[e].weight);
    const float* normals = z + std::size_t{root.entries[e].column} * kLanes;
    sum.low = hn::MulAdd(weight, hn::PromoteTo(d, hn::LoadU(half, normals)), sum.low);
    sum.high =
        hn::MulAdd(weight, hn::PromoteTo(d, hn::LoadU(half, normals + hn::Lanes(d))), sum.high);
  }
  return sum;
}

void rows(const SparseRoot& root, const float* z, double* x) {
  const Doubles d;
  for (std::size_t row = 0; row < root.mean.size(); ++row) {
    for (std::size_t lane = 0; lane < kLanes; lane += 2 * hn::Lanes(d)) {
      const Pair64 sum = row_of(root, row, z + lane);
      hn::StoreU(sum.low, d, x + row * kLanes + lane);
      hn::StoreU(sum.high, d, x + row * kLanes + lane + hn::Lanes(d));
    }
  }
}

// bilinear_form over rows that are never stored.
HWY_INLINE Pair64 form(const SparseRoot& root, const std::vector<FlatBilinearTerm>& terms,
                       double scale, std::uint32_t head_dim, const float* z) {
  const Doubles d;
  Pair64 sum{hn::Zero(d), hn::Zero(d)};
  for (const FlatBilinearTerm& term : terms) {
    const Pair64 query = row_of(root, term.query, z);
    const Pair64 key = row_of(root, std::size_t{head_dim} + term.key, z);
    const auto weight = hn::Set(d, term.weight);
    sum.low = hn::MulAdd(hn::Mul(weight, query.low), key.low, sum.low);
    sum.high = hn::MulAdd(hn::Mul(weight, query.high), key.high, sum.high);
  }
  return {hn::Mul(hn::Set(d, scale), sum.low), hn::Mul(hn::Set(d, scale), sum.high)};
}

void features(const SparseRoot& root, const PhaseTables& tables, const float* z, double* amplitude,
              double* phi) {
  const Doubles d;
  const auto store = [&](Pair64 value, double* out) {
    hn::StoreU(value.low, d, out);
    hn::StoreU(value.high, d, out + hn::Lanes(d));
  };
  for (std::size_t lane = 0; lane < kLanes; lane += 2 * hn::Lanes(d)) {
    store(form(root, tables.amplitude, tables.amplitude_scale, tables.head_dim, z + lane),
          amplitude + lane);
    Pair64 phase = form(root, tables.phase, 1.0, tables.head_dim, z + lane);
    for (const FlatLinearTerm& term : tables.phase_linear) {
      const Pair64 x = row_of(root, term.coordinate, z + lane);
      const auto weight = hn::Set(d, term.weight);
      phase.low = hn::MulAdd(weight, x.low, phase.low);
      phase.high = hn::MulAdd(weight, x.high, phase.high);
    }
    store(phase, phi + lane);
  }
}

}  // namespace
constexpr NormalKernels kKernels{single_lanes, rows, features};
}  // namespace HWY_NAMESPACE
}  // namespace tapalab
HWY_AFTER_NAMESPACE();
#endif

#if HWY_ONCE
namespace tapalab {
namespace {

void scalar_lanes(PhiloxKey key, std::uint64_t first, std::uint32_t draws, float* z) {
  for (std::uint32_t draw = 0; draw < draws; ++draw) {
    for (std::uint64_t lane = 0; lane < kLanes; ++lane) {
      const PhiloxBlock block =
          philox(stream_counter(first + lane, draw, stream_tag(Stream::gaussian_single)), key);
      for (int half = 0; half < 2; ++half) {
        const SingleNormalPair pair =
            normal_pair_single(block.word[2 * half], block.word[2 * half + 1]);
        float* out = z + (std::size_t{4} * draw + 2 * half) * kLanes + lane;
        out[0] = pair.first;
        out[kLanes] = pair.second;
      }
    }
  }
}

void scalar_rows(const SparseRoot& root, const float* z, double* x) {
  for (std::size_t row = 0; row < root.mean.size(); ++row) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      double sum = root.mean[row];
      for (std::uint32_t e = root.begin[row]; e < root.begin[row + 1]; ++e) {
        const SparseRoot::Entry entry = root.entries[e];
        sum = detail::fused(entry.weight, double{z[entry.column * kLanes + lane]}, sum);
      }
      x[row * kLanes + lane] = sum;
    }
  }
}

void scalar_features(const SparseRoot& root, const PhaseTables& tables, const float* z,
                     double* amplitude, double* phi) {
  std::vector<double> x(root.mean.size() * kLanes);
  scalar_rows(root, z, x.data());
  block_kernels(SimdLevel::scalar).phase_features(tables, x.data(), amplitude, phi);
}

constexpr NormalKernels kScalar{scalar_lanes, scalar_rows, scalar_features};

}  // namespace

const NormalKernels& normal_kernels(SimdLevel level) {
#if defined(__x86_64__)
  if (level == SimdLevel::avx512) return N_AVX3::kKernels;
  if (level == SimdLevel::avx2) return N_AVX2::kKernels;
#endif
  (void)level;
  return kScalar;
}

}  // namespace tapalab
#endif
