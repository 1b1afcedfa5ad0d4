// Scan judge: compares what Esker gives for a scan with the naive twin.
//
// The twin takes the live rows, filters them with its own predicate, and knows the order asked for
// as a plain comparator. The judge looks at rows as they come: each against its predecessor, then
// all of them as a multiset, then whole rows one by one wherever Esker's order of ties is defined.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "testing/cells.h"
#include "testing/faulty_filesystem.h"
#include "testing/random_scan.h"
#include "testing/random_table.h"

namespace esker::testing {

/// A key of an order as the twin sees it.
struct TwinKey {
  size_t column = 0;  ///< index in TableRecipe::columns
  bool descending = false;
  bool nulls_first = true;
};

/// Below 0, 0, above 0: which row comes first.
int CompareRows(const Row& a, const Row& b, const std::vector<TwinKey>& keys);

/// What a judge has seen, to know that it saw enough.
struct JudgeCounts {
  int64_t splits = 0;          ///< read to their ends, of scans that were cut
  int64_t refused_splits = 0;  ///< with an error that was right
};

/// Runs the scan and judges it. "" if all is right, else what is wrong. With a table that lies a
/// DisorderError is right, too. Splits, read one by one, must give the rows of the scan; of a table
/// that lies either an error or the rows of the twin. `filesystem` holds the table; everything must
/// be closed again.
std::string JudgeScan(const RandomTable& table, const RandomScan& scan,
                      const std::shared_ptr<FaultyFileSystem>& filesystem,
                      JudgeCounts* counts = nullptr);

}  // namespace esker::testing
