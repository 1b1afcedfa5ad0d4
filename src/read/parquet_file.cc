#include "read/parquet_file.h"

#include <utility>

#include "parquet/arrow/reader.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "read/parquet_footer.h"
#include "read/parquet_status.h"
#include "read/selected_pages.h"

namespace esker {
namespace {

// Pages come through a window of that size for each open column, so that an open file costs its
// columns' windows and pages and never a whole row group.
parquet::ReaderProperties FileProperties(int64_t buffer_bytes, arrow::MemoryPool* pool) {
  parquet::ReaderProperties properties(pool);
  properties.enable_buffered_stream();
  properties.set_buffer_size(buffer_bytes);
  return properties;
}

parquet::ArrowReaderProperties ArrowProperties(int64_t batch_rows) {
  parquet::ArrowReaderProperties properties(/*use_threads=*/false);
  properties.set_pre_buffer(false);
  properties.set_batch_size(batch_rows);
  properties.set_arrow_extensions_enabled(false);
  // In nanoseconds, INT96 would wrap in the years 1677 and 2262.
  properties.set_coerce_int96_timestamp_unit(arrow::TimeUnit::MICRO);
  return properties;
}

}  // namespace

ParquetFile::~ParquetFile() {
  if (is_counted_ && counters_ != nullptr) counters_->CountClose();
}

arrow::Result<std::unique_ptr<ParquetFile>> ParquetFile::Open(
    const Storage& storage, const FileTask& task, const NameMapping& mapping,
    std::shared_ptr<ScanCounters> counters, arrow::MemoryPool* pool) {
  std::unique_ptr<ParquetFile> file(new ParquetFile);
  file->pool_ = pool;
  file->counters_ = std::move(counters);
  ARROW_ASSIGN_OR_RAISE(file->file_, storage.Open(task.file.path, file->counters_));
  if (file->counters_ != nullptr) file->counters_->CountOpen();
  file->is_counted_ = true;
  ARROW_RETURN_NOT_OK(file->ReadFooter(task, mapping));
  ARROW_RETURN_NOT_OK(file->ListRowGroups());
  return file;
}

arrow::Status ParquetFile::ReadFooter(const FileTask& task, const NameMapping& mapping) {
  ARROW_ASSIGN_OR_RAISE(const auto reader,
                        OpenParquet(file_, FileProperties(buffer_bytes_, pool_)));
  metadata_ = reader->metadata();
  if (metadata_->num_rows() != task.file.record_count) {
    return arrow::Status::Invalid("the file has ", metadata_->num_rows(),
                                  " rows, the manifest says ", task.file.record_count,
                                  ": it is not the file that was committed");
  }
  ARROW_ASSIGN_OR_RAISE(schema_, ReadFileSchema(*metadata_, ArrowProperties(1), mapping));
  return arrow::Status::OK();
}

arrow::Status ParquetFile::ListRowGroups() {
  int64_t first_row = 0;
  for (int i = 0; i < metadata_->num_row_groups(); ++i) {
    int64_t rows = 0;
    ARROW_RETURN_NOT_OK(CatchParquet([&] {
      rows = metadata_->RowGroup(i)->num_rows();
      return arrow::Status::OK();
    }));
    if (rows < 0) return arrow::Status::Invalid("row group ", i, " has ", rows, " rows");
    row_groups_.push_back({i, first_row, rows});
    if (__builtin_add_overflow(first_row, rows, &first_row)) {
      return arrow::Status::Invalid("the row groups have more rows than can be counted");
    }
  }
  is_read_ = std::vector<std::atomic<bool>>(row_groups_.size());
  if (first_row == metadata_->num_rows()) return arrow::Status::OK();
  return arrow::Status::Invalid("the row groups have ", first_row, " rows, the footer says ",
                                metadata_->num_rows());
}

void ParquetFile::CountRead(int row_group) {
  if (is_read_[row_group].exchange(true)) return;
  if (counters_ != nullptr) counters_->row_groups_read.fetch_add(1, std::memory_order_relaxed);
}

void ParquetFile::CountPagesSkipped(int64_t pages) {
  if (counters_ != nullptr) counters_->pages_skipped.fetch_add(pages, std::memory_order_relaxed);
}

parquet::ReaderProperties ParquetFile::reader_properties() const {
  return FileProperties(buffer_bytes_, pool_);
}

arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> ParquetFile::MakeReader(
    const std::vector<int>& row_groups, int64_t batch_rows, PageSelection* pages) const {
  std::unique_ptr<parquet::arrow::FileReader> reader;
  ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
    auto metadata =
        row_groups.size() == row_groups_.size() ? metadata_ : metadata_->Subset(row_groups);
    auto contents =
        parquet::ParquetFileReader::Contents::Open(file_, reader_properties(), std::move(metadata));
    if (pages != nullptr) contents = SelectPages(std::move(contents), *this, pages);
    auto file = std::make_unique<parquet::ParquetFileReader>();
    file->Open(std::move(contents));
    ARROW_ASSIGN_OR_RAISE(reader, parquet::arrow::FileReader::Make(pool_, std::move(file),
                                                                   ArrowProperties(batch_rows)));
    return arrow::Status::OK();
  }));
  return reader;
}

}  // namespace esker
