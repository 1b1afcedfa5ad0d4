// Tests of NaN blocks: files in the total order of floats (tests/casebook.txt, 46).
#include "merge/nan_block.h"

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "base/status.h"
#include "merge/lazy_merge.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/scripted_source.h"

namespace esker {
namespace {

using testing::MakeKey;
using testing::ReferenceInput;

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::numeric_limits<double>::quiet_NaN();

/// Rows of one file: the key, and the numbers (input, row) as output.
ReferenceInput FileOf(const SortKeys& keys, const std::vector<Value>& values, int64_t number) {
  std::vector<Value> numbers(values.size(), Value(number));
  std::vector<Value> rows;
  for (size_t i = 0; i < values.size(); ++i) rows.emplace_back(static_cast<int64_t>(i));
  const auto column = testing::MakeColumn(keys[0].type, values);
  const Type whole = MakeKey("long").type;
  ReferenceInput file;
  file.keys = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                       column->length(), {column});
  file.rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("input", arrow::int64()), arrow::field("row", arrow::int64())}),
      column->length(), {testing::MakeColumn(whole, numbers), testing::MakeColumn(whole, rows)});
  return file;
}

arrow::Result<std::shared_ptr<arrow::Table>> Merge(const SortKeys& keys,
                                                   const std::vector<ReferenceInput>& files,
                                                   int64_t batch_rows, int32_t cap) {
  auto counters = std::make_shared<ScanCounters>();
  std::vector<MergeInput> inputs;
  for (const auto& file : files) {
    inputs.push_back({{},
                      {},
                      testing::OpenScripted(file, {.key_batch_rows = batch_rows}, counters),
                      "sort order id 1"});
  }
  MergeOptions options;
  options.max_open = cap;
  options.window_rows = 4;
  ARROW_ASSIGN_OR_RAISE(auto reader, MakeLazyMerge(std::move(inputs), keys, files[0].rows->schema(),
                                                   options, counters));
  auto table = reader->ToTable();
  EXPECT_EQ(counters->open_files, 0);
  return table;
}

class TotalOrder
    : public ::testing::TestWithParam<std::tuple<std::string, bool, int64_t, int32_t>> {};

TEST_P(TotalOrder, BlocksInFrontComeOutLast) {
  const auto& [type, nulls_first, batch_rows, cap] = GetParam();
  const SortKeys keys{MakeKey(type, false, nulls_first)};
  std::vector<std::vector<Value>> files{
      {-kNan, -kNan, -kInf, -1.0, -0.0, 0.0, 2.0, kNan},
      {-kNan, -kNan, -kNan},
      {-1.0, 3.0},
      {-kNan, 1.0, kInf, kNan, kNan},
      {kNan},
      {-kNan, -kNan, -kNan, -kNan, -kNan, 7.0},
  };
  std::vector<ReferenceInput> inputs;
  for (auto& values : files) {
    values.insert(nulls_first ? values.begin() : values.end(), 2, Value());
    inputs.push_back(FileOf(keys, values, std::ssize(inputs)));
  }
  const auto merged = Merge(keys, inputs, batch_rows, cap);
  ASSERT_TRUE(merged.ok()) << merged.status().ToString();
  const auto expected = testing::ReferenceMerge(keys, inputs).ValueOrDie();
  const auto actual = (*merged)->CombineChunksToBatch().ValueOrDie();
  EXPECT_TRUE(actual->Equals(*expected)) << actual->ToString() << expected->ToString();
}

INSTANTIATE_TEST_SUITE_P(Options, TotalOrder,
                         ::testing::Combine(::testing::Values("float", "double"), ::testing::Bool(),
                                            ::testing::Values(1, 2, 3, 100),
                                            ::testing::Values(0, 1, 2)));

TEST(NanBlock, ManyRowsGoToDiskAndComeBack) {
  const SortKeys keys{MakeKey("double")};
  std::vector<Value> values(900000, Value(-kNan));
  values.insert(values.end(), {Value(1.0), Value(2.0)});
  const std::vector<ReferenceInput> inputs{FileOf(keys, values, 0)};
  const auto merged = Merge(keys, inputs, 1000, 0).ValueOrDie();
  ASSERT_EQ(merged->num_rows(), 900002);
  const auto rows = merged->CombineChunksToBatch().ValueOrDie();
  const auto& row = static_cast<const arrow::Int64Array&>(*rows->column(1));
  EXPECT_EQ(row.Value(0), 900000);
  EXPECT_EQ(row.Value(2), 0);
  EXPECT_EQ(row.Value(900001), 899999);
}

TEST(NanBlock, NanAmongNumbersIsStillDisorder) {
  const SortKeys keys{MakeKey("double")};
  for (const std::vector<Value>& values :
       {std::vector<Value>{1.0, kNan, 2.0}, std::vector<Value>{-kNan, 1.0, -kNan, 2.0}}) {
    const auto merged = Merge(keys, {FileOf(keys, values, 0)}, 2, 0);
    EXPECT_EQ(KindOf(merged.status()), ErrorKind::kDisorder);
    EXPECT_NE(merged.status().message().find(values.size() == 3 ? "row 2" : "row 3"),
              std::string::npos)
        << merged.status().message();
  }
}

TEST(NanBlock, OnlyAnAscendingLeadingFloatMayBeginWithNan) {
  EXPECT_TRUE(MayBeginWithNan({MakeKey("double")}));
  EXPECT_TRUE(MayBeginWithNan({MakeKey("float"), MakeKey("int")}));
  EXPECT_FALSE(MayBeginWithNan({MakeKey("double", true)}));
  EXPECT_FALSE(MayBeginWithNan({MakeKey("int"), MakeKey("double")}));
  EXPECT_FALSE(MayBeginWithNan({}));
}

}  // namespace
}  // namespace esker
