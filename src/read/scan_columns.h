// Scan columns: all columns that one file is read for, each once, and what they are needed for.
//
// Keys, the filter and equality deletes are looked at before anybody knows which rows are wanted:
// their columns are *eager*. All other output columns are *lazy*, decoded only for rows that are
// taken. A column that is a key and output is decoded once, eagerly.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/column_projection.h"
#include "read/delete_set.h"

namespace esker {

/// One column. What is decoded is the projection; row lineage and positions are worked out of it.
struct ScanColumn {
  enum class Lineage { kNone, kPosition, kRowId, kSequenceNumber };
  ColumnRequest request;
  ColumnProjection projection;
  Lineage lineage = Lineage::kNone;
};

struct ScanColumns {
  /// Plans the columns of `request` and of `deletes` for a file. `delete_schema` holds the columns
  /// that equality deletes name. `schema` must outlive the result. Errors: those of
  /// ColumnProjection::Make(), Invalid for an id that the schemas do not have.
  static arrow::Result<ScanColumns> Make(const RowRequest& request, const DeleteSet& deletes,
                                         const Schema& delete_schema, const FileSchema& schema,
                                         const FileTask& task);

  /// Projections of the columns at those indices, for a ColumnStream.
  std::vector<const ColumnProjection*> ProjectionsOf(std::span<const int> indices) const;

  std::vector<ScanColumn> columns;
  // Indices into `columns`:
  std::vector<int> keys;                   ///< of RowRequest::keys
  std::vector<int> output;                 ///< of RowRequest::output
  std::vector<int> filter;                 ///< of BoundFilter::field_ids()
  std::vector<std::vector<int>> equality;  ///< of the field_ids() of each of DeleteSet::equality
  std::vector<int> eager;                  ///< each once
  std::vector<int> lazy;                   ///< each once
};

/// The column's values from what was decoded of it, for rows at those positions of the file.
arrow::Result<std::shared_ptr<arrow::Array>> FinishColumn(const ScanColumn& column,
                                                          std::shared_ptr<arrow::Array> decoded,
                                                          std::span<const int64_t> positions,
                                                          const FileTask& task,
                                                          arrow::MemoryPool* pool);

}  // namespace esker
