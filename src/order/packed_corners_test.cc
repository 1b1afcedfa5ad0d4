#include "order/packed_corners.h"

#include <gtest/gtest.h>

#include <limits>

#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using Kind = HalfRank::Kind;

// Values of one type that lie close to each other and to the ends.
std::vector<Value> ValuesOf(const std::string& type) {
  if (type == "boolean") return {false, true};
  if (type == "double") {
    const double inf = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    return {nan, -nan, inf, -inf, 0.0, -0.0, 5e-324, -5e-324, 1.5, -1.5, 1e308, -1e308};
  }
  if (type == "string") {
    return {std::string(),           std::string("a"),         std::string("a\0", 2),
            std::string("abcdefgh"), std::string("abcdefghi"), std::string("abcdefgh\xff"),
            std::string("\xff"),     std::string(9, '\xff'),   std::string(8, '\0')};
  }
  if (type == "binary") {  // all with a prefix in common
    return {std::string("tenant-"),
            std::string("tenant-1"),
            std::string("tenant-\0", 8),
            std::string("tenant-1234567"),
            std::string("tenant-12345678"),
            std::string("tenant-1234567\0", 15),
            "tenant-" + std::string(7, '\xff')};
  }
  const auto least = std::numeric_limits<int64_t>::min();
  const auto most = std::numeric_limits<int64_t>::max();
  if (type == "decimal(38,0)") {
    const int128_t big = int128_t{most} * 4;
    return {int128_t{0},
            int128_t{-1},
            int128_t{least},
            int128_t{most},
            int128_t{most} + 1,
            int128_t{least} - 1,
            big,
            -big,
            big + 1};
  }
  return {int64_t{0}, int64_t{-1}, int64_t{1}, least,    least + 1, least + 2,
          least + 3,  most,        most - 1,   most - 2, most - 3};
}

HalfRank DrawRank(std::mt19937_64& random, const std::vector<Value>& values) {
  if (Chance(random, 30)) {
    static constexpr Kind kKinds[] = {Kind::kNullFirst, Kind::kBeforeValues, Kind::kAfterValues,
                                      Kind::kNullLast};
    return {kKinds[Draw(random, 0, 3)], Value{}};
  }
  return {Kind::kValue, values[Draw(random, 0, static_cast<int64_t>(values.size()) - 1)]};
}

TEST(PackedCornersTest, CompareLikeCorners) {
  auto random = testing::MakeRandom(11);
  const std::vector<std::string> types = {"boolean", "long",   "double",
                                          "string",  "binary", "decimal(38,0)"};
  for (int round = 0; round < 1000; ++round) {
    SortKeys keys(Draw(random, 0, 3));
    std::vector<std::vector<Value>> values;
    for (SortKey& key : keys) {
      const std::string& type = types[Draw(random, 0, 5)];
      key.type = ParsePrimitiveType(type).ValueOrDie();
      key.descending = Chance(random, 50);
      values.push_back(ValuesOf(type));
    }
    std::vector<KeyRange> files(12);
    for (KeyRange& file : files) {
      for (const auto& of_key : values) {
        file.lower.push_back(DrawRank(random, of_key));
        file.upper.push_back(DrawRank(random, of_key));
      }
    }
    const PackedCorners packed(keys, files);
    for (uint32_t a = 0; a < files.size(); ++a) {
      for (uint32_t b = 0; b < files.size(); ++b) {
        const auto expected = CompareCorners(keys, files[a].lower, files[b].upper);
        ASSERT_EQ(packed.Compare({a, false}, {b, true}), expected)
            << ToString(keys, files[a].lower) << " and " << ToString(keys, files[b].upper);
        const uint64_t head_a = packed.head({a, false});
        const uint64_t head_b = packed.head({b, true});
        ASSERT_TRUE(head_a == head_b || (head_a < head_b) == (expected < 0));
      }
    }
  }
}

}  // namespace
}  // namespace esker
