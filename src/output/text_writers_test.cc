// The text formats, byte for byte, of rows written by hand.
#include "output/text_writers.h"

#include "output/cell.h"

#include <gtest/gtest.h>

#include <cmath>

#include "arrow/array.h"
#include "arrow/io/memory.h"
#include "arrow/ipc/reader.h"
#include "arrow/json/from_string.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "parquet/arrow/reader.h"

namespace esker {
namespace {

std::shared_ptr<arrow::Array> Values(const std::shared_ptr<arrow::DataType>& type,
                                     const std::string& json) {
  return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> OneColumn(const std::shared_ptr<arrow::Field>& field,
                                              const std::string& json) {
  const auto values = Values(field->type(), json);
  return arrow::RecordBatch::Make(arrow::schema({field}), values->length(), {values});
}

std::string Written(Format format, const arrow::RecordBatch& batch, RowWriterOptions options = {}) {
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  auto writer = MakeRowWriter(format, batch.schema(), sink.get(), options).ValueOrDie();
  EXPECT_TRUE(writer->Write(batch).ok());
  EXPECT_TRUE(writer->Finish().ok());
  return sink->Finish().ValueOrDie()->ToString();
}

std::shared_ptr<arrow::RecordBatch> People() {
  const auto schema =
      arrow::schema({arrow::field("id", arrow::int64()), arrow::field("name", arrow::utf8()),
                     arrow::field("v", arrow::float64())});
  return arrow::RecordBatch::Make(
      schema, 3,
      {Values(arrow::int64(), "[1, null, -3]"), Values(arrow::utf8(), R"(["a,b", "", null])"),
       Values(arrow::float64(), "[1.5, 2, null]")});
}

TEST(TextWriters, Csv) {
  EXPECT_EQ(Written(Format::kCsv, *People()),
            "id,name,v\n"
            "1,\"a,b\",1.5\n"
            ",\"\",2.0\n"
            "-3,,\n");
}

TEST(TextWriters, Tsv) {
  EXPECT_EQ(Written(Format::kTsv, *OneColumn(arrow::field("s", arrow::utf8()),
                                             R"(["a\tb", "c\\d", "e\nf", null])")),
            "s\n"
            "a\\tb\n"
            "c\\\\d\n"
            "e\\nf\n"
            "\\N\n");
}

TEST(TextWriters, Ndjson) {
  EXPECT_EQ(Written(Format::kNdjson, *People()),
            "{\"id\":1,\"name\":\"a,b\",\"v\":1.5}\n"
            "{\"id\":null,\"name\":\"\",\"v\":2.0}\n"
            "{\"id\":-3,\"name\":null,\"v\":null}\n");
}

TEST(TextWriters, Json) {
  const auto batch = OneColumn(arrow::field("x", arrow::int32()), "[1, 2]");
  EXPECT_EQ(Written(Format::kJson, *batch), "[\n{\"x\":1},\n{\"x\":2}\n]\n");
  EXPECT_EQ(Written(Format::kJson, *batch->Slice(0, 0)), "[]\n");
}

TEST(TextWriters, Markdown) {
  EXPECT_EQ(Written(Format::kMarkdown,
                    *OneColumn(arrow::field("s", arrow::utf8()), R"(["a|b", "c\nd", null])")),
            "| s |\n"
            "| --- |\n"
            "| a\\|b |\n"
            "| c<br>d |\n"
            "|  |\n");
}

TEST(TextWriters, TableAlignsNumbersRightAndTellsNull) {
  EXPECT_EQ(Written(Format::kTable, *People()),
            "  id  name     v\n"
            "----  ----  ----\n"
            "   1  a,b    1.5\n"
            "null         2.0\n"
            "  -3  null  null\n");
}

TEST(TextWriters, TableIsCutAtTheTerminal) {
  EXPECT_EQ(Written(Format::kTable, *OneColumn(arrow::field("s", arrow::utf8()), R"(["äöü€x"])"),
                    {.terminal_columns = 3}),
            "s\n---\näöü\n");
}

struct CellCase {
  std::shared_ptr<arrow::Field> field;
  std::string json;
  std::string csv, ndjson;
};

std::shared_ptr<arrow::Field> UuidField() {
  return arrow::field("x", arrow::fixed_size_binary(16))
      ->WithMetadata(arrow::key_value_metadata({"ARROW:extension:name"}, {"arrow.uuid"}));
}

TEST(Cells, EveryTypeInBothStyles) {
  const auto f = [](std::shared_ptr<arrow::DataType> type) { return arrow::field("x", type); };
  const std::vector<CellCase> cases = {
      {f(arrow::boolean()), "[true]", "true", "true"},
      {f(arrow::int32()), "[-2147483648]", "-2147483648", "-2147483648"},
      {f(arrow::int64()), "[9223372036854775807]", "9223372036854775807", "9223372036854775807"},
      {f(arrow::float32()), "[0.1]", "0.1", "0.1"},
      {f(arrow::float64()), "[1e300]", "1e+300", "1e+300"},
      {f(arrow::float64()), "[-0.0]", "-0.0", "-0.0"},
      {f(arrow::decimal128(9, 2)), R"(["-0.05"])", "-0.05", "-0.05"},
      {f(arrow::date32()), "[-1]", "1969-12-31", "\"1969-12-31\""},
      {f(arrow::time64(arrow::TimeUnit::MICRO)), "[1000001]", "00:00:01.000001",
       "\"00:00:01.000001\""},
      {f(arrow::timestamp(arrow::TimeUnit::MICRO)), "[-1]", "1969-12-31T23:59:59.999999",
       "\"1969-12-31T23:59:59.999999\""},
      {f(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")), "[0]", "1970-01-01T00:00:00Z",
       "\"1970-01-01T00:00:00Z\""},
      {f(arrow::timestamp(arrow::TimeUnit::NANO)), "[1]", "1970-01-01T00:00:00.000000001",
       "\"1970-01-01T00:00:00.000000001\""},
      {f(arrow::utf8()), R"(["say \"x\""])", "\"say \"\"x\"\"\"", R"("say \"x\"")"},
      {f(arrow::binary()), R"(["AZ"])", "415a", "\"415a\""},
      {f(arrow::fixed_size_binary(2)), R"(["AZ"])", "415a", "\"415a\""},
      {UuidField(), R"(["0123456789abcdef"])", "30313233-3435-3637-3839-616263646566",
       "\"30313233-3435-3637-3839-616263646566\""},
      {f(arrow::list(arrow::int32())), "[[1, null, 3]]", "\"[1,null,3]\"", "[1,null,3]"},
      {f(arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8())})),
       R"([{"a": 1, "b": null}])", R"("{""a"":1,""b"":null}")", R"({"a":1,"b":null})"},
      {f(arrow::map(arrow::utf8(), arrow::int32())), R"([[["k", 1]]])", R"("{""k"":1}")",
       R"({"k":1})"},
      {f(arrow::map(arrow::int32(), arrow::int32())), "[[[1, 2]]]", "\"[[1,2]]\"", "[[1,2]]"},
  };
  for (const CellCase& one : cases) {
    SCOPED_TRACE(one.field->type()->ToString());
    const auto batch = OneColumn(one.field, one.json);
    EXPECT_EQ(Written(Format::kCsv, *batch), "x\n" + one.csv + "\n");
    EXPECT_EQ(Written(Format::kNdjson, *batch), "{\"x\":" + one.ndjson + "}\n");
    const auto none = arrow::RecordBatch::Make(
        batch->schema(), 1, {arrow::MakeArrayOfNull(one.field->type(), 1).ValueOrDie()});
    EXPECT_EQ(Written(Format::kCsv, *none), "x\n\n");
    EXPECT_EQ(Written(Format::kNdjson, *none), "{\"x\":null}\n");
  }
}

TEST(Cells, WhatJsonHasNoNumberFor) {
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.AppendValues({NAN, INFINITY, -INFINITY}).ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::float64())}),
                                              3, {builder.Finish().ValueOrDie()});
  EXPECT_EQ(Written(Format::kCsv, *batch), "x\nNaN\nInfinity\n-Infinity\n");
  EXPECT_EQ(Written(Format::kNdjson, *batch),
            "{\"x\":\"NaN\"}\n{\"x\":\"Infinity\"}\n{\"x\":\"-Infinity\"}\n");
}

TEST(Cells, BytesThatAreNoUtf8BecomeTheReplacementCharacter) {
  std::string json;
  AppendJsonString("a\xFF\x01", &json);
  EXPECT_EQ(json, "\"a\xEF\xBF\xBD\\u0001\"");
}

TEST(RowWriters, ArrowStreamReadsBack) {
  const std::string bytes = Written(Format::kArrow, *People());
  arrow::io::BufferReader file(arrow::Buffer::FromString(bytes));
  auto reader = arrow::ipc::RecordBatchStreamReader::Open(&file).ValueOrDie();
  EXPECT_TRUE(reader->Next().ValueOrDie()->Equals(*People()));
}

TEST(RowWriters, ParquetReadsBack) {
  const std::string bytes = Written(Format::kParquet, *People());
  auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  auto reader = parquet::arrow::OpenFile(file, arrow::default_memory_pool()).ValueOrDie();
  auto table = reader->ReadTable().ValueOrDie();
  EXPECT_TRUE(table->CombineChunksToBatch().ValueOrDie()->Equals(*People()));
}

// A row group is held until it is whole, so it must not grow with the rows.
TEST(RowWriters, ParquetEndsRowGroupsByBytes) {
  const auto field = arrow::field("s", arrow::utf8());
  const auto batch = OneColumn(field, "[\"" + std::string(1000, 'x') + "\"]");
  auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  RowWriterOptions options;
  options.row_group_bytes = 2500;  // a batch has 1,008 bytes
  auto writer = MakeRowWriter(Format::kParquet, batch->schema(), sink.get(), options).ValueOrDie();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(writer->Write(*batch).ok());
  ASSERT_TRUE(writer->Finish().ok());
  auto file = std::make_shared<arrow::io::BufferReader>(sink->Finish().ValueOrDie());
  auto reader = parquet::arrow::OpenFile(file, arrow::default_memory_pool()).ValueOrDie();
  EXPECT_EQ(reader->num_row_groups(), 4);
  EXPECT_EQ(reader->ReadTable().ValueOrDie()->num_rows(), 10);
}

}  // namespace
}  // namespace esker
