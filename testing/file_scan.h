// File scan: writes a small Parquet file and reads it through OpenFileSource(), for tests.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "format/name_mapping.h"
#include "format/type.h"
#include "plan/file_task.h"
#include "read/delete_set.h"
#include "read/source.h"

namespace parquet {
class WriterProperties;
}

namespace esker::testing {

/// A folder below the system's temporary one that goes away with the object.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string File(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

/// A field of a table schema. `type` is primitive, as the spec writes it.
Field MakeField(int32_t id, const std::string& name, const std::string& type,
                bool required = false);
Field MakeField(int32_t id, const std::string& name, Type type, bool required = false);
Type StructOf(std::vector<Field> fields);
Type ListOf(Field element);
Type MapOf(Field key, Field value);

/// An Arrow field that is written with that Parquet field id.
std::shared_ptr<arrow::Field> FileField(int32_t id, const std::string& name,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        bool nullable = true);

/// An array from JSON. Aborts the test run on bad JSON.
std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json);

/// Writes the columns, in row groups of `group_rows` rows, and gives the task that reads the file.
arrow::Result<FileTask> WriteFile(const std::string& path, const arrow::FieldVector& fields,
                                  const arrow::ArrayVector& columns, int64_t group_rows = 1 << 20,
                                  std::shared_ptr<parquet::WriterProperties> properties = nullptr);

/// Writes timestamps as INT96, as old Hive, Impala and Spark did.
arrow::Status WriteInt96File(const std::string& path, const arrow::Table& table);

/// What is asked of the file. Names are those of `schema`; "s.x" is a member of s.
struct FileScan {
  std::vector<Field> schema;
  std::vector<std::string> keys;
  std::vector<std::string> output;
  std::string filter;
  NameMapping mapping;
  int64_t batch_rows = 16384;
  bool reversed = false;
  int threads = 1;  ///< with more, keys are read ahead as well
  /// Shortcuts, all of which may be off (RowRequest).
  bool prune_row_groups = true, prune_pages = true;
  bool use_bloom_filters = true, use_dictionaries = true;
  DeleteSet deletes;
  std::shared_ptr<const Schema> delete_schema;
  std::shared_ptr<ScanCounters> counters = std::make_shared<ScanCounters>();
  arrow::MemoryPool* pool = nullptr;  ///< null for the default pool

  arrow::Result<std::unique_ptr<Source>> Open(const FileTask& task) const;

  /// All output rows, as one batch. Keys are read ahead by `ahead` batches before rows are taken,
  /// `take` at a time. Checks batch lengths, and that a key that is also output has equal values.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Read(const FileTask& task, int ahead = 1,
                                                          int64_t take = 1 << 30) const;
};

}  // namespace esker::testing
