#include "expr/parse.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "base/ascii.h"
#include "expr/lex.h"

namespace esker::expr_internal {
namespace {

using Kind = Token::Kind;

std::optional<CompareOp> OpOf(const Token& token) {
  if (token.kind != Kind::kSymbol) return std::nullopt;
  const std::string& s = token.text;
  if (s == "=" || s == "==") return CompareOp::kEqual;
  if (s == "<>" || s == "!=") return CompareOp::kNotEqual;
  if (s == "<") return CompareOp::kLess;
  if (s == "<=") return CompareOp::kLessEqual;
  if (s == ">") return CompareOp::kGreater;
  if (s == ">=") return CompareOp::kGreaterEqual;
  return std::nullopt;
}

std::optional<Literal::Kind> TypedLiteral(const Token& token) {
  if (token.kind != Kind::kWord) return std::nullopt;
  if (EqualsIgnoringCase(token.text, "date")) return Literal::Kind::kDate;
  if (EqualsIgnoringCase(token.text, "time")) return Literal::Kind::kTime;
  if (EqualsIgnoringCase(token.text, "timestamp")) return Literal::Kind::kTimestamp;
  return std::nullopt;
}

// One side of a comparison, or what stands before "is", "in", "between" or "like".
struct Operand {
  std::optional<Literal> literal;
  std::string column;
  size_t position = 0;
};

class Parser {
 public:
  Parser(std::string_view text, std::vector<Token> tokens)
      : text_(text), tokens_(std::move(tokens)) {}

  arrow::Result<Syntax> Run() {
    if (Peek().kind == Kind::kEnd) return Fail("the filter is empty");
    ARROW_ASSIGN_OR_RAISE(Syntax syntax, ParseOr());
    if (Peek().kind != Kind::kEnd) return Fail("expected 'and', 'or' or the end");
    return syntax;
  }

 private:
  const Token& Peek(size_t ahead = 0) const {
    return tokens_[std::min(next_ + ahead, tokens_.size() - 1)];
  }

  arrow::Status Fail(std::string_view message) const { return FailAt(Peek().position, message); }
  arrow::Status FailAt(size_t position, std::string_view message) const {
    return ErrorAt(text_, position, message);
  }

  bool PeekWord(std::string_view word, size_t ahead = 0) const {
    const Token& token = Peek(ahead);
    return token.kind == Kind::kWord && EqualsIgnoringCase(token.text, word);
  }
  bool TakeWord(std::string_view word) {
    if (!PeekWord(word)) return false;
    ++next_;
    return true;
  }
  bool TakeSymbol(std::string_view symbol) {
    if (Peek().kind != Kind::kSymbol || Peek().text != symbol) return false;
    ++next_;
    return true;
  }

  arrow::Result<Syntax> ParseOr() {
    return ParseList("or", Syntax::Kind::kOr, [this] { return ParseAnd(); });
  }
  arrow::Result<Syntax> ParseAnd() {
    return ParseList("and", Syntax::Kind::kAnd, [this] { return ParseNot(); });
  }

  // A long row of "or" makes one wide node, not a deep tree.
  template <typename ParsePart>
  arrow::Result<Syntax> ParseList(std::string_view word, Syntax::Kind kind,
                                  const ParsePart& parse_part) {
    ARROW_ASSIGN_OR_RAISE(Syntax first, parse_part());
    if (!PeekWord(word)) return first;
    Syntax list;
    list.kind = kind;
    list.children.push_back(std::move(first));
    while (TakeWord(word)) {
      ARROW_ASSIGN_OR_RAISE(Syntax part, parse_part());
      list.children.push_back(std::move(part));
    }
    return list;
  }

  // Counts the levels of parentheses and "not" that are open.
  class Level {
   public:
    explicit Level(int* depth) : depth_(depth) { ++*depth_; }
    ~Level() { --*depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int* depth_;
  };

  arrow::Status CheckDepth() const {
    if (depth_ < kMaxDepth) return arrow::Status::OK();
    return Fail("nested more than " + std::to_string(kMaxDepth) + " levels deep");
  }

  arrow::Result<Syntax> ParseNot() {
    if (!PeekWord("not")) return ParsePrimary();
    ARROW_RETURN_NOT_OK(CheckDepth());
    const Level level(&depth_);
    ++next_;
    Syntax negation;
    negation.kind = Syntax::Kind::kNot;
    ARROW_ASSIGN_OR_RAISE(Syntax part, ParseNot());
    negation.children.push_back(std::move(part));
    return negation;
  }

  arrow::Result<Syntax> ParsePrimary() {
    if (Peek().kind != Kind::kSymbol || Peek().text != "(") return ParsePredicate();
    ARROW_RETURN_NOT_OK(CheckDepth());
    const Level level(&depth_);
    const size_t open = Peek().position;
    ++next_;
    ARROW_ASSIGN_OR_RAISE(Syntax inner, ParseOr());
    if (TakeSymbol(")")) return inner;
    if (Peek().kind == Kind::kEnd) return FailAt(open, "no closing )");
    return Fail("expected 'and', 'or' or ')'");
  }

  arrow::Result<Syntax> ParsePredicate() {
    ARROW_ASSIGN_OR_RAISE(Operand left, ParseOperand("a column or a literal"));
    const size_t word_position = Peek().position;
    if (auto op = OpOf(Peek())) {
      ++next_;
      return ParseComparison(std::move(left), *op, word_position);
    }
    const bool negated =
        PeekWord("not") && (PeekWord("in", 1) || PeekWord("between", 1) || PeekWord("like", 1));
    if (negated) ++next_;
    Syntax syntax;
    syntax.negated = negated;
    syntax.word_position = word_position;
    if (PeekWord("is") || PeekWord("in") || PeekWord("between") || PeekWord("like")) {
      if (left.literal) return FailAt(left.position, "expected a column here, not a literal");
      syntax.column = std::move(left.column);
      syntax.position = left.position;
      return ParseTail(std::move(syntax));
    }
    return Alone(std::move(left), std::move(syntax));
  }

  arrow::Result<Syntax> ParseTail(Syntax syntax) {
    if (TakeWord("is")) return ParseIs(std::move(syntax));
    if (TakeWord("in")) return ParseIn(std::move(syntax));
    if (TakeWord("between")) return ParseBetween(std::move(syntax));
    ++next_;
    return ParseLike(std::move(syntax));
  }

  // No predicate follows: a boolean column, true, false or null.
  arrow::Result<Syntax> Alone(Operand operand, Syntax syntax) {
    syntax.position = operand.position;
    if (!operand.literal) {
      syntax.kind = Syntax::Kind::kColumn;
      syntax.column = std::move(operand.column);
      return syntax;
    }
    const Literal::Kind kind = operand.literal->kind;
    if (kind != Literal::Kind::kBoolean && kind != Literal::Kind::kNull) {
      return Fail("expected a comparison");
    }
    syntax.kind = Syntax::Kind::kLiteral;
    syntax.literals.push_back(*std::move(operand.literal));
    return syntax;
  }

  arrow::Result<Syntax> ParseComparison(Operand left, CompareOp op, size_t word_position) {
    const Kind right_kind = Peek().kind;
    ARROW_ASSIGN_OR_RAISE(Operand right, ParseOperand("a literal"));
    if (!left.literal && !right.literal) {
      return FailAt(right.position, right_kind == Kind::kName
                                        ? "two columns cannot be compared; text stands in "
                                          "single quotes"
                                        : "two columns cannot be compared");
    }
    if (left.literal && right.literal) {
      return FailAt(left.position, "one side of a comparison must be a column");
    }
    Syntax syntax;
    syntax.kind = Syntax::Kind::kCompare;
    syntax.word_position = word_position;
    syntax.op = left.literal ? Mirror(op) : op;
    Operand& column = left.literal ? right : left;
    syntax.literals.push_back(left.literal ? *std::move(left.literal) : *std::move(right.literal));
    syntax.column = std::move(column.column);
    syntax.position = column.position;
    return syntax;
  }

  arrow::Result<Syntax> ParseIs(Syntax syntax) {
    syntax.negated = TakeWord("not");
    if (TakeWord("null")) {
      syntax.kind = Syntax::Kind::kIsNull;
    } else if (TakeWord("nan")) {
      syntax.kind = Syntax::Kind::kIsNan;
    } else {
      return Fail("expected 'null' or 'nan'");
    }
    return syntax;
  }

  arrow::Result<Syntax> ParseIn(Syntax syntax) {
    syntax.kind = Syntax::Kind::kIn;
    const size_t open = Peek().position;
    if (!TakeSymbol("(")) return Fail("expected '(' after 'in'");
    do {
      ARROW_ASSIGN_OR_RAISE(Literal literal, ParseLiteral());
      syntax.literals.push_back(std::move(literal));
    } while (TakeSymbol(","));
    if (TakeSymbol(")")) return syntax;
    if (Peek().kind == Kind::kEnd) return FailAt(open, "no closing )");
    return Fail("expected ',' or ')'");
  }

  arrow::Result<Syntax> ParseBetween(Syntax syntax) {
    syntax.kind = Syntax::Kind::kBetween;
    ARROW_ASSIGN_OR_RAISE(Literal lower, ParseLiteral());
    if (!TakeWord("and")) return Fail("expected 'and' and the upper end of 'between'");
    ARROW_ASSIGN_OR_RAISE(Literal upper, ParseLiteral());
    syntax.literals.push_back(std::move(lower));
    syntax.literals.push_back(std::move(upper));
    return syntax;
  }

  arrow::Result<Syntax> ParseLike(Syntax syntax) {
    syntax.kind = Syntax::Kind::kLike;
    ARROW_ASSIGN_OR_RAISE(Literal pattern, ParseLiteral());
    if (pattern.kind != Literal::Kind::kString && pattern.kind != Literal::Kind::kNull) {
      return FailAt(pattern.position, "'like' takes a text pattern such as 'abc%'");
    }
    syntax.literals.push_back(std::move(pattern));
    return syntax;
  }

  arrow::Result<Literal> ParseLiteral() {
    ARROW_ASSIGN_OR_RAISE(Operand operand, ParseOperand("a literal"));
    if (operand.literal) return *std::move(operand.literal);
    return FailAt(operand.position, "expected a literal here, not a column");
  }

  arrow::Result<Operand> ParseOperand(std::string_view wanted) {
    Operand operand;
    operand.position = Peek().position;
    ARROW_ASSIGN_OR_RAISE(operand.literal, TakeLiteral());
    if (operand.literal) return operand;
    if (!PeekName()) return Fail("expected " + std::string(wanted));
    operand.column = Peek().text;
    ++next_;
    while (TakeSymbol(".")) {
      // Behind a dot even a keyword can only be a name.
      if (Peek().kind != Kind::kWord && Peek().kind != Kind::kName) {
        return Fail("expected a name after '.'");
      }
      operand.column += "." + Peek().text;
      ++next_;
    }
    return operand;
  }

  bool PeekName() const {
    return Peek().kind == Kind::kName || (Peek().kind == Kind::kWord && !IsReserved(Peek().text));
  }

  arrow::Result<std::optional<Literal>> TakeLiteral() {
    const size_t position = Peek().position;
    const auto take = [&](Literal::Kind kind, std::string text, size_t count) {
      next_ += count;
      return std::optional<Literal>(Literal{kind, std::move(text), position});
    };
    if (Peek().kind == Kind::kSymbol && (Peek().text == "-" || Peek().text == "+")) {
      if (Peek(1).kind != Kind::kNumber) return Fail("expected a number after the sign");
      const std::string sign = Peek().text == "-" ? "-" : "";
      return take(Literal::Kind::kNumber, sign + Peek(1).text, 2);
    }
    if (Peek().kind == Kind::kNumber) return take(Literal::Kind::kNumber, Peek().text, 1);
    if (Peek().kind == Kind::kDate) return take(Literal::Kind::kDate, Peek().text, 1);
    if (Peek().kind == Kind::kString) return take(Literal::Kind::kString, Peek().text, 1);
    if (Peek().kind == Kind::kBinary) return take(Literal::Kind::kBinary, Peek().text, 1);
    if (PeekWord("true")) return take(Literal::Kind::kBoolean, "true", 1);
    if (PeekWord("false")) return take(Literal::Kind::kBoolean, "false", 1);
    if (PeekWord("null")) return take(Literal::Kind::kNull, "null", 1);
    const auto typed = TypedLiteral(Peek());
    if (typed && Peek(1).kind == Kind::kString) return take(*typed, Peek(1).text, 2);
    return std::optional<Literal>();
  }

  std::string_view text_;
  std::vector<Token> tokens_;
  size_t next_ = 0;
  int depth_ = 0;
};

}  // namespace

arrow::Result<Syntax> Parse(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(std::vector<Token> tokens, Tokenize(text));
  return Parser(text, std::move(tokens)).Run();
}

}  // namespace esker::expr_internal
