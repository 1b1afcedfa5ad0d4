// Window merge: one window of the open inputs, merged and taken out of them.
//
// The step that the lazy merge and a merge pass share: choose the window, merge its keys to runs,
// and take exactly the rows of the runs from the inputs. Inputs are read ahead, and taken from, on
// the threads of the merge; the first error in the order of the inputs counts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "merge/merge_kernel.h"
#include "merge/open_input.h"

namespace esker {

/// Rows that left the inputs together. RowRun::span is a place in the list of inputs, as are the
/// places in `rows` and `keys`.
struct MergedWindow {
  std::vector<RowRun> runs;
  std::vector<arrow::RecordBatchVector> rows;
  std::vector<arrow::RecordBatchVector> keys;  ///< filled if they were asked for
  KeyBatch last_key;                           ///< one row: that of the last row
  int64_t row_count = 0;
};

struct WindowLimits {
  int64_t window_rows = 0;  ///< most rows that are merged
  int64_t take_rows = -1;   ///< most rows that are taken of them; -1 for all
  bool with_keys = false;   ///< take the key columns too
};

/// Merges the next window of `inputs`, which are in order (lazy_merge.cc, I2) and all have waiting
/// rows; none after `next_corner` (may be empty) is taken. At least one row. Counts runs and
/// compared rows.
arrow::Result<MergedWindow> MergeWindow(std::span<const std::unique_ptr<OpenInput>> inputs,
                                        KeyRow next_corner, WindowLimits limits,
                                        const MergeContext& context);

/// Reads each of `inputs` ahead, as far as well filled windows need; closes and drops those that
/// have ended, counting misses of their upper corners; lets the NaN blocks that come to light join
/// in front of their files (nan_block.h). Afterwards every input has a waiting row.
arrow::Status RefillInputs(int64_t window_rows, std::vector<std::unique_ptr<OpenInput>>* inputs,
                           const MergeContext& context);

/// Drops the inputs that have ended, as RefillInputs() does.
void CloseEnded(std::vector<std::unique_ptr<OpenInput>>* inputs, ScanCounters* counters);

}  // namespace esker
