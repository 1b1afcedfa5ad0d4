#include "read/column_projection.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

#include "arrow/api.h"
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
using testing::ListOf;
using testing::MakeField;
using testing::MapOf;
using testing::StructOf;
using testing::WriteFile;

class ColumnProjectionTest : public FileSourceTest {};

// ---- types ----

TEST_F(ColumnProjectionTest, Promotions) {
  ExpectReadAs(FromJson(arrow::int32(), "[-1, null, 2147483647]"), "long",
               "[-1, null, 2147483647]");
  ExpectReadAs(FromJson(arrow::float32(), "[-0.5, null]"), "double", "[-0.5, null]");
  ExpectReadAs(FromJson(arrow::decimal128(5, 2), R"(["-1.25", null, "999.99"])"), "decimal(20, 2)",
               R"(["-1.25", null, "999.99"])");
  ExpectReadAs(FromJson(arrow::date32(), "[-1, null, 1]"), "timestamp",
               "[-86400000000, null, 86400000000]");
  ExpectReadAs(FromJson(arrow::date32(), "[-1, null, 1]"), "timestamp_ns",
               "[-86400000000000, null, 86400000000000]");
}

TEST_F(ColumnProjectionTest, IntegersOfOtherWriters) {
  ExpectReadAs(FromJson(arrow::int8(), "[-128, 127]"), "int", "[-128, 127]");
  ExpectReadAs(FromJson(arrow::uint16(), "[0, 65535]"), "int", "[0, 65535]");
  ExpectReadAs(FromJson(arrow::uint32(), "[4294967295]"), "long", "[4294967295]");
  ExpectNotReadAs(FromJson(arrow::uint64(), "[18446744073709551615]"), "long", "column 'c'");
}

TEST_F(ColumnProjectionTest, TypesThatCannotBecomeTheColumns) {
  ExpectNotReadAs(FromJson(arrow::int64(), "[1]"), "int",
                  "type int64 of the file cannot become int");
  ExpectNotReadAs(FromJson(arrow::float64(), "[1]"), "float", "double");
  ExpectNotReadAs(FromJson(arrow::utf8(), R"(["1"])"), "long", "column 'c' (field id 1)");
  ExpectNotReadAs(FromJson(arrow::decimal128(5, 2), R"(["1.25"])"), "decimal(9, 3)", "decimal");
  ExpectNotReadAs(FromJson(arrow::date32(), "[1]"), "timestamptz", "date32");
  ExpectNotReadAs(FromJson(arrow::fixed_size_binary(3), R"(["abc"])"), "fixed[4]", "fixed");
  ExpectNotReadAs(FromJson(arrow::list(arrow::int32()), "[[1]]"), "int", "list");
}

TEST_F(ColumnProjectionTest, TimestampsKeepTheirWallClockInAnyUnit) {
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

TEST_F(ColumnProjectionTest, NanosecondsRoundTowardsMinusInfinity) {
  ExpectReadAs(FromJson(arrow::timestamp(arrow::TimeUnit::NANO), "[-1, -1000, -1001, 1999]"),
               "timestamp", "[-1, -1, -2, 1]");
  ExpectReadAs(FromJson(arrow::time64(arrow::TimeUnit::NANO), "[1999, null]"), "time", "[1, null]");
}

TEST_F(ColumnProjectionTest, BytesWithOrWithoutMark) {
  ExpectReadAs(FromJson(arrow::binary(), R"(["a", null, "bc"])"), "string", R"(["a", null, "bc"])");
  ExpectReadAs(FromJson(arrow::utf8(), R"(["a", null])"), "binary", R"(["a", null])");
  ExpectReadAs(FromJson(arrow::large_utf8(), R"(["a", null])"), "string", R"(["a", null])");
  ExpectReadAs(FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef", null])"), "uuid",
               R"(["0123456789abcdef", null])");
  ExpectReadAs(FromJson(arrow::fixed_size_binary(3), R"(["abc"])"), "fixed[3]", R"(["abc"])");
  ExpectReadAs(FromJson(arrow::dictionary(arrow::int8(), arrow::utf8()), R"(["a", null, "a"])"),
               "string", R"(["a", null, "a"])");
}

TEST_F(ColumnProjectionTest, DecimalsOfAnyPhysicalType) {
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

TEST_F(ColumnProjectionTest, Int96IsReadAsMicroseconds) {
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

TEST_F(ColumnProjectionTest, UnknownIsNullWhateverIsStored) {
  ExpectReadAs(FromJson(arrow::int32(), "[1, 2]"), "unknown", "[null, null]");
}

// ---- evolution ----

TEST_F(ColumnProjectionTest, ColumnsAreFoundByIdNotByName) {
  // As in the spec: 1: a int, 2: b string, 3: c double, read as 3: measurement, 2: name, 4: a.
  const FileTask task = Write({FileField(1, "a", arrow::int32()), FileField(2, "b", arrow::utf8()),
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

TEST_F(ColumnProjectionTest, MissingColumnsTakeConstantThenInitialDefaultThenNull) {
  FileTask task = Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[1, 2]")});
  task.constants = {{2, Value{int64_t{20}}}, {1, Value{int64_t{99}}}};
  FileScan scan;
  scan.schema = {MakeField(1, "id", "long"), MakeField(2, "p", "int"),
                 MakeField(3, "d", "int", true), MakeField(4, "n", "int")};
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

TEST_F(ColumnProjectionTest, MissingRequiredColumnIsAnError) {
  const FileTask task =
      Write({FileField(1, "id", arrow::int64())}, {FromJson(arrow::int64(), "[1]")});
  FileScan scan;
  scan.schema = {MakeField(2, "must", "int", true)};
  scan.output = {"must"};
  const auto rows = scan.Read(task);
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "'must'")) << rows.status();
  EXPECT_TRUE(Contains(rows.status(), task.file.path)) << rows.status();
}

TEST_F(ColumnProjectionTest, NullInARequiredColumnIsAnError) {
  const auto rows = ReadAs(FromJson(arrow::int64(), "[1, null]"), MakeField(1, "k", "long", true));
  ASSERT_FALSE(rows.ok());
  EXPECT_TRUE(Contains(rows.status(), "'k'")) << rows.status();
}

TEST_F(ColumnProjectionTest, TwoColumnsOfOneIdAreAnError) {
  const FileTask task =
      Write({FileField(1, "a", arrow::int64()), FileField(1, "b", arrow::int64())},
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
  scan.schema = {MakeField(
      1, "s", StructOf({added, MakeField(12, "why", "string"), MakeField(11, "x", "long")}))};
  scan.output = {"s"};
  const auto rows = scan.Read(WriteStructs());
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0,
               R"([{"z": 7, "why": "a", "x": 1}, null, {"z": 7, "why": "c", "x": null}])");
}

TEST_F(StructTest, OneMemberOfAStruct) {
  FileScan scan;
  Field added = MakeField(13, "z", "int");
  added.initial_default = "7";
  scan.schema = {MakeField(
      1, "s", StructOf({MakeField(11, "x", "int"), MakeField(12, "y", "string"), added}))};
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
  scan.schema = {
      MakeField(1, "s", StructOf({MakeField(11, "x", "int"), MakeField(12, "y", "string")}))};
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

TEST_F(ColumnProjectionTest, ListsAndMapsOfStructs) {
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
  scan.schema = {MakeField(4, "m",
                           MapOf(MakeField(40, "key", "string", true),
                                 MakeField(41, "value", StructOf({MakeField(31, "a", "long")}))))};
  scan.output = {"m"};
  const auto rows = scan.Read(map_task);
  ASSERT_TRUE(rows.ok()) << rows.status();
  ExpectColumn(**rows, 0, R"([[["k", {"a": 1}], ["l", null]], null, []])");
}

TEST_F(ColumnProjectionTest, ListsOfOtherLayouts) {
  Field list = MakeField(1, "l", ListOf(MakeField(2, "element", "long")));
  for (const auto& type : {arrow::list(arrow::int32()), arrow::large_list(arrow::int32())}) {
    const auto rows = ReadAs(FromJson(type, "[[1, null], null, []]"), list);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ExpectColumn(**rows, 0, "[[1, null], null, []]");
  }
  const auto rows =
      ReadAs(FromJson(arrow::fixed_size_list(arrow::int32(), 2), "[[1, 2], null]"), list);
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
    scan.schema = {
        MakeField(1, "id", "long"),
        MakeField(2, "l", ListOf(MakeField(3, "element", StructOf({MakeField(4, "ab", "int")})))),
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

}  // namespace
}  // namespace esker
