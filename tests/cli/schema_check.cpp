#include "cli/schema_check.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <regex>
#include <stdexcept>

namespace tapalab::test {
namespace {

using Json = nlohmann::json;

constexpr std::array kKeywords{
    "$schema", "title",    "description",          "definitions", "$ref",  "type",    "enum",
    "const",   "anyOf",    "properties",           "required",    "items", "pattern", "minimum",
    "maximum", "minItems", "additionalProperties", "maxItems"};

bool has_type(const Json& value, const std::string& type) {
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "boolean") return value.is_boolean();
  if (type == "null") return value.is_null();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  throw std::logic_error("unknown type in schema: " + type);
}

}  // namespace

const Json& SchemaCheck::resolve(const std::string& reference) const {
  if (reference.rfind("#/", 0) != 0) throw std::logic_error("not a local $ref: " + reference);
  return root_.at(Json::json_pointer(reference.substr(1)));
}

void SchemaCheck::check(const Json& schema, const Json& value, const std::string& path,
                        Faults& out) const {
  for (const auto& [keyword, ignored] : schema.items()) {
    if (std::find(kKeywords.begin(), kKeywords.end(), keyword) == kKeywords.end()) {
      throw std::logic_error("keyword that is not checked: " + keyword);
    }
  }
  if (schema.contains("$ref")) return check(resolve(schema.at("$ref")), value, path, out);
  if (schema.contains("type") && !has_type(value, schema.at("type"))) {
    out.push_back(path + ": not of type " + schema.at("type").get<std::string>());
    return;
  }
  if (schema.contains("const") && value != schema.at("const")) out.push_back(path + ": const");
  if (schema.contains("enum")) {
    const auto& accepted = schema.at("enum");
    if (std::find(accepted.begin(), accepted.end(), value) == accepted.end()) {
      out.push_back(path + ": not in enum: " + value.dump());
    }
  }
  if (schema.contains("pattern") && value.is_string() &&
      !std::regex_search(value.get<std::string>(),
                         std::regex(schema.at("pattern").get<std::string>()))) {
    out.push_back(path + ": pattern: " + value.dump());
  }
  if (schema.contains("minimum") && value.is_number() && value < schema.at("minimum")) {
    out.push_back(path + ": below minimum");
  }
  if (schema.contains("maximum") && value.is_number() && value > schema.at("maximum")) {
    out.push_back(path + ": above maximum");
  }
  if (schema.contains("anyOf")) {
    Faults all;
    for (const auto& choice : schema.at("anyOf")) {
      Faults one;
      check(choice, value, path, one);
      if (one.empty()) {
        all.clear();
        break;
      }
      all.insert(all.end(), one.begin(), one.end());
    }
    out.insert(out.end(), all.begin(), all.end());
  }
  if (value.is_object()) check_object(schema, value, path, out);
  if (value.is_array()) check_array(schema, value, path, out);
}

void SchemaCheck::check_object(const Json& schema, const Json& value, const std::string& path,
                               Faults& out) const {
  for (const auto& key : schema.value("required", Json::array())) {
    if (!value.contains(key)) out.push_back(path + ": missing " + key.get<std::string>());
  }
  const Json properties = schema.value("properties", Json::object());
  const Json others = schema.value("additionalProperties", Json(true));
  for (const auto& [key, member] : value.items()) {
    const std::string place = path + "/" + key;
    if (properties.contains(key)) {
      check(properties.at(key), member, place, out);
    } else if (others.is_object()) {
      check(others, member, place, out);
    } else if (!others.get<bool>()) {
      out.push_back(place + ": not allowed");
    }
  }
}

void SchemaCheck::check_array(const Json& schema, const Json& value, const std::string& path,
                              Faults& out) const {
  if (value.size() < schema.value("minItems", std::size_t{0})) out.push_back(path + ": too short");
  if (schema.contains("maxItems") && value.size() > schema.at("maxItems")) {
    out.push_back(path + ": too long");
  }
  if (!schema.contains("items")) return;
  for (std::size_t i = 0; i < value.size(); ++i) {
    check(schema.at("items"), value[i], path + "/" + std::to_string(i), out);
  }
}

std::vector<std::string> SchemaCheck::faults(const Json& value) const {
  Faults out;
  check(root_, value, "", out);
  return out;
}

SchemaCheck schema_named(const std::string& name) {
  const std::string path = std::string(TAPALAB_SCHEMAS) + "/" + name + ".json";
  std::ifstream file(path);
  if (!file) throw std::runtime_error("no schema " + path);
  return SchemaCheck(Json::parse(file));
}

std::string faults_of(const SchemaCheck& schema, const Json& value) {
  std::string joined;
  for (const auto& fault : schema.faults(value)) joined += fault + "\n";
  return joined;
}

}  // namespace tapalab::test
