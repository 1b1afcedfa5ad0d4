// Scan order: which order the rows of a scan come in, and how each file meets it (docs/order.md,
// 4 and 5).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "plan/planned_scan.h"

namespace esker {

/// The claim of a file: `assume` where the file carries no order id, else the order that its id
/// names in the metadata; one row obeys every order. Never the table's default. `text` says it in
/// words, also why there is none.
struct NamedClaim {
  Claim claim;
  std::string text;
};
NamedClaim ClaimOf(const DataFile& file, const TableMetadata& metadata, const SortKeys& assume);

/// Decides scan->keys and scan->origin from the request and the claims of scan->files. Errors: see
/// ResolveKeys(); UnsupportedError where the table's default order cannot be computed.
arrow::Status DecideOrder(const Schema& schema, PlannedScan* scan);

/// Matches every file against scan->keys, computes corners and the layout, and puts the files into
/// reading order. Without keys the files keep the order of the manifests. With a limit, files that
/// lie beyond it are left out of the layout. Warns or refuses where the depth is above
/// max_merge_files, as over_limit says.
arrow::Status LayOut(const Schema& schema, PlannedScan* scan);

}  // namespace esker
