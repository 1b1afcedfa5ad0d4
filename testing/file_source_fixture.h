// What tests of file sources share: a folder to write files into, and expectations in JSON.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "arrow/api.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"

namespace esker::testing {

// The column as JSON values of its own type.
inline void ExpectColumn(const arrow::RecordBatch& rows, int column, const std::string& json) {
  const auto expected = FromJson(rows.column(column)->type(), json);
  EXPECT_TRUE(rows.column(column)->Equals(*expected))
      << "column " << column << " is " << rows.column(column)->ToString() << "\nnot "
      << expected->ToString();
}

inline bool Contains(const arrow::Status& status, const std::string& text) {
  return status.ToString().find(text) != std::string::npos;
}

class FileSourceTest : public ::testing::Test {
 protected:
  FileTask Write(const arrow::FieldVector& fields, const arrow::ArrayVector& columns,
                 int64_t group_rows = 1 << 20,
                 std::shared_ptr<parquet::WriterProperties> properties = nullptr) {
    return WriteFile(folder_.File("f" + std::to_string(files_++) + ".parquet"), fields, columns,
                     group_rows, std::move(properties))
        .ValueOrDie();
  }

  // One column of the file read as one column of the table.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReadAs(
      const std::shared_ptr<arrow::Array>& stored, Field field) {
    const FileTask task = Write({FileField(field.id, "stored", stored->type())}, {stored});
    FileScan scan;
    scan.output = {field.name};
    scan.schema = {std::move(field)};
    return scan.Read(task);
  }

  void ExpectReadAs(const std::shared_ptr<arrow::Array>& stored, const std::string& type,
                    const std::string& json) {
    const auto rows = ReadAs(stored, MakeField(1, "c", type));
    ASSERT_TRUE(rows.ok()) << type << ": " << rows.status();
    ExpectColumn(**rows, 0, json);
  }

  void ExpectNotReadAs(const std::shared_ptr<arrow::Array>& stored, const std::string& type,
                       const std::string& words) {
    const auto rows = ReadAs(stored, MakeField(1, "c", type));
    ASSERT_FALSE(rows.ok()) << type;
    EXPECT_TRUE(Contains(rows.status(), words)) << rows.status();
    EXPECT_TRUE(Contains(rows.status(), ".parquet: ")) << rows.status();
  }

  static constexpr int kBatchRows[] = {1, 2, 7, 16384};

  TemporaryFolder folder_;
  int files_ = 0;
};

}  // namespace esker::testing
