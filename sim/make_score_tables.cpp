#include "sim/make_score_tables.hpp"

#include <algorithm>

#include "sim/mutants.hpp"

namespace tapalab {
namespace {

// The weight that all terms share; 1 where they differ or there are none.
template <class Term>
Wide common_weight(const std::vector<Term>& terms) {
  const bool equal = std::all_of(terms.begin(), terms.end(), [&](const Term& term) {
    return term.weight == terms.front().weight;
  });
  return equal && !terms.empty() ? terms.front().weight : Wide(1);
}

// Terms with their weights divided by `common`, which is their shared weight or 1.
std::vector<FlatBilinearTerm> flatten(const std::vector<BilinearTerm>& terms, const Wide& common) {
  std::vector<FlatBilinearTerm> flat;
  for (const auto& term : terms) {
    flat.push_back({term.query, term.key, static_cast<double>(Wide(term.weight / common))});
  }
  return flat;
}

ScoreTables tables(const PhaseScore& score, const std::vector<std::uint64_t>& distances) {
  const Wide amplitude_scale = common_weight(score.amplitude);
  Wide phase_weight = 1;
  if (score.phase_linear.empty()) phase_weight = common_weight(score.phase_bilinear);
  if (score.phase_bilinear.empty()) phase_weight = common_weight(score.phase_linear);
  PhaseTables result;
  result.head_dim = score.head_dim;
  result.amplitude_scale = static_cast<double>(amplitude_scale);
  result.amplitude = flatten(score.amplitude, amplitude_scale);
  result.phase = flatten(score.phase_bilinear, phase_weight);
  for (const auto& term : score.phase_linear) {
    result.phase_linear.push_back(
        {term.coordinate, 0, static_cast<double>(Wide(term.weight / phase_weight))});
  }
  const auto exact = [&](const auto& term) {
    const Wide weight = term.weight / phase_weight;
    return Wide(static_cast<double>(weight)) == weight;
  };
  result.exact_phase_weights =
      std::all_of(score.phase_bilinear.begin(), score.phase_bilinear.end(), exact) &&
      std::all_of(score.phase_linear.begin(), score.phase_linear.end(), exact);
  for (const auto distance : distances) {
    result.scales.push_back(two_term(score.phase_scale(distance) * phase_weight));
  }
  return result;
}

ScoreTables tables(const RotaryScore& score, const std::vector<std::uint64_t>& distances) {
  RotaryTables result;
  result.head_dim = score.head_dim;
  result.scale = static_cast<double>(score.scale);
  for (const auto& pair : score.pairs) result.pairs.push_back({pair.first, pair.second});
  result.plain = score.plain;
  result.angles.reserve(distances.size() * score.pairs.size());
  for (const auto distance : distances) {
    for (const auto& pair : score.pairs) {
      const Wide turns = reduce_turns(Wide(distance) * pair.frequency_turns);
      const SinCos<double> wave = sincos_2pi(static_cast<double>(turns));
      const auto weight = static_cast<double>(pair.weight_at(distance));
      const double sine = mutant("rope-sine-sign") ? -wave.sin : wave.sin;
      result.angles.push_back({weight * sine, weight * wave.cos});
    }
  }
  return result;
}

}  // namespace

TwoTerm<double> two_term(const Wide& x) {
  const double hi = static_cast<double>(x);
  return {hi, static_cast<double>(Wide(x - Wide(hi)))};
}

ScoreTables make_score_tables(const ScoreModel& model,
                              const std::vector<std::uint64_t>& distances) {
  return std::visit([&](const auto& score) { return tables(score, distances); }, model);
}

std::uint32_t head_dim_of(const ScoreModel& model) {
  return std::visit([](const auto& score) { return score.head_dim; }, model);
}

}  // namespace tapalab
