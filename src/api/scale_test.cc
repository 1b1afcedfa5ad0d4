// Counts at scale: what must not grow with the number of files, on tables of thousands of them.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/record_batch.h"
#include "esker/scan.h"
#include "testing/scene.h"
#include "testing/seed.h"

namespace esker::testing {
namespace {

constexpr int64_t kManyFiles = 10000;

// The first column of everything that the plan gives.
std::vector<int64_t> KeysOf(const ScanPlan& plan) {
  std::vector<int64_t> keys;
  const auto reader = *plan.Read();
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader->ReadNext(&batch);
    EXPECT_TRUE(status.ok()) << status.ToString();
    if (!status.ok() || batch == nullptr) return keys;
    for (const Row& row : RowsOf(*batch)) keys.push_back(std::get<int64_t>(row[0]));
  }
}

std::vector<int64_t> Numbers(int64_t count) {
  std::vector<int64_t> numbers(static_cast<size_t>(count));
  std::iota(numbers.begin(), numbers.end(), 0);
  return numbers;
}

// Files of two rows each that follow one another, in random order in the manifests.
Scene Disjoint() {
  Scene scene({{1, "k", "long"}}, "k");
  std::vector<int64_t> order = Numbers(kManyFiles);
  std::mt19937_64 random = MakeRandom(5);
  std::shuffle(order.begin(), order.end(), random);
  for (const int64_t file : order) {
    scene.Add(DataFileOf({{1, "k", "long"}}, {Row{2 * file}, Row{2 * file + 1}}, 1));
  }
  scene.recipe.files_a_manifest = 1000;
  return scene;
}

TEST(Scale, TenThousandDisjointFilesAreReadOneAfterAnother) {
  Scene scene = Disjoint();
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr) << scene.error();
  EXPECT_EQ(KeysOf(*plan), Numbers(2 * kManyFiles));
  EXPECT_EQ(plan->chains(), 1);
  const ScanStatistics statistics = plan->statistics();
  EXPECT_EQ(statistics.files_opened, kManyFiles);
  EXPECT_EQ(statistics.peak_open_files, 1);
  EXPECT_EQ(scene.filesystem().peak_open(), 1);
  EXPECT_EQ(statistics.compared_rows, 0);
  EXPECT_EQ(statistics.spilled_bytes, 0);
}

TEST(Scale, TenThousandFilesAreExplainedInAFewLines) {
  Scene scene = Disjoint();
  for (size_t i = 0; i < scene.recipe.files.size(); i += 2) {
    scene.recipe.files[i].sort_order_id = static_cast<int32_t>(i % 40);
  }
  scene.request.limit = 100;
  for (const char* order : {"k", "k desc"}) {
    const auto plan = scene.Plan(order);
    ASSERT_NE(plan, nullptr) << scene.error();
    const std::string text = plan->Explain();
    EXPECT_LE(std::count(text.begin(), text.end(), '\n'), 50) << text;
    EXPECT_NE(text.find("- 9950 files lie beyond the first 100 rows"), std::string::npos) << text;
  }
}

// A hundred partitions of a hundred files; the manifests are cut across them.
TEST(Scale, OnePartitionOfAHundredNeedsTwoManifests) {
  Scene scene({{1, "k", "long"}, {2, "p", "long"}}, "k");
  scene.recipe.specs = {{0, {{2, 1000, "p", "identity"}}}};
  scene.recipe.files_a_manifest = 100;
  for (int64_t file = 0; file < kManyFiles; ++file) {
    const int64_t partition = (file + 50) / 100;
    scene.Add(DataFileOf({{1, "k", "long"}, {2, "p", "long"}}, {Row{file, partition}}, 1));
    scene.recipe.files.back().partition.emplace_back(partition);
  }
  scene.request.where = "p = 7";
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr) << scene.error();
  EXPECT_EQ(plan->files().size(), 100);
  const std::string json = plan->ExplainJson();
  EXPECT_NE(json.find("\"manifests_read\": 2,"), std::string::npos);
  EXPECT_NE(json.find("\"manifests_skipped\": 98,"), std::string::npos);
  const std::vector<std::string> opened = scene.filesystem().opened();
  const auto avro_files = std::count_if(opened.begin(), opened.end(), [](const std::string& path) {
    return path.ends_with(".avro");
  });
  EXPECT_EQ(avro_files, 1 + 2) << "the manifest list and two manifests";
  std::vector<int64_t> expected = Numbers(100);
  for (int64_t& key : expected) key += 650;
  EXPECT_EQ(KeysOf(*plan), expected);
}

std::string NumberedPath(int64_t number) {
  return kTableLocation + ("/data/file-" + std::to_string(number) + ".parquet");
}

// A thousand files of two rows, the first of which is deleted; `files_a_delete` of them share a
// delete file.
Scene Deleted(int64_t files_a_delete) {
  Scene scene({{1, "k", "long"}}, "k");
  for (int64_t file = 0; file < 1000; ++file) {
    scene.Add(DataFileOf({{1, "k", "long"}}, {Row{int64_t{-1}}, Row{file}}, 1)).path =
        NumberedPath(file);
  }
  for (int64_t first = 0; first < 1000; first += files_a_delete) {
    std::vector<Row> rows;
    for (int64_t file = first; file < first + files_a_delete; ++file) {
      rows.push_back({NumberedPath(file), int64_t{0}});
    }
    const std::vector<WrittenColumn> columns = {{2147483546, "file_path", "string"},
                                                {2147483545, "pos", "long"}};
    std::sort(rows.begin(), rows.end());
    RecipeFile deletes = DataFileOf(columns, rows);
    deletes.content = RecipeFile::Content::kPositionDeletes;
    deletes.sequence_number = 2;
    scene.Add(std::move(deletes));
  }
  scene.recipe.files_a_manifest = 100;
  return scene;
}

TEST(Scale, AThousandDeleteFilesAreReadOnceEach) {
  for (const int64_t files_a_delete : {1, 10, 1000}) {
    Scene scene = Deleted(files_a_delete);
    const auto plan = scene.Plan("k");
    ASSERT_NE(plan, nullptr) << scene.error();
    int64_t matched = 0;
    for (const FileScanTask& file : plan->files()) matched += file.position_delete_files;
    if (files_a_delete != 10) {
      EXPECT_EQ(matched, 1000) << "a file was matched with the deletes of another";
    }
    EXPECT_EQ(KeysOf(*plan), Numbers(1000)) << files_a_delete;
    const std::vector<std::string> opened = scene.filesystem().opened();
    const auto deletes = std::count_if(opened.begin(), opened.end(), [](const std::string& path) {
      return path.ends_with(".parquet") && path.find("/file-") == std::string::npos;
    });
    EXPECT_EQ(deletes, 1000 / files_a_delete) << "a delete file was opened more than once";
  }
}

// Two hundred files of 250 rows that follow one another. The first `unsorted` claim nothing, their
// rows are shuffled, and every two of them overlap.
Scene PartlyUnsorted(int64_t unsorted) {
  constexpr int64_t kRows = 250;
  const std::vector<WrittenColumn> columns = {{1, "k", "long"}, {2, "v", "string"}};
  Scene scene({{1, "k", "long"}, {2, "v", "string"}}, "k");
  std::mt19937_64 random = MakeRandom(6);
  for (int64_t file = 0; file < 200; ++file) {
    std::vector<Row> rows;
    const bool sorted = file >= unsorted;
    for (int64_t i = 0; i < kRows; ++i) {
      const int64_t key = sorted ? file * kRows + i : file / 2 * 2 * kRows + 2 * i + file % 2;
      rows.push_back({key, std::string(50, static_cast<char>('a' + key % 26))});
    }
    if (!sorted) std::shuffle(rows.begin(), rows.end(), random);
    scene.Add(DataFileOf(columns, rows, sorted ? std::optional<int32_t>(1) : std::nullopt));
  }
  scene.options.memory_bytes = 40000;
  scene.options.batch_rows = 64;
  return scene;
}

TEST(Scale, OnePercentOfUnsortedRowsCostsOnePercent) {
  ScanStatistics statistics[2];
  for (const bool all : {false, true}) {
    Scene scene = PartlyUnsorted(all ? 200 : 2);
    const auto plan = scene.Plan("k");
    ASSERT_NE(plan, nullptr) << scene.error();
    EXPECT_EQ(KeysOf(*plan), Numbers(200 * 250));
    statistics[all] = plan->statistics();
  }
  const auto& [few, all] = statistics;
  EXPECT_GT(few.spilled_bytes, 0);
  EXPECT_LE(100 * few.spilled_bytes, all.spilled_bytes + all.spilled_bytes / 10);
  EXPECT_GT(few.compared_rows, 0);
  EXPECT_LE(few.compared_rows, 2 * 250) << "a row of a file that overlaps no other was compared";
  EXPECT_LE(all.compared_rows, 200 * 250);
}

}  // namespace
}  // namespace esker::testing
