#include "format/schema_json.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

std::string WithType(const std::string& type) {
  return R"({"type": "struct", "fields": [{"id": 1, "name": "a", "required": false, "type": )" +
         type + "}]}";
}

std::string ErrorOf(const std::string& json) {
  const auto schema = ParseSchema(json);
  return schema.ok() ? "" : schema.status().message();
}

TEST(ParseSchema, SchemaIdMayBeAbsent) {
  EXPECT_EQ(ParseSchema(R"({"type": "struct", "fields": []})")->schema_id, 0);
}

TEST(ParseSchema, ErrorsNameThePlace) {
  EXPECT_EQ(ErrorOf(R"({"fields": []})"), "type: is missing");
  EXPECT_EQ(ErrorOf(R"({"type": "struct"})"), "fields: is missing");
  EXPECT_EQ(ErrorOf(R"({"type": "struct", "fields": [3]})"), "fields[0]: must be an object");
  EXPECT_EQ(ErrorOf(WithType("\"varchar\"")), "fields[0].type: unknown type 'varchar'");
  EXPECT_EQ(ErrorOf(WithType("{\"type\": \"set\"}")), "fields[0].type: unknown type 'set'");
  EXPECT_EQ(ErrorOf(WithType("{\"type\": \"list\"}")), "fields[0].type.element-id: is missing");
  EXPECT_EQ(ErrorOf(WithType("[]")), "fields[0].type: must be an object");
  EXPECT_EQ(ErrorOf(WithType(R"({"type": "list", "element-id": 1, "element-required": true,
                                 "element": "int"})")),
            "fields[0].type.element-id: field id 1 is used twice");
  EXPECT_EQ(ErrorOf(R"({"type": "struct", "fields": [{"id": 2147483645, "name": "p",
                        "required": true, "type": "long"}]})"),
            "fields[0].id: field id is reserved by the specification");
}

TEST(ParseSchema, DeepNestingIsRefused) {
  std::string type = "\"int\"";
  for (int i = 2; i < 400; ++i) {
    type = R"({"type": "list", "element-id": )" + std::to_string(i) +
           R"(, "element-required": true, "element": )" + type + "}";
  }
  EXPECT_EQ(ErrorOf(WithType(type)), "JSON is nested too deeply");
}

}  // namespace
}  // namespace esker
