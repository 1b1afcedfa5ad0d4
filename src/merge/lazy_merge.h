// Lazy merge: many sorted inputs to one, each opened only when the merge reaches it.
//
// The plain algorithm opens every input, keeps their heads in a tree and emits the smallest. Ours
// differs in one thing: an input that is not open yet takes part as a *virtual head*, its lower
// corner, which no row of it can precede. When a virtual head is the smallest, the input is
// opened. So inputs that follow one another are never open together, and a LIMIT opens only what
// it needs. See docs/order.md, 6, and the invariants at the top of lazy_merge.cc.
//
//     key          0    10    20    30
//     input 0      [#####]            open, rows are emitted
//     input 1          |.......]      virtual: stands in at 8 until the merge gets there
//     input 2               |.....]   virtual: stands in at 18
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/memory_budget.h"
#include "base/scan_counters.h"
#include "base/task_pool.h"
#include "merge/spill.h"
#include "order/corner.h"
#include "order/sort_key.h"
#include "read/source.h"

namespace esker {

/// One input, not yet open.
struct MergeInput {
  Corner lower;  ///< no row comes before it, or is counted as a miss and still ordered right
  Corner upper;  ///< for counting misses only; order does not rest on it
  /// Opens the input: rows in order of the keys. Called at most once.
  std::function<arrow::Result<std::unique_ptr<Source>>()> open;
  std::string claim;  ///< for error messages: "sort order id 1", "assumed"
};

struct MergeOptions {
  /// Most rows of an output batch. Pieces of half as many pass as they are, shorter ones are
  /// joined; the first batches are smaller.
  int64_t batch_rows = 16384;
  int64_t window_rows = 65536;  ///< most rows that are merged at once
  int64_t limit = -1;           ///< rows out; -1 for all. Starts with small windows and grows
  /// Most inputs open at once; 0 for no cap. Over it the surplus is spilled (merge_pass.h).
  int32_t max_open = 0;
  /// About what the rows of a window may take in memory; 0 for no bound but window_rows.
  int64_t window_bytes = 0;
  /// What inputs may take; null for no budget. An input that does not fit makes room as one over
  /// max_open does.
  std::shared_ptr<MemoryBudget> budget = nullptr;
  SpillOptions spill{};               ///< where to; memory_bytes is not looked at
  arrow::MemoryPool* pool = nullptr;  ///< null for the default pool
  /// Threads for what inputs of a window, and columns, do by themselves; null: the calling one.
  std::shared_ptr<TaskPool> tasks = nullptr;
};

/// Merges `inputs` by `keys` into batches of `schema` (the output schema of every source).
///
/// Inputs must be sorted by (lower, upper); ties between rows go to the earlier input, so the
/// result is the stable merge. Every row is verified: not before its predecessor in its input,
/// and every input's first row not before what was emitted already; a violation is a
/// DisorderError that names file, row group, row, both keys and the claim. UsageError naming the
/// number needed where the budget is too small for two inputs. After an error, or Close(), the
/// reader stays so and holds nothing open.
///
/// Memory: what the open inputs say that they take plus one window.
arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeLazyMerge(
    std::vector<MergeInput> inputs, SortKeys keys, std::shared_ptr<arrow::Schema> schema,
    MergeOptions options, std::shared_ptr<ScanCounters> counters);

}  // namespace esker
