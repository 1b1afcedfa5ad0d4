// Dictionary values: all values of a column chunk, from its dictionary page alone.
//
// A chunk of which every data page is dictionary-encoded holds no value that its dictionary does
// not hold. The dictionary is one page in front of the data: where it is much smaller than what a
// row group would cost to read, looking into it first pays.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "format/value.h"
#include "read/parquet_file.h"
#include "read/stored_column.h"

namespace esker {

/// All values but null that the column holds in the row group; the dictionary may have more.
///
/// nullopt where that is not known: the footer does not say that every data page is encoded by the
/// dictionary, the dictionary takes more than `most_bytes` of the file, or holds a value that
/// ValueOfStored() does not know. Invalid for a damaged page, as reading the rows would give it.
/// One read of `most_bytes` at most; the values are held in memory.
arrow::Result<std::optional<std::vector<Value>>> ReadDictionaryValues(const ParquetFile& file,
                                                                      int row_group,
                                                                      const StoredColumn& column,
                                                                      int64_t most_bytes);

}  // namespace esker
