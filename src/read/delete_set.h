// Delete sets: which rows of one data file are gone (spec: Delete Formats, Scan Planning).
//
// Position deletes and deletion vectors are positions in the file, equality deletes are keys that
// rows are compared with. Delete files are shared by many data files, so a scan loads each once,
// through a cache.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "catalog/storage.h"
#include "format/name_mapping.h"
#include "format/position_set.h"
#include "format/type.h"
#include "plan/file_task.h"
#include "read/load_room.h"

namespace esker {

/// The keys of one or more equality delete files with the same equality field ids.
class EqualityDeletes {
 public:
  virtual ~EqualityDeletes() = default;
  /// The columns that rows are compared on, by field id.
  virtual const std::vector<int32_t>& field_ids() const = 0;
  /// Clears the bit of every row whose columns equal a deleted key; null equals null, NaN equals
  /// NaN. Columns of `batch` are those of field_ids(), in that order, in the types of the schema
  /// now. `keep` holds batch.num_rows() bytes, 1 for rows still alive.
  virtual arrow::Status Apply(const arrow::RecordBatch& batch, uint8_t* keep) const = 0;
};

/// The deletes of one data file, loaded.
struct DeleteSet {
  std::shared_ptr<const PositionSet> positions;  ///< null: none
  std::vector<std::shared_ptr<const EqualityDeletes>> equality;
  bool empty() const { return positions == nullptr && equality.empty(); }
};

/// Loads delete files once each, but for those that concern a single data file (deletion vectors,
/// position deletes with a referenced data file): kept, they would pile up with the number of data
/// files. Thread safe without a budget. What it gave out outlives it.
///
/// Memory: the bitmaps and keys of the delete files loaded so far, from the pool where Arrow holds
/// them. Equality deletes of one partition and the same ids share one set of keys. All of it is
/// charged to the budget, once however many data files share it, before it is loaded and for as
/// long as anyone holds it. A set that no open file holds is idle: it stays, and is let go when the
/// budget asks for memory, the one used longest ago first; then it is loaded again.
class DeleteCache {
 public:
  /// `schema` may hold fields of older schemas too: an equality delete may name a column that was
  /// dropped since (the caller adds such fields). `budget` may be null; it outlives what the cache
  /// gave out. About `decode_bytes` of a delete file are decoded at once.
  DeleteCache(std::shared_ptr<const Storage> storage, std::shared_ptr<const Schema> schema,
              NameMapping name_mapping, std::shared_ptr<ScanCounters> counters,
              arrow::MemoryPool* pool, std::shared_ptr<MemoryBudget> budget = nullptr,
              int64_t decode_bytes = 32 << 20);
  ~DeleteCache();

  /// All deletes that concern `task`, position deletes of several files and a deletion vector
  /// united. `task` names all equality deletes of its partition that are younger than it, as
  /// DeleteIndex gives them.
  ///
  /// Errors name the delete file. Invalid: a missing or negative position, a null path, a
  /// cardinality or checksum that does not fit, missing key columns, no field ids. IOError.
  /// UnsupportedError: a delete file in ORC or Avro, an encrypted one. UsageError: the budget is
  /// too small, with one that is not; `beside` (null: nothing) tells what reading the data file
  /// itself will take, and is asked only then.
  arrow::Result<DeleteSet> Load(const FileTask& task, const LoadRoom::Beside& beside = nullptr);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace esker
