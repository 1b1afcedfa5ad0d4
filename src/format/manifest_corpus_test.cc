// Every manifest list and manifest of the real tables, compared with what is known about them.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "base/byte_reader.h"
#include "format/avro_file.h"
#include "format/avro_plan.h"
#include "format/manifest.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

std::string FileAt(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

ManifestProjection Everything() {
  ManifestProjection projection;
  projection.all_statistics = true;
  projection.deleted_entries = true;
  return projection;
}

// The file of a table that a recorded location means: names are unique within a table.
class TableFiles {
 public:
  explicit TableFiles(const fs::path& folder) {
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (entry.is_regular_file()) by_name_[entry.path().filename()] = entry.path();
    }
  }
  fs::path Find(const std::string& location) const {
    const auto it = by_name_.find(fs::path(location).filename());
    return it == by_name_.end() ? fs::path() : it->second;
  }

 private:
  std::map<std::string, fs::path> by_name_;
};

// The live entries of the snapshot that `metadata` calls current.
std::vector<ManifestEntry> LiveEntries(const Json& metadata, const TableFiles& files) {
  std::vector<ManifestEntry> live;
  for (const Json& snapshot : metadata.value("snapshots", Json::array())) {
    if (snapshot["snapshot-id"] != metadata.value("current-snapshot-id", Json())) continue;
    std::vector<ManifestFile> manifests;
    if (snapshot.contains("manifest-list")) {
      const fs::path path = files.Find(snapshot["manifest-list"]);
      if (path.empty()) continue;
      auto list = ReadManifestList(FileAt(path));
      EXPECT_TRUE(list.ok()) << path << list.status().ToString();
      if (list.ok()) manifests = *list;
    } else {
      for (const Json& location : snapshot["manifests"]) manifests.emplace_back().path = location;
    }
    for (const ManifestFile& manifest : manifests) {
      const fs::path path = files.Find(manifest.path);
      ManifestProjection projection;
      projection.all_statistics = true;
      auto entries = ReadManifest(FileAt(path), manifest, projection);
      EXPECT_TRUE(entries.ok()) << path << entries.status().ToString();
      if (entries.ok()) live.insert(live.end(), entries->begin(), entries->end());
    }
  }
  return live;
}

class ManifestCorpusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* tables = std::getenv("ESKER_TABLES");
    if (tables == nullptr) GTEST_SKIP() << "ESKER_TABLES does not name the folder of real tables";
    tables_ = tables;
  }

  fs::path tables_;
};

// Variants of one table that are wrong on purpose, and are to be an error (the README of the
// tables): no partition spec id in the list, and an equality id above 32 bits.
bool IsMeantToFail(const fs::path& path) {
  static const std::set<std::string> kNames = {"manifest-list-eqnospec.avro",
                                               "manifest-list-eqpart_datanospec.avro",
                                               "delete-manifest-eqbigid.avro"};
  return kNames.contains(path.filename());
}

// Avro files that are manifests or lists are told by the name of their schema's record.
TEST_F(ManifestCorpusTest, EveryFileDecodes) {
  std::map<std::string, int> files;
  for (const auto& entry : fs::recursive_directory_iterator(tables_)) {
    if (entry.path().extension() != ".avro") continue;
    const std::string bytes = FileAt(entry.path());
    auto avro = AvroFile::Open(bytes);
    if (!avro.ok()) {
      EXPECT_NE(entry.path().string().find("bad_avro"), std::string::npos) << entry.path();
      continue;
    }
    const std::string& name = avro->schema().node(avro->schema().root).name;
    if (name == "manifest_file") {
      ++files[name];
      const auto list = ReadManifestList(bytes);
      EXPECT_EQ(list.ok(), !IsMeantToFail(entry.path()))
          << entry.path() << list.status().ToString();
    } else if (name == "manifest_entry") {
      ++files[name];
      const auto entries = ReadManifest(bytes, ManifestFile{}, Everything());
      EXPECT_EQ(entries.ok(), !IsMeantToFail(entry.path()))
          << entry.path() << entries.status().ToString();
    }
  }
  EXPECT_GE(files["manifest_file"], 590);
  EXPECT_GE(files["manifest_entry"], 1000);
}

TEST_F(ManifestCorpusTest, BadAvroFailsInWords) {
  for (const auto& entry : fs::directory_iterator(tables_ / "impala" / "bad_avro")) {
    const std::string bytes = FileAt(entry.path());
    for (const arrow::Status& status :
         {ReadManifestList(bytes).status(), ReadManifest(bytes, {}, Everything()).status()}) {
      EXPECT_FALSE(status.ok()) << entry.path();
      EXPECT_GT(status.message().size(), 10u);
    }
  }
}

// Passes over every object of a file by its schema.
arrow::Status WalkFile(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(AvroFile file, AvroFile::Open(bytes));
  const AvroSkipper skipper(file.schema());
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.Next());
    if (!block) return arrow::Status::OK();
    ByteReader reader(block->bytes);
    for (int64_t i = 0; i < block->count && reader.ok(); ++i) {
      skipper.Skip(file.schema().root, &reader);
    }
    ARROW_RETURN_NOT_OK(reader.status());
  }
}

TEST_F(ManifestCorpusTest, DamagedValuesAreFoundEvenWherePassedOver) {
  for (const char* name :
       {"invalid_union", "negative_string_len", "truncated_float", "truncated_string"}) {
    const std::string file = std::string(name) + ".avro";
    EXPECT_TRUE(WalkFile(FileAt(tables_ / "impala" / "bad_avro" / file)).IsInvalid()) << name;
  }
}

std::string Kind(const DataFile& file) {
  if (file.content == DataFile::Content::kEqualityDeletes) return "eq";
  if (file.content == DataFile::Content::kData) return "data";
  return file.content_offset ? "dv" : "pos";
}

// index.json: what was counted by another program.
TEST_F(ManifestCorpusTest, PublicTablesHaveTheFilesOfTheIndex) {
  int tables = 0;
  for (const Json& item : Json::parse(FileAt(tables_ / "index.json"))) {
    for (const Json& table : item.value("tables", Json::array())) {
      const fs::path folder =
          tables_ / item["path"].get<std::string>() / table["subdir"].get<std::string>();
      const TableFiles files(folder);
      const std::string metadata_file = table["metadata_file"];
      if (metadata_file.ends_with(".gz.metadata.json")) continue;  // metadata is not our matter
      const Json metadata =
          Json::parse(FileAt(files.Find(metadata_file)), nullptr, /*allow_exceptions=*/false);
      if (metadata.is_discarded()) continue;
      std::map<std::string, int> counts;
      std::map<std::string, int> orders;
      for (const ManifestEntry& entry : LiveEntries(metadata, files)) {
        ++counts[Kind(entry.file)];
        if (entry.file.content == DataFile::Content::kData && entry.file.sort_order_id) {
          ++orders[std::to_string(*entry.file.sort_order_id)];
        }
      }
      std::map<std::string, int> expected = table["live_files"];
      EXPECT_EQ(counts, expected) << folder;
      for (const auto& [order, count] : table["file_sort_order_ids"].items()) {
        if (order == "None" || order == "absent") continue;
        EXPECT_EQ(orders[order], count.get<int>()) << folder;
      }
      ++tables;
    }
  }
  EXPECT_GE(tables, 90);
}

// One path may be listed twice, and one Puffin file holds several vectors: so all must agree.
bool IsThatFile(const ManifestEntry& entry, const Json& file) {
  const Json order = entry.file.sort_order_id ? Json(*entry.file.sort_order_id) : Json();
  return entry.file.path.ends_with(file["path"].get<std::string>()) &&
         (!file.contains("referenced") || !entry.file.referenced_data_file ||
          entry.file.referenced_data_file->ends_with(file["referenced"].get<std::string>())) &&
         entry.file.record_count == file["records"].get<int64_t>() &&
         entry.file.file_size_bytes == file["bytes"].get<int64_t>() &&
         entry.sequence_number == file["data_sequence_number"].get<int64_t>() &&
         order == file["sort_order_id"];
}

// expected.json: what Spark itself says about each file.
TEST_F(ManifestCorpusTest, SparkTablesHaveTheFilesOfTheirExpectation) {
  int tables = 0;
  for (const auto& entry : fs::directory_iterator(tables_ / "spark")) {
    if (!fs::exists(entry.path() / "expected.json")) continue;
    const Json expected = Json::parse(FileAt(entry.path() / "expected.json"));
    const TableFiles files(entry.path());
    const Json metadata = Json::parse(
        FileAt(entry.path() / expected["metadata_file"].get<std::string>()), nullptr, false);
    if (metadata.is_discarded()) continue;  // gzip
    const auto live = LiveEntries(metadata, files);
    EXPECT_EQ(live.size(), expected["data_files"].size() + expected["delete_files"].size())
        << entry.path();
    for (const char* list : {"data_files", "delete_files"}) {
      for (const Json& file : expected[list]) {
        EXPECT_TRUE(
            std::any_of(live.begin(), live.end(),
                        [&](const ManifestEntry& entry) { return IsThatFile(entry, file); }))
            << entry.path() << file;
      }
    }
    ++tables;
  }
  EXPECT_GE(tables, 130);
}

}  // namespace
}  // namespace esker
