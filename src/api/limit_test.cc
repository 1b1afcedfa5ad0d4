// A limit and the plan: what lies beyond it is not considered, and costs no row when metadata lies.
#include <limits>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "esker/scan.h"
#include "testing/scene.h"

namespace esker::testing {
namespace {

// Two files that follow one another, then six that all overlap.
Scene DeepTail() {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [2], [3]]");
  scene.Add("[[4], [5], [6]]");
  for (int i = 0; i < 6; ++i) scene.Add("[[10], [20]]");
  scene.options.max_merge_files = 2;
  scene.options.over_limit = OverLimit::kError;
  return scene;
}

TEST(Limit, ADeepTailBeyondItIsNoReasonToRefuse) {
  Scene scene = DeepTail();
  EXPECT_EQ(scene.Plan("k"), nullptr);
  EXPECT_NE(scene.error().find("6 deep"), std::string::npos) << scene.error();
  scene.request.limit = 6;
  EXPECT_EQ(scene.Rows("k"), "1 2 3 4 5 6");
  EXPECT_EQ(scene.depth(), 1);
  EXPECT_EQ(scene.chains(), 1);
  EXPECT_TRUE(scene.plan().warnings().empty());
  EXPECT_EQ(scene.statistics().files_opened, 2);
  scene.request.limit = 7;
  EXPECT_EQ(scene.Plan("k"), nullptr) << "the seventh row is in the deep part";
}

TEST(Limit, ADeepTailBeyondItIsNoReasonToGiveTheOrderUp) {
  Scene scene = DeepTail();
  scene.options.over_limit = OverLimit::kUnordered;
  scene.request.limit = 5;
  EXPECT_EQ(scene.Rows("k"), "1 2 3 4 5");
  EXPECT_EQ(scene.Told(), "k asc nulls first");
  scene.request.limit = 7;
  ASSERT_NE(scene.Plan("k"), nullptr) << scene.error();
  EXPECT_EQ(scene.Told(), "");
}

TEST(Limit, FilesBeyondItStayInThePlanWithoutAPlaceInIt) {
  Scene scene = DeepTail();
  scene.request.limit = 3;
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr) << scene.error();
  ASSERT_EQ(plan->files().size(), 8);
  EXPECT_EQ(plan->files()[0].chain, 0);
  for (size_t i = 1; i < 8; ++i) {
    EXPECT_EQ(plan->files()[i].chain, -1) << i;
    EXPECT_EQ(plan->files()[i].section, -1) << i;
    EXPECT_EQ(plan->files()[i].how, "as it is") << i;
  }
}

// By its bounds the first file holds all that is asked for; in truth one of its rows comes later.
TEST(Limit, AnUpperBoundThatIsTooLowCostsNoRow) {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [2], [3], [20]]");
  scene.Statistics(1).upper = CellBoundBytes("long", Cell{int64_t{3}});
  scene.Add("[[10], [11]]");
  scene.request.limit = 4;
  EXPECT_EQ(scene.Rows("k"), "1 2 3 10");
  EXPECT_EQ(scene.plan().files()[1].chain, -1) << "the plan took the bound at its word";
}

TEST(Limit, ALowerBoundThatIsTooHighIsNeverAWrongOrder) {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [5], [9]]");
  scene.Add("[[2], [30]]");
  scene.Statistics(1).lower = CellBoundBytes("long", Cell{int64_t{30}});
  scene.request.limit = 3;
  EXPECT_EQ(scene.Rows("k"), "1 5 9") << "what it hides from every reader, it hides here";
  scene.request.limit = 4;
  EXPECT_EQ(scene.Rows("k"), "disorder");
}

TEST(Limit, ARecordCountThatIsTooHighIsAnError) {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [2]]").record_count = 10;
  scene.Add("[[5], [6]]");
  scene.request.limit = 3;
  EXPECT_EQ(scene.Rows("k"), "failure");
}

TEST(Limit, RecordCountsBeyondAllNumbersAreNotAddedUp) {
  Scene scene({{1, "k", "long"}}, "k");
  for (const char* rows : {"[[1], [2]]", "[[3], [4]]", "[[5], [6]]"}) {
    scene.Add(rows).record_count = std::numeric_limits<int64_t>::max();
  }
  scene.request.limit = std::numeric_limits<int64_t>::max();
  const auto plan = scene.Plan("k");
  ASSERT_NE(plan, nullptr) << scene.error();
  EXPECT_NE(plan->Explain().find("- 3 files, 9223372036854775807 rows\n"), std::string::npos)
      << plan->Explain();
}

TEST(Limit, DeletedRowsDoNotFillIt) {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [2], [3]]").path = std::string(kTableLocation) + "/data/a.parquet";
  scene.Add("[[10], [11]]");
  scene.Add("[[20], [21]]");
  scene.Add(PositionDeletesOf(std::string(kTableLocation) + "/data/a.parquet", {0, 1, 2}));
  scene.request.limit = 2;
  EXPECT_EQ(scene.Rows("k"), "10 11");
  EXPECT_EQ(scene.plan().files()[1].chain, 0) << "the deleted rows were counted";
  EXPECT_EQ(scene.plan().files()[2].chain, -1);
}

TEST(Limit, WithAFilterNothingLiesBeyondIt) {
  Scene scene({{1, "k", "long"}}, "k");
  scene.Add("[[1], [2], [3]]");
  scene.Add("[[3], [10], [11]]");
  scene.Add("[[12], [13]]");
  scene.request.limit = 2;
  scene.request.where = "k = 3 or k = 12";
  EXPECT_EQ(scene.Rows("k"), "3 3");
  scene.request.limit = 3;
  EXPECT_EQ(scene.Rows("k"), "3 3 12");
  for (const FileScanTask& file : scene.plan().files()) EXPECT_GE(file.chain, 0);
}

TEST(Limit, ItCountsFromTheEndWhenTheOrderIsReversed) {
  Scene scene({{1, "k", "long"}}, "k");
  for (const char* rows : {"[[1], [2]]", "[[3], [4]]", "[[5], [6]]"}) scene.Add(rows);
  scene.request.limit = 2;
  EXPECT_EQ(scene.Rows("k desc"), "6 5");
  EXPECT_EQ(scene.plan().files()[0].lower, "(6)");
  EXPECT_EQ(scene.plan().files()[1].chain, -1);
}

TEST(Limit, OfNoRowsNeedsNoFile) {
  Scene scene = DeepTail();
  scene.request.limit = 0;
  EXPECT_EQ(scene.Rows("k"), "");
  EXPECT_EQ(scene.statistics().files_opened, 0);
}

}  // namespace
}  // namespace esker::testing
