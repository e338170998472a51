#include "cli/schema_check.hpp"

#include "catch.hpp"

using namespace tapalab::test;
using nlohmann::json;

namespace {
std::size_t fault_count(const char* schema, const char* value) {
  return SchemaCheck(json::parse(schema)).faults(json::parse(value)).size();
}
}  // namespace

TEST_CASE("The schema validator finds each kind of fault and passes what is valid") {
  CHECK(fault_count(R"({"type":"integer"})", "3") == 0);
  CHECK(fault_count(R"({"type":"integer"})", "3.5") == 1);
  CHECK(fault_count(R"({"type":"number"})", "3") == 0);
  CHECK(fault_count(R"({"type":"number"})", "null") == 1);
  CHECK(fault_count(R"({"enum":[1,null]})", "null") == 0);
  CHECK(fault_count(R"({"enum":[1,null]})", "2") == 1);
  CHECK(fault_count(R"({"const":"a"})", "\"a\"") == 0);
  CHECK(fault_count(R"({"const":"a"})", "\"b\"") == 1);
  CHECK(fault_count(R"({"pattern":"^[0-9]+$"})", "\"12\"") == 0);
  CHECK(fault_count(R"({"pattern":"^[0-9]+$"})", "\"1x\"") == 1);
  CHECK(fault_count(R"({"minimum":0,"maximum":9})", "9") == 0);
  CHECK(fault_count(R"({"minimum":0})", "-1") == 1);
  CHECK(fault_count(R"({"maximum":9})", "10") == 1);
  CHECK(fault_count(R"({"items":{"type":"string"},"minItems":1})", "[\"a\"]") == 0);
  CHECK(fault_count(R"({"items":{"type":"string"},"minItems":1})", "[]") == 1);
  CHECK(fault_count(R"({"items":{"type":"string"}})", "[1,\"a\",2]") == 2);
  CHECK(fault_count(R"({"anyOf":[{"type":"null"},{"type":"string"}]})", "\"a\"") == 0);
  CHECK(fault_count(R"({"anyOf":[{"type":"null"},{"type":"string"}]})", "1") == 2);
  CHECK(fault_count(R"({"required":["a"]})", R"({"b":1})") == 1);
  CHECK(fault_count(R"({"properties":{"a":{"type":"null"}},"additionalProperties":false})",
                    R"({"a":null})") == 0);
  CHECK(fault_count(R"({"properties":{"a":{"type":"null"}},"additionalProperties":false})",
                    R"({"a":1,"b":1})") == 2);
  CHECK(fault_count(R"({"additionalProperties":{"type":"null"}})", R"({"a":1})") == 1);
  CHECK(fault_count(R"({"items":{"$ref":"#/definitions/d"},"definitions":{"d":{"type":"null"}}})",
                    "[null,1]") == 1);
}

TEST_CASE("The schema validator refuses keywords that it does not check") {
  CHECK_THROWS(fault_count(R"({"oneOf":[]})", "1"));
  CHECK_THROWS(fault_count(R"({"properties":{"a":{"format":"date"}}})", R"({"a":1})"));
  CHECK_THROWS(fault_count(R"({"$ref":"http://elsewhere"})", "1"));
}
