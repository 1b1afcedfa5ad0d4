// Corners: where the rows of a file may begin and end in the order asked for.
//
// A half-rank is one coordinate of a corner, in *output* order of its key:
//
//     kNullFirst < kBeforeValues < kValue < kAfterValues < kNullLast
//
// The null slots stand at one end each (only one of them is in use for a key); kBeforeValues and
// kAfterValues are the open ends of a missing bound. A corner is a tuple of half-ranks over all
// keys; no row of the file comes before its lower or after its upper corner (docs/order.md, 2).
// Pure: no I/O, no row data.
#pragma once

#include <compare>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "format/column_facts.h"
#include "order/sort_key.h"

namespace esker {

struct HalfRank {
  enum class Kind { kNullFirst, kBeforeValues, kValue, kAfterValues, kNullLast };
  Kind kind = Kind::kBeforeValues;
  Value value;  ///< kValue only

  bool operator==(const HalfRank&) const = default;
};

using Corner = std::vector<HalfRank>;

/// The closed range of key space that a file may touch. lower <= upper.
struct KeyRange {
  Corner lower;
  Corner upper;
};

/// Corners of a file over all keys; facts[i] belongs to keys[i]. Keys with a transform: the
/// order-preserving ones map the bounds, void has the null slot on both sides, all others leave
/// both sides open. Bounds that cross, or are no value of the key's type, count as unknown. NaN is
/// above every number, so a file that may hold it is open at the end in ascending, at the start in
/// descending order. O(keys).
KeyRange MakeKeyRange(std::span<const SortKey> keys, std::span<const ColumnFacts> facts);

/// Output order of two half-ranks of one key. Values are of the type of the (transformed) key.
std::weak_ordering CompareHalfRanks(const SortKey& key, const HalfRank& a, const HalfRank& b);

/// Lexicographic order of corners in output order of `keys`.
std::weak_ordering CompareCorners(std::span<const SortKey> keys, const Corner& a, const Corner& b);

/// "(2024-01-01T00:00:00Z, null)", open ends as "-inf" / "+inf" in output order.
std::string ToString(std::span<const SortKey> keys, const Corner& corner);

}  // namespace esker
