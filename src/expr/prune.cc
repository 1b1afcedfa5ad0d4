#include "expr/prune.h"

#include <algorithm>

#include "expr/like.h"

namespace esker::expr_internal {
namespace {

using Kind = Node::Kind;

// The values of a column that are neither null nor NaN lie in [lower, upper]; null is an open end.
// If `upper` is a prefix, all that starts with it belongs to the range.
struct Range {
  Value lower;
  Value upper;
  bool upper_is_prefix = false;

  bool MayReach(const Value& value) const {
    return IsNull(lower) || CompareValues(lower, value) <= 0;
  }
  bool MayExceed(const Value& value) const {
    return IsNull(upper) || CompareValues(upper, value) >= 0 || StartsWithUpper(value);
  }
  bool MayHold(const Value& value) const { return MayReach(value) && MayExceed(value); }
  bool StartsWithUpper(const Value& value) const {
    return upper_is_prefix &&
           std::get<std::string>(value).starts_with(std::get<std::string>(upper));
  }
  bool IsOneValue() const {
    return !IsNull(lower) && !IsNull(upper) && !upper_is_prefix && CompareValues(lower, upper) == 0;
  }
};

Value UsableBound(const Value& bound, const Type& type) {
  // Facts may have been made for another type.
  if (!FitsType(bound, type) || IsNan(bound)) return {};
  // Some writers store a uuid as text.
  if (type.id == TypeId::kUuid && std::get<std::string>(bound).size() != 16) return {};
  return bound;
}

// Equal everywhere, a value needs no bounds and so was never cut.
bool IsPrefix(const Value& upper, const ColumnFacts& facts, UpperBound kind) {
  const auto* bytes = std::get_if<std::string>(&upper);
  if (bytes == nullptr) return false;
  return kind == UpperBound::kPrefix || (bytes->size() >= kCutWidth && !facts.constant);
}

Range RangeOf(const ColumnFacts& facts, const Type& type, UpperBound kind) {
  Range range{UsableBound(facts.lower, type), UsableBound(facts.upper, type)};
  if (!IsNull(range.lower) && !IsNull(range.upper) && CompareValues(range.lower, range.upper) > 0) {
    return {};
  }
  range.upper_is_prefix = IsPrefix(range.upper, facts, kind);
  return range;
}

bool MayCompare(CompareOp op, const Value& value, const Range& range) {
  switch (op) {
    case CompareOp::kEqual:
      return range.MayHold(value);
    case CompareOp::kNotEqual:
      return !(range.IsOneValue() && CompareValues(range.lower, value) == 0);
    case CompareOp::kLess:
      return IsNull(range.lower) || CompareValues(range.lower, value) < 0;
    case CompareOp::kLessEqual:
      return range.MayReach(value);
    case CompareOp::kGreater:
      return IsNull(range.upper) || CompareValues(range.upper, value) > 0 ||
             range.StartsWithUpper(value);
    case CompareOp::kGreaterEqual:
      return range.MayExceed(value);
  }
  return true;
}

// The first of the ascending values that is not below the range, if it is in it.
bool MayBeAmong(const std::vector<Value>& values, const Range& range) {
  const auto first = std::partition_point(
      values.begin(), values.end(), [&](const Value& value) { return !range.MayReach(value); });
  return first != values.end() && range.MayExceed(*first);
}

bool MayBeOutside(const std::vector<Value>& values, const Range& range) {
  return !range.IsOneValue() || !MayBeAmong(values, range);
}

bool MayStartWith(const std::string& prefix, const Range& range) {
  const auto* lower = std::get_if<std::string>(&range.lower);
  const auto* upper = std::get_if<std::string>(&range.upper);
  if (lower != nullptr && lower->compare(0, prefix.size(), prefix) > 0) return false;
  return upper == nullptr || upper->compare(0, prefix.size(), prefix) >= 0 ||
         range.StartsWithUpper(prefix);
}

// All that lies between two strings of one prefix has it too, and what starts with the upper one.
bool MayNotStartWith(const std::string& prefix, const Range& range) {
  const auto* lower = std::get_if<std::string>(&range.lower);
  const auto* upper = std::get_if<std::string>(&range.upper);
  return lower == nullptr || upper == nullptr || !lower->starts_with(prefix) ||
         !upper->starts_with(prefix);
}

bool MayBeLike(const Node& leaf, bool negated, const Range& range) {
  if (range.IsOneValue()) {
    return LikeMatches(leaf.pattern, std::get<std::string>(range.lower)) != negated;
  }
  return negated || MayStartWith(leaf.text, range);
}

// Whether a value that is neither null nor NaN may hold.
bool MayHoldInRange(const Node& leaf, bool opposite, const Range& range) {
  const bool negated = leaf.negated != opposite;
  switch (leaf.kind) {
    case Kind::kCompare:
      return MayCompare(opposite ? Negate(leaf.op) : leaf.op, leaf.values[0], range);
    case Kind::kIn:
      return negated ? MayBeOutside(leaf.values, range) : MayBeAmong(leaf.values, range);
    case Kind::kStartsWith:
      return negated ? MayNotStartWith(leaf.text, range) : MayStartWith(leaf.text, range);
    case Kind::kLike:
      return MayBeLike(leaf, negated, range);
    default:
      return true;
  }
}

// Literals are never NaN, and NaN is above them all.
bool HoldsForNan(const Node& leaf, bool opposite) {
  if (leaf.kind == Kind::kCompare) {
    return Holds(opposite ? Negate(leaf.op) : leaf.op, std::weak_ordering::greater);
  }
  return leaf.negated != opposite;
}

bool MayHoldNan(const Node& leaf, const ColumnFacts& facts) {
  return leaf.type.is_floating() && facts.may_hold_nan;
}

bool MayHold(const Node& leaf, bool opposite, const ColumnFacts& facts, UpperBound upper) {
  const bool negated = leaf.negated != opposite;
  if (leaf.kind == Kind::kIsNull) {
    return negated ? !facts.all_null : facts.all_null || facts.may_hold_nulls;
  }
  if (leaf.kind == Kind::kIsNan) {
    return negated || (!facts.all_null && MayHoldNan(leaf, facts));
  }
  if (facts.all_null) return false;
  if (MayHoldNan(leaf, facts) && HoldsForNan(leaf, opposite)) return true;
  return MayHoldInRange(leaf, opposite, RangeOf(facts, leaf.type, upper));
}

}  // namespace

bool MayHold(const Node& leaf, const ColumnFacts& facts, UpperBound upper) {
  return MayHold(leaf, false, facts, upper);
}

bool MustHold(const Node& leaf, const ColumnFacts& facts) {
  const bool null_makes_null = leaf.kind != Kind::kIsNull && leaf.kind != Kind::kIsNan;
  if (null_makes_null && (facts.all_null || facts.may_hold_nulls)) return false;
  return !MayHold(leaf, true, facts, UpperBound::kValue);
}

const std::vector<Value>* EqualValuesOf(const Node& leaf) {
  const bool equal = leaf.kind == Kind::kCompare && leaf.op == CompareOp::kEqual;
  const bool among = leaf.kind == Kind::kIn && !leaf.negated;
  return equal || among ? &leaf.values : nullptr;
}

bool MayHoldAmong(const Node& leaf, const std::vector<Value>& values) {
  if (leaf.kind == Kind::kIsNull || leaf.kind == Kind::kIsNan) return true;
  return std::any_of(values.begin(), values.end(),
                     [&](const Value& value) { return MayHold(leaf, FactsOfConstant(value)); });
}

}  // namespace esker::expr_internal
