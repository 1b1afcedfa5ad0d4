#include "format/avro_plan.h"

#include <array>
#include <string>

#include <gtest/gtest.h>

#include "testing/avro_writer.h"

namespace esker {
namespace {

using testing::AvroBytes;
using testing::AvroLong;

// Skips one value of the schema's type; returns how many bytes that took, or -1.
int64_t SkippedBytes(const std::string& schema_json, const std::string& bytes) {
  const AvroSchema schema = *ParseAvroSchema(schema_json);
  const AvroSkipper skipper(schema);
  ByteReader reader(bytes);
  skipper.Skip(schema.root, &reader);
  return reader.ok() ? reader.position() : -1;
}

void ExpectSkipped(const std::string& schema, const std::string& value) {
  EXPECT_EQ(SkippedBytes(schema, value + "rest"), static_cast<int64_t>(value.size())) << schema;
}

TEST(AvroSkipperTest, PassesOverEveryType) {
  ExpectSkipped(R"("null")", "");
  ExpectSkipped(R"("boolean")", "\x01");
  ExpectSkipped(R"("int")", AvroLong(-70));
  ExpectSkipped(R"("long")", AvroLong(INT64_MIN));
  ExpectSkipped(R"("float")", "1234");
  ExpectSkipped(R"("double")", "12345678");
  ExpectSkipped(R"("bytes")", AvroBytes("hello"));
  ExpectSkipped(R"("string")", AvroBytes(""));
  ExpectSkipped(R"({"type": "fixed", "name": "f", "size": 5})", "12345");
  ExpectSkipped(R"({"type": "enum", "name": "e", "symbols": ["A", "B"]})", AvroLong(1));
  ExpectSkipped(R"(["null", "string", "long"])", AvroLong(2) + AvroLong(99999));
  ExpectSkipped(R"({"type": "map", "values": "double"})",
                AvroLong(1) + AvroBytes("k") + "12345678" + AvroLong(0));
}

TEST(AvroSkipperTest, PassesOverListsInEveryForm) {
  const std::string pairs = R"({"type": "array", "items": {"type": "record", "name": "r",
      "fields": [{"name": "key", "type": "int"}, {"name": "value", "type": "long"}]}})";
  const std::string items = AvroLong(1) + AvroLong(1000) + AvroLong(2) + AvroLong(-5);
  ExpectSkipped(pairs, AvroLong(0));
  ExpectSkipped(pairs, AvroLong(2) + items + AvroLong(0));
  ExpectSkipped(pairs, AvroLong(2) + items + AvroLong(2) + items + AvroLong(0));
  ExpectSkipped(pairs,
                AvroLong(-2) + AvroLong(static_cast<int64_t>(items.size())) + items + AvroLong(0));
  ExpectSkipped(R"({"type": "array", "items": "double"})",
                AvroLong(2) + std::string(16, 'x') + AvroLong(0));
  ExpectSkipped(R"({"type": "array", "items": "bytes"})",
                AvroLong(2) + AvroBytes("a") + AvroBytes("bc") + AvroLong(0));
}

TEST(AvroSkipperTest, KnowsSizesThatAreFixed) {
  const AvroSchema schema = *ParseAvroSchema(R"({"type": "record", "name": "r", "fields": [
      {"name": "a", "type": "double"}, {"name": "b", "type": "boolean"},
      {"name": "c", "type": {"type": "fixed", "name": "f", "size": 16}}]})");
  EXPECT_EQ(AvroSkipper(schema).fixed_size(schema.root), 25);
}

TEST(AvroSkipperTest, RefusesDamage) {
  EXPECT_EQ(SkippedBytes(R"(["null", "long"])", AvroLong(2)), -1);
  EXPECT_EQ(SkippedBytes(R"(["null", "long"])", AvroLong(-1)), -1);
  EXPECT_EQ(SkippedBytes(R"("bytes")", AvroLong(9) + "abc"), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "array", "items": "long"})", AvroLong(1LL << 60) + "a"), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "array", "items": "double"})", AvroLong(2) + "12345678"), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "array", "items": "long"})", AvroLong(INT64_MIN)), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "array", "items": "long"})", AvroLong(-1) + AvroLong(-4)), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "array", "items": "long"})", AvroLong(-1) + AvroLong(99)), -1);
}

// A count of 2^60 things that take no byte at all is no work.
TEST(AvroSkipperTest, NothingsCostNothing) {
  const std::string many = AvroLong(int64_t{1} << 60) + AvroLong(0);
  ExpectSkipped(R"({"type": "array", "items": "null"})", many);
  ExpectSkipped(R"({"type": "array", "items": {"type": "record", "name": "r", "fields": []}})",
                many);
  // Forty records, each holding the one before twice: 2^40 empty records.
  std::string fields = R"({"name": "f0", "type": {"type": "record", "name": "r0", "fields": []}})";
  for (int i = 1; i <= 40; ++i) {
    const std::string inner = "\"r" + std::to_string(i - 1) + "\"";
    const std::string n = std::to_string(i);
    fields += R"(, {"name": "f)" + n + R"(", "type": {"type": "record", "name": "r)" + n +
              R"(", "fields": [{"name": "a", "type": )" + inner + R"(}, {"name": "b", "type": )" +
              inner + "}]}}";
  }
  ExpectSkipped(R"({"type": "record", "name": "top", "fields": [)" + fields + "]}", "");
}

TEST(AvroSkipperTest, BoundsRecursion) {
  const std::string list = R"({"type": "record", "name": "r", "fields": [
      {"name": "next", "type": ["null", "r"]}]})";
  ExpectSkipped(list, AvroLong(1) + AvroLong(1) + AvroLong(0));
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += AvroLong(1);
  EXPECT_EQ(SkippedBytes(list, deep + AvroLong(0)), -1);
  EXPECT_EQ(SkippedBytes(R"({"type": "record", "name": "r", "fields": [
      {"name": "self", "type": "r"}]})",
                         "x"),
            -1);
}

constexpr std::array<AvroTarget, 2> kTargets = {{
    {7, "seven", "", kAnyInteger, 1},
    {8, "eight", "acht", KindBit(AvroKind::kString), 2},
}};

std::vector<AvroStep> Plan(const std::string& fields, arrow::Status* status = nullptr) {
  const AvroSchema schema =
      *ParseAvroSchema(R"({"type": "record", "name": "r", "fields": [)" + fields + "]}");
  const AvroSkipper skipper(schema);
  auto steps = PlanRecord(skipper, schema.root, kTargets);
  if (status != nullptr) *status = steps.status();
  return steps.ok() ? *steps : std::vector<AvroStep>{};
}

TEST(PlanRecordTest, MatchesByIdWhateverTheName) {
  const auto steps = Plan(R"({"name": "eight", "type": "long", "field-id": 7},
                             {"name": "other", "type": "long", "field-id": 9},
                             {"name": "x", "type": ["string", "null"], "field-id": 8})");
  ASSERT_EQ(steps.size(), 3u);
  EXPECT_EQ(steps[0].action, 1);
  EXPECT_EQ(steps[1].action, 0);
  EXPECT_EQ(steps[2].action, 2);
  EXPECT_EQ(steps[2].type.null_branch, 1);
}

TEST(PlanRecordTest, MatchesByNameOnlyWhereNoFieldHasAnId) {
  const auto by_name = Plan(R"({"name": "acht", "type": "string"}, {"name": "seven",
                               "type": "int"})");
  ASSERT_EQ(by_name.size(), 2u);
  EXPECT_EQ(by_name[0].action, 2);
  EXPECT_EQ(by_name[1].action, 1);
  const auto mixed = Plan(R"({"name": "seven", "type": "int"},
                             {"name": "b", "type": "string", "field-id": 8})");
  EXPECT_EQ(FindStep(mixed, 1), nullptr);
  EXPECT_NE(FindStep(mixed, 2), nullptr);
}

TEST(PlanRecordTest, RefusesUnexpectedTypesByName) {
  arrow::Status status;
  Plan(R"({"name": "seven", "type": "string"})", &status);
  EXPECT_EQ(status.message(), "field 'seven' has the unexpected Avro type string");
  Plan(R"({"name": "seven", "type": ["null", "int", "long"]})", &status);
  EXPECT_EQ(status.message(), "field 'seven' has a union other than of null and one type");
}

}  // namespace
}  // namespace esker
