// Threads: the rows, the errors and the counts of a scan are the same for every number of them.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "esker/table.h"
#include "gtest/gtest.h"
#include "testing/process_threads.h"
#include "testing/scene.h"
#include "testing/table_builder.h"

namespace esker::testing {
namespace {

constexpr int64_t kRows = 1000;
constexpr int64_t kRowGroup = 300;

// Keys first, first + step and so on, in row groups that end anywhere.
RecipeFile FileOfKeys(int64_t first, int64_t step) {
  std::vector<Row> rows;
  for (int64_t i = 0; i < kRows; ++i) {
    const int64_t key = first + i * step;
    rows.push_back({key, "value " + std::to_string(key), key % 7});
  }
  RecipeFile file = DataFileOf({{1, "k", "long"}, {2, "s", "string"}, {3, "n", "long"}}, rows, 1);
  file.row_group_rows = kRowGroup;
  return file;
}

// Keys 0 to 6,999: three files that interleave, then four that follow one another.
Scene SevenFiles() {
  Scene scene({{1, "k", "long"}, {2, "s", "string"}, {3, "n", "long"}}, "k");
  for (int64_t file = 0; file < 3; ++file) scene.Add(FileOfKeys(file, 3));
  for (int64_t file = 3; file < 7; ++file) scene.Add(FileOfKeys(file * kRows, 1));
  scene.options.batch_rows = 64;
  return scene;
}

// Expects the keys first, first + step … with what belongs to them, as many as that.
void ExpectRows(const ScanPlan& plan, int64_t first, int64_t step, int64_t rows) {
  auto reader = plan.Read().ValueOrDie();
  int64_t row = 0;
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    if (batch == nullptr) break;
    const auto& keys = static_cast<const arrow::Int64Array&>(*batch->column(0));
    const auto& texts = static_cast<const arrow::StringArray&>(*batch->column(1));
    const auto& numbers = static_cast<const arrow::Int64Array&>(*batch->column(2));
    for (int64_t i = 0; i < batch->num_rows(); ++i, ++row) {
      const int64_t key = first + row * step;
      ASSERT_EQ(keys.Value(i), key);
      ASSERT_EQ(texts.GetView(i), "value " + std::to_string(key));
      ASSERT_EQ(numbers.Value(i), key % 7);
    }
  }
  EXPECT_EQ(row, rows);
}

// All that is counted of work; memory and times differ.
auto Counts(const ScanStatistics& s) {
  return std::tuple(s.rows, s.batches, s.files_opened, s.peak_open_files, s.row_groups_read,
                    s.row_groups_skipped, s.pages_skipped, s.requests, s.bytes_read, s.runs,
                    s.compared_rows, s.spilled_bytes);
}

struct Case {
  std::string order;
  std::string where = "";
  std::optional<int64_t> limit = {};
  int64_t first = 0;
  int64_t step = 1;
  int64_t rows = 7 * kRows;
  int64_t files = 7;
  int64_t batch_rows = 64;
};

TEST(Threads, RowsAndCountsAreTheSame) {
  const std::vector<Case> cases = {
      {.order = "k"},
      {.order = "k desc", .first = 7 * kRows - 1, .step = -1},
      {.order = "k", .where = "n = 3", .first = 3, .step = 7, .rows = kRows},
      {.order = "k", .limit = 10, .rows = 10, .files = 3},
      // Blocks of whole row groups: one more would be read, and counted, for nothing.
      {.order = "k", .limit = 10, .rows = 10, .files = 3, .batch_rows = kRowGroup},
      {.order = "k", .limit = 3500, .rows = 3500, .files = 4},
      {.order = "k desc",
       .limit = 1500,
       .first = 7 * kRows - 1,
       .step = -1,
       .rows = 1500,
       .files = 2},
  };
  for (const Case& each : cases) {
    Scene scene = SevenFiles();
    scene.request.where = each.where;
    scene.request.limit = each.limit;
    scene.options.batch_rows = each.batch_rows;
    scene.options.threads = 1;
    const auto plan = scene.Plan(each.order);
    ASSERT_NE(plan, nullptr) << scene.error();
    ExpectRows(*plan, each.first, each.step, each.rows);
    EXPECT_EQ(plan->statistics().files_opened, each.files);
    for (const int32_t threads : {2, 4, 0}) {
      scene.options.threads = threads;
      const auto threaded = scene.Plan(each.order);
      // Slow enough for a thread to do what it should not.
      if (each.limit) scene.filesystem().SlowDown(std::chrono::milliseconds(1));
      ExpectRows(*threaded, each.first, each.step, each.rows);
      EXPECT_EQ(Counts(threaded->statistics()), Counts(plan->statistics()))
          << each.order << " where " << each.where << ", " << threads << " threads";
    }
  }
}

TEST(Threads, WithoutAnOrderAsWell) {
  std::string expected;
  for (const int32_t threads : {1, 2, 4}) {
    Scene scene = SevenFiles();
    scene.request.order = OrderFrom::kNone;
    scene.options.threads = threads;
    const std::string rows = scene.Rows();
    if (threads == 1) expected = rows;
    EXPECT_EQ(rows.substr(0, 34), "0|value 0|0 3|value 3|3 6|value 6|");
    EXPECT_EQ(rows, expected) << threads;
  }
}

// The third file has an inversion early on, the second one late: with all of them decoded side by
// side, the error is that of the one that is met first.
TEST(Threads, TheErrorIsTheSame) {
  std::string expected;
  for (const int32_t threads : {1, 2, 4}) {
    Scene scene({{1, "k", "long"}}, "k");
    scene.Add("[[1], [4], [7], [10]]");
    scene.Add("[[2], [5], [8], [3]]");
    scene.Add("[[3], [6], [2], [11]]");
    scene.options.batch_rows = 4;
    scene.options.threads = threads;
    EXPECT_EQ(scene.Rows("k"), "disorder");
    if (threads == 1) expected = scene.error();
    EXPECT_EQ(scene.error(), expected);
  }
  EXPECT_NE(expected, "");
}

TEST(Threads, NumbersOutOfRangeAreRefused) {
  Scene scene = SevenFiles();
  for (const int32_t threads : {-1, 1025}) {
    scene.options.threads = threads;
    EXPECT_EQ(scene.Plan("k"), nullptr);
    EXPECT_NE(scene.error().find("--threads"), std::string::npos) << scene.error();
  }
}

}  // namespace
}  // namespace esker::testing
