#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <functional>
#include <map>

#include "analysis/experiment_file.hpp"
#include "analysis/spec_source.hpp"
#include "sim/errors.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

// Numbers are read from the source text, not from the parser's doubles: 0.1 is one tenth.
class TomlReader {
 public:
  TomlReader(const std::string& text, std::string label) : label_(std::move(label)) {
    std::size_t start = 0;
    while (start <= text.size()) {
      const auto end = std::min(text.find('\n', start), text.size());
      lines_.push_back(text.substr(start, end - start));
      start = end + 1;
    }
  }

  std::string place(const toml::source_region& source) const {
    return fmt::format("{}:{}", label_, source.begin.line);
  }
  std::string place(const toml::node& node) const { return place(node.source()); }

  /// A string's content, or a number as it is written, without underscores.
  std::string value_text(const toml::node& node, std::string_view key) const {
    if (const auto* text = node.as_string()) return text->get();
    if (!node.is_number()) {
      throw InputError(fmt::format("{}: {}: a {} is not accepted; a number or a string is",
                                   place(node), key, type_name(node)));
    }
    std::string literal = source_text(node.source());
    if (const auto* integer = node.as_integer();
        integer && literal.find_first_of("xob") != std::string::npos) {
      return std::to_string(integer->get());
    }
    literal.erase(std::remove(literal.begin(), literal.end(), '_'), literal.end());
    return literal;
  }

  std::string text_or_list(const toml::node& node, std::string_view key) const {
    const auto* list = node.as_array();
    if (!list) return value_text(node, key);
    std::string joined;
    for (const auto& item : *list) joined += (joined.empty() ? "" : ",") + value_text(item, key);
    if (joined.empty()) throw InputError(fmt::format("{}: {}: empty list", place(node), key));
    return joined;
  }

  /// A list of numbers is one row, a list of lists a matrix.
  SpecValue spec_value(const toml::node& node, const std::string& key) const {
    const auto* list = node.as_array();
    if (!list) return value_text(node, key);
    if (list->empty()) throw InputError(fmt::format("{}: {}: empty list", place(node), key));
    DecimalMatrix matrix;
    if (!list->front().is_array()) {
      append_row(matrix, *list, key);
      return matrix;
    }
    for (const auto& row : *list) {
      const auto* entries = row.as_array();
      if (!entries) {
        throw InputError(fmt::format("{}: {}: row {} is not a list", place(row), key, matrix.rows));
      }
      append_row(matrix, *entries, key);
    }
    return matrix;
  }

  SpecSource spec_source(const toml::value<std::string>& text, std::string_view what) const {
    try {
      return source_of(text.get(), what, place(text));
    } catch (const InputError& error) {
      throw InputError(place(text) + ": " + error.what());
    }
  }

  /// `given` is the name of a table which does not say it: a component.
  SpecSource spec_source(const toml::table& table, std::string_view what,
                         const std::string& given = "") const {
    SpecSource source{given, {}, place(table)};
    for (const auto& [key, node] : table) {
      const std::string name(key.str());
      if (name == "name") {
        source.name = value_text(node, "name");
      } else if (name == "components") {
        source.components = component_sources(node, what);
      } else if (const auto* part = node.as_table()) {
        // `a.rho = 0.1` without quotes is a table in TOML: a key with a prefix here.
        for (const auto& [inner, value] : *part) {
          const std::string full = fmt::format("{}.{}", name, std::string(inner.str()));
          source.items.push_back({full, spec_value(value, full), place(inner.source())});
        }
      } else {
        source.items.push_back({name, spec_value(node, name), place(key.source())});
      }
    }
    if (source.name.empty()) {
      throw InputError(fmt::format("{}: {} needs the key name", source.where, what));
    }
    // The parser sorts by key; the text's own order makes the better echo.
    std::stable_sort(
        source.items.begin(), source.items.end(),
        [&](const SpecItem& a, const SpecItem& b) { return line_of(a.where) < line_of(b.where); });
    return source;
  }

 private:
  std::vector<SpecSource> component_sources(const toml::node& node, std::string_view what) const {
    const auto* list = node.as_array();
    if (!list) {
      throw InputError(fmt::format("{}: components: a list of tables is accepted", place(node)));
    }
    std::vector<SpecSource> components;
    for (const auto& one : *list) {
      const auto* table = one.as_table();
      if (!table || table->contains("name") || table->contains("components")) {
        throw InputError(fmt::format(
            "{}: components: a list of tables with the keys of one component is accepted",
            place(one)));
      }
      components.push_back(spec_source(*table, what, std::string(MixtureDensity::name)));
    }
    return components;
  }

  static std::string type_name(const toml::node& node) {
    if (node.is_array()) return "list";
    if (node.is_table()) return "table";
    if (node.is_boolean()) return "boolean";
    return "date or time";
  }

  static std::size_t line_of(const std::string& where) {
    return std::stoul(where.substr(where.rfind(':') + 1));
  }

  void append_row(DecimalMatrix& matrix, const toml::array& entries, const std::string& key) const {
    if (matrix.rows > 0 && entries.size() != matrix.cols) {
      throw InputError(fmt::format("{}: {}: row {} holds {} numbers, the rows before it {}",
                                   place(entries), key, matrix.rows, entries.size(), matrix.cols));
    }
    matrix.cols = entries.size();
    ++matrix.rows;
    for (const auto& entry : entries) {
      matrix.entries.push_back(
          ExactDecimal::parse(value_text(entry, key), fmt::format("{}: {}", place(entry), key)));
    }
  }

  // Columns count characters, bytes are wanted.
  static std::size_t byte_of(const std::string& line, std::size_t column) {
    std::size_t byte = 0;
    for (std::size_t seen = 1; seen < column && byte < line.size(); ++seen) {
      do ++byte;
      while (byte < line.size() && (line[byte] & 0xC0) == 0x80);
    }
    return byte;
  }

  std::string source_text(const toml::source_region& source) const {
    const std::string& line = lines_.at(source.begin.line - 1);
    const std::size_t begin = byte_of(line, source.begin.column);
    return line.substr(begin, byte_of(line, source.end.column) - begin);
  }

  std::string label_;
  std::vector<std::string> lines_;
};

// One item, or each of a list of tables or strings.
template <typename Item, typename FromSource>
std::vector<Item> read_items(const TomlReader& reader, const toml::node& node,
                             std::string_view what, const std::string& directory,
                             FromSource from_source) {
  std::vector<Item> items;
  const auto add = [&](const toml::node& one) {
    if (const auto* table = one.as_table()) {
      items.push_back(from_source(located(reader.spec_source(*table, what), directory)));
    } else if (const auto* text = one.as_string()) {
      items.push_back(from_source(located(reader.spec_source(*text, what), directory)));
    } else {
      throw InputError(
          fmt::format("{}: {}: a table or a string is accepted", reader.place(one), what));
    }
  };
  if (const auto* list = node.as_array()) {
    if (list->empty())
      throw InputError(fmt::format("{}: {}: empty list", reader.place(node), what));
    for (const auto& one : *list) add(one);
  } else {
    add(node);
  }
  return items;
}

// The parser descends once for each part of a dotted key, and has no limit of its own.
void check_dotted_keys(const std::string& text, const std::string& label) {
  constexpr std::size_t kMostParts = 1000;
  std::size_t parts = 0, line = 1;
  for (const char c : text) {
    if (c == '.') {
      if (++parts > kMostParts)
        throw InputError(fmt::format("{}:{}: a key of more than {} parts; accepted: fewer", label,
                                     line, kMostParts));
    } else if (std::string_view(",\n=[]{}#").find(c) != std::string_view::npos) {
      parts = 0;
      line += c == '\n' ? 1 : 0;
    }
  }
}

toml::table parse_toml(const std::string& text, const std::string& label) {
  check_dotted_keys(text, label);
  try {
    return toml::parse(std::string_view(text), std::string_view(label));
  } catch (const toml::parse_error& error) {
    throw InputError(
        fmt::format("{}:{}: {}", label, error.source().begin.line, escaped(error.description())));
  }
}

}  // namespace

ExperimentSpec read_experiment_toml(const std::string& text, const std::string& label,
                                    const std::string& directory) {
  const toml::table document = parse_toml(text, label);
  const TomlReader reader(text, label);
  ExperimentSpec spec;
  using Node = const toml::node&;
  using Text = const std::string&;  // the value's text, and how messages call it
  const auto scalar = [&](auto read) {
    return [&reader, read](Node node, const std::string& key) {
      read(reader.value_text(node, key), fmt::format("{}: {}", reader.place(node), key));
    };
  };
  const std::map<std::string, std::function<void(Node, const std::string&)>, std::less<>> readers{
      {"distances",
       [&](Node node, const std::string& key) {
         const std::string list = reader.text_or_list(node, key);
         try {
           spec.distances = parse_distances(list);
         } catch (const InputError& error) {
           throw InputError(reader.place(node) + ": " + error.what());
         }
       }},
      {"head_dim",
       scalar([&](Text value, Text name) { spec.head_dim = parse_head_dim(value, name); })},
      {"seq_len",
       scalar([&](Text value, Text name) { spec.seq_len = parse_seq_len(value, name); })},
      {"engine", scalar([&](Text value, Text name) { spec.engine = parse_engine(value, name); })},
      {"estimator",
       scalar([&](Text value, Text name) { spec.estimator = parse_estimator(value, name); })},
      {"samples",
       scalar([&](Text value, Text name) { spec.samples = parse_samples(value, name); })},
      {"seed", scalar([&](Text value, Text name) { spec.seed = parse_seed(value, name); })},
      {"confidence",
       scalar([&](Text value, Text name) { spec.confidence = parse_confidence(value, name); })},
      {"rel_tol",
       scalar([&](Text value, Text name) { spec.rel_tol = parse_tolerance(value, name); })},
      {"abs_tol",
       scalar([&](Text value, Text name) { spec.abs_tol = parse_tolerance(value, name); })},
      {"sweep", scalar([&](Text value, Text name) { spec.sweep = parse_sweep(value, name); })},
      {"encoding",
       [&](Node node, const std::string& key) {
         spec.encodings = read_items<Encoding>(reader, node, key, directory, encoding_from);
       }},
      {"density", [&](Node node, const std::string& key) {
         spec.densities = read_items<Density>(reader, node, key, directory, density_from);
       }}};
  for (const auto& [key, node] : document) {
    const auto found = readers.find(key.str());
    if (found == readers.end()) {
      std::vector<std::string> accepted;
      for (const auto& known : readers) accepted.push_back(known.first);
      throw InputError(
          unknown_name(reader.place(key.source()), "key", std::string(key.str()), accepted));
    }
    found->second(node, found->first);
  }
  return spec;
}

}  // namespace tapalab
