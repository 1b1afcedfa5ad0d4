#include "catalog/path_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/status.h"

namespace esker {
namespace {

using ::testing::HasSubstr;

/// A table folder "<temp>/t" that is filled by name only.
class PathCatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "esker_catalog_XXXXXX").string();
    root_ = mkdtemp(name.data());
    std::filesystem::create_directories(table() + "/metadata");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  std::string table() const { return root_ + "/t"; }

  void Add(const std::string& name, const std::string& text = "{}") const {
    std::ofstream(table() + "/metadata/" + name, std::ios::binary) << text;
  }
  void Add(std::initializer_list<const char*> names) const {
    for (const char* name : names) Add(name);
  }
  void Hint(const std::string& text) const { Add("version-hint.text", text); }
  void Clear() const {
    std::filesystem::remove_all(table() + "/metadata");
    std::filesystem::create_directories(table() + "/metadata");
  }

  static arrow::Result<TableLocation> Find(const std::string& text) {
    return PathCatalog(nullptr).Find(text);
  }
  // The name of the current metadata file of the table, or the error.
  std::string Current() const {
    const auto found = Find(table());
    if (!found.ok()) return "error: " + found.status().message();
    EXPECT_EQ(found->table_folder, table());
    return std::filesystem::path(found->metadata_file).filename();
  }
  static void ExpectNotFound(const std::string& text, const std::string& words) {
    const auto found = Find(text);
    ASSERT_FALSE(found.ok()) << text;
    EXPECT_EQ(KindOf(found.status()), ErrorKind::kNotFound) << found.status().message();
    EXPECT_THAT(found.status().message(), HasSubstr(words));
  }

  std::string root_;
};

// Report 110, ClickHouse#55695.
TEST_F(PathCatalogTest, VersionsCompareAsNumbers) {
  Add({"v9.metadata.json", "v10.metadata.json", "v1.metadata.json"});
  EXPECT_EQ(Current(), "v10.metadata.json");
  Clear();
  Add({"00009-ffffffff-0000.metadata.json", "00010-00000000-0000.metadata.json"});
  EXPECT_EQ(Current(), "00010-00000000-0000.metadata.json");
  Clear();
  Add({"99999-a.metadata.json", "100000-a.metadata.json"});
  EXPECT_EQ(Current(), "100000-a.metadata.json");
}

TEST_F(PathCatalogTest, OnlyMetadataFilesCount) {
  Add({"v1.metadata.json", "v2.metadata.json.tmp", "v3.gc_disabled.metadata.json", "v4.json",
       "snap-99-1-x.avro", "00007.metadata.json", "v-1.metadata.json", "v.metadata.json",
       "v99999999999999999999.metadata.json", "stats-5.metadata.json"});
  std::filesystem::create_directories(table() + "/metadata/v8.metadata.json");
  EXPECT_EQ(Current(), "v1.metadata.json");
}

// Report 111, duckdb-iceberg#29.
TEST_F(PathCatalogTest, TheHintMayBeANumberAVersionOrAName) {
  Add({"v3.metadata.json", "00003-5c7e.metadata.json", "v7.metadata.json"});
  for (const char* hint : {"3", "v3", "v3.metadata.json", "3\n", " 3 \r\nrest",
                           "file:///w/t/metadata/v3.metadata.json"}) {
    Hint(hint);
    EXPECT_EQ(Current(), "v3.metadata.json") << hint;
  }
  for (const char* hint : {"00003-5c7e", "00003-5c7e.metadata.json", "../00003-5c7e"}) {
    Hint(hint);
    EXPECT_EQ(Current(), "00003-5c7e.metadata.json") << hint;
  }
}

TEST_F(PathCatalogTest, ANumberFindsTheNamesOfCatalogsToo) {
  Add({"00002-a.metadata.json", "00003-b.metadata.json", "00004-c.metadata.json"});
  Hint("3");
  EXPECT_EQ(Current(), "00003-b.metadata.json");
}

// The spec's File System Tables: a commit is done when the file has its name, whatever the hint.
// dremio/partitionednation in the corpus has hint 2 and is at version 4.
TEST_F(PathCatalogTest, VersionsThatFollowTheHintAreCommitted) {
  Add({"v1.metadata.json", "v2.metadata.json", "v3.gz.metadata.json", "v4.metadata.json",
       "v6.metadata.json"});
  Hint("2");
  EXPECT_EQ(Current(), "v4.metadata.json");
}

TEST_F(PathCatalogTest, AnEmptyHintIsNone) {
  Add({"v1.metadata.json", "v2.metadata.json"});
  Hint("\n");
  EXPECT_EQ(Current(), "v2.metadata.json");
}

TEST_F(PathCatalogTest, AHintThatNamesNothingIsAnError) {
  Add({"v1.metadata.json"});
  for (const char* hint : {"5", "v5", "00005-x", "5.metadata.json", "nonsense"}) {
    Hint(hint);
    ExpectNotFound(table(), "version-hint.text' names");
  }
}

// Report 112, iceberg-rust#1801.
TEST_F(PathCatalogTest, CompressedMetadataIsFound) {
  for (const char* name : {"v2.gz.metadata.json", "v2.metadata.json.gz", "v2.gzip.metadata.json",
                           "00002-5c7e.gz.metadata.json"}) {
    Clear();
    Add({"v1.metadata.json", name});
    EXPECT_EQ(Current(), name);
    Hint("2");
    EXPECT_EQ(Current(), name);
    const auto found = Find(table() + "/metadata/" + name);
    ASSERT_TRUE(found.ok()) << found.status().message();
    EXPECT_EQ(found->table_folder, table());
  }
  Hint("00002-5c7e.metadata.json");
  EXPECT_EQ(Current(), "00002-5c7e.gz.metadata.json");
}

TEST_F(PathCatalogTest, PlainMetadataBeforeCompressedOfTheSameVersion) {
  Add({"v2.gz.metadata.json", "v2.metadata.json"});
  EXPECT_EQ(Current(), "v2.metadata.json");
}

TEST_F(PathCatalogTest, TwoCommitsOfOneVersionAreNotChosenBetween) {
  Add({"00003-aaaa.metadata.json", "00003-bbbb.metadata.json"});
  EXPECT_THAT(Current(), HasSubstr("name the file instead"));
  Hint("00003-aaaa");
  EXPECT_EQ(Current(), "00003-aaaa.metadata.json");
}

TEST_F(PathCatalogTest, TheOnlyFileNeedsNoVersion) {
  Add("vfinal.metadata.json");
  EXPECT_EQ(Current(), "vfinal.metadata.json");
  Add("other.metadata.json");
  EXPECT_THAT(Current(), HasSubstr("name the file instead"));
}

// Report 116, polars#24474, and every other way to write one path.
TEST_F(PathCatalogTest, EverySpellingOfThePath) {
  Add("v1.metadata.json");
  const std::string file = table() + "/metadata/v1.metadata.json";
  for (const std::string& text :
       {table(), table() + "/", table() + "//", "file:" + table(), "file://" + table(),
        "file://" + table() + "/", table() + "/metadata", table() + "/metadata/",
        "file://" + table() + "/metadata", file, "file:" + file, "file://" + file}) {
    const auto found = Find(text);
    ASSERT_TRUE(found.ok()) << text << ": " << found.status().message();
    EXPECT_EQ(found->metadata_file, file) << text;
    EXPECT_EQ(found->table_folder, table()) << text;
  }
}

TEST_F(PathCatalogTest, RelativePaths) {
  Add("v1.metadata.json");
  const auto before = std::filesystem::current_path();
  const auto check = [](const char* text, const char* file, const char* folder) {
    const auto found = Find(text);
    ASSERT_TRUE(found.ok()) << text << ": " << found.status().message();
    EXPECT_EQ(found->metadata_file, file);
    EXPECT_EQ(found->table_folder, folder);
  };
  std::filesystem::current_path(table());
  check(".", "./metadata/v1.metadata.json", ".");
  check("metadata", "metadata/v1.metadata.json", ".");
  check("metadata/v1.metadata.json", "metadata/v1.metadata.json", ".");
  std::filesystem::current_path(table() + "/metadata");
  check(".", "./v1.metadata.json", "..");
  check("..", "../metadata/v1.metadata.json", "..");
  std::filesystem::current_path(before);
}

TEST_F(PathCatalogTest, AMetadataFileOfUnknownHome) {
  const std::string file = table() + "/copy.json";
  std::ofstream(file) << "{}";
  const auto found = Find(file);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->metadata_file, file);
  EXPECT_EQ(found->table_folder, "");
}

TEST_F(PathCatalogTest, WhatIsNotThere) {
  ExpectNotFound(root_ + "/absent", "no such path");
  ExpectNotFound(root_ + "/absent.metadata.json", "no such path");
  ExpectNotFound(table(), "no table metadata in");
  ExpectNotFound(root_, "no table metadata in");
  ExpectNotFound("", "a table needs a path");
  ExpectNotFound(std::string("a\0b", 3), "a table needs a path");
  ExpectNotFound("absent.metadata.json", "no such path: 'absent.metadata.json'");
  ExpectNotFound("prod.sales.events", "no catalog named 'prod' is configured");
}

TEST_F(PathCatalogTest, AnotherStorageIsRefused) {
  const auto found = Find("s3://bucket/t");
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(KindOf(found.status()), ErrorKind::kUnsupported);
}

TEST(PathCatalogCorpusTest, FindsWhatTheCorpusSays) {
  const char* tables = std::getenv("ESKER_TABLES");
  if (tables == nullptr) GTEST_SKIP() << "ESKER_TABLES is not set";
  const std::pair<const char*, const char*> kCurrent[] = {
      {"dremio/partitionednation", "v4.metadata.json"},
      {"dremio/empty_table", "v1.metadata.json"},
      {"duckdb-iceberg/lineitem_gz", "v2.gz.metadata.json"},
      {"duckdb-iceberg/bigquery_table", "v1749025517.metadata.json"},
      {"duckdb-iceberg/equality_delete_cross_partition", "vfinal.metadata.json"},
      {"duckdb-iceberg/legacy_bare_deletion_vector", "00002-legacy-bare-dv.metadata.json"},
      {"impala/v3_deletion_vectors", "v3.metadata.json"},
      {"impala/column_case_sensitivity_issue", "v3.metadata.json"},
      {"spark/many_300", "v307.metadata.json"},
      {"spark/gzip_metadata", "v7.gz.metadata.json"}};
  for (const auto& [table, file] : kCurrent) {
    const auto found = PathCatalog(nullptr).Find(std::string(tables) + "/" + table);
    ASSERT_TRUE(found.ok()) << table << ": " << found.status().message();
    EXPECT_EQ(std::filesystem::path(found->metadata_file).filename(), file) << table;
  }
}

}  // namespace
}  // namespace esker
