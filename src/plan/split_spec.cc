#include "plan/split_spec.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/status.h"
#include "order/cut_choice.h"
#include "plan/file_facts.h"
#include "plan/planned_scan.h"
#include "plan/resolve.h"

namespace esker {
namespace {

constexpr int32_t kMostParts = 1'000'000;

std::vector<PinnedKey> Pin(const SortKeys& keys) {
  std::vector<PinnedKey> pinned;
  for (const SortKey& key : keys) {
    pinned.push_back({key.field_id, key.transform, key.descending, key.nulls_first});
  }
  return pinned;
}

arrow::Status CheckParts(const PlannedScan& scan, int32_t parts) {
  if (parts < 1 || parts > kMostParts) {
    return UsageError("a scan can be cut into 1 to ", kMostParts, " splits, not ", parts);
  }
  if (scan.request.limit) {
    return UsageError("a scan with a limit cannot be split: no split knows the rows before it");
  }
  if (scan.split != nullptr) return UsageError("a split cannot be split again");
  return arrow::Status::OK();
}

// What all splits of the scan share.
SplitSpec CommonSpec(const PlannedScan& scan) {
  SplitSpec spec;
  spec.metadata_file = scan.metadata_file;
  if (scan.table_location != scan.metadata->location) spec.table_folder = scan.table_location;
  if (scan.snapshot != nullptr) spec.snapshot_id = scan.snapshot->snapshot_id;
  spec.schema_id = scan.rows->schema->schema_id;
  spec.keys = Pin(scan.layout_keys);
  spec.ordered = !scan.keys.empty();
  spec.assume_order = Pin(scan.assumed);
  spec.where = scan.request.where;
  spec.columns = scan.request.columns;
  spec.on_disorder = scan.options.on_disorder;
  spec.use_bounds = scan.options.use_bounds;
  spec.prune_manifests = scan.options.prune_manifests;
  spec.prune_files = scan.options.prune_files;
  return spec;
}

// Counts come from manifests, and nobody has added them up before. Both are not negative.
int64_t AddRows(int64_t rows, int64_t more) {
  return rows + std::min(more, std::numeric_limits<int64_t>::max() - rows);
}

int64_t CountRows(const PlannedScan& scan) {
  int64_t rows = 0;
  for (const PlannedFile& file : scan.files) rows = AddRows(rows, file.task.file.record_count);
  return rows;
}

// A whole number of rows, `total` at most.
int64_t RoundRows(double rows, int64_t total) {
  return rows < static_cast<double>(total) ? std::min<int64_t>(std::llround(rows), total) : total;
}

// The corners of what is neither null nor NaN: a few of those say nothing of where the rows lie.
KeyRange ValueRange(const PlannedScan& scan, const PlannedFile& file) {
  if (!scan.options.use_bounds) return file.range;
  std::vector<ColumnFacts> facts;
  for (const SortKey& key : scan.keys) {
    ColumnFacts column = FactsOfColumn(file.task, *scan.rows->schema, key.field_id);
    column.may_hold_nulls = column.all_null;
    column.may_hold_nan = false;
    facts.push_back(std::move(column));
  }
  return MakeKeyRange(scan.keys, facts);
}

std::vector<SplitSpec> SplitByKeys(const PlannedScan& scan, int32_t parts) {
  std::vector<KeyRange> ranges;
  for (const PlannedFile& file : scan.files) ranges.push_back(ValueRange(scan, file));
  std::vector<WeighedRange> files;
  for (size_t i = 0; i < ranges.size(); ++i) {
    files.push_back({&ranges[i], scan.files[i].task.file.record_count});
  }
  std::vector<SplitSpec> specs(1, CommonSpec(scan));
  const int64_t total = CountRows(scan);
  int64_t rows_before = 0;
  for (Cut& cut : ChooseCuts(scan.keys, files, parts)) {
    SplitSpec next = CommonSpec(scan);
    const int64_t rows = RoundRows(cut.rows_before, total);
    specs.back().estimated_rows = rows - rows_before;
    specs.back().slice.upper = cut.key;
    next.slice.lower = std::move(cut.key);
    specs.push_back(std::move(next));
    rows_before = rows;
  }
  specs.back().estimated_rows = total - rows_before;
  return specs;
}

// Every split gets files until it holds its share of the rows, so none is without a file.
std::vector<SplitSpec> SplitByFiles(const PlannedScan& scan, int32_t parts) {
  const double share = static_cast<double>(CountRows(scan)) / parts;
  const auto total = static_cast<int64_t>(scan.files.size());
  std::vector<SplitSpec> specs(1, CommonSpec(scan));
  specs.back().files = {0, total, total};
  int64_t rows_before = 0;
  for (int64_t i = 0; i < total; ++i) {
    const auto done = static_cast<double>(rows_before);
    SplitSpec& last = specs.back();
    if (i > last.files.begin && done >= share * static_cast<double>(specs.size())) {
      last.files.end = i;
      SplitSpec next = CommonSpec(scan);
      next.files = {i, total, total};
      specs.push_back(std::move(next));
    }
    const int64_t rows = scan.files[i].task.file.record_count;
    specs.back().estimated_rows = AddRows(specs.back().estimated_rows, rows);
    rows_before = AddRows(rows_before, rows);
  }
  return specs;
}

arrow::Status CheckCut(const Corner& cut, const SortKeys& keys) {
  if (cut.size() > keys.size()) {
    return UsageError("the cut of a split has ", cut.size(), " values for ", keys.size(), " keys");
  }
  for (size_t i = 0; i < cut.size(); ++i) {
    const Type type = TransformResultType(keys[i].transform, keys[i].type);
    if (cut[i].kind == HalfRank::Kind::kValue && !IsWholeValue(cut[i].value, type)) {
      return UsageError("the cut of a split has a value that is no ", type.ToString(), " for ",
                        keys[i].name);
    }
  }
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<SplitSpec>> MakeSplits(const PlannedScan& scan, int32_t parts) {
  ARROW_RETURN_NOT_OK(CheckParts(scan, parts));
  std::vector<SplitSpec> specs =
      scan.keys.empty() ? SplitByFiles(scan, parts) : SplitByKeys(scan, parts);
  for (size_t i = 0; i < specs.size(); ++i) {
    specs[i].number = static_cast<int32_t>(i);
    specs[i].count = static_cast<int32_t>(specs.size());
  }
  return specs;
}

arrow::Result<SortKeys> ResolvePinnedKeys(const std::vector<PinnedKey>& keys,
                                          const Schema& schema) {
  SortKeys resolved;
  for (const PinnedKey& key : keys) {
    ARROW_ASSIGN_OR_RAISE(SortKey one, ResolveKeyById(key.field_id, key.transform, schema));
    one.descending = key.descending;
    one.nulls_first = key.nulls_first;
    resolved.push_back(std::move(one));
  }
  return resolved;
}

arrow::Status CheckSlice(const KeySlice& slice, const SortKeys& keys) {
  ARROW_RETURN_NOT_OK(CheckCut(slice.lower, keys));
  ARROW_RETURN_NOT_OK(CheckCut(slice.upper, keys));
  if (slice.lower.empty() || slice.upper.empty()) return arrow::Status::OK();
  if (CompareCuts(keys, slice.lower, slice.upper) < 0) return arrow::Status::OK();
  return UsageError("the cuts of a split cross: ", ToString(keys, slice));
}

ScanRequest PinnedRequest(const SplitSpec& spec) {
  ScanRequest request;
  request.order = OrderFrom::kNone;
  request.where = spec.where;
  request.columns = spec.columns;
  return request;
}

ScanOptions PinnedOptions(const SplitSpec& spec, ScanOptions options) {
  options.on_disorder = spec.on_disorder;
  options.use_bounds = spec.use_bounds;
  options.prune_manifests = spec.prune_manifests;
  options.prune_files = spec.prune_files;
  return options;
}

}  // namespace esker
