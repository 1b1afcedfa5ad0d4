#include "read/file_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "base/status.h"
#include "format/arrow_schema.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"
#include "testing/file_source_fixture.h"

namespace esker {
namespace {

using testing::Contains;
using testing::ExpectColumn;
using testing::FileField;
using testing::FileScan;
using testing::FileSourceTest;
using testing::FromJson;
using testing::MakeField;

// Ten rows: id 0 to 9, name "n0" to "n9" but null for 3.
constexpr char kIds[] = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
constexpr char kNames[] = R"(["n0", "n1", "n2", null, "n4", "n5", "n6", "n7", "n8", "n9"])";
constexpr char kNamesReversed[] = R"(["n9", "n8", "n7", "n6", "n5", "n4", null, "n2", "n1", "n0"])";

class TenRowsTest : public FileSourceTest {
 protected:
  FileTask WriteTen(int64_t group_rows) {
    return Write({FileField(1, "id", arrow::int64(), false), FileField(2, "name", arrow::utf8())},
                 {FromJson(arrow::int64(), kIds), FromJson(arrow::utf8(), kNames)}, group_rows);
  }

  static FileScan ScanTen() {
    FileScan scan;
    scan.schema = {MakeField(1, "id", "long", true), MakeField(2, "name", "string")};
    scan.keys = {"id"};
    scan.output = {"name", "id", "_pos"};
    return scan;
  }

  static DeleteSet Deleted(const std::vector<int64_t>& positions) {
    auto set = std::make_shared<PositionSet>();
    set->AddMany(positions);
    DeleteSet deletes;
    deletes.positions = set;
    return deletes;
  }

  // Reads with all batch sizes, row group sizes and ways of taking.
  void ExpectAlways(FileScan scan, const std::string& names, const std::string& ids) {
    for (const int64_t group_rows : {1, 3, 10}) {
      const FileTask task = WriteTen(group_rows);
      for (const int64_t batch_rows : kBatchRows) {
        for (const int64_t take : {1, 4, 1000}) {
          SCOPED_TRACE(::testing::Message() << "row groups of " << group_rows << ", batches of "
                                            << batch_rows << ", taking " << take);
          scan.batch_rows = batch_rows;
          const auto rows = scan.Read(task, take == 4 ? 3 : 1, take);
          ASSERT_TRUE(rows.ok()) << rows.status();
          ExpectColumn(**rows, 0, names);
          ExpectColumn(**rows, 1, ids);
          ExpectColumn(**rows, 2, ids);  // ids were chosen to be the positions
        }
      }
    }
  }
};

TEST_F(TenRowsTest, GivesAllRowsInTheOrderOfTheFile) { ExpectAlways(ScanTen(), kNames, kIds); }

TEST_F(TenRowsTest, ReversedGivesThemLastToFirst) {
  FileScan scan = ScanTen();
  scan.reversed = true;
  ExpectAlways(scan, kNamesReversed, "[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]");
}

TEST_F(TenRowsTest, ThreadsGiveTheSameRows) {
  FileScan scan = ScanTen();
  for (const int threads : {2, 4}) {
    scan.threads = threads;
    scan.reversed = false;
    ExpectAlways(scan, kNames, kIds);
    scan.reversed = true;
    ExpectAlways(scan, kNamesReversed, "[9, 8, 7, 6, 5, 4, 3, 2, 1, 0]");
  }
}

// Strings are decoded first, being dear: the error of the column before them comes out all the
// same.
TEST_F(FileSourceTest, TheFirstColumnWithAnErrorCountsWithAnyThreads) {
  const FileTask task =
      Write({FileField(1, "a", arrow::int32()), FileField(2, "b", arrow::int32()),
             FileField(3, "c", arrow::utf8())},
            {FromJson(arrow::int32(), "[1, 2]"), FromJson(arrow::int32(), "[1, null]"),
             FromJson(arrow::utf8(), R"([null, "x"])")});
  FileScan scan;
  scan.schema = {MakeField(1, "a", "int", true), MakeField(2, "b", "int", true),
                 MakeField(3, "c", "string", true)};
  scan.output = {"a", "b", "c"};
  for (const int threads : {1, 2, 4}) {
    scan.threads = threads;
    const auto rows = scan.Read(task);
    ASSERT_FALSE(rows.ok());
    EXPECT_TRUE(Contains(rows.status(), "column 'b' is required")) << rows.status();
  }
}

// What is read ahead, and its error, waits until it is asked for.
TEST_F(FileSourceTest, AnErrorAheadComesInItsTurn) {
  const FileTask task = Write({FileField(1, "a", arrow::int32())},
                              {FromJson(arrow::int32(), "[1, 2, 3, 4, 5, null]")});
  FileScan scan;
  scan.schema = {MakeField(1, "a", "int", true)};
  scan.keys = {"a"};
  scan.output = {"a"};
  scan.batch_rows = 2;
  for (const int threads : {1, 2, 4}) {
    scan.threads = threads;
    const auto source = scan.Open(task).ValueOrDie();
    for (int i = 0; i < 2; ++i) {
      ASSERT_NE(source->NextKeys().ValueOrDie(), nullptr);
      EXPECT_TRUE(source->Take(2).ok());
    }
    const auto keys = source->NextKeys();
    ASSERT_FALSE(keys.ok());
    EXPECT_TRUE(Contains(keys.status(), "column 'a' is required")) << keys.status();
    EXPECT_FALSE(source->NextKeys().ok()) << "an error that does not stay";
  }
}

TEST_F(TenRowsTest, LeavesDeletedPositionsOut) {
  FileScan scan = ScanTen();
  scan.deletes = Deleted({0, 3, 4, 5, 9, 77});
  ExpectAlways(scan, R"(["n1", "n2", "n6", "n7", "n8"])", "[1, 2, 6, 7, 8]");
  scan.reversed = true;
  ExpectAlways(scan, R"(["n8", "n7", "n6", "n2", "n1"])", "[8, 7, 6, 2, 1]");
}

TEST_F(TenRowsTest, GivesNothingWhereEveryRowIsDeleted) {
  FileScan scan = ScanTen();
  scan.deletes = Deleted({0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  ExpectAlways(scan, "[]", "[]");
  scan.reversed = true;
  ExpectAlways(scan, "[]", "[]");
}

TEST_F(TenRowsTest, AppliesTheFilter) {
  FileScan scan = ScanTen();
  scan.filter = "name in ('n1', 'n5', 'n6', 'n9')";
  ExpectAlways(scan, R"(["n1", "n5", "n6", "n9"])", "[1, 5, 6, 9]");
  scan.reversed = true;
  ExpectAlways(scan, R"(["n9", "n6", "n5", "n1"])", "[9, 6, 5, 1]");
  scan.deletes = Deleted({5, 6});
  ExpectAlways(scan, R"(["n9", "n1"])", "[9, 1]");
}

TEST_F(TenRowsTest, FilterFindsNulls) {
  FileScan scan = ScanTen();
  scan.filter = "name is null";
  ExpectAlways(scan, "[null]", "[3]");
}

TEST_F(TenRowsTest, SkipsRowGroupsWithoutMovingPositions) {
  FileScan scan = ScanTen();
  scan.filter = "id >= 4 and id < 6";
  const auto rows = scan.Read(WriteTen(2));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 2, "[4, 5]");
  EXPECT_EQ(scan.counters->row_groups_read, 1);
  EXPECT_EQ(scan.counters->row_groups_skipped, 4);
}

TEST_F(TenRowsTest, DeletesCountFromTheStartOfTheFileWhereRowGroupsAreSkipped) {
  FileScan scan = ScanTen();
  scan.filter = "id > 5";
  scan.deletes = Deleted({6, 8});
  ExpectAlways(scan, R"(["n7", "n9"])", "[7, 9]");
}

TEST_F(TenRowsTest, SkipsRowGroupsOfWhichAllRowsAreDeleted) {
  FileScan scan = ScanTen();
  scan.deletes = Deleted({2, 3, 5});
  const auto rows = scan.Read(WriteTen(2));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 2, "[0, 1, 4, 6, 7, 8, 9]");
  EXPECT_EQ(scan.counters->row_groups_read, 4);
  EXPECT_EQ(scan.counters->row_groups_skipped, 1);
}

TEST_F(TenRowsTest, ReadsNoPagesForConstants) {
  FileScan scan = ScanTen();
  scan.keys = {};
  scan.output = {"_file", "_pos", "_spec_id"};
  const FileTask task = WriteTen(2);
  const auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 1, kIds);
  EXPECT_EQ(scan.counters->row_groups_read, 0);
}

TEST_F(TenRowsTest, LazyColumnsAreReadOnlyWhereRowsAreTaken) {
  FileScan scan = ScanTen();
  const FileTask task = WriteTen(5);
  auto source = scan.Open(task).ValueOrDie();
  ASSERT_EQ(source->NextKeys().ValueOrDie()->num_rows(), 10);
  EXPECT_EQ(scan.counters->row_groups_read, 2);
  const auto batches = source->Take(3).ValueOrDie();
  ASSERT_EQ(batches.size(), 1u);
  ExpectColumn(*batches[0], 0, R"(["n0", "n1", "n2"])");
}

TEST_F(TenRowsTest, CountsOpenFiles) {
  FileScan scan = ScanTen();
  auto source = scan.Open(WriteTen(5)).ValueOrDie();
  EXPECT_EQ(scan.counters->files_opened, 1);
  EXPECT_EQ(scan.counters->open_files, 1);
  source.reset();
  EXPECT_EQ(scan.counters->open_files, 0);
  EXPECT_GT(scan.counters->bytes_read, 0);
}

TEST_F(TenRowsTest, PlacesRowsInTheFile) {
  FileScan scan = ScanTen();
  scan.deletes = Deleted({0, 4});
  scan.reversed = true;
  const FileTask task = WriteTen(5);
  auto source = scan.Open(task).ValueOrDie();
  ASSERT_EQ(source->NextKeys().ValueOrDie()->num_rows(), 5);  // 9 8 7 6 5
  ASSERT_EQ(source->NextKeys().ValueOrDie()->num_rows(), 3);  // 3 2 1
  EXPECT_EQ(source->Place(0).row, 9);
  EXPECT_EQ(source->Place(0).row_group, 1);
  EXPECT_EQ(source->Place(5).row, 3);
  EXPECT_EQ(source->Place(5).row_group, 0);
  EXPECT_EQ(source->Place(7).file, task.file.path);
  ASSERT_TRUE(source->Take(6).ok());
  EXPECT_EQ(source->Place(5).row, 3);  // the last one taken
  EXPECT_EQ(source->Place(6).row, 2);
}

TEST_F(TenRowsTest, RefusesToTakeRowsThatWereNotGiven) {
  auto source = ScanTen().Open(WriteTen(5)).ValueOrDie();
  ASSERT_FALSE(source->Take(1).ok());
  EXPECT_FALSE(source->NextKeys().ok());  // and stays failed
}

TEST_F(TenRowsTest, RefusesAFileWithAnotherRowCount) {
  FileTask task = WriteTen(5);
  task.file.record_count = 11;
  const auto source = ScanTen().Open(task);
  ASSERT_FALSE(source.ok());
  EXPECT_TRUE(Contains(source.status(), "10 rows")) << source.status();
  EXPECT_TRUE(Contains(source.status(), "11")) << source.status();
  EXPECT_TRUE(Contains(source.status(), task.file.path)) << source.status();
}

TEST_F(TenRowsTest, RefusesOtherFormatsByName) {
  for (const std::string format : {"ORC", "AVRO"}) {
    FileTask task = WriteTen(5);
    task.file.format = format;
    const auto source = ScanTen().Open(task);
    ASSERT_FALSE(source.ok());
    EXPECT_EQ(KindOf(source.status()), ErrorKind::kUnsupported);
    EXPECT_TRUE(Contains(source.status(), format)) << source.status();
  }
}

TEST_F(TenRowsTest, MissingFileIsAnError) {
  FileTask task = WriteTen(5);
  task.file.path += ".gone";
  const auto source = ScanTen().Open(task);
  ASSERT_FALSE(source.ok());
  EXPECT_TRUE(Contains(source.status(), task.file.path)) << source.status();
}

TEST_F(FileSourceTest, EmptyFile) {
  const FileTask task =
      Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[]")});
  FileScan scan;
  scan.schema = {MakeField(1, "id", "long")};
  scan.keys = scan.output = {"id"};
  for (const bool reversed : {false, true}) {
    scan.reversed = reversed;
    const auto rows = scan.Read(task);
    ASSERT_TRUE(rows.ok()) << rows.status();
    EXPECT_EQ((*rows)->num_rows(), 0);
  }
}

// ---- equality deletes ----

// Rows whose first column is one of the values are gone.
class DeletedNumbers : public EqualityDeletes {
 public:
  DeletedNumbers(int32_t field_id, std::vector<int64_t> numbers)
      : field_ids_{field_id}, numbers_(std::move(numbers)) {}
  const std::vector<int32_t>& field_ids() const override { return field_ids_; }
  arrow::Status Apply(const arrow::RecordBatch& batch, uint8_t* keep) const override {
    const auto& column = static_cast<const arrow::Int64Array&>(*batch.column(0));
    for (int64_t i = 0; i < batch.num_rows(); ++i) {
      if (column.IsNull(i)) continue;
      if (std::count(numbers_.begin(), numbers_.end(), column.Value(i)) > 0) keep[i] = 0;
    }
    return arrow::Status::OK();
  }

 private:
  std::vector<int32_t> field_ids_;
  std::vector<int64_t> numbers_;
};

TEST_F(TenRowsTest, EqualityDeletesReadHiddenAndDroppedColumns) {
  FileScan scan = ScanTen();
  scan.deletes = Deleted({0});
  scan.deletes.equality = {std::make_shared<DeletedNumbers>(1, std::vector<int64_t>{2, 9}),
                           std::make_shared<DeletedNumbers>(1, std::vector<int64_t>{5})};
  ExpectAlways(scan, R"(["n1", null, "n4", "n6", "n7", "n8"])", "[1, 3, 4, 6, 7, 8]");

  // The id was dropped from the table since.
  auto before = std::make_shared<Schema>();
  before->fields = scan.schema;
  scan.schema.erase(scan.schema.begin());
  scan.keys = {};
  scan.output = {"_pos"};
  auto rows = scan.Read(WriteTen(4));
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "field id 1")) << rows.status();
  scan.delete_schema = before;
  rows = scan.Read(WriteTen(4));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[1, 3, 4, 6, 7, 8]");
}

// ---- metadata columns ----

TEST_F(TenRowsTest, RowLineageIsInherited) {
  FileScan scan = ScanTen();
  scan.output = {"_file", "_spec_id", "_row_id", "_last_updated_sequence_number"};
  scan.deletes = Deleted({0, 1, 2, 3, 4, 5, 6, 7});
  FileTask task = WriteTen(4);
  task.sequence_number = 12;
  task.spec_id = 3;
  auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 1, "[3, 3]");
  ExpectColumn(**rows, 2, "[null, null]");  // a file from before row lineage
  ExpectColumn(**rows, 3, "[null, null]");

  task.file.first_row_id = 1000;
  rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[\"" + task.file.path + "\", \"" + task.file.path + "\"]");
  ExpectColumn(**rows, 2, "[1008, 1009]");
  ExpectColumn(**rows, 3, "[12, 12]");
}

TEST_F(FileSourceTest, StoredRowLineageGoesFirst) {
  FileTask task =
      Write({FileField(1, "id", arrow::int64()), FileField(2147483540, "_row_id", arrow::int64()),
             FileField(2147483539, "_last_updated_sequence_number", arrow::int64())},
            {FromJson(arrow::int64(), "[1, 2, 3]"), FromJson(arrow::int64(), "[500, null, 7]"),
             FromJson(arrow::int64(), "[4, null, null]")});
  task.file.first_row_id = 100;
  task.sequence_number = 9;
  FileScan scan;
  scan.schema = {MakeField(1, "id", "long")};
  scan.output = {"_row_id", "_last_updated_sequence_number"};
  const auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[500, 101, 7]");
  ExpectColumn(**rows, 1, "[4, 9, 9]");
}

}  // namespace
}  // namespace esker
