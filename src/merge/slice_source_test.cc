// Slice source against a twin that looks at every row alone.
#include "merge/slice_source.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "base/status.h"
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
using Kind = HalfRank::Kind;

const double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr SlicePlace kAcross{true, false, false};

// Plain numbers are whole ones: Value(int) would be ambiguous.
template <typename T>
HalfRank At(T value) {
  using Wide = std::conditional_t<std::is_same_v<T, int>, int64_t, T>;
  return {Kind::kValue, Value(static_cast<Wide>(value))};
}

ReferenceInput FileOf(const SortKey& key, const std::vector<Value>& values) {
  ReferenceInput file;
  const auto column = testing::MakeColumn(key.type, values);
  file.keys = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                       column->length(), {column});
  std::vector<Value> rows;
  for (size_t i = 0; i < values.size(); ++i) rows.emplace_back(static_cast<int64_t>(i));
  file.rows =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("row", arrow::int64())}),
                               column->length(), {testing::MakeColumn(MakeKey("long").type, rows)});
  return file;
}

std::vector<Value> Numbers(const std::vector<int64_t>& numbers) {
  return {numbers.begin(), numbers.end()};
}

// Reads the keys ahead by uneven numbers of rows; gives the numbers of the rows that came out.
// Their places must say the same.
arrow::Result<std::vector<int64_t>> Drain(Source* source, std::mt19937_64& random) {
  std::vector<int64_t> numbers;
  int64_t waiting = 0;
  bool more = true;
  while (more || waiting > 0) {
    if (more) {
      ARROW_ASSIGN_OR_RAISE(const auto keys, source->NextKeys());
      more = keys != nullptr;
      waiting += more ? keys->num_rows() : 0;
    }
    const int64_t take = more ? Draw(random, 0, waiting) : waiting;
    std::vector<int64_t> places;
    for (int64_t i = 0; i < take; ++i) {
      places.push_back(source->Place(std::ssize(numbers) + i).row);
    }
    ARROW_ASSIGN_OR_RAISE(const auto batches, source->Take(take));
    for (const auto& batch : batches) {
      const auto& rows = *batch->column(batch->num_columns() - 1);
      for (int64_t i = 0; i < rows.length(); ++i) {
        numbers.push_back(static_cast<const arrow::Int64Array&>(rows).Value(i));
      }
    }
    const std::vector<int64_t> taken(numbers.end() - take, numbers.end());
    EXPECT_EQ(taken, places);
    waiting -= take;
  }
  return numbers;
}

arrow::Result<std::vector<int64_t>> RowsIn(const SortKeys& keys, const ReferenceInput& file,
                                           const KeySlice& slice, SlicePlace place,
                                           int64_t batch_rows = 3) {
  auto random = testing::MakeRandom(51);
  const testing::SourceScript script{.key_batch_rows = batch_rows, .row_batch_rows = 2};
  ARROW_ASSIGN_OR_RAISE(
      auto source, MakeSliceSource(testing::MakeScriptedSource(file, script, nullptr), keys, slice,
                                   {place, testing::ExactRange(keys, *file.keys)}, nullptr));
  return Drain(source.get(), random);
}

TEST(SliceSource, RowsInside) {
  const SortKeys keys{MakeKey("long")};
  const ReferenceInput file = FileOf(keys[0], Numbers({1, 3, 4, 4, 6, 7, 9, 9}));
  using Rows = std::vector<int64_t>;
  EXPECT_EQ(RowsIn(keys, file, {{At(4)}, {At(7)}}, kAcross).ValueOrDie(), Rows({2, 3, 4}));
  EXPECT_EQ(RowsIn(keys, file, {{At(9)}, {}}, kAcross).ValueOrDie(), Rows({6, 7}));
  EXPECT_EQ(RowsIn(keys, file, {{}, {At(2)}}, kAcross).ValueOrDie(), Rows({0}));
  EXPECT_EQ(RowsIn(keys, file, {{At(5)}, {At(6)}}, kAcross).ValueOrDie(), Rows());
  EXPECT_EQ(RowsIn(keys, file, {}, kAcross).ValueOrDie().size(), 8u);
}

TEST(SliceSource, RowsWhereTheFileShouldHaveNoneAreNamed) {
  const SortKeys keys{MakeKey("long")};
  const ReferenceInput file = FileOf(keys[0], Numbers({1, 3, 4, 6, 7, 9}));
  const KeySlice slice{{At(3)}, {At(7)}};
  EXPECT_TRUE(RowsIn(keys, file, slice, kAcross).ok());
  const auto before = RowsIn(keys, file, slice, {true, true, false});
  EXPECT_EQ(KindOf(before.status()), ErrorKind::kDisorder);
  EXPECT_NE(before.status().message().find("row 0: key (1)"), std::string::npos)
      << before.status().message();
  const auto after = RowsIn(keys, file, slice, {true, false, true});
  EXPECT_EQ(KindOf(after.status()), ErrorKind::kDisorder);
  EXPECT_NE(after.status().message().find("row 4: key (7)"), std::string::npos)
      << after.status().message();
  EXPECT_TRUE(RowsIn(keys, file, {}, {true, true, true}).ok());
}

TEST(SliceSource, NothingIsReadBehindTheSlice) {
  const SortKeys keys{MakeKey("long")};
  const ReferenceInput file = FileOf(keys[0], Numbers({1, 2, 3, 4, 5, 6}));
  // The third batch would fail.
  const testing::SourceScript script{.key_batch_rows = 2, .fail_at = 2};
  auto source = MakeSliceSource(testing::MakeScriptedSource(file, script, nullptr), keys,
                                {{}, {At(4)}}, {kAcross, {}}, nullptr)
                    .ValueOrDie();
  EXPECT_EQ(source->NextKeys().ValueOrDie()->num_rows(), 2);
  EXPECT_EQ(source->NextKeys().ValueOrDie()->num_rows(), 1);
  EXPECT_EQ(source->NextKeys().ValueOrDie(), nullptr);
}

TEST(SliceSource, BlocksOfNanInFrontAreTakenByTheLastSlice) {
  using Rows = std::vector<int64_t>;
  for (const int64_t batch_rows : {1, 2, 3, 100}) {
    const SortKeys first{MakeKey("double", false, true)};
    const ReferenceInput file = FileOf(
        first[0], {Value(), Value(), Value(-kNan), Value(-kNan), Value(1.0), Value(5.0), kNan});
    const auto rows = [&](const KeySlice& slice) {
      return RowsIn(first, file, slice, kAcross, batch_rows).ValueOrDie();
    };
    EXPECT_EQ(rows({{}, {At(3.0)}}), Rows({0, 1, 4}));
    EXPECT_EQ(rows({{At(1.0)}, {At(3.0)}}), Rows({4}));
    EXPECT_EQ(rows({{At(3.0)}, {}}), Rows({2, 3, 5, 6}));
    EXPECT_EQ(rows({{At(9.0)}, {}}), Rows({2, 3, 6}));
    EXPECT_EQ(rows({{At(kNan)}, {}}), Rows({2, 3, 6}));
    EXPECT_EQ(rows({{At(9.0)}, {At(kNan)}}), Rows());
    const auto lie = RowsIn(first, file, {{}, {At(3.0)}}, {true, true, true}, batch_rows).status();
    EXPECT_NE(lie.message().find("row 2"), std::string::npos) << lie.message();

    const SortKeys last{MakeKey("double", false, false)};
    const ReferenceInput other = FileOf(last[0], {Value(-kNan), Value(1.0), kNan, Value()});
    const HalfRank null{Kind::kNullLast, {}};
    EXPECT_EQ(RowsIn(last, other, {{null}, {}}, kAcross, batch_rows).ValueOrDie(), Rows({3}));
    EXPECT_EQ(RowsIn(last, other, {{At(1.0)}, {null}}, kAcross, batch_rows).ValueOrDie(),
              Rows({0, 1, 2}));
  }
}

// A cut at some row, by some of its keys. NaN ends it: rows of NaN are never parted.
Corner DrawCut(const SortKeys& keys, const ReferenceInput& file, std::mt19937_64& random) {
  const int64_t row = Draw(random, 0, file.keys->num_rows() - 1);
  Corner cut = testing::ExactRange(keys, *file.keys->Slice(row, 1)).lower;
  cut.resize(Draw(random, 1, std::ssize(keys)));
  for (size_t i = 0; i < cut.size(); ++i) {
    if (IsNan(cut[i].value)) cut.resize(i + 1);
  }
  return cut;
}

TEST(SliceSource, AnyKeysAgainstTheTwin) {
  auto random = testing::MakeRandom(52);
  const auto& types = testing::KeyTypeNames();
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    SortKeys keys;
    for (int64_t k = Draw(random, 1, 3); k > 0; --k) {
      keys.push_back(MakeKey(types[Draw(random, 0, std::ssize(types) - 1)], Chance(random, 50),
                             Chance(random, 50)));
    }
    const testing::KeyShape shape{.rows = Draw(random, 1, 30), .distinct = 4, .null_percent = 15};
    const auto file =
        testing::ReferenceSort(keys, testing::RandomInput(keys, shape, 0, random)).ValueOrDie();
    KeySlice slice;
    if (Chance(random, 70)) slice.lower = DrawCut(keys, file, random);
    if (Chance(random, 70)) slice.upper = DrawCut(keys, file, random);
    const SlicePlace place{true, Chance(random, 20), Chance(random, 20)};
    std::vector<int64_t> expected;
    bool is_outside = false;
    for (int64_t i = 0; i < file.keys->num_rows(); ++i) {
      const Corner row = testing::ExactRange(keys, *file.keys->Slice(i, 1)).lower;
      const bool before = !slice.lower.empty() && CompareCorners(keys, row, slice.lower) < 0;
      const bool after = !slice.upper.empty() && CompareCorners(keys, row, slice.upper) >= 0;
      is_outside |= (before && place.begins) || (after && !before && place.ends);
      if (!before && !after) {
        expected.push_back(static_cast<const arrow::Int64Array&>(*file.rows->column(1)).Value(i));
      }
    }
    const bool crossed = !slice.lower.empty() && !slice.upper.empty() &&
                         CompareCuts(keys, slice.lower, slice.upper) >= 0;
    if (crossed) continue;
    auto source =
        MakeSliceSource(
            testing::MakeScriptedSource(
                file, {.key_batch_rows = Draw(random, 1, 9), .row_batch_rows = 4}, nullptr),
            keys, slice, {place, testing::ExactRange(keys, *file.keys)}, nullptr)
            .ValueOrDie();
    std::vector<int64_t> numbers;
    arrow::Status status;
    while (status.ok()) {
      auto batch = source->NextKeys();
      status = batch.status();
      if (!batch.ok() || *batch == nullptr) break;
      auto taken = source->Take((*batch)->num_rows());
      ASSERT_TRUE(taken.ok()) << taken.status().ToString();
      for (const auto& rows : *taken) {
        for (int64_t i = 0; i < rows->num_rows(); ++i) {
          numbers.push_back(static_cast<const arrow::Int64Array&>(*rows->column(1)).Value(i));
        }
      }
    }
    ASSERT_EQ(status.ok(), !is_outside) << status.ToString();
    if (is_outside) {
      EXPECT_EQ(KindOf(status), ErrorKind::kDisorder);
      ++refused;
    } else {
      ASSERT_EQ(numbers, expected) << ToString(keys) << " " << ToString(keys, slice);
    }
  }
  EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace esker
