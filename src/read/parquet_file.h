// Parquet file: one open data file, its footer checked against what the manifest says of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "base/task_pool.h"
#include "catalog/storage.h"
#include "format/name_mapping.h"
#include "plan/file_task.h"
#include "read/file_schema.h"

namespace parquet {
class FileMetaData;
class ReaderProperties;
namespace arrow {
class FileReader;
}
}  // namespace parquet

namespace esker {

class PageSelection;

/// A row group's place among the rows of its file, or that of some of its rows.
struct RowGroupSpan {
  int index = 0;
  int64_t first_row = 0;
  int64_t rows = 0;
};

class ParquetFile {
 public:
  /// Opens the file and reads its footer, nothing else. Counts the file as open until the object
  /// is destroyed. Errors do not name the file: the caller does, once. IOError or Invalid for what
  /// is missing or damaged, also where the footer's row count is not the manifest's or not the sum
  /// of its row groups; UnsupportedError for encryption.
  static arrow::Result<std::unique_ptr<ParquetFile>> Open(const Storage& storage,
                                                          const FileTask& task,
                                                          const NameMapping& mapping,
                                                          std::shared_ptr<ScanCounters> counters,
                                                          arrow::MemoryPool* pool);
  ~ParquetFile();

  const parquet::FileMetaData& metadata() const { return *metadata_; }
  const FileSchema& schema() const { return schema_; }
  /// In the order of the file. Together they have all its rows.
  const std::vector<RowGroupSpan>& row_groups() const { return row_groups_; }
  /// Counts the row group as read, once. These two may be called from several threads.
  void CountRead(int row_group);
  void CountPagesSkipped(int64_t pages);
  arrow::MemoryPool* pool() const { return pool_; }
  /// Size of the window on the file that every column of readers to come gets, at least 1.
  void set_buffer_bytes(int64_t bytes) { buffer_bytes_ = bytes; }
  /// Threads for its columns; null: none but the calling one.
  TaskPool* tasks() const { return tasks_.get(); }
  void set_tasks(std::shared_ptr<TaskPool> tasks) { tasks_ = std::move(tasks); }
  const std::shared_ptr<arrow::io::RandomAccessFile>& input() const { return file_; }
  /// How Parquet's own readers are to read the file.
  parquet::ReaderProperties reader_properties() const;

  /// A reader of those row groups alone, in that order, which decodes at most `batch_rows` rows in
  /// its record batch readers. It shares the file, and must not outlive this object. Reads nothing.
  /// With `pages`, which must outlive the reader and is for those row groups, it reads but those.
  arrow::Result<std::unique_ptr<parquet::arrow::FileReader>> MakeReader(
      const std::vector<int>& row_groups, int64_t batch_rows, PageSelection* pages = nullptr) const;

 private:
  ParquetFile() = default;
  arrow::Status ReadFooter(const FileTask& task, const NameMapping& mapping);
  arrow::Status ListRowGroups();

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<parquet::FileMetaData> metadata_;
  FileSchema schema_;
  std::vector<RowGroupSpan> row_groups_;
  std::shared_ptr<ScanCounters> counters_;
  std::vector<std::atomic<bool>> is_read_;  // by row group
  bool is_counted_ = false;
  int64_t buffer_bytes_ = 128 << 10;
  arrow::MemoryPool* pool_ = nullptr;
  std::shared_ptr<TaskPool> tasks_;
};

}  // namespace esker
