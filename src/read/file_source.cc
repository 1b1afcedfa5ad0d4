#include "read/file_source.h"

#include <algorithm>
#include <utility>

#include "arrow/memory_pool.h"
#include "base/status.h"
#include "read/block_source.h"
#include "read/read_cost.h"
#include "read/row_group_choice.h"
#include "read/row_group_map.h"
#include "read/row_group_pages.h"
#include "read/row_range_choice.h"

namespace esker {
namespace {

arrow::Status CheckFormat(const FileTask& task) {
  if (task.file.format == "PARQUET") return arrow::Status::OK();
  return UnsupportedError("the data file is in ", task.file.format, "; only Parquet is read");
}

std::vector<FilterColumn> ColumnsAt(const std::vector<int>& indices, const ScanColumns& columns) {
  std::vector<FilterColumn> found;
  for (const int index : indices) {
    const ScanColumn& column = columns.columns[index];
    found.push_back({&column.request, &column.projection});
  }
  return found;
}

arrow::Status ChooseRows(ScanCounters* counters, const FileSlice* slice, OpenedFile* opened) {
  const auto& filter = opened->request->filter;
  const auto filter_columns = ColumnsAt(opened->columns->filter, *opened->columns);
  ARROW_ASSIGN_OR_RAISE(
      opened->row_groups,
      ChooseRowGroups(*opened->file, opened->task,
                      filter.has_value() && opened->request->prune_row_groups ? &*filter : nullptr,
                      filter_columns, opened->deletes.positions.get()));
  if (slice != nullptr && opened->request->prune_row_groups) {
    ARROW_ASSIGN_OR_RAISE(opened->row_groups,
                          RowGroupsInSlice(*opened->file, opened->task,
                                           ColumnsAt(opened->columns->keys, *opened->columns),
                                           *slice, std::move(opened->row_groups)));
  }
  if (filter.has_value()) {
    ARROW_ASSIGN_OR_RAISE(
        opened->row_groups,
        ChooseRowRanges(*opened->file, opened->task, *opened->request, *filter, filter_columns,
                        *opened->columns, std::move(opened->row_groups)));
  }
  if (counters != nullptr) {
    const auto with_rows =
        std::count_if(opened->file->row_groups().begin(), opened->file->row_groups().end(),
                      [](const RowGroupSpan& group) { return group.rows > 0; });
    const auto chosen = static_cast<int64_t>(RowGroupMap(opened->row_groups).groups());
    counters->row_groups_skipped.fetch_add(with_rows - chosen, std::memory_order_relaxed);
  }
  return arrow::Status::OK();
}

arrow::Status ChooseSizes(const ReadContext& context, bool reversed, OpenedFile* opened) {
  opened->reads_ahead = context.read_ahead && context.tasks != nullptr && !reversed;
  if (reversed && opened->request->prune_pages && !opened->row_groups.empty()) {
    ARROW_ASSIGN_OR_RAISE(opened->last_pages, ReadRowGroupPages(*opened->file, *opened->columns,
                                                                opened->row_groups.back().index));
  }
  const ReadShape shape{reversed, context.tasks != nullptr, opened->reads_ahead};
  ARROW_ASSIGN_OR_RAISE(const ReadCost cost,
                        EstimateReadCost(*opened, context.decode_bytes, shape));
  opened->file->set_buffer_bytes(cost.buffer_bytes);
  opened->file->set_tasks(context.tasks);
  opened->decode_rows = cost.decode_rows;
  opened->piece_rows = cost.piece_rows;
  opened->memory = cost.memory;
  return arrow::Status::OK();
}

arrow::Status OpenData(const ReadContext& context, bool reversed, OpenedFile* opened) {
  const RowRequest& request = *opened->request;
  arrow::MemoryPool* pool = context.pool == nullptr ? arrow::default_memory_pool() : context.pool;
  ARROW_RETURN_NOT_OK(CheckFormat(opened->task));
  ARROW_ASSIGN_OR_RAISE(opened->file,
                        ParquetFile::Open(*context.storage, opened->task, request.name_mapping,
                                          context.counters, pool));
  const Schema& delete_schema =
      context.delete_schema == nullptr ? *request.schema : *context.delete_schema;
  ARROW_ASSIGN_OR_RAISE(ScanColumns columns,
                        ScanColumns::Make(request, opened->deletes, delete_schema,
                                          opened->file->schema(), opened->task));
  opened->columns = std::make_unique<ScanColumns>(std::move(columns));
  ARROW_RETURN_NOT_OK(ChooseRows(context.counters.get(), context.slice.get(), opened));
  return ChooseSizes(context, reversed, opened);
}

// What reading the file will take besides its deletes; 0 where that cannot be told.
int64_t BytesBesideDeletes(const ReadContext& context, const FileTask& task, bool reversed) {
  const auto source = OpenFileSource(context, task, DeleteSet(), reversed);
  return source.ok() ? (*source)->memory().held_bytes : 0;
}

}  // namespace

arrow::Result<std::unique_ptr<Source>> OpenFileSource(const ReadContext& context,
                                                      const FileTask& task, bool reversed) {
  DeleteSet deletes;
  if (task.has_deletes() && context.deletes != nullptr) {
    const auto beside = [&] { return BytesBesideDeletes(context, task, reversed); };
    ARROW_ASSIGN_OR_RAISE(deletes, context.deletes->Load(task, beside));
  }
  return OpenFileSource(context, task, std::move(deletes), reversed);
}

arrow::Result<std::unique_ptr<Source>> OpenFileSource(const ReadContext& context,
                                                      const FileTask& task, DeleteSet deletes,
                                                      bool reversed) {
  OpenedFile opened;
  opened.task = task;
  opened.request = context.request;
  opened.deletes = std::move(deletes);
  const arrow::Status status = OpenData(context, reversed, &opened);
  if (!status.ok()) return WithPlace(status, task.file.path);
  return reversed ? MakeReversedSource(std::move(opened)) : MakeForwardSource(std::move(opened));
}

}  // namespace esker
