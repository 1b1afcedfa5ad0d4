// Random scans of random tables: orders that files claim, their starts, the same backwards, and any
// others; filters that know their own meaning; projections that hide keys; limits; all options.
#pragma once

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "esker/table.h"
#include "testing/cells.h"
#include "testing/random_table.h"

namespace esker::testing {

struct RandomScan {
  ScanRequest request;
  ScanOptions options;
  std::function<bool(const Row&)> keep;  ///< the filter's own meaning; takes a row of all columns
  std::vector<size_t> output;            ///< indices of the columns that come out
  int32_t splits = 0;                    ///< read it as so many splits, too; 0: do not

  std::string Describe() const;
};

RandomScan DrawScan(std::mt19937_64& random, const RandomTable& table);

}  // namespace esker::testing
