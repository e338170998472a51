// Checkpoints of sampled experiments: small, versioned, checksummed, and replaced as a whole.
//
// Format: one line "tapalab-checkpoint 1 BYTES CHECKSUM\n" (decimal; 16 hexadecimal digits), then
// BYTES bytes of body whose FNV-1a sum is CHECKSUM: the identity of the experiment, JSON, and for
// each curve sampled so far its number, the samples it has, and its state (sim/sampling_bytes.hpp).
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/sampling_run.hpp"

namespace tapalab {

/// What two runs must share for their samples to belong together, as JSON: every curve's encoding,
/// density (and the contents of its file), distances, engine and options, the format of streams and
/// blocks, and the shard. Threads, ranks and vector widths are not part of it.
nlohmann::ordered_json sampling_identity(const std::vector<CurveTask>& tasks, Shard shard);

/// Where two identities first differ: "seed is 1 in the first and 2 in the second". Empty where
/// they do not.
std::string first_difference(const nlohmann::ordered_json& first,
                             const nlohmann::ordered_json& second);

struct Checkpoint {
  std::string identity;                         ///< JSON text
  std::map<std::uint64_t, SampleRange> curves;  ///< by number of the curve
};

std::string checkpoint_text(const Checkpoint& checkpoint);

/// Throws InputError, beginning with `name`, for text that checkpoint_text did not write: another
/// kind of file, another version, a damaged body.
Checkpoint parse_checkpoint(std::string_view text, const std::string& name);

/// The checkpoint file of one run.
class CheckpointFile {
 public:
  /// Reads the file where there is one. Throws InputError where it is not a checkpoint, is damaged,
  /// or belongs to another experiment than `identity`, which is left as it is.
  CheckpointFile(std::string path, const nlohmann::ordered_json& identity);

  /// What the file had for a curve when it was opened.
  const SampleRange* found(std::uint64_t curve) const;

  /// Keeps the samples of a curve, and writes the file where `now`, or where the last write is a
  /// second and twenty times its own duration ago. The first write throws InputError where the file
  /// cannot be written; later ones (a disk that filled up) leave the old file as it is, say so in
  /// failure(), and try again at the next interval.
  void keep(std::uint64_t curve, const SampleRange& samples, bool now);

  /// Why the latest write failed; empty where it did not.
  const std::string& failure() const { return failure_; }

 private:
  void write();

  std::string path_;
  Checkpoint found_, kept_;
  std::string failure_;
  bool written_ = false;
  double due_ = 0;  // seconds of the steady clock
};

}  // namespace tapalab
