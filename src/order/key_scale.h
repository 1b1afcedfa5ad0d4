// Key scale: the values of one key as places on a line from 0 to 1, in output order.
//
// Between the least and the greatest value known, numbers and times lie by their difference,
// strings and bytes by the eight bytes behind what all of them begin with. Values that have
// neighbours (integers, times, booleans) own a cell of the line each, others a point:
//
//     values 1 to 4    | 1  | 2  | 3  | 4  |       descending: | 4  | 3  | 2  | 1  |
//     place            0   0.25 0.5  0.75  1
//
// Pure. A scale only guesses where rows lie; nothing that must be right rests on it.
#pragma once

#include <string>

#include "order/sort_key.h"

namespace esker {

class KeyScale {
 public:
  /// `least` and `greatest` are values of the type of the (transformed) key, no NaN, not crossed.
  KeyScale(const SortKey& key, Value least, Value greatest);

  /// Where the value begins and where it ends; both in [0, 1] for values within the scale.
  double BeginOf(const Value& value) const;
  double EndOf(const Value& value) const;

  /// The first whole value that begins at or after `place`, as far as the scale can tell.
  Value ValueAt(double place) const;

 private:
  long double Distance(const Value& value) const;  // from the least one
  Value AtDistance(long double distance) const;

  Type type_;  // of the values
  bool descending_;
  bool has_cells_;
  Value least_;
  Value greatest_;
  size_t shared_bytes_ = 0;  // what all byte strings begin with
  long double length_ = 0;   // of the line, in units of distance
};

}  // namespace esker
