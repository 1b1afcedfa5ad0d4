// Tests of the lazy merge: what it opens and when, what it verifies, how it ends.
#include "merge/lazy_merge.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "base/status.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/scripted_source.h"

namespace esker {
namespace {

using testing::MakeKey;
using testing::ReferenceInput;
using testing::SourceScript;
using ::testing::Test;

const SortKeys kLong{MakeKey("long")};

ReferenceInput FileOf(const std::vector<Value>& values, const SortKeys& keys = kLong) {
  const auto column = testing::MakeColumn(keys[0].type, values);
  ReferenceInput file;
  file.keys = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                       column->length(), {column});
  file.rows = arrow::RecordBatch::Make(arrow::schema({arrow::field("v", column->type())}),
                                       column->length(), {column});
  return file;
}

/// first, first + step, ... `rows` of them.
ReferenceInput Range(int64_t first, int64_t rows, int64_t step = 1) {
  std::vector<Value> values;
  for (int64_t i = 0; i < rows; ++i) values.emplace_back(first + i * step);
  return FileOf(values);
}

struct Merge {
  SortKeys keys = kLong;
  MergeOptions options;
  std::shared_ptr<ScanCounters> counters = std::make_shared<ScanCounters>();
  std::vector<MergeInput> inputs;
  std::shared_ptr<arrow::Schema> schema;

  /// Adds a file with exact corners, or those of `range`.
  void Add(const ReferenceInput& file, SourceScript script = {}, const KeyRange* range = nullptr) {
    const KeyRange corners = range ? *range : testing::ExactRange(keys, *file.keys);
    schema = file.rows->schema();
    inputs.push_back({corners.lower, corners.upper,
                      testing::OpenScripted(file, std::move(script), counters), "sort order id 1"});
  }

  std::shared_ptr<arrow::RecordBatchReader> Open() {
    return MakeLazyMerge(std::move(inputs), keys, schema, options, counters).ValueOrDie();
  }
};

/// Reads all; the numbers of column 0 one after the other, with each compared to its neighbour.
arrow::Result<std::vector<int64_t>> ReadAll(arrow::RecordBatchReader* reader) {
  std::vector<int64_t> values;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
    if (batch == nullptr) return values;
    const auto& column = static_cast<const arrow::Int64Array&>(*batch->column(0));
    for (int64_t i = 0; i < column.length(); ++i) {
      if (!values.empty() && column.Value(i) < values.back()) {
        return arrow::Status::Invalid("out of order at ", values.size());
      }
      values.push_back(column.Value(i));
    }
  }
}

Corner At(int64_t value) { return {{HalfRank::Kind::kValue, value}}; }

// What is opened, and when.

TEST(LazyMerge, DisjointFilesAreOpenOneAtATimeAndNotCompared) {
  Merge merge;
  for (int64_t i = 0; i < 50; ++i) merge.Add(Range(i * 100, 100));
  const auto values = ReadAll(merge.Open().get()).ValueOrDie();
  EXPECT_EQ(values.size(), 5000u);
  EXPECT_EQ(merge.counters->files_opened, 50);
  EXPECT_EQ(merge.counters->peak_open_files, 1);
  EXPECT_EQ(merge.counters->compared_rows, 0);
  EXPECT_EQ(merge.counters->runs, 50);
  EXPECT_EQ(merge.counters->rows, 5000);
}

TEST(LazyMerge, TouchingFilesAreOpenOneAtATime) {
  Merge merge;
  for (int64_t i = 0; i < 20; ++i) merge.Add(Range(i * 10, 11));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 220u);
  EXPECT_EQ(merge.counters->peak_open_files, 1);
}

TEST(LazyMerge, OverlappingFilesAreOpenAsDeepAsTheyOverlap) {
  Merge merge;
  for (int64_t i = 0; i < 60; ++i) merge.Add(Range(i * 40, 100));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 6000u);
  EXPECT_EQ(merge.counters->files_opened, 60);
  EXPECT_EQ(merge.counters->peak_open_files, 3);
}

TEST(LazyMerge, OneFileOverAllOthersAddsOne) {
  Merge merge;
  merge.Add(Range(0, 1000, 10));
  for (int64_t i = 0; i < 20; ++i) merge.Add(Range(i * 500 + 1, 100));
  ASSERT_TRUE(ReadAll(merge.Open().get()).ok());
  EXPECT_EQ(merge.counters->peak_open_files, 2);
}

TEST(LazyMerge, NothingIsOpenedBeforeTheFirstRead) {
  Merge merge;
  merge.Add(Range(0, 10));
  const auto reader = merge.Open();
  EXPECT_EQ(merge.counters->files_opened, 0);
}

TEST(LazyMerge, LimitOpensOnlyWhatItNeeds) {
  for (const int64_t limit : {0, 1, 99, 100, 101, 250}) {
    Merge merge;
    merge.options.limit = limit;
    for (int64_t i = 0; i < 300; ++i) merge.Add(Range(i * 100, 100));
    const auto reader = merge.Open();
    const auto values = ReadAll(reader.get()).ValueOrDie();
    EXPECT_EQ(std::ssize(values), limit);
    EXPECT_EQ(merge.counters->files_opened, (limit + 99) / 100);
    EXPECT_EQ(merge.counters->open_files, 0) << "closed when the limit is reached";
  }
}

TEST(LazyMerge, LimitOverOverlapOpensTheDepth) {
  Merge merge;
  merge.options.limit = 100;
  for (int64_t i = 0; i < 300; ++i) merge.Add(Range(i * 40, 100));
  ASSERT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 100u);
  EXPECT_LE(merge.counters->files_opened, 4);
}

TEST(LazyMerge, CapIsNeverExceeded) {
  for (const int32_t cap : {1, 2, 3, 64}) {
    Merge merge;
    merge.options.max_open = cap;
    for (int64_t i = 0; i < 200; ++i) merge.Add(Range(i % 7, 50, 3));
    EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 10000u);
    EXPECT_LE(merge.counters->peak_open_files, cap);
    EXPECT_GT(merge.counters->spilled_bytes, 0);
    EXPECT_EQ(merge.counters->files_opened, 200);
  }
}

TEST(LazyMerge, DepthEqualToTheCapSpillsNothing) {
  Merge merge;
  merge.options.max_open = 3;
  for (int64_t i = 0; i < 60; ++i) merge.Add(Range(i * 40, 100));
  ASSERT_TRUE(ReadAll(merge.Open().get()).ok());
  EXPECT_EQ(merge.counters->spilled_bytes, 0);
}

TEST(LazyMerge, DepthOfOneMoreThanTheCapSpillsLittle) {
  Merge merge;
  merge.options.max_open = 2;
  for (int64_t i = 0; i < 60; ++i) merge.Add(Range(i * 4000, 10000));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 600000u);
  EXPECT_EQ(merge.counters->peak_open_files, 2);
  // The file that ends first is spilled: its last fifth, 2000 rows of 16 bytes, before LZ4.
  EXPECT_GT(merge.counters->spilled_bytes, 0);
  EXPECT_LT(merge.counters->spilled_bytes, 60 * 4000 * 16);
}

TEST(LazyMerge, NoInputsGiveAnEmptyStream) {
  Merge merge;
  merge.schema = arrow::schema({arrow::field("v", arrow::int64())});
  const auto reader = merge.Open();
  EXPECT_TRUE(reader->schema()->Equals(*merge.schema));
  EXPECT_EQ(ReadAll(reader.get()).ValueOrDie().size(), 0u);
}

TEST(LazyMerge, FilesWithoutRowsAreOpenedAndPassed) {
  Merge merge;
  const KeyRange range{At(0), At(9)};
  for (int i = 0; i < 5; ++i) merge.Add(Range(0, 0), {}, &range);
  merge.Add(Range(5, 3));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie(), (std::vector<int64_t>{5, 6, 7}));
  EXPECT_EQ(merge.counters->peak_open_files, 1);
}

TEST(LazyMerge, OutputWithoutColumnsKeepsItsRows) {
  Merge merge;
  for (int i = 0; i < 2; ++i) {
    ReferenceInput file = Range(i, 100, 2);
    file.rows =
        arrow::RecordBatch::Make(arrow::schema(arrow::FieldVector{}), 100, arrow::ArrayVector{});
    merge.Add(file);
  }
  const auto reader = merge.Open();
  int64_t rows = 0;
  while (auto batch = reader->Next().ValueOrDie()) rows += batch->num_rows();
  EXPECT_EQ(rows, 200);
}

// Bounds that lie.

TEST(LazyMerge, UpperBoundsDoNotMatterButAreCounted) {
  Merge merge;
  const KeyRange low{At(0), At(50)};  // rows go to 99
  merge.Add(Range(0, 100), {}, &low);
  merge.Add(Range(60, 100));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 200u);
  EXPECT_EQ(merge.counters->misses_after_upper, 1);
}

TEST(LazyMerge, HarmlessMissOfALowerBoundIsCounted) {
  Merge merge;
  const KeyRange late{At(20), At(99)};
  merge.Add(Range(0, 10));
  merge.Add(Range(15, 20), {}, &late);
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 30u);
  EXPECT_EQ(merge.counters->misses_before_lower, 1);
}

TEST(LazyMerge, HarmfulMissOfALowerBoundIsDisorder) {
  Merge merge;
  const KeyRange late{At(20), At(99)};
  merge.Add(Range(0, 30));
  merge.Add(Range(15, 20), {.file = "late.parquet"}, &late);
  const auto reader = merge.Open();
  const arrow::Status status = ReadAll(reader.get()).status();
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(KindOf(status), ErrorKind::kDisorder);
  for (const char* part :
       {"late.parquet", "row group 0", "row 0", "(15)", "(20)", "sort order id 1"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
  EXPECT_EQ(merge.counters->open_files, 0);
}

TEST(LazyMerge, InputsOutOfCornerOrderAreStillMergedRight) {
  Merge merge;
  for (const int64_t first : {300, 100, 0, 200}) merge.Add(Range(first, 150));
  EXPECT_EQ(ReadAll(merge.Open().get()).ValueOrDie().size(), 600u);
}

// Files that lie.

TEST(LazyMerge, EachPlantedInversionIsFoundAtItsPlace) {
  for (const int64_t batch_rows : {1, 3, 1000}) {
    for (int64_t at = 1; at < 20; ++at) {
      std::vector<Value> values;
      for (int64_t i = 0; i < 20; ++i) values.emplace_back(100 + 10 * i);
      values[at] = 100 + 10 * (at - 1) - 5;
      const KeyRange all{At(0), At(999)};
      Merge merge;
      merge.Add(FileOf(values), {.key_batch_rows = batch_rows, .file = "liar", .row_group_rows = 7},
                &all);
      merge.Add(Range(0, 1000), {}, &all);
      const arrow::Status status = ReadAll(merge.Open().get()).status();
      ASSERT_EQ(KindOf(status), ErrorKind::kDisorder);
      const std::string place = "liar, row group " + std::to_string(at / 7) + ", row " +
                                std::to_string(at) + ": key (" +
                                std::to_string(100 + 10 * (at - 1) - 5) + ") comes after (" +
                                std::to_string(100 + 10 * (at - 1)) + ")";
      EXPECT_TRUE(status.message().starts_with(place)) << status.message();
      EXPECT_NE(status.message().find("sort order id 1"), std::string::npos);
      EXPECT_EQ(merge.counters->open_files, 0);
    }
  }
}

TEST(LazyMerge, NullInTheWrongPlaceIsFound) {
  for (const bool nulls_first : {true, false}) {
    Merge merge;
    merge.keys = {MakeKey("long", false, nulls_first)};
    std::vector<Value> values{int64_t{1}, Value(), int64_t{2}};
    const KeyRange all;
    merge.Add(FileOf(values), {}, &all);
    EXPECT_EQ(KindOf(ReadAll(merge.Open().get()).status()), ErrorKind::kDisorder);
  }
}

// Ends of all kinds.

TEST(LazyMerge, FailureOfAnyCallClosesAllAndStays) {
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  for (const int32_t cap : {0, 2}) {
    bool failed = true;
    for (int64_t call = 0; failed; ++call) {
      Merge merge;
      merge.options.max_open = cap;
      merge.options.window_rows = 64;
      for (int64_t i = 0; i < 5; ++i) {
        merge.Add(Range(i, 200, 3), {.key_batch_rows = 50, .fail_at = i == 2 ? call : -1});
      }
      const auto reader = merge.Open();
      const arrow::Status status = ReadAll(reader.get()).status();
      failed = !status.ok();
      EXPECT_EQ(merge.counters->open_files, 0);
      if (!failed) break;
      EXPECT_TRUE(status.IsIOError()) << status.ToString();
      EXPECT_EQ(reader->Next().status(), status) << "pulled again";
      ASSERT_LT(call, 1000);
    }
  }
  EXPECT_EQ(arrow::default_memory_pool()->bytes_allocated(), before);
}

TEST(LazyMerge, FailureToOpenStays) {
  Merge merge;
  merge.Add(Range(0, 10));
  merge.Add(Range(5, 10));
  merge.inputs[1].open = []() -> arrow::Result<std::unique_ptr<Source>> {
    return arrow::Status::IOError("no such file");
  };
  const auto reader = merge.Open();
  EXPECT_TRUE(ReadAll(reader.get()).status().IsIOError());
  EXPECT_TRUE(reader->Next().status().IsIOError());
  EXPECT_EQ(merge.counters->open_files, 0);
}

TEST(LazyMerge, CloseHalfWayLetsEverythingGo) {
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  Merge merge;
  merge.options.pool = &pool;
  merge.options.batch_rows = 10;
  for (int64_t i = 0; i < 5; ++i) merge.Add(Range(i, 1000, 3));
  const auto reader = merge.Open();
  ASSERT_TRUE(reader->Next().ok());
  EXPECT_GT(merge.counters->open_files, 0);
  ASSERT_TRUE(reader->Close().ok());
  EXPECT_EQ(merge.counters->open_files, 0);
  EXPECT_FALSE(reader->Next().ok());
  ASSERT_TRUE(reader->Close().ok());
}

TEST(LazyMerge, DroppedHalfWayLeavesNothing) {
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  Merge merge;
  merge.options.pool = &pool;
  merge.options.max_open = 2;
  for (int64_t i = 0; i < 9; ++i) merge.Add(Range(i, 1000, 3));
  {
    const auto reader = merge.Open();
    ASSERT_TRUE(reader->Next().ok());
    EXPECT_GT(pool.bytes_allocated(), 0);
  }
  EXPECT_EQ(merge.counters->open_files, 0);
  EXPECT_EQ(pool.bytes_allocated(), 0);
}

TEST(LazyMerge, EndIsTheEndAgain) {
  Merge merge;
  merge.Add(Range(0, 5));
  const auto reader = merge.Open();
  ASSERT_TRUE(ReadAll(reader.get()).ok());
  EXPECT_EQ(reader->Next().ValueOrDie(), nullptr);
  EXPECT_EQ(reader->Next().ValueOrDie(), nullptr);
}

TEST(LazyMerge, SourceWithOtherColumnsIsAnError) {
  Merge merge;
  merge.Add(Range(0, 5));
  merge.schema = arrow::schema({arrow::field("other", arrow::utf8())});
  EXPECT_TRUE(ReadAll(merge.Open().get()).status().IsInvalid());
}

TEST(LazyMerge, OptionsOutOfRangeAreRefused) {
  const auto schema = arrow::schema({arrow::field("v", arrow::int64())});
  for (const MergeOptions& options : {MergeOptions{.batch_rows = 0}, MergeOptions{.window_rows = 0},
                                      MergeOptions{.max_open = -1}}) {
    EXPECT_FALSE(MakeLazyMerge({}, kLong, schema, options, nullptr).ok());
  }
}

TEST(LazyMerge, SpillFolderThatIsMissingIsNamed) {
  Merge merge;
  merge.options.max_open = 1;
  merge.options.spill.directory = "/no/such/folder";
  for (int64_t i = 0; i < 3; ++i) merge.Add(Range(i, 100, 3));
  const arrow::Status status = ReadAll(merge.Open().get()).status();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_NE(status.message().find("/no/such/folder"), std::string::npos) << status.message();
}

TEST(LazyMerge, FirstBatchesAreSmall) {
  Merge merge;
  merge.Add(Range(0, 100000), {.key_batch_rows = 100000, .row_batch_rows = 100000});
  const auto reader = merge.Open();
  EXPECT_EQ(reader->Next().ValueOrDie()->num_rows(), 1024);
  EXPECT_EQ(reader->Next().ValueOrDie()->num_rows(), 2048);
}

}  // namespace
}  // namespace esker
