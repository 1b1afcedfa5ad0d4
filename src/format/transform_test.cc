#include "format/transform.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace esker {
namespace {

Type T(std::string_view text) { return ParsePrimitiveType(text).ValueOrDie(); }

Value Json(std::string_view json, std::string_view type) {
  return ParseJsonValue(json, T(type)).ValueOrDie();
}

std::string Apply(std::string_view transform, std::string_view type, std::string_view json) {
  const Transform parsed = ParseTransform(transform);
  const auto value = ApplyTransform(parsed, T(type), Json(json, type));
  if (!value.ok()) return "error";
  return ValueToString(*value, TransformResultType(parsed, T(type)));
}

int32_t Hash(std::string_view type, std::string_view json) {
  return BucketHash(T(type), Json(json, type)).ValueOrDie();
}

TEST(ParseTransform, WhatTheSpecLists) {
  using Kind = Transform::Kind;
  EXPECT_EQ(ParseTransform("identity").kind, Kind::kIdentity);
  EXPECT_EQ(ParseTransform("bucket[16]").kind, Kind::kBucket);
  EXPECT_EQ(ParseTransform("bucket[16]").width, 16);
  EXPECT_EQ(ParseTransform("truncate[3]").kind, Kind::kTruncate);
  EXPECT_EQ(ParseTransform("Day").kind, Kind::kDay);
  EXPECT_EQ(ParseTransform("void").kind, Kind::kVoid);
  for (const char* text : {"", "bucket", "bucket[]", "bucket[0]", "bucket[-1]", "bucket[xyz]",
                           "bucket[99999999999]", "bucket[4", "truncate[4]x", "zorder", "days"}) {
    EXPECT_EQ(ParseTransform(text).kind, Kind::kUnknown) << text;
    EXPECT_EQ(ParseTransform(text).text, text);
  }
}

TEST(Transform, Equality) {
  EXPECT_EQ(ParseTransform("DAY"), ParseTransform("day"));
  EXPECT_FALSE(ParseTransform("bucket[4]") == ParseTransform("bucket[8]"));
  EXPECT_FALSE(ParseTransform("bucket[x]") == ParseTransform("bucket[y]"));
}

TEST(Transform, PreservesOrder) {
  for (const char* text : {"identity", "truncate[4]", "year", "month", "day", "hour"}) {
    EXPECT_TRUE(ParseTransform(text).preserves_order()) << text;
  }
  for (const char* text : {"bucket[4]", "void", "bucket[xyz]"}) {
    EXPECT_FALSE(ParseTransform(text).preserves_order()) << text;
  }
}

// The table of the spec's appendix B.
TEST(BucketHash, SpecTable) {
  EXPECT_EQ(Hash("int", "34"), 2017239379);
  EXPECT_EQ(Hash("long", "34"), 2017239379);
  EXPECT_EQ(Hash("decimal(9,2)", "\"14.20\""), -500754589);
  EXPECT_EQ(Hash("date", "\"2017-11-16\""), -653330422);
  EXPECT_EQ(Hash("time", "\"22:31:08\""), -662762989);
  EXPECT_EQ(Hash("timestamp", "\"2017-11-16T22:31:08\""), -2047944441);
  EXPECT_EQ(Hash("timestamp", "\"2017-11-16T22:31:08.000001\""), -1207196810);
  EXPECT_EQ(Hash("timestamptz", "\"2017-11-16T14:31:08-08:00\""), -2047944441);
  EXPECT_EQ(Hash("timestamptz", "\"2017-11-16T14:31:08.000001-08:00\""), -1207196810);
  EXPECT_EQ(Hash("timestamp_ns", "\"2017-11-16T22:31:08\""), -2047944441);
  EXPECT_EQ(Hash("timestamp_ns", "\"2017-11-16T22:31:08.000001001\""), -1207196810);
  EXPECT_EQ(Hash("timestamptz_ns", "\"2017-11-16T14:31:08-08:00\""), -2047944441);
  EXPECT_EQ(Hash("string", "\"iceberg\""), 1210000089);
  EXPECT_EQ(Hash("uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\""), 1488055340);
  EXPECT_EQ(Hash("fixed[4]", "\"00010203\""), -188683207);
  EXPECT_EQ(Hash("binary", "\"00010203\""), -188683207);
  for (const char* type : {"boolean", "float", "double"}) {
    EXPECT_TRUE(
        BucketHash(T(type), Json(type[0] == 'b' ? "true" : "1", type)).status().IsInvalid());
  }
}

TEST(ApplyTransform, BucketDropsTheSign) {
  EXPECT_EQ(Apply("bucket[100]", "int", "34"), std::to_string(2017239379 % 100));
  EXPECT_EQ(Apply("bucket[16]", "decimal(9,2)", "\"14.20\""),
            std::to_string((-500754589 & 0x7FFFFFFF) % 16));
}

// The table "Truncate Transform Details".
TEST(ApplyTransform, Truncate) {
  EXPECT_EQ(Apply("truncate[10]", "int", "1"), "0");
  EXPECT_EQ(Apply("truncate[10]", "int", "-1"), "-10");
  EXPECT_EQ(Apply("truncate[10]", "long", "-10"), "-10");
  EXPECT_EQ(Apply("truncate[10]", "long", "-11"), "-20");
  EXPECT_EQ(Apply("truncate[50]", "decimal(9,2)", "\"10.65\""), "10.50");
  EXPECT_EQ(Apply("truncate[50]", "decimal(9,2)", "\"-0.01\""), "-0.50");
  EXPECT_EQ(Apply("truncate[3]", "string", "\"iceberg\""), "ice");
  EXPECT_EQ(Apply("truncate[3]", "string", "\"ic\""), "ic");
  EXPECT_EQ(Apply("truncate[2]", "string", "\"\xc3\xa9\xf0\x9f\x98\x80x\""),
            "\xc3\xa9\xf0\x9f\x98\x80");
  EXPECT_EQ(Apply("truncate[3]", "binary", "\"0102030405\""), "010203");
  EXPECT_EQ(Apply("truncate[10]", "int", "-2147483648"), "error");
  EXPECT_EQ(Apply("truncate[10]", "long", "-9223372036854775808"), "error");
  EXPECT_EQ(Apply("truncate[10]", "date", "\"2017-11-16\""), "error");
}

TEST(ApplyTransform, TimesFloorBefore1970) {
  EXPECT_EQ(Apply("year", "date", "\"2017-11-16\""), "47");
  EXPECT_EQ(Apply("year", "date", "\"1969-12-31\""), "-1");
  EXPECT_EQ(Apply("month", "date", "\"2017-11-16\""), std::to_string(47 * 12 + 10));
  EXPECT_EQ(Apply("month", "timestamp", "\"1969-12-31T23:59:59.999999\""), "-1");
  EXPECT_EQ(Apply("day", "timestamp", "\"2017-11-16T22:31:08\""), "2017-11-16");
  EXPECT_EQ(Apply("day", "timestamp_ns", "\"1969-12-31T23:59:59.999999999\""), "1969-12-31");
  EXPECT_EQ(Apply("hour", "timestamptz", "\"1970-01-01T02:59:59+00:00\""), "2");
  EXPECT_EQ(Apply("hour", "timestamp", "\"1969-12-31T23:59:59\""), "-1");
  EXPECT_EQ(Apply("hour", "timestamp", "\"+250000-01-01T00:00:00\""), "error");  // beyond an int
  EXPECT_EQ(Apply("hour", "date", "\"2017-11-16\""), "error");
  EXPECT_EQ(Apply("year", "long", "3"), "error");
  EXPECT_EQ(Apply("day", "string", "\"2017-11-16\""), "error");
}

TEST(ApplyTransform, NullVoidUnknown) {
  EXPECT_EQ(Apply("year", "date", "null"), "null");
  EXPECT_EQ(Apply("bucket[4]", "string", "null"), "null");
  EXPECT_EQ(Apply("void", "string", "\"x\""), "null");
  EXPECT_EQ(Apply("identity", "string", "\"x\""), "x");
  const auto unknown = ApplyTransform(ParseTransform("zorder"), T("int"), int64_t{1});
  EXPECT_EQ(KindOf(unknown.status()), ErrorKind::kUnsupported);
}

TEST(ApplyTransform, ValueOfAnotherKindIsInvalid) {
  for (const char* text : {"identity", "bucket[4]", "truncate[4]", "day"}) {
    const auto result = ApplyTransform(ParseTransform(text), T("timestamp"), std::string("x"));
    EXPECT_TRUE(result.status().IsInvalid()) << text;
  }
}

}  // namespace
}  // namespace esker
