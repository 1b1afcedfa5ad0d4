#include "format/column_facts.h"

#include <gtest/gtest.h>

#include <cmath>

namespace esker {
namespace {

Type TypeNamed(std::string_view name) { return ParsePrimitiveType(name).ValueOrDie(); }

std::string IntBytes(int8_t value) {
  const char sign = value < 0 ? '\xff' : '\0';
  return {static_cast<char>(value), sign, sign, sign};
}

ColumnStatistics Statistics(std::optional<int64_t> nulls, std::optional<std::string> lower,
                            std::optional<std::string> upper) {
  ColumnStatistics statistics;
  statistics.null_count = nulls;
  statistics.lower_bound = std::move(lower);
  statistics.upper_bound = std::move(upper);
  return statistics;
}

TEST(ColumnFactsTest, NothingKnown) {
  const auto facts = FactsFromStatistics(nullptr, TypeNamed("double"), /*required=*/false, 10);
  EXPECT_TRUE(facts.may_hold_nulls);
  EXPECT_TRUE(facts.may_hold_nan);
  EXPECT_FALSE(facts.constant);
  EXPECT_TRUE(IsNull(facts.lower));
  EXPECT_FALSE(FactsFromStatistics(nullptr, TypeNamed("int"), true, 10).may_hold_nulls);
  EXPECT_FALSE(FactsFromStatistics(nullptr, TypeNamed("int"), true, 10).may_hold_nan);
}

TEST(ColumnFactsTest, BoundsAndCounts) {
  const auto statistics = Statistics(0, IntBytes(-3), IntBytes(4));
  const auto facts = FactsFromStatistics(&statistics, TypeNamed("int"), false, 10);
  EXPECT_EQ(facts.lower, Value(int64_t{-3}));
  EXPECT_EQ(facts.upper, Value(int64_t{4}));
  EXPECT_FALSE(facts.may_hold_nulls);
  EXPECT_FALSE(facts.constant);
}

TEST(ColumnFactsTest, EqualBoundsWithoutNullsAreConstant) {
  const auto none = Statistics(0, IntBytes(4), IntBytes(4));
  const auto some = Statistics(1, IntBytes(4), IntBytes(4));
  EXPECT_TRUE(FactsFromStatistics(&none, TypeNamed("int"), false, 10).constant);
  EXPECT_FALSE(FactsFromStatistics(&some, TypeNamed("int"), false, 10).constant);
}

TEST(ColumnFactsTest, AllNull) {
  const auto statistics = Statistics(10, {}, {});
  const auto facts = FactsFromStatistics(&statistics, TypeNamed("int"), true, 10);
  EXPECT_TRUE(facts.all_null);
  EXPECT_TRUE(facts.constant);
  EXPECT_TRUE(facts.may_hold_nulls);
}

// Of a member of structs: the counts say nothing, the bounds do.
TEST(ColumnFactsTest, CountsThatAreNotTrusted) {
  auto statistics = Statistics(0, IntBytes(4), IntBytes(5));
  auto facts = FactsFromStatistics(&statistics, TypeNamed("int"), false, 10, false);
  EXPECT_TRUE(facts.may_hold_nulls);
  EXPECT_EQ(facts.upper, Value(int64_t{5}));
  statistics = Statistics(10, {}, {});
  facts = FactsFromStatistics(&statistics, TypeNamed("int"), false, 10, false);
  EXPECT_FALSE(facts.all_null);
}

TEST(ColumnFactsTest, InvertedOrUuidBoundsAreNone) {
  const auto inverted = Statistics(0, IntBytes(5), IntBytes(4));
  auto facts = FactsFromStatistics(&inverted, TypeNamed("int"), false, 10);
  EXPECT_TRUE(IsNull(facts.lower));
  EXPECT_TRUE(IsNull(facts.upper));
  const auto uuid = Statistics(0, std::string(16, '\1'), std::string(16, '\1'));
  facts = FactsFromStatistics(&uuid, TypeNamed("uuid"), false, 10);
  EXPECT_TRUE(IsNull(facts.lower));
  EXPECT_FALSE(facts.constant);
}

// A writer that let NaN into one bound cannot be believed about the other, nor the count.
TEST(ColumnFactsTest, NanBound) {
  auto statistics = Statistics(0, std::string("\0\0\xc0\x7f", 4), std::string("\0\0\x80\x3f", 4));
  statistics.nan_count = 0;
  const auto facts = FactsFromStatistics(&statistics, TypeNamed("float"), false, 10);
  EXPECT_TRUE(IsNull(facts.lower));
  EXPECT_TRUE(IsNull(facts.upper));
  EXPECT_TRUE(facts.may_hold_nan);
}

TEST(ColumnFactsTest, Constants) {
  const auto three = FactsOfConstant(Value(int64_t{3}));
  EXPECT_TRUE(three.constant);
  EXPECT_FALSE(three.may_hold_nulls);
  EXPECT_FALSE(three.may_hold_nan);
  EXPECT_EQ(three.lower, three.upper);
  const auto null = FactsOfConstant(Value{});
  EXPECT_TRUE(null.constant && null.all_null && null.may_hold_nulls);
  EXPECT_TRUE(FactsOfConstant(Value(std::nan(""))).may_hold_nan);
}

}  // namespace
}  // namespace esker
