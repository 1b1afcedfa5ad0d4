// Live files: the data and delete files of a snapshot, read from its manifests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "catalog/storage.h"
#include "esker/options.h"
#include "expr/filter.h"
#include "format/manifest.h"
#include "format/table_metadata.h"

namespace esker {

/// A live file with the partition spec that it was written under.
struct LiveFile {
  ManifestEntry entry;
  int32_t spec_id = 0;
};

struct LiveFiles {
  std::vector<LiveFile> data;
  std::vector<LiveFile> deletes;
  int64_t listed = 0;          ///< live data files before pruning, in the manifests that were read
  int64_t manifests_read = 0;  ///< of data and of deletes: fetched and decoded
  int64_t manifests_skipped = 0;
  int64_t pruned_by_partition = 0;
  int64_t empty = 0;  ///< data files without rows, left out
};

/// Lists the live files of `snapshot`: its manifest list, or v1's list of manifests, and every
/// manifest that can hold a match of `filter` (null: all). Keeps the statistics of
/// `statistics_field_ids` (sorted) only. Manifests are pruned by their partition summaries, files
/// by partition, as far as `options` allows. Delete manifests are always read whole: a delete
/// that no row of the filter needs does no harm, a missing one would.
///
/// Errors: those of reading, with the manifest named; UsageError naming max_planned_files when
/// there are more data files than that; Invalid for a partition spec that the metadata lacks;
/// UnsupportedError for an encrypted manifest.
arrow::Result<LiveFiles> ListLiveFiles(const TableMetadata& metadata, const Snapshot& snapshot,
                                       const Storage& storage,
                                       const std::vector<int32_t>& statistics_field_ids,
                                       const BoundFilter* filter, const ScanOptions& options);

}  // namespace esker
