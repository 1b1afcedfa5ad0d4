// The casebook of tests/casebook.txt through whole tables: rows 1 to 23. Expected values are
// written by hand, from the rows that stand in the test.
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testing/scene.h"

namespace esker::testing {
namespace {

const std::vector<RecipeColumn> kLong = {{1, "k", "long"}};
const std::vector<RecipeColumn> kPair = {{1, "a", "long"}, {2, "b", "long"}};
const std::vector<RecipeColumn> kNamed = {{1, "k", "long"}, {2, "v", "string"}};

TEST(Casebook, Case01NullsInAFewFilesInEveryPlacement) {
  const std::vector<std::pair<std::string, std::string>> stored = {
      {"k asc nulls first", "[[null], [1], [3]]"},
      {"k asc nulls last", "[[1], [3], [null]]"},
      {"k desc nulls first", "[[null], [3], [1]]"},
      {"k desc nulls last", "[[3], [1], [null]]"}};
  const std::vector<std::pair<std::string, std::string>> asked = {
      {"k asc nulls first", "null null 1 2 3"},
      {"k asc nulls last", "1 2 3 null null"},
      {"k desc nulls first", "null null 3 2 1"},
      {"k desc nulls last", "3 2 1 null null"}};
  for (const auto& [claim, rows] : stored) {
    Scene scene(kLong, claim);
    scene.Add(rows).path = std::string(kTableLocation) + "/data/first.parquet";
    scene.Add("[[2]]");
    scene.Add("[[null]]");
    for (const auto& [order, expected] : asked) {
      EXPECT_EQ(scene.Rows(order), expected) << order << " from " << claim;
    }
  }
}

TEST(Casebook, Case01OnlyTheExactReverseIsReadBackwards) {
  Scene scene(kLong, "k asc nulls first");
  scene.Add("[[null], [1], [3]]");
  ASSERT_NE(scene.Plan("k desc nulls last"), nullptr);
  EXPECT_EQ(scene.How("00000"), "reversed");
  ASSERT_NE(scene.Plan("k asc nulls last"), nullptr);
  EXPECT_EQ(scene.How("00000"), "sort");
}

TEST(Casebook, Case01NoNullsServeEitherPlacement) {
  Scene scene(kLong, "k asc nulls first");
  scene.Add("[[1], [3]]");
  EXPECT_EQ(scene.Rows("k asc nulls last"), "1 3");
  EXPECT_EQ(scene.How("00000"), "as it is");
  scene.Statistics(1).null_count.reset();  // now nobody knows
  scene.Changed();
  EXPECT_EQ(scene.Rows("k asc nulls last"), "1 3");
  EXPECT_EQ(scene.How("00000"), "sort");
}

TEST(Casebook, Case02AnAbsentNullCountIsNotZero) {
  Scene scene(kLong, "k asc nulls first");
  scene.Add("[[null], [5], [9]]");
  scene.Statistics(1).null_count.reset();
  scene.Add("[[1], [4]]");
  scene.Statistics(1).null_count.reset();
  EXPECT_EQ(scene.Rows("k asc nulls first"), "null 1 4 5 9");
  EXPECT_EQ(scene.depth(), 2);
}

TEST(Casebook, Case02ARequiredColumnHoldsNoneUnlessItDoes) {
  Scene scene({{1, "k", "long", true, ""}}, "k asc nulls first");
  scene.Add("[[5], [9]]");
  scene.Statistics(1).null_count.reset();
  scene.Add("[[1], [4]]");
  scene.Statistics(1).null_count.reset();
  EXPECT_EQ(scene.Rows("k asc nulls first"), "1 4 5 9");
  EXPECT_EQ(scene.depth(), 1);
  scene.Add("[[null], [7]]");
  scene.Statistics(1).null_count.reset();
  const std::string outcome = scene.Rows("k asc nulls first");
  EXPECT_TRUE(outcome == "failure" || outcome == "disorder") << outcome;
}

TEST(Casebook, Case03ACountWinsOverRequired) {
  Scene scene({{1, "k", "long", true, ""}}, "k asc nulls first");
  scene.Add("[[2], [9]]");
  scene.Statistics(1).null_count = 1;  // of another column by now, but that is what is said
  scene.Add("[[1], [4]]");
  EXPECT_EQ(scene.Rows("k asc nulls first"), "1 2 4 9");
  EXPECT_EQ(scene.How("00000"), "as it is");
  EXPECT_EQ(scene.depth(), 2);
}

TEST(Casebook, Case04AFileOfNullsStandsInTheNullSlot) {
  Scene scene(kLong, "k asc nulls first");
  scene.Add("[[1], [3]]");
  scene.Add("[[null], [null]]");
  scene.Add("[[null]]");
  EXPECT_EQ(scene.Rows("k asc nulls first"), "null null null 1 3");
  EXPECT_EQ(scene.chains(), 1);
  EXPECT_EQ(scene.Rows("k desc nulls last"), "3 1 null null null");
  EXPECT_EQ(scene.chains(), 1);
}

TEST(Casebook, Case04ARowGroupOfNulls) {
  Scene scene(kNamed, "k asc nulls first");
  scene.Add(R"([[null, "a"], [null, "b"], [1, "c"], [2, "d"]])").row_group_rows = 2;
  scene.request.where = "k is null";
  EXPECT_EQ(scene.Rows("k asc nulls first"), "null|a null|b");
  scene.request.where = "k >= 1";
  EXPECT_EQ(scene.Rows("k desc nulls last"), "2|d 1|c");
}

TEST(Casebook, Case05NullsInTheSecondKeyWidenOnlyThatKey) {
  Scene scene(kPair, "a asc, b asc nulls first");
  scene.Add("[[1, 4], [1, 5]]");
  scene.Add("[[1, 6], [2, 7]]");
  EXPECT_EQ(scene.Rows("a, b"), "1|4 1|5 1|6 2|7");
  EXPECT_EQ(scene.chains(), 1);
  scene.Add("[[3, null], [4, 1]]");  // its lower corner is (3, null): still after (2, 7)
  EXPECT_EQ(scene.Rows("a, b"), "1|4 1|5 1|6 2|7 3|null 4|1");
  EXPECT_EQ(scene.chains(), 1);
  scene.Add("[[2, null], [2, 3]]");  // (2, null) to (2, 3) lies within (1, 6) to (2, 7)
  EXPECT_EQ(scene.Rows("a, b"), "1|4 1|5 1|6 2|null 2|3 2|7 3|null 4|1");
  EXPECT_EQ(scene.chains(), 2);
}

TEST(Casebook, Case06WithoutBoundsEachFileSpansEverything) {
  Scene scene(kLong, "k");
  for (const char* rows : {"[[1], [7]]", "[[2], [3]]", "[[8], [9]]"}) {
    scene.Add(rows);
    scene.recipe.files.back().statistics.clear();
  }
  EXPECT_EQ(scene.Rows("k"), "1 2 3 7 8 9");
  EXPECT_EQ(scene.depth(), 3);
  EXPECT_EQ(scene.Rows("k desc"), "9 8 7 3 2 1");
  EXPECT_EQ(scene.depth(), 3);
}

TEST(Casebook, Case07OneSidedBoundsStillHelp) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [3]]");
  scene.Statistics(1).lower.reset();
  scene.Add("[[10], [12]]");
  scene.Statistics(1).upper.reset();
  EXPECT_EQ(scene.Rows("k"), "1 3 10 12");
  EXPECT_EQ(scene.chains(), 1);
  scene.recipe.files[0].statistics[1].upper.reset();
  scene.Changed();
  EXPECT_EQ(scene.Rows("k"), "1 3 10 12");
  EXPECT_EQ(scene.chains(), 2);
}

TEST(Casebook, Case07AStrictGapOnTheFirstKeyNeedsNoBoundsOfTheSecond) {
  Scene scene(kPair, "a, b");
  scene.Add("[[1, 9], [2, 1]]");
  scene.Statistics(2) = {};
  scene.Add("[[3, 5], [4, 0]]");
  scene.Statistics(2) = {};
  EXPECT_EQ(scene.Rows("a, b"), "1|9 2|1 3|5 4|0");
  EXPECT_EQ(scene.chains(), 1);
}

TEST(Casebook, Case08BoundsThatCannotBeAreNone) {
  const std::string nine = CellBoundBytes("long", Cell{int64_t{9}});
  const std::string one = CellBoundBytes("long", Cell{int64_t{1}});
  for (const auto& [lower, upper] : std::vector<std::pair<std::string, std::string>>{
           {nine, one}, {"abc", "abc"}, {"", ""}, {std::string(9, '\0'), std::string(3, 'x')}}) {
    Scene scene(kLong, "k");
    scene.Add("[[1], [9]]");
    scene.Statistics(1).lower = lower;
    scene.Statistics(1).upper = upper;
    scene.Add("[[2], [20]]");
    scene.Add("[[21], [22]]");
    EXPECT_EQ(scene.Rows("k"), "1 2 9 20 21 22");
    EXPECT_EQ(scene.depth(), 2);
    scene.request.where = "k = 9";
    EXPECT_EQ(scene.Rows("k"), "9");
  }
}

TEST(Casebook, Case08ANanBoundIsNone) {
  Scene scene({{1, "k", "double"}}, "k");
  scene.Add("[[1], [9]]");
  scene.Statistics(1).lower = CellBoundBytes("double", Cell{std::nan("")});
  scene.Statistics(1).upper = CellBoundBytes("double", Cell{std::nan("")});
  scene.Add("[[2], [20]]");
  EXPECT_EQ(scene.Rows("k"), "1 2 9 20");
  EXPECT_EQ(scene.depth(), 2);
}

TEST(Casebook, Case09TruncatedStringBoundsAreLoose) {
  Scene scene({{1, "k", "string"}}, "k");
  scene.Add(R"([["sixteen letters 1"], ["sixteen letters 4"]])");
  scene.Statistics(1).lower = "sixteen letters ";
  scene.Statistics(1).upper = "sixteen letters!";
  scene.Add(R"([["sixteen letters 2"], ["sixteen letters 3"]])");
  scene.Statistics(1).lower = "sixteen letters ";
  scene.Statistics(1).upper.reset();
  EXPECT_EQ(scene.Rows("k"),
            "sixteen letters 1 sixteen letters 2 sixteen letters 3 sixteen letters 4");
  EXPECT_EQ(scene.depth(), 2);
}

TEST(Casebook, Case09ABoundCutInsideACharacter) {
  Scene scene({{1, "k", "string"}}, "k");
  scene.Add(R"([["é"], ["z"]])", {});  // not sorted: é is c3 a9
  scene.Statistics(1).upper = "\xc4";
  scene.Statistics(1).lower = "z";
  scene.Add(R"([["è"]])");
  scene.Statistics(1).lower = "\xc3";
  scene.Statistics(1).upper = "\xc3\xa9";
  EXPECT_EQ(scene.Rows("k"), R"(z \xc3\xa8 \xc3\xa9)");
}

TEST(Casebook, Case10StringsCompareAsBytesNotAsUtf16) {
  Scene scene({{1, "k", "string"}}, "k");
  scene.Add("[[\"a\"], [\"\xef\xbf\xbf\"]]");
  scene.Add("[[\"\xf0\x90\x80\x80\"], [\"\xf4\x8f\xbf\xbf\"]]");
  EXPECT_EQ(scene.Rows("k"), R"(a \xef\xbf\xbf \xf0\x90\x80\x80 \xf4\x8f\xbf\xbf)");
  EXPECT_EQ(scene.chains(), 1);
}

struct Promotion {
  std::string old_type, new_type, old_rows, new_rows, expected;
};

TEST(Casebook, Case11PromotedColumnsOfOldFiles) {
  const std::vector<Promotion> promotions = {
      {"int", "long", "[[-2], [7]]", "[[-5000000000], [3]]", "-5000000000 -2 3 7"},
      {"float", "double", "[[-1.5], [2.5]]", "[[-1e300], [0.1]]", "-1e+300 -1.5 0.1 2.5"},
      {"decimal(4,2)", "decimal(20,2)", R"([["-1.50"], ["99.99"]])",
       R"([["0.00"], ["123456789012345678.90"]])", "-150 0 9999 12345678901234567890"},
      {"date", "timestamp", "[[-1], [1]]", "[[-86399999999], [1]]",
       "-86400000000 -86399999999 1 86400000000"},
      {"date", "timestamp_ns", "[[0], [1]]", "[[5], [86400000000001]]",
       "0 5 86400000000000 86400000000001"}};
  for (const Promotion& promotion : promotions) {
    Scene scene({{1, "k", promotion.new_type}}, "k");
    scene.recipe.format_version = 3;
    scene.Add(DataFileOf({{1, "k", promotion.old_type}}, promotion.old_rows, 1));
    scene.Add(promotion.new_rows);
    EXPECT_EQ(scene.Rows("k"), promotion.expected) << promotion.new_type << scene.error();
    EXPECT_EQ(scene.depth(), 2) << promotion.new_type;
  }
}

TEST(Casebook, Case11OldBoundsKeepFilesApart) {
  Scene scene(kLong, "k");
  scene.Add(DataFileOf({{1, "k", "int"}}, "[[-2], [7]]", 1));
  scene.Add("[[8], [5000000000]]");
  scene.request.where = "k = 7";
  EXPECT_EQ(scene.Rows("k"), "7");
  scene.request.where = "";
  EXPECT_EQ(scene.Rows("k"), "-2 7 8 5000000000");
  EXPECT_EQ(scene.chains(), 1);
}

TEST(Casebook, Case12DecimalsAreNumbers) {
  Scene scene({{1, "k", "decimal(38,2)"}}, "k");
  scene.Add(R"([["-1.29"], ["-1.28"], ["-0.01"], ["1.27"]])");
  scene.Add(R"([["0.00"], ["1.28"], ["2.55"], ["2.56"]])");
  scene.Add(R"([["999999999999999999999999999999999999.99"]])");
  scene.Statistics(1).lower->insert(0, 16 - scene.Statistics(1).lower->size(), '\0');
  EXPECT_EQ(scene.Rows("k"),
            "-129 -128 -1 0 127 128 255 256 99999999999999999999999999999999999999");
  EXPECT_EQ(scene.chains(), 2);
}

TEST(Casebook, Case13TimestampsAreIntegers) {
  for (const char* type : {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}) {
    Scene scene({{1, "k", type}}, "k");
    scene.recipe.format_version = 3;
    scene.Add("[[-86400000001], [-1], [1700000000000000]]");
    scene.Add("[[-2], [0]]");
    EXPECT_EQ(scene.Rows("k"), "-86400000001 -2 -1 0 1700000000000000") << type;
    EXPECT_EQ(scene.Rows("k desc"), "1700000000000000 0 -1 -2 -86400000001") << type;
  }
}

TEST(Casebook, Case14ZerosAreEqualAndNanIsLast) {
  const double nan = std::nan("");
  Scene scene({{1, "k", "double"}, {2, "v", "long"}}, "k");
  const std::vector<WrittenColumn> columns = {{1, "k", "double"}, {2, "v", "long"}};
  const auto row = [](double k, int64_t v) { return Row{k, v}; };
  scene.Add(
      DataFileOf(columns, {row(-1, 1), row(0.0, 2), row(-0.0, 3), row(0.0, 4), row(nan, 5)}, 1));
  scene.Statistics(1).nan_count.reset();
  scene.Add(DataFileOf(columns, {row(nan, 6), row(nan, 7)}, 1));  // no bounds at all
  scene.Add(DataFileOf(columns, {row(0.5, 8), row(INFINITY, 9)}, 1));
  // Without bounds the second file is numbered first, and so go its ties.
  EXPECT_EQ(scene.Rows("k"), "-1|1 0|2 -0|3 0|4 0.5|8 inf|9 nan|6 nan|7 nan|5");
  scene.request.columns = {{"v"}};
  const std::string backwards = scene.Rows("k desc");
  // Not read backwards but sorted, for NaN might stand at either end: zeros keep the file's order.
  EXPECT_EQ(backwards.substr(backwards.find('9')), "9 8 2 3 4 1");
}

TEST(Casebook, Case15UuidsAreUnsignedBytes) {
  const std::string low = std::string(16, '\x01');
  const std::string high = std::string(16, '\x81');
  Scene scene({{1, "k", "uuid"}}, "k");
  const std::vector<WrittenColumn> columns = {{1, "k", "uuid"}};
  scene.Add(DataFileOf(columns, {Row{low}, Row{high}}, 1));
  // As Java compares: two signed longs.
  std::swap(scene.Statistics(1).lower, scene.Statistics(1).upper);
  scene.Add(DataFileOf(columns, {Row{std::string(16, '\x7f')}}, 1));
  scene.request.limit = 2;
  EXPECT_EQ(scene.Rows("k"), CellText(Cell{low}) + " " + CellText(Cell{std::string(16, '\x7f')}));
}

TEST(Casebook, Case15UuidsAreTheSameAfterSpilling) {
  const std::vector<WrittenColumn> columns = {{1, "k", "uuid"}};
  const auto row = [](char byte) { return Row{std::string(16, byte)}; };
  Scene scene({{1, "k", "uuid"}}, "k");
  scene.options.max_merge_files = 2;
  scene.options.memory_bytes = 4000;
  scene.Add(DataFileOf(columns, {row('c'), row('a')}, {}));
  scene.Add(DataFileOf(columns, {row('b'), row('e')}, 1));
  scene.Add(DataFileOf(columns, {row('d'), row('f')}, 1));
  EXPECT_EQ(scene.Rows("k"),
            "aaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbb cccccccccccccccc dddddddddddddddd "
            "eeeeeeeeeeeeeeee ffffffffffffffff")
      << scene.error();
  EXPECT_GT(scene.statistics().spilled_bytes, 0);
}

TEST(Casebook, Case16TouchingFiles) {
  Scene scene(kPair, "a, b");
  scene.Add("[[1, 1], [5, 9]]");
  scene.Add("[[5, 9], [6, 9]]");  // from corner (5, 9): bounds are those of columns
  EXPECT_EQ(scene.Rows("a, b"), "1|1 5|9 5|9 6|9");
  EXPECT_EQ(scene.chains(), 1);
  scene.Add("[[5, 1], [5, 2]]");  // equal on the prefix alone
  EXPECT_EQ(scene.Rows("a, b"), "1|1 5|1 5|2 5|9 5|9 6|9");
  EXPECT_EQ(scene.chains(), 2);
}

TEST(Casebook, Case17PointsAndARangeShareAChain) {
  Scene scene(kLong, "k");
  scene.Add("[[5], [5]]");
  scene.Add("[[5], [9]]");
  scene.Add("[[5], [5]]");
  EXPECT_EQ(scene.Rows("k"), "5 5 5 5 5 9");
  EXPECT_EQ(scene.chains(), 1);
  for (int i = 0; i < 20; ++i) scene.Add("[[5]]");
  ASSERT_NE(scene.Plan("k"), nullptr);
  EXPECT_EQ(scene.chains(), 1);
}

TEST(Casebook, Case18SingleEmptyAndDeletedFiles) {
  Scene scene(kLong, "k");
  scene.options.max_merge_files = 2;
  scene.Add("[[4]]", {});
  scene.Add("[]", {});
  scene.recipe.files.back().statistics.clear();
  const std::string gone = std::string(kTableLocation) + "/data/gone.parquet";
  scene.Add("[[2], [3]]").path = gone;
  scene.Add("[[1], [7]]");
  scene.Add(PositionDeletesOf(gone, {0, 1}));
  EXPECT_EQ(scene.Rows("k"), "1 4 7");
  EXPECT_EQ(scene.plan().files().size(), 3u);
  EXPECT_EQ(scene.How("00000"), "as it is");
}

TEST(Casebook, Case19OneFileSpansAllOthers) {
  Scene scene(kLong, "k");
  scene.Add("[[0], [50], [100]]");
  scene.Add("[[1], [10]]");
  scene.Add("[[11], [20]]");
  scene.Add("[[60], [99]]");
  EXPECT_EQ(scene.Rows("k"), "0 1 10 11 20 50 60 99 100");
  EXPECT_EQ(scene.chains(), 2);
  EXPECT_EQ(scene.depth(), 2);
  EXPECT_EQ(scene.statistics().peak_open_files, 2);
}

TEST(Casebook, Case20TheSecondKeyDecides) {
  Scene scene(kPair, "a asc, b desc nulls last");
  scene.Add("[[1, 9], [1, 3], [2, 5]]");
  scene.Add("[[1, 7], [1, 1], [2, 6]]");
  EXPECT_EQ(scene.Rows("a asc, b desc nulls last"), "1|9 1|7 1|3 1|1 2|6 2|5");
}

TEST(Casebook, Case21AConstantFirstKeyIsSkipped) {
  const std::vector<RecipeColumn> columns = {{1, "country", "string"}, {2, "ts", "long"}};
  Scene scene(columns, "ts");
  scene.Add(R"([["de", 1], ["de", 5]])");
  scene.Add(R"([["fr", 0], ["fr", 9]])");
  scene.Add(R"([["de", 3], ["fr", 4]])");
  EXPECT_EQ(scene.Rows("country, ts"), "de|1 de|3 de|5 fr|0 fr|4 fr|9");
  EXPECT_EQ(scene.How("00000"), "as it is");
  EXPECT_EQ(scene.How("00002"), "sort");
}

TEST(Casebook, Case22SortIdsAndWhatTheFilesShare) {
  Scene scene(kPair, "a, b");
  scene.recipe.sort_orders.push_back({2, OrderFieldsOf(kPair, "a, b desc nulls last")});
  scene.recipe.sort_orders.push_back({3, OrderFieldsOf(kPair, "b")});
  scene.Add("[[1, 1], [1, 2]]", 1);
  scene.Add("[[1, 4], [1, 3], [2, 0]]", 2);
  EXPECT_EQ(scene.Rows(""), "1|1 1|2 1|4 1|3 2|0");
  EXPECT_EQ(scene.Told(), "a asc nulls first");
  EXPECT_EQ(scene.Rows("a, b"), "1|1 1|2 1|3 1|4 2|0");
  EXPECT_EQ(scene.How("00001"), "prefix sort");
  scene.Add("[[9, 0], [0, 9]]", 3);
  EXPECT_EQ(scene.Rows("a, b"), "0|9 1|1 1|2 1|3 1|4 2|0 9|0");
  EXPECT_EQ(scene.How("00002"), "sort");
  ASSERT_NE(scene.Plan(""), nullptr);
  EXPECT_EQ(scene.Told(), "");
}

TEST(Casebook, Case22IdsThatClaimNothing) {
  for (const std::optional<int32_t> id : {std::optional<int32_t>(), {0}, {99}}) {
    Scene scene(kLong, "k");
    scene.Add("[[3], [1], [2]]", id);
    EXPECT_EQ(scene.Rows("k"), "1 2 3");
    EXPECT_EQ(scene.How("00000"), "sort");
  }
}

TEST(Casebook, Case22AnOrderOnADroppedColumnEndsThere) {
  Scene scene(kPair, "a, b");
  scene.recipe.sort_orders[0].fields[1].source_id = 77;
  scene.Add("[[1, 9], [1, 3], [2, 0]]");
  EXPECT_EQ(scene.Rows("a, b"), "1|3 1|9 2|0");
  EXPECT_EQ(scene.How("00000"), "prefix sort");
  EXPECT_EQ(scene.Rows(""), "1|9 1|3 2|0");
  EXPECT_EQ(scene.Told(), "a asc nulls first");
}

TEST(Casebook, Case23TheDefaultOrderIsNoClaim) {
  Scene scene(kLong, "k");
  scene.recipe.default_sort_order_id = 1;
  scene.Add("[[3], [1]]", {});
  EXPECT_EQ(scene.Rows(""), "3 1");
  EXPECT_EQ(scene.Told(), "");
  scene.request.order = OrderFrom::kTable;
  EXPECT_EQ(scene.Rows(""), "1 3");
  EXPECT_EQ(scene.Told(), "k asc nulls first");
}

}  // namespace
}  // namespace esker::testing
