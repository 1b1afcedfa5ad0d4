// Slice filter: which rows of a batch lie inside a slice of key space, whatever their order.
//
//     keys       7 2 5 4 9 5         slice [4, 7)
//     inside         x x   x
//
// For files that are sorted for a split: what lies outside is dropped before it is sorted. It drops
// without asking whether another split will hold the row, so its slice must be open on a side where
// the file should not reach beyond the split (slice_source.h sees to that one).
#pragma once

#include <cstdint>
#include <vector>

#include "arrow/result.h"
#include "merge/key_batch.h"
#include "merge/key_encoder.h"
#include "order/key_slice.h"

namespace esker {

class SliceFilter {
 public:
  /// `satisfied` leading keys are those that the rows to come are in order of. Their encoder is
  /// `prefix_encoder`, that of all keys `encoder`.
  static arrow::Result<SliceFilter> Make(const KeySlice& slice, size_t satisfied,
                                         const KeyEncoder& encoder,
                                         const KeyEncoder& prefix_encoder);

  /// No row is ever outside.
  bool takes_all() const { return lower_.rows == 0 && upper_.rows == 0; }

  /// Rows of `keys`, which are all keys, that are inside; ascending. O(rows).
  std::vector<int32_t> RowsInside(const KeyBatch& keys) const;

  /// Whether all rows from one with that prefix on are behind the slice, if they are in order.
  bool IsPast(KeyRow prefix) const;

 private:
  KeyBatch lower_;  // one row each; none: that end is open
  KeyBatch upper_;
  KeyBatch prefix_end_;       // of the upper cut, in the keys that rows are in order of
  bool ends_before_ = false;  // a row that is equal to prefix_end_ is past the slice
};

}  // namespace esker
