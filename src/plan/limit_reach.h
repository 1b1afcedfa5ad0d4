// Limit reach: which files the first N rows of an order can come from, by counts and corners.
//
// Take files by their upper corners until they hold N rows, and let U be the last of those
// corners. N rows are then known to be at or before U, so a file that begins after U has none of
// the first N.
//
//     key      0    10    20    30
//     file 0   [-----]                  60 rows
//     file 1      [-------]             60 rows     limit 100: U is the end of file 1
//     file 2           [------]                     may matter: it begins before U
//     file 3                [----]                  lies beyond the limit
//
// An upper corner or a count may lie, so nothing is dropped for it: a file beyond the limit stays a
// virtual input of the merge, is opened should the rows run short, and is only left out of what the
// plan counts. Pure: no I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "order/corner.h"

namespace esker {

/// How many of the files, which are in reading order, can hold one of the first `limit` rows: these
/// are the first ones; all after them lie beyond the limit. rows[i] is how many rows file i is
/// known to give at least: 0 where deletes or a filter may take any number of them away. All of the
/// files if they hold fewer rows than that together. Requires lower corners that never fall.
/// O(n + k log n) comparisons if k files fill the limit.
size_t FilesWithinLimit(std::span<const SortKey> keys, std::span<const KeyRange> files,
                        std::span<const int64_t> rows, int64_t limit);

}  // namespace esker
