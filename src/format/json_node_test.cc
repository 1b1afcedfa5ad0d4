#include "format/json_node.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

std::string Message(const arrow::Status& status) { return status.message(); }

TEST(JsonNode, ErrorsNameTheWay) {
  const auto document = *ParseJson(R"({"a": [{"b": {"c": "x"}}]})");
  const JsonNode root(document);
  const JsonNode a = *root.Get("a");
  const JsonNode first = a.At(0);
  const JsonNode b = *first.Get("b");
  EXPECT_EQ(b.path(), "a[0].b");
  EXPECT_EQ(Message(b.GetInt64("c").status()), "a[0].b.c: must be an integer");
  EXPECT_EQ(Message(b.Get("d").status()), "a[0].b.d: is missing");
  EXPECT_EQ(Message(a.Get("x").status()), "a: must be an object");
  EXPECT_EQ(Message(b.CheckArray()), "a[0].b: must be a list");
}

TEST(JsonNode, NullIsAbsent) {
  const auto document = *ParseJson(R"({"a": null})");
  const JsonNode root(document);
  EXPECT_FALSE(root.Find("a"));
  EXPECT_FALSE(root.FindInt64("a")->has_value());
  EXPECT_FALSE(root.Get("a").ok());
}

TEST(JsonNode, IntegersAreCheckedForRange) {
  const auto document = *ParseJson(
      "[2147483647, 2147483648, -2147483649, 9223372036854775807, -9223372036854775808, "
      "9223372036854775808, 3.0, 3.5, \"3\", 1e300]");
  const JsonNode root(document);
  EXPECT_EQ(*root.At(0).AsInt32(), 2147483647);
  EXPECT_FALSE(root.At(1).AsInt32().ok());
  EXPECT_FALSE(root.At(2).AsInt32().ok());
  EXPECT_EQ(*root.At(3).AsInt64(), 9223372036854775807);
  EXPECT_EQ(*root.At(4).AsInt64(), INT64_MIN);
  EXPECT_FALSE(root.At(5).AsInt64().ok());
  EXPECT_EQ(*root.At(6).AsInt32(), 3);
  for (const size_t i : {7, 8, 9}) EXPECT_FALSE(root.At(i).AsInt64().ok()) << i;
}

TEST(JsonNode, StringMapKeepsOddValuesAsText) {
  const auto document = *ParseJson(R"({"a": "x", "b": 3, "c": null})");
  const auto map = *JsonNode(document).AsStringMap();
  EXPECT_EQ(map, (std::map<std::string, std::string>{{"a", "x"}, {"b", "3"}}));
}

TEST(ParseJson, RefusesWhatIsNotJson) {
  for (const char* text : {"", "{", "nul", "{\"a\": 1,}", "[1] 2", "\"\xff\"", "[1e999]"}) {
    const auto result = ParseJson(text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_EQ(result.status().message().find("not JSON"), 0U) << result.status().message();
  }
}

TEST(ParseJson, NestingIsBounded) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(ParseJson(nested(kMaxJsonDepth)).ok());
  EXPECT_FALSE(ParseJson(nested(kMaxJsonDepth + 1)).ok());
  EXPECT_FALSE(ParseJson(std::string(10'000'000, '[')).ok());
}

}  // namespace
}  // namespace esker
