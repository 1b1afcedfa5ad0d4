// Tests of the output side of a window: gathering rows and joining batches.
#include "merge/row_gather.h"

#include <limits>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "merge/batch_joiner.h"
#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Draw;
using testing::MakeKey;

std::shared_ptr<arrow::RecordBatch> Numbers(int64_t first, int64_t rows) {
  std::vector<Value> values;
  for (int64_t i = 0; i < rows; ++i) values.emplace_back(first + i);
  const auto column = testing::MakeColumn(MakeKey("long").type, values);
  return arrow::RecordBatch::Make(arrow::schema({arrow::field("v", column->type())}), rows,
                                  {column});
}

std::vector<int64_t> NumbersOf(const arrow::RecordBatchVector& batches) {
  std::vector<int64_t> numbers;
  for (const auto& batch : batches) {
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) numbers.push_back(column.Value(i));
  }
  return numbers;
}

/// Cuts `rows` numbers from `first` on into batches of random lengths, empty ones among them.
arrow::RecordBatchVector Pieces(int64_t first, int64_t rows, std::mt19937_64& random) {
  arrow::RecordBatchVector pieces;
  while (rows > 0) {
    const int64_t count = std::min(rows, Draw(random, 0, 40));
    pieces.push_back(Numbers(first, count));
    first += count;
    rows -= count;
  }
  return pieces;
}

TEST(RowGather, RandomRunsOfEveryLength) {
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    auto random = testing::MakeRandom(30000 + i);
    const auto inputs = static_cast<uint32_t>(Draw(random, 1, 5));
    const int64_t longest = Draw(random, 0, 1) == 0 ? 3 : 400;
    std::vector<RowRun> runs;
    std::vector<int64_t> counts(inputs, 0);
    std::vector<int64_t> expected;
    for (int64_t n = Draw(random, 1, 20); n > 0; --n) {
      const RowRun run{static_cast<uint32_t>(Draw(random, 0, inputs - 1)),
                       Draw(random, 1, longest)};
      runs.push_back(run);
      for (int64_t row = 0; row < run.count; ++row) {
        expected.push_back(1000000 * run.span + counts[run.span]++);
      }
    }
    std::vector<arrow::RecordBatchVector> taken;
    for (uint32_t n = 0; n < inputs; ++n) {
      taken.push_back(Pieces(1000000 * n, counts[n], random));
    }
    for (const int64_t slice_rows :
         {int64_t{1}, int64_t{50}, std::numeric_limits<int64_t>::max()}) {
      const auto gathered =
          GatherRuns(Numbers(0, 0)->schema(), taken, runs, slice_rows, arrow::default_memory_pool())
              .ValueOrDie();
      ASSERT_EQ(NumbersOf(gathered), expected);
    }
  }
}

TEST(RowGather, LongRunsAreSlicesAndNotCopies) {
  const auto batch = Numbers(0, 1000);
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const std::vector<arrow::RecordBatchVector> taken{{batch}};
  const std::vector<RowRun> runs{{0, 1000}};
  const auto gathered = GatherRuns(batch->schema(), taken, runs, 500, &pool).ValueOrDie();
  ASSERT_EQ(gathered.size(), 1u);
  EXPECT_EQ(pool.total_bytes_allocated(), 0);
}

TEST(RowGather, ZipPutsColumnsSideBySideWhateverTheCuts) {
  auto random = testing::MakeRandom(1);
  const auto schema =
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())});
  for (int i = 0; i < 50; ++i) {
    const auto zipped = ZipBatches(Pieces(0, 100, random), Pieces(500, 100, random), schema);
    EXPECT_EQ(NumbersOf(zipped).size(), 100u);
    int64_t at = 0;
    for (const auto& batch : zipped) {
      const auto& left = static_cast<const arrow::Int64Array&>(*batch->column(0));
      const auto& right = static_cast<const arrow::Int64Array&>(*batch->column(1));
      for (int64_t row = 0; row < batch->num_rows(); ++row, ++at) {
        ASSERT_EQ(left.Value(row), at);
        ASSERT_EQ(right.Value(row), 500 + at);
      }
    }
  }
}

TEST(BatchJoiner, AllRowsComeOutInOrderInBatchesOfTheSizeAsked) {
  for (int i = 0; i < 300; ++i) {
    auto random = testing::MakeRandom(40000 + i);
    const int64_t batch_rows = Draw(random, 1, 100);
    BatchJoiner joiner(batch_rows, arrow::default_memory_pool());
    arrow::RecordBatchVector out;
    int64_t pushed = 0;
    for (int64_t n = Draw(random, 0, 20); n >= 0; --n) {
      const int64_t rows = Draw(random, 0, 300);
      joiner.Push(Numbers(pushed, rows));
      pushed += rows;
      while (auto batch = joiner.Pop(n == 0).ValueOrDie()) out.push_back(batch);
    }
    const auto numbers = NumbersOf(out);
    ASSERT_EQ(std::ssize(numbers), pushed);
    for (int64_t row = 0; row < pushed; ++row) ASSERT_EQ(numbers[row], row);
    for (const auto& batch : out) {
      ASSERT_LE(batch->num_rows(), batch_rows);
      if (batch != out.back()) {
        ASSERT_GE(2 * batch->num_rows(), batch_rows - 1);
      }
    }
  }
}

TEST(BatchJoiner, SmallSlicesOfLargeBatchesAreCopied) {
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  BatchJoiner joiner(100, &pool);
  std::shared_ptr<arrow::RecordBatch> first;
  {
    auto batch = Numbers(0, 401);
    joiner.Push(batch);
    first = joiner.Pop(true).ValueOrDie();
  }
  EXPECT_GT(pool.total_bytes_allocated(), 0);
  EXPECT_EQ(first->num_rows(), 100);
  EXPECT_EQ(first->column(0)->offset(), 0);
}

}  // namespace
}  // namespace esker
