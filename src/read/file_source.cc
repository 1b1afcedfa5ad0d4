#include "read/file_source.h"

#include <algorithm>
#include <utility>

#include "arrow/memory_pool.h"
#include "base/status.h"
#include "parquet/metadata.h"
#include "read/block_source.h"
#include "read/parquet_status.h"
#include "read/row_group_choice.h"

namespace esker {
namespace {

// What is decoded at once is kept to about this size, however wide the rows are: for memory, and
// because an Arrow string array ends at 2 GiB.
constexpr int64_t kDecodeBytes = 32 << 20;

arrow::Status CheckFormat(const FileTask& task) {
  if (task.file.format == "PARQUET") return arrow::Status::OK();
  return UnsupportedError("the data file is in ", task.file.format, "; only Parquet is read");
}

// Bytes of the columns' leaves before compression, over all chosen row groups.
arrow::Result<int64_t> DecodedBytes(const OpenedFile& opened) {
  int64_t bytes = 0;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    for (const RowGroupSpan& group : opened.row_groups) {
      const auto metadata = opened.file->metadata().RowGroup(group.index);
      for (const ScanColumn& column : opened.columns->columns) {
        for (const int leaf : column.projection.leaves()) {
          bytes += std::max<int64_t>(0, metadata->ColumnChunk(leaf)->total_uncompressed_size());
        }
      }
    }
    return arrow::Status::OK();
  }));
  return bytes;
}

arrow::Result<int64_t> ChooseDecodeRows(const OpenedFile& opened) {
  int64_t rows = 0;
  for (const RowGroupSpan& group : opened.row_groups) rows += group.rows;
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, DecodedBytes(opened));
  const int64_t bytes_per_row = bytes / std::max<int64_t>(rows, 1) + 1;
  const int64_t most = std::clamp<int64_t>(opened.request->batch_rows, 1, 1 << 24);
  return std::clamp<int64_t>(kDecodeBytes / bytes_per_row, 1, most);
}

std::vector<FilterColumn> FilterColumns(const ScanColumns& columns) {
  std::vector<FilterColumn> filter_columns;
  for (const int index : columns.filter) {
    const ScanColumn& column = columns.columns[index];
    filter_columns.push_back({&column.request, &column.projection});
  }
  return filter_columns;
}

arrow::Status ChooseRows(ScanCounters* counters, OpenedFile* opened) {
  const auto& filter = opened->request->filter;
  ARROW_ASSIGN_OR_RAISE(
      opened->row_groups,
      ChooseRowGroups(*opened->file, opened->task,
                      filter.has_value() && opened->request->prune_row_groups ? &*filter : nullptr,
                      FilterColumns(*opened->columns), opened->deletes.positions.get()));
  if (counters != nullptr) {
    const auto with_rows =
        std::count_if(opened->file->row_groups().begin(), opened->file->row_groups().end(),
                      [](const RowGroupSpan& group) { return group.rows > 0; });
    counters->row_groups_skipped.fetch_add(
        with_rows - static_cast<int64_t>(opened->row_groups.size()), std::memory_order_relaxed);
  }
  ARROW_ASSIGN_OR_RAISE(opened->decode_rows, ChooseDecodeRows(*opened));
  return arrow::Status::OK();
}

arrow::Status OpenData(const ReadContext& context, OpenedFile* opened) {
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
  return ChooseRows(context.counters.get(), opened);
}

}  // namespace

arrow::Result<std::unique_ptr<Source>> OpenFileSource(const ReadContext& context,
                                                      const FileTask& task, bool reversed) {
  DeleteSet deletes;
  if (task.has_deletes() && context.deletes != nullptr) {
    ARROW_ASSIGN_OR_RAISE(deletes, context.deletes->Load(task));
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
  const arrow::Status status = OpenData(context, &opened);
  if (!status.ok()) return WithPlace(status, task.file.path);
  return reversed ? MakeReversedSource(std::move(opened)) : MakeForwardSource(std::move(opened));
}

}  // namespace esker
