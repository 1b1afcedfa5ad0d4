// Splits through whole tables: each is read through its text, with a table of its own.
#include "esker/split.h"

#include <zlib.h>

#include <limits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/filesystem/mockfs.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "arrow/type.h"
#include "esker/error.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "testing/scene.h"

namespace esker::testing {
namespace {

const std::vector<RecipeColumn> kLong = {{1, "k", "long"}};
const std::vector<RecipeColumn> kPair = {{1, "a", "long"}, {2, "b", "long"}};
const std::vector<RecipeColumn> kNamed = {{1, "k", "long"}, {2, "v", "string"}};

std::string LongBound(int64_t value) { return CellBoundBytes("long", Cell{value}); }

// SplitRows() as one list of rows. A split may be empty.
std::string Joined(const std::string& rows) {
  std::string joined;
  std::istringstream words(rows);
  for (std::string word; words >> word;) {
    if (word != "/") joined += (joined.empty() ? "" : " ") + word;
  }
  return joined;
}

int64_t RowGroupsRead(const Scene& scene, size_t split) {
  return scene.split_plans()[split]->statistics().row_groups_read;
}

// ---- casebook row 37 ----

TEST(Casebook, Case37SplitsOfOneFileReadTheirOwnRowGroups) {
  Scene scene(kNamed, "k");
  scene.Add(R"([[1, "a"], [2, "b"], [3, "c"], [4, "d"], [5, "e"], [6, "f"]])").row_group_rows = 1;
  EXPECT_EQ(scene.SplitRows(3, "k"), "1|a 2|b / 3|c 4|d / 5|e 6|f") << scene.error();
  // The first split has to see that the file goes on behind its cut only by its statistics.
  for (const size_t split : {0, 1, 2}) {
    EXPECT_EQ(RowGroupsRead(scene, split), 2) << split;
    EXPECT_EQ(scene.split_plans()[split]->statistics().row_groups_skipped, 4) << split;
    EXPECT_EQ(scene.split_plans()[split]->statistics().files_opened, 1);
  }
  EXPECT_EQ(scene.SplitRows(3, "k desc"), "6|f 5|e / 4|d 3|c / 2|b 1|a") << scene.error();
  for (const size_t split : {0, 1, 2}) EXPECT_EQ(RowGroupsRead(scene, split), 2) << split;
  scene.options.prune_row_groups = false;
  EXPECT_EQ(scene.SplitRows(3, "k"), "1|a 2|b / 3|c 4|d / 5|e 6|f");
  EXPECT_EQ(scene.split_plans()[2]->statistics().row_groups_skipped, 0);
}

TEST(Casebook, Case37RowGroupsThatACutGoesThroughAreReadByBoth) {
  for (const int64_t batch_rows : {1, 2, 3, 16384}) {
    Scene scene(kNamed, "k");
    scene.options.batch_rows = batch_rows;
    scene.Add(R"([[1, "a"], [1, "b"], [2, "c"], [3, "d"], [3, "e"], [4, "f"]])").row_group_rows = 4;
    EXPECT_EQ(scene.SplitRows(2, "k"), "1|a 1|b 2|c / 3|d 3|e 4|f") << scene.error();
    EXPECT_EQ(RowGroupsRead(scene, 0), 1);
    EXPECT_EQ(RowGroupsRead(scene, 1), 2);
    EXPECT_EQ(scene.SplitRows(2, "k desc"), "4|f 3|e 3|d / 2|c 1|b 1|a") << scene.error();
  }
}

// ---- files that are sorted for a split ----

// Rows of two longs in no order, or in order of the first alone, and a text.
RecipeFile LargeFile(int64_t rows, bool is_sorted_by_a) {
  const std::vector<WrittenColumn> columns = {
      {1, "a", "long"}, {2, "b", "long"}, {3, "t", "string"}};
  std::vector<Row> cells;
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t mixed = row * 7919 % rows;
    const int64_t a = is_sorted_by_a ? row * 2 / rows : mixed * 16 / rows;
    cells.push_back({a, mixed, std::to_string(row) + std::string(200, '.')});
  }
  RecipeFile file = DataFileOf(columns, cells, {});
  file.dictionary = false;  // no two texts are the same
  if (is_sorted_by_a) file.sort_order_id = 1;
  return file;
}

// Each split sorts its own rows: all together write to disk what one scan does, or less.
TEST(ScanSplit, FilesThatAreSortedAreSortedOnceByAllSplits) {
  for (const bool is_sorted_by_a : {false, true}) {
    SCOPED_TRACE(is_sorted_by_a);
    Scene scene({{1, "a", "long"}, {2, "b", "long"}, {3, "t", "string"}}, "a");
    scene.Add(LargeFile(60000, is_sorted_by_a));
    scene.options.memory_bytes = 16 << 20;
    const std::string rows = scene.Rows("a, b");
    ASSERT_EQ(scene.error(), "");
    EXPECT_EQ(scene.How(""), is_sorted_by_a ? "prefix sort" : "sort");
    const int64_t spilled = scene.statistics().spilled_bytes;
    EXPECT_GT(spilled, 0);
    EXPECT_EQ(Joined(scene.SplitRows(8, "a, b")), rows) << scene.error();
    EXPECT_GE(scene.split_plans().size(), is_sorted_by_a ? 2u : 8u);
    int64_t spilled_by_splits = 0;
    for (const auto& plan : scene.split_plans()) {
      spilled_by_splits += plan->statistics().spilled_bytes;
    }
    EXPECT_LE(spilled_by_splits, spilled);
  }
}

TEST(ScanSplit, RowGroupsOutsideAreLeftOutAnywhereOfAFileWithoutAnOrder) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [7], [3], [8], [2], [6]]", {}).row_group_rows = 1;
  EXPECT_EQ(scene.SplitRows(2, "k"), "1 2 3 / 6 7 8") << scene.error();
  for (const size_t split : {0, 1}) EXPECT_EQ(RowGroupsRead(scene, split), 3) << split;
}

// A row behind the bounds of its file, which must not be dropped: no other split reads it.
TEST(ScanSplit, RowsOutsideTheBoundsOfAFileThatIsSortedAreFound) {
  for (const int64_t group_rows : {1, 100}) {
    Scene scene(kLong, "k");
    scene.Add("[[4], [9], [1], [3]]", {}).row_group_rows = group_rows;
    scene.Statistics(1).upper = LongBound(4);
    scene.Add("[[5], [6], [7], [8]]");
    scene.SplitRows(2, "k");
    EXPECT_NE(scene.error().find("key (9) is outside the bounds"), std::string::npos)
        << scene.error();
  }
}

// ---- which files, how many splits ----

TEST(ScanSplit, FilesThatDoNotOverlapAreReadByOneSplitEach) {
  Scene scene(kLong, "k");
  for (int i = 0; i < 8; ++i) {
    scene.Add("[[" + std::to_string(10 * i) + "], [" + std::to_string(10 * i + 5) + "]]");
  }
  EXPECT_EQ(scene.SplitRows(4, "k"), "0 5 10 15 / 20 25 30 35 / 40 45 50 55 / 60 65 70 75");
  for (const auto& plan : scene.split_plans()) {
    EXPECT_EQ(plan->files().size(), 2u);
    EXPECT_EQ(plan->statistics().files_opened, 2);
    EXPECT_EQ(plan->max_depth(), 1);
  }
}

TEST(ScanSplit, EqualKeysAreNeverParted) {
  Scene scene(kPair, "a");
  scene.Add("[[1, 1], [2, 2], [2, 3], [2, 4], [2, 5], [3, 6]]");
  scene.Add("[[1, 7], [2, 8], [2, 9], [3, 10]]");
  for (const int parts : {2, 3, 10}) {
    const std::string rows = scene.SplitRows(parts, "a");
    EXPECT_EQ(Joined(rows), scene.Rows("a")) << rows;
    for (const char* key : {"1|", "2|", "3|"}) {
      const size_t first = rows.find(key);
      const size_t last = rows.rfind(key);
      EXPECT_EQ(rows.substr(first, last - first).find('/'), std::string::npos) << rows;
    }
  }
}

TEST(ScanSplit, FewerWhereThereIsNothingToCutBy) {
  Scene same(kLong, "k");
  same.Add("[[5], [5], [5]]");
  same.Add("[[5], [5]]");
  EXPECT_EQ(same.SplitRows(4, "k"), "5 5 5 5 5");
  Scene unknown(kLong, "k");
  unknown.Add("[[1], [9]]").statistics.clear();
  unknown.Add("[[2], [3]]").statistics.clear();
  EXPECT_EQ(unknown.SplitRows(4, "k"), "1 2 3 9");
  Scene empty(kLong, "k");
  EXPECT_EQ(empty.SplitRows(4, "k"), "");
  EXPECT_EQ(empty.split_plans().size(), 1u);
  empty.recipe.has_snapshot = false;
  empty.Changed();
  EXPECT_EQ(empty.SplitRows(4, "k"), "");
  same.options.use_bounds = false;
  EXPECT_EQ(same.SplitRows(4, "k"), "5 5 5 5 5");
}

TEST(ScanSplit, ByTheSecondKeyWhereTheFirstIsOneValue) {
  Scene scene(kPair, "a, b");
  scene.Add("[[1, 1], [1, 2], [1, 3], [1, 4]]").row_group_rows = 1;
  scene.Add("[[1, 5], [1, 6], [1, 7], [1, 8]]").row_group_rows = 1;
  EXPECT_EQ(scene.SplitRows(4, "a, b"), "1|1 1|2 / 1|3 1|4 / 1|5 1|6 / 1|7 1|8") << scene.error();
}

TEST(ScanSplit, WithoutAnOrderByFiles) {
  Scene scene(kLong);
  for (const char* rows : {"[[3], [1]]", "[[9]]", "[[2], [2]]", "[[7]]"}) scene.Add(rows, {});
  scene.request.order = OrderFrom::kNone;
  const std::string all = scene.Rows();
  EXPECT_EQ(scene.SplitRows(2), "3 1 9 / 2 2 7");
  EXPECT_EQ(scene.SplitRows(100), "3 1 / 9 / 2 2 / 7");
  EXPECT_EQ(scene.SplitRows(1), all);
  EXPECT_EQ(scene.split_plans()[0]->files().size(), 4u);
  scene.recipe.files.clear();
  scene.Changed();
  EXPECT_EQ(scene.SplitRows(3), "");
  EXPECT_EQ(scene.split_plans().size(), 1u);
}

TEST(ScanSplit, OfAnOrderThatWasGivenUp) {
  Scene scene(kLong, "k");
  for (const char* rows : {"[[5], [9]]", "[[1], [8]]", "[[0], [7]]"}) scene.Add(rows);
  scene.options.max_merge_files = 2;
  scene.options.over_limit = OverLimit::kUnordered;
  const std::string all = scene.Rows("k");
  EXPECT_EQ(all, "0 7 1 8 5 9");
  EXPECT_EQ(scene.SplitRows(3, "k"), "0 7 / 1 8 / 5 9") << scene.error();
  EXPECT_TRUE(scene.split_plans()[0]->order().empty());
}

TEST(ScanSplit, OverlapBeyondTheCapOfWhoReads) {
  Scene scene(kLong, "k");
  for (int i = 0; i < 6; ++i) {
    scene.Add("[[" + std::to_string(i) + "], [" + std::to_string(100 + i) + "]]");
  }
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr);
  const auto splits = plan->Split(2).ValueOrDie();
  ASSERT_EQ(splits.size(), 2u);
  OpenOptions open;
  open.filesystem = std::make_shared<FaultyFileSystem>(WriteTable(scene.recipe));
  ScanOptions narrow;
  narrow.max_merge_files = 2;
  const auto rows = splits[1].Open(open, narrow).ValueOrDie()->Read().ValueOrDie();
  EXPECT_EQ(rows->ToTable().ValueOrDie()->num_rows(), 6);
  narrow.over_limit = OverLimit::kUnordered;
  const auto refused = splits[1].Open(open, narrow);
  EXPECT_EQ(KindOf(refused.status()), ErrorKind::kUsage);
  EXPECT_NE(refused.status().message().find("keep the order"), std::string::npos);
}

// ---- what they are asked for ----

TEST(ScanSplit, KeepFilterColumnsHiddenKeysAndDeletes) {
  Scene scene(kNamed, "k");
  scene.Add(R"([[1, "x"], [2, "y"], [3, "x"], [4, "y"]])").row_group_rows = 1;
  scene.recipe.files.back().path = kTableLocation + std::string("/data/a.parquet");
  scene.Add(R"([[2, "x"], [5, "y"], [8, "x"], [9, "y"]])").row_group_rows = 2;
  scene.Add(PositionDeletesOf(kTableLocation + std::string("/data/a.parquet"), {0, 3}));
  scene.Add(EqualityDeletesOf({{1, "k", "long"}}, {Row{int64_t{8}}}));
  scene.request.columns = {{"v"}};
  for (const char* order : {"k", "k desc"}) {
    for (const char* where : {"", "k >= 3", "v = 'y'"}) {
      scene.request.where = where;
      const std::string all = scene.Rows(order);
      const std::string split = scene.SplitRows(3, order);
      EXPECT_EQ(scene.split_plans().size(), 3u);
      EXPECT_EQ(Joined(split), all) << split << scene.error();
      EXPECT_TRUE(scene.split_plans()[0]->order().empty());
      EXPECT_EQ(scene.split_plans()[0]->schema()->field_names(), std::vector<std::string>{"v"});
    }
  }
}

TEST(ScanSplit, OrdersOfTheFilesAndAssumedOnes) {
  Scene scene(kLong);
  scene.Add("[[1], [4], [5], [8]]", {});
  scene.request.assume_order = {{"k", false, {}}};
  EXPECT_EQ(scene.SplitRows(2), "1 4 / 5 8") << scene.error();
  ASSERT_EQ(scene.split_plans().size(), 2u);
  EXPECT_EQ(scene.split_plans()[1]->files()[0].how, "as it is");
  EXPECT_EQ(scene.split_plans()[1]->files()[0].claim, "assumed");
  EXPECT_EQ(scene.split_plans()[1]->order()[0].column, "k");
}

TEST(ScanSplit, NullsAtEitherEnd) {
  for (const std::string nulls : {"first", "last"}) {
    Scene scene(kNamed, "k asc nulls " + nulls);
    const std::string null = R"([null, "n"])";
    const std::string rows = R"([1, "a"], [2, "b"], [3, "c"], [4, "d"])";
    scene.Add("[" + (nulls == "first" ? null + "," + rows : rows + "," + null) + "]");
    scene.Add("[" + null + "," + null + "]");
    for (const std::string order :
         {"k asc nulls first", "k asc nulls last", "k desc nulls first", "k desc nulls last"}) {
      const std::string all = scene.Rows(order);
      for (const int parts : {2, 3, 5}) {
        EXPECT_EQ(Joined(scene.SplitRows(parts, order)), all) << order << scene.error();
        EXPECT_GT(scene.split_plans().size(), 1u);
      }
    }
  }
}

TEST(ScanSplit, FilesInTheTotalOrderOfFloats) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Scene scene({{1, "k", "double"}, {2, "v", "long"}}, "k asc nulls first");
  const std::vector<WrittenColumn> columns = {{1, "k", "double"}, {2, "v", "long"}};
  const auto row = [](double k, int64_t v) { return Row{Cell{k}, Cell{v}}; };
  scene
      .Add(DataFileOf(
          columns, {row(-nan, 1), row(-nan, 2), row(1, 3), row(2, 4), row(3, 5), row(nan, 6)}, 1))
      .row_group_rows = 2;
  scene.Add(DataFileOf(columns, {row(-nan, 7), row(2, 8), row(4, 9)}, 1));
  const std::string all = scene.Rows("k asc nulls first");
  EXPECT_EQ(scene.SplitRows(3, "k asc nulls first").substr(0, 5), "1|3 /") << scene.error();
  EXPECT_EQ(Joined(scene.SplitRows(3, "k asc nulls first")), all);
}

TEST(ScanSplit, SortedAndPrefixSortedFiles) {
  Scene scene(kPair, "a");
  scene.Add("[[1, 9], [1, 2], [2, 5], [3, 7], [3, 1], [4, 4]]").row_group_rows = 2;
  scene.Add("[[4, 1], [1, 1], [3, 3], [2, 2]]", {}).row_group_rows = 1;
  for (const int64_t memory : {0, 4000}) {
    scene.options.memory_bytes = memory;
    const std::string all = scene.Rows("a, b");
    EXPECT_EQ(all, "1|1 1|2 1|9 2|2 2|5 3|1 3|3 3|7 4|1 4|4");
    const std::string rows = scene.SplitRows(3, "a, b");
    EXPECT_EQ(Joined(rows), all) << rows << scene.error();
    EXPECT_EQ(scene.split_plans().size(), 3u);
  }
}

// ---- lies ----

// No row is lost because of a false bound: the split that holds the end of the file finds it.
TEST(ScanSplit, ARowBehindTheUpperBoundIsFound) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [3], [45]]").row_group_rows = 1;
  scene.Statistics(1).upper = LongBound(4);
  scene.Add("[[40], [50]]");
  EXPECT_EQ(scene.Rows("k"), "1 3 40 45 50");
  EXPECT_EQ(scene.SplitRows(2, "k"), "disorder");
  for (const char* word : {"00000", "row 2", "key (45)", "after (4)"}) {
    EXPECT_NE(scene.error().find(word), std::string::npos) << word << scene.error();
  }
}

TEST(ScanSplit, ARowBeforeTheLowerBoundIsFound) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [3], [3]]");
  scene.Add("[[2], [40], [50]]").row_group_rows = 1;
  scene.Statistics(1).lower = LongBound(40);
  EXPECT_EQ(scene.SplitRows(2, "k"), "1 3 3 / disorder");
  for (const char* word : {"00001", "row 0", "key (2)", "before (40)"}) {
    EXPECT_NE(scene.error().find(word), std::string::npos) << word << scene.error();
  }
}

TEST(ScanSplit, AFalseBoundWithinTheSplitDoesNoHarm) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [3], [6]]");
  scene.Statistics(1).upper = LongBound(4);
  scene.Add("[[40], [50]]");
  EXPECT_EQ(scene.SplitRows(2, "k"), "1 3 6 / 40 50") << scene.error();
  EXPECT_EQ(scene.split_plans()[0]->statistics().misses_after_upper, 1);
}

// Every file with one false bound, of every kind, cut everywhere: rows come out, or an error does.
TEST(ScanSplit, NoFalseBoundLosesARow) {
  int refused = 0;
  for (const int64_t lower : {-5, 0, 3, 5, 8}) {
    for (const int64_t upper : {-5, 0, 3, 5, 8}) {
      for (const int64_t group_rows : {1, 2, 100}) {
        Scene scene(kLong, "k");
        scene.Add("[[0], [2], [4], [6]]").row_group_rows = group_rows;
        scene.Statistics(1).lower = LongBound(lower);
        scene.Statistics(1).upper = LongBound(upper);
        scene.Add("[[1], [3], [5], [7]]").row_group_rows = group_rows;
        for (const std::string order : {"k", "k desc"}) {
          for (const int parts : {2, 3, 4, 8}) {
            const std::string rows = scene.SplitRows(parts, order);
            if (rows.find("disorder") != std::string::npos) {
              ++refused;
            } else {
              EXPECT_EQ(Joined(rows), order == "k" ? "0 1 2 3 4 5 6 7" : "7 6 5 4 3 2 1 0")
                  << lower << " " << upper << " " << parts << scene.error();
            }
          }
        }
      }
    }
  }
  EXPECT_GT(refused, 20);
}

// A row group that breaks the order of its file is in no slice where it stands: it is read all the
// same by the split that reads on both sides of it.
TEST(ScanSplit, RowGroupsOutOfOrderAreFound) {
  for (const int64_t group_rows : {1, 2, 3, 100}) {
    for (const char* order : {"k", "k desc"}) {
      for (const int parts : {2, 3, 4, 8}) {
        Scene scene(kLong, "k");
        scene.Add("[[1], [2], [7], [3], [8], [9]]").row_group_rows = group_rows;
        const std::string rows = scene.SplitRows(parts, order);
        EXPECT_NE(rows.find("disorder"), std::string::npos) << rows;
        scene.options.on_disorder = OnDisorder::kSort;
        EXPECT_EQ(Joined(scene.SplitRows(parts, order)),
                  std::string(order) == "k" ? "1 2 3 7 8 9" : "9 8 7 3 2 1")
            << scene.error();
      }
    }
  }
}

// ---- requests that are refused ----

TEST(ScanSplit, ScansThatCannotBeSplit) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [2], [3]]");
  for (const int parts : {0, -1, 1'000'001}) EXPECT_EQ(scene.SplitRows(parts, "k"), "usage");
  EXPECT_EQ(scene.SplitRows(1'000'000, "k"), "1 / 2 / 3");
  const auto again = scene.split_plans()[0]->Split(2);
  EXPECT_EQ(KindOf(again.status()), ErrorKind::kUsage);
  scene.request.limit = 2;
  EXPECT_EQ(scene.SplitRows(2, "k"), "usage");
  EXPECT_NE(scene.error().find("limit"), std::string::npos);
}

// Texts that somebody changed and gave a fitting checksum: other rows perhaps, but words, no crash.
TEST(ScanSplit, TextsThatWereTamperedWith) {
  using nlohmann::json;
  Scene scene({{1, "k", "long"}, {2, "s", "string"}, {3, "f", "fixed[4]"}}, "k, s");
  scene.Add(R"([[1, "a", "abcd"], [2, "b", "abcd"], [3, "c", "abcd"], [4, "d", "abcd"]])");
  const auto plan = scene.Plan("k, s");
  ASSERT_NE(plan, nullptr);
  const auto splits = plan->Split(3).ValueOrDie();
  ASSERT_EQ(splits.size(), 3u);
  const json text = json::parse(splits[1].ToText());
  OpenOptions open;
  open.filesystem = std::make_shared<FaultyFileSystem>(WriteTable(scene.recipe));
  const std::vector<json> junk = {nullptr,
                                  true,
                                  -1,
                                  0,
                                  1,
                                  3,
                                  2147483647,
                                  1e18,
                                  0.5,
                                  "",
                                  "x",
                                  "bucket[3]",
                                  json::array(),
                                  json::array({1}),
                                  json::object(),
                                  json{{"integer", 2}},
                                  json{{"bytes", "00"}},
                                  json{{"float", "7ff8000000000000"}},
                                  json{{"null", "first"}},
                                  json::array({json{{"integer", 3}}, json{{"integer", 3}}}),
                                  json::array({json{{"integer", 1}}, json{{"bytes", ""}}})};
  int opened = 0;
  int refused = 0;
  const json places = text.flatten();
  for (const auto& [path, value] : places.items()) {
    for (const json& other : junk) {
      json changed = text;
      changed[json::json_pointer(path)] = other;
      changed.erase("crc32");
      const std::string bytes = changed.dump();
      const auto crc = static_cast<uint32_t>(
          crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size())));
      changed["crc32"] = fmt::format("{:08x}", crc);
      const auto split = ScanSplit::FromText(changed.dump());
      if (!split.ok()) {
        EXPECT_EQ(KindOf(split.status()), ErrorKind::kUsage) << split.status().ToString();
        ++refused;
        continue;
      }
      const auto part = split->Open(open);
      if (!part.ok()) {
        ++refused;
        continue;
      }
      ++opened;
      const auto rows = (*part)->Read().ValueOrDie()->ToTable();
      if (rows.ok()) {
        EXPECT_LE((*rows)->num_rows(), 4);
      }
    }
  }
  EXPECT_GT(opened, 10);
  EXPECT_GT(refused, 100);
}

// Counts of rows are what a manifest says, however many.
TEST(ScanSplit, RowsThatCannotBeCountedAreEstimated) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  Scene scene(kLong, "k");
  for (int i = 0; i < 4; ++i) {
    scene.Add("[[" + std::to_string(10 * i) + "], [" + std::to_string(10 * i + 5) + "]]")
        .record_count = kMost - i;
  }
  for (const char* order : {"k", "none"}) {
    scene.request.order = order == std::string_view("none") ? OrderFrom::kNone : OrderFrom::kTable;
    const auto plan = scene.Plan(order == std::string_view("none") ? "" : "k");
    ASSERT_NE(plan, nullptr) << scene.error();
    for (const int parts : {1, 2, 4}) {
      int64_t left = kMost;
      for (const ScanSplit& split : plan->Split(parts).ValueOrDie()) {
        EXPECT_GE(split.estimated_rows(), 0) << order << ", " << parts << " parts";
        if (scene.request.order == OrderFrom::kNone) continue;
        EXPECT_LE(split.estimated_rows(), left) << parts << " parts";
        left -= split.estimated_rows();
      }
    }
  }
}

TEST(ScanSplit, AreOfThePinnedSnapshotAndSayWhatTheyAre) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [2], [3], [4]]");
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr);
  const auto splits = plan->Split(2).ValueOrDie();
  ASSERT_EQ(splits.size(), 2u);
  EXPECT_EQ(splits[1].number(), 1);
  EXPECT_EQ(splits[1].count(), 2);
  EXPECT_EQ(splits[0].estimated_rows(), 2);
  EXPECT_EQ(splits[1].estimated_rows(), 2);
  OpenOptions open;
  open.filesystem = std::make_shared<FaultyFileSystem>(WriteTable(scene.recipe));
  const auto part = splits[1].Open(open).ValueOrDie();
  EXPECT_NE(part->Explain().find("split 2 of 2: from (3) to the end"), std::string::npos)
      << part->Explain();
  EXPECT_NE(part->ExplainJson().find("\"split\""), std::string::npos);
  EXPECT_EQ(plan->ExplainJson().find("\"split\""), std::string::npos);
  // Another table in the same place: nothing fits, and nothing crashes.
  scene.recipe.columns = {{9, "other", "string"}};
  scene.recipe.sort_orders.clear();
  scene.recipe.files.clear();
  open.filesystem = std::make_shared<FaultyFileSystem>(WriteTable(scene.recipe));
  EXPECT_EQ(KindOf(splits[1].Open(open).status()), ErrorKind::kUsage);
  open.filesystem = std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::kNoTime);
  EXPECT_FALSE(splits[1].Open(open).ok());
}

}  // namespace
}  // namespace esker::testing
