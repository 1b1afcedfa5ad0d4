// Order check: does any row come before its neighbour in front of it?
//
// A file's claim of being sorted is never taken on trust. Whole batches of normalised keys are
// checked at once, without a branch per row for packed keys, so that the check stays a few per
// cent of decoding. Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "merge/key_batch.h"

namespace esker {

/// The first row of `batch` that is before the row in front of it; -1 if there is none.
/// O(rows).
int64_t FindInversion(const KeyBatch& batch);

/// The rows where the key differs from that of the row in front: starts of stretches of equal
/// keys, but for row 0. O(rows).
std::vector<int64_t> FindChanges(const KeyBatch& batch);

}  // namespace esker
