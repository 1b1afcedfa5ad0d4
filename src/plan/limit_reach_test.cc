// Files within a limit against brute force: give every file rows anywhere between its corners, at
// the worst places, and look which files the first rows come from.
#include "plan/limit_reach.h"

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

struct File {
  int64_t lower = 0;
  int64_t upper = 0;
  int64_t rows = 0;
};

size_t Within(const std::vector<File>& files, int64_t limit) {
  const SortKeys keys = {testing::MakeKey("long")};
  std::vector<KeyRange> ranges;
  std::vector<int64_t> rows;
  for (const File& file : files) {
    ranges.push_back({{{HalfRank::Kind::kValue, Value(file.lower)}},
                      {{HalfRank::Kind::kValue, Value(file.upper)}}});
    rows.push_back(file.rows);
  }
  return FilesWithinLimit(keys, ranges, rows, limit);
}

// Can that file hold one of the first `limit` rows? The rows are laid out: one of this file as
// early as its corners allow and before all ties, those of the others as late as theirs do.
bool MayMatter(const std::vector<File>& files, size_t one, int64_t limit) {
  std::vector<std::pair<int64_t, bool>> rows = {{files[one].lower, false}};
  for (size_t i = 0; i < files.size(); ++i) {
    if (i == one) continue;
    rows.insert(rows.end(), static_cast<size_t>(files[i].rows), {files[i].upper, true});
  }
  std::sort(rows.begin(), rows.end());
  const auto place = std::find_if(rows.begin(), rows.end(), [](auto row) { return !row.second; });
  return place - rows.begin() < limit;
}

TEST(LimitReach, TheDrawingInTheHeader) {
  const std::vector<File> files = {{0, 10, 60}, {6, 18, 60}, {17, 29, 60}, {26, 38, 60}};
  EXPECT_EQ(Within(files, 60), 2);
  EXPECT_EQ(Within(files, 61), 3);
  EXPECT_EQ(Within(files, 100), 3);
  EXPECT_EQ(Within(files, 120), 3);
  EXPECT_EQ(Within(files, 121), 4);
  EXPECT_EQ(Within(files, 1000), 4);
}

TEST(LimitReach, AFileThatBeginsWhereTheRowsEndMayMatter) {
  EXPECT_EQ(Within({{0, 5, 10}, {5, 9, 10}, {6, 9, 10}}, 10), 2);
}

TEST(LimitReach, NoRowsAndNoFiles) {
  EXPECT_EQ(Within({}, 10), 0);
  EXPECT_EQ(Within({{0, 1, 5}}, 0), 0);
  EXPECT_EQ(Within({{0, 1, 0}, {2, 3, 0}, {4, 5, 1}}, 1), 3);
}

TEST(LimitReach, AnOpenEndReachesOverEverything) {
  const SortKeys keys = {testing::MakeKey("long")};
  const HalfRank before{HalfRank::Kind::kBeforeValues, {}};
  const HalfRank after{HalfRank::Kind::kAfterValues, {}};
  const HalfRank ten{HalfRank::Kind::kValue, Value(int64_t{10})};
  const std::vector<KeyRange> files = {{{before}, {after}}, {{ten}, {after}}};
  const std::vector<int64_t> rows = {100, 100};
  EXPECT_EQ(FilesWithinLimit(keys, files, rows, 1), 2);
}

TEST(LimitReach, ItIsWhatBruteForceFinds) {
  std::mt19937_64 random = testing::MakeRandom(31);
  for (int round = 0; round < 20000; ++round) {
    std::vector<File> files(static_cast<size_t>(testing::Draw(random, 0, 6)));
    const int64_t span = testing::Draw(random, 0, 12);
    for (File& file : files) {
      file.lower = testing::Draw(random, 0, span);
      file.upper = file.lower + testing::Draw(random, 0, span);
      file.rows = testing::Draw(random, 0, 3);
    }
    std::sort(files.begin(), files.end(), [](const File& a, const File& b) {
      return std::pair(a.lower, a.upper) < std::pair(b.lower, b.upper);
    });
    for (int64_t limit = 0; limit < 12; ++limit) {
      // The files are in order of their lower corners, so those that may matter come first.
      size_t expected = 0;
      while (expected < files.size() && MayMatter(files, expected, limit)) ++expected;
      ASSERT_EQ(Within(files, limit), expected) << "round " << round << ", limit " << limit;
    }
  }
}

}  // namespace
}  // namespace esker
