// Pruning by facts: may a row with these facts match, must every one?
//
// Both questions come down to one, asked of a predicate or of its opposite: may it be true for
// some row? A predicate must hold for all rows if there can be no null among them (which makes it
// null) and its opposite may hold for none. Facts that are absent or that contradict themselves
// answer "maybe", never "no".
#pragma once

#include "expr/node.h"
#include "format/column_facts.h"

namespace esker::expr_internal {

/// What an upper bound of a byte string stands for: itself, or all that starts with it. Bounds of
/// 16 bytes and more are prefixes in any case: writers cut them there, and not all round up then
/// (duckdb-iceberg#1048).
enum class UpperBound { kValue, kPrefix };

/// Whether `leaf` may be true for a row with those facts of its column. O(log values).
bool MayHold(const Node& leaf, const ColumnFacts& facts, UpperBound upper = UpperBound::kValue);

/// Whether `leaf` is true for every row with those facts of its column. O(log values).
bool MustHold(const Node& leaf, const ColumnFacts& facts);

/// The values of which a row must hold one for `leaf` to be true; null if it does not say so.
const std::vector<Value>* EqualValuesOf(const Node& leaf);

/// Whether `leaf` may be true for a row that holds null or one of `values`, exactly as they are.
/// O(values × log literals).
bool MayHoldAmong(const Node& leaf, const std::vector<Value>& values);

/// Puts `test(leaf)` for the leaves of the tree together: all of an "and", any of an "or".
template <typename LeafTest>
bool WalkTree(const Node& node, const LeafTest& test) {
  switch (node.kind) {
    case Node::Kind::kConstant:
      return node.constant;
    case Node::Kind::kAnd:
      for (const Node& child : node.children) {
        if (!WalkTree(child, test)) return false;
      }
      return true;
    case Node::Kind::kOr:
      for (const Node& child : node.children) {
        if (WalkTree(child, test)) return true;
      }
      return false;
    default:
      return test(node);
  }
}

}  // namespace esker::expr_internal
