// PlannedScan: a snapshot and a request to a decision. Everything that is decided about a scan is
// decided here, once; the reader follows this object, explain prints it, and the order that it
// tells is what the engine above hears (docs/order.md, 5).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "catalog/storage.h"
#include "esker/scan.h"
#include "format/column_facts.h"
#include "format/table_metadata.h"
#include "order/chain.h"
#include "order/claim.h"
#include "order/corner.h"
#include "order/sort_key.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "plan/split_spec.h"

namespace esker {

/// A file of the scan and what was decided about it.
struct PlannedFile {
  FileTask task;
  Claim claim;
  ClaimMatch match;        ///< against the order of the scan; kAsItIs where there is none
  std::string claim_text;  ///< "sort order id 1", "assumed", "single row", "none"
  KeyRange range;          ///< corners over the keys of the scan
  uint32_t chain = 0;
  uint32_t section = 0;
};

/// What pruning left out.
struct PruningCounts {
  int64_t listed = 0;          ///< live data files in the manifests that were read
  int64_t manifests_read = 0;  ///< with those of delete files
  int64_t manifests_skipped = 0;
  int64_t files_by_partition = 0;
  int64_t files_by_bounds = 0;
  int64_t empty = 0;
  int64_t delete_files = 0;
};

/// The code of the warning that files overlap deeper than max_merge_files.
inline constexpr const char* kOverLimitCode = "over-limit";

/// Where the order of the scan comes from.
enum class OrderOrigin { kRequest, kFiles, kTable, kNone };

struct PlannedScan {
  std::shared_ptr<const TableMetadata> metadata;
  const Snapshot* snapshot = nullptr;  ///< into metadata; null for a table without snapshots
  std::string metadata_file;
  std::string table_location;  ///< where the table was found

  SortKeys keys;  ///< the order of the rows; empty: none
  OrderOrigin origin = OrderOrigin::kNone;
  SortKeys layout_keys;            ///< what `files` lie in the order of, also if it was given up
  SortKeys assumed;                ///< request.assume_order
  std::vector<ResolvedKey> asked;  ///< what was asked for; equals keys unless it was given up
  std::vector<ResolvedKey> told;   ///< longest prefix of keys that is among the output columns

  std::vector<PlannedFile> files;  ///< in reading order
  /// So many of the last files lie beyond the limit (limit_reach.h). They stay inputs of the merge,
  /// and are in no chain and no section.
  size_t beyond_limit = 0;
  Layout layout;  ///< of within_limit(); positions are those of `files`
  PruningCounts pruning;
  std::vector<PlanWarning> warnings;

  std::shared_ptr<const SplitSpec> split;  ///< the part that is read; null: all of the scan
  std::shared_ptr<const RowRequest> rows;  ///< columns, keys and filter that every file is read for
  std::shared_ptr<const Schema> delete_schema;  ///< rows->schema and dropped columns besides
  ScanRequest request;
  ScanOptions options;
  int64_t planning_ms = 0;

  /// The files that the decisions of the plan are about: all but those beyond the limit.
  std::span<const PlannedFile> within_limit() const {
    return std::span(files).first(files.size() - beyond_limit);
  }
};

/// Plans a scan of the table: chooses the state, resolves names, lists and prunes files, matches
/// deletes, decides the order, the way each file is read, the chains. Reads manifests only.
/// Errors: see Table::Plan().
///
/// With `split` it is that part of a scan: request and options are PinnedRequest() and
/// PinnedOptions(), and only files that meet the part are planned. UsageError, too, where the split
/// does not fit the table, and where its order would have to be given up.
arrow::Result<std::shared_ptr<const PlannedScan>> PlanScan(
    std::shared_ptr<const TableMetadata> metadata, std::shared_ptr<const Storage> storage,
    std::string metadata_file, std::string table_location, ScanRequest request,
    ScanOptions options, std::shared_ptr<const SplitSpec> split = nullptr);

}  // namespace esker
