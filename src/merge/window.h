// Window: how far can the open inputs be merged without reading any of them further?
//
// A row may go out when no row that is still unread can come before it: not the unread rows of
// open inputs, which follow their last decoded row, and not those of inputs that are not open,
// which follow the next lower corner. The smallest of these is the safe bound:
//
//     input 0   1 3 5 7 9|...          last decoded row 9
//     input 1     4 4 6|...            last decoded row 6   <- safe bound (6, input 1)
//     virtual            .......       lower corner 8
//     window    1 3 5 + 4 4 6
//
// The bound is a (key, input) pair, not a key: the input that sets it gives up all its rows, so
// there is progress even when one key fills many batches. Where the next lower corner is the
// bound, rows equal to it are inside: an open input comes before any virtual one, so
// its row goes first on a tie (docs/order.md, 6). Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/merge_kernel.h"

namespace esker {

/// An open input as far as a window is concerned: its decoded rows, at least one.
struct WindowInput {
  KeySpan decoded;
  bool has_more = false;  ///< rows may follow the decoded ones
};

/// The rows of each input, in the order of the inputs, that are safe to merge: at least one row in
/// all. No more than `max_rows` unless there are more inputs than that. `next_corner` may be empty.
/// Requires that `next_corner` is not before the smallest head. O(inputs × log rows).
std::vector<KeySpan> ChooseWindow(std::span<const WindowInput> inputs, KeyRow next_corner,
                                  int64_t max_rows);

}  // namespace esker
