#include "analysis/experiment_spec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/errors.hpp"
#include "sim/score_model.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

constexpr std::uint32_t kDefaultHeadDim = 128;

template <typename T>
void take(T& base, const T& flag) {
  if (flag) base = flag;
}

bool has_key(const std::vector<NamedEntry>& catalogue, std::string_view name,
             std::string_view key) {
  std::string_view bare = key;
  const bool prefixed = bare.substr(0, 2) == "a." || bare.substr(0, 2) == "p.";
  if (prefixed) bare.remove_prefix(2);
  for (const auto& entry : catalogue) {
    if (entry.name != name) continue;
    for (const auto& known : entry.keys) {
      if (prefixed ? known.prefixable && known.name == bare : known.name == key) return true;
    }
  }
  return false;
}

bool has_key(const Encoding& encoding, std::string_view key) {
  return has_key(encoding_catalogue(), encoding_name(encoding.law), key);
}

bool has_key(const Density& density, std::string_view key) {
  // A full covariance leaves nothing for the keys of `gaussian` to say, and a key of a mixture does
  // not say which component it means.
  return !std::holds_alternative<MixtureDensity>(density.law) &&
         !std::holds_alternative<FullGaussianDensity>(density.law) &&
         has_key(density_catalogue(), density_name(density.law), key);
}

std::string with_value(const std::string& text, std::string_view what, const std::string& key,
                       const std::string& value) {
  SpecText spec = parse_spec_text(text, what);
  const auto found = std::find_if(spec.entries.begin(), spec.entries.end(),
                                  [&](const auto& entry) { return entry.first == key; });
  if (found == spec.entries.end()) {
    spec.entries.emplace_back(key, value);
  } else {
    found->second = value;
  }
  return write_spec_text(spec);
}

Encoding with_value(const Encoding& encoding, const std::string& key, const std::string& value) {
  const std::string text = with_value(encoding.spec, "encoding", key, value);
  const auto* general = std::get_if<TapaGeneralEncoding>(&encoding.law);
  if (!general || key != "alpha") return parse_encoding(text);
  // Its matrices may have come from an experiment file: the text alone does not hold them. The
  // range of alpha is that of tapa.
  TapaGeneralEncoding law = *general;
  law.alpha = std::get<TapaEncoding>(parse_encoding(with_value("tapa", "", key, value)).law).alpha;
  return {text, std::move(law)};
}

Density with_value(const Density& density, const std::string& key, const std::string& value) {
  return parse_density(with_value(density.spec, "density", key, value));
}

// Each item that has the key is replaced by one for each value. False where none has it.
template <typename T>
bool expand(std::vector<T>& items, const Sweep& sweep) {
  std::vector<T> expanded;
  bool found = false;
  for (const auto& item : items) {
    if (!has_key(item, sweep.key)) {
      expanded.push_back(item);
      continue;
    }
    found = true;
    for (const auto& value : sweep.values) {
      expanded.push_back(with_value(item, sweep.key, value));
    }
  }
  items = std::move(expanded);
  return found;
}

std::uint32_t dictated_head_dim(const Encoding& encoding) {
  if (const auto* general = std::get_if<TapaGeneralEncoding>(&encoding.law))
    return static_cast<std::uint32_t>(general->M.rows);
  if (const auto* model = std::get_if<ModelRopeEncoding>(&encoding.law)) return model->head_dim;
  return 0;
}

std::uint32_t head_dim_of(const ExperimentSpec& spec, const Encoding& encoding,
                          const Density& density) {
  const std::uint32_t by_encoding = dictated_head_dim(encoding);
  const std::uint32_t by_density = tapalab::dictated_head_dim(density.law);
  if (by_encoding != 0 && by_density != 0 && by_encoding != by_density) {
    throw InputError(fmt::format("head dimension: encoding {} has {}, density {} has {}",
                                 printable(encoding.spec), by_encoding, printable(density.spec),
                                 by_density));
  }
  const std::uint32_t dictated = by_encoding != 0 ? by_encoding : by_density;
  if (dictated == 0) return spec.head_dim.value_or(kDefaultHeadDim);
  if (spec.head_dim && *spec.head_dim != dictated) {
    throw InputError(fmt::format(
        "--head-dim: {} contradicts {}, which has {}; leave it out or give {}", *spec.head_dim,
        printable(by_encoding != 0 ? encoding.spec : density.spec), dictated, dictated));
  }
  return dictated;
}

nlohmann::ordered_json or_null(const std::optional<double>& x) {
  return x ? nlohmann::ordered_json(*x) : nlohmann::ordered_json(nullptr);
}

}  // namespace

ExperimentSpec overridden(ExperimentSpec base, const ExperimentSpec& flags) {
  if (!flags.encodings.empty()) base.encodings = flags.encodings;
  if (!flags.densities.empty()) base.densities = flags.densities;
  take(base.sweep, flags.sweep);
  take(base.distances, flags.distances);
  take(base.head_dim, flags.head_dim);
  take(base.seq_len, flags.seq_len);
  take(base.engine, flags.engine);
  take(base.estimator, flags.estimator);
  take(base.samples, flags.samples);
  take(base.seed, flags.seed);
  take(base.confidence, flags.confidence);
  take(base.rel_tol, flags.rel_tol);
  take(base.abs_tol, flags.abs_tol);
  return base;
}

ExperimentSpec completed(ExperimentSpec spec) {
  if (spec.encodings.empty()) spec.encodings.push_back(parse_encoding("tapa"));
  if (spec.densities.empty()) spec.densities.push_back(parse_density("gaussian:rho=0.25"));
  if (spec.sweep) {
    if (!expand(spec.encodings, *spec.sweep) && !expand(spec.densities, *spec.sweep)) {
      throw InputError(fmt::format("--sweep: neither {} nor {} has a key {} to sweep",
                                   printable(spec.encodings.front().spec),
                                   printable(spec.densities.front().spec),
                                   printable(spec.sweep->key)));
    }
    spec.sweep.reset();
  }
  if (!spec.distances) spec.distances = parse_distances("log:1:2^20:21");
  const auto& distances = spec.distances->distances;
  if (!spec.seq_len) spec.seq_len = *std::max_element(distances.begin(), distances.end()) + 1;
  const SamplingOptions defaults;
  spec.engine = spec.engine.value_or(Engine::automatic);
  spec.samples = spec.samples.value_or(defaults.samples);
  spec.seed = spec.seed.value_or(defaults.seed);
  spec.confidence = spec.confidence.value_or(defaults.confidence);
  return spec;
}

std::vector<CurveTask> plan_curves(const ExperimentSpec& spec, unsigned threads) {
  std::vector<CurveTask> tasks;
  for (const auto& encoding : spec.encodings) {
    for (const auto& density : spec.densities) {
      CurveTask task;
      task.encoding = encoding;
      if (depends_on_length(encoding.law)) task.encoding.sequence_length = spec.seq_len;
      task.density = density;
      task.head_dim = head_dim_of(spec, encoding, density);
      task.distances = spec.distances.value();
      task.engine = spec.engine.value();
      task.sampling = {spec.samples.value(),
                       spec.seed.value(),
                       spec.confidence.value(),
                       spec.rel_tol,
                       spec.abs_tol,
                       threads,
                       spec.estimator.value_or(Estimator::standard)};
      lower(task.encoding, task.head_dim);  // refuses what does not fit
      choose_engine(task);
      tasks.push_back(std::move(task));
    }
  }
  return tasks;
}

nlohmann::ordered_json experiment_json(const ExperimentSpec& spec) {
  nlohmann::ordered_json out{{"distances", spec.distances.value().spec},
                             {"distance_count", spec.distances.value().distances.size()},
                             {"seq_len", spec.seq_len.value()},
                             {"engine", to_string(spec.engine.value())},
                             {"samples", spec.samples.value()},
                             {"seed", spec.seed.value()},
                             {"confidence", spec.confidence.value()},
                             {"rel_tol", or_null(spec.rel_tol)},
                             {"abs_tol", or_null(spec.abs_tol)}};
  if (spec.estimator) out["estimator"] = to_string(*spec.estimator);
  return out;
}

}  // namespace tapalab
