// Parquet footer: the one way in which a Parquet file is opened.
//
// Parquet's library turns the flat list of a footer's schema into a tree by recursion, so a footer
// of a few hundred KiB whose groups lie within one another runs out of stack. So the list is walked
// in the raw footer (Thrift's compact protocol) before the library sees it.
#pragma once

#include <memory>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace parquet {
class ParquetFileReader;
class ReaderProperties;
}  // namespace parquet

namespace esker {

/// Most levels of a Parquet schema below its root. A list or a map takes two.
inline constexpr int kMostParquetLevels = 200;

/// Invalid if a raw footer has a deeper schema, or is not what the library's generated reader of
/// Parquet's structures would take it for. O(bytes), bounded stack.
arrow::Status CheckFooter(std::string_view footer);

/// Opens the file by its footer, which takes one read, or two where the footer is above 64 KiB.
/// Errors: IOError, Invalid for damage and as CheckFooter(); UnsupportedError for encryption.
arrow::Result<std::unique_ptr<parquet::ParquetFileReader>> OpenParquet(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const parquet::ReaderProperties& properties);

}  // namespace esker
