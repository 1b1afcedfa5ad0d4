#include "order/sort_key.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

SortKey Key(std::string name, bool descending, bool nulls_first,
            std::string_view transform = "identity") {
  SortKey key;
  key.name = std::move(name);
  key.descending = descending;
  key.nulls_first = nulls_first;
  key.transform = ParseTransform(transform);
  return key;
}

TEST(SortKeyTest, SaysDirectionAndNulls) {
  EXPECT_EQ(ToString(SortKeys{Key("ts", true, false), Key("id", false, true)}),
            "ts desc nulls last, id asc nulls first");
  EXPECT_EQ(ToString(SortKeys{}), "");
}

TEST(SortKeyTest, QuotesNamesThatAreNoWords) {
  EXPECT_EQ(ToString(SortKeys{Key("s.x", false, true)}), "s.x asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("@timestamp", false, true)}), "\"@timestamp\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("a b", false, true)}), "\"a b\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("a\"b", false, true)}), "\"a\"\"b\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("Desc", false, true)}), "\"Desc\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("a..b", false, true)}), "\"a..b\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("1st", false, true)}), "\"1st\" asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("", false, true)}), "\"\" asc nulls first");
}

TEST(SortKeyTest, SaysTransforms) {
  EXPECT_EQ(ToString(SortKeys{Key("ts", false, true, "day")}), "day(ts) asc nulls first");
  EXPECT_EQ(ToString(SortKeys{Key("a b", false, true, "bucket[16]")}),
            "bucket[16](\"a b\") asc nulls first");
}

TEST(SortKeyTest, KnowsWhichTypesSort) {
  for (const char* name :
       {"boolean", "int", "long", "float", "double", "decimal(9,2)", "date", "time", "timestamp",
        "timestamptz", "timestamp_ns", "timestamptz_ns", "string", "uuid", "fixed[16]", "binary"}) {
    EXPECT_TRUE(IsSortable(ParsePrimitiveType(name).ValueOrDie())) << name;
  }
  for (const TypeId id : {TypeId::kUnknown, TypeId::kVariant, TypeId::kGeometry, TypeId::kGeography,
                          TypeId::kStruct, TypeId::kList, TypeId::kMap}) {
    Type type;
    type.id = id;
    EXPECT_FALSE(IsSortable(type));
  }
}

TEST(SortKeyTest, FixedIsAKeyUpTo4096Bytes) {
  EXPECT_TRUE(IsSortable(ParsePrimitiveType("fixed[4096]").ValueOrDie()));
  EXPECT_FALSE(IsSortable(ParsePrimitiveType("fixed[4097]").ValueOrDie()));
  EXPECT_FALSE(IsSortable(ParsePrimitiveType("fixed[268435456]").ValueOrDie()));
}

TEST(SortKeyTest, UnknownTransformsAreNeverTheSame) {
  EXPECT_TRUE(IsSameFunction(ParseTransform("bucket[4]"), ParseTransform("bucket[4]")));
  EXPECT_FALSE(IsSameFunction(ParseTransform("bucket[4]"), ParseTransform("bucket[8]")));
  EXPECT_FALSE(IsSameFunction(ParseTransform("zorder"), ParseTransform("zorder")));
}

}  // namespace
}  // namespace esker
