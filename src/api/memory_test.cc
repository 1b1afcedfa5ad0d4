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

// Equality deletes of the odd keys, and of keys from `first_absent` on that no file holds.
RecipeFile ManyDeletedKeys(int64_t below, int64_t first_absent, int64_t absent) {
  std::vector<Row> keys;
  for (int64_t key = 1; key < below; key += 2) keys.push_back({key});
  for (int64_t i = 0; i < absent; ++i) keys.push_back({first_absent + i});
  return EqualityDeletesOf({{1, "k", "long"}}, keys);
}

// The number that a refusal names; 0 if it is none.
int64_t NumberNamed(const std::string& message) {
  const std::string before = ": give it ";
  const size_t place = message.find(before);
  return place == std::string::npos ? 0 : std::stoll(message.substr(place + before.size()));
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
  ASSERT_GT(NumberNamed(scene.error()), 0) << scene.error();
  EXPECT_NE(scene.error().find("--memory"), std::string::npos);
  EXPECT_NE(scene.error().find(".parquet"), std::string::npos);
  scene.options.memory_bytes = NumberNamed(scene.error());
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
  scene.options.memory_bytes = 1;
  for (int step = 0; step < 10; ++step) {
    auto plan = scene.Plan("k");
    const auto read = plan->Read().ValueOrDie()->ToRecordBatches();
    if (read.ok()) break;
    ASSERT_GT(NumberNamed(read.status().message()), 0) << read.status().message();
    scene.options.memory_bytes = NumberNamed(read.status().message());
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

TEST(Memory, ManyEqualityDeletesAreRefusedWithANumberThatIsEnough) {
  for (const bool is_ordered : {true, false}) {
    SCOPED_TRACE(is_ordered);
    Scene scene = MakeScene();
    for (int64_t file = 0; file < 3; ++file) scene.Add(StripedFile(file, 3, 5000, 100));
    if (!is_ordered) scene.request.order = OrderFrom::kNone;
    scene.Add(ManyDeletedKeys(15000, 1 << 20, 200000)).path =
        kTableLocation + std::string("/data/many.parquet");
    scene.options.memory_bytes = 4 * kMebibyte;
    EXPECT_EQ(scene.Rows(is_ordered ? "k" : ""), "usage");
    EXPECT_NE(scene.error().find("--memory"), std::string::npos) << scene.error();
    EXPECT_NE(scene.error().find("equality delete file"), std::string::npos) << scene.error();
    EXPECT_NE(scene.error().find("many.parquet: "), std::string::npos) << scene.error();
    scene.options.memory_bytes = NumberNamed(scene.error());
    EXPECT_GT(scene.options.memory_bytes, 200000 * (24 + 21));
    const auto plan = scene.Plan(is_ordered ? "k" : "");
    if (is_ordered) {
      ExpectKeys(*plan, 0, 2, 7500);
    } else {
      const auto rows = plan->Read().ValueOrDie()->ToTable();
      ASSERT_TRUE(rows.ok()) << rows.status().ToString();
      EXPECT_EQ((*rows)->num_rows(), 7500);
    }
    EXPECT_GT(plan->statistics().peak_memory_bytes, 200000 * (24 + 21));
    EXPECT_LE(plan->statistics().peak_memory_bytes, scene.options.memory_bytes * 11 / 10);
  }
}

// The keys take 6 MB: charged for each of the hundred files that are open together, 600 MB. One
// file more, so that odd keys are in all of them.
TEST(Memory, DeletesThatAHundredFilesShareAreChargedOnce) {
  constexpr int64_t kFiles = 101;
  Scene scene = MakeScene();
  scene.options.max_merge_files = kFiles;
  for (int64_t file = 0; file < kFiles; ++file) scene.Add(StripedFile(file, kFiles, 40, 10));
  scene.Add(ManyDeletedKeys(kFiles * 40, 1 << 20, 90000));
  scene.options.memory_bytes = 64 * kMebibyte;
  const auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 2, kFiles * 20);
  EXPECT_EQ(plan->statistics().peak_open_files, kFiles);
  EXPECT_EQ(plan->statistics().spilled_bytes, 0);
}

// Data files of two partitions: by turns, one behind the other; or all overlapping, first those of
// the one. Keys deleted in each take 6 MB once they are loaded and twice that while they are. Under
// kOneSetAtATime there is no room for both.
constexpr int64_t kOneSetAtATime = 20 * kMebibyte;
Scene TwoPartitions(int64_t files, bool overlap) {
  constexpr int64_t kRows = 200;
  Scene scene({{1, "k", "long"}, {2, "p", "long"}}, "k");
  scene.recipe.specs = {{0, {{2, 1000, "p", "identity"}}}};
  for (int64_t file = 0; file < files; ++file) {
    const int64_t partition = overlap ? 2 * file / files : file % 2;
    std::vector<Row> rows;
    for (int64_t row = 0; row < kRows; ++row) {
      const int64_t key = overlap ? row * files + file : file * kRows + row;
      rows.push_back({key, partition});
    }
    scene.Add(DataFileOf({{1, "k", "long"}, {2, "p", "long"}}, rows, 1)).partition = {
        Cell{partition}};
  }
  for (const int64_t partition : {0, 1}) {
    scene.Add(ManyDeletedKeys(files * kRows, 1 << 20, 90000)).partition = {Cell{partition}};
  }
  return scene;
}

// Files that follow one another: what the last one needed is let go for the next, and loaded again.
TEST(Memory, IdleDeletesAreLetGoAndLoadedAgain) {
  Scene scene = TwoPartitions(6, false);
  scene.options.memory_bytes = 64 * kMebibyte;
  auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 2, 600);
  const ScanStatistics ample = plan->statistics();
  scene.options.memory_bytes = kOneSetAtATime;
  plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 2, 600);
  const ScanStatistics tight = plan->statistics();
  EXPECT_GT(tight.requests, ample.requests);
  EXPECT_LT(tight.peak_memory_bytes, ample.peak_memory_bytes);
  EXPECT_EQ(tight.spilled_bytes, 0);
}

// Files that overlap: those of one partition are merged to disk for the deletes of the other.
TEST(Memory, InputsAreMergedToDiskForDeletes) {
  SpillFolder folder;
  Scene scene = TwoPartitions(6, true);
  scene.options.spill_dir = folder.path();
  scene.options.memory_bytes = 64 * kMebibyte;
  auto plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 2, 600);
  EXPECT_EQ(plan->statistics().spilled_bytes, 0);
  scene.options.memory_bytes = kOneSetAtATime;
  plan = scene.Plan("k");
  ExpectKeys(*plan, 0, 2, 600);
  EXPECT_GT(plan->statistics().spilled_bytes, 0);
  EXPECT_LE(plan->statistics().peak_memory_bytes, scene.options.memory_bytes * 11 / 10);
  EXPECT_TRUE(folder.empty());
}

TEST(Memory, AScanWithoutAnOrderIsRefusedWithANumberThatIsEnough) {
  Scene scene = MakeScene();
  scene.request.order = OrderFrom::kNone;
  for (int64_t file = 0; file < 3; ++file) scene.Add(StripedFile(file, 3, 20000, 100));
  scene.options.memory_bytes = 100000;
  EXPECT_EQ(scene.Rows(), "usage");
  EXPECT_NE(scene.error().find("--memory"), std::string::npos) << scene.error();
  EXPECT_NE(scene.error().find(".parquet: give it "), std::string::npos) << scene.error();
  scene.options.memory_bytes = NumberNamed(scene.error());
  const auto plan = scene.Plan();
  auto reader = plan->Read().ValueOrDie();
  int64_t rows = 0;
  for (std::shared_ptr<arrow::RecordBatch> batch;; rows += batch->num_rows()) {
    const arrow::Status status = reader->ReadNext(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
    if (batch == nullptr) break;
  }
  EXPECT_EQ(rows, 60000);
  EXPECT_LE(plan->statistics().peak_memory_bytes, scene.options.memory_bytes * 11 / 10);
}

// A claim that is checked ahead costs a look at the keys, not room for all of them.
TEST(Memory, CheckingAClaimAheadKeepsNoKeys) {
  std::vector<Row> rows;
  for (int64_t row = 0; row < 20000; ++row) {
    std::string text = std::to_string(100000 + row);
    text.resize(400, '.');
    Row& cells = rows.emplace_back();
    cells.emplace_back(std::move(text));
  }
  Scene scene({{1, "s", "string"}}, "s");
  scene.Add(DataFileOf({{1, "s", "string"}}, rows, 1)).dictionary = false;
  scene.options.on_disorder = OnDisorder::kSort;
  scene.options.memory_bytes = 6 * kMebibyte;  // of keys there are 8
  const auto plan = scene.Plan("s");
  auto reader = plan->Read().ValueOrDie();
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    const arrow::Status status = reader->ReadNext(&batch);
    ASSERT_TRUE(status.ok()) << status.ToString();
  } while (batch != nullptr);
  EXPECT_EQ(plan->statistics().rows, 20000);
  EXPECT_LE(plan->statistics().peak_memory_bytes, 6 * kMebibyte * 11 / 10);
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
