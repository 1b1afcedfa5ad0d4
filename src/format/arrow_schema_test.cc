#include "format/arrow_schema.h"

#include <cmath>

#include <gtest/gtest.h>

#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "base/status.h"
#include "format/schema_json.h"

namespace esker {
namespace {

Type T(std::string_view text) { return ParsePrimitiveType(text).ValueOrDie(); }

Schema SchemaOf(const std::string& fields) {
  return ParseSchema(R"({"type": "struct", "fields": [)" + fields + "]}").ValueOrDie();
}

std::string ScalarText(const arrow::Result<std::shared_ptr<arrow::Scalar>>& scalar) {
  if (!scalar.ok()) return scalar.status().message();
  EXPECT_TRUE((*scalar)->ValidateFull().ok());
  return (*scalar)->type->ToString() + " " + (*scalar)->ToString();
}

TEST(ToArrowType, EachPrimitive) {
  const std::pair<const char*, const char*> cases[] = {
      {"boolean", "bool"},
      {"int", "int32"},
      {"long", "int64"},
      {"float", "float"},
      {"double", "double"},
      {"decimal(9,2)", "decimal128(9, 2)"},
      {"date", "date32[day]"},
      {"time", "time64[us]"},
      {"timestamp", "timestamp[us]"},
      {"timestamptz", "timestamp[us, tz=UTC]"},
      {"timestamp_ns", "timestamp[ns]"},
      {"timestamptz_ns", "timestamp[ns, tz=UTC]"},
      {"string", "string"},
      {"binary", "binary"},
      {"fixed[3]", "fixed_size_binary[3]"},
      {"uuid", "fixed_size_binary[16]"},
      {"unknown", "null"},
  };
  for (const auto& [type, arrow_type] : cases) {
    EXPECT_EQ((*ToArrowType(T(type)))->ToString(), arrow_type);
  }
}

TEST(ToArrowSchema, NestedWithIds) {
  const auto schema = ToArrowSchema(SchemaOf(
      R"({"id": 1, "name": "id", "required": true, "type": "uuid"},
         {"id": 2, "name": "s", "required": false, "type": {"type": "struct", "fields": [
            {"id": 3, "name": "x", "required": true, "type": "int"}]}},
         {"id": 4, "name": "l", "required": false, "type":
            {"type": "list", "element-id": 5, "element-required": true, "element": "long"}},
         {"id": 6, "name": "m", "required": true, "type": {"type": "map", "key-id": 7,
            "key": "string", "value-id": 8, "value-required": false, "value": "date"}})"));
  ASSERT_TRUE(schema.ok());
  const arrow::Schema& found = **schema;
  EXPECT_EQ(found.field(0)->ToString(), "id: fixed_size_binary[16] not null");
  EXPECT_EQ(found.field(1)->ToString(), "s: struct<x: int32 not null>");
  EXPECT_EQ(found.field(2)->ToString(), "l: list<element: int64 not null>");
  EXPECT_FALSE(found.field(3)->nullable());
  const auto id_of = [](const arrow::Field& field) {
    return *field.metadata()->Get(std::string(kFieldIdKey));
  };
  EXPECT_EQ(id_of(*found.field(0)), "1");
  EXPECT_EQ(*found.field(0)->metadata()->Get("ARROW:extension:name"), "arrow.uuid");
  EXPECT_EQ(*found.field(0)->metadata()->Get("ARROW:extension:metadata"), "");
  EXPECT_EQ(id_of(*found.field(1)->type()->field(0)), "3");
  EXPECT_EQ(id_of(*found.field(2)->type()->field(0)), "5");
  const auto& map = static_cast<const arrow::MapType&>(*found.field(3)->type());
  EXPECT_EQ(id_of(*map.key_field()), "7");
  EXPECT_EQ(id_of(*map.item_field()), "8");
  EXPECT_FALSE(map.key_field()->nullable());
  EXPECT_TRUE(map.item_field()->nullable());
}

TEST(ToArrowSchema, RefusesByName) {
  for (const char* type : {"variant", "geometry", "geography"}) {
    const auto schema = ToArrowSchema(
        SchemaOf(R"({"id": 1, "name": "s", "required": false, "type": {"type": "struct", "fields":
            [{"id": 2, "name": "v", "required": false, "type": ")" +
                 std::string(type) + "\"}]}}"));
    EXPECT_EQ(KindOf(schema.status()), ErrorKind::kUnsupported);
    EXPECT_EQ(schema.status().message(), "column s.v: type " + std::string(type) + " is not read");
  }
}

TEST(ValueToScalar, EachType) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"boolean", "true", "bool true"},
      {"int", "-3", "int32 -3"},
      {"long", "-9223372036854775808", "int64 -9223372036854775808"},
      {"float", "1.5", "float 1.5"},
      {"double", "1.5", "double 1.5"},
      {"decimal(9,2)", "\"-14.20\"", "decimal128(9, 2) -14.20"},
      {"date", "\"2017-11-16\"", "date32[day] 2017-11-16"},
      {"time", "\"22:31:08.5\"", "time64[us] 22:31:08.500000"},
      {"timestamp", "\"2017-11-16T22:31:08\"", "timestamp[us] 2017-11-16 22:31:08.000000"},
      {"timestamptz_ns", "\"2017-11-16T22:31:08Z\"",
       "timestamp[ns, tz=UTC] 2017-11-16 22:31:08.000000000Z"},
      {"string", "\"x\"", "string x"},
      {"int", "null", "int32 null"},
      {"unknown", "null", "null null"},
  };
  for (const auto& [type, json, text] : cases) {
    const Value value = ParseJsonValue(json, T(type)).ValueOrDie();
    EXPECT_EQ(ScalarText(ValueToScalar(value, T(type))), text);
  }
  const auto bytes = ValueToScalar(std::string("\x01\xff"), T("fixed[2]"));
  EXPECT_EQ(static_cast<const arrow::FixedSizeBinaryScalar&>(**bytes).value->ToString(),
            "\x01\xff");
}

TEST(ValueToScalar, RefusesWhatDoesNotFit) {
  const std::pair<const char*, Value> cases[] = {
      {"int", int64_t{1} << 40},        {"date", int64_t{1} << 40},  {"int", std::string("x")},
      {"string", int64_t{1}},           {"fixed[3]", std::string()}, {"uuid", std::string("short")},
      {"decimal(3,2)", int128_t{1000}}, {"float", int64_t{1}},       {"unknown", int64_t{1}},
  };
  for (const auto& [type, value] : cases) {
    EXPECT_TRUE(ValueToScalar(value, T(type)).status().IsInvalid()) << type;
  }
  EXPECT_EQ(KindOf(ValueToScalar({}, T("variant")).status()), ErrorKind::kUnsupported);
}

// The spec's table of the struct column "point".
TEST(InitialDefault, StructTakesTheDefaultsOfItsMembers) {
  const std::string members = R"({"type": "struct", "fields": [
      {"id": 2, "name": "x", "required": true, "type": "int", "initial-default": 0},
      {"id": 3, "name": "y", "required": false, "type": "string"}]})";
  const auto text = [&](const std::string& extra) {
    const Schema schema = SchemaOf(R"({"id": 1, "name": "point", "required": false, "type": )" +
                                   members + extra + "}");
    return ScalarText(InitialDefault(schema.fields[0]));
  };
  EXPECT_EQ(text(""), "struct<x: int32 not null, y: string> null");
  EXPECT_EQ(text(R"(, "initial-default": null)"), "struct<x: int32 not null, y: string> null");
  EXPECT_EQ(text(R"(, "initial-default": {})"),
            "struct<x: int32 not null, y: string> {x:int32 = 0, y:string = null}");
  EXPECT_EQ(text(R"(, "initial-default": {"2": 1})"),
            "column point: initial default {\"2\":1} of a nested type");
}

TEST(InitialDefault, Errors) {
  Field field;
  field.name = "a";
  field.type = T("int");
  field.initial_default = "\"x\"";
  EXPECT_EQ(InitialDefault(field).status().message(),
            "column a: initial default: \"x\" is not a value of type int");
  const Schema schema = SchemaOf(
      R"({"id": 1, "name": "s", "required": false, "initial-default": {}, "type": {"type": "struct",
          "fields": [{"id": 2, "name": "x", "required": true, "type": "int"}]}})");
  EXPECT_EQ(InitialDefault(schema.fields[0]).status().message(),
            "column s.x: required, but without an initial default");
}

}  // namespace
}  // namespace esker
