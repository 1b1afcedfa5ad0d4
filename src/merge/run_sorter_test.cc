// Tests of the run sorter against the naive twin, in memory and spilled.
#include "merge/run_sorter.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "base/status.h"
#include "merge/lazy_merge.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/scripted_source.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::MakeKey;
using testing::ReferenceInput;
using testing::SourceScript;

/// Reads a source as the merge does, taking uneven numbers of rows.
arrow::Result<std::shared_ptr<arrow::Table>> Drain(Source* source,
                                                   const std::shared_ptr<arrow::Schema>& schema,
                                                   std::mt19937_64& random) {
  arrow::RecordBatchVector all;
  int64_t waiting = 0;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto keys, source->NextKeys());
    waiting += keys == nullptr ? 0 : keys->num_rows();
    const int64_t take = keys == nullptr ? waiting : Draw(random, 0, waiting);
    ARROW_ASSIGN_OR_RAISE(const auto rows, source->Take(take));
    all.insert(all.end(), rows.begin(), rows.end());
    waiting -= take;
    if (keys == nullptr) return arrow::Table::FromRecordBatches(schema, all);
  }
}

/// A slice of key space, and the rows that a twin finds in it.
struct SlicedInput {
  KeySlice slice;
  ReferenceInput inside;
};

/// Sorts `input` of which the first `satisfied` keys are in order, and compares with the twin.
void ExpectSorted(const SortKeys& keys, size_t satisfied, const ReferenceInput& input,
                  const SourceScript& script, const SpillOptions& spill, std::mt19937_64& random,
                  ScanCounters* seen = nullptr, const SlicedInput* sliced = nullptr) {
  auto counters = std::make_shared<ScanCounters>();
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const auto schema = input.rows->schema();
  {
    auto source = MakeSortedSource(testing::MakeScriptedSource(input, script, counters), keys,
                                   satisfied, schema, spill, &pool, counters,
                                   sliced == nullptr ? KeySlice{} : sliced->slice)
                      .ValueOrDie();
    auto sorted = Drain(source.get(), schema, random);
    ASSERT_TRUE(sorted.ok()) << sorted.status().ToString();
    const auto expected =
        testing::ReferenceMerge(keys, {sliced == nullptr ? input : sliced->inside}).ValueOrDie();
    const auto actual = (*sorted)->CombineChunksToBatch().ValueOrDie();
    ASSERT_TRUE(actual->Equals(*expected))
        << ToString(keys) << actual->ToString() << expected->ToString();
    if (satisfied < keys.size()) {
      ASSERT_EQ(counters->open_files, 0) << "closed at its end";
    }
  }
  ASSERT_EQ(counters->open_files, 0);
  ASSERT_EQ(pool.bytes_allocated(), 0);
  ASSERT_EQ(counters->rows, 0) << "rows of the scan are counted by its own merge";
  if (seen != nullptr) seen->spilled_bytes = counters->spilled_bytes.load();
}

SortKeys RandomKeys(std::mt19937_64& random) {
  SortKeys keys;
  const auto& names = testing::KeyTypeNames();
  for (int64_t k = Draw(random, 1, 3); k > 0; --k) {
    keys.push_back(MakeKey(names[Draw(random, 0, std::ssize(names) - 1)], Chance(random, 50),
                           Chance(random, 50)));
  }
  return keys;
}

TEST(RunSorter, AgreesWithTheTwin) {
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    auto random = testing::MakeRandom(200000 + i);
    const SortKeys keys = RandomKeys(random);
    const auto satisfied = static_cast<size_t>(Draw(random, 0, std::ssize(keys)));
    const testing::KeyShape shape{Draw(random, 0, 300), static_cast<size_t>(Draw(random, 0, 4)),
                                  10};
    ReferenceInput input = testing::RandomInput(keys, shape, 0, random);
    if (satisfied > 0) {
      const SortKeys prefix(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(satisfied));
      input = testing::ReferenceSort(prefix, input).ValueOrDie();
    }
    const SourceScript script{.key_batch_rows = Draw(random, 1, 40),
                              .row_batch_rows = Draw(random, 1, 40)};
    SpillOptions spill;
    spill.memory_bytes = Chance(random, 50) ? 0 : Draw(random, 1, 5000);
    ASSERT_NO_FATAL_FAILURE(ExpectSorted(keys, satisfied, input, script, spill, random));
  }
}

/// Cuts at keys of random rows, of as many leading keys as may be.
SlicedInput RandomSlice(const SortKeys& keys, const ReferenceInput& input,
                        std::mt19937_64& random) {
  const int64_t rows = input.keys->num_rows();
  struct Cut {
    int64_t row = -1;  // none
    size_t keys = 0;
  };
  const auto draw = [&](Corner* corner) {
    Cut cut;
    if (rows == 0 || Chance(random, 30)) return cut;
    cut = {Draw(random, 0, rows - 1), static_cast<size_t>(Draw(random, 1, std::ssize(keys)))};
    *corner = testing::ExactRange(keys, *input.keys->Slice(cut.row, 1)).lower;
    corner->resize(cut.keys);
    return cut;
  };
  SlicedInput sliced;
  const Cut lower = draw(&sliced.slice.lower);
  const Cut upper = draw(&sliced.slice.upper);
  const auto is_before = [&](int64_t row, const Cut& cut) {
    return testing::CompareRows({keys.data(), cut.keys}, *input.keys, row, *input.keys, cut.row) <
           0;
  };
  arrow::Int64Builder inside;
  for (int64_t row = 0; row < rows; ++row) {
    if (lower.row >= 0 && is_before(row, lower)) continue;
    if (upper.row >= 0 && !is_before(row, upper)) continue;
    EXPECT_TRUE(inside.Append(row).ok());
  }
  const auto indices = inside.Finish().ValueOrDie();
  const auto pick = [&](const std::shared_ptr<arrow::RecordBatch>& batch) {
    return arrow::compute::Take(batch, indices).ValueOrDie().record_batch();
  };
  sliced.inside = {pick(input.keys), pick(input.rows)};
  return sliced;
}

TEST(RunSorter, SlicesAgreeWithTheTwin) {
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    auto random = testing::MakeRandom(300000 + i);
    const SortKeys keys = RandomKeys(random);
    const auto satisfied = static_cast<size_t>(Draw(random, 0, std::ssize(keys) - 1));
    const testing::KeyShape shape{Draw(random, 0, 300), static_cast<size_t>(Draw(random, 0, 4)),
                                  10};
    ReferenceInput input = testing::RandomInput(keys, shape, 0, random);
    if (satisfied > 0) {
      const SortKeys prefix(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(satisfied));
      input = testing::ReferenceSort(prefix, input).ValueOrDie();
    }
    const SlicedInput sliced = RandomSlice(keys, input, random);
    const SourceScript script{.key_batch_rows = Draw(random, 1, 40),
                              .row_batch_rows = Draw(random, 1, 40)};
    SpillOptions spill;
    spill.memory_bytes = Chance(random, 50) ? 0 : Draw(random, 1, 5000);
    ASSERT_NO_FATAL_FAILURE(
        ExpectSorted(keys, satisfied, input, script, spill, random, nullptr, &sliced));
  }
}

// Rows that are dropped are verified, and nothing is read behind the slice.
TEST(RunSorter, PrefixesAreVerifiedUpToTheEndOfTheSlice) {
  const SortKeys keys{MakeKey("long"), MakeKey("long")};
  const auto column = testing::MakeColumn(
      keys[0].type, {int64_t{3}, int64_t{1}, int64_t{4}, int64_t{5}, int64_t{6}, int64_t{2}});
  ReferenceInput input;
  input.keys = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())}), 6,
      {column, column});
  input.rows = input.keys;
  const auto at = [](int64_t value) { return Corner{{HalfRank::Kind::kValue, Value(value)}}; };
  const auto drain = [&](int64_t first, const KeySlice& slice) {
    auto random = testing::MakeRandom(4);
    const ReferenceInput rest{input.keys->Slice(first), input.rows->Slice(first)};
    const SourceScript script{.key_batch_rows = 1, .file = "liar"};
    auto source = MakeSortedSource(testing::MakeScriptedSource(rest, script, nullptr), keys, 1,
                                   input.rows->schema(), {}, nullptr, nullptr, slice)
                      .ValueOrDie();
    return Drain(source.get(), input.rows->schema(), random);
  };
  // Of 3 1, both before the slice, and of 6 2, both behind it.
  EXPECT_EQ(KindOf(drain(0, {at(4), at(5)}).status()), ErrorKind::kDisorder);
  EXPECT_EQ(KindOf(drain(1, {at(4), {}}).status()), ErrorKind::kDisorder);
  EXPECT_EQ(drain(1, {at(4), at(6)}).ValueOrDie()->num_rows(), 2);
  EXPECT_EQ(drain(1, {at(4), at(5)}).ValueOrDie()->num_rows(), 1);
}

TEST(RunSorter, ManyRunsAreMergedInPasses) {
  auto random = testing::MakeRandom(1);
  const SortKeys keys{MakeKey("long")};
  const auto input = testing::RandomInput(keys, {5000, 0, 5}, 0, random);
  ScanCounters seen;
  ExpectSorted(keys, 0, input, {.key_batch_rows = 10}, {.memory_bytes = 1}, random, &seen);
  EXPECT_GT(seen.spilled_bytes, 0);
}

TEST(RunSorter, StretchesThatFitNeverSpill) {
  auto random = testing::MakeRandom(2);
  const SortKeys keys{MakeKey("int"), MakeKey("double")};
  auto input = testing::RandomInput(keys, {20000, 0, 5}, 0, random);
  input = testing::ReferenceSort({keys.data(), 1}, input).ValueOrDie();
  ScanCounters seen;
  // A stretch has some 2000 rows of 32 bytes and a little; all rows have 640 thousand bytes.
  ExpectSorted(keys, 1, input, {.key_batch_rows = 500}, {.memory_bytes = 400000}, random, &seen);
  EXPECT_EQ(seen.spilled_bytes, 0);
  ExpectSorted(keys, 0, input, {.key_batch_rows = 500}, {.memory_bytes = 400000}, random, &seen);
  EXPECT_GT(seen.spilled_bytes, 0);
}

TEST(RunSorter, NothingIsReadBeforeTheFirstKeys) {
  auto random = testing::MakeRandom(3);
  const SortKeys keys{MakeKey("long")};
  const auto input = testing::RandomInput(keys, {10, 0, 0}, 0, random);
  auto source = MakeSortedSource(testing::MakeScriptedSource(input, {.fail_at = 0}, nullptr), keys,
                                 0, input.rows->schema(), {}, nullptr, nullptr);
  ASSERT_TRUE(source.ok());
  EXPECT_TRUE((*source)->NextKeys().status().IsIOError());
  EXPECT_TRUE((*source)->NextKeys().status().IsIOError()) << "stays failed";
}

TEST(RunSorter, BrokenPrefixIsDisorderWithItsPlace) {
  const SortKeys keys{MakeKey("long"), MakeKey("long")};
  for (const int64_t batch_rows : {1, 2, 100}) {
    const auto first = testing::MakeColumn(
        keys[0].type, {int64_t{1}, int64_t{1}, int64_t{2}, int64_t{5}, int64_t{4}, int64_t{6}});
    ReferenceInput input;
    input.keys = arrow::RecordBatch::Make(
        arrow::schema({arrow::field("a", arrow::int64()), arrow::field("b", arrow::int64())}), 6,
        {first, first});
    input.rows = input.keys;
    auto random = testing::MakeRandom(4);
    const SourceScript script{.key_batch_rows = batch_rows, .file = "liar", .row_group_rows = 3};
    auto counters = std::make_shared<ScanCounters>();
    auto source = MakeSortedSource(testing::MakeScriptedSource(input, script, counters), keys, 1,
                                   input.rows->schema(), {}, nullptr, counters)
                      .ValueOrDie();
    const auto status = Drain(source.get(), input.rows->schema(), random).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kDisorder);
    EXPECT_TRUE(status.message().starts_with("liar, row group 1, row 4: key (4) comes after (5)"))
        << status.message();
    EXPECT_EQ(counters->open_files, 0);
  }
}

TEST(RunSorter, FailureOfAnyCallStaysAndClosesTheFile) {
  const SortKeys keys{MakeKey("long")};
  auto random = testing::MakeRandom(5);
  const auto input = testing::RandomInput(keys, {200, 0, 5}, 0, random);
  bool failed = true;
  for (int64_t call = 0; failed; ++call) {
    ASSERT_LT(call, 1000);
    auto counters = std::make_shared<ScanCounters>();
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    {
      const SourceScript script{.key_batch_rows = 20, .fail_at = call};
      auto source = MakeSortedSource(testing::MakeScriptedSource(input, script, counters), keys, 0,
                                     input.rows->schema(), {.memory_bytes = 1000}, &pool, counters)
                        .ValueOrDie();
      failed = !Drain(source.get(), input.rows->schema(), random).ok();
      EXPECT_EQ(counters->open_files, 0);
    }
    EXPECT_EQ(pool.bytes_allocated(), 0);
  }
}

TEST(RunSorter, UnsortedFilesJoinTheMergeOfSortedOnes) {
  auto random = testing::MakeRandom(6);
  const SortKeys keys{MakeKey("string", true, false)};
  auto counters = std::make_shared<ScanCounters>();
  std::vector<ReferenceInput> files;
  std::vector<MergeInput> inputs;
  for (int64_t i = 0; i < 8; ++i) {
    auto file = testing::RandomInput(keys, {100, 0, 10}, i, random);
    if (i % 2 == 0) file = testing::ReferenceSort(keys, file).ValueOrDie();
    files.push_back(file);
    MergeInput input;
    input.open = [=]() -> arrow::Result<std::unique_ptr<Source>> {
      auto source = testing::MakeScriptedSource(file, {.key_batch_rows = 7}, counters);
      if (i % 2 == 0) return source;
      return MakeSortedSource(std::move(source), keys, 0, file.rows->schema(), {}, nullptr,
                              counters);
    };
    inputs.push_back(std::move(input));
  }
  auto reader =
      MakeLazyMerge(std::move(inputs), keys, files[0].rows->schema(), {}, counters).ValueOrDie();
  const auto merged = reader->ToTable().ValueOrDie()->CombineChunksToBatch().ValueOrDie();
  EXPECT_TRUE(merged->Equals(*testing::ReferenceMerge(keys, files).ValueOrDie()));
}

}  // namespace
}  // namespace esker
