// File source: one data file to sorted keys and rows, in the order of the file or exactly reversed.
#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "base/task_pool.h"
#include "catalog/storage.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/delete_set.h"
#include "read/row_group_slice.h"
#include "read/source.h"

namespace esker {

/// What all files of one scan share. Everything here outlives the sources.
struct ReadContext {
  std::shared_ptr<const Storage> storage;
  std::shared_ptr<const RowRequest> request;
  std::shared_ptr<DeleteCache> deletes;
  /// The columns that equality deletes may name, dropped ones besides those of request->schema;
  /// null: just those of request->schema.
  std::shared_ptr<const Schema> delete_schema;
  std::shared_ptr<ScanCounters> counters;
  arrow::MemoryPool* pool = nullptr;  ///< null for the default pool
  /// About what is decoded of a file at once, however wide its rows are: for memory, and because
  /// an Arrow string array ends at 2 GiB.
  int64_t decode_bytes = 32 << 20;
  /// The part of one file that is wanted, to leave out row groups by; null: all of it.
  std::shared_ptr<const FileSlice> slice;
  /// Threads that decode columns; null: the calling one alone. The rows, and the first error, are
  /// the same.
  std::shared_ptr<TaskPool> tasks = nullptr;
  /// Whether the keys of the next block may be decoded while nobody waits for them. Sensible where
  /// all of the file will be read. Needs `tasks`.
  bool read_ahead = false;
};

/// Opens a data file: its footer and the deletes that concern it.
///
/// Columns are found by field id (by the name mapping where the file has none), promoted to their
/// type now, filled with their initial default or null where the file lacks them; deletes and the
/// filter are applied, row groups and pages that the filter rules out are skipped without moving
/// positions.
/// `reversed` gives the rows last to first.
///
/// Errors: IOError or Invalid naming the file for what is missing or damaged, also where the
/// footer's row count is not the manifest's (arc#836); UnsupportedError naming file and feature
/// (ORC, Avro, encryption, a type that Arrow cannot carry).
arrow::Result<std::unique_ptr<Source>> OpenFileSource(const ReadContext& context,
                                                      const FileTask& task, bool reversed);

/// The same with the deletes of the file given; context.deletes is not asked.
arrow::Result<std::unique_ptr<Source>> OpenFileSource(const ReadContext& context,
                                                      const FileTask& task, DeleteSet deletes,
                                                      bool reversed);

}  // namespace esker
