// Read cost: how much memory reading a file will take, from its footer (and backwards from one
// offset index) alone.
//
// Of every leaf that is decoded, a reader holds a window of compressed bytes, a page and the
// dictionary; of one leaf at a time (of all, on several threads) what the next page is made of; and
// of every column some rows as Arrow arrays. Footers do not tell the size of a page, and of strings
// that are dictionary-encoded not even how long they are (but for the size statistics of newer
// writers). So these are estimates, meant for deciding how many files may be open at once.
//
// Backwards, a row group is read in pieces where it has offset indexes. Of every column a piece
// costs, besides its own rows, the dictionary and about one page that it shares with its
// neighbours. So pieces are made large enough that this is at most as much as the rows themselves,
// and reading all of them costs at most about twice what reading the row group does. All row groups
// are taken to be like the last one, which is read first.
#pragma once

#include <cstdint>
#include <span>

#include "arrow/result.h"
#include "read/block_source.h"
#include "read/source.h"

namespace parquet {
class FileMetaData;
}

namespace esker {

/// How a file is read within about `decode_bytes` of decoded rows.
struct ReadCost {
  int64_t buffer_bytes = 0;  ///< window of compressed bytes for each leaf
  int64_t decode_rows = 0;   ///< rows decoded at once: from 1 to the request's batch_rows
  PieceRows piece_rows;      ///< backwards, in pieces
  SourceMemory memory;
};

struct ReadShape {
  bool reversed = false;
  bool in_parallel = false;  ///< all leaves may be at their next page at the same time
  bool reads_ahead = false;  ///< of the eager columns one block more is there
};

/// Requires opened.file, columns, request, row_groups and last_pages. Reads nothing.
/// O(row groups × leaves + last pages).
arrow::Result<ReadCost> EstimateReadCost(const OpenedFile& opened, int64_t decode_bytes,
                                         ReadShape shape);

/// The same for a pass over some leaves of a file, all of its rows and each leaf by itself, as
/// delete files are read.
arrow::Result<ReadCost> EstimatePassCost(const parquet::FileMetaData& metadata,
                                         std::span<const int> leaves, int64_t decode_bytes);

}  // namespace esker
