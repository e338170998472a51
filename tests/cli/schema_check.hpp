// Validates JSON against the part of JSON Schema draft 7 that docs/schema uses. A keyword outside
// that part throws, so that no schema can ask for something that is not checked.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tapalab::test {

class SchemaCheck {
 public:
  explicit SchemaCheck(nlohmann::json schema) : root_(std::move(schema)) {}

  /// The faults of `value`, each with the path to it; empty where it is valid.
  std::vector<std::string> faults(const nlohmann::json& value) const;

 private:
  using Json = nlohmann::json;
  using Faults = std::vector<std::string>;

  void check(const Json& schema, const Json& value, const std::string& path, Faults& out) const;
  void check_object(const Json& schema, const Json& value, const std::string& path,
                    Faults& out) const;
  void check_array(const Json& schema, const Json& value, const std::string& path,
                   Faults& out) const;
  const Json& resolve(const std::string& reference) const;

  Json root_;
};

/// The schema docs/schema/NAME.json.
SchemaCheck schema_named(const std::string& name);

/// The faults of a document, joined; "" where it is valid.
std::string faults_of(const SchemaCheck& schema, const nlohmann::json& value);

}  // namespace tapalab::test
