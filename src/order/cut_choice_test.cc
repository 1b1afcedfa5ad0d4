// Cut choice against hand-made layouts and naive twins that count rows file by file.
#include "order/cut_choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include <gtest/gtest.h>

#include "order/key_slice.h"
#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::MakeKey;
using Kind = HalfRank::Kind;

struct File {
  KeyRange range;
  int64_t rows = 0;
};

// Plain numbers are whole ones: Value(int) would be ambiguous.
template <typename T>
HalfRank At(T value) {
  using Wide = std::conditional_t<std::is_same_v<T, int>, int64_t, T>;
  return {Kind::kValue, Value(static_cast<Wide>(value))};
}
HalfRank Text(const char* value) { return At(std::string(value)); }
const HalfRank kOpenBefore{Kind::kBeforeValues, {}};
const HalfRank kOpenAfter{Kind::kAfterValues, {}};

File Span(int64_t lower, int64_t upper, int64_t rows) {
  return {{{At(lower)}, {At(upper)}}, rows};
}

std::vector<Cut> Choose(const SortKeys& keys, const std::vector<File>& files, int32_t parts) {
  std::vector<WeighedRange> weighed;
  for (const File& file : files) weighed.push_back({&file.range, file.rows});
  return ChooseCuts(keys, weighed, parts);
}

// "(3) 2, (5) 4": cuts and the rows before them.
std::string Words(const SortKeys& keys, const std::vector<File>& files, int32_t parts) {
  std::string text;
  for (const Cut& cut : Choose(keys, files, parts)) {
    text += (text.empty() ? "" : ", ") + ToString(keys, cut.key) + " " +
            std::to_string(std::llround(cut.rows_before));
  }
  return text;
}

TEST(CutChoice, BetweenFilesWhereTheyDoNotOverlap) {
  std::vector<File> files;
  for (int i = 0; i < 8; ++i) files.push_back(Span(100 * i, 100 * i + 9, 50));
  EXPECT_EQ(Words({MakeKey("long")}, files, 4), "(200) 100, (400) 200, (600) 300");
  EXPECT_EQ(Words({MakeKey("long")}, files, 8).substr(0, 9), "(100) 50,");
  EXPECT_EQ(Words({MakeKey("long")}, files, 1), "");
  std::vector<File> down;
  for (int i = 8; i-- > 0;) down.push_back({{{At(100 * i + 9)}, {At(100 * i)}}, 50});
  EXPECT_EQ(Words({MakeKey("long", true)}, down, 2), "(309) 200");
}

TEST(CutChoice, InsideAFileBetweenItsBounds) {
  EXPECT_EQ(Words({MakeKey("long")}, {Span(1, 6, 6)}, 3), "(3) 2, (5) 4");
  EXPECT_EQ(Words({MakeKey("long", true)}, {{{{At(6)}, {At(1)}}, 6}}, 3), "(4) 2, (2) 4");
  EXPECT_EQ(Words({MakeKey("int")}, {Span(-5, 4, 100)}, 2), "(0) 50");
  EXPECT_EQ(Words({MakeKey("boolean")}, {{{{At(false)}, {At(true)}}, 10}}, 4), "(true) 5");
  EXPECT_EQ(Words({MakeKey("double")}, {{{{At(0.0)}, {At(1.0)}}, 8}}, 4),
            "(0.25) 2, (0.5) 4, (0.75) 6");
  EXPECT_EQ(Words({MakeKey("string")}, {{{{Text("item-a")}, {Text("item-e")}}, 8}}, 4),
            "(item-b) 2, (item-c) 4, (item-d) 6");
  EXPECT_EQ(Words({MakeKey("decimal(38,0)")},
                  {{{{At(int128_t{-10})}, {At(int128_t{9})}}, 100}}, 2),
            "(0) 50");
}

TEST(CutChoice, AtTheLimitsOfTypes) {
  const auto least = std::numeric_limits<int64_t>::min();
  const auto most = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(Words({MakeKey("long")}, {Span(least, most, 100)}, 2), "(0) 50");
  EXPECT_EQ(Words({MakeKey("long", true)}, {{{{At(most)}, {At(least)}}, 100}}, 2), "(-1) 50");
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(Words({MakeKey("double")}, {{{{At(-inf)}, {At(inf)}}, 100}}, 2), "(0) 50");
  const int128_t big = (static_cast<int128_t>(1) << 126) - 1;
  EXPECT_EQ(Choose({MakeKey("decimal(38,0)")}, {{{{At(-big)}, {At(big)}}, 100}}, 4).size(), 3u);
  EXPECT_EQ(Choose({MakeKey("binary")},
                   {{{{Text("")}, {At(std::string(40, '\xff'))}}, 100}}, 4)
                .size(),
            3u);
}

TEST(CutChoice, FewerWhereBoundsSayNothing) {
  EXPECT_EQ(Words({MakeKey("long")}, {}, 3), "");
  EXPECT_EQ(Words({}, {}, 3), "");
  EXPECT_EQ(Words({MakeKey("long")}, {{{{kOpenBefore}, {kOpenAfter}}, 9}}, 3), "");
  EXPECT_EQ(Words({MakeKey("long")}, {Span(5, 5, 9), Span(5, 5, 9)}, 3), "");
  EXPECT_EQ(Words({MakeKey("long")}, {Span(1, 9, 0)}, 3), "");
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Words({MakeKey("double")}, {{{{At(nan)}, {At(nan)}}, 9}}, 3), "");
  // An open side reaches as far as the other files do.
  EXPECT_EQ(Words({MakeKey("long")}, {{{{kOpenBefore}, {kOpenAfter}}, 9}, Span(0, 99, 1)}, 2),
            "(50) 5");
}

TEST(CutChoice, NullsAreAtTheirEnd) {
  const HalfRank first{Kind::kNullFirst, {}};
  const HalfRank last{Kind::kNullLast, {}};
  EXPECT_EQ(Words({MakeKey("long")}, {{{{first}, {first}}, 10}, Span(1, 9, 10)}, 2), "(1) 10");
  EXPECT_EQ(Words({MakeKey("long", false, false)}, {{{{last}, {last}}, 10}, Span(1, 9, 10)}, 2),
            "(null) 10");
  EXPECT_EQ(Words({MakeKey("long")}, {{{{first}, {first}}, 10}}, 2), "");
}

TEST(CutChoice, ByTheNextKeyWhereMostRowsHaveOne) {
  const SortKeys keys{MakeKey("string"), MakeKey("long")};
  const std::vector<File> files = {{{{Text("at"), At(0)}, {Text("at"), At(99)}}, 100},
                                   {{{Text("de"), At(0)}, {Text("de"), At(399)}}, 400},
                                   {{{Text("fr"), At(0)}, {Text("fr"), At(99)}}, 100}};
  EXPECT_EQ(Words(keys, files, 6),
            "(de) 100, (de, 100) 200, (de, 200) 300, (de, 300) 400, (fr) 500");
  EXPECT_EQ(Words({keys[0]}, files, 6), "(de) 100, (fr) 500");
}

TEST(CutChoice, FixedBytesAreCutsOfWholeLength) {
  const SortKeys keys{MakeKey("fixed[3]")};
  for (const Cut& cut : Choose(keys,
                               {{{{Text("a")}, {Text("b")}}, 10}, {{{Text("b")}, {Text("c")}}, 10}},
                               7)) {
    EXPECT_EQ(std::get<std::string>(cut.key[0].value).size(), 3u);
  }
}

// ---- random layouts ----

void ExpectRising(const SortKeys& keys, const std::vector<Cut>& cuts, int32_t parts,
                  double total) {
  EXPECT_LT(std::ssize(cuts), std::max(parts, 1));
  for (size_t i = 0; i < cuts.size(); ++i) {
    const Corner& cut = cuts[i].key;
    ASSERT_FALSE(cut.empty());
    EXPECT_GT(cuts[i].rows_before, i == 0 ? 0 : cuts[i - 1].rows_before);
    EXPECT_LT(cuts[i].rows_before, total);
    if (i > 0) {
      EXPECT_TRUE(CompareCuts(keys, cuts[i - 1].key, cut) < 0);
    }
    for (size_t k = 0; k < cut.size(); ++k) {
      if (cut[k].kind != Kind::kValue) continue;
      EXPECT_TRUE(IsWholeValue(cut[k].value, keys[k].type)) << keys[k].type.ToString();
    }
  }
}

double Total(const std::vector<File>& files) {
  double total = 0;
  for (const File& file : files) total += static_cast<double>(file.rows);
  return total;
}

// Files of one key each can only be cut between keys. The twin tries every key that there is.
TEST(CutChoice, PointsAreCutWhereTheTwinCutsThem) {
  auto random = testing::MakeRandom(31);
  int multiple = 0;
  for (int round = 0; round < 2000; ++round) {
    SortKeys keys;
    const int64_t key_count = Draw(random, 1, 3);
    for (int64_t k = 0; k < key_count; ++k) keys.push_back(MakeKey("long", Chance(random, 30)));
    std::vector<File> files;
    for (int64_t i = Draw(random, 1, 30); i > 0; --i) {
      Corner corner;
      for (int64_t k = 0; k < key_count; ++k) corner.push_back(At(Draw(random, 0, 4)));
      files.push_back({{corner, corner}, Draw(random, 1, 1000)});
    }
    const double total = Total(files);
    const auto rows_before = [&](const Corner& cut) {
      double rows = 0;
      for (const File& file : files) {
        if (CompareCorners(keys, file.range.lower, cut) < 0) rows += static_cast<double>(file.rows);
      }
      return rows;
    };
    const auto parts = static_cast<int32_t>(Draw(random, 1, 12));
    const auto cuts = Choose(keys, files, parts);
    ExpectRising(keys, cuts, parts, total);
    for (const Cut& cut : cuts) EXPECT_NEAR(cut.rows_before, rows_before(cut.key), 1e-6);
    for (int32_t i = 1; i < parts; ++i) {
      const double target = total * i / parts;
      double best = std::min(target, total - target);
      for (const File& file : files) {
        best = std::min(best, std::abs(rows_before(file.range.lower) - target));
      }
      double chosen = std::min(target, total - target);
      for (const Cut& cut : cuts) chosen = std::min(chosen, std::abs(cut.rows_before - target));
      EXPECT_NEAR(chosen, best, 1e-6) << "round " << round << " part " << i << " of " << parts;
    }
    multiple += cuts.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(multiple, 1000);
}

// Files that overlap at random, spread evenly: every part comes near its share.
TEST(CutChoice, StretchesAreCutIntoEvenParts) {
  auto random = testing::MakeRandom(32);
  for (int round = 0; round < 1000; ++round) {
    const bool descending = Chance(random, 50);
    const SortKeys keys{MakeKey("long", descending)};
    std::vector<File> files;
    for (int64_t i = Draw(random, 1, 20); i > 0; --i) {
      const int64_t begin = Draw(random, -1'000'000, 1'000'000);
      const int64_t end = begin + Draw(random, 100'000, 1'000'000);
      files.push_back(Span(descending ? end : begin, descending ? begin : end,
                           Draw(random, 1, 1'000'000)));
    }
    const double total = Total(files);
    const auto rows_before = [&](const Cut& cut) {
      const auto at = static_cast<double>(std::get<int64_t>(cut.key[0].value));
      double rows = 0;
      for (const File& file : files) {
        const auto a = static_cast<double>(std::get<int64_t>(file.range.lower[0].value));
        const auto b = static_cast<double>(std::get<int64_t>(file.range.upper[0].value));
        const double share = (descending ? a - at : at - a) / (std::abs(b - a) + 1);
        rows += static_cast<double>(file.rows) * std::clamp(share, 0.0, 1.0);
      }
      return rows;
    };
    const auto parts = static_cast<int32_t>(Draw(random, 2, 12));
    const auto cuts = Choose(keys, files, parts);
    ExpectRising(keys, cuts, parts, total);
    ASSERT_EQ(std::ssize(cuts), parts - 1) << "round " << round;
    for (int32_t i = 1; i < parts; ++i) {
      EXPECT_NEAR(cuts[i - 1].rows_before, rows_before(cuts[i - 1]), total * 1e-6);
      EXPECT_NEAR(cuts[i - 1].rows_before, total * i / parts, total / parts / 8 + total * 1e-4);
    }
  }
}

// Whatever the corners: cuts rise, are whole values, and the function comes back.
TEST(CutChoice, AnyCornersOfAnyTypes) {
  auto random = testing::MakeRandom(33);
  const auto& types = testing::KeyTypeNames();
  for (int round = 0; round < 3000; ++round) {
    SortKeys keys;
    for (int64_t k = Draw(random, 1, 3); k > 0; --k) {
      keys.push_back(MakeKey(types[Draw(random, 0, std::ssize(types) - 1)], Chance(random, 50),
                             Chance(random, 50)));
    }
    std::vector<File> files;
    for (int64_t i = Draw(random, 0, 8); i > 0; --i) {
      std::vector<ColumnFacts> facts;
      for (const SortKey& key : keys) {
        const auto pool = testing::PoolOf(key.type);
        ColumnFacts column;
        column.all_null = Chance(random, 10);
        column.may_hold_nulls = column.all_null || Chance(random, 30);
        column.may_hold_nan = Chance(random, 30);
        if (Chance(random, 80)) column.lower = pool[Draw(random, 0, std::ssize(pool) - 1)];
        if (Chance(random, 80)) column.upper = pool[Draw(random, 0, std::ssize(pool) - 1)];
        if (Chance(random, 30)) column.upper = column.lower;
        facts.push_back(std::move(column));
      }
      files.push_back({MakeKeyRange(keys, facts), Draw(random, 0, 100)});
    }
    const auto parts = static_cast<int32_t>(Draw(random, 1, 20));
    ExpectRising(keys, Choose(keys, files, parts), parts, Total(files));
  }
}

}  // namespace
}  // namespace esker
