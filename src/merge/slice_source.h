// Slice source: the rows of a source that lie inside a slice of key space.
//
//     source     1 3 4 4 6 7 9 9         slice [4, 7)
//     given          4 4 6               rows before are skipped, the first one behind ends it
//
// A split reads only the files whose corners meet its slice, so a row outside the corners of its
// file could be in no split at all. That is why *ends* are told: a file that should begin in the
// slice may have no row before it, one that should end there no row behind it. Such a row is an
// error. Of the splits that a file meets one holds its beginning and one its end, so there is no
// row that none of them would miss (docs/splits.md has the proof).
#pragma once

#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "order/key_slice.h"
#include "order/sort_key.h"
#include "read/source.h"

namespace esker {

/// How a file lies to the slice; for the check and for its message.
struct SlicedFile {
  SlicePlace place;
  KeyRange range;
};

/// Wraps `input`, whose rows are in order of `keys` but for a block of NaN rows in front of it
/// (nan_block.h). Rows are given in the same order; their order is not verified beyond what telling
/// the ends takes. NextKeys() fails with a DisorderError that names file, row group and row for a
/// row outside on a side where the file should not be. Cost: one key of every batch is encoded, and
/// all keys of the batches that a cut goes through.
arrow::Result<std::unique_ptr<Source>> MakeSliceSource(std::unique_ptr<Source> input, SortKeys keys,
                                                       KeySlice slice, SlicedFile file,
                                                       arrow::MemoryPool* pool);

}  // namespace esker
