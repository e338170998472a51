#include "analysis/compare_read.hpp"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "sim/errors.hpp"
#include "sim/io/bounded_text.hpp"
#include "sim/spec_text.hpp"

namespace tapalab {
namespace {

using ReadJson = nlohmann::ordered_json;

// Members that say which experiment it is, and which of its points.
constexpr std::array kSeriesMembers = {"encoding", "density", "head_dim",
                                       "near",     "far",     "needle_rho"};
constexpr std::array kPointMembers = {"distance", "length", "distance_low", "distance_high"};
// Not results.
constexpr std::array kLeftOut = {"provenance", "experiment", "window"};

template <std::size_t N>
bool among(const std::string& key, const std::array<const char*, N>& names) {
  for (const char* name : names)
    if (key == name) return true;
  return false;
}

struct ReadPlace {
  std::string series, identity, at, quantity, status;
};

// Alike for equal parameters, however the specification was written.
std::string identity_of(ReadJson value) {
  if (value.is_object()) value.erase("spec");
  return value.dump(-1, ' ', false, ReadJson::error_handler_t::replace);
}

std::string shown(const ReadJson& value) {
  if (value.is_object() && value.contains("spec") && value["spec"].is_string())
    return value["spec"].get<std::string>();
  if (value.is_object() && value.contains("first") && value.contains("last"))
    return fmt::format("{}:{}", value["first"].dump(), value["last"].dump());
  if (value.is_string()) return value.get<std::string>();
  return value.dump(-1, ' ', false, ReadJson::error_handler_t::replace);
}

// Frequencies of these may depend on the sequence length, which stands with the experiment.
bool may_depend_on_length(const ReadJson& node) {
  if (node.is_array()) {
    for (const ReadJson& child : node)
      if (may_depend_on_length(child)) return true;
    return false;
  }
  if (!node.is_object() || !node.contains("encoding")) return false;
  const ReadJson& encoding = node["encoding"];
  if (!encoding.is_object() || !encoding.contains("name")) return false;
  for (const char* name : {"dynamic", "longrope", "hf"})
    if (encoding["name"] == name) return true;
  return false;
}

class ResultReader {
 public:
  explicit ResultReader(std::string name) : name_(std::move(name)) {}

  void walk(const ReadJson& node, const ReadPlace& place) {
    if (node.is_array()) {
      for (const ReadJson& child : node) walk(child, place);
      return;
    }
    if (!node.is_object()) return;
    if (is_quantity(node)) {
      found.push_back(quantity(node, place));
      return;
    }
    const ReadPlace here = placed(node, place);
    for (const auto& [key, child] : node.items()) {
      if (among(key, kSeriesMembers) || among(key, kPointMembers) || among(key, kLeftOut)) continue;
      ReadPlace inside = here;
      if (child.is_object()) inside.quantity += (inside.quantity.empty() ? "" : ".") + key;
      if (child.is_array() && key == "local") inside.quantity = "local";
      walk(child, inside);
    }
  }

  void verdicts(const ReadJson& claims) {
    if (!claims.is_array()) fail("has no claims");
    for (const ReadJson& claim : claims) {
      if (!claim.is_object() || !claim.contains("id") || !claim["id"].is_string() ||
          !claim.contains("verdict") || !claim["verdict"].is_string())
        fail("has a claim without its id and verdict");
      ReadQuantity row;
      row.series = row.identity = claim["id"].get<std::string>();
      row.quantity = "verdict";
      row.text = claim["verdict"].get<std::string>();
      row.verdict = true;
      found.push_back(std::move(row));
    }
  }

  std::vector<ReadQuantity> found;

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(fmt::format("{}: {}; accepted: a result as --format json writes it",
                                 printable(name_), what));
  }

  static bool is_quantity(const ReadJson& node) {
    if (!node.contains("error") || !node["error"].is_object()) return false;
    const ReadJson& error = node["error"];
    const bool estimated =
        node.contains("decimal") || (node.contains("value") && !node["value"].is_null());
    return estimated && error.contains("lower") && error.contains("upper") &&
           !error["lower"].is_null() && !error["upper"].is_null();
  }

  static ReadPlace placed(const ReadJson& node, ReadPlace place) {
    for (const char* key : kSeriesMembers) {
      if (!node.contains(key)) continue;
      place.identity += fmt::format("{}={};", key, identity_of(node[key]));
      const std::string text = shown(node[key]);
      place.series +=
          (place.series.empty() ? "" : " ") + (node[key].is_object() && node[key].contains("spec")
                                                   ? text
                                                   : fmt::format("{}={}", key, text));
    }
    for (const char* key : kPointMembers)
      if (node.contains(key) && !node[key].is_null())
        place.at += fmt::format("{}{} {}", place.at.empty() ? "" : ", ", key, shown(node[key]));
    if (node.contains("status") && node["status"].is_string())
      place.status = node["status"].get<std::string>();
    return place;
  }

  LogNumber number(const ReadJson& value, std::string* as_written = nullptr) const {
    std::string text;
    if (value.is_string())
      text = value.get<std::string>();
    else if (value.is_number())
      text = value.dump();
    else
      fail("has an estimate or an end of an interval that is no number");
    if (as_written != nullptr) *as_written = text;
    return LogNumber::parse(text, name_);
  }

  ReadQuantity quantity(const ReadJson& node, const ReadPlace& place) const {
    ReadQuantity row;
    row.series = place.series;
    row.identity = place.identity;
    row.quantity = place.quantity.empty() ? "value" : place.quantity;
    row.at = place.at;
    row.status = place.status;
    const ReadJson& error = node["error"];
    row.estimate = number(node.contains("decimal") ? node["decimal"] : node["value"], &row.text);
    if (error.contains("kind") && error["kind"].is_string())
      row.kind = error["kind"].get<std::string>();
    row.lower = number(error["lower"]);
    row.upper = number(error["upper"]);
    if (row.lower.wide() > row.estimate.wide() || row.upper.wide() < row.estimate.wide())
      fail(fmt::format("has {} outside its interval at {}", row.text,
                       row.at.empty() ? row.quantity : row.at));
    if (error.contains("level") && error["level"].is_number()) {
      row.level = error["level"].get<double>();
      if (!(*row.level > 0 && *row.level < 1)) fail("has a level that is not between 0 and 1");
    }
    return row;
  }

  std::string name_;
};

}  // namespace

namespace {

std::string text_member(const ReadJson& object, const char* key) {
  return object.contains(key) && object[key].is_string() ? object[key].get<std::string>()
                                                         : std::string();
}

ReadJson read_json_text(const std::string& text, const std::string& name) {
  try {
    return ReadJson::parse(text);
  } catch (const ReadJson::parse_error& error) {
    throw InputError(
        fmt::format("{}: malformed JSON at byte {}; accepted: a file that --format json "
                    "wrote",
                    printable(name), error.byte));
  } catch (const ReadJson::exception&) {
    throw InputError(
        fmt::format("{}: a number leaves the range of double; accepted: such a number "
                    "as a string",
                    printable(name)));
  }
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+:,./^@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

void read_origin(const ReadJson& provenance, ReadResult& result) {
  if (!provenance.is_object()) return;
  if (provenance.contains("arguments") && provenance["arguments"].is_array()) {
    result.command = "tapalab";
    for (const ReadJson& word : provenance["arguments"])
      if (word.is_string()) result.command += ' ' + shell_word(word.get<std::string>());
  }
  result.origin = fmt::format("version {}, commit {}, {}", text_member(provenance, "version"),
                              text_member(provenance, "commit"), text_member(provenance, "date"));
}

}  // namespace

namespace {

ReadJson read_document(const std::string& text, const std::string& name) {
  check_json_text(text, printable(name));
  ReadJson document = read_json_text(text, name);
  if (!document.is_object() || !document.contains("schema") || !document["schema"].is_string())
    throw InputError(fmt::format(
        "{}: not a result of this program (JSON with a schema); accepted: a file that --format "
        "json wrote",
        printable(name)));
  return document;
}

}  // namespace

std::string result_schema(const std::string& text, const std::string& name) {
  return read_document(text, name)["schema"].get<std::string>();
}

ReadResult read_result(const std::string& text, const std::string& name) {
  const ReadJson document = read_document(text, name);
  ReadResult result;
  result.schema = document["schema"].get<std::string>();
  if (document.contains("experiment") && document["experiment"].is_object() &&
      document["experiment"].contains("seq_len") && document.contains("curves") &&
      may_depend_on_length(document["curves"]))
    result.seq_len = document["experiment"]["seq_len"].dump();
  if (document.contains("provenance")) read_origin(document["provenance"], result);
  ResultReader reader(name);
  if (result.schema == "tapalab/verify/1")
    reader.verdicts(document.contains("claims") ? document["claims"] : ReadJson());
  else
    reader.walk(document, {});
  result.quantities = std::move(reader.found);
  return result;
}

}  // namespace tapalab
