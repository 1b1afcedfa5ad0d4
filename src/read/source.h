// Source: one sorted input of the merge, decoded in two steps.
//
// A merge looks at the key columns of its inputs far more often than at the rest, and with a LIMIT
// or under deletes it never needs most of the rest. So a source gives its key columns ahead, batch
// by batch, and then the output columns for exactly the rows that the merge took:
//
//     NextKeys() -> keys of rows 0..999        Take(600) -> output columns of rows 0..599
//     NextKeys() -> keys of rows 1000..1999    Take(900) -> output columns of rows 600..1499
//
// Rows are those that are left after deletes and filter, numbered from 0 in the order in which the
// source gives them. After an error a source stays failed. Destroying it at any point closes its
// file. Not thread safe; different sources may be used from different threads.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace esker {

/// Where a row of a source stands in its file, for error messages.
struct RowPlace {
  std::string file;        ///< path as recorded in the manifest
  int32_t row_group = -1;  ///< -1 where the format has none
  int64_t row = -1;        ///< position in the file, from 0
};

/// What reading a source will take, in bytes of memory: an estimate, known before a row is decoded.
struct SourceMemory {
  int64_t held_bytes = 0;  ///< pages, dictionaries, windows on the file, rows decoded ahead
  int64_t row_bytes = 0;   ///< of one row's keys and output columns, once they are decoded
};

class Source {
 public:
  virtual ~Source() = default;

  /// The key columns, in the order of the keys, of the next rows; null at the end. Never an empty
  /// batch. Cost: decoding those columns.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() = 0;

  /// The output columns of the next `rows` rows, in batches with `rows` rows together. Requires
  /// that NextKeys() has given those rows. The batches stay valid when the source is gone.
  virtual arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) = 0;

  /// Passes over the next `rows` rows, which nobody wants. As Take(), often cheaper.
  virtual arrow::Status Skip(int64_t rows) { return Take(rows).status(); }

  /// Where row `row` stands; only rows given by NextKeys() and not yet taken, or the last taken
  /// one, need an answer.
  virtual RowPlace Place(int64_t row) const = 0;

  /// Known as soon as the source is there, and the same until it is gone.
  virtual SourceMemory memory() const { return {}; }
};

}  // namespace esker
