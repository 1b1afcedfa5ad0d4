#include "format/position_set.h"

#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace esker {
namespace {

constexpr int64_t kHigh = int64_t{1} << 32;

TEST(PositionSetTest, StartsEmpty) {
  const PositionSet set;
  EXPECT_TRUE(set.empty());
  EXPECT_EQ(set.cardinality(), 0);
  EXPECT_EQ(set.max(), -1);
  EXPECT_FALSE(set.Contains(0));
}

TEST(PositionSetTest, HoldsPositionsOfAllSizes) {
  PositionSet set;
  const std::vector<int64_t> positions = {0, 5, kHigh - 1, kHigh, 3 * kHigh + 7, INT64_MAX};
  set.AddMany(positions);
  set.Add(5);
  EXPECT_EQ(set.cardinality(), 6);
  EXPECT_EQ(set.max(), INT64_MAX);
  for (const int64_t position : positions) EXPECT_TRUE(set.Contains(position)) << position;
  for (const int64_t position : {int64_t{1}, kHigh + 1, kHigh + 5, int64_t{3}}) {
    EXPECT_FALSE(set.Contains(position)) << position;
  }
}

TEST(PositionSetTest, RangesCrossTheUpperHalf) {
  PositionSet set;
  set.AddMany(std::vector<int64_t>{1, kHigh - 2, kHigh - 1, kHigh, kHigh + 2});
  std::vector<int64_t> found;
  set.AppendRange(kHigh - 1, kHigh + 2, &found);
  EXPECT_EQ(found, (std::vector<int64_t>{kHigh - 1, kHigh}));
  EXPECT_EQ(set.CountRange(kHigh - 2, kHigh + 3), 4);
  EXPECT_EQ(set.CountRange(kHigh - 1, kHigh + 2), 2);
  EXPECT_EQ(set.CountRange(kHigh, kHigh), 0);
  EXPECT_EQ(set.CountRange(0, INT64_MAX), 5);
}

TEST(PositionSetTest, UnionsAndCompares) {
  PositionSet a, b;
  a.AddMany(std::vector<int64_t>{1, 2});
  b.AddMany(std::vector<int64_t>{2, kHigh});
  a.Union(b);
  PositionSet both;
  both.AddMany(std::vector<int64_t>{kHigh, 1, 2});
  EXPECT_EQ(a, both);
  EXPECT_FALSE(a == b);
  a.Union(PositionSet());
  EXPECT_EQ(a, both);
}

// Against std::set, over dense and sparse stretches.
TEST(PositionSetTest, AgreesWithANaiveTwin) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50; ++round) {
    PositionSet set;
    std::set<int64_t> twin;
    const int64_t width = int64_t{1} << (2 + random() % 20);
    const int64_t base = round % 2 == 0 ? 0 : kHigh - width / 2;
    std::vector<int64_t> positions;
    for (uint64_t i = random() % 5000; i > 0; --i) {
      positions.push_back(base + static_cast<int64_t>(random() % width));
    }
    twin.insert(positions.begin(), positions.end());
    set.AddMany(positions);
    ASSERT_EQ(set.cardinality(), static_cast<int64_t>(twin.size()));
    for (int probe = 0; probe < 20; ++probe) {
      const int64_t begin = base + static_cast<int64_t>(random() % width);
      const int64_t end = begin + static_cast<int64_t>(random() % width);
      std::vector<int64_t> found;
      set.AppendRange(begin, end, &found);
      const std::vector<int64_t> expected(twin.lower_bound(begin), twin.lower_bound(end));
      ASSERT_EQ(found, expected);
      ASSERT_EQ(set.CountRange(begin, end), static_cast<int64_t>(expected.size()));
      ASSERT_EQ(set.Contains(begin), twin.count(begin) == 1);
    }
  }
}

// Against what the library says that its containers have allocated.
TEST(PositionSetTest, MemoryIsThatOfTheContainers) {
  for (const int64_t step : {1, 2, 20, 1000, 65536}) {
    SCOPED_TRACE(step);
    PositionSet set;
    Roaring twin;
    for (int64_t i = 0; i < 50000; ++i) {
      set.Add(i * step);
      twin.add(static_cast<uint32_t>(i * step));
    }
    roaring_statistics_t statistics;
    roaring_bitmap_statistics(&twin.roaring, &statistics);
    const int64_t allocated = statistics.n_bytes_array_containers +
                              statistics.n_bytes_bitset_containers +
                              statistics.n_bytes_run_containers;
    EXPECT_GE(set.memory_bytes(), allocated);
    EXPECT_LE(set.memory_bytes(), 2 * allocated + 100 * (statistics.n_containers + 10));
  }
}

}  // namespace
}  // namespace esker
