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

namespace esker {
namespace {

using testing::FileField;
using testing::FileScan;
using testing::FromJson;
using testing::ListOf;
using testing::MakeField;
using testing::MapOf;
using testing::StructOf;
using testing::WriteFile;

// The column as JSON values of its own type.
void ExpectColumn(const arrow::RecordBatch& rows, int column, const std::string& json) {
  const auto expected = FromJson(rows.column(column)->type(), json);
  EXPECT_TRUE(rows.column(column)->Equals(*expected)) << "column " << column << " is "
                                                      << rows.column(column)->ToString()
                                                      << "\nnot " << expected->ToString();
}

bool Contains(const arrow::Status& status, const std::string& text) {
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

  testing::TemporaryFolder folder_;
  int files_ = 0;
};

// Ten rows: id 0 to 9, name "n0" to "n9" but null for 3.
constexpr char kIds[] = "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]";
constexpr char kNames[] =
    R"(["n0", "n1", "n2", null, "n4", "n5", "n6", "n7", "n8", "n9"])";
constexpr char kNamesReversed[] =
    R"(["n9", "n8", "n7", "n6", "n5", "n4", null, "n2", "n1", "n0"])";

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
  const FileTask task = Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[]")});
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

// ---- types ----

TEST_F(FileSourceTest, Promotions) {
  ExpectReadAs(FromJson(arrow::int32(), "[-1, null, 2147483647]"), "long", "[-1, null, 2147483647]");
  ExpectReadAs(FromJson(arrow::float32(), "[-0.5, null]"), "double", "[-0.5, null]");
  ExpectReadAs(FromJson(arrow::decimal128(5, 2), R"(["-1.25", null, "999.99"])"), "decimal(20, 2)",
               R"(["-1.25", null, "999.99"])");
  ExpectReadAs(FromJson(arrow::date32(), "[-1, null, 1]"), "timestamp",
               "[-86400000000, null, 86400000000]");
  ExpectReadAs(FromJson(arrow::date32(), "[-1, null, 1]"), "timestamp_ns",
               "[-86400000000000, null, 86400000000000]");
}

TEST_F(FileSourceTest, IntegersOfOtherWriters) {
  ExpectReadAs(FromJson(arrow::int8(), "[-128, 127]"), "int", "[-128, 127]");
  ExpectReadAs(FromJson(arrow::uint16(), "[0, 65535]"), "int", "[0, 65535]");
  ExpectReadAs(FromJson(arrow::uint32(), "[4294967295]"), "long", "[4294967295]");
  ExpectNotReadAs(FromJson(arrow::uint64(), "[18446744073709551615]"), "long", "column 'c'");
}

TEST_F(FileSourceTest, TypesThatCannotBecomeTheColumns) {
  ExpectNotReadAs(FromJson(arrow::int64(), "[1]"), "int", "type int64 of the file cannot become int");
  ExpectNotReadAs(FromJson(arrow::float64(), "[1]"), "float", "double");
  ExpectNotReadAs(FromJson(arrow::utf8(), R"(["1"])"), "long", "column 'c' (field id 1)");
  ExpectNotReadAs(FromJson(arrow::decimal128(5, 2), R"(["1.25"])"), "decimal(9, 3)", "decimal");
  ExpectNotReadAs(FromJson(arrow::date32(), "[1]"), "timestamptz", "date32");
  ExpectNotReadAs(FromJson(arrow::fixed_size_binary(3), R"(["abc"])"), "fixed[4]", "fixed");
  ExpectNotReadAs(FromJson(arrow::list(arrow::int32()), "[[1]]"), "int", "list");
}

TEST_F(FileSourceTest, TimestampsKeepTheirWallClockInAnyUnit) {
  const auto milli = arrow::TimeUnit::MILLI;
  const auto nano = arrow::TimeUnit::NANO;
  const auto micro = arrow::TimeUnit::MICRO;
  ExpectReadAs(FromJson(arrow::timestamp(milli), "[-1, null, 2]"), "timestamp",
               "[-1000, null, 2000]");
  ExpectReadAs(FromJson(arrow::timestamp(milli, "UTC"), "[-1]"), "timestamp", "[-1000]");
  ExpectReadAs(FromJson(arrow::timestamp(micro), "[7]"), "timestamptz", "[7]");
  ExpectReadAs(FromJson(arrow::timestamp(micro, "Europe/Berlin"), "[7]"), "timestamp", "[7]");
  ExpectReadAs(FromJson(arrow::timestamp(nano), "[-1, 1999]"), "timestamp_ns", "[-1, 1999]");
  ExpectReadAs(FromJson(arrow::timestamp(micro), "[-1]"), "timestamp_ns", "[-1000]");
  ExpectNotReadAs(FromJson(arrow::timestamp(micro), "[9223372036854775807]"), "timestamp_ns",
                  "out of range");
  ExpectReadAs(FromJson(arrow::time32(milli), "[1, null]"), "time", "[1000, null]");
}

TEST_F(FileSourceTest, NanosecondsRoundTowardsMinusInfinity) {
  ExpectReadAs(FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[-1, -1000, -1001, 1999]"),
               "timestamp", "[-1, -1, -2, 1]");
  ExpectReadAs(FromJson(arrow::time64(arrow::TimeUnit::NANO), "[1999, null]"), "time", "[1, null]");
}

TEST_F(FileSourceTest, BytesWithOrWithoutMark) {
  ExpectReadAs(FromJson(arrow::binary(), R"(["a", null, "bc"])"), "string", R"(["a", null, "bc"])");
  ExpectReadAs(FromJson(arrow::utf8(), R"(["a", null])"), "binary", R"(["a", null])");
  ExpectReadAs(FromJson(arrow::large_utf8(), R"(["a", null])"), "string", R"(["a", null])");
  ExpectReadAs(FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])"), "uuid",
               R"(["0123456789abcdef", null])");
  ExpectReadAs(FromJson(arrow::fixed_size_binary(3), R"(["abc"])"), "fixed[3]", R"(["abc"])");
  ExpectReadAs(FromJson(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["a", null, "a"])"),
               "string", R"(["a", null, "a"])");
}

TEST_F(FileSourceTest, DecimalsOfAnyPhysicalType) {
  const auto integers =
      parquet::WriterProperties::Builder().enable_store_decimal_as_integer()->build();
  for (const int precision : {3, 12, 30}) {
    const auto stored = FromJson(arrow::decimal128(precision, 1), R"(["-12.8", null, "0.5"])");
    for (const auto& properties : {integers, parquet::default_writer_properties()}) {
      const FileTask task =
          Write({FileField(1, "d", stored->type())}, {stored}, 1 << 20, properties);
      FileScan scan;
      scan.schema = {MakeField(1, "d", "decimal(38, 1)")};
      scan.output = {"d"};
      const auto rows = scan.Read(task);
      ASSERT_TRUE(rows.ok()) << rows.status();
      ExpectColumn(**rows, 0, R"(["-12.8", null, "0.5"])");
    }
  }
}

TEST_F(FileSourceTest, Int96IsReadAsMicroseconds) {
  const auto type = arrow::timestamp(arrow::TimeUnit::NANO);
  const auto stored = FromJson(type, "[-1000, null, 0, 9223372036854775000]");
  const auto table = arrow::Table::Make(arrow::schema({FileField(1, "t", type)}), {stored});
  const auto path = folder_.File("int96.parquet");
  ASSERT_TRUE(testing::WriteInt96File(path, *table).ok());
  FileTask task;
  task.file.path = path;
  task.file.format = "PARQUET";
  task.file.record_count = 4;
  FileScan scan;
  scan.schema = {MakeField(1, "t", "timestamptz")};
  scan.output = {"t"};
  const auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[-1, null, 0, 9223372036854775]");
}

TEST_F(FileSourceTest, UnknownIsNullWhateverIsStored) {
  ExpectReadAs(FromJson(arrow::int32(), "[1, 2]"), "unknown", "[null, null]");
}

// ---- evolution ----

TEST_F(FileSourceTest, ColumnsAreFoundByIdNotByName) {
  // As in the spec: 1: a int, 2: b string, 3: c double, read as 3: measurement, 2: name, 4: a.
  const FileTask task = Write(
      {FileField(1, "a", arrow::int32()), FileField(2, "b", arrow::utf8()),
       FileField(3, "c", arrow::float64())},
      {FromJson(arrow::int32(), "[1]"), FromJson(arrow::utf8(), R"(["x"])"),
       FromJson(arrow::float64(), "[0.5]")});
  FileScan scan;
  scan.schema = {MakeField(3, "measurement", "double"), MakeField(2, "name", "string"),
                 MakeField(4, "a", "int")};
  scan.output = {"measurement", "name", "a"};
  const auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[0.5]");
  ExpectColumn(**rows, 1, R"(["x"])");
  ExpectColumn(**rows, 2, "[null]");
}

TEST_F(FileSourceTest, MissingColumnsTakeConstantThenInitialDefaultThenNull) {
  FileTask task = Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[1, 2]")});
  task.constants = {{2, Value{int64_t{20}}}, {1, Value{int64_t{99}}}};
  FileScan scan;
  scan.schema = {MakeField(1, "id", "long"), MakeField(2, "p", "int"), MakeField(3, "d", "int", true),
                 MakeField(4, "n", "int")};
  scan.schema[1].initial_default = "7";
  scan.schema[2].initial_default = "5";
  scan.schema[2].write_default = "6";
  scan.keys = {"d"};
  scan.output = {"id", "p", "d", "n"};
  auto rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[1, 2]");  // stored: the file goes before the partition
  ExpectColumn(**rows, 1, "[20, 20]");
  ExpectColumn(**rows, 2, "[5, 5]");
  ExpectColumn(**rows, 3, "[null, null]");

  scan.filter = "d = 5 and p = 20 and n is null";  // velox#17790, Daft#6550
  rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)->num_rows(), 2);
  scan.filter = "d = 6";
  rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  EXPECT_EQ((*rows)->num_rows(), 0);
}

TEST_F(FileSourceTest, MissingRequiredColumnIsAnError) {
  const FileTask task = Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[1]")});
  FileScan scan;
  scan.schema = {MakeField(2, "must", "int", true)};
  scan.output = {"must"};
  const auto rows = scan.Read(task);
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "'must'")) << rows.status();
  EXPECT_TRUE(Contains(rows.status(), task.file.path)) << rows.status();
}

TEST_F(FileSourceTest, NullInARequiredColumnIsAnError) {
  const auto rows = ReadAs(FromJson(arrow::int64(), "[1, null]"), MakeField(1, "k", "long", true));
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "'k'")) << rows.status();
}

TEST_F(FileSourceTest, TwoColumnsOfOneIdAreAnError) {
  const FileTask task = Write({FileField(1, "a", arrow::int64()), FileField(1, "b", arrow::int64())},
                              {FromJson(arrow::int64(), "[1]"), FromJson(arrow::int64(), "[2]")});
  FileScan scan;
  scan.schema = {MakeField(1, "a", "long")};
  scan.output = {"a"};
  const auto rows = scan.Read(task);
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "field id 1")) << rows.status();
}

class StructTest : public FileSourceTest {
 protected:
  // s: struct<x: int (11), y: string (12)>, with a null struct and a null member.
  FileTask WriteStructs(int64_t group_rows = 1 << 20) {
    const auto type =
        arrow::struct_({FileField(11, "x", arrow::int32()), FileField(12, "y", arrow::utf8())});
    return Write({FileField(1, "s", type)},
                 {FromJson(type, R"([{"x": 1, "y": "a"}, null, {"x": null, "y": "c"}])")},
                 group_rows);
  }
};

TEST_F(StructTest, MembersAreRenamedReorderedAddedAndDropped) {
  FileScan scan;
  Field added = MakeField(13, "z", "int");
  added.initial_default = "7";
  scan.schema = {MakeField(1, "s", StructOf({added, MakeField(12, "why", "string"),
                                             MakeField(11, "x", "long")}))};
  scan.output = {"s"};
  const auto rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([{"z": 7, "why": "a", "x": 1}, null, {"z": 7, "why": "c", "x": null}])");
}

TEST_F(StructTest, OneMemberOfAStruct) {
  FileScan scan;
  Field added = MakeField(13, "z", "int");
  added.initial_default = "7";
  scan.schema = {MakeField(1, "s", StructOf({MakeField(11, "x", "int"), MakeField(12, "y", "string"),
                                             added}))};
  scan.keys = {"s.y"};
  scan.output = {"s.x", "s.z", "s.y", "s"};
  for (const int64_t batch_rows : kBatchRows) {
    for (const int64_t group_rows : {1, 2, 3}) {
      scan.batch_rows = batch_rows;
      const auto rows = scan.Read(WriteStructs(group_rows));
      ASSERT_TRUE(rows.ok()) << rows.status();
      ExpectColumn(**rows, 0, "[1, null, null]");
      ExpectColumn(**rows, 1, "[7, null, 7]");  // the null struct wins over the default
      ExpectColumn(**rows, 2, R"(["a", null, "c"])");
      ExpectColumn(**rows, 3,
                   R"([{"x": 1, "y": "a", "z": 7}, null, {"x": null, "y": "c", "z": 7}])");
    }
  }
}

TEST_F(StructTest, FilterOnAMemberAndOnTheStruct) {
  FileScan scan;
  scan.schema = {MakeField(1, "s", StructOf({MakeField(11, "x", "int"), MakeField(12, "y", "string")}))};
  scan.output = {"s.y"};
  scan.filter = "s.x is null";
  auto rows = scan.Read(WriteStructs(1));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([null, "c"])");
  scan.filter = "s is null";
  rows = scan.Read(WriteStructs(1));
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[null]");
}

TEST_F(StructTest, OnlyMissingMembersStillShowWhichStructsAreNull) {
  FileScan scan;
  scan.schema = {MakeField(1, "s", StructOf({MakeField(19, "new", "int")}))};
  scan.output = {"s"};
  const auto rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([{"new": null}, null, {"new": null}])");
}

TEST_F(StructTest, MissingStruct) {
  FileScan scan;
  Field x = MakeField(21, "x", "int", true);
  Field optional_struct = MakeField(2, "t", StructOf({x}));
  scan.schema = {optional_struct};
  scan.output = {"t", "t.x"};
  auto rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[null, null, null]");  // its required member is null with it
  ExpectColumn(**rows, 1, "[null, null, null]");

  x.initial_default = "4";
  scan.schema = {MakeField(2, "t", StructOf({x}))};
  rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[null, null, null]");  // null goes before the member's default

  scan.schema[0].initial_default = "{}";
  rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([{"x": 4}, {"x": 4}, {"x": 4}])");
  ExpectColumn(**rows, 1, "[4, 4, 4]");
}

TEST_F(FileSourceTest, ListsAndMapsOfStructs) {
  const auto item =
      arrow::struct_({FileField(31, "a", arrow::int32()), FileField(32, "b", arrow::utf8())});
  const auto list = arrow::list(FileField(30, "element", item));
  const auto map = std::make_shared<arrow::MapType>(FileField(40, "key", arrow::utf8(), false),
                                                    FileField(41, "value", item));
  const std::string lists = R"([[{"a": 1, "b": "x"}, null], null, [], [{"a": null, "b": "y"}]])";
  // Ids of a second struct with the same members would be the same, so that one is left to b.
  const FileTask list_task = Write({FileField(3, "l", list)}, {FromJson(list, lists)});
  FileScan scan;
  const Type cut = StructOf({MakeField(32, "bee", "string"), MakeField(33, "c", "int")});
  scan.schema = {MakeField(3, "l", ListOf(MakeField(30, "element", cut)))};
  scan.output = {"l"};
  for (const int64_t batch_rows : kBatchRows) {
    scan.batch_rows = batch_rows;
    const auto rows = scan.Read(list_task);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ExpectColumn(**rows, 0,
                 R"([[{"bee": "x", "c": null}, null], null, [], [{"bee": "y", "c": null}]])");
  }

  const std::string maps = R"([[["k", {"a": 1, "b": "x"}], ["l", null]], null, []])";
  const FileTask map_task = Write({FileField(4, "m", map)}, {FromJson(map, maps)});
  scan.schema = {MakeField(4, "m", MapOf(MakeField(40, "key", "string", true),
                                         MakeField(41, "value", StructOf({MakeField(31, "a", "long")}))))};
  scan.output = {"m"};
  const auto rows = scan.Read(map_task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([[["k", {"a": 1}], ["l", null]], null, []])");
}

TEST_F(FileSourceTest, ListsOfOtherLayouts) {
  Field list = MakeField(1, "l", ListOf(MakeField(2, "element", "long")));
  for (const auto& type : {arrow::list(arrow::int32()), arrow::large_list(arrow::int32())}) {
    const auto rows = ReadAs(FromJson(type, "[[1, null], null, []]"), list);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ExpectColumn(**rows, 0, "[[1, null], null, []]");
  }
  const auto rows = ReadAs(FromJson(arrow::fixed_size_list(arrow::int32(), 2), "[[1, 2], null]"), list);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[[1, 2], null]");
}

// ---- files without field ids ----

class NoIdsTest : public FileSourceTest {
 protected:
  FileTask WriteNoIds() {
    const auto item = arrow::struct_({arrow::field("a.b", arrow::int32())});
    const auto list = arrow::list(arrow::field("item", item));
    return Write({arrow::field("old", arrow::int64()), arrow::field("l", list),
                  arrow::field("p", arrow::int32())},
                 {FromJson(arrow::int64(), "[1, 2]"), FromJson(list, R"([[{"a.b": 5}], null])"),
                  FromJson(arrow::int32(), "[8, 8]")});
  }

  static FileScan Scan() {
    FileScan scan;
    scan.schema = {MakeField(1, "id", "long"),
                   MakeField(2, "l", ListOf(MakeField(3, "element",
                                                      StructOf({MakeField(4, "ab", "int")})))),
                   MakeField(5, "p", "int")};
    scan.output = {"id", "l"};
    return scan;
  }
};

TEST_F(NoIdsTest, NameMappingGivesIdsAtEveryLevel) {
  FileScan scan = Scan();
  scan.mapping = ParseNameMapping(R"([
      {"field-id": 1, "names": ["id", "old"]},
      {"field-id": 2, "names": ["l"], "fields": [
        {"field-id": 3, "names": ["element"], "fields": [{"field-id": 4, "names": ["a.b"]}]}]}])")
                     .ValueOrDie();
  const auto rows = scan.Read(WriteNoIds());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[1, 2]");
  ExpectColumn(**rows, 1, R"([[{"ab": 5}], null])");
}

TEST_F(NoIdsTest, ColumnsThatAreNotMappedAreMissing) {
  FileScan scan = Scan();
  scan.mapping = ParseNameMapping(R"([{"field-id": 2, "names": ["l"]}])").ValueOrDie();
  const auto rows = scan.Read(WriteNoIds());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[null, null]");
  ExpectColumn(**rows, 1, R"([[{"ab": null}], null])");
}

TEST_F(NoIdsTest, WithoutMappingIsAnErrorInWords) {
  const FileTask task = WriteNoIds();
  const auto rows = Scan().Read(task);
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), task.file.path)) << rows.status();
  EXPECT_TRUE(Contains(rows.status(), "no field ids")) << rows.status();
  EXPECT_TRUE(Contains(rows.status(), "schema.name-mapping.default")) << rows.status();
}

TEST_F(NoIdsTest, PartitionValueGoesBeforeTheMapping) {
  FileScan scan = Scan();
  scan.output = {"p"};
  FileTask task = WriteNoIds();
  task.constants = {{5, Value{int64_t{9}}}};
  auto rows = scan.Read(task);  // Daft#2129: no mapping is needed for it either
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[9, 9]");
  scan.mapping = ParseNameMapping(R"([{"field-id": 5, "names": ["p"]}])").ValueOrDie();
  rows = scan.Read(task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, "[9, 9]");
}

TEST_F(NoIdsTest, TwoNamesOfOneColumnAreAnError) {
  FileScan scan = Scan();
  scan.mapping = ParseNameMapping(R"([{"field-id": 1, "names": ["old", "p"]}])").ValueOrDie();
  const auto rows = scan.Read(WriteNoIds());
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "'old'")) << rows.status();
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
  FileTask task = Write(
      {FileField(1, "id", arrow::int64()), FileField(2147483540, "_row_id", arrow::int64()),
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
