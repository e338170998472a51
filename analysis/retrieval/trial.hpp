// One trial of the retrieval probe: a query, its needle, and the distractors that it looks at.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "analysis/retrieval/retrieval.hpp"
#include "analysis/retrieval/score_law.hpp"
#include "sim/score_model.hpp"

namespace tapalab {

/// Mean and standard deviation of a distractor's score given the query, at one distance.
struct NormalScore {
  double mean = 0, sd = 0;
};

/// What all trials share. Trial t is a pure function of t and the seed.
class RetrievalProbe {
 public:
  explicit RetrievalProbe(const RetrievalTask& task);
  ~RetrievalProbe();

  class Trial;
  Trial trial(std::uint64_t number) const;

  /// Distractors have a law that can be integrated: Gaussians.
  bool integrates() const;

 private:
  friend class Trial;
  struct Shared;
  std::unique_ptr<const Shared> shared_;
};

/// Long loops over keys throw Interrupted (sim/interrupt.hpp) where a signal has come.
class RetrievalProbe::Trial {
 public:
  Trial(const Shared& shared, std::uint64_t number);
  ~Trial();
  Trial(Trial&&) noexcept;

  double needle(std::uint64_t distance) const;
  /// The drawn score of the distractor at this distance, the same at every call.
  double distractor(std::uint64_t distance) const;
  /// Calls use(distance, score) for the distractors at 1 .. length, in order.
  void walk(std::uint64_t length, const std::function<void(std::uint64_t, double)>& use) const;
  /// log of the probability that every distractor at 1 .. length but `skipped` has a score of at
  /// most x. Where integrates().
  LogProbability log_all_below(double x, std::uint64_t length, std::uint64_t skipped) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tapalab
