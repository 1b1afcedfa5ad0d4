#include "format/type.h"

#include <gtest/gtest.h>

#include "format/schema_json.h"

namespace esker {
namespace {

constexpr const char* kNested =
    R"json({"type": "struct", "schema-id": 7, "identifier-field-ids": [1],
  "fields": [
    {"id": 1, "name": "id", "required": true, "type": "long", "doc": "the key"},
    {"id": 2, "name": "a.b", "required": false, "type": "string"},
    {"id": 3, "name": "a", "required": false, "type": {"type": "struct", "fields": [
        {"id": 4, "name": "b", "required": false, "type": "int"},
        {"id": 5, "name": "c.d", "required": true, "type": "date", "initial-default": "2003-10-20"}
    ]}},
    {"id": 6, "name": "l", "required": false, "type":
        {"type": "list", "element-id": 7, "element-required": true, "element": "double"}},
    {"id": 8, "name": "m", "required": false, "type":
        {"type": "map", "key-id": 9, "key": "string", "value-id": 10, "value-required": false,
         "value": {"type": "struct", "fields": [
            {"id": 11, "name": "x", "required": false, "type": "decimal(9, 2)"}]}}}
  ]})json";

Schema NestedSchema() { return ParseSchema(kNested).ValueOrDie(); }

// The forms in the spec's table of appendix C, and the whitespace it wants readers to accept.
TEST(ParsePrimitiveType, SpecTable) {
  const std::pair<const char*, const char*> cases[] = {
      {"boolean", "boolean"},
      {"timestamptz_ns", "timestamptz_ns"},
      {"decimal(9,2)", "decimal(9, 2)"},
      {" decimal ( 9 , 2 ) ", "decimal(9, 2)"},
      {"decimal(38,38)", "decimal(38, 38)"},
      {"fixed[ 16 ]", "fixed[16]"},
      {"LONG", "long"},
      {"unknown", "unknown"},
      {"variant", "variant"},
      {"geometry", "geometry"},
      {"geometry(srid:4326)", "geometry(srid:4326)"},
      {"geography(EPSG:4326, karney)", "geography(EPSG:4326, karney)"},
  };
  for (const auto& [text, printed] : cases) {
    const auto type = ParsePrimitiveType(text);
    ASSERT_TRUE(type.ok()) << text;
    EXPECT_EQ(type->ToString(), printed);
  }
}

TEST(ParsePrimitiveType, RefusesOthers) {
  for (const char* text :
       {"", "varchar", "decimal", "decimal(39,0)", "decimal(0,0)", "decimal(4,5)", "decimal(4,-1)",
        "decimal(9)", "decimal(9,2", "decimal(9,2,1)", "decimal(99999999999,2)", "fixed",
        "fixed[0]", "fixed[-1]", "fixed(16)", "int(4)", "long long", "("}) {
    EXPECT_TRUE(ParsePrimitiveType(text).status().IsInvalid()) << text;
  }
}

TEST(Schema, KeepsWhatIsWritten) {
  const Schema schema = NestedSchema();
  EXPECT_EQ(schema.schema_id, 7);
  EXPECT_EQ(schema.identifier_field_ids, std::vector<int32_t>{1});
  EXPECT_EQ(schema.fields[0].doc, "the key");
  EXPECT_TRUE(schema.fields[0].required);
  EXPECT_EQ(schema.FindById(5).back()->initial_default, "\"2003-10-20\"");
  EXPECT_EQ(schema.fields[2].type.ToString(), "struct<4: b: optional int, 5: c.d: required date>");
  EXPECT_EQ(schema.fields[3].type.ToString(), "list<double>");
  EXPECT_EQ(schema.fields[4].type.ToString(), "map<string, struct<11: x: optional decimal(9, 2)>>");
  EXPECT_TRUE(schema.FindById(9).back()->required);
}

TEST(Schema, FindsByIdAtAnyDepth) {
  const Schema schema = NestedSchema();
  const FieldPath path = schema.FindById(11);
  ASSERT_EQ(path.size(), 3U);
  EXPECT_EQ(path[0]->name, "m");
  EXPECT_EQ(path[1]->name, "value");
  EXPECT_EQ(path[2]->name, "x");
  EXPECT_TRUE(schema.FindById(99).empty());
  EXPECT_EQ(schema.NameOf(11), "m.value.x");
  EXPECT_EQ(schema.NameOf(99), "");
}

TEST(Schema, FindsByNameWholeNamesFirst) {
  const Schema schema = NestedSchema();
  const auto id = [&](std::string_view name) {
    const FieldPath path = schema.FindByName(name);
    return path.empty() ? 0 : path.back()->id;
  };
  EXPECT_EQ(id("id"), 1);
  EXPECT_EQ(id("a.b"), 2);  // the column called so, not member b of a
  EXPECT_EQ(id("a.c.d"), 5);
  EXPECT_EQ(id("l.element"), 7);
  EXPECT_EQ(id("m.key"), 9);
  EXPECT_EQ(id("m.value.x"), 11);
  for (const char* name : {"", "ID", "a.", ".a", "a.x", "id.x", "m.value.x.y"}) {
    EXPECT_EQ(id(name), 0) << name;
  }
}

TEST(Schema, AllNamesAreFound) {
  const Schema schema = NestedSchema();
  const auto names = schema.AllNames();
  EXPECT_EQ(names, (std::vector<std::string>{"id", "a.b", "a", "a.b", "a.c.d", "l", "l.element",
                                             "m", "m.key", "m.value", "m.value.x"}));
}

TEST(Type, EqualityIsDeep) {
  EXPECT_EQ(NestedSchema().fields, NestedSchema().fields);
  Schema other = NestedSchema();
  Type changed = other.fields[2].type;
  auto members = *changed.fields;
  members[0].type.id = TypeId::kLong;
  changed.fields = std::make_shared<const std::vector<Field>>(members);
  EXPECT_FALSE(changed == other.fields[2].type);
  EXPECT_FALSE(*ParsePrimitiveType("decimal(9,2)") == *ParsePrimitiveType("decimal(9,3)"));
}

TEST(NearestName, SlipsOfTheKeyboard) {
  const std::vector<std::string> names = {"id", "event_time", "Level", "host"};
  EXPECT_EQ(NearestName("event_tme", names), "event_time");
  EXPECT_EQ(NearestName("level", names), "Level");
  EXPECT_EQ(NearestName("hots", names), "host");  // a swap of neighbours is one slip
  EXPECT_EQ(NearestName("zzzzzz", names), "");
  EXPECT_EQ(NearestName("", names), "");
  EXPECT_EQ(NearestName(std::string(100000, 'x'), names), "");
}

}  // namespace
}  // namespace esker
