// Run sorter: gives a source that has no order, or only the start of it, the whole order.
//
// A file that claims nothing is sorted on its own when the merge reaches it, and joins as one more
// input; a file that claims a prefix of the keys is sorted within stretches of equal prefix, so
// that never more than one stretch is held (docs/order.md, 4).
#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "merge/spill.h"
#include "order/key_slice.h"
#include "order/sort_key.h"
#include "read/source.h"

namespace esker {

/// Wraps `input`, whose rows are in order of the first `satisfied` keys (0: of none), into a
/// source in order of all `keys`. Stable: rows that tie keep the order of the file. The claimed
/// prefix is verified as in the lazy merge. Lazy: nothing is read before NextKeys().
///
/// Rows outside `slice` are dropped before they are sorted. With a claimed prefix they are verified
/// nonetheless, and reading ends when that has come behind the slice.
arrow::Result<std::unique_ptr<Source>> MakeSortedSource(
    std::unique_ptr<Source> input, SortKeys keys, size_t satisfied,
    std::shared_ptr<arrow::Schema> output_schema, SpillOptions spill, arrow::MemoryPool* pool,
    std::shared_ptr<ScanCounters> counters, const KeySlice& slice = {});

}  // namespace esker
