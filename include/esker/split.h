// ScanSplit: one part of a scan, to be read alone, perhaps in another process.
//
//     std::vector<esker::ScanSplit> splits = *plan->Split(8);
//     for (const auto& split : splits) Send(split.ToText());
//
//     auto split = *esker::ScanSplit::FromText(text);       // elsewhere
//     auto rows = (*split.Open())->Read();
//
// The splits of a scan are half-open ranges of its keys, numbered in key order: their rows, one
// split after another, are the rows of the scan, row for row. Rows that are equal in the keys of a
// cut are never parted. Without an order a split is a stretch of the files in reading order. See
// docs/splits.md.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "esker/options.h"

namespace esker {

class ScanPlan;
struct SplitSpec;

/// Immutable and cheap to copy.
class ScanSplit {
 public:
  /// The split of that text. UsageError in words for a text that is cut, changed or of a version
  /// that this Esker does not read.
  static arrow::Result<ScanSplit> FromText(std::string_view text);

  /// One JSON object in one line. It names files, and whoever reads it opens them: take it from
  /// nobody who may not say what you read.
  std::string ToText() const;

  int32_t number() const;          ///< its place among the splits of the scan, from 0
  int32_t count() const;           ///< how many there are
  int64_t estimated_rows() const;  ///< before filter and deletes, from bounds and counts of files

  /// Opens the table at the metadata file that the scan was planned from and plans this part of
  /// the scan: the same snapshot, schema, order, filter and columns. The plan lists only files that
  /// the split needs. Of `scan`, what decides which rows go where (on_disorder, use_bounds,
  /// prune_manifests, prune_files) is that of the scan that was split; over_limit must not be
  /// kUnordered if the split has to be merged in passes. `open` says how the table is reached from
  /// here. Errors: those of Table::Open() and Table::Plan().
  arrow::Result<std::shared_ptr<ScanPlan>> Open(OpenOptions open = {}, ScanOptions scan = {}) const;

  explicit ScanSplit(std::shared_ptr<const SplitSpec> spec);

 private:
  std::shared_ptr<const SplitSpec> spec_;
};

}  // namespace esker
