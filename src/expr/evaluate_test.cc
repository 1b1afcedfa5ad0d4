// Tests of filters on rows: against the naive twin, and the cases where engines differ.
#include "expr/evaluate.h"

#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/initialize.h"
#include "expr/filter.h"
#include "format/arrow_schema.h"
#include "testing/filter_twin.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::TwinFilter;
using testing::TwinRow;

std::shared_ptr<arrow::Array> ColumnOf(const std::vector<TwinRow>& rows, size_t index,
                                       const Type& type) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  const auto arrow_type = ToArrowType(type).ValueOrDie();
  EXPECT_TRUE(arrow::MakeBuilder(arrow::default_memory_pool(), arrow_type, &builder).ok());
  for (const TwinRow& row : rows) {
    EXPECT_TRUE(builder->AppendScalar(*ValueToScalar(row[index], type).ValueOrDie()).ok());
  }
  return builder->Finish().ValueOrDie();
}

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::vector<TwinRow>& rows,
                                            const std::vector<int32_t>& field_ids) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  const auto columns = testing::TwinColumns();
  for (const int32_t id : field_ids) {
    for (size_t i = 0; i < columns.size(); ++i) {
      if (columns[i].field.id != id) continue;
      arrays.push_back(ColumnOf(rows, i, columns[i].field.type));
      fields.push_back(arrow::field(columns[i].name, arrays.back()->type()));
    }
  }
  return arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(rows.size()), arrays);
}

class EvaluateTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(arrow::compute::Initialize().ok()); }
};

void ExpectTwinAgrees(const TwinFilter& twin, const std::vector<TwinRow>& rows, int64_t skip) {
  const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema());
  ASSERT_TRUE(filter.ok()) << filter.status().message();
  const auto batch = BatchOf(rows, filter->field_ids())->Slice(skip);
  const auto mask = filter->Evaluate(*batch);
  ASSERT_TRUE(mask.ok()) << twin.text << "\n" << mask.status().ToString();
  ASSERT_EQ((*mask)->length(), static_cast<int64_t>(rows.size()) - skip);
  ASSERT_EQ((*mask)->null_count(), 0);
  for (int64_t i = 0; i < (*mask)->length(); ++i) {
    const bool expected = twin.test(rows[static_cast<size_t>(i + skip)]) == testing::Truth::kTrue;
    ASSERT_EQ((*mask)->Value(i), expected)
        << twin.text << "\nread as " << filter->ToString() << "\nrow " << i + skip;
  }
}

TEST_F(EvaluateTest, AgreesWithTwin) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(301);
  for (int round = 0; round < 6000; ++round) {
    std::vector<TwinRow> rows;
    for (int64_t n = testing::Draw(random, 0, 12); n > 0; --n) {
      rows.push_back(testing::DrawRow(random));
    }
    const int64_t skip = testing::Draw(random, 0, static_cast<int64_t>(rows.size()));
    ExpectTwinAgrees(testing::DrawFilter(random, 3), rows, skip);
    if (HasFatalFailure()) return;
  }
}

TEST_F(EvaluateTest, TextOfFilterMeansTheSame) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(302);
  for (int round = 0; round < 3000; ++round) {
    TwinFilter twin = testing::DrawFilter(random, 3);
    const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema());
    ASSERT_TRUE(filter.ok()) << filter.status().message();
    twin.text = filter->ToString();
    std::vector<TwinRow> rows;
    for (int i = 0; i < 4; ++i) rows.push_back(testing::DrawRow(random));
    ExpectTwinAgrees(twin, rows, 0);
    if (HasFatalFailure()) return;
  }
}

// One column "k" of the type; which of the values does the filter keep?
std::string Kept(const std::string& filter_text, const std::string& type,
                 const std::vector<Value>& values) {
  Schema schema;
  schema.fields.resize(1);
  schema.fields[0].id = 1;
  schema.fields[0].name = "k";
  schema.fields[0].type = ParsePrimitiveType(type).ValueOrDie();
  const auto filter = BoundFilter::Make(filter_text, schema);
  if (!filter.ok()) return filter.status().message();
  std::vector<TwinRow> rows;
  for (const Value& value : values) rows.push_back({value});
  arrow::ArrayVector arrays;
  arrow::FieldVector fields;
  if (!filter->field_ids().empty()) {
    arrays.push_back(ColumnOf(rows, 0, schema.fields[0].type));
    fields.push_back(arrow::field("k", arrays[0]->type()));
  }
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema(fields), static_cast<int64_t>(values.size()), arrays);
  const auto mask = filter->Evaluate(*batch);
  if (!mask.ok()) return mask.status().ToString();
  std::string kept;
  for (size_t i = 0; i < values.size(); ++i) {
    if ((*mask)->Value(static_cast<int64_t>(i))) kept += std::to_string(i);
  }
  return kept;
}

// apache/iceberg#9130: x > 5 finds NaN.
TEST_F(EvaluateTest, NanIsAboveEveryNumber) {
  const std::vector<Value> values = {3.0, std::nan(""), HUGE_VAL, -std::nan(""), {}};
  for (const std::string type : {"float", "double"}) {
    EXPECT_EQ(Kept("k > 5", type, values), "123");
    EXPECT_EQ(Kept("k >= 'Infinity'", type, values), "123");
    EXPECT_EQ(Kept("k > 'Infinity'", type, values), "13");
    EXPECT_EQ(Kept("k < 5", type, values), "0");
    EXPECT_EQ(Kept("k = 'NaN'", type, values), "13");
    EXPECT_EQ(Kept("k <> 'NaN'", type, values), "02");
    EXPECT_EQ(Kept("k < 'nan'", type, values), "02");
    EXPECT_EQ(Kept("k <= 'nan'", type, values), "0123");
    EXPECT_EQ(Kept("k in (3, 'NaN')", type, values), "013");
    EXPECT_EQ(Kept("k not in (3, 'NaN')", type, values), "2");
    EXPECT_EQ(Kept("k is nan", type, values), "13");
    EXPECT_EQ(Kept("k is not nan", type, values), "024");
    EXPECT_EQ(Kept("not k > 5", type, values), "0");
  }
}

TEST_F(EvaluateTest, ZerosAreEqual) {
  const std::vector<Value> values = {0.0, -0.0, 1.0};
  for (const std::string text : {"k = 0", "k = -0.0", "k in (0, 7)", "k in (-0.0, 7)"}) {
    EXPECT_EQ(Kept(text, "double", values), "01") << text;
    EXPECT_EQ(Kept(text, "float", values), "01") << text;
  }
  EXPECT_EQ(Kept("k not in (-0.0, 7)", "double", values), "2");
}

TEST_F(EvaluateTest, FloatsAreRoundedToTheColumn) {
  EXPECT_EQ(Kept("k = 0.1", "float", {static_cast<double>(0.1F), 0.1F + 1.0}), "0");
  EXPECT_EQ(Kept("k = 0.1", "double", {static_cast<double>(0.1F), 0.1}), "1");
  EXPECT_EQ(Kept("k < 1e39", "float", {HUGE_VAL, 3.0}), "1");
  EXPECT_EQ(Kept("k >= 1e39", "float", {HUGE_VAL, 3.0}), "0");
  EXPECT_EQ(Kept("k = 1e400", "double", {HUGE_VAL, 3.0}), "");
  EXPECT_EQ(Kept("k > -1e400", "double", {-HUGE_VAL, 3.0}), "1");
  EXPECT_EQ(Kept("k = 1e-400", "double", {0.0, 3.0}), "0");
}

TEST_F(EvaluateTest, IntegersCompareExactly) {
  const std::vector<Value> values = {int64_t{-3}, int64_t{2}, int64_t{3}, {}};
  for (const std::string type : {"int", "long"}) {
    EXPECT_EQ(Kept("k < 2.5", type, values), "01");
    EXPECT_EQ(Kept("k >= -2.5", type, values), "12");
    EXPECT_EQ(Kept("k = 2.5", type, values), "");
    EXPECT_EQ(Kept("k <> 2.5", type, values), "012");
    EXPECT_EQ(Kept("k = 20e-1", type, values), "1");
    EXPECT_EQ(Kept("not (k = 2.5)", type, values), "012");
    EXPECT_EQ(Kept("k < 1e999999999999", type, values), "012");
    EXPECT_EQ(Kept("k > -99999999999999999999999999999999999999999999", type, values), "012");
    EXPECT_EQ(Kept("k not in (2.5, 3)", type, values), "01");
  }
  EXPECT_EQ(Kept("k < 3000000000", "int", values), "012");
  EXPECT_EQ(Kept("not (k < 3000000000)", "int", values), "");
  EXPECT_EQ(Kept("k < 9223372036854775807.5", "long", {INT64_MAX}), "0");
  EXPECT_EQ(Kept("k >= 9223372036854775807", "long", {INT64_MAX}), "0");
  EXPECT_EQ(Kept("k > -9223372036854775808.5", "long", {INT64_MIN}), "0");
}

TEST_F(EvaluateTest, DecimalsCompareExactly) {
  const std::vector<Value> values = {int128_t{-250}, int128_t{250}, int128_t{251}};
  EXPECT_EQ(Kept("k = 2.5", "decimal(9,2)", values), "1");
  EXPECT_EQ(Kept("k > 2.505", "decimal(9,2)", values), "2");
  EXPECT_EQ(Kept("k <= '2.50'", "decimal(9,2)", values), "01");
  EXPECT_EQ(Kept("k < -2.499", "decimal(9,2)", values), "0");
  EXPECT_EQ(Kept("k < 10000000", "decimal(9,2)", values), "012");
  EXPECT_EQ(Kept("k in (2.5, 2.505)", "decimal(9,2)", values), "1");
}

TEST_F(EvaluateTest, NullsFollowSql) {
  const std::vector<Value> values = {int64_t{1}, int64_t{2}, {}};
  EXPECT_EQ(Kept("k <> 1", "int", values), "1");
  EXPECT_EQ(Kept("not k = 1", "int", values), "1");
  EXPECT_EQ(Kept("k in (1, null)", "int", values), "0");
  EXPECT_EQ(Kept("k not in (1, null)", "int", values), "");
  EXPECT_EQ(Kept("not (k in (1, null))", "int", values), "");
  EXPECT_EQ(Kept("k = null", "int", values), "");
  EXPECT_EQ(Kept("k <> null", "int", values), "");
  EXPECT_EQ(Kept("k between null and 1", "int", values), "");
  EXPECT_EQ(Kept("k not between null and 1", "int", values), "1");
  EXPECT_EQ(Kept("k is null or k = 1", "int", values), "02");
  EXPECT_EQ(Kept("not (k is null and null)", "int", values), "01");
  EXPECT_EQ(Kept("null", "int", values), "");
  EXPECT_EQ(Kept("true", "int", values), "012");
}

TEST_F(EvaluateTest, Booleans) {
  const std::vector<Value> values = {true, false, {}};
  EXPECT_EQ(Kept("k", "boolean", values), "0");
  EXPECT_EQ(Kept("not k", "boolean", values), "1");
  EXPECT_EQ(Kept("k <> true", "boolean", values), "1");
  EXPECT_EQ(Kept("k < true", "boolean", values), "1");
  EXPECT_EQ(Kept("k <= true", "boolean", values), "01");
  EXPECT_EQ(Kept("k in (true, false)", "boolean", values), "01");
  EXPECT_EQ(Kept("true = k", "boolean", values), "0");
}

TEST_F(EvaluateTest, UuidsAreUnsigned) {
  const std::vector<Value> values = {std::string(16, '\x01'), std::string(16, '\xFE')};
  EXPECT_EQ(Kept("k > '7fffffff-ffff-ffff-ffff-ffffffffffff'", "uuid", values), "1");
  EXPECT_EQ(Kept("k = '01010101-0101-0101-0101-010101010101'", "uuid", values), "0");
  EXPECT_EQ(Kept("k = X'FEFEFEFEFEFEFEFEFEFEFEFEFEFEFEFE'", "uuid", values), "1");
}

TEST_F(EvaluateTest, StringsCompareByBytes) {
  // U+FF5E and U+1F600: UTF-16 would have them the other way round (hyparam/icebird#34).
  const std::vector<Value> values = {std::string("\xEF\xBD\x9E"), std::string("\xF0\x9F\x98\x80")};
  EXPECT_EQ(Kept("k > '\xEF\xBD\x9E'", "string", values), "1");
}

TEST_F(EvaluateTest, Times) {
  // 2017-11-16T22:31:08 UTC (spec, appendix D: days 17486).
  const int64_t seconds = 17486 * 86400LL + 22 * 3600 + 31 * 60 + 8;
  const std::vector<Value> micros = {seconds * 1'000'000, int64_t{-1}};
  EXPECT_EQ(Kept("k = '2017-11-16T22:31:08'", "timestamp", micros), "0");
  EXPECT_EQ(Kept("k = timestamp '2017-11-16 22:31:08.000000'", "timestamp", micros), "0");
  EXPECT_EQ(Kept("k = '2017-11-17T00:31:08+02:00'", "timestamptz", micros), "0");
  EXPECT_EQ(Kept("k = '2017-11-16T14:31:08-08:00'", "timestamptz", micros), "0");
  EXPECT_EQ(Kept("k = '2017-11-16T22:31:08Z'", "timestamptz", micros), "0");
  EXPECT_EQ(Kept("k = '2017-11-16T22:31:08'", "timestamptz", micros), "0");
  EXPECT_EQ(Kept("k < '1970-01-01'", "timestamp", micros), "1");
  EXPECT_EQ(Kept("k >= date '2017-11-16'", "timestamp", micros), "0");
  EXPECT_EQ(Kept("k > '2017-11-16T22:31:08.0000001'", "timestamp", micros), "");
  EXPECT_EQ(Kept("k < '2017-11-16T22:31:08.0000001'", "timestamp", micros), "01");
  EXPECT_EQ(Kept("k < '1969-12-31T23:59:59.9999995'", "timestamp", micros), "1");
  const std::vector<Value> nanos = {seconds * 1'000'000'000 + 1, int64_t{-1}};
  EXPECT_EQ(Kept("k = '2017-11-16T22:31:08.000000001'", "timestamp_ns", nanos), "0");
  EXPECT_EQ(Kept("k < '9999-01-01'", "timestamp_ns", nanos), "01");
  EXPECT_EQ(Kept("k < '0001-01-01'", "timestamptz_ns", nanos), "");
  const std::vector<Value> days = {int64_t{17486}, int64_t{-7}};
  EXPECT_EQ(Kept("k = '2017-11-16'", "date", days), "0");
  EXPECT_EQ(Kept("k < timestamp '2017-11-16 12:00:00'", "date", days), "01");
  EXPECT_EQ(Kept("k = timestamp '2017-11-16 12:00:00'", "date", days), "");
  EXPECT_EQ(Kept("k = date '1969-12-25'", "date", days), "1");
  EXPECT_EQ(Kept("k = '22:31:08'", "time", {int64_t{81068000000}}), "0");
  EXPECT_EQ(Kept("k >= time '22:31'", "time", {int64_t{81068000000}}), "0");
}

TEST_F(EvaluateTest, NestedColumnsAreNullOrNot) {
  Schema schema;
  for (const TypeId id : {TypeId::kStruct, TypeId::kList, TypeId::kMap, TypeId::kUnknown}) {
    Field field;
    field.id = static_cast<int32_t>(schema.fields.size()) + 1;
    field.name = std::string(1, static_cast<char>('a' + schema.fields.size()));
    field.type.id = id;
    schema.fields.push_back(field);
  }
  const auto filter = BoundFilter::Make("a is null or b is null or c is null or d is null", schema);
  ASSERT_TRUE(filter.ok()) << filter.status().message();
  EXPECT_EQ(filter->field_ids(), (std::vector<int32_t>{1, 2, 3, 4}));
  const auto evaluate = [](const std::string& text, const Schema& table,
                           const std::shared_ptr<arrow::Array>& column) {
    const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("x", column->type())}),
                                                column->length(), {column});
    return BoundFilter::Make(text, table).ValueOrDie().Evaluate(*batch).ValueOrDie()->ToString();
  };
  const auto booleans = [](const std::string& bits) {
    arrow::BooleanBuilder builder;
    for (const char bit : bits) EXPECT_TRUE(builder.Append(bit == '1').ok());
    return builder.Finish().ValueOrDie()->ToString();
  };
  auto numbers = std::make_shared<arrow::Int32Builder>();
  arrow::StructBuilder structs(arrow::struct_({arrow::field("x", arrow::int32())}),
                               arrow::default_memory_pool(), {numbers});
  ASSERT_TRUE(structs.Append().ok() && numbers->AppendNull().ok() && structs.AppendNull().ok());
  const auto a = structs.Finish().ValueOrDie();
  EXPECT_EQ(evaluate("a is null", schema, a), booleans("01"));
  EXPECT_EQ(evaluate("a is not null", schema, a), booleans("10"));
  arrow::ListBuilder lists(arrow::default_memory_pool(), std::make_shared<arrow::Int32Builder>());
  ASSERT_TRUE(lists.AppendNull().ok() && lists.Append().ok());
  EXPECT_EQ(evaluate("b is null", schema, lists.Finish().ValueOrDie()), booleans("10"));
  EXPECT_EQ(evaluate("d is null", schema, std::make_shared<arrow::NullArray>(2)), booleans("11"));
}

TEST_F(EvaluateTest, WrongBatchesAreRefused) {
  Schema schema;
  schema.fields.resize(1);
  schema.fields[0].id = 1;
  schema.fields[0].name = "k";
  for (const std::string text : {"k = 'a'", "k like 'a%'", "k like '%a'", "k in ('a', 'b')"}) {
    schema.fields[0].type.id = TypeId::kString;
    const auto filter = BoundFilter::Make(text, schema).ValueOrDie();
    const auto column = arrow::MakeArrayOfNull(arrow::int32(), 2).ValueOrDie();
    const auto batch =
        arrow::RecordBatch::Make(arrow::schema({arrow::field("k", arrow::int32())}), 2, {column});
    EXPECT_TRUE(filter.Evaluate(*batch).status().IsInvalid()) << text;
    EXPECT_TRUE(filter.Evaluate(*batch->RemoveColumn(0).ValueOrDie()).status().IsInvalid());
  }
}

}  // namespace
}  // namespace esker
