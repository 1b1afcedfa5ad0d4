// Pruning by partitions: what a partition value says about its source column.
//
// Transforms that keep order are turned round: a day, a truncated number or a prefix becomes the
// range of source values that it can come from, and the rest is pruning by facts (prune.h). A
// bucket is compared with the buckets of the literals. void and unknown transforms say nothing.
//
// Known writer faults that cost precision here instead of rows:
//   - very old Java rounded times before 1970 towards zero: a value at or below 0 may be one high
//     (iceberg#1680);
//   - hours of far dates and truncated numbers at the end of their type wrap around
//     (iceberg#9713): near the ends of the type nothing is pruned.
#pragma once

#include <string>
#include <vector>

#include "expr/node.h"
#include "format/transform.h"
#include "format/type.h"
#include "format/value.h"

namespace esker::expr_internal {

/// Values of one partition field: those of one file, or of all files of a manifest.
struct PartitionRange {
  Value lower;  ///< null: unknown
  Value upper;
  bool all_null = false;
  bool may_hold_nulls = true;
  bool may_hold_nan = true;
};

/// The range of the single partition value of a file.
PartitionRange RangeOfPartitionValue(const Value& value);

/// Whether `leaf` may be true for a row whose `transform` of its column lies in that range.
/// O(values) for buckets, else O(log values).
bool MayHoldInPartition(const Node& leaf, const Transform& transform, const PartitionRange& range);

}  // namespace esker::expr_internal
