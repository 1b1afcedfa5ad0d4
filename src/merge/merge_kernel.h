// Merge kernel: the stretches of sorted keys in one window to a list of runs.
//
// A pure object: keys in, runs out. A window is closed before it is merged (window.h), so there is
// no bounds check against files, no refill and no error in here.
//
//     span 0   1 1 4          runs   (0, 2) (1, 2) (0, 1) (1, 2)
//     span 1   2 3 4 5                          the tie at 4 goes to the earlier span
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "merge/key_batch.h"

namespace esker {

/// Rows [begin, end) of a batch, sorted.
struct KeySpan {
  const KeyBatch* keys = nullptr;
  int64_t begin = 0;
  int64_t end = 0;

  int64_t rows() const { return end - begin; }
};

/// `count` rows of span `span`, taken at once.
struct RowRun {
  uint32_t span = 0;
  int64_t count = 0;

  bool operator==(const RowRun&) const = default;
};

/// The stable merge of `spans` as runs, appended to `runs`; neighbouring runs are of different
/// spans. Spans share one layout; empty ones are allowed. Where one span wins again and again, the
/// end of its run is found by galloping. O(rows × log spans) at most, O(runs × log) at best.
void MergeSpans(std::span<const KeySpan> spans, std::vector<RowRun>* runs);

}  // namespace esker
