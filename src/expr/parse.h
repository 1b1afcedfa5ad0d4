// Parser of filters: tokens to a syntax tree that knows no schema yet.
//
//     or         = and { "or" and }
//     and        = not { "and" not }
//     not        = "not" not | primary
//     primary    = "(" or ")" | operand [ predicate ]
//     operand    = column | literal
//     predicate  = op operand                        = == <> != < <= > >=
//                | "is" [ "not" ] ( "null" | "nan" )
//                | [ "not" ] "in" "(" literal { "," literal } ")"
//                | [ "not" ] "between" literal "and" literal
//                | [ "not" ] "like" string
//     column     = name { "." name }                 word or "quoted"
//     literal    = [ "+" | "-" ] number | 'text' | X'hex' | "true" | "false" | "null"
//                | ( "date" | "time" | "timestamp" ) 'text'
//
// Keywords in any case. A comparison has a column on one side and a literal on the other.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "expr/node.h"

namespace esker::expr_internal {

/// How deep parentheses and "not" may nest; more is a UsageError. Bounds every later recursion.
inline constexpr int kMaxDepth = 200;

struct Literal {
  enum class Kind { kNull, kBoolean, kNumber, kString, kBinary, kDate, kTime, kTimestamp };
  Kind kind = Kind::kNull;
  std::string text;     ///< without quotes; a number with its sign; "true" or "false"
  size_t position = 0;  ///< byte in the filter text
};

struct Syntax {
  enum class Kind {
    kAnd,
    kOr,
    kNot,
    kLiteral,  ///< literals[0] alone: true, false or null
    kColumn,   ///< `column` alone: a boolean one
    kCompare,  ///< column op literals[0]
    kIn,
    kBetween,
    kLike,
    kIsNull,
    kIsNan,
  };
  Kind kind = Kind::kLiteral;
  bool negated = false;  ///< of kIn, kBetween, kLike, kIsNull, kIsNan
  CompareOp op = CompareOp::kEqual;
  std::string column;        ///< names joined by dots
  size_t position = 0;       ///< of the column
  size_t word_position = 0;  ///< of the operator or keyword
  std::vector<Literal> literals;
  std::vector<Syntax> children;
};

/// Parses the whole text. UsageError that shows the place for anything outside the grammar.
arrow::Result<Syntax> Parse(std::string_view text);

}  // namespace esker::expr_internal
