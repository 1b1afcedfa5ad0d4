// Tests of pruning within files: Bloom filters, dictionaries and page indexes, each alone, and all
// of them against the naive twin of filters.
#include "read/row_range_choice.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/io/file.h"
#include "format/arrow_schema.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/page_index.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"
#include "testing/file_source_fixture.h"
#include "testing/filter_twin.h"
#include "testing/seed.h"
#include "testing/twin_row.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::ExpectColumn;
using testing::FileField;
using testing::FileScan;
using testing::FromJson;
using testing::MakeField;
using testing::TwinFilter;
using testing::TwinRow;
using testing::WriteFile;

using Builder = parquet::WriterProperties::Builder;

void TurnAllOff(FileScan* scan) {
  scan->prune_row_groups = scan->prune_pages = false;
  scan->use_bloom_filters = scan->use_dictionaries = false;
}

class RowRangeChoiceTest : public testing::FileSourceTest {
 protected:
  // Reads column "c" as `type` where `filter` holds; only what `turn_on` says is pruned by.
  template <typename TurnOn>
  std::shared_ptr<arrow::RecordBatch> Scan(const FileTask& task, const std::string& type,
                                           const std::string& filter, const TurnOn& turn_on) {
    FileScan scan;
    scan.schema = {MakeField(1, "c", type)};
    scan.output = {"c"};
    scan.filter = filter;
    TurnAllOff(&scan);
    turn_on(&scan);
    const auto rows = scan.Read(task);
    EXPECT_TRUE(rows.ok()) << type << ": " << filter << ": " << rows.status();
    row_groups_skipped_ = scan.counters->row_groups_skipped;
    pages_skipped_ = scan.counters->pages_skipped;
    bytes_read_ = scan.counters->bytes_read;
    return rows.ok() ? *rows : nullptr;
  }

  int64_t row_groups_skipped_ = 0;
  int64_t pages_skipped_ = 0;
  int64_t bytes_read_ = 0;
};

// A column as a file stores it, read as `type`. The file holds `present`, and not `absent`.
struct BloomCase {
  std::shared_ptr<arrow::DataType> stored;
  std::string json;
  std::string type;
  std::string present;
  std::string absent;
};

std::vector<BloomCase> BloomCases() {
  const auto milli = arrow::timestamp(arrow::TimeUnit::MILLI);
  const auto micro = arrow::timestamp(arrow::TimeUnit::MICRO);
  return {
      {arrow::int8(), "[0, -10, 20]", "int", "-10", "11"},
      {arrow::int32(), "[0, -10, 20]", "int", "-10", "11"},
      {arrow::int32(), "[0, -10, 20]", "long", "-10", "11"},
      {arrow::int64(), "[0, 5000000000, 20]", "long", "5000000000", "11"},
      {arrow::date32(), "[0, 10, 20]", "date", "'1970-01-11'", "'1970-01-12'"},
      {arrow::date32(), "[0, 10, 20]", "timestamp", "'1970-01-11'", "'1970-01-12'"},
      {arrow::time32(arrow::TimeUnit::MILLI), "[0, 1000, 2000]", "time", "'00:00:01'",
       "'00:00:01.5'"},
      {arrow::time64(arrow::TimeUnit::MICRO), "[0, 1000000, 2000000]", "time", "'00:00:01'",
       "'00:00:01.5'"},
      {milli, "[0, 1500, 2000]", "timestamp", "'1970-01-01T00:00:01.5'", "'1970-01-01T00:00:01'"},
      {micro, "[0, 1500000, 2000000]", "timestamp", "'1970-01-01T00:00:01.5'",
       "'1970-01-01T00:00:01'"},
      {micro, "[0, 1500000, 2000000]", "timestamp_ns", "'1970-01-01T00:00:01.5'",
       "'1970-01-01T00:00:01'"},
      {arrow::float32(), "[-1, 2.5, 3]", "float", "2.5", "2"},
      {arrow::float32(), "[-1, 2.5, 3]", "double", "2.5", "2"},
      {arrow::float64(), "[-1, 2.5, 3]", "double", "2.5", "2"},
      {arrow::utf8(), R"(["a", "café", "z"])", "string", "'café'", "'cafe'"},
      {arrow::utf8(), R"(["", "b", "z"])", "string", "''", "'a'"},
      {arrow::binary(), R"(["a", "m", "z"])", "binary", "X'6d'", "X'6e'"},
      {arrow::fixed_size_binary(2), R"(["aa", "mm", "zz"])", "fixed[2]", "X'6d6d'", "X'6d6e'"},
      {arrow::fixed_size_binary(16), R"(["0123456789abcdef", "1123456789abcdef"])", "uuid",
       "'30313233-3435-3637-3839-616263646566'", "'30313233-3435-3637-3839-616263646567'"},
      {arrow::decimal128(4, 2), R"(["-1.28", "0.00", "5.12"])", "decimal(4, 2)", "-1.28", "1"},
      {arrow::decimal128(4, 2), R"(["-1.28", "0.00", "5.12"])", "decimal(30, 2)", "-1.28", "1"},
      {arrow::decimal128(12, 2), R"(["-1.28", "0.00", "5.12"])", "decimal(12, 2)", "5.12", "1"},
      {arrow::decimal128(38, 2), R"(["-1.28", "0.00", "5.12"])", "decimal(38, 2)", "-1.28", "1"},
  };
}

TEST_F(RowRangeChoiceTest, BloomFiltersLeaveOutWhatIsNotThere) {
  const auto turn_on = [](FileScan* scan) { scan->use_bloom_filters = true; };
  for (const BloomCase& each : BloomCases()) {
    for (const bool as_integer : {false, true}) {
      SCOPED_TRACE(each.stored->ToString() + " as " + each.type);
      Builder properties;
      properties.enable_bloom_filter("c", {});
      if (as_integer) properties.enable_store_decimal_as_integer();
      const FileTask task = Write({FileField(1, "c", each.stored)},
                                  {FromJson(each.stored, each.json)}, 1 << 20, properties.build());
      EXPECT_EQ(Scan(task, each.type, "c = " + each.present, turn_on)->num_rows(), 1);
      EXPECT_EQ(row_groups_skipped_, 0);
      EXPECT_EQ(Scan(task, each.type, "c = " + each.absent, turn_on)->num_rows(), 0);
      EXPECT_EQ(row_groups_skipped_, 1);
      const std::string both = "c in (" + each.present + ", " + each.absent + ")";
      EXPECT_EQ(Scan(task, each.type, both, turn_on)->num_rows(), 1);
      EXPECT_EQ(Scan(task, each.type, "c = " + each.absent, [](FileScan*) {})->num_rows(), 0);
      EXPECT_EQ(row_groups_skipped_, 0);
    }
  }
}

TEST_F(RowRangeChoiceTest, BloomFiltersAreNotAskedForWhatTheyCannotKnow) {
  const auto turn_on = [](FileScan* scan) { scan->use_bloom_filters = true; };
  const auto task_of = [&](const std::shared_ptr<arrow::Array>& stored) {
    Builder properties;
    properties.enable_bloom_filter("c", {});
    return Write({FileField(1, "c", stored->type())}, {stored}, 1 << 20, properties.build());
  };
  const auto zeros = task_of(FromJson(arrow::float64(), "[-0.0, 1.5]"));
  EXPECT_EQ(Scan(zeros, "double", "c = 0", turn_on)->num_rows(), 1);
  // Both nanoseconds are of the one microsecond.
  const auto nano = arrow::timestamp(arrow::TimeUnit::NANO);
  const auto finer = task_of(FromJson(nano, "[1000001, 1000999]"));
  EXPECT_EQ(Scan(finer, "timestamp", "c = '1970-01-01T00:00:00.001'", turn_on)->num_rows(), 2);
  const auto narrow = task_of(FromJson(arrow::int32(), "[1, 2]"));
  EXPECT_EQ(Scan(narrow, "long", "c = 4294967297", turn_on)->num_rows(), 0);
  const auto nulls = task_of(FromJson(arrow::int32(), "[1, null, 2]"));
  EXPECT_EQ(Scan(nulls, "int", "c is null or c = 7", turn_on)->num_rows(), 1);
  EXPECT_EQ(Scan(nulls, "int", "not (c <> 2)", turn_on)->num_rows(), 1);
  EXPECT_EQ(Scan(nulls, "int", "c <> 7", turn_on)->num_rows(), 2);
}

// Texts of few kinds, in no order.
std::shared_ptr<arrow::Array> FewTexts(int64_t rows) {
  arrow::StringBuilder builder;
  const char* const texts[] = {"ant", "bee", "zebra"};
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(texts[i * 7 % 3]).ok());
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> Numbers(int64_t rows) {
  arrow::Int64Builder builder;
  for (int64_t i = 0; i < rows; ++i) EXPECT_TRUE(builder.Append(i).ok());
  return builder.Finish().ValueOrDie();
}

TEST_F(RowRangeChoiceTest, DictionariesLeaveOutWhatIsNotThere) {
  const auto turn_on = [](FileScan* scan) { scan->use_dictionaries = true; };
  const FileTask task = Write({FileField(1, "c", arrow::utf8())}, {FewTexts(10000)});
  for (const char* filter : {"c = 'cat'", "c in ('cat', 'dog')", "c like '%w%'",
                             "c not in ('ant', 'bee', 'zebra')", "c > 'bef' and c < 'z'"}) {
    EXPECT_EQ(Scan(task, "string", filter, turn_on)->num_rows(), 0) << filter;
    EXPECT_EQ(row_groups_skipped_, 1) << filter;
    const int64_t bytes = bytes_read_;
    EXPECT_EQ(Scan(task, "string", filter, [](FileScan*) {})->num_rows(), 0) << filter;
    EXPECT_EQ(row_groups_skipped_, 0) << filter;
    EXPECT_LT(bytes, bytes_read_) << filter;
  }
  EXPECT_EQ(Scan(task, "string", "c like '%e%' and c <> 'bee'", turn_on)->num_rows(), 3333);
}

TEST_F(RowRangeChoiceTest, DictionariesOfAllTypes) {
  const auto turn_on = [](FileScan* scan) { scan->use_dictionaries = true; };
  for (const BloomCase& each : BloomCases()) {
    for (const bool as_integer : {false, true}) {
      SCOPED_TRACE(each.stored->ToString() + " as " + each.type);
      // Much data beside a small dictionary.
      const auto values = FromJson(each.stored, each.json);
      arrow::ArrayVector parts(3000, values);
      Builder properties;
      if (as_integer) properties.enable_store_decimal_as_integer();
      const FileTask task =
          Write({FileField(1, "c", each.stored)}, {arrow::Concatenate(parts).ValueOrDie()}, 1 << 20,
                properties.build());
      EXPECT_EQ(Scan(task, each.type, "c = " + each.present, turn_on)->num_rows(), 3000);
      EXPECT_EQ(Scan(task, each.type, "c = " + each.absent, turn_on)->num_rows(), 0);
      EXPECT_EQ(row_groups_skipped_, 1);
    }
  }
}

TEST_F(RowRangeChoiceTest, DictionariesThatAreNotAllOfAColumnSayNothing) {
  const auto turn_on = [](FileScan* scan) { scan->use_dictionaries = true; };
  // The writer gives the dictionary up after some pages.
  Builder properties;
  properties.dictionary_pagesize_limit(400)->write_batch_size(10)->data_pagesize(100);
  const FileTask task =
      Write({FileField(1, "c", arrow::int64())}, {Numbers(5000)}, 1 << 20, properties.build());
  EXPECT_EQ(Scan(task, "long", "c = 4999", turn_on)->num_rows(), 1);
  EXPECT_EQ(Scan(task, "long", "c = 10", turn_on)->num_rows(), 1);
  // Nulls are in no dictionary.
  const auto nulls = arrow::Concatenate({FewTexts(5000), FromJson(arrow::utf8(), "[null]")});
  const FileTask with_null = Write({FileField(1, "c", arrow::utf8())}, {nulls.ValueOrDie()});
  EXPECT_EQ(Scan(with_null, "string", "c is null", turn_on)->num_rows(), 1);
  EXPECT_EQ(Scan(with_null, "string", "c is null or c = 'cat'", turn_on)->num_rows(), 1);
}

// Ten pages of ten rows, in two row groups.
TEST_F(RowRangeChoiceTest, PagesThatCannotMatchAreNotRead) {
  const auto turn_on = [](FileScan* scan) { scan->prune_pages = true; };
  Builder properties;
  properties.max_rows_per_page(10)->write_batch_size(10)->disable_dictionary();
  const FileTask task =
      Write({FileField(1, "c", arrow::int64())}, {Numbers(100)}, 50, properties.build());
  ExpectColumn(*Scan(task, "long", "c >= 27 and c < 32", turn_on), 0, "[27, 28, 29, 30, 31]");
  EXPECT_EQ(pages_skipped_, 3);
  EXPECT_EQ(row_groups_skipped_, 1);
  ExpectColumn(*Scan(task, "long", "c in (3, 44, 99)", turn_on), 0, "[3, 44, 99]");
  EXPECT_EQ(pages_skipped_, 3 + 4);
  EXPECT_EQ(row_groups_skipped_, 0);
  EXPECT_EQ(Scan(task, "long", "c < 50", turn_on)->num_rows(), 50);
  EXPECT_EQ(pages_skipped_, 0);
  EXPECT_EQ(Scan(task, "long", "c < 0", turn_on)->num_rows(), 0);
  EXPECT_EQ(row_groups_skipped_, 2);
  EXPECT_EQ(Scan(task, "long", "c < 10", [](FileScan*) {})->num_rows(), 10);
  EXPECT_EQ(pages_skipped_, 0);
}

// Pages of x and y begin at different rows, and s, s.x and s.y are columns of the same leaves.
TEST_F(RowRangeChoiceTest, MembersOfAStructAreCutAlike) {
  constexpr int64_t kRows = 200;
  arrow::Int32Builder x;
  arrow::StringBuilder y;
  for (int64_t i = 0; i < kRows; ++i) {
    ASSERT_TRUE(x.Append(static_cast<int32_t>(i)).ok());
    ASSERT_TRUE(y.Append("a text of row " + std::to_string(i)).ok());
  }
  const arrow::FieldVector members = {FileField(3, "x", arrow::int32()),
                                      FileField(4, "y", arrow::utf8())};
  const auto s =
      arrow::StructArray::Make({x.Finish().ValueOrDie(), y.Finish().ValueOrDie()}, members)
          .ValueOrDie();
  Builder properties;
  properties.data_pagesize(100)->write_batch_size(1)->disable_dictionary();
  const FileTask task =
      Write({FileField(1, "k", arrow::int64(), false), FileField(2, "s", s->type())},
            {Numbers(kRows), s}, kRows, properties.build());
  for (const int64_t first : {0, 33, 101, 180}) {
    for (const std::vector<std::string>& output :
         std::vector<std::vector<std::string>>{{"s.x", "s"}, {"s", "s.y"}, {"s.x", "s.y"}}) {
      FileScan scan;
      scan.schema = {MakeField(1, "k", "long", true),
                     MakeField(2, "s", testing::StructOf({MakeField(3, "x", "int"),
                                                          MakeField(4, "y", "string")}))};
      scan.output = output;
      scan.filter = "k >= " + std::to_string(first) + " and k < " + std::to_string(first + 15);
      const auto rows = scan.Read(task);
      ASSERT_TRUE(rows.ok()) << rows.status();
      EXPECT_GT(scan.counters->pages_skipped, 0);
      for (size_t i = 0; i < output.size(); ++i) {
        const auto whole = output[i] == "s" ? std::shared_ptr<arrow::Array>(s)
                                            : s->field(output[i] == "s.x" ? 0 : 1);
        EXPECT_TRUE((*rows)->column(static_cast<int>(i))->Equals(*whole->Slice(first, 15)))
            << output[i] << " from row " << first;
      }
    }
  }
}

// Rows drawn in stretches that have something in common, so that there is something to prune.
std::vector<TwinRow> DrawStretches(std::mt19937_64& random, int64_t count) {
  std::vector<TwinRow> rows;
  while (static_cast<int64_t>(rows.size()) < count) {
    const TwinRow base = testing::DrawRow(random);
    for (int64_t n = Draw(random, 1, 12); n > 0; --n) {
      TwinRow row = base;
      const TwinRow other = testing::DrawRow(random);
      for (size_t i = 0; i < row.size(); ++i) {
        if (Chance(random, 15)) row[i] = other[i];
      }
      rows.push_back(std::move(row));
    }
  }
  rows.resize(count);
  return rows;
}

std::shared_ptr<arrow::Array> ColumnOf(const std::vector<TwinRow>& rows, size_t index,
                                       const Type& type) {
  const auto builder = arrow::MakeBuilder(ToArrowType(type).ValueOrDie()).ValueOrDie();
  for (const TwinRow& row : rows) {
    EXPECT_TRUE(builder->AppendScalar(*ValueToScalar(row[index], type).ValueOrDie()).ok());
  }
  return builder->Finish().ValueOrDie();
}

FileTask WriteRows(const std::string& path, const std::vector<TwinRow>& rows,
                   std::mt19937_64& random) {
  const auto columns = testing::TwinColumns();
  const auto schema = ToArrowSchema(testing::TwinSchema()).ValueOrDie();
  arrow::ArrayVector arrays;
  for (size_t i = 0; i < columns.size(); ++i) {
    arrays.push_back(ColumnOf(rows, i, columns[i].field.type));
  }
  const auto& members = schema->fields().back()->type()->fields();
  arrays.back() = arrow::StructArray::Make({arrays.back()}, members).ValueOrDie();
  Builder properties;
  properties.max_rows_per_page(Draw(random, 1, 12))->write_batch_size(Draw(random, 1, 4));
  for (const testing::TwinColumn& column : columns) {
    if (column.field.type.id != TypeId::kBoolean && Chance(random, 40)) {
      properties.enable_bloom_filter(column.name, {});
    }
    if (Chance(random, 30)) properties.disable_dictionary(column.name);
    if (Chance(random, 10)) properties.disable_write_page_index(column.name);
    if (Chance(random, 10)) properties.disable_statistics(column.name);
  }
  if (Chance(random, 50)) properties.enable_store_decimal_as_integer();
  if (Chance(random, 50)) properties.data_page_version(parquet::ParquetDataPageVersion::V2);
  return WriteFile(path, schema->fields(), arrays, Draw(random, 20, 60), properties.build())
      .ValueOrDie();
}

// Every filter of the twin, with every shortcut on, all off, and some of them.
TEST_F(RowRangeChoiceTest, AgreesWithTheTwinOfFilters) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(511);
  int64_t row_groups_skipped = 0;
  int64_t pages_skipped = 0;
  for (int round = 0; round < 60; ++round) {
    const std::vector<TwinRow> rows = DrawStretches(random, Draw(random, 1, 150));
    const FileTask task = WriteRows(folder_.File("twin.parquet"), rows, random);
    for (int i = 0; i < 12; ++i) {
      const TwinFilter twin = testing::DrawFilter(random, static_cast<int>(Draw(random, 0, 2)));
      arrow::Int64Builder expected;
      for (size_t row = 0; row < rows.size(); ++row) {
        if (twin.test(rows[row]) != testing::Truth::kTrue) continue;
        ASSERT_TRUE(expected.Append(static_cast<int64_t>(row)).ok());
      }
      const auto positions = expected.Finish().ValueOrDie();
      for (const int switches : {0, 15, static_cast<int>(Draw(random, 1, 14))}) {
        FileScan scan;
        scan.schema = testing::TwinSchema().fields;
        scan.keys = {testing::Pick(random, testing::TwinColumns()).name};
        scan.output = {"_pos", "st", "s"};
        scan.filter = twin.text;
        scan.prune_row_groups = (switches & 1) != 0;
        scan.prune_pages = (switches & 2) != 0;
        scan.use_bloom_filters = (switches & 4) != 0;
        scan.use_dictionaries = (switches & 8) != 0;
        const auto read = scan.Read(task);
        ASSERT_TRUE(read.ok()) << twin.text << ": " << read.status();
        ASSERT_TRUE((*read)->column(0)->Equals(*positions))
            << twin.text << "\nswitches " << switches << ": " << (*read)->column(0)->ToString()
            << "\nnot " << positions->ToString();
        if (switches == 0) {
          EXPECT_EQ(scan.counters->row_groups_skipped, 0);
        }
        row_groups_skipped += scan.counters->row_groups_skipped;
        pages_skipped += scan.counters->pages_skipped;
      }
    }
  }
  EXPECT_GT(row_groups_skipped, 500);
  EXPECT_GT(pages_skipped, 5000);
}

// The bytes of the file that hold what one row takes: of each column the dictionary and the page
// with the row, by the file's own offset index.
int64_t BytesAround(const std::string& path, int row_group, int64_t row) {
  const auto reader = parquet::ParquetFileReader::OpenFile(path);
  const auto index = reader->GetPageIndexReader()->RowGroup(row_group);
  int64_t bytes = 0;
  for (int leaf = 0; leaf < reader->metadata()->num_columns(); ++leaf) {
    const auto chunk = reader->metadata()->RowGroup(row_group)->ColumnChunk(leaf);
    const auto offsets = index->GetOffsetIndex(leaf);
    const auto& pages = offsets->page_locations();
    if (chunk->has_dictionary_page()) bytes += pages[0].offset - chunk->dictionary_page_offset();
    size_t page = 0;
    while (page + 1 < pages.size() && pages[page + 1].first_row_index <= row) ++page;
    bytes += pages[page].compressed_page_size;
  }
  return bytes;
}

// One row of ten million costs its pages, the indexes of one row group and the footer.
TEST_F(RowRangeChoiceTest, OneRowOfTenMillionCostsItsPages) {
  constexpr int64_t kRows = 10'000'000;
  constexpr int64_t kGroupRows = 1'000'000;
  constexpr int64_t kWanted = 7'654'321;
  arrow::Int64Builder k;
  arrow::Int32Builder v;
  ASSERT_TRUE(k.Reserve(kRows).ok() && v.Reserve(kRows).ok());
  for (int64_t i = 0; i < kRows; ++i) {
    k.UnsafeAppend(3 * i);
    v.UnsafeAppend(static_cast<int32_t>(i * 7919 % 1000));
  }
  Builder properties;
  properties.compression(parquet::Compression::SNAPPY)->disable_dictionary("k");
  const FileTask task =
      Write({FileField(1, "k", arrow::int64(), false), FileField(2, "v", arrow::int32())},
            {k.Finish().ValueOrDie(), v.Finish().ValueOrDie()}, kGroupRows, properties.build());
  const int64_t pages = BytesAround(task.file.path, kWanted / kGroupRows, kWanted % kGroupRows);
  for (const bool reversed : {false, true}) {
    FileScan scan;
    scan.schema = {MakeField(1, "k", "long", true), MakeField(2, "v", "int")};
    scan.keys = {"k"};
    scan.output = {"_pos", "k", "v"};
    scan.filter = "k = " + std::to_string(3 * kWanted);
    scan.reversed = reversed;
    const auto rows = scan.Read(task);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ExpectColumn(**rows, 0, "[7654321]");
    ExpectColumn(**rows, 2, "[" + std::to_string(kWanted * 7919 % 1000) + "]");
    EXPECT_EQ(scan.counters->row_groups_read, 1);
    EXPECT_EQ(scan.counters->row_groups_skipped, 9);
    EXPECT_EQ(scan.counters->pages_skipped, 98);  // 50 of 20,000 rows in each column
    EXPECT_GT(scan.counters->bytes_read, pages);
    // The footer is read by 64 KiB; indexes of 50 pages take few KiB.
    EXPECT_LT(scan.counters->bytes_read, pages + (64 << 10) + (16 << 10));
  }
}

}  // namespace
}  // namespace esker
