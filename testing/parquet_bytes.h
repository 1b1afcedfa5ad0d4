// Small Parquet files in memory, columns written as JSON: for tests that need a file of exactly
// some shape.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"

namespace esker {

struct TestColumn {
  std::string name;
  int32_t field_id = 0;  ///< below 0: none is written
  std::shared_ptr<arrow::DataType> type;
  std::string json;  ///< "[1, null, 3]"
};

/// A column of that array.
struct TestArray {
  std::string name;
  int32_t field_id = 0;
  std::shared_ptr<arrow::Array> values;
};

/// The file of those columns; each row group has that many rows. Aborts if it cannot be written.
std::shared_ptr<arrow::Buffer> ParquetBytes(const std::vector<TestColumn>& columns,
                                            int64_t row_group_rows = 1024);
std::shared_ptr<arrow::Buffer> ParquetBytes(const std::vector<TestArray>& columns,
                                            int64_t row_group_rows = 1024);

}  // namespace esker
