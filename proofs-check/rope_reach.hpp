// Distances at which given frequencies come close to given phases, by lattice reduction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "proofs-check/ball.hpp"

namespace tapalab {

/// The lattice of what whole numbers of about `bits` bits do to the phases of some frequencies,
/// reduced once for any number of targets. The balls must hold more than 2 bits + 64 bits.
class PhaseLattice {
 public:
  /// Throws InputError for no frequency.
  PhaseLattice(const std::vector<Ball>& frequencies_turns, long bits);
  ~PhaseLattice();
  PhaseLattice(PhaseLattice&&) noexcept;
  PhaseLattice& operator=(PhaseLattice&&) noexcept;

  /// A positive integer t of about `bits` bits, in decimal, with t f_j near target_j modulo 1 for
  /// all j. Of n frequencies each is missed by about 2^(-bits/(n + 1)) turns: LLL and Babai's
  /// nearest plane, which promise nothing; the caller certifies what was reached.
  /// Throws InputError unless there are as many targets as frequencies.
  std::string reach(const std::vector<Ball>& targets_turns) const;

 private:
  struct Reduced;
  std::unique_ptr<Reduced> reduced_;
};

/// The same for one list of targets.
std::string reach_phases(const std::vector<Ball>& frequencies_turns,
                         const std::vector<Ball>& targets_turns, long bits);

}  // namespace tapalab
