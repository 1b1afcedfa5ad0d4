#include "plan/scan_order.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "base/status.h"
#include "plan/file_facts.h"
#include "plan/limit_reach.h"
#include "plan/resolve.h"

namespace esker {
namespace {

Claim ClaimOfKeys(const SortKeys& keys) {
  Claim claim;
  claim.source = ClaimSource::kAssumed;
  for (const SortKey& key : keys) {
    claim.fields.push_back({{key.field_id}, key.transform, key.descending, key.nulls_first});
  }
  return claim;
}

arrow::Status OrderOfTable(const Schema& schema, PlannedScan* scan) {
  const int32_t id = scan->metadata->default_sort_order_id;
  const SortOrder* order = scan->metadata->FindSortOrder(id);
  if (order == nullptr || order->fields.empty()) {
    return UsageError("the table has no default sort order; name one with order_by (--order-by)");
  }
  ARROW_ASSIGN_OR_RAISE(scan->keys, KeysOfSortOrder(*order, schema));
  scan->origin = OrderOrigin::kTable;
  return arrow::Status::OK();
}

// A file of one row is in every order, so it says nothing about the order that the files share.
SortKeys OrderOfFiles(const Schema& schema, const std::vector<PlannedFile>& files) {
  std::vector<Claim> claims;
  for (const PlannedFile& file : files) {
    if (file.claim.source != ClaimSource::kSingleRow) claims.push_back(file.claim);
  }
  return CommonOrder(claims, schema);
}

KeyRange OpenRange(const SortKeys& keys) {
  return MakeKeyRange(keys, std::vector<ColumnFacts>(keys.size()));
}

void DescribeFile(const Schema& schema, const PlannedScan& scan, PlannedFile* file) {
  std::vector<ColumnFacts> facts;
  for (const SortKey& key : scan.keys) {
    facts.push_back(FactsOfColumn(file->task, schema, key.field_id));
  }
  file->range = scan.options.use_bounds ? MakeKeyRange(scan.keys, facts) : OpenRange(scan.keys);
  file->match = MatchClaim(
      scan.keys, file->claim,
      [&](int32_t field_id) { return FactsOfColumn(file->task, schema, field_id); },
      file->task.file.record_count);
}

void SortIntoReadingOrder(PlannedScan* scan) {
  std::vector<PlannedFile> sorted;
  sorted.reserve(scan->files.size());
  for (uint32_t position : scan->layout.reading_order) {
    sorted.push_back(std::move(scan->files[position]));
  }
  scan->files = std::move(sorted);
}

// After sorting, position i is file i: number everything in the layout that way.
void Renumber(Layout* layout) {
  std::vector<uint32_t> place(layout->reading_order.size());
  for (uint32_t i = 0; i < place.size(); ++i) place[layout->reading_order[i]] = i;
  auto permute = [&](std::vector<uint32_t>* values) {
    std::vector<uint32_t> moved(values->size());
    for (uint32_t i = 0; i < moved.size(); ++i) moved[place[i]] = (*values)[i];
    *values = std::move(moved);
  };
  permute(&layout->chain_of);
  permute(&layout->section_of);
  for (Chain& chain : layout->chains) {
    for (uint32_t& file : chain) file = place[file];
  }
  std::iota(layout->reading_order.begin(), layout->reading_order.end(), 0);
}

// What cannot come out under the limit is no reason to merge in passes, or to refuse. The files
// are in reading order, which the layout of the first of them keeps.
void LeaveOutBeyondLimit(PlannedScan* scan) {
  if (!scan->request.limit || !scan->request.where.empty()) return;
  std::vector<KeyRange> ranges;
  std::vector<int64_t> rows;
  for (const PlannedFile& file : scan->files) {
    ranges.push_back(file.range);
    rows.push_back(file.task.has_deletes() ? 0 : file.task.file.record_count);
  }
  const size_t within = FilesWithinLimit(scan->keys, ranges, rows, *scan->request.limit);
  if (within == ranges.size()) return;
  scan->beyond_limit = ranges.size() - within;
  scan->layout = MakeLayout(scan->keys, std::span(ranges).first(within));
}

void GiveUpOrder(PlannedScan* scan, std::string code, std::string text) {
  scan->warnings.push_back({std::move(code), std::move(text), ""});
  scan->keys.clear();
  scan->origin = OrderOrigin::kNone;
  scan->layout = Layout{};
  scan->beyond_limit = 0;
}

// Files that the split does not meet. Their rows, if a file's bounds are true, are in other splits.
void LeaveOutFiles(PlannedScan* scan) {
  if (scan->split == nullptr || !scan->split->ordered) return;
  std::erase_if(scan->files, [&](const PlannedFile& file) {
    return !PlaceInSlice(scan->keys, scan->split->slice, file.range).meets;
  });
}

arrow::Status CheckDepth(PlannedScan* scan) {
  if (scan->split != nullptr && !scan->split->ordered) {
    GiveUpOrder(scan, kOverLimitCode, "the scan that was split gave its order up");
    return arrow::Status::OK();
  }
  const uint32_t depth = scan->layout.max_depth;
  const auto cap = static_cast<uint32_t>(scan->options.max_merge_files);
  if (depth <= cap) return arrow::Status::OK();
  const std::string text = "files overlap " + std::to_string(depth) + " deep, more than the " +
                           std::to_string(cap) + " that max_merge_files (--max-merge-files) allows";
  switch (scan->options.over_limit) {
    case OverLimit::kError:
      return UsageError(text, ", and over_limit (--over-limit) is error");
    case OverLimit::kUnordered:
      if (scan->split != nullptr) {
        return UsageError(text,
                          "; the splits of an ordered scan keep the order, so over_limit "
                          "(--over-limit) cannot be unordered");
      }
      GiveUpOrder(scan, kOverLimitCode, text + "; the order is given up");
      return arrow::Status::OK();
    case OverLimit::kPasses:
      scan->warnings.push_back(
          {kOverLimitCode, text + "; they are merged in passes, with spilling", ""});
  }
  return arrow::Status::OK();
}

}  // namespace

NamedClaim ClaimOf(const DataFile& file, const TableMetadata& metadata, const SortKeys& assume) {
  if (file.record_count <= 1) return {Claim{ClaimSource::kSingleRow, 0, {}}, "single row"};
  const int32_t id = file.sort_order_id.value_or(0);
  if (id == 0) {
    if (!assume.empty()) return {ClaimOfKeys(assume), "assumed"};
    return {Claim{}, file.sort_order_id ? "none (sort order id 0)" : "none (no sort order id)"};
  }
  const std::string name = "sort order id " + std::to_string(id);
  const SortOrder* order = metadata.FindSortOrder(id);
  if (order == nullptr) return {Claim{}, "none (" + name + " is not in the table's metadata)"};
  return {Claim{ClaimSource::kSortOrderId, id, order->fields}, name};
}

arrow::Status DecideOrder(const Schema& schema, PlannedScan* scan) {
  if (scan->split != nullptr) {  // the keys are pinned
    if (!scan->keys.empty()) scan->origin = OrderOrigin::kRequest;
    return arrow::Status::OK();
  }
  if (!scan->request.order_by.empty()) {
    ARROW_ASSIGN_OR_RAISE(scan->keys, ResolveKeys(scan->request.order_by, schema));
    scan->origin = OrderOrigin::kRequest;
    return arrow::Status::OK();
  }
  if (scan->request.order == OrderFrom::kTable) return OrderOfTable(schema, scan);
  if (scan->request.order == OrderFrom::kNone) return arrow::Status::OK();
  scan->keys = OrderOfFiles(schema, scan->files);
  if (!scan->keys.empty()) scan->origin = OrderOrigin::kFiles;
  return arrow::Status::OK();
}

arrow::Status LayOut(const Schema& schema, PlannedScan* scan) {
  if (scan->keys.empty()) return arrow::Status::OK();
  // The layout breaks ties by position, so positions go by path: the plan then depends on the
  // files alone and not on the order of the manifests.
  std::sort(scan->files.begin(), scan->files.end(),
            [](const auto& a, const auto& b) { return a.task.file.path < b.task.file.path; });
  for (PlannedFile& file : scan->files) DescribeFile(schema, *scan, &file);
  LeaveOutFiles(scan);
  std::vector<KeyRange> ranges;
  ranges.reserve(scan->files.size());
  for (const PlannedFile& file : scan->files) ranges.push_back(file.range);
  scan->layout = MakeLayout(scan->keys, ranges);
  SortIntoReadingOrder(scan);
  Renumber(&scan->layout);
  LeaveOutBeyondLimit(scan);
  for (uint32_t i = 0; i < scan->within_limit().size(); ++i) {
    scan->files[i].chain = scan->layout.chain_of[i];
    scan->files[i].section = scan->layout.section_of[i];
  }
  return CheckDepth(scan);
}

}  // namespace esker
