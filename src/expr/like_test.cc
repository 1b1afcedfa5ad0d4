// Tests of LIKE patterns, with Arrow's "match_like" kernel as an outside judge.
#include "expr/like.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "arrow/compute/initialize.h"
#include "testing/seed.h"

namespace esker::expr_internal {
namespace {

bool Matches(const std::string& pattern, const std::string& text) {
  return LikeMatches(CompileLike(pattern).ValueOrDie(), text);
}

TEST(LikeTest, Wildcards) {
  EXPECT_TRUE(Matches("", ""));
  EXPECT_FALSE(Matches("", "a"));
  EXPECT_TRUE(Matches("%", ""));
  EXPECT_FALSE(Matches("_", ""));
  EXPECT_TRUE(Matches("a%b%c", "a--b--b--c"));
  EXPECT_FALSE(Matches("a%b%c", "a--b--b--"));
  EXPECT_TRUE(Matches("%ab", "aab"));
  EXPECT_TRUE(Matches("a\nb%", "a\nb\n"));
  EXPECT_TRUE(Matches("100\\%", "100%"));
  EXPECT_FALSE(Matches("100\\%", "100x"));
  EXPECT_TRUE(Matches("\\_\\\\", "_\\"));
  EXPECT_TRUE(Matches("a.*", "a.*"));
  EXPECT_FALSE(Matches("a.*", "abc"));
}

TEST(LikeTest, UnderscoreIsOneCharacter) {
  EXPECT_TRUE(Matches("_", "\xC3\xA9"));
  EXPECT_TRUE(Matches("_", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(Matches("__", "\xF0\x9F\x98\x80"));
  EXPECT_FALSE(Matches("%__x", "\xC3\xA9x"));
  EXPECT_TRUE(Matches("_", "\xFF"));
  EXPECT_TRUE(Matches("__", "\x80\x80"));
}

TEST(LikeTest, LongPatternsAreNoTrouble) {
  std::string pattern;
  for (int i = 0; i < 20'000; ++i) pattern += "%a";
  EXPECT_FALSE(Matches(pattern, std::string(19'999, 'a') + "b"));
  EXPECT_TRUE(Matches(pattern + "%", std::string(20'000, 'a') + "b"));
}

TEST(LikeTest, AgreesWithArrow) {
  ASSERT_TRUE(arrow::compute::Initialize().ok());
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(331);
  const std::vector<std::string> parts = {"a", "b", "%", "_", "\xC3\xA9", "\xE2\x82\xAC", "\\%"};
  const auto draw = [&](int64_t kinds) {
    std::string text;
    for (int64_t n = testing::Draw(random, 0, 6); n > 0; --n) {
      text += parts[static_cast<size_t>(testing::Draw(random, 0, kinds))];
    }
    return text;
  };
  for (int round = 0; round < 5000; ++round) {
    const std::string pattern = draw(6);
    arrow::StringBuilder builder;
    std::vector<std::string> texts;
    for (int i = 0; i < 8; ++i) {
      texts.push_back(draw(5));
      ASSERT_TRUE(builder.Append(texts.back()).ok());
    }
    const arrow::compute::MatchSubstringOptions options(pattern);
    const auto judged =
        arrow::compute::CallFunction("match_like", {builder.Finish().ValueOrDie()}, &options);
    ASSERT_TRUE(judged.ok()) << judged.status().ToString();
    const auto array = judged->make_array();
    const auto& mask = static_cast<const arrow::BooleanArray&>(*array);
    for (int i = 0; i < 8; ++i) {
      EXPECT_EQ(Matches(pattern, texts[static_cast<size_t>(i)]), mask.Value(i))
          << pattern << " on " << texts[static_cast<size_t>(i)];
    }
  }
}

}  // namespace
}  // namespace esker::expr_internal
