#include "format/name_mapping.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

// The example of the spec, with a list, a map and a name with a dot added.
constexpr const char* kMapping = R"([
  { "field-id": 1, "names": ["id", "record_id"] },
  { "field-id": 2, "names": ["data", "x.y"] },
  { "field-id": 3, "names": ["location"], "fields": [
      { "field-id": 4, "names": ["latitude", "lat"] },
      { "field-id": 5, "names": ["longitude", "long"] } ] },
  { "field-id": 6, "names": ["l"], "fields": [{ "field-id": 7, "names": ["element"] }] },
  { "field-id": 8, "names": ["m"], "fields": [
      { "field-id": 9, "names": ["key"] }, { "field-id": 10, "names": ["value"] } ] },
  { "field-id": 11, "names": [] },
  { "names": ["left"] } ])";

// The id at a path of names from the root; lists and maps count as levels.
std::optional<int32_t> IdAt(const std::vector<std::string>& path, const NameMapping& mapping) {
  const MappedField* field = &mapping.root;
  for (const std::string& name : path) {
    field = field->FindChild(name);
    if (field == nullptr) return std::nullopt;
  }
  return field->field_id;
}

std::optional<int32_t> Id(const std::vector<std::string>& path) {
  return IdAt(path, *ParseNameMapping(kMapping));
}

TEST(NameMapping, FindsByPath) {
  EXPECT_EQ(Id({"id"}), 1);
  EXPECT_EQ(Id({"record_id"}), 1);
  EXPECT_EQ(Id({"x.y"}), 2);
  EXPECT_EQ(Id({"location"}), 3);
  EXPECT_EQ(Id({"location", "lat"}), 4);
  EXPECT_EQ(Id({"l", "element"}), 7);
  EXPECT_EQ(Id({"m", "value"}), 10);
}

TEST(NameMapping, WhatIsNotMappedHasNoId) {
  for (const std::vector<std::string>& path : {std::vector<std::string>{"left"},
                                               {"ID"},
                                               {"lat"},
                                               {"location", "id"},
                                               {"location.lat"},
                                               {"x", "y"},
                                               {"id", "id"},
                                               {}}) {
    EXPECT_EQ(Id(path), std::nullopt);
  }
}

TEST(ParseNameMapping, ErrorsNameThePlace) {
  const auto error = [](const char* json) {
    const auto mapping = ParseNameMapping(json);
    return mapping.ok() ? "" : mapping.status().message();
  };
  const std::string prefix = "schema.name-mapping.default: ";
  EXPECT_EQ(
      error("[{\"field-id\": 1, \"names\": [\"id\"]}, {\"field-id\": 2, \"names\": [\"id\"]}]"),
      prefix + "[1]: name 'id' is mapped twice");
  EXPECT_EQ(error("[{\"field-id\": 1, \"names\": [\"a\"]}, {\"names\": [\"b\"], \"fields\": "
                  "[{\"field-id\": 1, \"names\": [\"c\"]}]}]"),
            prefix + "[1].fields[0]: field id 1 is mapped twice");
  EXPECT_EQ(error("[{\"field-id\": 4294967297, \"names\": [\"id\"]}]"),
            prefix + "[0].field-id: is out of range");
  EXPECT_EQ(error("[{\"field-id\": 1}]"), prefix + "[0].names: is missing");
  EXPECT_EQ(error("{}"), prefix + "must be a list");
  EXPECT_EQ(error(std::string(1000, '[').c_str()), prefix + "JSON is nested too deeply");
  EXPECT_EQ(error("[{\"names\": [\"a\", \"a\"]}]"), "");
  EXPECT_EQ(error("[]"), "");
}

TEST(ParseNameMapping, SameNameUnderOtherParentsIsFine) {
  const auto mapping = ParseNameMapping(
      R"([{"field-id": 1, "names": ["a"], "fields": [{"field-id": 2, "names": ["x"]}]},
          {"field-id": 3, "names": ["b"], "fields": [{"field-id": 4, "names": ["x"]}]}])");
  EXPECT_EQ(IdAt({"b", "x"}, *mapping), 4);
}

}  // namespace
}  // namespace esker
