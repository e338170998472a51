#include "analysis/spec_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "sim/errors.hpp"
#include "sim/io/npy.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

const SpecItem* find(const SpecSource& source, std::string_view key) {
  for (const auto& item : source.items) {
    if (item.key == key) return &item;
  }
  return nullptr;
}

// Runs `read` with the place before the message of what it throws.
template <typename Read>
auto at(const std::string& where, Read read) {
  try {
    return read();
  } catch (const InputError& error) {
    throw InputError(where + ": " + error.what());
  }
}

void check_keys(const SpecSource& source, std::string_view what,
                const std::vector<NamedEntry>& catalogue, std::vector<std::string> accepted) {
  const auto entry = std::find_if(catalogue.begin(), catalogue.end(),
                                  [&](const auto& known) { return known.name == source.name; });
  if (entry == catalogue.end()) {
    throw InputError(source.where + ": " +
                     unknown_name(what, "name", source.name, names_of(catalogue)));
  }
  for (const auto& key : entry->keys) {
    accepted.push_back(key.name);
    if (!key.prefixable) continue;
    accepted.push_back("a." + key.name);
    accepted.push_back("p." + key.name);
  }
  for (const auto& item : source.items) {
    if (std::find(accepted.begin(), accepted.end(), item.key) == accepted.end()) {
      throw InputError(
          item.where + ": " +
          unknown_name(fmt::format("{} {}", what, source.name), "key", item.key, accepted));
    }
  }
}

SpecText text_of(const SpecSource& source, const std::vector<std::string>& leave_out) {
  SpecText text{source.name, {}};
  for (const auto& item : source.items) {
    if (std::find(leave_out.begin(), leave_out.end(), item.key) != leave_out.end()) continue;
    const auto* value = std::get_if<std::string>(&item.value);
    if (!value) {
      throw InputError(
          fmt::format("{}: {}: a list is not accepted here; one value is", item.where, item.key));
    }
    text.entries.emplace_back(item.key, *value);
  }
  return text;
}

DecimalMatrix matrix_of(const SpecItem& item) {
  if (const auto* matrix = std::get_if<DecimalMatrix>(&item.value)) return *matrix;
  return at(item.where,
            [&] { return read_npy_matrix(std::get<std::string>(item.value), item.key); });
}

const SpecItem& required(const SpecSource& source, std::string_view key) {
  const SpecItem* item = find(source, key);
  if (!item)
    throw InputError(fmt::format("{}: {} needs the key {}", source.where, source.name, key));
  return *item;
}

bool holds_numbers(const SpecSource& source) {
  return std::any_of(source.items.begin(), source.items.end(), [](const SpecItem& item) {
    return std::holds_alternative<DecimalMatrix>(item.value);
  });
}

Encoding general_encoding(const SpecSource& source) {
  const SpecText text = text_of(source, {"M", "N"});
  // alpha and law mean what they mean for tapa.
  const Encoding split = at(source.where, [&] {
    return parse_encoding(write_spec_text({"tapa", text.entries}));
  });
  const auto& tapa = std::get<TapaEncoding>(split.law);
  TapaGeneralEncoding general;
  general.alpha = tapa.alpha;
  general.law = tapa.law;
  general.M = matrix_of(required(source, "M"));
  general.N = matrix_of(required(source, "N"));
  for (const auto& [key, matrix] : {std::pair{"M", &general.M}, std::pair{"N", &general.N}}) {
    if (matrix->rows != matrix->cols || matrix->rows != general.M.rows) {
      throw InputError(fmt::format(
          "{}: {} is {} x {}{}; accepted: M and N square, of the same size, each a list of rows or "
          "a .npy file",
          required(source, key).where, key, matrix->rows, matrix->cols,
          matrix->rows == 1 ? " (one row)" : ""));
    }
  }
  return {write_spec_text(text), std::move(general)};
}

Density full_gaussian(const SpecSource& source) {
  const SpecText text = text_of(source, {"mean", "covariance"});
  if (!text.entries.empty()) {
    throw InputError(fmt::format("{}: {} cannot stand beside a covariance", source.where,
                                 text.entries.front().first));
  }
  const SpecItem& covariance_item = required(source, "covariance");
  FullGaussianDensity law;
  law.covariance = matrix_of(covariance_item);
  const std::size_t size = law.covariance.rows;
  if (size == 0 || size % 2 != 0 || law.covariance.cols != size) {
    throw InputError(fmt::format(
        "{}: covariance is {} x {}{}; accepted: 2D x 2D, query coordinates first, a "
        "list of rows or a .npy file",
        covariance_item.where, size, law.covariance.cols, size == 1 ? " (one row)" : ""));
  }
  law.mean.assign(size, ExactDecimal(0));
  if (const SpecItem* mean_item = find(source, "mean")) {
    const DecimalMatrix mean = matrix_of(*mean_item);
    if (mean.entries.size() != size || (mean.rows != 1 && mean.cols != 1)) {
      throw InputError(fmt::format("{}: mean holds {} values; accepted: {}, as the covariance has",
                                   mean_item->where, mean.entries.size(), size));
    }
    law.mean = mean.entries;
  }
  return {source.name, std::move(law)};
}

// Components with a covariance of their own among components of pairs. Weights and the keys of
// pairs are read as the command line's text is.
Density mixture(const SpecSource& source) {
  if (source.components.empty()) {
    throw InputError(source.where +
                     ": mixture needs the key components, a list of tables that is "
                     "not empty");
  }
  SpecText text{source.name, {}};
  for (const SpecSource& component : source.components) {
    check_keys(component, "density", density_catalogue(), {"mean", "covariance"});
    const bool full = find(component, "covariance") || find(component, "mean");
    SpecEntries entries = text_of(component, {"mean", "covariance"}).entries;
    if (full) {
      for (const auto& [key, value] : entries) {
        if (key == "weight") continue;
        throw InputError(
            fmt::format("{}: {} cannot stand beside a covariance", component.where, key));
      }
    }
    // The text form cannot hold an empty part; one of defaults says one of them.
    if (entries.empty()) entries.emplace_back("rho", "0");
    if (&component == &source.components.front()) {
      text.entries = std::move(entries);
    } else {
      text.further.push_back(std::move(entries));
    }
  }
  Density density = at(source.where, [&] { return parse_density(write_spec_text(text)); });
  auto& law = std::get<MixtureDensity>(density.law);
  std::size_t size = 0;
  for (std::size_t i = 0; i < source.components.size(); ++i) {
    SpecSource component = source.components[i];
    if (!find(component, "covariance") && !find(component, "mean")) continue;
    std::erase_if(component.items, [](const SpecItem& item) { return item.key == "weight"; });
    auto full = std::get<FullGaussianDensity>(full_gaussian(component).law);
    if (size != 0 && full.mean.size() != size) {
      throw InputError(
          fmt::format("{}: its covariance is {} x {}, that of a component before it {} "
                      "x {}; accepted: the same size",
                      component.where, full.mean.size(), full.mean.size(), size, size));
    }
    size = full.mean.size();
    law.components[i].law = std::move(full);
  }
  return density;
}

}  // namespace

SpecSource source_of(std::string_view text, std::string_view what, std::string where) {
  SpecText parsed = parse_spec_text(text, what);
  SpecSource source{std::move(parsed.name), {}, std::move(where)};
  const auto take = [](SpecSource& target, SpecEntries& entries) {
    for (auto& [key, value] : entries) {
      target.items.push_back({std::move(key), std::move(value), target.where});
    }
  };
  if (source.name != MixtureDensity::name) {
    take(source, parsed.entries);
    if (!parsed.further.empty()) {
      throw InputError(fmt::format(
          "{} {}: ';' starts a second part; accepted: keys separated by ','", what, source.name));
    }
    return source;
  }
  parsed.further.insert(parsed.further.begin(), std::move(parsed.entries));
  for (SpecEntries& entries : parsed.further) {
    SpecSource component{source.name, {}, source.where};
    take(component, entries);
    source.components.push_back(std::move(component));
  }
  return source;
}

SpecSource located(SpecSource source, const std::string& directory) {
  if (directory.empty()) return source;
  for (SpecSource& component : source.components) {
    component = located(std::move(component), directory);
  }
  // q and k name tensors of the file where there is one.
  const bool npy_tokens = source.name == "empirical" && !find(source, "file");
  for (auto& item : source.items) {
    auto* path = std::get_if<std::string>(&item.value);
    const bool holds_path = item.key == "M" || item.key == "N" || item.key == "mean" ||
                            item.key == "covariance" || item.key == "file" ||
                            (npy_tokens && (item.key == "q" || item.key == "k"));
    if (path && holds_path && !path->empty()) {
      *path = (std::filesystem::path(directory) / *path).string();
    }
  }
  return source;
}

Encoding encoding_from(const SpecSource& source) {
  check_keys(source, "encoding", encoding_catalogue(), {});
  if (source.name == "tapa-general" && holds_numbers(source)) return general_encoding(source);
  return at(source.where, [&] { return parse_encoding(write_spec_text(text_of(source, {}))); });
}

Density density_from(const SpecSource& source) {
  if (source.name == MixtureDensity::name) {
    if (!source.items.empty()) {
      throw InputError(fmt::format(
          "{}: key {} of mixture belongs to a component; accepted: components, a list of tables",
          source.items.front().where, printable(source.items.front().key)));
    }
    return mixture(source);
  }
  if (!source.components.empty()) {
    throw InputError(fmt::format("{}: components belong to the density mixture", source.where));
  }
  const bool gaussian = source.name == "gaussian";
  check_keys(
      source, "density", density_catalogue(),
      gaussian ? std::vector<std::string>{"mean", "covariance"} : std::vector<std::string>{});
  if (gaussian && (find(source, "mean") || find(source, "covariance"))) {
    return full_gaussian(source);
  }
  return at(source.where, [&] { return parse_density(write_spec_text(text_of(source, {}))); });
}

}  // namespace tapalab
