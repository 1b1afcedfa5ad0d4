#include "plan/planned_scan.h"

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "base/status.h"
#include "format/arrow_schema.h"
#include "format/name_mapping.h"
#include "plan/delete_index.h"
#include "plan/file_facts.h"
#include "plan/live_files.h"
#include "plan/resolve.h"
#include "plan/scan_order.h"
#include "plan/snapshot_choice.h"

namespace esker {
namespace {

constexpr int32_t kMostThreads = 1024;

arrow::Status CheckOptions(const ScanRequest& request, const ScanOptions& options) {
  if (options.max_merge_files < 2) {
    return UsageError(
        "max_merge_files (--max-merge-files) must be at least 2: two files are the "
        "least that can be merged");
  }
  if (options.batch_rows < 1) return UsageError("batch_rows must be at least 1");
  if (options.threads < 0 || options.threads > kMostThreads) {
    return UsageError("threads (--threads) must be from 0 to ", kMostThreads);
  }
  if (options.max_planned_files < 1) return UsageError("max_planned_files must be at least 1");
  if (request.limit && *request.limit < 0) return UsageError("the limit must not be negative");
  return arrow::Status::OK();
}

// Columns whose statistics planning wants: keys, filter, columns named in the request, and all
// that the table's sort orders name, because claims are matched through constant columns too. An
// assumed order may be what the files share.
arrow::Result<std::vector<int32_t>> StatisticsFields(const TableMetadata& metadata,
                                                     const RowRequest& rows,
                                                     const SortKeys& assumed, bool named_columns) {
  std::set<int32_t> ids;
  for (const SortKey& key : assumed) ids.insert(key.field_id);
  for (const ColumnRequest& key : rows.keys) ids.insert(key.field().id);
  if (rows.filter) ids.insert(rows.filter->field_ids().begin(), rows.filter->field_ids().end());
  if (named_columns) {
    for (const ColumnRequest& column : rows.output) ids.insert(column.field().id);
  }
  for (const SortOrder& order : metadata.sort_orders) {
    for (const SortField& field : order.fields) {
      ids.insert(field.source_ids.begin(), field.source_ids.end());
    }
  }
  return std::vector<int32_t>(ids.begin(), ids.end());
}

arrow::Result<NameMapping> MappingOf(const TableMetadata& metadata) {
  const auto found = metadata.properties.find(std::string(kNameMappingProperty));
  if (found == metadata.properties.end()) return NameMapping{};
  return ParseNameMapping(found->second);
}

arrow::Result<std::vector<ColumnRequest>> OutputColumns(const ScanRequest& request,
                                                        const Schema& schema) {
  if (!request.columns) return AllColumns(schema);
  std::vector<ColumnRequest> columns;
  for (const std::string& name : *request.columns) {
    ARROW_ASSIGN_OR_RAISE(ColumnRequest column, ResolveColumn(name, schema));
    columns.push_back(std::move(column));
  }
  return columns;
}

arrow::Result<std::shared_ptr<arrow::Schema>> OutputSchema(
    const std::vector<ColumnRequest>& columns) {
  Schema schema;
  for (const ColumnRequest& column : columns) {
    Field field = column.field();
    field.name = column.name;
    // A member of an optional struct is null where the struct is.
    for (const Field& parent : column.path) field.required &= parent.required;
    schema.fields.push_back(std::move(field));
  }
  return ToArrowSchema(schema);
}

arrow::Result<std::shared_ptr<RowRequest>> MakeRows(const TableMetadata& metadata,
                                                    std::shared_ptr<const Schema> schema,
                                                    const ScanRequest& request,
                                                    const ScanOptions& options) {
  auto rows = std::make_shared<RowRequest>();
  rows->schema = std::move(schema);
  ARROW_ASSIGN_OR_RAISE(rows->output, OutputColumns(request, *rows->schema));
  ARROW_ASSIGN_OR_RAISE(rows->output_schema, OutputSchema(rows->output));
  if (!request.where.empty()) {
    ARROW_ASSIGN_OR_RAISE(rows->filter, BoundFilter::Make(request.where, *rows->schema));
  }
  ARROW_ASSIGN_OR_RAISE(rows->name_mapping, MappingOf(metadata));
  rows->batch_rows = options.batch_rows;
  rows->prune_row_groups = options.prune_row_groups;
  rows->prune_pages = options.prune_pages;
  rows->use_bloom_filters = options.use_bloom_filters;
  rows->use_dictionaries = options.use_dictionaries;
  return rows;
}

// An equality delete may name a column that was dropped since: such fields are kept beside those
// of the schema, newest schema first. None is required: files written after the drop lack it.
std::shared_ptr<const Schema> WithDroppedFields(const TableMetadata& metadata,
                                                const Schema& schema) {
  auto all = std::make_shared<Schema>(schema);
  for (auto old = metadata.schemas.rbegin(); old != metadata.schemas.rend(); ++old) {
    for (const Field& field : old->fields) {
      if (!all->FindById(field.id).empty()) continue;
      all->fields.push_back(field);
      all->fields.back().required = false;
    }
  }
  return all;
}

class Planner {
 public:
  Planner(std::shared_ptr<const Storage> storage, std::shared_ptr<PlannedScan> scan)
      : storage_(std::move(storage)), scan_(std::move(scan)) {}

  arrow::Status Run() {
    ARROW_RETURN_NOT_OK(CheckOptions(scan_->request, scan_->options));
    ARROW_ASSIGN_OR_RAISE(const ChosenState state, State());
    scan_->snapshot = state.snapshot;
    ARROW_ASSIGN_OR_RAISE(rows_,
                          MakeRows(*metadata(), state.schema, scan_->request, scan_->options));
    scan_->delete_schema = WithDroppedFields(*metadata(), schema());
    ARROW_RETURN_NOT_OK(split() == nullptr ? ResolveRequestedKeys() : ResolveSplitKeys());
    if (state.snapshot != nullptr) ARROW_RETURN_NOT_OK(ListFiles(*state.snapshot));
    ARROW_RETURN_NOT_OK(DecideOrder(schema(), scan_.get()));
    scan_->layout_keys = scan_->keys;
    scan_->asked = Resolve(scan_->keys);
    ARROW_RETURN_NOT_OK(LayOut(schema(), scan_.get()));
    if (split() != nullptr && !split()->ordered) ARROW_RETURN_NOT_OK(KeepFilesOfSplit());
    Finish();
    return arrow::Status::OK();
  }

 private:
  const std::shared_ptr<const TableMetadata>& metadata() const { return scan_->metadata; }
  const Schema& schema() const { return *rows_->schema; }

  const SplitSpec* split() const { return scan_->split.get(); }

  arrow::Result<ChosenState> State() const {
    if (split() == nullptr) return ChooseState(*metadata(), scan_->request);
    return PinnedState(*metadata(), split()->snapshot_id, split()->schema_id);
  }

  // Keys named in the request are needed before the manifests are read, for their statistics.
  arrow::Status ResolveRequestedKeys() {
    ARROW_ASSIGN_OR_RAISE(scan_->assumed, ResolveKeys(scan_->request.assume_order, schema()));
    ARROW_ASSIGN_OR_RAISE(const SortKeys keys, ResolveKeys(scan_->request.order_by, schema()));
    for (const SortKey& key : keys) rows_->keys.push_back(ColumnOfKey(key, schema()));
    return arrow::Status::OK();
  }

  arrow::Status ResolveSplitKeys() {
    ARROW_ASSIGN_OR_RAISE(scan_->assumed, ResolvePinnedKeys(split()->assume_order, schema()));
    ARROW_ASSIGN_OR_RAISE(scan_->keys, ResolvePinnedKeys(split()->keys, schema()));
    for (const SortKey& key : scan_->keys) rows_->keys.push_back(ColumnOfKey(key, schema()));
    return CheckSlice(split()->slice, scan_->keys);
  }

  // A plan depends on nothing but the pinned metadata and the spec, so the files are the same ones.
  arrow::Status KeepFilesOfSplit() {
    const FileStretch& stretch = split()->files;
    std::vector<PlannedFile>& files = scan_->files;
    if (std::ssize(files) != stretch.total) {
      return UsageError("the split is one of ", stretch.total, " files, but the table has ",
                        files.size());
    }
    files.erase(files.begin() + stretch.end, files.end());
    files.erase(files.begin(), files.begin() + stretch.begin);
    return arrow::Status::OK();
  }

  arrow::Status ListFiles(const Snapshot& snapshot) {
    ARROW_ASSIGN_OR_RAISE(
        const auto statistics,
        StatisticsFields(*metadata(), *rows_, scan_->assumed, scan_->request.columns.has_value()));
    const BoundFilter* filter = rows_->filter ? &*rows_->filter : nullptr;
    ARROW_ASSIGN_OR_RAISE(LiveFiles live, ListLiveFiles(*metadata(), snapshot, *storage_,
                                                        statistics, filter, scan_->options));
    scan_->pruning.listed = live.listed;
    scan_->pruning.manifests_read = live.manifests_read;
    scan_->pruning.manifests_skipped = live.manifests_skipped;
    scan_->pruning.files_by_partition = live.pruned_by_partition;
    scan_->pruning.empty = live.empty;
    scan_->pruning.delete_files = static_cast<int64_t>(live.deletes.size());
    ARROW_ASSIGN_OR_RAISE(const DeleteIndex deletes, DeleteIndex::Make(*metadata(), live.deletes));
    for (LiveFile& file : live.data) ARROW_RETURN_NOT_OK(AddFile(std::move(file), deletes));
    return arrow::Status::OK();
  }

  arrow::Status AddFile(LiveFile live, const DeleteIndex& deletes) {
    PlannedFile file;
    file.task.sequence_number = live.entry.sequence_number;
    file.task.spec_id = live.spec_id;
    file.task.file = std::move(live.entry.file);
    const PartitionSpec& spec = *metadata()->FindSpec(live.spec_id);
    // Dropped columns too: an equality delete may ask for one that only the partition holds.
    ARROW_ASSIGN_OR_RAISE(file.task.constants, PartitionConstants(*metadata(), spec, file.task.file,
                                                                  *scan_->delete_schema));
    file.task.transforms = PartitionTransforms(spec, file.task.file);
    if (PrunedByBounds(file.task)) {
      ++scan_->pruning.files_by_bounds;
      return arrow::Status::OK();
    }
    if (file.task.file.format != "PARQUET") {
      return UnsupportedError("table ", scan_->table_location, ": data file ", file.task.file.path,
                              " is in ", file.task.file.format,
                              "; Esker reads Parquet data files only");
    }
    ARROW_RETURN_NOT_OK(deletes.AddTo(&file.task));
    NamedClaim claim = ClaimOf(file.task.file, *metadata(), scan_->assumed);
    file.claim = std::move(claim.claim);
    file.claim_text = std::move(claim.text);
    scan_->files.push_back(std::move(file));
    return arrow::Status::OK();
  }

  bool PrunedByBounds(const FileTask& task) const {
    if (!rows_->filter || !scan_->options.prune_files) return false;
    return !rows_->filter->MayMatch(
        [&](int32_t field_id) { return FactsOfColumn(task, schema(), field_id); });
  }

  std::vector<ResolvedKey> Resolve(const SortKeys& keys) const {
    std::vector<ResolvedKey> resolved;
    for (const SortKey& key : keys) {
      resolved.push_back({key.name, key.field_id, key.descending, key.nulls_first});
    }
    return resolved;
  }

  // Only what was compared and comes out is told: the order ends before the first hidden key, and
  // before a key that is a transform of its column.
  std::vector<ResolvedKey> ToldOrder() const {
    std::vector<ResolvedKey> told = Resolve(scan_->keys);
    for (size_t i = 0; i < told.size(); ++i) {
      const auto column = std::find_if(
          rows_->output.begin(), rows_->output.end(),
          [&](const ColumnRequest& output) { return output.field().id == told[i].field_id; });
      if (column == rows_->output.end() || !scan_->keys[i].transform.is_identity()) {
        told.resize(i);
        break;
      }
      told[i].column = column->name;
    }
    return told;
  }

  void Finish() {
    rows_->keys.clear();
    for (const SortKey& key : scan_->keys) rows_->keys.push_back(ColumnOfKey(key, schema()));
    scan_->told = ToldOrder();
    scan_->rows = rows_;
  }

  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<PlannedScan> scan_;
  std::shared_ptr<RowRequest> rows_;
};

}  // namespace

arrow::Result<std::shared_ptr<const PlannedScan>> PlanScan(
    std::shared_ptr<const TableMetadata> metadata, std::shared_ptr<const Storage> storage,
    std::string metadata_file, std::string table_location, ScanRequest request, ScanOptions options,
    std::shared_ptr<const SplitSpec> split) {
  const auto start = std::chrono::steady_clock::now();
  auto scan = std::make_shared<PlannedScan>();
  scan->metadata = std::move(metadata);
  scan->metadata_file = std::move(metadata_file);
  scan->table_location = std::move(table_location);
  scan->request = std::move(request);
  scan->options = std::move(options);
  scan->split = std::move(split);
  ARROW_RETURN_NOT_OK(Planner(std::move(storage), scan).Run());
  scan->planning_ms = std::chrono::duration_cast<std::chrono::milliseconds>(
                          std::chrono::steady_clock::now() - start)
                          .count();
  return scan;
}

}  // namespace esker
