// Merge pass: makes room under the cap of open files by merging some of them to one spilled run.
//
// When the merge needs one file more than may be open, a group of open inputs is merged, from
// where they stand to their ends, into a run on disk; the run joins in their place. A group is
// *contiguous* among the open ones: all others come either before or behind the whole of it, so the
// run can stand in its place and ties still go to the earlier input. Runs are no open files, but
// they cost a handle and a batch each, so too many of them are merged among themselves.
//
//     open     f0  f1  f2  f3            cap 4, f4 is due
//     drain       [f1  f2]
//     open     f0   run     f3  f4       the run has the place of both
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "merge/open_input.h"

namespace esker {

/// Places [begin, end) in the list of open inputs.
struct InputGroup {
  size_t begin = 0;
  size_t end = 0;
};

/// Picks `size` neighbouring files (fewer if there are not so many side by side) that should end
/// soonest by their upper corners: little of them is left to be written. `open` holds at least one
/// file; other inputs are never in the group. O(open × size).
InputGroup ChooseFiles(std::span<const std::unique_ptr<OpenInput>> open, size_t size);

/// Picks the stretch that holds `size` runs with the fewest files between them, then the fewest
/// bytes, so that small runs are merged first and no row is written more often than the logarithm
/// of their number. Requires size >= 2 and that there are so many. O(open).
InputGroup ChooseRuns(std::span<const std::unique_ptr<OpenInput>> open, size_t size);

/// Merges what is left of `group` into a run on disk. The inputs are closed as they end; on an
/// error all are. Requires keep_key_rows in `context`. O(rows); memory: what the inputs have
/// decoded plus a window of `window_rows`.
arrow::Result<std::unique_ptr<OpenInput>> DrainToRun(std::vector<std::unique_ptr<OpenInput>> group,
                                                     const MergeContext& context,
                                                     int64_t window_rows);

}  // namespace esker
