// Column facts: what the metadata lets us know about one column of one file.
//
// Statistics of a manifest entry, partition values, defaults and row-group statistics all become
// these few facts, so that pruning (expr/) and corners (order/) judge all of them alike. What is
// absent is unknown; what contradicts itself is dropped (docs/order.md, 2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "format/manifest.h"
#include "format/transform.h"
#include "format/type.h"
#include "format/value.h"

namespace esker {

/// Writers cut byte bounds to 16 characters or bytes unless told otherwise, and not all round a cut
/// upper bound up: one of that length may be a prefix of what it should be above.
inline constexpr size_t kCutWidth = 16;

/// What the metadata lets us know about one column of one file.
struct ColumnFacts {
  bool may_hold_nulls = true;
  bool all_null = false;
  bool may_hold_nan = true;  ///< float and double only
  Value lower;               ///< a value at or below every non-null, non-NaN one; null: unknown
  Value upper;
  bool constant = false;  ///< all rows are equal in this column (or all null)
  /// What transforms of this column are in every row, from the file's own partition tuple: null
  /// values too. Not filled by the functions below; identity is told as a constant instead.
  std::vector<std::pair<Transform, Value>> partition_transforms = {};
};

/// Facts from the statistics of a manifest entry (null: none), for a column of type `type` now.
///
/// `required` counts only where the null count is absent; a count present wins. Bounds are
/// dropped where lower is above upper, where a width does not fit, for uuid, and where NaN is a
/// bound. Where counts contradict the record count or the bounds they count as absent.
/// `counts_trusted` is false for members of structs: their counts are not; `required` then is
/// that of the whole path. `constant` needs equal bounds that are surely exact: bytes shorter
/// than the 16 at which writers cut them, no zero of a floating type (it may be -0.0 and 0.0).
ColumnFacts FactsFromStatistics(const ColumnStatistics* statistics, const Type& type, bool required,
                                int64_t record_count, bool counts_trusted = true);

/// Facts of a column that has this one value in every row: an identity partition value, a
/// default of a column that the file lacks, or null.
ColumnFacts FactsOfConstant(const Value& value);

/// May that identity partition value be a number of days, because the timestamp `type` was a date
/// when the manifest was written? The spec forbids this promotion of a partition column, but
/// nothing else tells such a value from a time within 36 minutes of 1970 (in nanoseconds: 2 s).
bool MayBeDays(const Type& type, const Value& value);

}  // namespace esker
