// Open input: one input of the merge whose rows are being read, with its keys decoded ahead.
//
//     rows of the source   0 ........ taken ........ begin of keys() ....... given .......
//                          gone out by Take()        waiting, keys encoded   not read yet
//
// Reading keys also verifies them: no row before its predecessor. All keys that wait lie in one
// key batch, so that a window is one span per input whatever the batches of the source were.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/memory_budget.h"
#include "base/scan_counters.h"
#include "base/task_pool.h"
#include "merge/key_batch.h"
#include "merge/key_encoder.h"
#include "merge/merge_kernel.h"
#include "merge/spill.h"
#include "read/source.h"

namespace esker {

/// What all open inputs of one merge share. Outlives them.
struct MergeContext {
  KeyEncoder encoder;
  std::shared_ptr<arrow::Schema> schema;  ///< of the output columns
  arrow::MemoryPool* pool = nullptr;      ///< not null
  bool keep_key_rows = false;             ///< key columns may be asked for: inputs may be spilled
  bool may_begin_with_nan = false;        ///< files may hold a block of NaN rows (nan_block.h)
  SpillOptions spill;
  std::shared_ptr<MemoryBudget> budget;    ///< null: none
  std::shared_ptr<ScanCounters> counters;  ///< not null
  std::shared_ptr<TaskPool> tasks;         ///< null: no threads but the calling one
};

class NanBlockSource;

/// Refill() and Take() touch nothing that other inputs change: different inputs may be refilled, or
/// taken from, on several threads.
class OpenInput {
 public:
  /// What kind of thing is read: only files count against MergeOptions::max_open.
  enum class Kind { kFile, kRun, kBlock };

  struct Identity {
    Kind kind = Kind::kFile;
    std::string claim;  ///< for messages
    KeyBatch upper;     ///< one row, for counting misses; no rows if there is none
    int64_t bytes = 0;  ///< kRun: on disk
  };

  /// Nothing is read yet. `context` is kept, and its budget charged with what the source says that
  /// it takes, whether or not that fits.
  OpenInput(const MergeContext& context, Identity identity, std::unique_ptr<Source> source);
  ~OpenInput();

  /// Reads keys until at least `rows` wait or the source ends. Errors: DisorderError with the
  /// place, and those of the source.
  arrow::Status Refill(int64_t rows);

  /// The next `count` waiting rows: output columns, and with `keys` (keep_key_rows only) the key
  /// columns as the source gave them. Requires count <= rows().
  arrow::Status Take(int64_t count, arrow::RecordBatchVector* rows, arrow::RecordBatchVector* keys);

  /// The block of NaN rows that Refill() found out of place and the source holds back; null if
  /// there is none, or none new. It is an input of its own, in front of this one.
  arrow::Result<std::unique_ptr<OpenInput>> TakeNanBlock();

  /// True when no row waits and none will come.
  bool ended() const { return at_end_ && rows() == 0; }
  bool has_more() const { return !at_end_; }
  int64_t rows() const { return keys_.rows - begin_; }
  KeySpan span() const { return {&keys_, begin_, keys_.rows}; }
  KeyRow head() const { return {&keys_, begin_}; }  ///< requires rows() > 0

  /// Did the last row of an input that has ended come after its upper corner?
  bool MissesUpper() const;

  /// DisorderError for the waiting head: `what` says which rule it breaks.
  arrow::Status HeadError(const std::string& what) const;

  const Identity& identity() const { return identity_; }

 private:
  arrow::Status Read(KeyBatch* keys);
  arrow::Status Verify(const KeyBatch& keys) const;
  arrow::Status Inversion(KeyRow before, KeyRow row, int64_t row_number) const;
  arrow::Status CheckTaken(const arrow::RecordBatchVector& batches, int64_t count) const;
  arrow::RecordBatchVector TakeKeyRows(int64_t count);

  const MergeContext& context_;
  Identity identity_;
  std::unique_ptr<Source> source_;
  MemoryCharge charge_;
  NanBlockSource* nan_source_ = nullptr;  // source_, where it may hold NaN rows back
  KeyBatch keys_;                         // rows that wait, from begin_ on
  int64_t begin_ = 0;
  int64_t given_ = 0;  // rows that the source has given keys of
  bool at_end_ = false;
  KeyBatch last_key_;  // of the last row given; no rows before the first
  std::deque<std::shared_ptr<arrow::RecordBatch>> key_rows_;  // those that wait, if kept
};

}  // namespace esker
