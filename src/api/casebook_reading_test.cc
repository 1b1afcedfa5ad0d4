// The casebook of tests/casebook.txt through whole tables: rows 24 to 46. Expected values are
// written by hand, from the rows that stand in the test.
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/type.h"

#include "testing/scene.h"

namespace esker::testing {
namespace {

const std::vector<RecipeColumn> kLong = {{1, "k", "long"}};
const std::vector<RecipeColumn> kPair = {{1, "a", "long"}, {2, "b", "long"}};
const std::vector<RecipeColumn> kNamed = {{1, "k", "long"}, {2, "v", "string"}};

std::string DataPath(const std::string& name) { return kTableLocation + ("/data/" + name); }

std::string LongBound(int64_t value) { return CellBoundBytes("long", Cell{value}); }

TEST(Casebook, Case24AFileThatIsNotSortedIsNamed) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [2], [3], [5], [4], [6]]").path = DataPath("liar.parquet");
  scene.recipe.files.back().row_group_rows = 3;
  scene.Add("[[2], [7]]");
  EXPECT_EQ(scene.Rows("k"), "disorder");
  for (const char* word : {"liar.parquet", "row group 1", "5", "4", "sort order id 1"}) {
    EXPECT_NE(scene.error().find(word), std::string::npos) << word << ": " << scene.error();
  }
  EXPECT_EQ(scene.filesystem().open_now(), 0);
}

TEST(Casebook, Case24OrSortedOnItsOwnByChoice) {
  const std::vector<std::string> liars = {"[[4], [5], [1], [2]]",  // sorted per batch only
                                          "[[1], [4], [2], [5]]",  // one inversion
                                          "[[1], [null], [2], [4], [5]]"};
  for (const std::string& rows : liars) {
    Scene scene(kLong, "k");
    scene.options.on_disorder = OnDisorder::kSort;
    scene.Add(rows);
    scene.Add("[[0], [3], [6]]");
    const bool has_null = rows.find("null") != std::string::npos;
    EXPECT_EQ(scene.Rows("k"), (has_null ? "null " : "") + std::string("0 1 2 3 4 5 6"))
        << scene.error();
    EXPECT_EQ(scene.Rows("k desc"), "6 5 4 3 2 1 0" + std::string(has_null ? " null" : ""))
        << scene.error();
  }
}

TEST(Casebook, Case24ADisorderAcrossBatchesAndRowGroupsIsFound) {
  for (const int64_t batch_rows : {1, 2, 3, 16384}) {
    for (const int64_t group_rows : {1, 2, 3, 100}) {
      Scene scene(kLong, "k");
      scene.options.batch_rows = batch_rows;
      scene.Add("[[1], [2], [3], [2], [5], [6]]").row_group_rows = group_rows;
      EXPECT_EQ(scene.Rows("k"), "disorder") << batch_rows << " " << group_rows;
      EXPECT_EQ(scene.Rows("k desc"), "disorder") << batch_rows << " " << group_rows;
    }
  }
}

TEST(Casebook, Case25AWrongUpperBoundNeverDisordersAnAscendingRead) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [6]]");
  scene.Statistics(1).upper = LongBound(4);  // too low
  scene.Add("[[5], [9]]");
  EXPECT_EQ(scene.Rows("k"), "1 5 6 9");
  EXPECT_GT(scene.statistics().misses_after_upper, 0);
  scene.recipe.files[0].statistics[1].upper = LongBound(1000);  // too high
  scene.Changed();
  EXPECT_EQ(scene.Rows("k"), "1 5 6 9");
}

TEST(Casebook, Case25AWrongLowerBoundIsHarmlessOrAnError) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [2]]");
  scene.Add("[[5], [9]]");
  scene.Statistics(1).lower = LongBound(7);
  EXPECT_EQ(scene.Rows("k"), "1 2 5 9");
  EXPECT_GT(scene.statistics().misses_before_lower, 0);
  scene.Add("[[6], [6]]");
  EXPECT_EQ(scene.Rows("k"), "disorder");
}

TEST(Casebook, Case26TransformsInTheOrder) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"bucket[4]", "sort"}, {"truncate[10]", "as it is"}, {"void", "as it is"},
      {"zorder", "sort"},    {"bucket[xyz]", "sort"},      {"identity", "as it is"}};
  for (const auto& [transform, how] : cases) {
    Scene scene(kLong, "k");
    RecipeOrderField field = scene.recipe.sort_orders[0].fields[0];
    field.transform = transform;
    scene.recipe.sort_orders[0].fields.insert(scene.recipe.sort_orders[0].fields.begin(), field);
    scene.Add("[[1], [3], [30]]");
    scene.Add("[[2], [25]]");
    EXPECT_EQ(scene.Rows("k"), "1 2 3 25 30") << transform << scene.error();
    EXPECT_EQ(scene.How("00000"), how) << transform;
    EXPECT_EQ(scene.Plan("") != nullptr, true) << transform << scene.error();
  }
}

TEST(Casebook, Case26DaysBeforeTheirTimestamp) {
  Scene scene({{1, "ts", "timestamp"}}, "ts");
  RecipeOrderField day = scene.recipe.sort_orders[0].fields[0];
  day.transform = "day";
  scene.recipe.sort_orders[0].fields.insert(scene.recipe.sort_orders[0].fields.begin(), day);
  scene.Add("[[-1], [5], [86400000000]]");
  scene.Add("[[0], [86400000001]]");
  EXPECT_EQ(scene.Rows(""), "-1 0 5 86400000000 86400000001");
  EXPECT_EQ(scene.Told(), "ts asc nulls first");
  // Days alone do not order the times within one.
  scene.recipe.sort_orders[0].fields.pop_back();
  scene.recipe.files[0] = DataFileOf(scene.recipe, "[[5], [1], [86400000000]]", 1);
  scene.Changed();
  EXPECT_EQ(scene.Rows("ts"), "0 1 5 86400000000 86400000001");
}

TEST(Casebook, Case27NamesAreNames) {
  for (const char* name : {"a@b", "a.b", "My Column", "UPPER", "ü", "quote\"d", "asc"}) {
    Scene scene({{1, "plain", "long"}}, "plain");
    scene.recipe.columns[0].name = name;
    scene.Add(DataFileOf({{1, "old name", "long"}}, "[[1], [3]]", 1));
    scene.Add(DataFileOf({{1, name, "long"}}, "[[2]]", 1));
    scene.request.order_by = {{name, false, {}}};
    EXPECT_EQ(scene.Rows(), "1 2 3") << name << scene.error();
    EXPECT_EQ(scene.plan().schema()->field_names(), std::vector<std::string>{name});
  }
}

TEST(Casebook, Case27DroppedAndAddedAgainIsAnotherColumn) {
  Scene scene({{2, "k", "long"}, {3, "v", "string"}}, "k");
  // The first file is from when "k" was field 1.
  scene.Add(DataFileOf({{1, "k", "long"}, {3, "v", "string"}}, R"([[9, "a"], [8, "b"]])", {}));
  scene.Add(R"([[1, "c"], [2, "d"]])");
  EXPECT_EQ(scene.Rows("k nulls last"), "1|c 2|d null|a null|b");
}

TEST(Casebook, Case28KeysAddedLater) {
  Scene scene({{1, "k", "long"}, {2, "b", "long"}}, "b");
  scene.Add(DataFileOf({{1, "k", "long"}}, "[[5], [4]]", 1));
  scene.Add("[[1, 10], [2, 30]]");
  EXPECT_EQ(scene.Rows("b asc nulls first"), "5|null 4|null 1|10 2|30");
  EXPECT_EQ(scene.Rows("b asc nulls last"), "1|10 2|30 5|null 4|null");
  scene.recipe.format_version = 3;
  scene.recipe.columns[1].initial_default = "20";
  scene.Changed();
  EXPECT_EQ(scene.Rows("b asc nulls first"), "1|10 5|20 4|20 2|30");
  EXPECT_EQ(scene.Rows("b desc nulls last, k"), "2|30 4|20 5|20 1|10");
}

TEST(Casebook, Case29AKeyThatIsAnIdentityPartition) {
  for (const bool stored : {true, false}) {
    Scene scene({{1, "p", "string"}, {2, "k", "long"}}, "k");
    scene.recipe.specs = {{0, {{1, 1000, "p", "identity"}}}};
    const auto add = [&](const std::string& p, const std::string& keys, const std::string& both) {
      RecipeFile file =
          stored ? DataFileOf(scene.recipe, both, 1) : DataFileOf({{2, "k", "long"}}, keys, 1);
      file.partition = {p.empty() ? Cell{} : Cell{p}};
      scene.Add(std::move(file));
    };
    add("b", "[[1], [4]]", R"([["b", 1], ["b", 4]])");
    add("a", "[[2], [3]]", R"([["a", 2], ["a", 3]])");
    add("", "[[9]]", "[[null, 9]]");
    add("b", "[[2]]", R"([["b", 2]])");
    EXPECT_EQ(scene.Rows("p, k"), "null|9 a|2 a|3 b|1 b|2 b|4") << stored << scene.error();
    EXPECT_EQ(scene.How("00000"), "as it is");
    EXPECT_EQ(scene.chains(), 2);
    EXPECT_EQ(scene.Rows("p desc nulls last, k desc"), "b|4 b|2 b|1 a|3 a|2 null|9") << stored;
    scene.request.where = "p = 'a'";
    EXPECT_EQ(scene.Rows("k"), "a|2 a|3");
    EXPECT_EQ(scene.plan().files().size(), 1u);
  }
}

TEST(Casebook, Case30SpecsOfSeveralGenerations) {
  Scene scene(kNamed, "k");
  scene.recipe.specs = {
      {0, {}},
      {1, {{2, 1000, "v", "identity"}}},
      {2, {{1, 1001, "k_bucket", "bucket[4]"}, {2, 1002, "v_trunc", "truncate[1]"}}}};
  scene.Add(R"([[1, "x"], [6, "y"]])");
  scene.Add(R"([[2, "x"], [5, "x"]])");
  scene.recipe.files.back().spec_id = 1;
  scene.recipe.files.back().partition = {Cell{"x"}};
  scene.Add(R"([[3, "xy"], [4, "xz"]])");
  scene.recipe.files.back().spec_id = 2;
  scene.recipe.files.back().partition = {Cell{int64_t{2}}, Cell{"x"}};
  EXPECT_EQ(scene.Rows("k"), "1|x 2|x 3|xy 4|xz 5|x 6|y") << scene.error();
}

TEST(Casebook, Case31DeletesOfEveryKindKeepTheOrder) {
  for (const int kind : {0, 1, 2}) {
    Scene scene(kLong, "k");
    scene.recipe.format_version = 3;
    const std::string path = DataPath("a.parquet");
    scene.Add("[[1], [2], [3], [4], [5], [6]]").path = path;
    scene.recipe.files.back().row_group_rows = 2;
    scene.Add("[[0], [7]]");
    scene.recipe.files.back().sequence_number = 2;
    const std::vector<int64_t> positions = {0, 3, 5};  // first, across row groups, last
    const std::vector<Row> rows = {{int64_t{1}}, {int64_t{4}}, {int64_t{6}}, {int64_t{7}}};
    scene.Add(kind == 0   ? PositionDeletesOf(path, positions)
              : kind == 1 ? DeletionVectorOf(path, positions)
                          : EqualityDeletesOf({{1, "k", "long"}}, rows));
    EXPECT_EQ(scene.Rows("k"), "0 2 3 5 7") << kind << scene.error();
    EXPECT_EQ(scene.Rows("k desc"), "7 5 3 2 0") << kind << scene.error();
  }
}

TEST(Casebook, Case31DeletesOnlyReachOlderFiles) {
  Scene scene(kLong, "k");
  const std::string path = DataPath("a.parquet");
  scene.Add("[[1], [2]]").path = path;
  scene.recipe.files.back().sequence_number = 3;
  scene.Add(PositionDeletesOf(path, {0}, 2));                              // older than the file
  scene.Add(EqualityDeletesOf({{1, "k", "long"}}, {Row{int64_t{2}}}, 3));  // of the same commit
  EXPECT_EQ(scene.Rows("k"), "1 2");
}

TEST(Casebook, Case32HiddenKeysAreReadAndTheClaimEnds) {
  Scene scene(kPair, "a, b");
  scene.Add("[[1, 5], [2, 1]]");
  scene.Add("[[1, 4], [2, 2]]");
  scene.request.columns = {{"b"}};
  EXPECT_EQ(scene.Rows("a, b"), "4 5 1 2");
  EXPECT_EQ(scene.Told(), "");
  scene.request.columns = {{"a"}};
  EXPECT_EQ(scene.Rows("a, b"), "1 1 2 2");
  EXPECT_EQ(scene.Told(), "a asc nulls first");
}

TEST(Casebook, Case33FiltersKeepTheOrder) {
  Scene scene(kNamed, "k");
  scene.Add(R"([[1, "x"], [2, "y"], [3, "x"], [4, "y"]])").row_group_rows = 2;
  scene.Add(R"([[2, "x"], [3, "y"], [8, "x"], [9, "y"]])").row_group_rows = 2;
  scene.request.where = "k >= 3";
  EXPECT_EQ(scene.Rows("k"), "3|x 3|y 4|y 8|x 9|y");
  EXPECT_EQ(scene.statistics().row_groups_skipped, 1);
  scene.options.prune_row_groups = false;
  EXPECT_EQ(scene.Rows("k"), "3|x 3|y 4|y 8|x 9|y");
  EXPECT_EQ(scene.statistics().row_groups_skipped, 1);  // by its page index
  scene.options.prune_pages = false;
  scene.options.use_dictionaries = false;
  EXPECT_EQ(scene.Rows("k"), "3|x 3|y 4|y 8|x 9|y");
  EXPECT_EQ(scene.statistics().row_groups_skipped, 0);
  scene.request.where = "v = 'y' and k < 9";
  EXPECT_EQ(scene.Rows("k desc"), "4|y 3|y 2|y");
  scene.request.columns = {{"k"}};
  EXPECT_EQ(scene.Rows("k desc"), "4 3 2");
}

TEST(Casebook, Case34LimitsCountRowsThatComeOut) {
  const std::string all[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
  for (const int64_t batch_rows : {1, 2, 3, 4, 16384}) {
    for (const int64_t limit : {0, 1, 2, 3, 4, 5, 8, 9, 1000}) {
      Scene scene(kLong, "k");
      scene.options.batch_rows = batch_rows;
      scene.Add("[[1], [3], [5], [7]]");
      scene.Add("[[2], [4], [6], [8]]");
      scene.request.limit = limit;
      std::string expected;
      for (int64_t i = 0; i < std::min<int64_t>(limit, 8); ++i) {
        expected += (i == 0 ? "" : " ") + all[i];
      }
      EXPECT_EQ(scene.Rows("k"), expected) << batch_rows << " " << limit;
    }
  }
}

TEST(Casebook, Case34ALimitOpensOnlyWhatItNeeds) {
  Scene scene(kLong, "k");
  for (int i = 0; i < 20; ++i) {
    scene.Add("[[" + std::to_string(10 * i) + "], [" + std::to_string(10 * i + 5) + "]]");
  }
  scene.Add(EqualityDeletesOf({{1, "k", "long"}}, {Row{int64_t{0}}, Row{int64_t{5}}}));
  scene.request.where = "k <> 10";
  scene.request.limit = 2;
  EXPECT_EQ(scene.Rows("k"), "15 20");
  EXPECT_LE(scene.statistics().files_opened, 4);  // three data files and the deletes
  EXPECT_EQ(scene.Rows("k desc"), "195 190");
  EXPECT_LE(scene.statistics().files_opened, 3);
}

TEST(Casebook, Case34LimitZeroOpensNothing) {
  Scene scene(kLong, "k");
  scene.Add("[[1]]");
  scene.request.limit = 0;
  EXPECT_EQ(scene.Rows("k"), "");
  EXPECT_EQ(scene.statistics().files_opened, 0);
}

TEST(Casebook, Case35DescendingOnAscendingFilesAndBack) {
  Scene up(kNamed, "k asc nulls first");
  up.Add(R"([[null, "a"], [1, "b"], [1, "c"], [2, "d"]])").row_group_rows = 3;
  EXPECT_EQ(up.Rows("k desc nulls last"), "2|d 1|c 1|b null|a");
  EXPECT_EQ(up.How("00000"), "reversed");
  Scene down(kNamed, "k desc nulls first");
  down.Add(R"([[null, "a"], [2, "b"], [1, "c"], [1, "d"]])").row_group_rows = 3;
  EXPECT_EQ(down.Rows("k asc nulls last"), "1|d 1|c 2|b null|a");
  EXPECT_EQ(down.How("00000"), "reversed");
}

TEST(Casebook, Case36RowGroupsOfEqualMinimaReversed) {
  Scene scene(kNamed, "k desc");
  scene.Add(R"([[10, "a"], [8, "b"], [8, "c"], [8, "d"]])").row_group_rows = 2;
  EXPECT_EQ(scene.Rows("k asc"), "8|d 8|c 8|b 10|a");
  Scene up(kLong, "k");
  up.Add("[[1], [8], [8], [8], [8], [10]]").row_group_rows = 2;
  EXPECT_EQ(up.Rows("k desc"), "10 8 8 8 8 1");
}

TEST(Casebook, Case37AFileOfManyRowGroupsIsOneInput) {
  Scene scene(kLong, "k");
  scene.Add("[[1], [2], [3], [4], [5], [6]]").row_group_rows = 1;
  EXPECT_EQ(scene.Rows("k"), "1 2 3 4 5 6");
  EXPECT_EQ(scene.plan().files().size(), 1u);
  EXPECT_EQ(scene.statistics().files_opened, 1);
}

// `count` files that all overlap: file i holds i and i + 100.
Scene Overlapping(int count) {
  Scene scene(kLong, "k");
  for (int i = 0; i < count; ++i) {
    scene.Add("[[" + std::to_string(i) + "], [" + std::to_string(i + 100) + "]]");
  }
  return scene;
}

std::string Numbers(int count) {
  std::string text;
  for (int start : {0, 100}) {
    for (int i = start; i < start + count; ++i)
      text += (text.empty() ? "" : " ") + std::to_string(i);
  }
  return text;
}

TEST(Casebook, Case38DepthAroundTheCapAndFarAbove) {
  for (const int files : {4, 5, 30}) {
    Scene scene = Overlapping(files);
    scene.options.max_merge_files = 4;
    EXPECT_EQ(scene.Rows("k"), Numbers(files)) << scene.error();
    EXPECT_LE(scene.statistics().peak_open_files, 4);
    EXPECT_LE(scene.filesystem().peak_open(), 5);  // manifests and delete files aside
    EXPECT_EQ(scene.plan().warnings().empty(), files <= 4);
  }
}

TEST(Casebook, Case38OverTheLimitByChoice) {
  Scene scene = Overlapping(5);
  scene.options.max_merge_files = 4;
  scene.options.over_limit = OverLimit::kError;
  EXPECT_EQ(scene.Plan("k"), nullptr);
  EXPECT_NE(scene.error().find("max_merge_files"), std::string::npos);
  scene.options.over_limit = OverLimit::kUnordered;
  ASSERT_NE(scene.Plan("k"), nullptr);
  EXPECT_EQ(scene.Told(), "");
}

TEST(Casebook, Case39ThousandsOfDisjointFiles) {
  Scene scene(kLong, "k");
  std::string expected;
  for (int i = 0; i < 2000; ++i) {
    scene.Add("[[" + std::to_string(i) + "]]");
    expected += (i == 0 ? "" : " ") + std::to_string(i);
  }
  EXPECT_EQ(scene.Rows("k"), expected);
  EXPECT_EQ(scene.chains(), 1);
  EXPECT_LE(scene.statistics().peak_open_files, 2);
}

TEST(Casebook, Case39HundredsOfOverlappingFiles) {
  Scene scene(kLong, "k");
  for (int i = 0; i < 300; ++i) {
    scene.Add("[[" + std::to_string(i) + "], [" + std::to_string(i + 1000) + "]]");
  }
  ASSERT_NE(scene.Plan("k"), nullptr);
  EXPECT_EQ(scene.depth(), 300);
  const std::string rows = scene.Rows("k");
  EXPECT_EQ(std::count(rows.begin(), rows.end(), ' '), 599) << scene.error();
  EXPECT_LE(scene.statistics().peak_open_files, 64);
}

TEST(Casebook, Case40UnsortedFiles) {
  Scene scene(kLong, "k");
  scene.Add("[[5], [1], [9]]", {});
  EXPECT_EQ(scene.Rows("k"), "1 5 9") << scene.error();
  scene.Add("[[2], [6]]");
  scene.Add("[[8], [7]]", {});
  EXPECT_EQ(scene.Rows("k"), "1 2 5 6 7 8 9") << scene.error();
  EXPECT_EQ(scene.Rows("k desc"), "9 8 7 6 5 2 1") << scene.error();
}

TEST(Casebook, Case40UnsortedFilesLargerThanMemory) {
  Scene scene(kLong, "k");
  std::string rows;
  std::string sorted;
  for (int i = 0; i < 300; ++i) {
    rows += (i == 0 ? "[" : ", [") + std::to_string(i * 7 % 300) + "]";
    sorted += (i == 0 ? "" : " ") + std::to_string(i);
  }
  scene.Add("[" + rows + "]", {}).row_group_rows = 5;
  scene.Add("[[300], [301]]");
  scene.options.memory_bytes = 5000;
  EXPECT_EQ(scene.Rows("k"), sorted + " 300 301") << scene.error();
  EXPECT_GT(scene.statistics().spilled_bytes, 0);
  EXPECT_EQ(scene.Rows("k desc").substr(0, 11), "301 300 299") << scene.error();
}

TEST(Casebook, Case40AssumedOrderIsCheckedLikeAnyOther) {
  Scene scene(kLong);
  scene.Add("[[1], [5]]", {});
  scene.request.assume_order = {{"k", false, {}}};
  EXPECT_EQ(scene.Rows("k"), "1 5");
  EXPECT_EQ(scene.How("00000"), "as it is");
  scene.Add("[[3], [2]]", {});
  EXPECT_EQ(scene.Rows("k"), "disorder");
}

TEST(Casebook, Case41DictionariesAndPlainStrings) {
  Scene scene(kNamed, "v");
  scene.Add(R"([[1, "a"], [2, "a"], [3, "c"]])").dictionary = true;
  scene.Add(R"([[4, "a"], [5, "b"], [6, "c"]])").dictionary = false;
  EXPECT_EQ(scene.Rows("v, k"), "1|a 2|a 4|a 5|b 3|c 6|c");
}

TEST(Casebook, Case42BatchSizesAndRowGroupsOfOneRow) {
  for (const int64_t batch_rows : {1, 2, 7, 16384}) {
    Scene scene(kLong, "k");
    scene.options.batch_rows = batch_rows;
    scene.Add("[[1], [4], [4], [9]]").row_group_rows = 1;
    scene.Add("[[2], [3], [4], [10]]").row_group_rows = 1;
    EXPECT_EQ(scene.Rows("k"), "1 2 3 4 4 4 9 10");
    EXPECT_EQ(scene.Rows("k desc"), "10 9 4 4 4 3 2 1");
  }
}

// The rest of row 43 is fault_walk_test.cc.
TEST(Casebook, Case43AMissingFileIsNamed) {
  Scene scene(kLong, "k");
  scene.Add("[[1]]");
  scene.Add("[[2]]").path = DataPath("lost.parquet");
  scene.recipe.files.back().rows = nullptr;
  scene.recipe.files.back().record_count = 1;
  EXPECT_EQ(scene.Rows("k"), "failure");
  EXPECT_NE(scene.error().find("lost.parquet"), std::string::npos) << scene.error();
  EXPECT_EQ(scene.filesystem().open_now(), 0);
}

TEST(Casebook, Case44DuplicatesAreAllKept) {
  Scene scene(kNamed, "k");
  scene.Add(R"([[1, "a"], [1, "b"], [2, "c"]])");
  scene.Add(R"([[1, "d"], [1, "e"], [2, "f"]])");
  const std::string rows = scene.Rows("k");
  EXPECT_EQ(rows, "1|a 1|b 1|d 1|e 2|c 2|f");
  scene.options.batch_rows = 1;
  EXPECT_EQ(scene.Rows("k"), rows);
}

TEST(Casebook, Case45EveryFormatVersion) {
  for (const int version : {1, 2, 3}) {
    Scene scene(kLong, "k");
    scene.recipe.format_version = version;
    scene.Add("[[1], [3]]");
    scene.Add("[[2]]");
    EXPECT_EQ(scene.Rows("k"), "1 2 3") << version << scene.error();
  }
}

TEST(Casebook, Case45EmptyTables) {
  for (const bool has_snapshot : {false, true}) {
    Scene scene(kNamed, "k");
    scene.recipe.has_snapshot = has_snapshot;
    for (const char* order : {"", "k"}) {
      EXPECT_EQ(scene.Rows(order), "");
      EXPECT_EQ(scene.plan().schema()->field_names(), (std::vector<std::string>{"k", "v"}));
      EXPECT_TRUE(scene.plan().files().empty());
    }
  }
}

TEST(Casebook, Case46FilesInTheSpecsTotalOrder) {
  const double nan = std::nan("");
  const double negative = std::copysign(nan, -1.0);
  const std::vector<WrittenColumn> columns = {{1, "k", "double"}, {2, "v", "long"}};
  const auto row = [](double k, int64_t v) { return Row{k, v}; };
  Scene scene({{1, "k", "double"}, {2, "v", "long"}}, "k");
  scene.Add(DataFileOf(
      columns, {row(negative, 1), row(-1, 2), row(-0.0, 3), row(0.0, 4), row(7, 5), row(nan, 6)},
      1));
  scene.Add(DataFileOf(columns, {row(0.0, 7), row(9, 8)}, 1));
  scene.request.columns = {{"v"}};
  const std::string rows = scene.Rows("k");
  EXPECT_TRUE(rows == "2 3 4 7 5 8 1 6" || rows == "2 3 4 7 5 8 6 1" || rows == "2 7 3 4 5 8 1 6" ||
              rows == "2 7 3 4 5 8 6 1")
      << rows << scene.error();
  const std::string backwards = scene.Rows("k desc");
  EXPECT_EQ(backwards.substr(4), "8 5 3 4 7 2") << backwards << scene.error();
}

TEST(Casebook, Case46DescendingInTheSpecsTotalOrder) {
  const double nan = std::nan("");
  const std::vector<WrittenColumn> columns = {{1, "k", "double"}, {2, "v", "long"}};
  Scene scene({{1, "k", "double"}, {2, "v", "long"}}, "k desc nulls last");
  scene.Add(DataFileOf(columns,
                       {Row{nan, int64_t{1}}, Row{2.0, int64_t{2}}, Row{1.0, int64_t{3}},
                        Row{std::copysign(nan, -1.0), int64_t{4}}},
                       1));
  scene.request.columns = {{"v"}};
  const std::string rows = scene.Rows("k desc nulls last");
  EXPECT_TRUE(rows == "1 4 2 3" || rows == "4 1 2 3") << rows << scene.error();
}

TEST(Casebook, Case46TheTotalOrderWithKeysAroundTheFloat) {
  const double negative = std::copysign(std::nan(""), -1.0);
  const std::vector<WrittenColumn> columns = {{1, "k", "double"}, {2, "v", "long"}};
  // By (k, v): the block of negative NaN is in front, and -0 and 0 each begin v anew.
  Scene first({{1, "k", "double"}, {2, "v", "long"}}, "k, v");
  first.Add(DataFileOf(columns,
                       {Row{negative, int64_t{5}}, Row{-1.0, int64_t{4}}, Row{-0.0, int64_t{3}},
                        Row{0.0, int64_t{1}}},
                       1));
  first.request.columns = {{"v"}};
  EXPECT_EQ(first.Rows("k, v"), "4 1 3 5") << first.error();
  // By (v, k): a block in front of each v.
  Scene second({{1, "k", "double"}, {2, "v", "long"}}, "v, k");
  second.Add(DataFileOf(columns,
                        {Row{negative, int64_t{1}}, Row{-1.0, int64_t{1}},
                         Row{negative, int64_t{2}}, Row{7.0, int64_t{2}}},
                        1));
  EXPECT_EQ(second.Rows("v, k"), "-1|1 -nan|1 7|2 -nan|2") << second.error();
}

}  // namespace
}  // namespace esker::testing
