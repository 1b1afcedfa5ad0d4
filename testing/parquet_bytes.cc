#include "testing/parquet_bytes.h"

#include "arrow/array.h"
#include "arrow/io/memory.h"
#include "arrow/json/from_string.h"
#include "arrow/table.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "arrow/util/logging.h"
#include "parquet/arrow/writer.h"

namespace esker {
namespace {

std::shared_ptr<arrow::Field> FieldOf(const TestArray& column) {
  auto field = arrow::field(column.name, column.values->type());
  if (column.field_id < 0) return field;
  return field->WithMetadata(
      arrow::key_value_metadata({{"PARQUET:field_id", std::to_string(column.field_id)}}));
}

}  // namespace

std::shared_ptr<arrow::Buffer> ParquetBytes(const std::vector<TestArray>& columns,
                                            int64_t row_group_rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const TestArray& column : columns) {
    fields.push_back(FieldOf(column));
    arrays.push_back(column.values);
  }
  const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  ARROW_CHECK_OK(
      parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), sink, row_group_rows));
  return sink->Finish().ValueOrDie();
}

std::shared_ptr<arrow::Buffer> ParquetBytes(const std::vector<TestColumn>& columns,
                                            int64_t row_group_rows) {
  std::vector<TestArray> arrays;
  for (const TestColumn& column : columns) {
    arrays.push_back({column.name, column.field_id,
                      arrow::json::ArrayFromJSONString(column.type, column.json).ValueOrDie()});
  }
  return ParquetBytes(arrays, row_group_rows);
}

}  // namespace esker
