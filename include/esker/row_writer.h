// Row writers: a stream of record batches to one of the formats below.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace arrow::io {
class OutputStream;
}

namespace esker {

enum class Format {
  kTable,     ///< aligned columns for a terminal; holds back rows to size them
  kCsv,       ///< RFC 4180: header line, CRLF-free; null an empty field, empty string ""
  kTsv,       ///< header line; tab, newline, carriage return and backslash escaped; null \N
  kNdjson,    ///< one JSON object a line
  kJson,      ///< one JSON array of objects
  kMarkdown,  ///< a pipe table
  kArrow,     ///< Arrow IPC stream
  kParquet,   ///< a Parquet file, Zstandard, with the Iceberg field ids
  kNone,      ///< reads everything, writes nothing
};

/// "csv" and so on; nullopt for an unknown name.
std::optional<Format> ParseFormat(std::string_view name);
/// All names, for help and errors: "table, csv, …".
std::string FormatNames();

class RowWriter {
 public:
  virtual ~RowWriter() = default;
  virtual arrow::Status Write(const arrow::RecordBatch& batch) = 0;
  /// Writes what is due at the end: footers, closing brackets, held rows. Does not close the sink.
  /// Call it once, last. Errors, as those of Write(): what the sink says.
  virtual arrow::Status Finish() = 0;
};

struct RowWriterOptions {
  int32_t terminal_columns = 0;  ///< kTable: cut lines at this width; 0: do not cut
  /// kParquet: about what the rows of a row group take before they are encoded; it is held in
  /// memory until it is whole. A million rows end it, too.
  int64_t row_group_bytes = 128 << 20;
};

/// A writer of rows of `schema` into `sink`, which must outlive it.
arrow::Result<std::unique_ptr<RowWriter>> MakeRowWriter(Format format,
                                                        std::shared_ptr<arrow::Schema> schema,
                                                        arrow::io::OutputStream* sink,
                                                        RowWriterOptions options = {});

}  // namespace esker
