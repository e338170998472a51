#include "sim/sample_block.hpp"

#include <algorithm>
#include <variant>

namespace tapalab {
namespace {

using Plan = ScoreSampler::Plan;

void draw(const Plan& plan, const SamplerKernels& kernels, const BlockRange& range,
          std::uint64_t first, bool single, BlockWorkspace& work) {
  double* x = work.x.data();
  if (const auto* gaussian = std::get_if<GaussianSource>(&plan.source)) {
    if (single) {
      gaussian->single_lanes(kernels.normal, first, work.normals.data(), x, range.mirrored);
    } else if (range.mirrored) {
      gaussian->mirrored_lanes(first, x);
    } else {
      gaussian->lanes(kernels.block, first, x);
    }
  } else if (const auto* product = std::get_if<ProductSource>(&plan.source)) {
    range.mirrored ? product->mirrored_lanes(first, x) : product->lanes(first, x);
  } else if (const auto* sobol = std::get_if<SobolSource>(&plan.source)) {
    sobol->lanes(first, x);
  } else if (const auto* mixture = std::get_if<MixtureSource>(&plan.source)) {
    mixture->lanes(kernels.block, first, x);
  } else if (const auto* radial = std::get_if<RadialSource>(&plan.source)) {
    radial->lanes(kernels.block, first, x);
  } else {
    std::get<TokenSource>(plan.source).lanes(first, range.distance, x);
  }
}

// Forms that use each coordinate about once are computed without storing x.
bool draws_features(const Plan& plan) {
  const auto* tables = std::get_if<PhaseTables>(&plan.tables);
  return tables != nullptr &&
         tables->amplitude.size() + tables->phase.size() + tables->phase_linear.size() <=
             std::size_t{4} * plan.head_dim;
}

}  // namespace

void fill_features(const Plan& plan, const SamplerKernels& kernels, const BlockRange& range,
                   bool single, BlockWorkspace& work) {
  const bool fine = !single && plan.any(Resolution::fine);
  if (single && draws_features(plan)) {
    const auto& gaussian = std::get<GaussianSource>(plan.source);
    for (std::size_t lane = 0; lane < range.count; lane += kLanes) {
      gaussian.single_features(kernels.normal, std::get<PhaseTables>(plan.tables),
                               range.first + lane, work.normals.data(),
                               work.amplitude.data() + lane, work.phi.data() + lane,
                               range.mirrored);
    }
    return;
  }
  for (std::size_t lane = 0; lane < range.count; lane += kLanes) {
    draw(plan, kernels, range, range.first + lane, single, work);
    if (const auto* phase = std::get_if<PhaseTables>(&plan.tables)) {
      kernels.block.phase_features(*phase, work.x.data(), work.amplitude.data() + lane,
                                   work.phi.data() + lane);
      if (fine) {
        kernels.block.fine_phi(*phase, work.x.data(), work.phi_hi.data() + lane,
                               work.phi_lo.data() + lane);
      }
    } else {
      const auto& rotary = std::get<RotaryTables>(plan.tables);
      const std::size_t group = lane * rotary.pairs.size();
      kernels.block.rotary_features(rotary, work.x.data(), work.A.data() + group,
                                    work.B.data() + group, work.plain.data() + lane);
    }
  }
}

namespace {

ScoreMoments phase_moments(const BlockKernels& kernels, std::size_t count, BlockWorkspace& work) {
  const Moments score = kernels.moments(work.scores.data(), count);
  return {score, kernels.companion(work.sines.data(), work.scores.data(), count, score),
          kernels.companion(work.excesses.data(), work.scores.data(), count, score)};
}

// What the samples of `work` record at one distance of a phase score.
void phase_scores_at(const Plan& plan, const BlockKernels& kernels, std::size_t count,
                     std::size_t distance, BlockWorkspace& work) {
  const TwoTerm<double> scale = std::get<PhaseTables>(plan.tables).scales[distance];
  if (plan.resolution[distance] == Resolution::fine) {
    kernels.fine_scores(work.amplitude.data(), work.phi_hi.data(), work.phi_lo.data(), scale, count,
                        work.scores.data(), work.sines.data(), work.excesses.data());
  } else {
    kernels.phase_scores(work.amplitude.data(), work.phi.data(), scale, count, work.scores.data(),
                         work.sines.data(), work.excesses.data());
  }
}

// Each value with that of its mirror image: their average takes its place.
void average(const std::vector<double>& mirror, std::size_t from, std::size_t count,
             std::vector<double>& values) {
  for (std::size_t i = from; i < from + count; ++i) values[i] = 0.5 * (values[i] + mirror[i]);
}

// Scores become averages of pairs, and `squares` those of their squares.
void average_scores(const BlockWorkspace& mirror, std::size_t from, std::size_t count,
                    BlockWorkspace& work) {
  for (std::size_t i = 0; i < count; ++i) {
    const double a = work.scores[from + i], b = mirror.scores[from + i];
    work.squares[i] = 0.5 * (a * a + b * b);
  }
  average(mirror.scores, from, count, work.scores);
}

// The tile's distances of a rotary score.
void rotary_scores_at(const Plan& plan, const BlockKernels& kernels, std::size_t tile,
                      std::size_t size, BlockWorkspace& work) {
  const auto& rotary = std::get<RotaryTables>(plan.tables);
  kernels.rotary_scores(work.A.data(), work.B.data(), work.plain.data(), rotary.pairs.size(),
                        rotary.angles.data() + tile * rotary.pairs.size(), size,
                        work.scores.data());
}

// Which distances of the block are measured: begin .. end-1 that take such draws.
struct Measured {
  std::size_t count, begin, end;
  bool single;
};

// Moments of the block from its features, and from those of its mirror images where there are any.
// Those of distance i go to points[offset + i].
void measure(const Plan& plan, const BlockKernels& kernels, const Measured& what,
             std::size_t offset, BlockWorkspace& work, BlockWorkspace* mirror,
             CurveMoments& moments) {
  const std::size_t squares = plan.distances.size();  // where averages of squares stand
  if (std::holds_alternative<PhaseTables>(plan.tables)) {
    for (std::size_t i = what.begin; i < what.end; ++i) {
      if ((plan.resolution[i] == Resolution::single) != what.single) continue;
      phase_scores_at(plan, kernels, what.count, i, work);
      if (mirror != nullptr) {
        phase_scores_at(plan, kernels, what.count, i, *mirror);
        average_scores(*mirror, 0, what.count, work);
        average(mirror->sines, 0, what.count, work.sines);
        average(mirror->excesses, 0, what.count, work.excesses);
      }
      ScoreMoments& point = moments.points[offset + i];
      point = phase_moments(kernels, what.count, work);
      if (mirror == nullptr) continue;
      moments.points[squares + i] = {
          point.score,
          {},
          kernels.companion(work.squares.data(), work.scores.data(), what.count, point.score)};
    }
    return;
  }
  for (std::size_t tile = what.begin; tile < what.end; tile += kDistanceTile) {
    const std::size_t size = std::min(kDistanceTile, what.end - tile);
    rotary_scores_at(plan, kernels, tile, size, work);
    if (mirror != nullptr) rotary_scores_at(plan, kernels, tile, size, *mirror);
    for (std::size_t i = 0; i < size; ++i) {
      const std::size_t from = i * kBlockSamples;
      if (mirror != nullptr) average_scores(*mirror, from, what.count, work);
      const double* scores = work.scores.data() + from;
      const Moments score = kernels.moments(scores, what.count);
      moments.points[offset + tile + i].score = score;
      if (mirror == nullptr) continue;
      moments.points[squares + tile + i] = {
          score, {}, kernels.companion(work.squares.data(), scores, what.count, score)};
    }
  }
}

}  // namespace

CurveMoments sample_block(const Plan& plan, const SamplerKernels& kernels, std::uint64_t first,
                          std::size_t count, BlockWorkspace& work, BlockWorkspace* mirror) {
  CurveMoments moments;
  const std::size_t distances = plan.distances.size();
  moments.points.resize(plan.points());
  const auto* tokens = std::get_if<TokenSource>(&plan.source);
  if (tokens == nullptr || !tokens->per_distance()) {
    const std::size_t offset =
        plan.arrangement == Arrangement::sobol ? sobol_place(first).replica * distances : 0;
    for (const bool single : {true, false}) {
      if (single ? !plan.any(Resolution::single)
                 : !plan.any(Resolution::plain) && !plan.any(Resolution::fine)) {
        continue;
      }
      fill_features(plan, kernels, {first, count}, single, work);
      if (mirror != nullptr) fill_features(plan, kernels, {first, count, 0, true}, single, *mirror);
      measure(plan, kernels.block, {count, 0, distances, single}, offset, work, mirror, moments);
    }
    return moments;
  }
  for (std::size_t i = 0; i < distances; ++i) {
    if (!tokens->has_pairs(plan.distances[i])) continue;
    fill_features(plan, kernels, {first, count, plan.distances[i]}, false, work);
    measure(plan, kernels.block, {count, i, i + 1, false}, 0, work, nullptr, moments);
  }
  return moments;
}

}  // namespace tapalab
