// Delete file reader: chosen columns of a delete file in Parquet, batch by batch.
//
// A delete file is read as a data file is: columns by field id (by the name mapping where the file
// has none), in the types that they have now. But for a delete file nothing stands in for a column
// that is missing, neither null nor a default: then the file is not what its manifest says, and
// would delete the wrong rows or none (impala/v2_delete_different_equality_ids in the corpus).
//
// The row count of the manifest is not compared: real tables have delete files where it is wrong.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/name_mapping.h"
#include "format/type.h"

namespace arrow::io {
class RandomAccessFile;
}

namespace esker {

/// One pass over a file. Not thread safe. Errors do not name the file: the caller does.
class DeleteFileReader {
 public:
  /// Opens the columns at `paths` (the fields from a top-level one down to the one wanted, all but
  /// that structs). Reads the footer. Rows are decoded about `decode_bytes` at once.
  ///
  /// Invalid: damaged; no field ids and no name mapping; a column that is missing or has a type
  /// that cannot become the one asked for. UnsupportedError: encryption, a type without Arrow form.
  static arrow::Result<std::unique_ptr<DeleteFileReader>> Open(
      std::shared_ptr<arrow::io::RandomAccessFile> file,
      const std::vector<std::vector<Field>>& paths, const NameMapping& mapping,
      arrow::MemoryPool* pool, int64_t decode_bytes = 32 << 20);
  ~DeleteFileReader();

  /// The next rows: one array for each path, in the types of ToArrowType(), all of one length;
  /// empty at the end. At most 16,384 rows, so memory is bounded by these and a page of each
  /// column.
  arrow::Result<arrow::ArrayVector> Next();

  /// By the footer: rows of the file, at most 2^40; what all of them take decoded, about; what
  /// reading takes, rows given out aside.
  int64_t rows() const;
  int64_t all_rows_bytes() const;
  int64_t held_bytes() const;

 private:
  struct Impl;
  explicit DeleteFileReader(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
