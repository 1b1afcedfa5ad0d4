#include "format/avro_schema.h"

#include <string>

#include <gtest/gtest.h>

namespace esker {
namespace {

AvroSchema Parse(const std::string& json) {
  auto schema = ParseAvroSchema(json);
  EXPECT_TRUE(schema.ok()) << schema.status().ToString();
  return schema.ok() ? *schema : AvroSchema{{AvroNode{}}, 0};
}

TEST(AvroSchemaTest, KeepsFieldIdsAndUnions) {
  const AvroSchema schema = Parse(R"({"type": "record", "name": "entry", "fields": [
      {"name": "status", "type": "int", "field-id": 0},
      {"name": "snapshot_id", "type": ["null", "long"], "default": null, "field-id": 1},
      {"name": "note", "type": "string"}]})");
  const AvroNode& root = schema.node(schema.root);
  ASSERT_EQ(root.kind, AvroKind::kRecord);
  ASSERT_EQ(root.fields.size(), 3u);
  EXPECT_EQ(root.fields[0].field_id, 0);
  EXPECT_EQ(root.fields[1].field_id, 1);
  EXPECT_EQ(root.fields[2].field_id, std::nullopt);
  const AvroNode& optional = schema.node(root.fields[1].type);
  ASSERT_EQ(optional.kind, AvroKind::kUnion);
  EXPECT_EQ(schema.node(optional.children[0]).kind, AvroKind::kNull);
  EXPECT_EQ(schema.node(optional.children[1]).kind, AvroKind::kLong);
}

// The shape that the spec gives maps with integer keys (Avro, Data Type Mappings).
TEST(AvroSchemaTest, KeepsMapsStoredAsArrays) {
  const AvroSchema schema = Parse(R"({"type": "array", "logicalType": "map", "items": {
      "type": "record", "name": "k117_v118", "fields": [
          {"name": "key", "type": "int", "field-id": 117},
          {"name": "value", "type": "long", "field-id": 118}]}})");
  const AvroNode& root = schema.node(schema.root);
  EXPECT_EQ(root.kind, AvroKind::kArray);
  EXPECT_EQ(root.logical_type, "map");
  const AvroNode& item = schema.node(root.children[0]);
  EXPECT_EQ(item.fields[0].field_id, 117);
  EXPECT_EQ(item.fields[1].field_id, 118);
}

TEST(AvroSchemaTest, KeepsElementKeyAndValueIds) {
  const AvroSchema list = Parse(R"({"type": "array", "items": "long", "element-id": 133})");
  EXPECT_EQ(list.node(list.root).element_id, 133);
  const AvroSchema map = Parse(R"({"type": "map", "values": "int", "key-id": 10, "value-id": 11})");
  EXPECT_EQ(map.node(map.root).key_id, 10);
  EXPECT_EQ(map.node(map.root).value_id, 11);
}

TEST(AvroSchemaTest, KeepsFixedAndDecimal) {
  const AvroSchema schema = Parse(R"({"type": "fixed", "name": "decimal_9_2", "size": 4,
      "logicalType": "decimal", "precision": 9, "scale": 2})");
  const AvroNode& root = schema.node(schema.root);
  EXPECT_EQ(root.kind, AvroKind::kFixed);
  EXPECT_EQ(root.size, 4);
  EXPECT_EQ(root.logical_type, "decimal");
  EXPECT_EQ(root.precision, 9);
  EXPECT_EQ(root.scale, 2);
}

TEST(AvroSchemaTest, UnwrapsTypesInObjects) {
  const AvroSchema schema = Parse(R"({"type": {"type": {"type": "int", "logicalType": "date"}}})");
  EXPECT_EQ(schema.node(schema.root).kind, AvroKind::kInt);
  EXPECT_EQ(schema.node(schema.root).logical_type, "date");
}

TEST(AvroSchemaTest, FindsNamedTypesByShortAndFullName) {
  const AvroSchema schema = Parse(R"({"type": "record", "name": "r", "namespace": "a.b",
      "fields": [
          {"name": "x", "type": {"type": "fixed", "name": "id", "size": 16}},
          {"name": "y", "type": "id"},
          {"name": "z", "type": "a.b.id"},
          {"name": "w", "type": {"type": "id"}},
          {"name": "next", "type": ["null", "r"]}]})");
  const AvroNode& root = schema.node(schema.root);
  EXPECT_EQ(root.name, "a.b.r");
  for (int i = 1; i <= 3; ++i) EXPECT_EQ(root.fields[i].type, root.fields[0].type);
  EXPECT_EQ(schema.node(root.fields[4].type).children[1], schema.root);
}

TEST(AvroSchemaTest, RefusesWhatIsNoSchema) {
  for (const char* json :
       {"", "{", "7", "null", "[]", "{}", R"("nosuch")", R"({"type": "union"})",
        R"({"type": "array"})", R"({"type": "map"})", R"({"type": "record", "name": "r"})",
        R"({"type": "record", "name": "r", "fields": [1]})",
        R"({"type": "record", "name": "r", "fields": [{"name": "x"}]})",
        R"({"type": "fixed", "name": "f"})", R"({"type": "fixed", "name": "f", "size": -1})"}) {
    EXPECT_TRUE(ParseAvroSchema(json).status().IsInvalid()) << json;
  }
}

// Also where the schema itself is shallow.
TEST(AvroSchemaTest, BoundsDepthOfAttributes) {
  const auto parse = [](size_t levels) {
    const std::string more = std::string(levels, '[') + std::string(levels, ']');
    return ParseAvroSchema(R"({"type": "int", "more": )" + more + "}");
  };
  EXPECT_TRUE(parse(100).ok()) << parse(100).status();
  EXPECT_EQ(parse(100'000).status().message(), "Avro schema: JSON is nested too deeply");
}

TEST(AvroSchemaTest, BoundsDepthAndLength) {
  const auto nested = [](int depth) {
    std::string json;
    for (int i = 0; i < depth; ++i) json += R"({"type": "array", "items": )";
    json += "\"int\"";
    return json.append(depth, '}');
  };
  EXPECT_TRUE(ParseAvroSchema(nested(64)).ok());
  EXPECT_FALSE(ParseAvroSchema(nested(65)).ok());
  EXPECT_FALSE(ParseAvroSchema(nested(100000)).ok());
  EXPECT_FALSE(ParseAvroSchema(std::string(100000, '[')).ok());
  EXPECT_FALSE(ParseAvroSchema(std::string(5 << 20, ' ') + "\"int\"").ok());
}

}  // namespace
}  // namespace esker
