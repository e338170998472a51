// A consumer warpgroup: 64 query rows against every key tile of a piece of work.
#pragma once

#include "gpu/attention/forward_shape.cuh"
#include "gpu/attention/phase.cuh"
#include "gpu/attention/softmax.cuh"

namespace tapalab::attention {

/// What one consumer thread knows about its place.
struct Place {
  int warpgroup, lane;
  int row;     ///< in the block of 128: this thread's first row; the second is 8 further
  int column;  ///< in a group of eight columns: this thread's first
};

using RowsDescriptor = Descriptor<16, 8 * kPanelRowBytes>;  ///< of Q and K
template <class S>
using ValuesDescriptor = Descriptor<S::kKeyRows * kPanelRowBytes, 8 * kPanelRowBytes>;

/// d = Q[rows, First..Last) K[keys, First..Last)^T over coordinates that are multiples of 16.
template <class S, int First, int Last>
__device__ __forceinline__ void issue_scores(float (&d)[S::kKeyRows / 2], RowsDescriptor q,
                                             RowsDescriptor k) {
#pragma unroll
  for (int c = First; c < Last; c += 16) {
    const int panel = c / kPanelElements, byte = c % kPanelElements * 2;
    Wgmma<typename S::Element, S::kKeyRows>::ss(d, q.at(panel * kQueryRows * kPanelRowBytes + byte),
                                                k.at(panel * S::kKeyRows * kPanelRowBytes + byte),
                                                c != First);
  }
}

/// o += weights V.
template <class S>
__device__ __forceinline__ void issue_output(float (&o)[S::kHeadDim / 2],
                                             const uint32_t (&weights)[S::kKeyRows / 4],
                                             ValuesDescriptor<S> v) {
#pragma unroll
  for (int step = 0; step < S::kKeyRows / 16; ++step)
    Wgmma<typename S::Element, S::kHeadDim>::rs(o, weights + 4 * step,
                                                v.at(step * 16 * kPanelRowBytes));
}

/// Exponents of keys past the end or, causal, after the query become -inf.
template <class S>
__device__ __forceinline__ void mask_exponents(float (&exponent)[S::kKeyRows / 2],
                                               const KernelParams& p, const Place& place,
                                               int first_row, int first_key) {
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    int64_t limit = p.keys;
    if (p.causal) limit = min(limit, first_row + place.row + 8 * h + p.offset + 1);
    const int visible = static_cast<int>(max(limit - first_key, int64_t{0})) - place.column;
#pragma unroll
    for (int i = 0; i < S::kKeyRows / 2; ++i)
      if ((i / 2) % 2 == h && i / 4 * 8 + i % 2 >= visible) exponent[i] = -kInfinity;
  }
}

/// Transposes 4 x 4 words over the lanes of a quad: word w of lane t becomes word t of lane w.
__device__ __forceinline__ void transpose_quad(uint32_t (&word)[4], int lane) {
#pragma unroll
  for (int step = 1; step <= 2; step *= 2) {
    const bool upper = lane & step;
#pragma unroll
    for (int w = 0; w < 4; ++w) {
      if (w & step) continue;
      const uint32_t sent = upper ? word[w] : word[w + step];
      const uint32_t received = __shfl_xor_sync(0xffffffffu, sent, step);
      (upper ? word[w] : word[w + step]) = received;
    }
  }
}

template <class S>
__device__ __forceinline__ void store_output(const KernelParams& p, const Place& place,
                                             const Work& work, float (&o)[S::kHeadDim / 2],
                                             RunningSoftmax& softmax) {
  softmax.finish();
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    const int row = work.first_row + place.row + 8 * h;
    const float sum = softmax.sum[h];
    const float inverse = sum > 0.0f ? 1.0f / sum : 0.0f;
    if (row < p.rows && place.lane % 4 == 0 && p.log_sum_exp != nullptr) {
      constexpr float kLn2 = 0.693147180559945f;
      p.log_sum_exp[(static_cast<int64_t>(work.batch) * p.heads + work.head) * p.rows + row] =
          sum > 0.0f ? softmax.reference[h] * kLn2 + logf(sum) : -kInfinity;
    }
    typename S::Element* target = static_cast<typename S::Element*>(p.out) +
                                  work.batch * p.out_strides.batch +
                                  work.head * p.out_strides.head + row * p.out_strides.row;
#pragma unroll
    for (int group = 0; group < S::kHeadDim / 32; ++group) {
      uint32_t word[4];
#pragma unroll
      for (int w = 0; w < 4; ++w) {
        const int i = 4 * (4 * group + w) + 2 * h;
        word[w] = pack<typename S::Element>(o[i] * inverse, o[i + 1] * inverse);
      }
      transpose_quad(word, place.lane);
      if (row < p.rows)
        *reinterpret_cast<uint4*>(target + 32 * group + 8 * (place.lane % 4)) =
            make_uint4(word[0], word[1], word[2], word[3]);
    }
  }
}

template <class S>
struct Consumer {
  const KernelParams& p;
  SharedStorage<S>& shared;
  Place place;
  float scale2;
  RowsDescriptor first_queries;  ///< of this warpgroup's rows in the first buffer
  RingPosition<S::kQueryStages> q_ring;
  RingPosition<S::kKeyStages> k_ring;
  RingPosition<S::kValueStages> v_ring;

  /// One number for each score of a thread: a product, then the exponent.
  using Scores = float[S::kKeyRows / 2];
  float o[S::kHeadDim / 2];
  uint32_t weights[S::kKeyRows / 4];
  RunningSoftmax softmax;
  bool keys_ready = false, values_ready = false;  ///< of the next step, as far as known

  /// One arrival a thread, after what it has read: an arrival of one lane behind a __syncwarp would
  /// do, at the same speed, but racecheck cannot follow it (docs/results/attention-forward.md).
  __device__ __forceinline__ void release(Barrier& barrier) { barrier.arrive(); }
  /// Waits for the next block of queries; returns its number, negative at the end.
  __device__ __forceinline__ int await_queries() {
    shared.q_full[q_ring.index].wait(q_ring.parity);
    return shared.tile[q_ring.index];
  }
  __device__ __forceinline__ RowsDescriptor queries() {
    if constexpr (S::kQueryStages == 1) return first_queries;
    return RowsDescriptor(shared_address(shared.q[q_ring.index]) +
                          place.warpgroup * kRowsPerWarpgroup * kPanelRowBytes);
  }
  __device__ __forceinline__ RowsDescriptor keys() {
    return RowsDescriptor(shared_address(shared.k[k_ring.index]));
  }

  __device__ __forceinline__ void issue_phase(Scores& phase) {
    if constexpr (S::kTapa) {
      issue_scores<S, S::kAmplitudeDim, S::kHeadDim>(phase, queries(), keys());
      wgmma_commit();
    }
  }
  __device__ __forceinline__ void issue_amplitude(Scores& amplitude) {
    issue_scores<S, 0, S::kAmplitudeDim>(amplitude, queries(), keys());
    wgmma_commit();
  }
  __device__ __forceinline__ void issue_weighted_values() {
    issue_output<S>(o, weights, ValuesDescriptor<S>(shared_address(shared.v[v_ring.index])));
    wgmma_commit();
  }
  __device__ __forceinline__ void await_values() {
    shared.v_full[v_ring.index].wait(v_ring.parity);
  }
  __device__ __forceinline__ void release_values() {
    pin(o);
    release(shared.v_empty[v_ring.index]);
    v_ring.advance();
  }

  /// Turns the amplitude products into exponents, eq. 12, with the phase products.
  __device__ __forceinline__ void exponents(Scores& amplitude, const Scores& phase) {
    const float shift[2] = {softmax.shift(0), softmax.shift(1)};
    // Toeplitz: element (row + 8, column + 8) shares the factor of (row, column).
    const float* factor = shared.factors[k_ring.index] + (S::kKeyRows + place.row - place.column);
#pragma unroll
    for (int i = 0; i < S::kKeyRows / 2; ++i) {
      const int chunk = i / 4, h = i / 2 % 2;
      if constexpr (S::kTapa)
        amplitude[i] *= cosine<S::kReduction, S::kPolynomialShare>(
            phase[i], factor[8 * h - 8 * chunk - i % 2], i);
      amplitude[i] = fmaf(amplitude[i], scale2, shift[h]);
    }
  }
  /// Weights from exponents that stay as they are, and their sums.
  __device__ __forceinline__ void weigh_exponents(const Scores& exponent, float (&sum)[2]) {
    sum[0] = sum[1] = 0.0f;
#pragma unroll
    for (int i = 0; i < S::kKeyRows / 2; i += 2) {
      const float low = exp2_approx(exponent[i]), high = exp2_approx(exponent[i + 1]);
      sum[i / 2 % 2] += low;
      sum[i / 2 % 2] += high;
      weights[i / 2] = pack<typename S::Element>(low, high);
    }
  }
  /// The exponentials need not wait for the largest exponent: the weights' sums tell whether the
  /// references were too low, and then the exponents give the weights once more. One comparison
  /// takes the place of one for each pair.
  template <bool First, bool Masked>
  __device__ __forceinline__ void weigh_and_judge(Scores& exponent) {
    float sum[2];
    weigh_exponents(exponent, sum);
    if (!Masked && RunningSoftmax::exceeds_largest(sum)) {
      float rescale[2];
      softmax.raise(exponent, rescale);
      if constexpr (!First) scale_rows(o, rescale);
      weigh_exponents(exponent, sum);
    }
    softmax.sum[0] += sum[0];
    softmax.sum[1] += sum[1];
  }
  /// Weights that stand in the place of their exponents, packed.
  __device__ __forceinline__ void pack_weights(const Scores& weight) {
#pragma unroll
    for (int i = 0; i < S::kKeyRows / 4; ++i)
      weights[i] = pack<typename S::Element>(weight[2 * i], weight[2 * i + 1]);
  }

  /// Scores and weights of tile t, and the output product of the tile before. The products are
  /// issued together, the scores' first.
  template <bool First, bool Masked>
  __device__ __forceinline__ void step(const Work& work, int t) {
    Scores phase, amplitude;
    float rescale[2];
    if (First || !keys_ready) shared.k_full[k_ring.index].wait(k_ring.parity);
    if (!First && !values_ready) await_values();
    if constexpr (S::kTakeTurns) turn_wait(place.warpgroup);
    if constexpr (S::kTapa) pin(phase);
    pin(amplitude);
    pin(o);
    if constexpr (!First) pin(weights);
    wgmma_fence();
    issue_phase(phase);
    issue_amplitude(amplitude);
    if constexpr (!First) issue_weighted_values();
    if constexpr (S::kTakeTurns) turn_pass(place.warpgroup);

    // Both score products are in; the cosines run under the output product and under the other
    // warpgroup's. Waiting for the phase product alone first gains nothing, and costs registers.
    wgmma_wait<First ? 0 : 1>();
    if constexpr (S::kTapa) pin(phase);
    pin(amplitude);
    exponents(amplitude, phase);
    if constexpr (Masked) mask_exponents<S>(amplitude, p, place, work.first_row, t * S::kKeyRows);
    // The exponentials of plain attention, short of other work, run under the output product.
    const bool raised = Masked || (!S::kWeighFirst && RunningSoftmax::exceeds_slack(amplitude));
    release(shared.k_empty[k_ring.index]);
    k_ring.advance();
    if constexpr (!S::kTapa) {
      if (raised) softmax.raise(amplitude, rescale);
      softmax.weigh(amplitude);
    }
    if constexpr (!First) {
      wgmma_wait<0>();
      release_values();
    }
    if (raised) {
      if constexpr (S::kTapa) softmax.raise(amplitude, rescale);
      if constexpr (!First) scale_rows(o, rescale);
    }
    keys_ready = t > 0 && shared.k_full[k_ring.index].ready(k_ring.parity);
    values_ready = shared.v_full[v_ring.index].ready(v_ring.parity);
    if constexpr (S::kWeighFirst) {
      weigh_and_judge<First, Masked>(amplitude);
    } else {
      if constexpr (S::kTapa) softmax.weigh(amplitude);
      pack_weights(amplitude);
    }
  }

  __device__ __forceinline__ void attend(const Work& work) {
#pragma unroll
    for (float& x : o) x = 0.0f;
    softmax = RunningSoftmax{};
    int t = work.key_tiles - 1;
    if (t >= 0) {
      step<true, true>(work, t);  // the mask does no harm where it hides nothing
      for (--t; t >= work.open_tiles; --t) step<false, true>(work, t);
      for (; t >= 0; --t) step<false, false>(work, t);
    }
    release(shared.q_empty[q_ring.index]);
    q_ring.advance();
    if (work.key_tiles > 0) {
      await_values();
      pin(o);
      pin(weights);
      wgmma_fence();
      issue_weighted_values();
      wgmma_wait<0>();
      release_values();
    }
    store_output<S>(p, place, work, o, softmax);
  }
};

}  // namespace tapalab::attention
