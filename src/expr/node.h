// The tree of a bound filter: predicates on single columns under "and" and "or".
//
// Binding pushes every "not" down to the predicates ("not (a < 3 or b is null)" becomes
// "a >= 3 and b is not null"). That is exact in three-valued logic, and what remains only ever
// grows with its parts. So a predicate that is null for a row may be taken as not true, and
// pruning asks one question of a predicate: may it be true for some row?
//
// A node is a plain value; trees are as deep as the text was nested (kMaxDepth, parse.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "format/type.h"
#include "format/value.h"

namespace esker::expr_internal {

enum class CompareOp { kEqual, kNotEqual, kLess, kLessEqual, kGreater, kGreaterEqual };

/// "not (x op y)" as "x Negate(op) y".
CompareOp Negate(CompareOp op);
/// "y op x" as "x Mirror(op) y".
CompareOp Mirror(CompareOp op);
/// Whether "x op y" is true where x compares to y as `order` says.
bool Holds(CompareOp op, std::weak_ordering order);

/// A compiled LIKE pattern: bytes (0 to 255) and the two wildcards.
using LikePattern = std::vector<uint16_t>;

struct Node {
  enum class Kind {
    kConstant,    ///< `constant`
    kAnd,         ///< two or more `children`
    kOr,          ///< two or more `children`
    kIsNull,      ///< never null itself
    kIsNan,       ///< never null itself: null is not NaN
    kCompare,     ///< column `op` values[0]
    kIn,          ///< column in `values`, ascending without duplicates
    kStartsWith,  ///< column like `text` followed by %
    kLike,        ///< column like `pattern`; no value fits that does not start with `text`
  };

  Kind kind = Kind::kConstant;
  bool constant = false;
  bool negated = false;  ///< kIsNull, kIsNan, kIn, kStartsWith, kLike
  CompareOp op = CompareOp::kEqual;
  int32_t field_id = 0;
  int32_t column = 0;  ///< position in BoundFilter::field_ids()
  Type type;           ///< of the column
  /// Never null, never NaN: binding turns those into other nodes.
  std::vector<Value> values;
  std::string text;
  LikePattern pattern;
  std::vector<Node> children;

  bool is_leaf() const { return kind > Kind::kOr; }
};

}  // namespace esker::expr_internal
