// Disorder: does a source really come in the order that it claims?
//
// The merge checks every row as it goes, and stops at the first that is out of order. A caller
// that would rather sort such a file has to know before a row of it went out: this reads the keys
// of the whole source ahead, and nothing else.
#pragma once

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "order/sort_key.h"
#include "read/source.h"

namespace esker {

/// True if every row of `source` is not before its predecessor by the first `satisfied` of
/// `keys`. Reads the keys to the end or to the first fault; the source is of no use afterwards.
/// Errors: those of the source.
arrow::Result<bool> IsInOrder(Source* source, const SortKeys& keys, size_t satisfied,
                              arrow::MemoryPool* pool);

}  // namespace esker
