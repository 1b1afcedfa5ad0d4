// Key slices: half-open stretches of key space, and how a file lies to one.
//
// A *cut* is a corner over the first keys of an order, often just the first. It stands right before
// every row whose leading keys are at or after it, so rows that are equal in those keys are never
// parted. Two cuts make a slice:
//
//     key       0    10    20    30
//     slice               [20 .... 30)        lower cut inside, upper cut outside
//     file 0    [------------]                meets it, does not begin in it, ends in it
//     file 1                   [------]       meets it, begins in it, does not end in it
//
// Pure: no I/O, no row data.
#pragma once

#include <span>

#include "order/corner.h"

namespace esker {

struct KeySlice {
  Corner lower;  ///< a cut: at or before every row; empty: from the start
  Corner upper;  ///< a cut: after every row; empty: to the end
};

/// How a file lies to a slice, by its corners.
struct SlicePlace {
  bool meets = false;   ///< rows of it may be inside
  bool begins = false;  ///< no row of it should come before the slice
  bool ends = false;    ///< no row of it should come after the slice
};

/// Of slices side by side that cover all keys, those that a file meets are neighbours; it begins
/// in the first of them and ends in the last. O(keys).
SlicePlace PlaceInSlice(std::span<const SortKey> keys, const KeySlice& slice,
                        const KeyRange& range);

/// Which cut stands further in front, of two that are not empty. Of (5) and (5, 1) the first, for
/// rows of 5 may come between them. Equal cuts part rows alike. O(keys).
std::weak_ordering CompareCuts(std::span<const SortKey> keys, const Corner& a, const Corner& b);

/// "from (5) to before (9)", an open end as "the start" or "the end".
std::string ToString(std::span<const SortKey> keys, const KeySlice& slice);

/// Is it a value that rows of that type can have, to the last bit? A cut must be one: what is
/// rounded differently in two places would part them differently.
bool IsWholeValue(const Value& value, const Type& type);

}  // namespace esker
