// Every metadata file of the corpus: read as its index says, or known to be broken.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "base/status.h"
#include "format/arrow_schema.h"
#include "format/gzip.h"
#include "format/name_mapping.h"
#include "format/table_metadata.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// What has to be refused, by the end of its path, with the start of the message. The rest has to
// parse.
const std::map<std::string, std::string> kBroken = {
    {"bigquery_table/metadata/v0.metadata.json", "format-version: is missing"},
    {"bigquery_blmt/metadata/v0.metadata.json", "format-version: is missing"},
    {"deletes_54_variants/metadata/eqnofields.metadata.json",
     "partition-specs[0].fields: is missing"},
    {"core_golden/TableMetadataUnsupportedVersion.json", "format-version: 42 is newer"},
    {"core_golden/TableMetadataV1MissingSchemaType.json", "schema.type: is missing"},
    {"core_golden/TableMetadataV2CurrentSchemaNotFound.json",
     "current-schema-id: no schema has the id 2"},
    {"core_golden/TableMetadataV2MissingSchemas.json", "schemas: is missing"},
    // Its list of snapshots is empty: reading that as an empty table would be a guess.
    {"pg_lake/metadata_json/TableMetadataV2ValidMinimal.json",
     "current-snapshot-id: no snapshot has the id 305572967557459700"},
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

json ReadJson(const fs::path& path) {
  std::string bytes = ReadFile(path);
  if (IsGzip(bytes)) bytes = InflateGzip(bytes, 1 << 28).ValueOrDie();
  return json::parse(bytes);
}

bool IsMetadataFile(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.find(".metadata.json") != std::string::npos || name.starts_with("TableMetadata");
}

class MetadataCorpusTest : public testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ESKER_TABLES");
    if (folder == nullptr) GTEST_SKIP() << "ESKER_TABLES does not name the folder of tables";
    root_ = folder;
  }

  std::vector<fs::path> MetadataFiles() const {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(root_)) {
      if (entry.is_regular_file() && IsMetadataFile(entry.path())) paths.push_back(entry.path());
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  fs::path root_;
};

const std::string* ExpectedError(const fs::path& path) {
  for (const auto& [end, message] : kBroken) {
    if (path.string().ends_with(end)) return &message;
  }
  return nullptr;
}

// The plain facts of the raw JSON.
void CheckFacts(const json& raw, const TableMetadata& table) {
  EXPECT_EQ(table.format_version, raw.at("format-version").get<int>());
  EXPECT_EQ(table.table_uuid, raw.value("table-uuid", ""));
  EXPECT_EQ(table.location, raw.at("location").get<std::string>());
  const json current = raw.value("current-snapshot-id", json());
  const bool has_current = !current.is_null() && current != -1;
  ASSERT_EQ(table.current_snapshot_id.has_value(), has_current);
  if (has_current) {
    EXPECT_EQ(*table.current_snapshot_id, current.get<int64_t>());
  }
  const size_t schemas = raw.contains("schemas") ? raw["schemas"].size() : 1;
  EXPECT_EQ(table.schemas.size(), schemas);
  EXPECT_EQ(table.snapshots.size(), raw.value("snapshots", json::array()).size());
  if (raw.contains("sort-orders")) {
    EXPECT_EQ(table.sort_orders.size(), raw["sort-orders"].size());
  }
}

TEST_F(MetadataCorpusTest, EveryFile) {
  size_t parsed = 0;
  std::set<std::string> refused;
  for (const fs::path& path : MetadataFiles()) {
    SCOPED_TRACE(path.string());
    const auto table = ParseTableMetadata(ReadFile(path));
    if (const std::string* error = ExpectedError(path)) {
      EXPECT_TRUE(!table.ok() && table.status().message().starts_with(*error))
          << table.status().message();
      refused.insert(*error);
      continue;
    }
    if (!table.ok()) {
      ADD_FAILURE() << table.status().message();
      continue;
    }
    ++parsed;
    CheckFacts(ReadJson(path), *table);
    for (const Schema& schema : table->schemas) {
      const auto arrow_schema = ToArrowSchema(schema);
      EXPECT_TRUE(arrow_schema.ok() || KindOf(arrow_schema.status()) == ErrorKind::kUnsupported);
    }
  }
  std::cout << parsed << " metadata files parsed\n";
  EXPECT_GE(parsed, 560U);
  EXPECT_GE(refused.size(), 6U);  // none of the broken files has gone missing
}

TEST_F(MetadataCorpusTest, PublicTablesAsIndexed) {
  size_t tables = 0;
  for (const json& entry : ReadJson(root_ / "index.json")) {
    for (const json& fact : entry.value("tables", json::array())) {
      const fs::path folder = root_ / entry.at("path").get<std::string>() /
                              fact.at("subdir").get<std::string>() / "metadata";
      SCOPED_TRACE(folder.string());
      const auto table =
          ParseTableMetadata(ReadFile(folder / fact.at("metadata_file").get<std::string>()));
      ASSERT_TRUE(table.ok()) << table.status().message();
      ++tables;
      EXPECT_EQ(table->format_version, fact.at("format_version").get<int>());
      EXPECT_EQ(table->location, fact.at("location").get<std::string>());
      EXPECT_EQ(table->snapshots.size(), fact.at("snapshots").get<size_t>());
      EXPECT_EQ(table->schemas.size(), fact.at("schemas").get<size_t>());
      EXPECT_EQ(table->default_sort_order_id, fact.value("default_sort_order_id", 0));
    }
  }
  EXPECT_GE(tables, 100U);
}

// `fact` is one of expected.json's sort fields.
void CheckSortField(const SortField& field, const json& fact) {
  EXPECT_EQ(field.source_ids, std::vector<int32_t>{fact.at("source_id").get<int32_t>()});
  EXPECT_EQ(field.transform.text, fact.at("transform").get<std::string>());
  EXPECT_EQ(field.descending, fact.at("direction") == "desc");
  EXPECT_EQ(field.nulls_first, fact.at("null_order") == "nulls-first");
}

void CheckSparkTable(const TableMetadata& table, const json& expected) {
  EXPECT_EQ(table.format_version, expected.at("format_version").get<int>());
  EXPECT_EQ(table.table_uuid, expected.at("table_uuid").get<std::string>());
  EXPECT_EQ(table.default_sort_order_id, expected.at("default_sort_order_id").get<int>());
  EXPECT_EQ(table.current_snapshot_id.value_or(-1), expected.at("current_snapshot_id"));
  for (const json& column : expected.at("columns")) {
    const auto id = column.at("id").get<int32_t>();
    const FieldPath path = table.current_schema().FindById(id);
    ASSERT_FALSE(path.empty()) << id;
    const auto name = column.at("name").get<std::string>();
    EXPECT_EQ(table.current_schema().NameOf(id), name);
    EXPECT_EQ(table.current_schema().FindByName(name), path);
    EXPECT_EQ(path.back()->type.ToString(), column.at("type").get<std::string>());
  }
  for (const json& fact : expected.at("sort_orders")) {
    const SortOrder* order = table.FindSortOrder(fact.at("order_id").get<int32_t>());
    ASSERT_NE(order, nullptr);
    ASSERT_EQ(order->fields.size(), fact.at("fields").size());
    for (size_t i = 0; i < order->fields.size(); ++i) {
      CheckSortField(order->fields[i], fact["fields"][i]);
    }
  }
}

TEST_F(MetadataCorpusTest, SparkTablesAsExpected) {
  size_t tables = 0;
  for (const auto& entry : fs::directory_iterator(root_ / "spark")) {
    const fs::path file = entry.path() / "expected.json";
    if (!fs::exists(file)) continue;
    SCOPED_TRACE(file.string());
    const json expected = ReadJson(file);
    const auto table = ParseTableMetadata(
        ReadFile(entry.path() / expected.at("metadata_file").get<std::string>()));
    ASSERT_TRUE(table.ok()) << table.status().message();
    CheckSparkTable(*table, expected);
    ++tables;
  }
  EXPECT_EQ(tables, 136U);
}

// Which mappings of the corpus are good is said in its README.
TEST_F(MetadataCorpusTest, NameMappings) {
  std::set<std::string> refused;
  size_t parsed = 0;
  for (const fs::path& path : MetadataFiles()) {
    const auto table = ParseTableMetadata(ReadFile(path));
    if (!table.ok()) continue;
    const auto it = table->properties.find(std::string(kNameMappingProperty));
    if (it == table->properties.end()) continue;
    const auto mapping = ParseNameMapping(it->second);
    if (mapping.ok()) {
      ++parsed;
    } else {
      refused.insert(path.filename().string());
    }
  }
  EXPECT_GE(parsed, 8U);
  EXPECT_EQ(refused, (std::set<std::string>{"nmbigid.metadata.json", "nmdup.metadata.json"}));
}

}  // namespace
}  // namespace esker
