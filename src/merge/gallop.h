// Galloping search: for a row that most likely is near.
#pragma once

#include <algorithm>
#include <cstdint>

namespace esker {

/// First row in [begin, end) for which `before` is false, or `end`; all rows for which it is true
/// must come first. Strides that double and then halves: O(log distance) calls of `before`.
template <typename Before>
int64_t Gallop(int64_t begin, int64_t end, Before before) {
  int64_t low = begin;
  int64_t step = 1;
  while (low + step <= end && before(low + step - 1)) {
    low += step;
    step *= 2;
  }
  int64_t high = std::min(end, low + step - 1);
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace esker
