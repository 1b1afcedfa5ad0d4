// Parquet files that other writers made, some of them damaged (folder ESKER_TABLES).

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "parquet/arrow/schema.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "testing/file_scan.h"

namespace esker {
namespace {

namespace fs = std::filesystem;
using testing::FileScan;
using testing::ListOf;
using testing::MakeField;

class FileSourceCorpusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("ESKER_TABLES");
    if (folder == nullptr) GTEST_SKIP() << "ESKER_TABLES is not set";
    tables_ = folder;
  }

  static FileTask TaskOf(const fs::path& path, int64_t rows) {
    FileTask task;
    task.file.path = path.string();
    task.file.format = "PARQUET";
    task.file.record_count = rows;
    return task;
  }

  static NameMapping MapTo1(const std::string& name) {
    NameMapping mapping;
    mapping.root.fields.push_back({{name}, 1, {}});
    return mapping;
  }

  static std::vector<fs::path> FilesOf(const fs::path& folder) {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".parquet") files.push_back(entry.path());
    }
    return files;
  }

  fs::path tables_;
};

// "int64_with_nulls" to "long".
std::string TypeOf(const std::string& stem) {
  const std::map<std::string, std::string> types = {
      {"int32", "int"},     {"int64", "long"},    {"float", "float"},     {"double", "double"},
      {"string", "string"}, {"binary", "binary"}, {"boolean", "boolean"}, {"uuid", "uuid"}};
  return types.at(stem.substr(0, stem.find('_')));
}

TEST_F(FileSourceCorpusTest, EveryEncodingGivesTheValuesOfThePlainOne) {
  const fs::path folder = tables_ / "iceberg-java" / "parquet_encodings";
  int files = 0;
  for (const auto& encoding : fs::directory_iterator(folder)) {
    for (const fs::path& path : FilesOf(encoding.path())) {
      SCOPED_TRACE(path.string());
      FileScan scan;
      scan.schema = {MakeField(1, "data", TypeOf(path.stem().string()))};
      scan.output = {"data"};
      scan.mapping = MapTo1("data");
      scan.batch_rows = 300;
      const auto plain = scan.Read(TaskOf(folder / "PLAIN" / path.filename(), 1000));
      ASSERT_TRUE(plain.ok()) << plain.status();
      const bool has_nulls = path.stem().string().ends_with("_with_nulls");
      EXPECT_EQ((*plain)->column(0)->null_count(), has_nulls ? 200 : 0);
      for (const bool reversed : {false, true}) {
        scan.reversed = reversed;
        const auto rows = scan.Read(TaskOf(path, 1000));
        ASSERT_TRUE(rows.ok()) << rows.status();
        for (int64_t i = 0; i < 1000; ++i) {
          const auto left = (*rows)->column(0)->GetScalar(reversed ? 999 - i : i).ValueOrDie();
          ASSERT_TRUE(left->Equals(*(*plain)->column(0)->GetScalar(i).ValueOrDie())) << i;
        }
      }
      ++files;
    }
  }
  EXPECT_EQ(files, 46);
}

// A type that the column can be read as; nullopt for those that are left out.
std::optional<Type> GuessType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return ParsePrimitiveType("boolean").ValueOrDie();
    case arrow::Type::INT8:
    case arrow::Type::INT16:
    case arrow::Type::INT32:
    case arrow::Type::UINT8:
    case arrow::Type::UINT16:
      return ParsePrimitiveType("int").ValueOrDie();
    case arrow::Type::INT64:
    case arrow::Type::UINT32:
    case arrow::Type::UINT64:
      return ParsePrimitiveType("long").ValueOrDie();
    case arrow::Type::FLOAT:
      return ParsePrimitiveType("float").ValueOrDie();
    case arrow::Type::DOUBLE:
      return ParsePrimitiveType("double").ValueOrDie();
    case arrow::Type::STRING:
      return ParsePrimitiveType("string").ValueOrDie();
    case arrow::Type::BINARY:
      return ParsePrimitiveType("binary").ValueOrDie();
    case arrow::Type::TIMESTAMP:
      return ParsePrimitiveType("timestamp").ValueOrDie();
    case arrow::Type::FIXED_SIZE_BINARY: {
      Type fixed;
      fixed.id = TypeId::kFixed;
      fixed.length = static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width();
      return fixed;
    }
    case arrow::Type::LIST: {
      const auto element = GuessType(*type.field(0)->type());
      if (!element.has_value()) return std::nullopt;
      return ListOf(MakeField(2, "element", *element));
    }
    case arrow::Type::STRUCT: {
      std::vector<Field> members;
      int32_t id = 10;
      for (const auto& field : type.fields()) {
        const auto member = GuessType(*field->type());
        if (member.has_value()) members.push_back(MakeField(++id, field->name(), *member));
      }
      return testing::StructOf(std::move(members));
    }
    default:
      return std::nullopt;
  }
}

// Reads each column on its own, both ways; counts those that fail.
int CountFailures(const fs::path& path) {
  std::shared_ptr<parquet::FileMetaData> metadata;
  std::shared_ptr<arrow::Schema> schema;
  try {
    metadata = parquet::ParquetFileReader::OpenFile(path.string())->metadata();
    if (!parquet::arrow::FromParquetSchema(metadata->schema(), &schema).ok()) return 1;
  } catch (const std::exception&) {
    FileScan scan;
    scan.schema = {MakeField(1, "c", "int")};
    scan.output = {"c"};
    FileTask task;
    task.file.path = path.string();
    task.file.format = "PARQUET";
    return scan.Read(task).ok() ? 0 : 1;
  }
  int failures = 0;
  for (const auto& field : schema->fields()) {
    const auto type = GuessType(*field->type());
    if (!type.has_value()) continue;
    FileScan scan;
    scan.schema = {MakeField(1, "c", *type)};
    scan.output = {"c"};
    scan.mapping.root.fields.push_back({{field->name()}, 1, {}});
    for (const bool reversed : {false, true}) {
      scan.reversed = reversed;
      FileTask task;
      task.file.path = path.string();
      task.file.format = "PARQUET";
      task.file.record_count = metadata->num_rows();
      const auto rows = scan.Read(task);
      if (rows.ok()) {
        EXPECT_EQ((*rows)->num_rows(), metadata->num_rows());
      } else {
        EXPECT_NE(rows.status().ToString().find(path.string()), std::string::npos) << rows.status();
        ++failures;
      }
    }
  }
  return failures;
}

TEST_F(FileSourceCorpusTest, DamagedFilesFailInWords) {
  int files = 0;
  for (const fs::path& path : FilesOf(tables_ / "parquet-testing" / "bad_data")) {
    SCOPED_TRACE(path.string());
    ++files;
    const int failures = CountFailures(path);
    // Of this one the damage is gone from the readers: it is read right.
    if (path.stem() == "ARROW-GH-43605") continue;
    EXPECT_GT(failures, 0);
  }
  EXPECT_EQ(files, 8);
}

}  // namespace
}  // namespace esker
