// Tests of the filter grammar: what is read, and where errors point.
#include "expr/parse.h"

#include <string>

#include <gtest/gtest.h>

#include "base/status.h"
#include "expr/lex.h"

namespace esker::expr_internal {
namespace {

// The tree in brackets: "(and (= a 3) (not b))".
std::string Show(const Syntax& syntax);

std::string ShowAll(const std::string& head, const Syntax& syntax) {
  std::string text = "(" + head;
  for (const Syntax& child : syntax.children) text += " " + Show(child);
  for (const Literal& literal : syntax.literals) {
    text += " " + std::to_string(static_cast<int>(literal.kind)) + ":" + literal.text;
  }
  return text + ")";
}

std::string Show(const Syntax& syntax) {
  const std::string negation = syntax.negated ? "not-" : "";
  switch (syntax.kind) {
    case Syntax::Kind::kAnd:
      return ShowAll("and", syntax);
    case Syntax::Kind::kOr:
      return ShowAll("or", syntax);
    case Syntax::Kind::kNot:
      return ShowAll("not", syntax);
    case Syntax::Kind::kLiteral:
      return syntax.literals[0].text;
    case Syntax::Kind::kColumn:
      return syntax.column;
    case Syntax::Kind::kCompare:
      return ShowAll(std::to_string(static_cast<int>(syntax.op)) + " " + syntax.column, syntax);
    case Syntax::Kind::kIn:
      return ShowAll(negation + "in " + syntax.column, syntax);
    case Syntax::Kind::kBetween:
      return ShowAll(negation + "between " + syntax.column, syntax);
    case Syntax::Kind::kLike:
      return ShowAll(negation + "like " + syntax.column, syntax);
    case Syntax::Kind::kIsNull:
      return ShowAll(negation + "null " + syntax.column, syntax);
    case Syntax::Kind::kIsNan:
      return ShowAll(negation + "nan " + syntax.column, syntax);
  }
  return "";
}

std::string Tree(const std::string& text) {
  const auto syntax = Parse(text);
  return syntax.ok() ? Show(*syntax) : syntax.status().message();
}

TEST(ParseTest, AndBindsTighterThanOr) {
  EXPECT_EQ(Tree("a or b and c or d"), "(or a (and b c) d)");
  EXPECT_EQ(Tree("(a or b) and c"), "(and (or a b) c)");
  EXPECT_EQ(Tree("not a and b"), "(and (not a) b)");
  EXPECT_EQ(Tree("NOT Not a"), "(not (not a))");
  EXPECT_EQ(Tree("true and FALSE or null"), "(or (and true false) null)");
}

TEST(ParseTest, Predicates) {
  EXPECT_EQ(Tree("a=3"), "(0 a 2:3)");
  EXPECT_EQ(Tree("a == 3"), "(0 a 2:3)");
  EXPECT_EQ(Tree("a <> -3.5e-2"), "(1 a 2:-3.5e-2)");
  EXPECT_EQ(Tree("a != + 3"), "(1 a 2:3)");
  EXPECT_EQ(Tree("3 < a"), "(4 a 2:3)");
  EXPECT_EQ(Tree("3 >= a"), "(3 a 2:3)");
  EXPECT_EQ(Tree("a is null and a IS NOT NULL"), "(and (null a) (not-null a))");
  EXPECT_EQ(Tree("a is nan or a is not NaN"), "(or (nan a) (not-nan a))");
  EXPECT_EQ(Tree("a in (1,'x', null)"), "(in a 2:1 3:x 0:null)");
  EXPECT_EQ(Tree("a not in (.5)"), "(not-in a 2:.5)");
  EXPECT_EQ(Tree("a between 1 and 2 and b"), "(and (between a 2:1 2:2) b)");
  EXPECT_EQ(Tree("a not between 1 and 2"), "(not-between a 2:1 2:2)");
  EXPECT_EQ(Tree("a like 'x%' or a not like '_'"), "(or (like a 3:x%) (not-like a 3:_))");
}

TEST(ParseTest, Literals) {
  EXPECT_EQ(Tree("a = 'it''s'"), "(0 a 3:it's)");
  EXPECT_EQ(Tree("a = ''"), "(0 a 3:)");
  EXPECT_EQ(Tree("a = X'00ff'"), "(0 a 4:00ff)");
  EXPECT_EQ(Tree("a = x''"), "(0 a 4:)");
  EXPECT_EQ(Tree("a = DATE '2024-01-01'"), "(0 a 5:2024-01-01)");
  EXPECT_EQ(Tree("a >= 2024-01-01"), "(5 a 5:2024-01-01)");
  EXPECT_EQ(Tree("a between 2024-01-01 and 2024-12-31 or 2024-01-01 = a"),
            "(or (between a 5:2024-01-01 5:2024-12-31) (0 a 5:2024-01-01))");
  EXPECT_EQ(Tree("a in(2024-01-01,2024-01-02)"), "(in a 5:2024-01-01 5:2024-01-02)");
  EXPECT_EQ(Tree("a = time'12:00'"), "(0 a 6:12:00)");
  EXPECT_EQ(Tree("a = timestamp '2024-01-01 00:00:00'"), "(0 a 7:2024-01-01 00:00:00)");
  EXPECT_EQ(Tree("a = true"), "(0 a 1:true)");
}

TEST(ParseTest, Names) {
  EXPECT_EQ(Tree("date = 3 and time > 4"), "(and (0 date 2:3) (4 time 2:4))");
  EXPECT_EQ(Tree("a.b . c is null"), "(null a.b.c)");
  EXPECT_EQ(Tree("\"a b\".\"c\"\"d\" is null"), "(null a b.c\"d)");
  EXPECT_EQ(Tree("\"and\" = 1"), "(0 and 2:1)");
  EXPECT_EQ(Tree("a.null is null"), "(null a.null)");
  EXPECT_EQ(Tree("@timestamp > 1"), "(4 @timestamp 2:1)");
  EXPECT_EQ(Tree("gr\xC3\xB6\xC3\x9F"
                 "e = 1"),
            "(0 gr\xC3\xB6\xC3\x9F"
            "e 2:1)");
  EXPECT_EQ(Tree("x = 1 and nan = 2"), "(and (0 x 2:1) (0 nan 2:2))");
}

// What stands under the caret, and the message.
void ExpectError(const std::string& text, size_t column, const std::string& message) {
  const auto syntax = Parse(text);
  ASSERT_FALSE(syntax.ok()) << text;
  EXPECT_EQ(KindOf(syntax.status()), ErrorKind::kUsage);
  EXPECT_EQ(syntax.status().message(),
            "filter: " + message + "\n  " + text + "\n  " + std::string(column, ' ') + "^");
}

TEST(ParseTest, ErrorsPointAtTheCharacter) {
  ExpectError("", 0, "the filter is empty");
  ExpectError("k <", 3, "expected a literal");
  ExpectError("k < and x = 3", 4, "expected a literal");
  ExpectError("k = 1 x = 2", 6, "expected 'and', 'or' or the end");
  ExpectError("(k = 1", 0, "no closing )");
  ExpectError("(k = 1 2", 7, "expected 'and', 'or' or ')'");
  ExpectError("k = 1)", 5, "expected 'and', 'or' or the end");
  ExpectError("k in 3", 5, "expected '(' after 'in'");
  ExpectError("k in ()", 6, "expected a literal");
  ExpectError("k in (1, 2", 5, "no closing )");
  ExpectError("k in (1 2)", 8, "expected ',' or ')'");
  ExpectError("k in (a)", 6, "expected a literal here, not a column");
  ExpectError("k between 1", 11, "expected 'and' and the upper end of 'between'");
  ExpectError("k is 3", 5, "expected 'null' or 'nan'");
  ExpectError("k like 3", 7, "'like' takes a text pattern such as 'abc%'");
  ExpectError("k = 'abc", 4, "no closing '");
  ExpectError("k = \"abc", 4, "no closing \"");
  ExpectError("k = \"abc\"", 4, "two columns cannot be compared; text stands in single quotes");
  ExpectError("a = b", 4, "two columns cannot be compared");
  ExpectError("1 = 1", 0, "one side of a comparison must be a column");
  ExpectError("3", 1, "expected a comparison");
  ExpectError("3 is null", 0, "expected a column here, not a literal");
  ExpectError("k = 3abc", 5, "a number ends here in a letter");
  ExpectError("k = 2024-01-01T12:00", 14,
              "a date ends here in a letter; a time stands in single quotes");
  ExpectError("k = 2024-1-1", 8, "expected 'and', 'or' or the end");
  ExpectError("k = 2024-01-011", 8, "expected 'and', 'or' or the end");
  ExpectError("k = -2024-01-01", 4, "expected a number after the sign");
  ExpectError("k = - x", 4, "expected a number after the sign");
  ExpectError("k # 3", 2, "unexpected character");
  ExpectError("k = 3;", 5, "unexpected character");
  ExpectError("a. = 3", 3, "expected a name after '.'");
  ExpectError("or", 0, "expected a column or a literal");
  ExpectError("k not 3", 2, "expected 'and', 'or' or the end");
  ExpectError("not", 3, "expected a column or a literal");
}

TEST(ParseTest, CaretCountsCharacters) {
  const auto status = Parse("k = '\xC3\xA9\xE2\x82\xAC' ?").status();
  EXPECT_EQ(status.message(),
            "filter: unexpected character\n  k = '\xC3\xA9\xE2\x82\xAC' ?\n           ^");
  const auto lines = Parse("k = 1\nand\t?").status();
  EXPECT_EQ(lines.message(), "filter: unexpected character\n  k = 1 and ?\n            ^");
}

TEST(ParseTest, LongTextsAreCut) {
  const std::string text = std::string(500, 'a') + " = ? " + std::string(500, 'b');
  const std::string message = Parse(text).status().message();
  EXPECT_LT(message.size(), 400U);
  const size_t line = message.find('\n') + 1;
  const size_t caret = message.rfind('\n') + 1;
  EXPECT_EQ(message[line + (message.find('^') - caret)], '?');
  EXPECT_EQ(Clipped(std::string(59, 'a') + "\xC3\xA9zzz"), std::string(59, 'a') + "...");
}

TEST(ParseTest, DepthIsBounded) {
  const auto nested = [](size_t depth) {
    return std::string(depth, '(') + "k" + std::string(depth, ')');
  };
  EXPECT_TRUE(Parse(nested(kMaxDepth)).ok());
  EXPECT_EQ(KindOf(Parse(nested(kMaxDepth + 1)).status()), ErrorKind::kUsage);
  EXPECT_EQ(KindOf(Parse(nested(1'000'000)).status()), ErrorKind::kUsage);
  std::string nots;
  for (int i = 0; i < 100'000; ++i) nots += "not ";
  EXPECT_NE(Parse(nots + "k").status().message().find("nested more than 200 levels deep"),
            std::string::npos);
  std::string wide = "k";
  for (int i = 0; i < 100'000; ++i) wide += i % 2 == 0 ? " or k" : " and k";
  EXPECT_TRUE(Parse(wide).ok());
  std::string row;
  for (int i = 0; i < 1000; ++i) row += "(k) and ";
  EXPECT_TRUE(Parse(row + "k").ok());
}

}  // namespace
}  // namespace esker::expr_internal
