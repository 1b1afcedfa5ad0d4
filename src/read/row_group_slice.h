// Row group slice: which row groups of a file a split has to read.
//
// Row groups whose statistics say that they lie outside the slice are left out, but only from the
// two ends, in the order in which the file is read:
//
//     keys of row groups      [1 .. 4]  [4 .. 7]  [2]  [7 .. 9]        slice [5, 7)
//     read                                 x       x
//
// The third one breaks the order of the file. Left out, nobody would ever see that: its rows would
// be in no split. So everything between the first and the last row group inside is read. In a file
// that is sorted for the split every row is looked at by itself, and any row group may be left out.
#pragma once

#include <vector>

#include "arrow/result.h"
#include "order/key_slice.h"
#include "order/sort_key.h"
#include "plan/file_task.h"
#include "read/parquet_file.h"
#include "read/row_group_choice.h"

namespace esker {

/// The part of a file that is wanted.
struct FileSlice {
  SortKeys keys;
  KeySlice slice;          ///< open on a side where the file should not reach beyond the slice
  bool reversed = false;   ///< the file is read last row to first
  bool any_order = false;  ///< its rows are not held to be in any order
};

/// What is left of `groups` (in the order of the file). `columns` are those of the keys. Statistics
/// are trusted as those for a filter are, see RowGroupFacts(), but for upper bounds that may have
/// been cut. O(row groups × keys).
arrow::Result<std::vector<RowGroupSpan>> RowGroupsInSlice(const ParquetFile& file,
                                                          const FileTask& task,
                                                          const std::vector<FilterColumn>& columns,
                                                          const FileSlice& slice,
                                                          std::vector<RowGroupSpan> groups);

}  // namespace esker
