// Tests of ReadManifestList().

#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "format/manifest.h"
#include "testing/avro_writer.h"

namespace esker {
namespace {

using testing::AvroBytes;
using testing::AvroContainer;
using testing::AvroLong;

constexpr const char* kListSchema = R"({"type": "record", "name": "manifest_file", "fields": [
    {"name": "manifest_path", "type": "string", "field-id": 500},
    {"name": "manifest_length", "type": "long", "field-id": 501},
    {"name": "partition_spec_id", "type": "int", "field-id": 502},
    {"name": "content", "type": "int", "field-id": 517},
    {"name": "sequence_number", "type": "long", "field-id": 515},
    {"name": "min_sequence_number", "type": "long", "field-id": 516},
    {"name": "added_snapshot_id", "type": "long", "field-id": 503},
    {"name": "added_data_files_count", "type": "int", "field-id": 504},
    {"name": "existing_rows_count", "type": ["null", "long"], "field-id": 513},
    {"name": "partitions", "type": ["null", {"type": "array", "items": {"type": "record",
        "name": "r508", "fields": [
            {"name": "contains_null", "type": "boolean", "field-id": 509},
            {"name": "contains_nan", "type": ["null", "boolean"], "field-id": 518},
            {"name": "lower_bound", "type": ["null", "bytes"], "field-id": 510},
            {"name": "upper_bound", "type": ["null", "bytes"], "field-id": 511}]}}],
     "field-id": 507},
    {"name": "key_metadata", "type": ["null", "bytes"], "field-id": 519},
    {"name": "first_row_id", "type": ["null", "long"], "field-id": 520}]})";

std::string ListLine(int64_t content = 1, int64_t length = 99, const std::string& path = "m.avro") {
  return AvroBytes(path) + AvroLong(length) + AvroLong(2) + AvroLong(content) + AvroLong(6) +
         AvroLong(5) + AvroLong(-123) + AvroLong(4) + AvroLong(0) +  // no existing rows
         AvroLong(1) + AvroLong(2) + '\x01' + AvroLong(1) + std::string(1, '\0') + AvroLong(1) +
         AvroBytes("a") + AvroLong(0) + std::string(1, '\0') + AvroLong(0) + AvroLong(0) +
         AvroLong(0) + AvroLong(0) + AvroLong(1) + AvroBytes("key") + AvroLong(1) + AvroLong(500);
}

TEST(ReadManifestListTest, ReadsEveryField) {
  const auto list = ReadManifestList(AvroContainer(kListSchema, {{1, ListLine()}}, "deflate"));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  ASSERT_EQ(list->size(), 1u);
  const ManifestFile& file = list->front();
  EXPECT_EQ(file.path, "m.avro");
  EXPECT_EQ(file.length, 99);
  EXPECT_EQ(file.partition_spec_id, 2);
  EXPECT_EQ(file.content, ManifestFile::Content::kDeletes);
  EXPECT_EQ(file.sequence_number, 6);
  EXPECT_EQ(file.added_snapshot_id, -123);
  EXPECT_EQ(file.added_files_count, 4);
  EXPECT_EQ(file.existing_files_count, std::nullopt);
  ASSERT_EQ(file.partitions.size(), 2u);
  EXPECT_TRUE(file.partitions[0].contains_null);
  EXPECT_EQ(file.partitions[0].contains_nan, false);
  EXPECT_EQ(file.partitions[0].lower_bound, "a");
  EXPECT_EQ(file.partitions[0].upper_bound, std::nullopt);
  EXPECT_FALSE(file.partitions[1].contains_null);
  EXPECT_EQ(file.partitions[1].contains_nan, std::nullopt);
  EXPECT_EQ(file.first_row_id, 500);
}

// duckdb-iceberg#287: a list without any block is a table without rows.
TEST(ReadManifestListTest, AListWithoutBlocksIsEmpty) {
  EXPECT_TRUE(ReadManifestList(AvroContainer(kListSchema, {}))->empty());
}

TEST(ReadManifestListTest, ReadsListsWithoutIdsByTheNamesOfTheSpec) {
  const char* schema = R"({"type": "record", "name": "manifest_file", "fields": [
      {"name": "manifest_length", "type": "int"}, {"name": "manifest_path", "type": "string"},
      {"name": "partition_spec_id", "type": ["null", {"type": "int"}]},
      {"name": "added_data_files_count", "type": "long"}]})";
  const auto list = ReadManifestList(AvroContainer(
      schema, {{1, AvroLong(9) + AvroBytes("m") + AvroLong(1) + AvroLong(3) + AvroLong(8)}}));
  ASSERT_TRUE(list.ok()) << list.status().ToString();
  EXPECT_EQ(list->front().path, "m");
  EXPECT_EQ(list->front().length, 9);
  EXPECT_EQ(list->front().partition_spec_id, 3);
  EXPECT_EQ(list->front().added_files_count, 8);
  EXPECT_EQ(list->front().content, ManifestFile::Content::kData);
  EXPECT_EQ(list->front().sequence_number, 0);
}

TEST(ReadManifestListTest, RefusesImpossibleValues) {
  for (const std::string& line : {ListLine(2), ListLine(-1), ListLine(1, -1), ListLine(1, 1, ""),
                                  ListLine() + "x", ListLine().substr(1)}) {
    EXPECT_TRUE(ReadManifestList(AvroContainer(kListSchema, {{1, line}})).status().IsInvalid());
  }
  EXPECT_TRUE(ReadManifestList(AvroContainer(R"({"type": "record", "name": "r", "fields": [
      {"name": "manifest_path", "type": "string"}]})",
                                             {}))
                  .status()
                  .IsInvalid());
}

// An item that is null takes a byte of the file, and a summary in memory.
TEST(ReadManifestListTest, NullSummariesAreChargedToTheBoundOnMemory) {
  std::string schema = kListSchema;
  const std::string items = R"("items": {"type": "record",)";
  schema.replace(schema.find(items), items.size(), R"("items": ["null", {"type": "record",)");
  const std::string end = R"("field-id": 511}]}}])";
  schema.replace(schema.find(end), end.size(), R"("field-id": 511}]}]}])");
  const auto read = [&](int64_t summaries) {
    const std::string line = AvroBytes("m.avro") + AvroLong(99) + AvroLong(2) + AvroLong(0) +
                             AvroLong(6) + AvroLong(5) + AvroLong(1) + AvroLong(4) + AvroLong(0) +
                             AvroLong(1) + AvroLong(summaries) + std::string(summaries, '\0') +
                             AvroLong(0) + AvroLong(0) + AvroLong(0);
    return ReadManifestList(AvroContainer(schema, {{1, line}}), 20'000);
  };
  const auto few = read(10);
  ASSERT_TRUE(few.ok()) << few.status();
  EXPECT_EQ(few->front().partitions.size(), 10u);
  const std::string message = read(100'000).status().message();
  EXPECT_NE(message.find("more entries in one file than its bound"), message.npos) << message;
  EXPECT_LT(std::stoll(message.substr(message.rfind(' '))), 1'000);
}

}  // namespace
}  // namespace esker
