// Cut choice: where to cut a scan so that its parts are about equal in rows.
//
// All that is known before reading is a corner at each end of every file and a count of rows. So
// the rows of a file are taken to be spread evenly between its corners, by the first key in which
// those differ, and all files together give a curve that only rises:
//
//     rows before   0      10        20    30        first key
//              40                 ________/          file 1  [20 .. 30], 20 rows
//              20          ______/                   file 0  [0 .. 10], 20 rows
//               0  _______/
//
// A cut is wanted where the curve reaches 1/n, 2/n … of all rows. If a file begins near enough
// there, the cut is its lower corner: a file that no cut goes through is read by one split alone.
// Else a value in between is worked out, one that perhaps no row has. Where the curve jumps (many
// rows of one key, such as one country), the files of that key are cut by the next key.
//
// Wrong guesses cost balance and nothing else: any rising list of cuts is right. Pure.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "order/corner.h"

namespace esker {

/// What is known of one file.
struct WeighedRange {
  /// Of its values: nulls and NaN beside them may be left out, lest they hide where those begin.
  const KeyRange* range = nullptr;
  int64_t rows = 0;
};

struct Cut {
  Corner key;              ///< see order/key_slice.h; whole values and null slots only
  double rows_before = 0;  ///< by the curve
};

/// At most `parts` - 1 cuts, rising, each with an estimated row on both sides. Fewer where bounds
/// are missing or most rows have one key. Requires parts >= 1, a half-rank for every key, and
/// counts that are not negative. O(files × log files + parts × log files) for each key.
std::vector<Cut> ChooseCuts(std::span<const SortKey> keys, std::span<const WeighedRange> files,
                            int32_t parts);

}  // namespace esker
