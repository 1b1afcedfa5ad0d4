#include "acero/told_ordering.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/extension/uuid.h"
#include "arrow/type.h"
#include "esker/order_text.h"

namespace esker {
namespace {

// Columns of the schema: number i has the field id i + 1.
arrow::FieldVector Columns() {
  return {arrow::field("k", arrow::int64()),   arrow::field("v", arrow::utf8()),
          arrow::field("x", arrow::float64()), arrow::field("y", arrow::float32()),
          arrow::field("s.x", arrow::int32()), arrow::field("list", arrow::list(arrow::int32()))};
}

std::vector<ResolvedKey> KeysOf(const std::string& order, const arrow::FieldVector& columns) {
  std::vector<ResolvedKey> keys;
  if (order.empty()) return keys;
  for (const OrderKey& key : ParseOrder(order).ValueOrDie()) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i]->name() != key.column) continue;
      keys.push_back({key.column, static_cast<int32_t>(i + 1), key.descending, *key.nulls_first});
      break;
    }
  }
  return keys;
}

std::string TextOf(const arrow::compute::Ordering& ordering) {
  if (ordering.is_unordered()) return "unordered";
  if (ordering.is_implicit()) return "implicit";
  std::string text;
  for (const arrow::compute::SortKey& key : ordering.sort_keys()) {
    text += (text.empty() ? "" : ", ") + *key.target.name();
    text += key.order == arrow::compute::SortOrder::Descending ? " desc" : " asc";
    text += key.null_placement == arrow::compute::NullPlacement::AtStart ? " start" : " end";
  }
  return text;
}

std::string Tell(const std::string& order, std::span<const FileScanTask> files = {},
                 const arrow::FieldVector& columns = Columns()) {
  return TextOf(TellOrdering(KeysOf(order, columns), arrow::Schema(columns), files).ordering);
}

ColumnStatisticsView NanCount(int32_t field_id, std::optional<int64_t> nan_count) {
  ColumnStatisticsView column;
  column.field_id = field_id;
  column.nan_count = nan_count;
  return column;
}

// A file whose statistics of the column "x" (field id 3) count so many NaN, or do not say.
FileScanTask FileWithNan(std::optional<int64_t> nan_count) {
  FileScanTask file;
  file.columns = {NanCount(1, 0), NanCount(3, nan_count)};
  return file;
}

TEST(TellOrdering, NoKeysPromiseNothing) { EXPECT_EQ(Tell(""), "unordered"); }

TEST(TellOrdering, EveryDirectionAndPlaceKeepsItsOwn) {
  EXPECT_EQ(Tell("k asc nulls first"), "k asc start");
  EXPECT_EQ(Tell("k asc nulls last"), "k asc end");
  EXPECT_EQ(Tell("k desc nulls first"), "k desc start");
  EXPECT_EQ(Tell("k desc nulls last"), "k desc end");
  EXPECT_EQ(Tell("v desc nulls first, k asc nulls last"), "v desc start, k asc end");
}

TEST(TellOrdering, NanStandsAlikeInTwoPlacesAndMayThenBeThere) {
  const std::vector<FileScanTask> files = {FileWithNan(7), FileWithNan({})};
  EXPECT_EQ(Tell("x asc nulls last", files), "x asc end");
  EXPECT_EQ(Tell("x desc nulls first", files), "x desc start");
  EXPECT_EQ(Tell("x asc nulls last, k asc nulls first", files), "x asc end, k asc start");
}

TEST(TellOrdering, ElsewhereEveryFileHasToCountNoNan) {
  for (const std::string order : {"x asc nulls first", "x desc nulls last"}) {
    const std::vector<FileScanTask> none = {FileWithNan(0), FileWithNan(0)};
    EXPECT_EQ(Tell(order, none), order.substr(0, 5) == "x asc" ? "x asc start" : "x desc end");
    const std::vector<FileScanTask> one = {FileWithNan(0), FileWithNan(1)};
    EXPECT_EQ(Tell(order, one), "implicit");
    const std::vector<FileScanTask> unknown = {FileWithNan({}), FileWithNan(0)};
    EXPECT_EQ(Tell(order, unknown), "implicit");
    std::vector<FileScanTask> absent = {FileWithNan(0), FileWithNan(0)};
    absent[1].columns.pop_back();
    EXPECT_EQ(Tell(order, absent), "implicit");
  }
}

TEST(TellOrdering, AFloatKeyEndsWhatIsToldAfterIt) {
  const std::vector<FileScanTask> files = {FileWithNan({})};
  EXPECT_EQ(Tell("k asc nulls last, x asc nulls first, v asc nulls last", files), "k asc end");
}

TEST(TellOrdering, SaysWhichColumnsAreTakenToHoldNoNan) {
  const auto columns = Columns();
  const arrow::Schema schema(columns);
  std::vector<FileScanTask> files = {FileWithNan(0)};
  files[0].columns.push_back(NanCount(4, 0));
  const auto of = [&](const std::string& order) {
    return TellOrdering(KeysOf(order, columns), schema, files).without_nan;
  };
  EXPECT_EQ(of("k asc nulls first, x asc nulls first, y desc nulls last"),
            (std::vector<int>{2, 3}));
  EXPECT_EQ(of("x asc nulls last, y asc nulls first"), std::vector<int>{3});
  EXPECT_EQ(of("k asc nulls first"), std::vector<int>{});
  files[0].columns.pop_back();
  EXPECT_EQ(of("x asc nulls first, y asc nulls first"), std::vector<int>{2});
}

TEST(TellOrdering, ADotInANameIsPartOfIt) {
  EXPECT_EQ(Tell("\"s.x\" asc nulls last", {}, {arrow::field("s.x", arrow::int32())}),
            "s.x asc end");
}

TEST(TellOrdering, ANameOfTwoColumnsEndsIt) {
  auto columns = Columns();
  columns.push_back(arrow::field("v", arrow::int64()));
  EXPECT_EQ(Tell("k asc nulls last, v asc nulls last", {}, columns), "k asc end");
  EXPECT_EQ(Tell("v asc nulls last, k asc nulls last", {}, columns), "implicit");
}

TEST(TellOrdering, AColumnThatDoesNotComeOutEndsIt) {
  const std::vector<ResolvedKey> keys = {{"k", 1, false, true}, {"hidden", 9, false, true}};
  EXPECT_EQ(TextOf(TellOrdering(keys, arrow::Schema(Columns()), {}).ordering), "k asc start");
}

TEST(TellOrdering, ATypeWithoutAComparatorThatAgreesEndsIt) {
  for (const auto& type :
       {arrow::list(arrow::int32()), arrow::dictionary(arrow::int32(), arrow::utf8()),
        arrow::struct_({arrow::field("a", arrow::int32())}), arrow::null(),
        arrow::extension::uuid(), arrow::float16(), arrow::month_interval()}) {
    EXPECT_EQ(Tell("k asc nulls last", {}, {arrow::field("k", type)}), "implicit")
        << type->ToString();
  }
}

}  // namespace
}  // namespace esker
