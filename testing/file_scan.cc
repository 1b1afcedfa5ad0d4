#include "testing/file_scan.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/compute/initialize.h"
#include "arrow/io/file.h"
#include "arrow/json/from_string.h"
#include "arrow/util/key_value_metadata.h"
#include "catalog/storage.h"
#include "format/arrow_schema.h"
#include "parquet/arrow/writer.h"
#include "parquet/properties.h"
#include "plan/row_request.h"
#include "read/file_source.h"

namespace esker::testing {
namespace {

arrow::Result<ColumnRequest> FindRequest(const Schema& schema, const std::string& name) {
  ColumnRequest request;
  request.name = name;
  for (const Field* field : schema.FindByName(name)) request.path.push_back(*field);
  if (request.path.empty()) {
    const auto metadata = MetadataColumn(name);
    if (!metadata.has_value()) return arrow::Status::Invalid("test: no column ", name);
    request.path.push_back(*metadata);
  }
  return request;
}

arrow::Result<std::vector<ColumnRequest>> FindRequests(const Schema& schema,
                                                       const std::vector<std::string>& names) {
  std::vector<ColumnRequest> requests;
  for (const std::string& name : names) {
    ARROW_ASSIGN_OR_RAISE(requests.emplace_back(), FindRequest(schema, name));
  }
  return requests;
}

arrow::Result<std::shared_ptr<arrow::Schema>> SchemaOf(const std::vector<ColumnRequest>& requests) {
  arrow::FieldVector fields;
  for (const ColumnRequest& request : requests) {
    ARROW_ASSIGN_OR_RAISE(const auto schema, ToArrowSchema(Schema{0, {request.field()}, {}}));
    fields.push_back(schema->field(0)->WithName(request.name)->WithNullable(true));
  }
  return arrow::schema(std::move(fields));
}

arrow::Result<std::shared_ptr<const RowRequest>> MakeRequest(const FileScan& scan) {
  auto request = std::make_shared<RowRequest>();
  auto schema = std::make_shared<Schema>();
  schema->fields = scan.schema;
  request->schema = schema;
  ARROW_ASSIGN_OR_RAISE(request->keys, FindRequests(*schema, scan.keys));
  ARROW_ASSIGN_OR_RAISE(request->output, FindRequests(*schema, scan.output));
  ARROW_ASSIGN_OR_RAISE(request->output_schema, SchemaOf(request->output));
  if (!scan.filter.empty()) {
    ARROW_ASSIGN_OR_RAISE(request->filter, BoundFilter::Make(scan.filter, *schema));
  }
  request->name_mapping = scan.mapping;
  request->batch_rows = scan.batch_rows;
  request->prune_row_groups = scan.prune_row_groups;
  request->prune_pages = scan.prune_pages;
  request->use_bloom_filters = scan.use_bloom_filters;
  request->use_dictionaries = scan.use_dictionaries;
  return request;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Join(
    const std::shared_ptr<arrow::Schema>& schema, const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) {
    ARROW_RETURN_NOT_OK(batch->ValidateFull());
    rows += batch->num_rows();
  }
  arrow::ArrayVector columns;
  for (int i = 0; i < schema->num_fields(); ++i) {
    arrow::ArrayVector parts = {arrow::MakeEmptyArray(schema->field(i)->type()).ValueOrDie()};
    for (const auto& batch : batches) parts.push_back(batch->column(i));
    ARROW_ASSIGN_OR_RAISE(auto column, arrow::Concatenate(parts));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(schema, rows, std::move(columns));
}

// Keys that are also output must be the same rows.
arrow::Status CheckKeys(const FileScan& scan, const arrow::RecordBatchVector& keys,
                        const arrow::RecordBatch& rows) {
  if (keys.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const auto joined, Join(keys[0]->schema(), keys));
  if (joined->num_rows() != rows.num_rows()) {
    return arrow::Status::Invalid("test: ", joined->num_rows(), " keys for ", rows.num_rows(),
                                  " rows");
  }
  for (size_t i = 0; i < scan.keys.size(); ++i) {
    const auto output = std::find(scan.output.begin(), scan.output.end(), scan.keys[i]);
    if (output == scan.output.end()) continue;
    const auto& column = rows.column(static_cast<int>(output - scan.output.begin()));
    const auto options = arrow::EqualOptions::Defaults().nans_equal(true);
    if (!joined->column(static_cast<int>(i))->Equals(*column, options)) {
      return arrow::Status::Invalid("test: key ", scan.keys[i], " is not the row's");
    }
  }
  return arrow::Status::OK();
}

int64_t RowsOf(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  return rows;
}

// Pulls keys until `ahead` batches wait or the end comes, then takes what waits.
arrow::Status Drain(Source* source, int ahead, int64_t take, arrow::RecordBatchVector* keys,
                    arrow::RecordBatchVector* rows) {
  bool at_end = false;
  while (!at_end) {
    int64_t waiting = 0;
    for (int i = 0; i < ahead && !at_end; ++i) {
      ARROW_ASSIGN_OR_RAISE(auto batch, source->NextKeys());
      at_end = batch == nullptr;
      if (at_end) break;
      if (batch->num_rows() == 0) return arrow::Status::Invalid("test: empty key batch");
      waiting += batch->num_rows();
      keys->push_back(std::move(batch));
    }
    while (waiting > 0) {
      const int64_t step = std::min(waiting, take);
      ARROW_ASSIGN_OR_RAISE(auto taken, source->Take(step));
      if (RowsOf(taken) != step) return arrow::Status::Invalid("test: took another count");
      rows->insert(rows->end(), taken.begin(), taken.end());
      waiting -= step;
    }
  }
  return arrow::Status::OK();
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
  std::string pattern = std::filesystem::temp_directory_path().string() + "/esker_XXXXXX";
  path_ = ::mkdtemp(pattern.data()) == nullptr ? std::string() : pattern;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

Field MakeField(int32_t id, const std::string& name, Type type, bool required) {
  Field field;
  field.id = id;
  field.name = name;
  field.type = std::move(type);
  field.required = required;
  return field;
}

Field MakeField(int32_t id, const std::string& name, const std::string& type, bool required) {
  return MakeField(id, name, ParsePrimitiveType(type).ValueOrDie(), required);
}

Type StructOf(std::vector<Field> fields) {
  Type type;
  type.id = TypeId::kStruct;
  type.fields = std::make_shared<const std::vector<Field>>(std::move(fields));
  return type;
}

Type ListOf(Field element) {
  Type type = StructOf({std::move(element)});
  type.id = TypeId::kList;
  return type;
}

Type MapOf(Field key, Field value) {
  Type type = StructOf({std::move(key), std::move(value)});
  type.id = TypeId::kMap;
  return type;
}

std::shared_ptr<arrow::Field> FileField(int32_t id, const std::string& name,
                                        const std::shared_ptr<arrow::DataType>& type,
                                        bool nullable) {
  return arrow::field(name, type, nullable,
                      arrow::key_value_metadata({std::string(kFieldIdKey)}, {std::to_string(id)}));
}

std::shared_ptr<arrow::Array> FromJson(const std::shared_ptr<arrow::DataType>& type,
                                       const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

arrow::Result<FileTask> WriteFile(const std::string& path, const arrow::FieldVector& fields,
                                  const arrow::ArrayVector& columns, int64_t group_rows,
                                  std::shared_ptr<parquet::WriterProperties> properties) {
  const auto table = arrow::Table::Make(arrow::schema(fields), columns);
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  if (properties == nullptr) properties = parquet::default_writer_properties();
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file,
                                                 group_rows, properties));
  ARROW_RETURN_NOT_OK(file->Close());
  FileTask task;
  task.file.path = path;
  task.file.format = "PARQUET";
  task.file.record_count = table->num_rows();
  return task;
}

arrow::Status WriteInt96File(const std::string& path, const arrow::Table& table) {
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::FileOutputStream::Open(path));
  const auto arrow_properties =
      parquet::ArrowWriterProperties::Builder().enable_deprecated_int96_timestamps()->build();
  ARROW_RETURN_NOT_OK(parquet::arrow::WriteTable(table, arrow::default_memory_pool(), file, 1 << 20,
                                                 parquet::default_writer_properties(),
                                                 arrow_properties));
  return file->Close();
}

arrow::Result<std::unique_ptr<Source>> FileScan::Open(const FileTask& task) const {
  ARROW_RETURN_NOT_OK(arrow::compute::Initialize());  // the filter's kernels
  ReadContext context;
  context.storage = std::make_shared<const Storage>(nullptr, PrefixMap{});
  ARROW_ASSIGN_OR_RAISE(context.request, MakeRequest(*this));
  context.delete_schema = delete_schema;
  context.counters = counters;
  ARROW_ASSIGN_OR_RAISE(context.tasks, TaskPool::Make(threads));
  context.read_ahead = true;
  context.pool = pool;
  return OpenFileSource(context, task, deletes, reversed);
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> FileScan::Read(const FileTask& task, int ahead,
                                                                  int64_t take) const {
  ARROW_ASSIGN_OR_RAISE(const auto source, Open(task));
  arrow::RecordBatchVector key_batches;
  arrow::RecordBatchVector batches;
  ARROW_RETURN_NOT_OK(Drain(source.get(), ahead, take, &key_batches, &batches));
  ARROW_ASSIGN_OR_RAISE(const auto request, MakeRequest(*this));
  ARROW_ASSIGN_OR_RAISE(auto rows, Join(request->output_schema, batches));
  ARROW_RETURN_NOT_OK(CheckKeys(*this, key_batches, *rows));
  return rows;
}

}  // namespace esker::testing
