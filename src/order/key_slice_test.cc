#include "order/key_slice.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::MakeKey;
using Kind = HalfRank::Kind;

HalfRank At(int64_t value) { return {Kind::kValue, Value(value)}; }

KeyRange RangeOf(int64_t lower, int64_t upper) { return {{At(lower)}, {At(upper)}}; }

std::string Words(const SlicePlace& place) {
  std::string text;
  if (place.meets) text += "meets ";
  if (place.begins) text += "begins ";
  if (place.ends) text += "ends";
  return text;
}

TEST(KeySlice, HowFilesLieToOne) {
  const SortKeys keys{MakeKey("long")};
  const KeySlice slice{{At(20)}, {At(30)}};
  const auto place = [&](int64_t lower, int64_t upper) {
    return Words(PlaceInSlice(keys, slice, RangeOf(lower, upper)));
  };
  EXPECT_EQ(place(0, 19), "ends");
  EXPECT_EQ(place(0, 20), "meets ends");
  EXPECT_EQ(place(0, 30), "meets ");
  EXPECT_EQ(place(20, 29), "meets begins ends");
  EXPECT_EQ(place(29, 30), "meets begins ");
  EXPECT_EQ(place(30, 40), "begins ");
  EXPECT_EQ(Words(PlaceInSlice(keys, {}, RangeOf(0, 1))), "meets begins ends");
}

TEST(KeySlice, ACutComparesByItsOwnKeysOnly) {
  const SortKeys keys{MakeKey("long"), MakeKey("long")};
  const KeyRange range{{At(1), At(5)}, {At(2), At(5)}};
  EXPECT_EQ(Words(PlaceInSlice(keys, {{At(2)}, {}}, range)), "meets ends");
  EXPECT_EQ(Words(PlaceInSlice(keys, {{}, {At(2)}}, range)), "meets begins ");
  EXPECT_EQ(Words(PlaceInSlice(keys, {{At(2), At(6)}, {}}, range)), "ends");
  EXPECT_EQ(Words(PlaceInSlice(keys, {{}, {At(2), At(6)}}, range)), "meets begins ends");
}

// Keys 0 to 9 as the rows of a file: what the corners say must hold for every row between them.
TEST(KeySlice, AgreesWithEveryRowThatAFileCouldHave) {
  for (const bool descending : {false, true}) {
    const SortKeys keys{MakeKey("long", descending)};
    for (int cut_a = 0; cut_a < 10; ++cut_a) {
      for (int cut_b = cut_a + 1; cut_b < 10; ++cut_b) {
        for (int first = 0; first < 10; ++first) {
          for (int last = first; last < 10; ++last) {
            const auto at = [&](int rank) { return At(descending ? 9 - rank : rank); };
            const SlicePlace place =
                PlaceInSlice(keys, {{at(cut_a)}, {at(cut_b)}}, {{at(first)}, {at(last)}});
            EXPECT_EQ(place.begins, first >= cut_a);
            EXPECT_EQ(place.ends, last < cut_b);
            EXPECT_EQ(place.meets, last >= cut_a && first < cut_b);
          }
        }
      }
    }
  }
}

TEST(KeySlice, AShorterCutIsInFront) {
  const SortKeys keys{MakeKey("long"), MakeKey("long")};
  EXPECT_TRUE(CompareCuts(keys, {At(5)}, {At(5), At(-9)}) < 0);
  EXPECT_TRUE(CompareCuts(keys, {At(5), At(-9)}, {At(5)}) > 0);
  EXPECT_TRUE(CompareCuts(keys, {At(5), At(9)}, {At(6)}) < 0);
  EXPECT_TRUE(CompareCuts(keys, {At(5)}, {At(5)}) == 0);
}

TEST(KeySlice, InWords) {
  const SortKeys keys{MakeKey("long"), MakeKey("string")};
  EXPECT_EQ(ToString(keys, KeySlice{}), "from the start to the end");
  EXPECT_EQ(ToString(keys, KeySlice{{At(5)}, {At(9), {Kind::kNullLast, {}}}}),
            "from (5) to before (9, null)");
}

TEST(KeySlice, WholeValues) {
  const auto whole = [](const char* type, Value value) {
    return IsWholeValue(value, MakeKey(type).type);
  };
  EXPECT_TRUE(whole("int", int64_t{2147483647}));
  EXPECT_FALSE(whole("int", int64_t{2147483648}));
  EXPECT_FALSE(whole("date", int64_t{-2147483649}));
  EXPECT_TRUE(whole("long", int64_t{2147483648}));
  EXPECT_TRUE(whole("float", 0.5));
  EXPECT_FALSE(whole("float", 0.1));
  EXPECT_TRUE(whole("float", std::numeric_limits<double>::quiet_NaN()));
  EXPECT_TRUE(whole("double", 0.1));
  EXPECT_TRUE(whole("fixed[3]", std::string("abc")));
  EXPECT_FALSE(whole("fixed[3]", std::string("ab")));
  EXPECT_FALSE(whole("uuid", std::string("ab")));
  EXPECT_TRUE(whole("string", std::string()));
  EXPECT_FALSE(whole("string", int64_t{1}));
  EXPECT_FALSE(whole("long", Value{}));
}

}  // namespace
}  // namespace esker
