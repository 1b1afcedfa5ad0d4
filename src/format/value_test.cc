#include "format/value.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace esker {
namespace {

Type T(std::string_view text) { return ParsePrimitiveType(text).ValueOrDie(); }

// "0a ff" as bytes.
std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += hex[i + 2 < hex.size() ? i + 2 : i] == ' ' ? 3 : 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

Value Bound(std::string_view hex, std::string_view type) {
  return DecodeBound(Bytes(hex), T(type));
}
int64_t Integer(const Value& value) { return std::get<int64_t>(value); }

TEST(DecodeBound, AsWritten) {
  EXPECT_EQ(Bound("00", "boolean"), Value(false));
  EXPECT_EQ(Bound("02", "boolean"), Value(true));
  EXPECT_EQ(Integer(Bound("fe ff ff ff", "int")), -2);
  EXPECT_EQ(Integer(Bound("00 00 00 80 00 00 00 00", "long")), 2147483648);
  EXPECT_EQ(Integer(Bound("ff ff ff ff ff ff ff 7f", "time")), INT64_MAX);
  EXPECT_EQ(Integer(Bound("ff ff ff ff", "date")), -1);
  EXPECT_EQ(Integer(Bound("ff ff ff ff ff ff ff ff", "timestamptz")), -1);
  EXPECT_EQ(Integer(Bound("01 00 00 00 00 00 00 00", "timestamptz_ns")), 1);
  EXPECT_EQ(Bound("00 00 80 3f", "float"), Value(1.0));
  EXPECT_EQ(Bound("00 00 00 00 00 00 f8 bf", "double"), Value(-1.5));
  EXPECT_EQ(Bound("69 63 65 e2", "string"), Value(Bytes("69 63 65 e2")));  // cut in a character
  EXPECT_EQ(Bound("00", "binary"), Value(std::string(1, '\0')));
  EXPECT_EQ(Bound("01 02", "fixed[4]"), Value(Bytes("01 02")));
  const char* uuid = "f7 9c 3e 09 67 7c 4b bd a4 79 3f 34 9c b7 85 e7";
  EXPECT_EQ(Bound(uuid, "uuid"), Value(Bytes(uuid)));
}

// docs/order.md, 2: the width says which type wrote the bound.
TEST(DecodeBound, WidensWhatWasPromoted) {
  EXPECT_EQ(Integer(Bound("fe ff ff ff", "long")), -2);
  EXPECT_EQ(Bound("00 00 c0 bf", "double"), Value(-1.5));
  EXPECT_EQ(Integer(Bound("ff ff ff ff", "timestamp")), -86'400'000'000);
  EXPECT_EQ(Integer(Bound("01 00 00 00", "timestamp_ns")), 86'400'000'000'000);
  EXPECT_TRUE(IsNull(Bound("ff ff ff 7f", "timestamp")));     // year 5881580
  EXPECT_TRUE(IsNull(Bound("00 00 02 00", "timestamp_ns")));  // year 2328
}

TEST(DecodeBound, DecimalsOfAnyWidth) {
  const auto decimal = [](std::string_view hex) {
    return std::get<int128_t>(Bound(hex, "decimal(38, 2)"));
  };
  EXPECT_TRUE(decimal("80") == -128);
  EXPECT_TRUE(decimal("00 80") == 128);
  EXPECT_TRUE(decimal("ff 00") == -256);
  EXPECT_TRUE(decimal("80 00") == -32768);
  EXPECT_TRUE(decimal("05 8c") == 1420);
  EXPECT_TRUE(decimal("ff ff ff ff ff ff ff ff ff ff ff ff ff ff ff 80") == -128);  // padded
  EXPECT_TRUE(decimal("80 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00") == int128_t{1} << 127);
  EXPECT_TRUE(IsNull(Bound("00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00", "decimal(9,2)")));
}

TEST(DecodeBound, OddWidthsAreNoBound) {
  const std::string bytes(40, '\x01');
  const std::pair<const char*, std::vector<size_t>> widths[] = {
      {"boolean", {1}},        {"int", {4}},
      {"long", {4, 8}},        {"float", {4}},
      {"double", {4, 8}},      {"date", {4}},
      {"time", {8}},           {"timestamp", {4, 8}},
      {"timestamptz", {8}},    {"timestamp_ns", {4, 8}},
      {"timestamptz_ns", {8}}, {"uuid", {16}},
      {"fixed[3]", {1, 2, 3}}, {"unknown", {}},
      {"variant", {}},         {"geometry", {}},
      {"geography", {}},
  };
  for (const auto& [type, right] : widths) {
    for (size_t width = 0; width <= bytes.size(); ++width) {
      const bool has_bound = !IsNull(DecodeBound(bytes.substr(0, width), T(type)));
      const bool is_right = std::find(right.begin(), right.end(), width) != right.end();
      if (std::string(type) == "timestamp_ns" && width == 4) continue;  // overflows, see above
      if (std::string(type) == "timestamp" && width == 4) {
        EXPECT_TRUE(has_bound);
        continue;
      }
      EXPECT_EQ(has_bound, is_right) << type << " " << width;
    }
  }
  EXPECT_TRUE(IsNull(DecodeBound("", T("string"))));
  EXPECT_TRUE(IsNull(DecodeBound("", T("decimal(9,2)"))));
  Type nested;
  nested.id = TypeId::kStruct;
  EXPECT_TRUE(IsNull(DecodeBound("abcd", nested)));
}

TEST(DecodeBound, NanIsNoBound) {
  EXPECT_TRUE(IsNull(Bound("00 00 c0 7f", "float")));
  EXPECT_TRUE(IsNull(Bound("00 00 c0 ff", "double")));
  EXPECT_TRUE(IsNull(Bound("00 00 00 00 00 00 f8 ff", "double")));
  EXPECT_EQ(Bound("00 00 80 ff", "float"), Value(-std::numeric_limits<double>::infinity()));
}

TEST(CompareValues, OrderOfEachKind) {
  const double nan = std::nan("");
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<Value>> ascending = {
      {false, true},
      {Value(INT64_MIN), Value(int64_t{-1}), Value(int64_t{0}), Value(INT64_MAX)},
      {-inf, -1.5, 0.0, 1e300, inf, nan},
      {Value(int128_t{1} << 127), Value(int128_t{-1}), Value(int128_t{1} << 100)},
      {std::string("a"), std::string("a\0", 2), std::string("ab"), std::string("\xef\xbd\x9e"),
       std::string("\xf0\x9f\x98\x80")},
  };
  for (const auto& values : ascending) {
    for (size_t i = 0; i < values.size(); ++i) {
      for (size_t j = 0; j < values.size(); ++j) {
        EXPECT_EQ(CompareValues(values[i], values[j]), i <=> j) << i << " " << j;
      }
    }
  }
  EXPECT_EQ(CompareValues(-0.0, 0.0), std::weak_ordering::equivalent);
  EXPECT_EQ(CompareValues(-nan, nan), std::weak_ordering::equivalent);
  EXPECT_EQ(CompareValues(-nan, inf), std::weak_ordering::greater);
}

TEST(ValueToString, EachType) {
  EXPECT_EQ(ValueToString({}, T("int")), "null");
  EXPECT_EQ(ValueToString(true, T("boolean")), "true");
  EXPECT_EQ(ValueToString(int64_t{-7}, T("long")), "-7");
  EXPECT_EQ(ValueToString(0.1, T("double")), "0.1");
  EXPECT_EQ(ValueToString(double{0.1F}, T("float")), "0.1");
  EXPECT_EQ(ValueToString(std::nan(""), T("double")), "NaN");
  EXPECT_EQ(ValueToString(-HUGE_VAL, T("float")), "-Infinity");
  EXPECT_EQ(ValueToString(int128_t{1420}, T("decimal(9,2)")), "14.20");
  EXPECT_EQ(ValueToString(int64_t{17486}, T("date")), "2017-11-16");
  EXPECT_EQ(ValueToString(int64_t{81'068'000'000}, T("time")), "22:31:08");
  EXPECT_EQ(ValueToString(int64_t{1'510'871'468'000'001}, T("timestamp")),
            "2017-11-16T22:31:08.000001");
  EXPECT_EQ(ValueToString(int64_t{1'510'871'468'000'000}, T("timestamptz")),
            "2017-11-16T22:31:08Z");
  EXPECT_EQ(ValueToString(int64_t{-1}, T("timestamptz_ns")), "1969-12-31T23:59:59.999999999Z");
  EXPECT_EQ(ValueToString(std::string("h\xc3\xa9"), T("string")), "h\xc3\xa9");
  EXPECT_EQ(ValueToString(Bytes("00 ff"), T("binary")), "00ff");
  EXPECT_EQ(ValueToString(Bytes("00 ff"), T("fixed[2]")), "00ff");
  EXPECT_EQ(ValueToString(Bytes("f7 9c 3e 09 67 7c 4b bd a4 79 3f 34 9c b7 85 e7"), T("uuid")),
            "f79c3e09-677c-4bbd-a479-3f349cb785e7");
}

// What the spec's appendix D gives as examples, and what the corpus holds.
TEST(ParseJsonValue, RoundTripsWithText) {
  const std::tuple<const char*, const char*, const char*> cases[] = {
      {"boolean", "true", "true"},
      {"int", "34", "34"},
      {"long", "-9223372036854775808", "-9223372036854775808"},
      {"float", "1.0", "1"},
      {"float", "0.34234", "0.34234"},
      {"double", "0.342343242342342", "0.342343242342342"},
      {"double", "3", "3"},
      {"decimal(9,2)", "\"14.20\"", "14.20"},
      {"decimal(38,0)", "\"2E+20\"", "200000000000000000000"},
      {"date", "\"2017-11-16\"", "2017-11-16"},
      {"time", "\"22:31:08.123456\"", "22:31:08.123456"},
      {"timestamp", "\"1969-12-31T23:59:59.123456\"", "1969-12-31T23:59:59.123456"},
      {"timestamptz", "\"2017-11-16T22:31:08.123456+00:00\"", "2017-11-16T22:31:08.123456Z"},
      {"timestamp_ns", "\"2017-11-16T22:31:08.123456789\"", "2017-11-16T22:31:08.123456789"},
      {"timestamptz_ns", "\"2017-11-16T22:31:08.123456789+00:00\"",
       "2017-11-16T22:31:08.123456789Z"},
      {"string", "\"iceberg\"", "iceberg"},
      {"uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785e7\"", "f79c3e09-677c-4bbd-a479-3f349cb785e7"},
      {"fixed[4]", "\"000102ff\"", "000102ff"},
      {"binary", "\"000102FF\"", "000102ff"},
      {"unknown", "null", "null"},
      {"variant", "null", "null"},
  };
  for (const auto& [type, json, text] : cases) {
    const auto value = ParseJsonValue(json, T(type));
    ASSERT_TRUE(value.ok()) << type << " " << value.status().message();
    EXPECT_EQ(ValueToString(*value, T(type)), text) << type;
    EXPECT_TRUE(IsNull(*value) || FitsType(*value, T(type))) << type;
  }
}

TEST(ParseJsonValue, RefusesWhatDoesNotFit) {
  const std::pair<const char*, const char*> cases[] = {
      {"boolean", "1"},
      {"int", "2147483648"},
      {"int", "1.5"},
      {"int", "\"1\""},
      {"long", "9223372036854775808"},
      {"float", "1e40"},
      {"double", "\"x\""},
      {"decimal(9,2)", "14.20"},
      {"decimal(3,2)", "\"14.20\""},
      {"decimal(9,1)", "\"14.25\""},
      {"date", "17486"},
      {"date", "\"2017-02-30\""},
      {"timestamp", "\"2017-11-16T22:31:08+00:00\""},
      {"timestamptz", "\"2017-11-16T22:31:08\""},
      {"timestamp", "\"2017-11-16T22:31:08.1234567\""},
      {"uuid", "\"f79c3e09677c4bbda4793f349cb785e7\""},
      {"uuid", "\"f79c3e09-677c-4bbd-a479-3f349cb785eg\""},
      {"fixed[4]", "\"0001\""},
      {"binary", "\"000\""},
      {"binary", "\"zz\""},
      {"unknown", "1"},
      {"variant", "\"x\""},
      {"string", "3"},
      {"string", "not json"},
      {"string", ""},
  };
  for (const auto& [type, json] : cases) {
    EXPECT_TRUE(ParseJsonValue(json, T(type)).status().IsInvalid()) << type << " " << json;
  }
  EXPECT_EQ(ParseJsonValue("\"x\"", T("int")).status().message(),
            "\"x\" is not a value of type int");
}

}  // namespace
}  // namespace esker
