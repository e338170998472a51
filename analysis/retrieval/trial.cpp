#include "analysis/retrieval/trial.hpp"

#include <algorithm>
#include <cmath>

#include "sim/errors.hpp"
#include "sim/interrupt.hpp"
#include "sim/make_score_tables.hpp"
#include "sim/random/bounded.hpp"
#include "sim/random/normal.hpp"
#include "sim/score.hpp"

namespace tapalab {
namespace {

/// Rotations are multiplied up between exact ones.
constexpr std::uint64_t kExactRotation = 128;
constexpr std::uint32_t kNeedleToken = 0xFFFFFFFF;

/// In loops over keys: hears a signal every 2^16 of them.
void heed_signals(std::uint64_t key) {
  if (key % 65536 == 0) throw_if_interrupted();
}

double square(double x) { return x * x; }

struct Standard {
  double mean = 0, scale = 1;
};

struct Laws {
  std::vector<Standard> query, key;  ///< by coordinate
};

Laws gaussian_laws(const GaussianModel& model) {
  Laws laws;
  laws.query.resize(model.head_dim);
  laws.key.resize(model.head_dim);
  for (std::uint32_t i = 0; i < model.head_dim; ++i) {
    laws.query[i].mean = static_cast<double>(model.mean[i]);
    laws.key[i].mean = static_cast<double>(model.mean[model.head_dim + i]);
  }
  for (const CovarianceTerm& term : model.covariance) {
    if (term.row != term.col)
      throw InputError(
          "--density: distractors know nothing of the query; accepted: rho=0, and --needle-rho for "
          "the needle");
    const auto scale = std::sqrt(static_cast<double>(term.value));
    if (term.row < model.head_dim)
      laws.query[term.row].scale = scale;
    else
      laws.key[term.row - model.head_dim].scale = scale;
  }
  return laws;
}

std::vector<Standard> column_laws(const std::vector<double>& rows, std::size_t tokens,
                                  std::uint32_t head_dim) {
  std::vector<Standard> laws(head_dim);
  for (std::uint32_t c = 0; c < head_dim; ++c) {
    double mean = 0, spread = 0;
    for (std::size_t i = 0; i < tokens; ++i) mean += rows[i * head_dim + c];
    mean /= static_cast<double>(tokens);
    for (std::size_t i = 0; i < tokens; ++i) spread += square(rows[i * head_dim + c] - mean);
    laws[c] = {mean, std::sqrt(spread / static_cast<double>(tokens))};
  }
  return laws;
}

/// RotaryScore in doubles, at any distance.
struct RotaryFlat {
  struct Pair {
    std::uint32_t first, second;
    TwoTerm<double> frequency;  // turns per token
    double weight, decay;
  };
  double scale = 1, slope = 0;
  std::vector<Pair> pairs;
  std::vector<std::uint32_t> plain;
  bool decays = false;

  explicit RotaryFlat(const RotaryScore& score)
      : scale(static_cast<double>(score.scale)),
        slope(static_cast<double>(score.slope)),
        plain(score.plain) {
    for (const RotaryPair& pair : score.pairs) {
      pairs.push_back({pair.first, pair.second, two_term(pair.frequency_turns),
                       static_cast<double>(pair.weight), static_cast<double>(pair.decay)});
      decays = decays || pair.decay != 0;
    }
  }

  /// Cosine and sine of pair d at a distance, without its weight.
  SinCos<double> rotation(std::size_t d, double distance) const {
    return sincos_2pi(phase_turns<DoublePrecision>(distance, pairs[d].frequency));
  }
  double weight(std::size_t d, double distance) const {
    return decays ? pairs[d].weight * std::exp(-pairs[d].decay * distance) : pairs[d].weight;
  }
};

/// PhaseScore in doubles.
struct PhaseFlat {
  struct Term {
    std::uint32_t query, key;
    double weight;
  };
  std::vector<Term> amplitude, phase;
  std::vector<FlatLinearTerm> linear;
  PhaseScaleDouble scale;

  explicit PhaseFlat(const PhaseScore& score) : scale(PhaseScaleDouble::of(score)) {
    for (const BilinearTerm& term : score.amplitude)
      amplitude.push_back({term.query, term.key, static_cast<double>(term.weight)});
    for (const BilinearTerm& term : score.phase_bilinear)
      phase.push_back({term.query, term.key, static_cast<double>(term.weight)});
    for (const LinearTerm& term : score.phase_linear)
      linear.push_back({term.coordinate, 0, static_cast<double>(term.weight)});
  }
};

/// a and phi of a query as linear forms of the key.
struct KeyForms {
  std::vector<double> amplitude, phase;
  double phase_constant = 0;
};

double dot(const std::vector<double>& form, const double* key) {
  double sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i) sum = std::fma(form[i], key[i], sum);
  return sum;
}

}  // namespace

struct RetrievalProbe::Shared {
  RetrievalTask task;
  ScoreModel model;
  std::unique_ptr<PhaseFlat> phase;
  std::unique_ptr<RotaryFlat> rotary;
  Laws laws;
  std::shared_ptr<const TokenTable> tokens;  ///< of a file; unset: Gaussians
  std::vector<double> scales;                ///< s(0) .. s(largest length)
  double rho = 0, rest = 1;
  PhiloxKey key;
  bool centred = true;  ///< keys have mean 0

  explicit Shared(const RetrievalTask& task_) : task(task_), key(stream_key(task_.seed)) {
    const std::uint32_t dim = task.head_dim;
    model = lower(task.encoding, dim);
    if (const auto* score = std::get_if<PhaseScore>(&model)) {
      phase = std::make_unique<PhaseFlat>(*score);
      scales.push_back(0);
      for (std::uint64_t j = 1; j <= task.lengths.back(); ++j) {
        heed_signals(j);
        scales.push_back(phase->scale(static_cast<double>(j)));
      }
    } else {
      rotary = std::make_unique<RotaryFlat>(std::get<RotaryScore>(model));
    }
    if (const auto* file = std::get_if<EmpiricalDensity>(&task.density.law)) {
      if (file->pairs != PairRule::all)
        throw InputError("--density: pairs= does not matter here; accepted: pairs=all");
      if (file->bandwidth.compare(0) != 0)
        throw InputError("--density: bandwidth= is not known to retrieve; accepted: bandwidth=0");
      tokens = file->table;
      laws.query = column_laws(tokens->queries, tokens->tokens, dim);
      laws.key = column_laws(tokens->keys, tokens->tokens, dim);
    } else if (const auto* gaussian = std::get_if<GaussianDensity>(&task.density.law)) {
      laws = gaussian_laws(lower(*gaussian, task.encoding, dim));
      for (const Standard& law : laws.key) centred = centred && law.mean == 0;
    } else {
      throw InputError(
          "--density: accepted for retrieve: gaussian (means and scales) and empirical");
    }
    rho = static_cast<double>(task.needle_rho.wide());
    rest = std::sqrt((1 - rho) * (1 + rho));
  }

  /// Coordinate c of a trial's vector of normals.
  double normal(std::uint64_t trial, std::uint32_t c) const {
    const NormalPair pair =
        normal_pair(philox(stream_counter(trial, c / 2, stream_tag(Stream::retrieval, 1)), key));
    return c % 2 == 0 ? pair.first : pair.second;
  }
  const double* token_key(std::uint64_t trial, std::uint32_t draw) const {
    return &tokens->keys[token(trial, draw) * task.head_dim];
  }
  std::size_t token(std::uint64_t trial, std::uint32_t draw) const {
    return bounded_uniform(tokens->tokens, trial, draw, Stream::retrieval, key);
  }

  std::vector<double> query(std::uint64_t trial) const {
    if (tokens != nullptr) {
      const auto begin =
          tokens->queries.begin() + static_cast<std::ptrdiff_t>(token(trial, 0) * task.head_dim);
      return {begin, begin + task.head_dim};
    }
    std::vector<double> q(task.head_dim);
    for (std::uint32_t c = 0; c < task.head_dim; ++c)
      q[c] = laws.query[c].mean + laws.query[c].scale * normal(trial, c);
    return q;
  }

  std::vector<double> needle(std::uint64_t trial, const std::vector<double>& q) const {
    const double* own = tokens != nullptr ? token_key(trial, kNeedleToken) : nullptr;
    std::vector<double> k(task.head_dim);
    for (std::uint32_t c = 0; c < task.head_dim; ++c) {
      const Standard& from = laws.query[c];
      const Standard& to = laws.key[c];
      const double z = from.scale > 0 ? (q[c] - from.mean) / from.scale : 0;
      const double e = own == nullptr ? normal(trial, task.head_dim + c)
                       : to.scale > 0 ? (own[c] - to.mean) / to.scale
                                      : 0;
      k[c] = to.mean + to.scale * (rho * z + rest * e);
    }
    return k;
  }
};

struct RetrievalProbe::Trial::State {
  const Shared& shared;
  std::uint64_t number;
  std::vector<double> q, k;
  // of phase scores
  KeyForms forms;
  double needle_a = 0, needle_phi = 0;
  GivenQueryPhase law;
  std::vector<double> token_a, token_phi;
  // of rotary scores of Gaussians: the laws at distances 1 .. length, filled once
  mutable std::vector<NormalScore> normal_scores;

  void phase_trial() {
    const PhaseFlat& flat = *shared.phase;
    const std::uint32_t dim = shared.task.head_dim;
    forms.amplitude.assign(dim, 0);
    forms.phase.assign(dim, 0);
    for (const auto& term : flat.amplitude)
      forms.amplitude[term.key] += term.weight * q[term.query];
    for (const auto& term : flat.phase) forms.phase[term.key] += term.weight * q[term.query];
    for (const auto& term : flat.linear) {
      if (term.coordinate < dim)
        forms.phase_constant += term.weight * q[term.coordinate];
      else
        forms.phase[term.coordinate - dim] += term.weight;
    }
    needle_a = dot(forms.amplitude, k.data());
    needle_phi = forms.phase_constant + dot(forms.phase, k.data());
    if (shared.tokens != nullptr) {
      for (std::size_t i = 0; i < shared.tokens->tokens; ++i) {
        const double* key = &shared.tokens->keys[i * dim];
        token_a.push_back(dot(forms.amplitude, key));
        token_phi.push_back(forms.phase_constant + dot(forms.phase, key));
      }
      return;
    }
    law.phi_mean = forms.phase_constant;
    double aa = 0, pp = 0, ap = 0;
    for (std::uint32_t c = 0; c < dim; ++c) {
      const Standard& to = shared.laws.key[c];
      law.amplitude_mean += forms.amplitude[c] * to.mean;
      law.phi_mean += forms.phase[c] * to.mean;
      aa += square(forms.amplitude[c] * to.scale);
      pp += square(forms.phase[c] * to.scale);
      ap += forms.amplitude[c] * forms.phase[c] * square(to.scale);
    }
    law.amplitude_sd = std::sqrt(aa);
    law.phi_sd = std::sqrt(pp);
    law.correlation = aa > 0 && pp > 0 ? std::clamp(ap / std::sqrt(aa * pp), -1.0, 1.0) : 0;
  }

  double phase_score(double a, double phi, std::uint64_t distance) const {
    return score<DoublePrecision>(a, phi, TwoTerm<double>{shared.scales[distance], 0});  // eq. 9
  }

  /// The rotary score of q and a key at one distance.
  double rotary_score(const double* key, std::uint64_t distance) const {
    const RotaryFlat& flat = *shared.rotary;
    const auto far = static_cast<double>(distance);
    double sum = 0;
    for (const std::uint32_t c : flat.plain) sum += q[c] * key[c];
    for (std::size_t d = 0; d < flat.pairs.size(); ++d) {
      const auto& pair = flat.pairs[d];
      double A = 0, B = 0;
      rotary_products<1>({pair.first, pair.second}, q.data(), key, &A, &B);
      const double weight = flat.weight(d, far);
      sum = add_rotary<DoublePrecision>(sum, weight * A, weight * B, flat.rotation(d, far));
    }
    return flat.scale * sum - flat.slope * far;
  }

  /// Visits distances 1 .. length with the query turned to each: score = dot(turned, key) + offset.
  template <class Use>
  void turned_queries(std::uint64_t length, Use use) const {
    const RotaryFlat& flat = *shared.rotary;
    std::vector<double> turned(q.size(), 0);
    std::vector<SinCos<double>> now(flat.pairs.size()), step(flat.pairs.size());
    for (std::size_t d = 0; d < flat.pairs.size(); ++d) step[d] = flat.rotation(d, 1);
    for (const std::uint32_t c : flat.plain) turned[c] = flat.scale * q[c];
    for (std::uint64_t j = 1; j <= length; ++j) {
      heed_signals(j);
      const auto far = static_cast<double>(j);
      const bool exact = (j - 1) % kExactRotation == 0;
      for (std::size_t d = 0; d < flat.pairs.size(); ++d) {
        const auto& pair = flat.pairs[d];
        SinCos<double>& wave = now[d];
        wave = exact ? flat.rotation(d, far)
                     : SinCos<double>{wave.sin * step[d].cos + wave.cos * step[d].sin,
                                      wave.cos * step[d].cos - wave.sin * step[d].sin};
        // A cos + B sin (eq. 2) as a form of the key
        const double weight = flat.scale * flat.weight(d, far);
        turned[pair.first] = weight * (q[pair.first] * wave.cos - q[pair.second] * wave.sin);
        turned[pair.second] = weight * (q[pair.second] * wave.cos + q[pair.first] * wave.sin);
      }
      use(j, turned, -flat.slope * far);
    }
  }

  NormalScore normal_of(const std::vector<double>& turned, double offset) const {
    NormalScore result{offset, 0};
    double variance = 0;
    for (std::size_t c = 0; c < turned.size(); ++c) {
      result.mean += turned[c] * shared.laws.key[c].mean;
      variance += square(turned[c] * shared.laws.key[c].scale);
    }
    result.sd = std::sqrt(variance);
    return result;
  }

  /// Every distance has the same law: what rotations keep is all that matters.
  bool one_law() const {
    return shared.centred && shared.rotary->slope == 0 && !shared.rotary->decays;
  }

  const NormalScore& normal_at(std::uint64_t distance) const {
    return normal_scores[one_law() ? 0 : distance - 1];
  }

  void fill_normal_scores() {
    const std::uint64_t length = one_law() ? 1 : shared.task.lengths.back();
    normal_scores.reserve(length);
    turned_queries(length, [&](std::uint64_t, const std::vector<double>& turned, double offset) {
      normal_scores.push_back(normal_of(turned, offset));
    });
  }

  NormalPair noise(std::uint64_t distance) const {
    return normal_pair(philox(
        stream_counter(number, static_cast<std::uint32_t>(distance), stream_tag(Stream::retrieval)),
        shared.key));
  }

  double drawn_phase(std::uint64_t distance) const {
    if (shared.tokens != nullptr) {
      const std::size_t i = shared.token(number, static_cast<std::uint32_t>(distance));
      return phase_score(token_a[i], token_phi[i], distance);
    }
    const NormalPair z = noise(distance);
    const double r = law.correlation;
    const double other = r == 0 ? z.second : r * z.first + std::sqrt(1 - r * r) * z.second;
    return phase_score(law.amplitude_mean + law.amplitude_sd * other,
                       law.phi_mean + law.phi_sd * z.first, distance);
  }
};

RetrievalProbe::RetrievalProbe(const RetrievalTask& task)
    : shared_(std::make_unique<const Shared>(task)) {}
RetrievalProbe::~RetrievalProbe() = default;
RetrievalProbe::Trial RetrievalProbe::trial(std::uint64_t number) const {
  return Trial(*shared_, number);
}
bool RetrievalProbe::integrates() const { return shared_->tokens == nullptr; }

RetrievalProbe::Trial::Trial(const Shared& shared, std::uint64_t number)
    : state_(std::unique_ptr<State>(
          new State{shared, number, shared.query(number), {}, {}, 0, 0, {}, {}, {}, {}})) {
  state_->k = shared.needle(number, state_->q);
  if (shared.phase != nullptr)
    state_->phase_trial();
  else if (shared.tokens == nullptr)
    state_->fill_normal_scores();
}
RetrievalProbe::Trial::~Trial() = default;
RetrievalProbe::Trial::Trial(Trial&&) noexcept = default;

double RetrievalProbe::Trial::needle(std::uint64_t distance) const {
  return state_->shared.phase != nullptr
             ? state_->phase_score(state_->needle_a, state_->needle_phi, distance)
             : state_->rotary_score(state_->k.data(), distance);
}

double RetrievalProbe::Trial::distractor(std::uint64_t distance) const {
  if (state_->shared.phase != nullptr) return state_->drawn_phase(distance);
  if (state_->shared.tokens != nullptr)
    return state_->rotary_score(
        state_->shared.token_key(state_->number, static_cast<std::uint32_t>(distance)), distance);
  const NormalScore& law = state_->normal_at(distance);
  return law.mean + law.sd * state_->noise(distance).first;
}

void RetrievalProbe::Trial::walk(std::uint64_t length,
                                 const std::function<void(std::uint64_t, double)>& use) const {
  const Shared& shared = state_->shared;
  if (shared.rotary == nullptr || shared.tokens == nullptr) {
    for (std::uint64_t j = 1; j <= length; ++j) {
      heed_signals(j);
      use(j, distractor(j));
    }
    return;
  }
  state_->turned_queries(
      length, [&](std::uint64_t j, const std::vector<double>& turned, double offset) {
        const double* key = shared.token_key(state_->number, static_cast<std::uint32_t>(j));
        use(j, dot(turned, key) + offset);
      });
}

LogProbability RetrievalProbe::Trial::log_all_below(double x, std::uint64_t length,
                                                    std::uint64_t skipped) const {
  const Shared& shared = state_->shared;
  LogProbability result;
  if (shared.phase != nullptr) {
    result = tapalab::log_all_below(state_->law, shared.phase->scale, x, length);
    if (std::isfinite(result.value))
      result.value -= std::log1p(-probability_above(state_->law, x, shared.scales[skipped]));
    return result;
  }
  const auto at = [&](std::uint64_t distance) {
    const NormalScore& law = state_->normal_at(distance);
    return log_normal_below((x - law.mean) / law.sd);
  };
  if (state_->one_law()) {
    result.value = static_cast<double>(length - 1) * at(1);
    return result;
  }
  for (std::uint64_t j = 1; j <= length && result.value > -800; ++j) {
    heed_signals(j);
    if (j != skipped) result.value += at(j);
  }
  return result;
}

}  // namespace tapalab
