#include "format/table_metadata.h"

#include <gtest/gtest.h>

#include "base/status.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

using nlohmann::json;

// A whole v2 table; tests take parts away from it or spoil them.
json V2() {
  return json::parse(R"json({
    "format-version": 2, "table-uuid": "9c12d441", "location": "s3://b/t",
    "last-sequence-number": 34, "last-updated-ms": 1602638573590, "last-column-id": 3,
    "current-schema-id": 1,
    "schemas": [
      {"type": "struct", "schema-id": 0, "fields": [
        {"id": 1, "name": "x", "required": true, "type": "long"}]},
      {"type": "struct", "schema-id": 1, "fields": [
        {"id": 1, "name": "x", "required": true, "type": "long"},
        {"id": 2, "name": "y", "required": false, "type": "timestamp"}]}],
    "default-spec-id": 0,
    "partition-specs": [{"spec-id": 0, "fields": [
      {"name": "y_day", "transform": "day", "source-id": 2, "field-id": 1000}]}],
    "last-partition-id": 1000, "default-sort-order-id": 3,
    "sort-orders": [{"order-id": 3, "fields": [
      {"transform": "identity", "source-id": 2, "direction": "asc", "null-order": "nulls-first"},
      {"transform": "bucket[4]", "source-id": 99, "direction": "DESC",
       "null-order": "nulls-last"}]}],
    "properties": {"a": "b"},
    "current-snapshot-id": 20,
    "snapshots": [
      {"snapshot-id": 10, "timestamp-ms": 1515100955770, "sequence-number": 0,
       "summary": {"operation": "append"}, "manifest-list": "s3://a/1.avro", "schema-id": null},
      {"snapshot-id": 20, "parent-snapshot-id": 10, "timestamp-ms": 1555100955770,
       "sequence-number": 1, "summary": {"operation": "append"},
       "manifest-list": "s3://a/2.avro", "schema-id": 1}],
    "snapshot-log": [{"snapshot-id": 10, "timestamp-ms": 1515100955770}],
    "refs": {"main": {"snapshot-id": 20, "type": "branch"},
             "old": {"snapshot-id": 10, "type": "tag", "max-ref-age-ms": 1}}
  })json");
}

json V1() {
  return json::parse(R"json({
    "format-version": 1, "location": "s3://b/t", "last-updated-ms": 1, "last-column-id": 1,
    "schema": {"type": "struct", "fields": [
        {"id": 1, "name": "x", "required": true, "type": "long"}]},
    "partition-spec": [{"name": "x", "transform": "identity", "source-id": 1},
                       {"name": "x_bucket", "transform": "bucket[4]", "source-id": 1}],
    "current-snapshot-id": 5,
    "snapshots": [{"snapshot-id": 5, "timestamp-ms": 7, "manifests": ["s3://a/m.avro"]}]
  })json");
}

arrow::Result<TableMetadata> Parse(const json& document) {
  return ParseTableMetadata(document.dump());
}

std::string ErrorOf(const json& document) {
  const auto table = Parse(document);
  if (table.ok()) return "";
  EXPECT_EQ(KindOf(table.status()), ErrorKind::kFailure);
  EXPECT_TRUE(table.status().IsInvalid());
  return table.status().message();
}

TEST(ParseTableMetadata, V2AsWritten) {
  const TableMetadata table = Parse(V2()).ValueOrDie();
  EXPECT_EQ(table.format_version, 2);
  EXPECT_EQ(table.table_uuid, "9c12d441");
  EXPECT_EQ(table.location, "s3://b/t");
  EXPECT_EQ(table.last_updated_ms, 1602638573590);
  EXPECT_EQ(table.schemas.size(), 2U);
  EXPECT_EQ(table.current_schema().schema_id, 1);
  EXPECT_EQ(table.FindSchema(0)->fields.size(), 1U);
  EXPECT_EQ(table.FindSchema(7), nullptr);
  EXPECT_EQ(table.properties.at("a"), "b");
  ASSERT_EQ(table.FindSpec(0)->fields.size(), 1U);
  EXPECT_EQ(table.FindSpec(0)->fields[0].source_ids, std::vector<int32_t>{2});
  EXPECT_EQ(table.FindSpec(0)->fields[0].field_id, 1000);
  EXPECT_EQ(table.FindSpec(0)->fields[0].transform.kind, Transform::Kind::kDay);
  EXPECT_EQ(table.current_snapshot_id, 20);
  EXPECT_EQ(table.FindSnapshot(20)->parent_snapshot_id, 10);
  EXPECT_EQ(table.FindSnapshot(20)->manifest_list, "s3://a/2.avro");
  EXPECT_EQ(table.FindSnapshot(20)->schema_id, 1);
  EXPECT_EQ(table.FindSnapshot(10)->schema_id, std::nullopt);
  EXPECT_EQ(table.FindSnapshot(10)->summary.at("operation"), "append");
  EXPECT_FALSE(table.refs.at("main").is_tag);
  EXPECT_TRUE(table.refs.at("old").is_tag);
  EXPECT_EQ(table.snapshot_log[0].timestamp_ms, 1515100955770);
}

// iceberg#8614: an order on a column that is gone, or of an unknown transform, spoils no table.
TEST(ParseTableMetadata, SortOrdersAreKeptAsTheyAre) {
  json document = V2();
  document["sort-orders"][0]["fields"][1]["transform"] = "bucket[xyz]";
  const TableMetadata table = Parse(document).ValueOrDie();
  const SortOrder* order = table.FindSortOrder(3);
  ASSERT_NE(order, nullptr);
  EXPECT_EQ(table.default_sort_order_id, 3);
  EXPECT_TRUE(order->fields[0].transform.is_identity());
  EXPECT_TRUE(order->fields[0].nulls_first);
  EXPECT_FALSE(order->fields[0].descending);
  EXPECT_EQ(order->fields[1].source_ids, std::vector<int32_t>{99});
  EXPECT_EQ(order->fields[1].transform.kind, Transform::Kind::kUnknown);
  EXPECT_EQ(order->fields[1].transform.text, "bucket[xyz]");
  EXPECT_FALSE(order->fields[1].nulls_first);
  EXPECT_TRUE(order->fields[1].descending);
}

TEST(ParseTableMetadata, SeveralSourceIds) {
  json document = V2();
  auto& field = document["sort-orders"][0]["fields"][1];
  field.erase("source-id");
  field["source-ids"] = {1, 2};
  EXPECT_EQ(Parse(document)->sort_orders[0].fields[1].source_ids, (std::vector<int32_t>{1, 2}));
  field.erase("source-ids");
  EXPECT_EQ(ErrorOf(document), "sort-orders[0].fields[1].source-id: is missing");
}

TEST(ParseTableMetadata, V1TopLevelSchemaAndSpec) {
  const TableMetadata table = Parse(V1()).ValueOrDie();
  EXPECT_EQ(table.current_schema().fields[0].name, "x");
  ASSERT_EQ(table.FindSpec(0)->fields.size(), 2U);
  EXPECT_EQ(table.FindSpec(0)->fields[0].field_id, 1000);
  EXPECT_EQ(table.FindSpec(0)->fields[1].field_id, 1001);
  EXPECT_EQ(table.FindSnapshot(5)->manifests, std::vector<std::string>{"s3://a/m.avro"});
  EXPECT_EQ(table.FindSnapshot(5)->manifest_list, "");
  EXPECT_EQ(table.FindSnapshot(5)->sequence_number, 0);
  EXPECT_EQ(table.refs.at("main").snapshot_id, 5);
  EXPECT_EQ(table.table_uuid, "");
}

// duckdb-iceberg#108: absent, null and -1 all mean that nothing was ever written.
TEST(ParseTableMetadata, NoCurrentSnapshot) {
  json document = V2();
  document.erase("refs");
  for (const json& value : {json(-1), json(nullptr)}) {
    document["current-snapshot-id"] = value;
    EXPECT_EQ(Parse(document)->current_snapshot_id, std::nullopt);
    EXPECT_TRUE(Parse(document)->refs.empty());
  }
  document.erase("current-snapshot-id");
  EXPECT_EQ(Parse(document)->current_snapshot_id, std::nullopt);
  document.erase("snapshots");
  EXPECT_TRUE(Parse(document)->snapshots.empty());
}

// duckdb-iceberg/equality_delete_cross_partition has such an id.
TEST(ParseTableMetadata, SnapshotIdBeyondSixtyThreeBits) {
  json document = V2();
  document.erase("refs");
  document["current-snapshot-id"] = 9876543210123456789U;
  document["snapshots"][1]["snapshot-id"] = 9876543210123456789U;
  const TableMetadata table = Parse(document).ValueOrDie();
  EXPECT_EQ(table.current_snapshot_id, static_cast<int64_t>(9876543210123456789U));
  EXPECT_NE(table.FindSnapshot(*table.current_snapshot_id), nullptr);
}

TEST(ParseTableMetadata, WhatReadersDoNotNeedMayBeAbsent) {
  json document = V2();
  for (const char* key : {"table-uuid", "last-updated-ms", "last-sequence-number", "last-column-id",
                          "last-partition-id", "default-sort-order-id", "sort-orders", "properties",
                          "snapshot-log", "partition-specs", "default-spec-id", "refs"}) {
    document.erase(key);
  }
  document["a-field-of-tomorrow"] = {{"x", {1, 2}}};
  const TableMetadata table = Parse(document).ValueOrDie();
  EXPECT_TRUE(table.sort_orders.empty());
  // A table that names no spec is not partitioned.
  EXPECT_TRUE(table.FindSpec(0)->fields.empty());
  EXPECT_EQ(table.refs.at("main").snapshot_id, 20);
}

TEST(ParseTableMetadata, ErrorsNameThePath) {
  const auto spoiled = [](const char* pointer, const json& value) {
    json document = V2();
    document[json::json_pointer(pointer)] = value;
    return ErrorOf(document);
  };
  EXPECT_EQ(spoiled("/format-version", "2"), "format-version: must be an integer");
  EXPECT_EQ(spoiled("/format-version", 0), "format-version: must be above 0");
  EXPECT_EQ(spoiled("/location", nullptr), "location: is missing");
  EXPECT_EQ(spoiled("/schemas", nullptr), "schemas: is missing");
  EXPECT_EQ(spoiled("/schemas", 3), "schemas: must be a list");
  EXPECT_EQ(spoiled("/schemas/1/fields/1/type", "varchar"),
            "schemas[1].fields[1].type: unknown type 'varchar'");
  EXPECT_EQ(spoiled("/schemas/1/schema-id", 0), "schemas: id 0 is used twice");
  EXPECT_EQ(spoiled("/current-schema-id", nullptr), "current-schema-id: is missing");
  EXPECT_EQ(spoiled("/current-schema-id", 2), "current-schema-id: no schema has the id 2");
  EXPECT_EQ(spoiled("/partition-specs/0/fields", nullptr), "partition-specs[0].fields: is missing");
  EXPECT_EQ(spoiled("/sort-orders/0/fields/0/direction", "up"),
            "sort-orders[0].fields[0].direction: must be desc or asc");
  EXPECT_EQ(spoiled("/snapshots/1/schema-id", "1"), "snapshots[1].schema-id: must be an integer");
  EXPECT_EQ(spoiled("/snapshots/1/manifest-list", nullptr),
            "snapshots[1].manifest-list: is missing");
  EXPECT_EQ(spoiled("/snapshots/1/snapshot-id", 10), "snapshots: id 10 is used twice");
  EXPECT_EQ(spoiled("/current-snapshot-id", 30), "current-snapshot-id: no snapshot has the id 30");
  EXPECT_EQ(spoiled("/refs/main/snapshot-id", 10),
            "refs.main: is snapshot 10, but current-snapshot-id says otherwise");
  EXPECT_EQ(spoiled("/refs/old/type", "label"), "refs.old.type: must be tag or branch");
  EXPECT_EQ(spoiled("/properties", {1}), "properties: must be an object");
}

TEST(ParseTableMetadata, NotATable) {
  EXPECT_EQ(ErrorOf(json::array()), "must be an object");
  EXPECT_EQ(ErrorOf(json::object()), "format-version: is missing");
  for (const std::string text : {"", "not json", "\x1f\x8b", "\x1f\x8b not gzip"}) {
    EXPECT_TRUE(ParseTableMetadata(text).status().IsInvalid()) << text;
  }
}

TEST(ParseTableMetadata, WhatIsNotReadIsRefusedByName) {
  const auto refusal = [](const json& document) {
    const auto table = Parse(document);
    EXPECT_EQ(KindOf(table.status()), ErrorKind::kUnsupported);
    return table.status().message();
  };
  json document = V2();
  document["format-version"] = 4;
  EXPECT_EQ(refusal(document), "format-version: 4 is newer than this program reads (3)");
  document = V2();
  document["format-version"] = 3;
  document["encryption-keys"] = json::parse(R"([{"key-id": "5f819b"}])");
  EXPECT_EQ(refusal(document), "encryption-keys: the table is encrypted");
  document = V2();
  document["snapshots"][1]["key-id"] = "5f819b";
  EXPECT_EQ(refusal(document), "snapshots[1]: the snapshot is encrypted");
}

// Every cut of a good file is bad, and told so.
TEST(ParseTableMetadata, EveryCutIsInvalid) {
  const std::string text = V2().dump();
  for (size_t length = 0; length < text.size(); length += 7) {
    EXPECT_TRUE(ParseTableMetadata(text.substr(0, length)).status().IsInvalid()) << length;
  }
}

// Every value replaced by one of another kind: an error or a table, never a crash.
TEST(ParseTableMetadata, EveryValueSpoiled) {
  const json flat = V2().flatten();
  for (const auto& item : flat.items()) {
    for (const json& value : {json(nullptr), json(-5), json(1e18), json("x"), json(true),
                              json::array(), json::object(), json{{"a", 1}}}) {
      json document = V2();
      document[json::json_pointer(item.key())] = value;
      const auto table = Parse(document);
      EXPECT_TRUE(table.ok() || table.status().IsInvalid()) << item.key() << " " << value;
    }
  }
}

}  // namespace
}  // namespace esker
