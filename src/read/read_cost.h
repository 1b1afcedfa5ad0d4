// Read cost: how much memory reading a file will take, from its footer alone.
//
// Of every leaf that is decoded, a reader holds a window of compressed bytes, a page and the
// dictionary; of one leaf at a time (of all, on several threads) what the next page is made of; and
// of every column some rows as Arrow arrays. Footers do not tell the size of a page, and of strings
// that are dictionary-encoded not even how long they are (but for the size statistics of newer
// writers). So these are estimates, meant for deciding how many files may be open at once.
#pragma once

#include <cstdint>

#include "arrow/result.h"
#include "read/block_source.h"
#include "read/source.h"

namespace esker {

/// How a file is read within about `decode_bytes` of decoded rows.
struct ReadCost {
  int64_t buffer_bytes = 0;  ///< window of compressed bytes for each leaf
  int64_t decode_rows = 0;   ///< rows decoded at once: from 1 to the request's batch_rows
  SourceMemory memory;
};

struct ReadShape {
  bool reversed = false;
  bool in_parallel = false;  ///< all leaves may be at their next page at the same time
  bool reads_ahead = false;  ///< of the eager columns one block more is there
};

/// Requires opened.file, columns, request and row_groups. Cost: O(row groups × leaves), no reading.
arrow::Result<ReadCost> EstimateReadCost(const OpenedFile& opened, int64_t decode_bytes,
                                         ReadShape shape);

}  // namespace esker
