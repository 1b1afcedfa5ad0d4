// Position delete files (spec: Position Delete Files): rows of (file_path, pos).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/position_set.h"
#include "read/load_room.h"

namespace arrow::io {
class RandomAccessFile;
}

namespace esker {

/// Deleted positions by the path of the data file, as recorded.
using PositionsByPath = std::unordered_map<std::string, std::shared_ptr<PositionSet>>;

/// Reads a whole position delete file in Parquet. Rows may come in any order and several times; a
/// column `row` is not read. A row without a path, as Impala meets them, deletes nothing. With
/// `only_path`, rows of other data files are dropped as they come.
///
/// Invalid, without the file's name: a null or negative position, no field ids, no
/// such columns, a damaged file; a refusal of `room`. Memory: the bitmaps, the paths, one batch of
/// rows. `charge` is resized along, and at last to what the result takes; null: one of its own.
arrow::Result<PositionsByPath> ReadPositionDeletes(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const std::optional<std::string>& only_path,
    arrow::MemoryPool* pool, const LoadRoom& room = {}, MemoryCharge* charge = nullptr);

}  // namespace esker
