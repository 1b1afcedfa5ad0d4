// NaN block: rows that a file in the total order of floats puts in front, and Esker last.
//
// The spec's order of floats is the total one: NaN with the sign bit comes before -infinity, and
// on x86 0/0 is such a NaN. Esker's order has every NaN behind all numbers (docs/order.md, 1).
// So a file that is sorted as the spec says may begin with a block of NaN rows which, for Esker,
// belong at the far end:
//
//     file      null null | -NaN -NaN | -inf ... 5 ... +inf | +NaN
//     source    null null |           | -inf ... 5 ... +inf | +NaN     one input of the merge
//     block                 NaN NaN                                    another, just in front of it
//
// The block is taken out while it passes, and becomes an input of its own. It stays in memory up
// to a few mebibytes and goes to disk beyond. Only an ascending leading key can be served like
// this: descending, the block stands at the end of the file but belongs at its beginning, which
// is gone by then; there, and on later keys, it is a violation like any other.
#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "merge/spill.h"
#include "order/sort_key.h"
#include "read/source.h"

namespace esker {

/// Can a file in the total order begin with NaN rows that belong at its end?
bool MayBeginWithNan(const SortKeys& keys);

/// Finds the block in the key batches of a source, one after another.
class NanFront {
 public:
  /// Rows [begin, end) of a batch; none where they are equal.
  struct Block {
    int64_t begin = 0;
    int64_t end = 0;
  };

  /// `may_begin`: MayBeginWithNan(); without, there is never a block.
  NanFront(bool may_begin, bool nulls_first) : past_(!may_begin), nulls_first_(nulls_first) {}

  /// What of the next batch, given by its first key column, belongs to the block. O(rows of it).
  Block Find(const arrow::Array& first_key);

  bool past() const { return past_; }  ///< a row has been seen that is neither null nor NaN

 private:
  bool past_;
  bool nulls_first_;
  bool in_block_ = false;
};

/// A source without its NaN block.
class NanBlockSource : public Source {
 public:
  /// Requires MayBeginWithNan(). `schema` is that of the output columns.
  NanBlockSource(std::unique_ptr<Source> input, bool nulls_first,
                 std::shared_ptr<arrow::Schema> schema, SpillOptions spill, arrow::MemoryPool* pool,
                 std::shared_ptr<ScanCounters> counters);
  ~NanBlockSource() override;

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() override;
  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) override;
  RowPlace Place(int64_t row) const override;
  SourceMemory memory() const override { return input_->memory(); }

  /// The block, once, after the call of NextKeys() that passed its end; else null. It stands on
  /// its own: it may outlive this source.
  arrow::Result<std::unique_ptr<Source>> TakeBlock();

 private:
  struct Held;

  arrow::Status Hold(const std::shared_ptr<arrow::RecordBatch>& keys, int64_t begin, int64_t end);

  std::unique_ptr<Source> input_;
  std::shared_ptr<arrow::Schema> schema_;
  NanFront finder_;
  bool at_end_ = false;
  int64_t given_ = 0;        // rows given to the merge
  int64_t taken_ = 0;        // rows that the merge has taken
  int64_t block_begin_ = 0;  // the row of the merge that the block stood in front of
  int64_t block_rows_ = 0;
  arrow::RecordBatchVector front_;  // rows in front of the block, taken from input_ ahead of time
  std::unique_ptr<Held> held_;
};

}  // namespace esker
