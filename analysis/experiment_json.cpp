#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/experiment_file.hpp"
#include "analysis/spec_source.hpp"
#include "analysis/writers/json.hpp"
#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using Json = nlohmann::ordered_json;

// Walks one document; `path` is where a value stands: "curves[0].encoding".
class ResultReader {
 public:
  explicit ResultReader(std::string label) : label_(std::move(label)) {}

  [[noreturn]] void refuse(const std::string& path, const std::string& reason) const {
    throw InputError(fmt::format("{}: {}: {}", label_, path, reason));
  }

  const Json& member(const Json& object, const std::string& path, const char* key) const {
    if (!object.is_object()) refuse(path, "an object is expected");
    const auto found = object.find(key);
    if (found == object.end()) refuse(path, fmt::format("the key {} is missing", key));
    return *found;
  }

  const Json& list(const Json& object, const std::string& path, const char* key) const {
    const Json& value = member(object, path, key);
    if (!value.is_array() || value.empty()) {
      refuse(path + "." + key, "a list that is not empty is expected");
    }
    return value;
  }

  std::string text(const Json& value, const std::string& path) const {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return value.dump();
    refuse(path, "a string or a number is expected");
  }

  /// Text of a member that may be missing or null: empty then.
  std::string optional_text(const Json& object, const std::string& path, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || found->is_null()) return "";
    return text(*found, path + "." + key);
  }

  SpecValue spec_value(const Json& value, const std::string& path) const {
    if (!value.is_array()) return text(value, path);
    if (value.empty()) refuse(path, "a list that is not empty is expected");
    DecimalMatrix matrix;
    const bool nested = value.front().is_array();
    const auto add_row = [&](const Json& row) {
      if (!row.is_array() || (matrix.rows > 0 && row.size() != matrix.cols)) {
        refuse(path, "rows of equal length are expected");
      }
      matrix.cols = row.size();
      ++matrix.rows;
      for (const auto& entry : row) {
        matrix.entries.push_back(
            ExactDecimal::parse(text(entry, path), fmt::format("{}: {}", label_, path)));
      }
    };
    if (!nested) add_row(value);
    for (const auto& row : value) {
      if (nested) add_row(row);
    }
    return matrix;
  }

  SpecSource spec_source(const Json& object, const std::string& path) const {
    SpecSource source{text(member(object, path, "name"), path + ".name"),
                      {},
                      fmt::format("{}: {}", label_, path)};
    for (const auto& [key, value] : object.items()) {
      if (key == "name" || key == "spec") continue;
      if (key == "components") {
        source.components = component_sources(value, path + ".components", source.name);
        continue;
      }
      source.items.push_back({key, spec_value(value, path + "." + key), source.where});
    }
    return source;
  }

  std::vector<SpecSource> component_sources(const Json& list, const std::string& path,
                                            const std::string& name) const {
    if (!list.is_array()) refuse(path, "a list of objects is expected");
    std::vector<SpecSource> components;
    for (const auto& one : list) {
      if (!one.is_object() || one.contains("name") || one.contains("components")) {
        refuse(path, "a list of objects with the keys of one component is expected");
      }
      Json named = one;
      named["name"] = name;
      components.push_back(spec_source(named, path));
    }
    return components;
  }

  std::string place(const std::string& path) const { return fmt::format("{}: {}", label_, path); }

 private:
  std::string label_;
};

// Lists of numbers; the components of a mixture are looked into.
bool has_list(const Json& object) {
  for (const auto& [key, value] : object.items()) {
    if (!value.is_array()) continue;
    if (key != "components") return true;
    for (const auto& component : value) {
      if (component.is_object() && has_list(component)) return true;
    }
  }
  return false;
}

// The echo holds the text as given and every parameter. The text is read again; where it does not
// say what the parameters say (the file was edited), that is an error and not a silent choice.
// Matrices may stand in the parameters alone.
template <typename Item, typename FromSource, typename FromText, typename Echo>
Item read_echo(const ResultReader& reader, const Json& object, const std::string& path,
               FromSource from_source, FromText from_text, Echo echo) {
  const SpecSource source = reader.spec_source(object, path);
  const std::string spec = reader.optional_text(object, path, "spec");
  if (spec.empty()) return from_source(source);
  if (has_list(object)) {
    Item item = from_source(source);
    item.spec = spec;
    return item;
  }
  Item item = [&] {
    try {
      return from_text(spec);
    } catch (const InputError& error) {
      reader.refuse(path + ".spec", error.what());
    }
  }();
  const Json expected = echo(item);
  for (const auto& [key, value] : object.items()) {
    if (!expected.contains(key) || expected.at(key) != value) {
      reader.refuse(
          path + "." + key,
          fmt::format("{} contradicts the specification {}; change both or leave out spec",
                      printable(value.dump()), printable(spec)));
    }
  }
  return item;
}

DistanceGrid read_distances(const ResultReader& reader, const Json& curve,
                            const std::string& path) {
  std::string list;
  for (const auto& point : reader.list(curve, path, "points")) {
    const Json& distance = reader.member(point, path + ".points", "distance");
    list += (list.empty() ? "" : ",") + reader.text(distance, path + ".points.distance");
  }
  try {
    return parse_distances(list);
  } catch (const InputError& error) {
    reader.refuse(path + ".points", error.what());
  }
}

// The engine of all points; auto where they differ.
Engine engine_of(const ResultReader& reader, const Json& curve, const std::string& path) {
  std::string engine;
  for (const auto& point : curve.at("points")) {
    const std::string one = reader.optional_text(point, path + ".points", "engine");
    if (!engine.empty() && one != engine) return Engine::automatic;
    engine = one;
  }
  if (engine.empty()) return Engine::automatic;
  return parse_engine(engine, reader.place(path + ".points.engine"));
}

Json parse(const std::string& text, const std::string& label) {
  check_json_text(text, label);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw InputError(fmt::format("{}: byte {}: not valid JSON", label, error.byte));
  } catch (const Json::out_of_range&) {
    throw InputError(fmt::format(
        "{}: a number leaves the range of double; accepted: such a number as a string", label));
  }
}

struct EchoedPair {
  Json encoding, density;
};

std::vector<EchoedPair> read_pairs(const ResultReader& reader, const Json& curves) {
  std::vector<EchoedPair> pairs;
  for (std::size_t i = 0; i < curves.size(); ++i) {
    const std::string path = fmt::format("curves[{}]", i);
    pairs.push_back(
        {reader.member(curves[i], path, "encoding"), reader.member(curves[i], path, "density")});
  }
  return pairs;
}

// plan_curves runs encodings x densities, encodings outermost: the curves must be such a product.
// Where an encoding or density was given twice there may be several; they give the same curves.
std::size_t density_count(const ResultReader& reader, const std::vector<EchoedPair>& pairs) {
  for (std::size_t columns = 1; columns <= pairs.size(); ++columns) {
    if (pairs.size() % columns != 0) continue;
    bool product = true;
    for (std::size_t i = 0; product && i < pairs.size(); ++i) {
      const std::size_t column = i % columns;
      product = pairs[i].encoding == pairs[i - column].encoding &&
                pairs[i].density == pairs[column].density;
    }
    if (product) return columns;
  }
  reader.refuse("curves", "they are not every encoding with every density, in order");
}

// What the curves hold beside their encodings and densities; it must be the same for all.
void read_curve(const ResultReader& reader, const Json& curve, const std::string& path,
                const Density& density, ExperimentSpec& spec) {
  const DistanceGrid grid = read_distances(reader, curve, path);
  if (spec.distances && spec.distances->distances != grid.distances) {
    reader.refuse(path + ".points", "its distances are not those of the curves before it");
  }
  spec.distances = grid;
  const Engine engine = engine_of(reader, curve, path);
  spec.engine = spec.engine.value_or(engine) == engine ? engine : Engine::automatic;
  const auto read = [&](const char* key, auto& target, auto parse_value) {
    const std::string value = reader.optional_text(curve, path, key);
    if (!value.empty()) target = parse_value(value, reader.place(path + "." + key));
  };
  read("seed", spec.seed, parse_seed);
  read("samples", spec.samples, parse_samples);
  // Matrices and files dictate theirs: a flag may then still name another density.
  const bool dictated =
      dictated_head_dim(density.law) != 0 || curve.at("encoding").at("name") == "tapa-general";
  if (!dictated) read("head_dim", spec.head_dim, parse_head_dim);
}

void read_experiment(const ResultReader& reader, const Json& document, ExperimentSpec& spec) {
  if (!document.contains("experiment")) return;
  const Json& experiment = document.at("experiment");
  const std::string path = "experiment";
  if (!experiment.is_object()) reader.refuse(path, "an object is expected");
  const auto read = [&](const char* key, auto& target, auto parse_value) {
    const std::string text = reader.optional_text(experiment, path, key);
    if (!text.empty()) target = parse_value(text, reader.place(path + "." + key));
  };
  read("engine", spec.engine, parse_engine);
  read("estimator", spec.estimator, parse_estimator);
  read("samples", spec.samples, parse_samples);
  read("seed", spec.seed, parse_seed);
  read("confidence", spec.confidence, parse_confidence);
  read("rel_tol", spec.rel_tol, parse_tolerance);
  read("abs_tol", spec.abs_tol, parse_tolerance);
  read("seq_len", spec.seq_len, parse_seq_len);
  // The distances as they were written.
  const std::string written = reader.optional_text(experiment, path, "distances");
  if (!written.empty()) {
    const DistanceGrid grid = parse_distances(written);
    if (grid.distances != spec.distances->distances)
      reader.refuse(path + ".distances", fmt::format("{} contradicts the points of the curves; "
                                                     "change both, or leave out experiment",
                                                     printable(written)));
    spec.distances = grid;
  }
  static constexpr std::string_view kKnown[] = {
      "distances", "distance_count", "seq_len", "engine",  "samples",
      "seed",      "confidence",     "rel_tol", "abs_tol", "estimator"};
  for (const auto& [key, value] : experiment.items()) {
    if (std::find(std::begin(kKnown), std::end(kKnown), key) == std::end(kKnown))
      reader.refuse(path + "." + key, "unknown key; accepted: those that curve writes");
  }
  // A length that is the default for these distances is left to follow others.
  std::uint64_t largest = 0;
  for (const auto distance : spec.distances->distances) largest = std::max(largest, distance);
  if (spec.seq_len == largest + 1) spec.seq_len.reset();
}

}  // namespace

ExperimentSpec read_experiment_json(const std::string& text, const std::string& label) {
  const Json document = parse(text, label);
  const ResultReader reader(label);
  const std::string schema = reader.text(reader.member(document, "document", "schema"), "schema");
  if (schema != "tapalab/curve/1") {
    reader.refuse("schema", printable(schema) + " cannot be run again; accepted: tapalab/curve/1");
  }
  const Json& curves = reader.list(document, "document", "curves");
  const std::vector<EchoedPair> pairs = read_pairs(reader, curves);
  const std::size_t columns = density_count(reader, pairs);
  ExperimentSpec spec;
  for (std::size_t i = 0; i < pairs.size(); i += columns) {
    spec.encodings.push_back(read_echo<Encoding>(reader, pairs[i].encoding,
                                                 fmt::format("curves[{}].encoding", i),
                                                 encoding_from, parse_encoding, encoding_json));
  }
  for (std::size_t i = 0; i < columns; ++i) {
    spec.densities.push_back(read_echo<Density>(reader, pairs[i].density,
                                                fmt::format("curves[{}].density", i), density_from,
                                                parse_density, density_json));
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    read_curve(reader, curves[i], fmt::format("curves[{}]", i), spec.densities[i % columns], spec);
  }
  read_experiment(reader, document, spec);
  return spec;
}

}  // namespace tapalab
