#include "read/delete_file_reader.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "arrow/array.h"
#include "arrow/io/interfaces.h"
#include "arrow/record_batch.h"
#include "base/status.h"
#include "parquet/arrow/reader.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "read/column_projection.h"
#include "read/file_schema.h"
#include "read/parquet_footer.h"
#include "read/parquet_status.h"
#include "read/read_cost.h"

namespace esker {
namespace {

// Counts out of a footer may be anything.
constexpr int64_t kMostBytes = int64_t{1} << 40;

parquet::ReaderProperties FileProperties(arrow::MemoryPool* pool) {
  parquet::ReaderProperties properties(pool);
  properties.enable_buffered_stream();
  return properties;
}

parquet::ArrowReaderProperties ArrowProperties() {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  properties.set_arrow_extensions_enabled(false);
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return properties;
}

std::string NameOf(const std::vector<Field>& path) {
  std::string name;
  for (const Field& field : path) name += (name.empty() ? "" : ".") + field.name;
  return name;
}

arrow::Result<ColumnProjection> Project(const std::vector<Field>& path, const FileSchema& schema) {
  // The task has no partition values: nothing but the file itself may give a key.
  ARROW_ASSIGN_OR_RAISE(auto projection,
                        ColumnProjection::Make({NameOf(path), path}, schema, FileTask()));
  if (projection.column() >= 0) return projection;
  return arrow::Status::Invalid("the delete file has no column '", NameOf(path), "' (field id ",
                                path.back().id, ")");
}

}  // namespace

struct DeleteFileReader::Impl {
  /// One column and how far its rows have been given out.
  struct Column {
    ColumnProjection projection;
    std::unique_ptr<arrow::RecordBatchReader> batches;
    std::shared_ptr<arrow::Array> values;
    int64_t used = 0;

    int64_t left() const { return values == nullptr ? 0 : values->length() - used; }
    std::shared_ptr<arrow::Array> Take(int64_t rows) {
      used += rows;
      return values->Slice(used - rows, rows);
    }
  };

  FileSchema schema;
  std::unique_ptr<parquet::arrow::FileReader> reader;
  std::vector<Column> columns;  // their readers borrow `reader`
  arrow::MemoryPool* pool = nullptr;
  int64_t rows = 0;
  ReadCost cost;

  ~Impl() { columns.clear(); }

  arrow::Status Open(std::shared_ptr<arrow::io::RandomAccessFile> file,
                     const std::vector<std::vector<Field>>& paths, const NameMapping& mapping,
                     int64_t decode_bytes) {
    ARROW_ASSIGN_OR_RAISE(auto parquet, OpenParquet(std::move(file), FileProperties(pool)));
    ARROW_ASSIGN_OR_RAISE(schema, ReadFileSchema(*parquet->metadata(), ArrowProperties(), mapping));
    if (!schema.is_resolvable()) {
      return arrow::Status::Invalid("the delete file has no field ids");
    }
    std::vector<int> leaves;
    for (const auto& path : paths) {
      ARROW_ASSIGN_OR_RAISE(auto projection, Project(path, schema));
      leaves.insert(leaves.end(), projection.leaves().begin(), projection.leaves().end());
      columns.push_back({std::move(projection), nullptr, nullptr, 0});
    }
    rows = std::clamp<int64_t>(parquet->metadata()->num_rows(), 0, kMostBytes);
    ARROW_ASSIGN_OR_RAISE(cost, EstimatePassCost(*parquet->metadata(), leaves, decode_bytes));
    auto properties = ArrowProperties();
    properties.set_batch_size(cost.decode_rows);
    ARROW_ASSIGN_OR_RAISE(reader,
                          parquet::arrow::FileReader::Make(pool, std::move(parquet), properties));
    for (Column& column : columns) ARROW_RETURN_NOT_OK(OpenStream(&column));
    return arrow::Status::OK();
  }

  // A stream for each column: a struct of which two members are wanted is then two arrays, each
  // cut down to one member, which is what a projection takes.
  arrow::Status OpenStream(Column* column) {
    std::vector<int> row_groups(reader->num_row_groups());
    std::iota(row_groups.begin(), row_groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(column->batches,
                          reader->GetRecordBatchReader(row_groups, column->projection.leaves()));
    return arrow::Status::OK();
  }

  arrow::Status Refill(Column* column) {
    while (column->left() == 0) {
      column->values = nullptr;
      std::shared_ptr<arrow::RecordBatch> batch;
      ARROW_RETURN_NOT_OK(column->batches->ReadNext(&batch));
      if (batch == nullptr) return arrow::Status::OK();
      ARROW_ASSIGN_OR_RAISE(column->values, column->projection.Apply(batch->column(0), pool));
      column->used = 0;
    }
    return arrow::Status::OK();
  }

  // Columns may be cut into batches at different rows: what all of them have is given out.
  arrow::Result<arrow::ArrayVector> Next() {
    int64_t count = columns.empty() ? 0 : std::numeric_limits<int64_t>::max();
    bool all_ended = true;
    for (Column& column : columns) {
      ARROW_RETURN_NOT_OK(Refill(&column));
      count = std::min(count, column.left());
      all_ended = all_ended && column.left() == 0;
    }
    arrow::ArrayVector arrays;
    if (all_ended) return arrays;
    if (count == 0) return arrow::Status::Invalid("columns of different lengths");
    for (Column& column : columns) arrays.push_back(column.Take(count));
    return arrays;
  }
};

DeleteFileReader::DeleteFileReader(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
DeleteFileReader::~DeleteFileReader() = default;

arrow::Result<std::unique_ptr<DeleteFileReader>> DeleteFileReader::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, const std::vector<std::vector<Field>>& paths,
    const NameMapping& mapping, arrow::MemoryPool* pool, int64_t decode_bytes) {
  auto impl = std::make_unique<Impl>();
  impl->pool = pool;
  ARROW_RETURN_NOT_OK(
      CatchParquet([&] { return impl->Open(std::move(file), paths, mapping, decode_bytes); }));
  return std::unique_ptr<DeleteFileReader>(new DeleteFileReader(std::move(impl)));
}

int64_t DeleteFileReader::rows() const { return impl_->rows; }
int64_t DeleteFileReader::held_bytes() const { return impl_->cost.memory.held_bytes; }

int64_t DeleteFileReader::all_rows_bytes() const {
  const int64_t row_bytes = impl_->cost.memory.row_bytes;
  return rows() > kMostBytes / row_bytes ? kMostBytes : rows() * row_bytes;
}

arrow::Result<arrow::ArrayVector> DeleteFileReader::Next() {
  arrow::ArrayVector arrays;
  ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
    ARROW_ASSIGN_OR_RAISE(arrays, impl_->Next());
    return arrow::Status::OK();
  }));
  return arrays;
}

}  // namespace esker
