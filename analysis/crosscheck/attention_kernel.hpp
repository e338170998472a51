// One attention kernel in given formats, fed block by block of keys: the emulated one, its
// references, and what lies between them.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "analysis/crosscheck/precision.hpp"
#include "analysis/crosscheck/stages.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// A format for each stage. All in fp64 is the reference, up to 1e-14 of the largest value.
struct StageFormats {
  FloatFormat scale = FloatFormat::f64;         ///< s(distance); frequencies
  FloatFormat phase = FloatFormat::f64;         ///< phi, s phi; positions, angles
  FloatFormat reduction = FloatFormat::f64;     ///< the reduced phase or angle
  FloatFormat cosine = FloatFormat::f64;        ///< cosine and sine of it
  FloatFormat table = FloatFormat::f64;         ///< their table
  FloatFormat accumulation = FloatFormat::f64;  ///< dot products, logits
  FloatFormat softmax = FloatFormat::f64;       ///< exponentials, sums, weighted sum of values
  FloatFormat weights = FloatFormat::f64;       ///< the exponentials that meet the values
  FloatFormat output = FloatFormat::f64;        ///< rotated vectors, outputs
  FloatFormat logits = FloatFormat::f64;        ///< where logits are stored
};

/// The kernel that Precisions describe: weights and outputs in the io type, logits left in the
/// accumulation type.
StageFormats formats_of(const Precisions& precisions);
/// The same with phases, table, cosines and logits in the io type: what a kernel of that type alone
/// loses.
StageFormats io_formats_of(const Precisions& precisions);
/// `formats` in the stages before `end`, in the order of Stage, and fp64 from there on.
StageFormats first_stages(const StageFormats& formats, std::size_t end);

/// Keys and values first .. first + count - 1, row by row.
struct KeyBlock {
  std::uint64_t first = 0;
  std::size_t count = 0;
  const double* keys = nullptr;
  const double* values = nullptr;
};

class AttentionKernel {
 public:
  virtual ~AttentionKernel() = default;
  /// Row `row` of the kernel's rows is the query at `position`.
  virtual void set_query(std::size_t row, std::uint64_t position, const double* query) = 0;
  /// Makes ready keys begin .. end - 1 of the block, counted within it; may run on several threads.
  virtual void prepare(const KeyBlock& block, std::size_t begin, std::size_t end) = 0;
  /// Takes in the keys of the block at or before the row's position; rows are independent.
  virtual void attend(const KeyBlock& block, std::size_t row) = 0;
  /// head_dim values.
  virtual std::vector<double> output(std::size_t row) const = 0;
};

/// `model` must outlive the kernel. seq_len: above every position of its queries. block: the most
/// keys of a block, a multiple of 64. Throws InputError as PhaseKernel and RotaryKernel do.
std::unique_ptr<AttentionKernel> make_attention_kernel(const ScoreModel& model,
                                                       const StageFormats& formats,
                                                       std::uint64_t seq_len, std::size_t rows,
                                                       std::size_t block);

}  // namespace tapalab
