// What a caller can ask for: how to open a table, which rows in which order, and how to read them.
//
// Required things are arguments; everything here has a default that is right for most.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace arrow {
class MemoryPool;
}
namespace arrow::fs {
class FileSystem;
}

namespace esker {

/// How to reach a table.
struct OpenOptions {
  /// Prefix replacements FROM -> TO for locations in the metadata, beyond the one that Esker
  /// finds itself when the table has moved.
  std::vector<std::pair<std::string, std::string>> map = {};
  /// Serves all paths; null is the local file system. Must outlive nothing: it is shared.
  std::shared_ptr<arrow::fs::FileSystem> filesystem = nullptr;
};

/// One key of an order as a user writes it.
struct OrderKey {
  std::string column = {};  ///< "ts", or "a.b" for a member of a struct
  bool descending = false;
  /// Unset: as in Iceberg's API and Spark, ascending puts nulls first and descending last.
  std::optional<bool> nulls_first = {};
};

/// Which order a scan without `order_by` gives.
enum class OrderFrom {
  kFiles,  ///< the longest order that all planned files share (preserve_data_ordering)
  kTable,  ///< the table's default sort order
  kNone,   ///< none: files one after another
};

/// Which rows and columns, in which order.
struct ScanRequest {
  std::vector<OrderKey> order_by = {};
  OrderFrom order = OrderFrom::kFiles;
  /// Files without an order id, or with 0, are taken to be in this order; verified like every
  /// claim.
  std::vector<OrderKey> assume_order = {};
  std::string where = {};  ///< filter; "" for all rows. Language: docs/filters.md
  /// Columns out, in this order; unset: all. "a.b" is a member of a struct. `_file`, `_pos`,
  /// `_spec_id`, `_row_id`, `_last_updated_sequence_number` can be named.
  std::optional<std::vector<std::string>> columns = {};
  /// First N rows in the order. Files that begin after others which hold N rows, by counts and
  /// bounds, do not count for depth and over_limit; they are opened only if those are wrong.
  std::optional<int64_t> limit = {};
  /// At most one of these three; none: the current snapshot.
  std::optional<int64_t> snapshot_id = {};
  std::optional<std::string> as_of = {};  ///< ISO 8601 time, UTC unless it has an offset
  std::optional<std::string> ref = {};    ///< branch or tag
};

/// What happens where files overlap deeper than `max_merge_files`.
enum class OverLimit {
  kPasses,     ///< merge in passes, with spilling
  kUnordered,  ///< give the order up, and say so: the plan then tells no order
  kError,      ///< refuse
};

/// What happens to a file that breaks the order it claims.
enum class OnDisorder {
  kError,  ///< stop with an error that names file, row group, row and keys
  kSort,   ///< check claiming files first; one that lies is sorted like an unsorted one
};

/// How to read. None of these changes which rows come out, or their order.
struct ScanOptions {
  int32_t max_merge_files = 64;  ///< most files open at once; at least 2
  OverLimit over_limit = OverLimit::kPasses;
  OnDisorder on_disorder = OnDisorder::kError;
  int64_t max_planned_files = 1'000'000;  ///< planning stops beyond, naming this setting
  /// Budget of a scan: what open files and their deletes take (estimated from their footers before
  /// a row is decoded; deletes once for all files that share them), sorters, merge passes and the
  /// rows being merged. Where files would take more together, some are merged to disk first; too
  /// small for two at a time, or for the deletes of one, is a usage error that names the number
  /// needed. Batches that the caller keeps come on top. 0: half of the machine's memory.
  int64_t memory_bytes = 0;
  std::string spill_dir = {};  ///< "" for the system's temporary folder
  /// Threads that read, the calling one among them: columns, and the inputs of a merge, are decoded
  /// side by side. 1: no other thread is started. 0: one for each processor, 16 at most. Never more
  /// than the memory budget has 32 MiB for.
  int32_t threads = 0;
  int64_t batch_rows = 16384;  ///< rows of an output batch
  /// Switches for tests: each shortcut can be turned off, and the rows stay the same.
  bool prune_manifests = true;
  bool prune_files = true;
  bool prune_row_groups = true;
  bool prune_pages = true;
  bool use_bloom_filters = true;
  bool use_dictionaries = true;
  bool use_bounds = true;             ///< off: every file spans all keys
  arrow::MemoryPool* pool = nullptr;  ///< null: Arrow's default pool
};

}  // namespace esker
