// Memory source: a Source over batches that hold key and output columns side by side.
//
//     batch     | key 0 | key 1 | column a | column b |
//               '-- NextKeys() -'---- Take() ---------'
//
// What sorters and merge passes make (sorted chunks in memory, spilled runs) comes back to the
// merge through this. "Memory" is where a batch is while it is being taken; `next` may well read
// it from a file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "read/source.h"

namespace esker {

/// Gives the next batch; null at the end. Empty batches are skipped.
using NextBatch = std::function<arrow::Result<std::shared_ptr<arrow::RecordBatch>>()>;

/// Which columns of a batch are keys and which are output.
struct ColumnSplit {
  int key_columns = 0;   ///< the first ones
  int first_output = 0;  ///< output columns are those from here on: may overlap the keys
};

/// `row_schema` is that of the output columns. `place` is what Place() answers for every row, and
/// `memory` what memory() does.
std::unique_ptr<Source> MakeBatchSource(NextBatch next, ColumnSplit split,
                                        std::shared_ptr<arrow::Schema> row_schema, RowPlace place,
                                        SourceMemory memory = {});

/// The first `count` columns of `batch`.
std::shared_ptr<arrow::RecordBatch> KeyColumns(const arrow::RecordBatch& batch, int count);

}  // namespace esker
