// A planned scan: what will be read, in which order, and why; then the rows.
//
//     auto plan = table->Plan({.order_by = {{"ts"}}, .limit = 100});
//     (*plan)->Explain();             // nothing but metadata has been read so far
//     auto rows = (*plan)->Read();    // an arrow::RecordBatchReader, in order
//
// Deciding happens once: the object that the reader follows is what Explain() prints and what
// order() tells the engine above. The snapshot, its schema and the list of files are pinned.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "esker/options.h"
#include "esker/split.h"

namespace esker {

/// Statistics of one column of one file, decoded. Absent (nullopt, null) is unknown.
struct ColumnStatisticsView {
  int32_t field_id = 0;
  std::string column;
  std::optional<int64_t> value_count;
  std::optional<int64_t> null_count;
  std::optional<int64_t> nan_count;
  std::shared_ptr<arrow::Scalar> lower_bound;  ///< at or below every value; may be truncated
  std::shared_ptr<arrow::Scalar> upper_bound;  ///< at or above every value
};

/// One data file of a plan, with per-column statistics of the columns that were asked for.
struct FileScanTask {
  std::string path;  ///< as recorded
  std::string format;
  int64_t record_count = 0;
  int64_t file_size_bytes = 0;
  int64_t data_sequence_number = 0;
  int32_t spec_id = 0;
  std::vector<std::pair<std::string, std::string>> partition;  ///< field name, value in words
  std::optional<int32_t> sort_order_id;
  int32_t position_delete_files = 0;  ///< delete files that may concern this file
  int32_t equality_delete_files = 0;
  bool has_deletion_vector = false;
  std::vector<ColumnStatisticsView> columns;

  std::string claim;   ///< "sort order id 1", "assumed", "single row", "none"
  std::string how;     ///< "as it is", "reversed", "prefix sort", "sort"
  std::string reason;  ///< in words, where it is not as it is
  std::string lower;   ///< corners in words, "" without an order
  std::string upper;
  /// Number of its chain and section; -1 without an order, and beyond the limit of the scan.
  int32_t chain = -1;
  int32_t section = -1;
};

/// A key of an order with its column resolved.
struct ResolvedKey {
  std::string column;
  int32_t field_id = 0;
  bool descending = false;
  bool nulls_first = true;
};

/// A remark of the planner: something that the caller should know and that is no error.
struct PlanWarning {
  std::string code;  ///< stable: "over-limit", "no-order", ...
  std::string text;
  std::string file;  ///< "" if it is not about one file
};

/// Numbers of a finished or running read. Bytes and milliseconds where the name says so, else
/// counts. ToJson() has them by the same names, misses in an object of their own.
struct ScanStatistics {
  int64_t rows = 0, batches = 0;
  int64_t files_opened = 0, peak_open_files = 0;
  int64_t row_groups_read = 0, row_groups_skipped = 0, pages_skipped = 0;
  int64_t requests = 0, bytes_read = 0;
  int64_t peak_memory_bytes = 0;  ///< of the pool that the scan used
  int64_t spilled_bytes = 0;
  int64_t runs = 0, compared_rows = 0;
  int64_t planning_ms = 0, first_batch_ms = 0, total_ms = 0;
  int64_t misses_before_lower = 0, misses_after_upper = 0;
  std::string ToJson() const;
};

class ScanPlan {
 public:
  virtual ~ScanPlan() = default;

  /// The schema of the rows. With uuid columns as fixed_size_binary(16) of extension arrow.uuid.
  virtual const std::shared_ptr<arrow::Schema>& schema() const = 0;

  /// The order asked for, and what is told upward: the longest prefix of it whose keys are among
  /// the output columns. Empty: no order is promised.
  virtual const std::vector<ResolvedKey>& order_asked() const = 0;
  virtual const std::vector<ResolvedKey>& order() const = 0;

  virtual const std::vector<FileScanTask>& files() const = 0;  ///< in reading order
  virtual int32_t chains() const = 0;
  virtual int32_t max_depth() const = 0;
  virtual const std::vector<PlanWarning>& warnings() const = 0;

  /// The plan in words, a narrow tree; and as one JSON object (names in docs/explain.md).
  virtual std::string Explain() const = 0;
  virtual std::string ExplainJson() const = 0;

  /// Rows in order. May be called again: every call is a scan of its own. Nothing is opened before
  /// the first ReadNext(). Errors come from ReadNext(), with a kind of esker/error.h. Dropping
  /// or closing the reader half-way closes everything. One reader is used by one thread at a
  /// time; readers of one plan are independent.
  virtual arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read() const = 0;

  /// Cuts the scan into at most `parts` splits of about equally many rows, at least one: fewer
  /// where the bounds of the files do not say where to cut. Reads nothing. Errors: a number
  /// that is not 1 to 1'000'000; a scan with a limit, which counts over all splits; a plan that is
  /// a split itself.
  virtual arrow::Result<std::vector<ScanSplit>> Split(int32_t parts) const = 0;

  /// Numbers of the reader that Read() gave last.
  virtual ScanStatistics statistics() const = 0;
};

}  // namespace esker
