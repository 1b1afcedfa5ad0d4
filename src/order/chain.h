// Chain assignment: groups the files of a scan into the fewest sorted streams.
//
// A chain is a list of files whose key ranges follow one another. Read in turn, its files give
// rows in key order, so the merge needs one input per chain instead of one per file.
//
//     key       0    10    20    30
//     file 0    [-----]                  chain {0, 2}: file 0, then file 2
//     file 1        [-------]            chain {1}
//     file 2            [-------]
//
//     depth     1    2     2   1         the number of chains is the greatest depth
//
// Pure: no I/O, no threads, no row data.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "arrow/status.h"
#include "order/corner.h"

namespace esker {

/// Positions of files in the span given to MakeLayout(), in reading order. Never empty.
using Chain = std::vector<uint32_t>;

/// A stretch of key space whose files are connected by overlap. Sections follow one another.
struct Section {
  uint32_t begin = 0;  ///< first position in Layout::reading_order
  uint32_t end = 0;    ///< one past the last
  /// Greatest overlap inside: the least number of chains that its files alone need. Files that
  /// only touch (upper == lower over all keys) are in one section and yet do not overlap.
  uint32_t depth = 0;
};

/// How a set of files lies in key space.
struct Layout {
  std::vector<uint32_t> reading_order;  ///< all files, by (lower, upper, position)
  std::vector<uint32_t> chain_of;       ///< by file position: number of its chain
  std::vector<uint32_t> section_of;     ///< by file position: number of its section
  std::vector<Chain> chains;            ///< ordered by their first key
  std::vector<Section> sections;
  uint32_t max_depth = 0;  ///< greatest depth of a section; equals chains.size()
};

/// Orders files, assigns chains, finds sections and depth.
///
/// File b may follow file a in a chain when a.upper <= b.lower over *all* keys; bounds wider than
/// the data cost extra chains, never a wrong order. The number of chains is the least possible
/// (docs/order.md, 3). Ties in (lower, upper) keep the order of the span, so give the files
/// sorted by path for a result that depends on nothing else. Cannot fail. Requires lower <= upper
/// and a half-rank for every key. O(n log n) comparisons, O(n) memory.
Layout MakeLayout(std::span<const SortKey> keys, std::span<const KeyRange> files);

/// Checks that the chains hold each file exactly once and that every chain is in order. Invalid
/// naming the first offending files, also for reading order, sections and depths. O(n); for tests
/// and debug builds.
arrow::Status CheckLayout(std::span<const SortKey> keys, std::span<const KeyRange> files,
                          const Layout& layout);

}  // namespace esker
