// Tests of files that are read backwards: what the last rows cost, and what all of them do.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Draw;
using testing::FileField;
using testing::FileScan;
using testing::MakeField;
using testing::WriteFile;

constexpr int64_t kRows = 400'000;
constexpr int64_t kPageRows = 5000;

// One row group of a key that ascends, numbers and texts that no encoding makes small.
FileTask WriteLargeRowGroup(const std::string& path, bool with_index) {
  auto random = testing::MakeRandom(7);
  arrow::Int64Builder k;
  arrow::Int64Builder v;
  arrow::StringBuilder t;
  for (int64_t i = 0; i < kRows; ++i) {
    std::string text;
    for (int64_t c = 0; c < 8; ++c) text += static_cast<char>('a' + Draw(random, 0, 25));
    EXPECT_TRUE(k.Append(3 * i).ok() && v.Append(Draw(random, 0, 1 << 30)).ok());
    EXPECT_TRUE(t.Append(text + text).ok());
  }
  parquet::WriterProperties::Builder properties;
  properties.max_rows_per_page(kPageRows)->disable_dictionary();
  if (!with_index) properties.disable_write_page_index();
  return WriteFile(path,
                   {FileField(1, "k", arrow::int64(), false), FileField(2, "v", arrow::int64()),
                    FileField(3, "t", arrow::utf8())},
                   {k.Finish().ValueOrDie(), v.Finish().ValueOrDie(), t.Finish().ValueOrDie()},
                   kRows, properties.build())
      .ValueOrDie();
}

class ReversedSourceTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new testing::TemporaryFolder;
    indexed_ = new FileTask(WriteLargeRowGroup(folder_->File("indexed.parquet"), true));
    bare_ = new FileTask(WriteLargeRowGroup(folder_->File("bare.parquet"), false));
  }
  static void TearDownTestSuite() {
    delete bare_;
    delete indexed_;
    delete folder_;
  }

  struct Cost {
    int64_t bytes_read = 0;
    int64_t peak_bytes = 0;
    int64_t held_bytes = 0;  // as estimated
  };

  // Takes `rows` rows as a merge with a limit does.
  static Cost CostOf(const FileTask& task, bool reversed, int64_t rows) {
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    Cost cost;
    FileScan scan;
    scan.schema = {MakeField(1, "k", "long", true), MakeField(2, "v", "long"),
                   MakeField(3, "t", "string")};
    scan.keys = {"k"};
    scan.output = {"k", "v", "t"};
    scan.reversed = reversed;
    scan.pool = &pool;
    const auto source = scan.Open(task).ValueOrDie();
    cost.held_bytes = source->memory().held_bytes;
    for (int64_t taken = 0; taken < rows;) {
      const auto keys = source->NextKeys().ValueOrDie();
      const auto& k = static_cast<const arrow::Int64Array&>(*keys->column(0));
      EXPECT_EQ(k.Value(0), 3 * (reversed ? kRows - 1 - taken : taken));
      const int64_t count = std::min(rows - taken, keys->num_rows());
      EXPECT_TRUE(source->Take(count).ok());
      taken += count;
    }
    cost.bytes_read = scan.counters->bytes_read;
    cost.peak_bytes = pool.max_memory();
    return cost;
  }

  static testing::TemporaryFolder* folder_;
  static FileTask* indexed_;
  static FileTask* bare_;
};

testing::TemporaryFolder* ReversedSourceTest::folder_ = nullptr;
FileTask* ReversedSourceTest::indexed_ = nullptr;
FileTask* ReversedSourceTest::bare_ = nullptr;

// The footer is read by 64 KiB and the indexes take some KiB; both are in all bounds.
TEST_F(ReversedSourceTest, TheLastRowsCostAboutWhatTheFirstOnesDo) {
  const Cost first = CostOf(*indexed_, false, 100);
  const Cost last = CostOf(*indexed_, true, 100);
  EXPECT_LT(last.bytes_read, 2 * first.bytes_read);
  EXPECT_LT(last.peak_bytes, 2 * first.peak_bytes);
  // Without an index the row group is decoded.
  const Cost bare = CostOf(*bare_, true, 100);
  EXPECT_GT(bare.bytes_read, 10 * last.bytes_read);
  EXPECT_GT(bare.peak_bytes, 10 * last.peak_bytes);
}

TEST_F(ReversedSourceTest, AllRowsCostAboutWhatTheyDoForwards) {
  const Cost forward = CostOf(*indexed_, false, kRows);
  const Cost backward = CostOf(*indexed_, true, kRows);
  EXPECT_LT(backward.bytes_read, forward.bytes_read * 5 / 4);
  EXPECT_LT(backward.peak_bytes, 4 * forward.peak_bytes);
  EXPECT_LT(backward.peak_bytes, CostOf(*bare_, true, kRows).peak_bytes / 3);
}

TEST_F(ReversedSourceTest, TheEstimateFollowsTheIndex) {
  const Cost forward = CostOf(*indexed_, false, 1);
  const Cost backward = CostOf(*indexed_, true, 1);
  const Cost bare = CostOf(*bare_, true, 1);
  EXPECT_LT(backward.held_bytes, 3 * forward.held_bytes);
  EXPECT_GT(bare.held_bytes, 2 * backward.held_bytes);
  EXPECT_GT(backward.held_bytes, CostOf(*indexed_, true, kRows).peak_bytes / 2);
}

}  // namespace
}  // namespace esker
