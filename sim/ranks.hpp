// Processes that work on one experiment together. Two operations suffice: everything that is summed
// is summed by rank 0, in an order that does not depend on their number.
#pragma once

#include <string>
#include <vector>

namespace tapalab {

/// Every rank calls the same operations in the same order.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// On rank 0 what every rank gave, by rank; empty elsewhere.
  virtual std::vector<std::string> gather(const std::string& mine) const = 0;
  /// What rank 0 gave, on every rank.
  virtual std::string broadcast(const std::string& from_root) const = 0;

  bool is_root() const { return rank() == 0; }
};

/// One process alone.
class SoloRanks final : public Ranks {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  std::vector<std::string> gather(const std::string& mine) const override { return {mine}; }
  std::string broadcast(const std::string& from_root) const override { return from_root; }
};

}  // namespace tapalab
