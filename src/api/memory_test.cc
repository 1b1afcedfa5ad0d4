// The memory of a scan: inputs are charged to one budget before they are read, and what does not
// fit together is merged to disk first.
#include <sys/stat.h>

#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "esker/error.h"
#include "gtest/gtest.h"
#include "testing/scene.h"
#include "testing/seed.h"
#include "testing/table_builder.h"

namespace esker::testing {
namespace {

constexpr int64_t kMebibyte = 1 << 20;

// Rows whose key is theirs alone: file f of n holds f, f + n, f + 2n and so on.
RecipeFile StripedFile(int64_t file, int64_t files, int64_t rows, size_t text_bytes) {
  const std::vector<WrittenColumn> columns = {{1, "k", "long"}, {2, "s", "string"}};
  std::mt19937_64 random(static_cast<uint64_t>(file));
  std::vector<Row> cells;
  for (int64_t row = 0; row < rows; ++row) {
    std::string text(text_bytes, ' ');
    for (char& byte : text) byte = static_cast<char>('a' + random() % 26);
    cells.push_back({row * files + file, std::move(text)});
  }
  RecipeFile striped = DataFileOf(columns, cells, 1);
  striped.dictionary = false;  // no two texts are the same
  return striped;
}

// A folder for spill files that is gone at the end.
class SpillFolder {
 public:
  SpillFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "memory-test-XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~SpillFolder() { std::filesystem::remove_all(path_); }

  const std::string& path() const { return path_; }
  bool empty() const { return std::filesystem::is_empty(path_); }

 private:
  std::string path_;
};

// Reads the scan as an engine would, batch by batch, and expects the keys first, first + step, ...
void ExpectKeys(const ScanPlan& plan, int64_t first, int64_t step, int64_t rows) {
  auto reader = plan.Read().ValueOrDie();
  int64_t row = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = reader->ReadNext(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (batch == nullptr) break;
    const auto& keys = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < keys.length(); ++i, ++row) {
      ASSERT_EQ(keys.Value(i), first + row * step) << "row " << row;
    }
  }
  EXPECT_EQ(row, rows);
}

Scene MakeScene() { return Scene({{1, "k", "long"}, {2, "s", "string"}}, "k"); }

TEST(Memory, TenThousandOverlappingFilesUnderACapAndABudget) {
  constexpr int64_t kFiles = 10000;
  constexpr int64_t kRows = 20;
  SpillFolder folder;
  Scene scene = MakeScene();
  scene.recipe.files_a_manifest = 1000;
  scene.options.max_merge_files = 64;
  scene.options.memory_bytes = 256 * kMebibyte;
  scene.options.spill_dir = folder.path();
  for (int64_t file = 0; file < kFiles; ++file) scene.Add(StripedFile(file, kFiles, kRows, 8));
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr) << scene.error();
  EXPECT_EQ(plan->max_depth(), kFiles);
  ExpectKeys(*plan, 0, 1, kFiles * kRows);
  const ScanStatistics statistics = plan->statistics();
  EXPECT_EQ(statistics.files_opened, kFiles);
  EXPECT_LE(statistics.peak_open_files, 64);
  EXPECT_LE(statistics.peak_memory_bytes, (256 + 64) * kMebibyte);
  EXPECT_GT(statistics.spilled_bytes, 0);
  EXPECT_TRUE(folder.empty());
}

// Sixteen files of 8 MB take more together than 16 MB: merged in passes though the cap allows all.
TEST(Memory, FilesThatDoNotFitTogetherAreMergedInPasses) {
  constexpr int64_t kFiles = 16;
  constexpr int64_t kRows = 20000;
  SpillFolder folder;
  Scene scene = MakeScene();
  scene.options.spill_dir = folder.path();
  for (int64_t file = 0; file < kFiles; ++file) scene.Add(StripedFile(file, kFiles, kRows, 400));
  scene.options.memory_bytes = 1024 * kMebibyte;
  auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, kFiles * kRows);
  EXPECT_EQ(plan->statistics().spilled_bytes, 0);
  const int64_t ample = plan->statistics().peak_memory_bytes;
  EXPECT_EQ(plan->statistics().peak_open_files, kFiles);

  scene.options.memory_bytes = 16 * kMebibyte;
  plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, kFiles * kRows);
  EXPECT_GT(plan->statistics().spilled_bytes, 0);
  EXPECT_LT(plan->statistics().peak_open_files, kFiles);
  EXPECT_LE(plan->statistics().peak_memory_bytes, 16 * kMebibyte * 11 / 10);
  EXPECT_GT(ample, plan->statistics().peak_memory_bytes);
  EXPECT_TRUE(folder.empty());
}

TEST(Memory, TooSmallABudgetIsRefusedWithOneThatIsNot) {
  Scene scene = MakeScene();
  for (int64_t file = 0; file < 3; ++file) scene.Add(StripedFile(file, 3, 5000, 100));
  scene.options.memory_bytes = 100000;
  EXPECT_EQ(scene.Rows("k"), "usage");
  const std::string before = ": give it ";
  const size_t place = scene.error().find(before);
  ASSERT_NE(place, std::string::npos) << scene.error();
  EXPECT_NE(scene.error().find("--memory"), std::string::npos);
  EXPECT_NE(scene.error().find(".parquet"), std::string::npos);
  scene.options.memory_bytes = std::stoll(scene.error().substr(place + before.size()));
  const auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, 15000);
}

// The budget that an error names, or one that errors lead to, is one that is kept.
class MemoryOfAShape : public ::testing::TestWithParam<int> {};

struct Shape {
  const char* name;
  int columns;        // besides the key
  size_t text_bytes;  // of each; 0 for numbers
  int64_t distinct;   // values of a column
  bool dictionary;
};

constexpr Shape kShapes[] = {
    {"numbers", 4, 0, 1 << 20, false},
    {"many columns", 40, 0, 1 << 20, false},
    {"few texts", 2, 100, 50, true},
    {"many texts", 2, 100, 10000, true},
    {"long texts plain", 1, 1000, 1 << 20, false},
};

TEST_P(MemoryOfAShape, IsWithinTheBudget) {
  const Shape& shape = kShapes[GetParam()];
  SCOPED_TRACE(shape.name);
  constexpr int64_t kRows = 20000;
  std::vector<RecipeColumn> columns = {{1, "k", "long"}};
  std::vector<WrittenColumn> written = {{1, "k", "long"}};
  for (int c = 0; c < shape.columns; ++c) {
    const std::string type = shape.text_bytes == 0 ? "long" : "string";
    columns.push_back({c + 2, "c" + std::to_string(c), type});
    written.push_back({c + 2, "c" + std::to_string(c), type});
  }
  Scene scene(columns, "k");
  std::mt19937_64 random(1);
  for (int64_t file = 0; file < 3; ++file) {
    std::vector<Row> rows;
    for (int64_t row = 0; row < kRows; ++row) {
      rows.push_back({row * 3 + file});
      for (int c = 0; c < shape.columns; ++c) {
        const auto number = static_cast<int64_t>(random() % static_cast<uint64_t>(shape.distinct));
        std::string text = std::to_string(number);
        text.resize(shape.text_bytes, '.');
        rows.back().push_back(shape.text_bytes == 0 ? Cell{number} : Cell{text});
      }
    }
    scene.Add(DataFileOf(written, rows, 1)).dictionary = shape.dictionary;
  }
  const std::string before = ": give it ";
  scene.options.memory_bytes = 1;
  for (int step = 0; step < 10; ++step) {
    auto plan = scene.Plan("k");
    const auto read = plan->Read().ValueOrDie()->ToRecordBatches();
    if (read.ok()) break;
    const std::string message = read.status().message();
    ASSERT_NE(message.find(before), std::string::npos) << message;
    scene.options.memory_bytes = std::stoll(message.substr(message.find(before) + before.size()));
  }
  const auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, 3 * kRows);
  EXPECT_LE(plan->statistics().peak_memory_bytes, scene.options.memory_bytes * 11 / 10);
}

INSTANTIATE_TEST_SUITE_P(Shapes, MemoryOfAShape, ::testing::Range(0, 5));

TEST(Memory, SortersShareTheBudget) {
  SpillFolder folder;
  Scene scene = MakeScene();
  scene.options.spill_dir = folder.path();
  for (int64_t file = 0; file < 4; ++file) {
    RecipeFile striped = StripedFile(file, 4, 20000, 400);
    striped.sort_order_id = {};
    scene.Add(std::move(striped));
  }
  scene.options.memory_bytes = 24 * kMebibyte;
  const auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, 80000);
  EXPECT_GT(plan->statistics().spilled_bytes, 0);
  EXPECT_LE(plan->statistics().peak_memory_bytes, 24 * kMebibyte * 11 / 10);
  EXPECT_TRUE(folder.empty());
}

// Batches are cut by bytes, too: 16,384 rows of 20 kB would take 320 MB.
TEST(Memory, WideRowsMakeSmallBatches) {
  Scene scene = MakeScene();
  for (int64_t file = 0; file < 4; ++file) scene.Add(StripedFile(file, 4, 400, 20000));
  scene.options.memory_bytes = 64 * kMebibyte;
  const auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 1, 1600);
  EXPECT_LE(plan->statistics().peak_memory_bytes, 64 * kMebibyte * 11 / 10);
}

// The last rows of one large row group, by its offset index: its pages are read from the end.
TEST(Memory, ADescendingLimitCostsAboutWhatAnAscendingOneDoes) {
  constexpr int64_t kRows = 200000;
  Scene scene = MakeScene();
  scene.Add(StripedFile(0, 1, kRows, 40)).page_rows = 2000;
  const auto cost = [&](const char* order, int64_t limit) {
    scene.request.limit = limit;
    const auto plan = scene.Plan(order);
    const bool descends = order != std::string("k");
    ExpectKeys(*plan, descends ? kRows - 1 : 0, descends ? -1 : 1, limit);
    return plan->statistics();
  };
  const ScanStatistics first = cost("k", 100);
  const ScanStatistics last = cost("k desc", 100);
  EXPECT_EQ(scene.How(""), "reversed");
  EXPECT_LT(last.bytes_read, 2 * first.bytes_read);
  EXPECT_LT(last.peak_memory_bytes, 2 * first.peak_memory_bytes);
  // All of it fits a budget that would not hold the row group.
  scene.options.memory_bytes = 8 * kMebibyte;
  EXPECT_LE(cost("k desc", kRows).peak_memory_bytes, 8 * kMebibyte * 11 / 10);
  scene.options.prune_pages = false;
  EXPECT_EQ(scene.Rows("k desc"), "usage");
}

// What a caller keeps is not the scan's.
TEST(Memory, BatchesThatAreKeptDoNotMakeAScanSpill) {
  Scene scene = MakeScene();
  for (int64_t file = 0; file < 4; ++file) scene.Add(StripedFile(file, 4, 20000, 400));
  scene.options.memory_bytes = 30 * kMebibyte;  // of rows there are 32
  const auto plan = scene.Plan("k");
  const auto table = plan->Read().ValueOrDie()->ToTable();
  ASSERT_TRUE(table.ok()) << table.status().ToString();
  EXPECT_EQ((*table)->num_rows(), 80000);
  EXPECT_EQ(plan->statistics().spilled_bytes, 0);
}

}  // namespace
}  // namespace esker::testing
