#include "read/position_deletes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/io/memory.h"
#include "arrow/memory_pool.h"
#include "arrow/type.h"
#include "plan/delete_index.h"
#include "testing/parquet_bytes.h"

namespace esker {
namespace {

using ::testing::HasSubstr;
using Positions = std::vector<int64_t>;

TestColumn Paths(std::string json, int32_t field_id = kDeleteFilePathFieldId) {
  return {"file_path", field_id, arrow::utf8(), std::move(json)};
}
TestColumn Rows(std::string json, int32_t field_id = kDeletePosFieldId) {
  return {"pos", field_id, arrow::int64(), std::move(json)};
}

arrow::Result<PositionsByPath> Read(const std::shared_ptr<arrow::Buffer>& file,
                                    const std::optional<std::string>& only_path = {}) {
  return ReadPositionDeletes(std::make_shared<arrow::io::BufferReader>(file), only_path,
                             arrow::default_memory_pool());
}

Positions Of(const PositionsByPath& deletes, const std::string& path) {
  Positions positions;
  const auto found = deletes.find(path);
  if (found != deletes.end()) found->second->AppendRange(0, int64_t{1} << 40, &positions);
  return positions;
}

// The message of what reading gives, for files that must be refused.
std::string Refusal(const std::vector<TestColumn>& columns) {
  const auto read = Read(ParquetBytes(columns));
  if (read.ok()) return "read";
  EXPECT_TRUE(read.status().IsInvalid()) << read.status().ToString();
  return read.status().message();
}

// Report 62: several data files in one delete file, interleaved, unsorted, positions repeated.
TEST(PositionDeletesTest, SeveralDataFilesInAnyOrder) {
  const auto file = ParquetBytes(
      {Paths(R"(["b", "a", "b", "a", "a", "c"])"), Rows("[7, 3, 0, 1, 3, 4294967301]")}, 2);
  const auto read = Read(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(read->size(), 3u);
  EXPECT_EQ(Of(*read, "a"), (Positions{1, 3}));
  EXPECT_EQ(Of(*read, "b"), (Positions{0, 7}));
  EXPECT_EQ(Of(*read, "c"), (Positions{4294967301}));
}

TEST(PositionDeletesTest, OnlyOnePath) {
  const auto read = Read(ParquetBytes({Paths(R"(["b", "a", "b"])"), Rows("[7, 3, 0]")}), "b");
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(read->size(), 1u);
  EXPECT_EQ(Of(*read, "b"), (Positions{0, 7}));
}

TEST(PositionDeletesTest, ColumnsAreFoundByIdAndTheRowIsIgnored) {
  const auto row = arrow::struct_({arrow::field("id", arrow::int64())});
  const auto file =
      ParquetBytes({TestColumn{"row", 2147483544, row, R"([{"id": 1}, null])"},
                    TestColumn{"p", kDeletePosFieldId, arrow::int64(), "[5, 6]"},
                    TestColumn{"pos", kDeleteFilePathFieldId, arrow::utf8(), R"(["a", "a"])"}});
  const auto read = Read(file);
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(Of(*read, "a"), (Positions{5, 6}));
}

TEST(PositionDeletesTest, IntPositionsAndBinaryPaths) {
  const auto read = Read(
      ParquetBytes({TestColumn{"file_path", kDeleteFilePathFieldId, arrow::binary(), R"(["a"])"},
                    TestColumn{"pos", kDeletePosFieldId, arrow::int32(), "[5]"}}));
  ASSERT_TRUE(read.ok()) << read.status().message();
  EXPECT_EQ(Of(*read, "a"), (Positions{5}));
}

TEST(PositionDeletesTest, AnEmptyFile) {
  const auto read = Read(ParquetBytes({Paths("[]"), Rows("[]")}));
  ASSERT_TRUE(read.ok());
  EXPECT_TRUE(read->empty());
}

// Report 68, pgcolumnar#644.
TEST(PositionDeletesTest, CorruptRowsAreInvalid) {
  EXPECT_THAT(Refusal({Paths(R"(["a", "a"])"), Rows("[3, null]")}),
              HasSubstr("null position in row 1"));
  EXPECT_THAT(Refusal({Paths(R"(["a", "a"])"), Rows("[3, -1]")}),
              HasSubstr("negative position -1 in row 1"));
}

TEST(PositionDeletesTest, RowsWithoutAPathDeleteNothing) {
  const auto read = Read(ParquetBytes(
      {Paths(R"([null, "a", null, "a", "", "b", null])"), Rows("[3, 4, null, 5, 6, 7, -1]")}));
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  EXPECT_EQ(read->size(), 3u);
  EXPECT_EQ(Of(*read, "a"), (Positions{4, 5}));
  EXPECT_EQ(Of(*read, ""), (Positions{6}));
  EXPECT_EQ(Of(*read, "b"), (Positions{7}));
}

TEST(PositionDeletesTest, WrongColumnsAreInvalid) {
  EXPECT_THAT(Refusal({Paths(R"(["a"])")}), HasSubstr("no column 'pos' (field id 2147483545)"));
  EXPECT_THAT(Refusal({Rows("[1]")}), HasSubstr("no column 'file_path'"));
  EXPECT_THAT(Refusal({Paths(R"(["a"])", -1), Rows("[1]", -1)}), HasSubstr("field ids"));
  EXPECT_NE(Refusal({Paths(R"(["a"])"), {"pos", kDeletePosFieldId, arrow::utf8(), R"(["1"])"}}),
            "read");
}

TEST(PositionDeletesTest, DamagedFilesAreRefused) {
  const auto file = ParquetBytes({Paths(R"(["a", "b"])"), Rows("[1, 2]")});
  for (int64_t size = 0; size < file->size(); ++size) {
    EXPECT_FALSE(Read(arrow::SliceBuffer(file, 0, size)).ok()) << size;
  }
}

// Issue 5: 10 million deleted positions of one file, held as a bitmap.
TEST(PositionDeletesTest, TenMillionPositionsAreABitmap) {
  constexpr int64_t kRows = 10'000'000;
  arrow::Int64Builder rows;
  ASSERT_TRUE(rows.Reserve(kRows).ok());
  for (int64_t i = 0; i < kRows; ++i) rows.UnsafeAppend(i * 3);
  const std::string path = "s3://bucket/warehouse/events/data/00000-0-5c7e.parquet";
  // A dictionary, because writing ten million strings takes longer than all the rest.
  const auto zeros = arrow::MakeArrayFromScalar(arrow::Int32Scalar(0), kRows).ValueOrDie();
  const auto names = arrow::MakeArrayFromScalar(arrow::StringScalar(path), 1).ValueOrDie();
  const auto paths = arrow::DictionaryArray::FromArrays(zeros, names).ValueOrDie();
  const auto file = ParquetBytes({TestArray{"file_path", kDeleteFilePathFieldId, paths},
                                  TestArray{"pos", kDeletePosFieldId, rows.Finish().ValueOrDie()}},
                                 1 << 20);
  arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
  const auto read = ReadPositionDeletes(std::make_shared<arrow::io::BufferReader>(file), {}, &pool);
  ASSERT_TRUE(read.ok()) << read.status().message();
  const PositionSet& positions = *read->at(path);
  EXPECT_EQ(positions.cardinality(), kRows);
  EXPECT_TRUE(positions.Contains(3 * (kRows - 1)));
  EXPECT_FALSE(positions.Contains(3 * kRows));
  EXPECT_LT(pool.max_memory(), int64_t{64} << 20);
}

}  // namespace
}  // namespace esker
