// Tests of pruning by partition values and manifest summaries, through every transform.
#include "expr/partition.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "expr/filter.h"
#include "format/transform.h"
#include "testing/filter_twin.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::TwinColumn;
using testing::TwinFilter;
using testing::TwinRow;
using Random = std::mt19937_64;
using Partition = std::vector<std::pair<int32_t, Value>>;

// ---- random tables ----

// A partition value as some writer would store it; none where the transform has no value.
std::optional<Value> StoredValue(Random& random, const Transform& transform, const Type& type,
                                 const Value& value) {
  const auto result = ApplyTransform(transform, type, value);
  if (!result.ok()) return std::nullopt;
  Value stored = *result;
  const auto* number = std::get_if<int64_t>(&stored);
  const bool is_time =
      transform.kind == Transform::Kind::kYear || transform.kind == Transform::Kind::kMonth ||
      transform.kind == Transform::Kind::kDay || transform.kind == Transform::Kind::kHour;
  // Very old Java rounded towards zero.
  if (is_time && number != nullptr && *number < 0 && Chance(random, 30)) stored = *number + 1;
  return stored;
}

std::string BigEndian(int128_t value) {
  std::string bytes;
  for (int shift = 120; shift >= 0; shift -= 8) bytes += static_cast<char>(value >> shift);
  return bytes;
}

template <typename T>
std::string RawBytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(value));
}

// The single-value serialisation of the spec's appendix D.
std::string Encode(const Value& value, const Type& type) {
  if (const auto* x = std::get_if<bool>(&value)) return std::string(1, *x ? '\x01' : '\x00');
  if (const auto* x = std::get_if<double>(&value)) {
    return type.id == TypeId::kFloat ? RawBytes(static_cast<float>(*x)) : RawBytes(*x);
  }
  if (const auto* x = std::get_if<int128_t>(&value)) return BigEndian(*x);
  if (const auto* x = std::get_if<std::string>(&value)) return *x;
  const int64_t number = std::get<int64_t>(value);
  const bool is_narrow = type.id == TypeId::kInt || type.id == TypeId::kDate;
  return is_narrow ? RawBytes(static_cast<int32_t>(number)) : RawBytes(number);
}

FieldSummary Summarize(const std::vector<Value>& values, const Type& type) {
  FieldSummary summary;
  summary.contains_null = false;
  Value lower;
  Value upper;
  for (const Value& value : values) {
    if (IsNull(value)) {
      summary.contains_null = true;
    } else if (!IsNan(value)) {
      if (IsNull(lower) || CompareValues(value, lower) < 0) lower = value;
      if (IsNull(upper) || CompareValues(value, upper) > 0) upper = value;
    }
  }
  if (!IsNull(lower)) summary.lower_bound = Encode(lower, type);
  if (!IsNull(upper)) summary.upper_bound = Encode(upper, type).substr(0, 16);
  return summary;
}

PartitionSpec DrawSpec(Random& random, const std::vector<TwinColumn>& columns) {
  static const std::vector<std::string> kTransforms = {
      "identity",     "bucket[3]",   "bucket[16]", "truncate[1]", "truncate[2]",
      "truncate[10]", "truncate[4]", "year",       "month",       "day",
      "hour",         "void",        "tomorrow[3]"};
  PartitionSpec spec;
  while (spec.fields.size() < 12) {
    const auto& column =
        columns[static_cast<size_t>(testing::Draw(random, 0, std::ssize(columns) - 1))];
    PartitionField field;
    field.source_ids = {column.field.id};
    field.field_id = 1000 + static_cast<int32_t>(spec.fields.size());
    field.transform = ParseTransform(
        kTransforms[static_cast<size_t>(testing::Draw(random, 0, std::ssize(kTransforms) - 1))]);
    spec.fields.push_back(std::move(field));
  }
  return spec;
}

// The partition of a row. Fields whose transform has no value for it are stored as null where
// nothing may be concluded from them (void, unknown), and left out elsewhere.
Partition PartitionOf(Random& random, const PartitionSpec& spec,
                      const std::vector<TwinColumn>& columns, const TwinRow& row) {
  Partition partition;
  for (const PartitionField& field : spec.fields) {
    const auto index = static_cast<size_t>(field.source_ids[0] - columns[0].field.id);
    const auto stored = StoredValue(random, field.transform, columns[index].field.type, row[index]);
    if (stored) {
      partition.emplace_back(field.field_id, *stored);
    } else if (field.transform.kind == Transform::Kind::kUnknown) {
      partition.emplace_back(field.field_id, Value());
    }
  }
  return partition;
}

TEST(PartitionTest, NeverWrongOnRandomRows) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(321);
  const std::vector<TwinColumn> columns = testing::TwinColumns();
  int pruned = 0;
  for (int round = 0; round < 40000; ++round) {
    const TwinFilter twin =
        testing::DrawFilter(random, static_cast<int>(testing::Draw(random, 0, 2)));
    const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema());
    ASSERT_TRUE(filter.ok()) << filter.status().message();
    const PartitionSpec spec = DrawSpec(random, columns);
    const TwinRow row = testing::DrawRow(random);
    const bool may = filter->MayMatchPartition(spec, PartitionOf(random, spec, columns, row));
    ASSERT_TRUE(may || twin.test(row) != testing::Truth::kTrue) << twin.text;
    pruned += may ? 0 : 1;
  }
  EXPECT_GT(pruned, 5000);
}

TEST(PartitionTest, NeverWrongOnRandomManifests) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(322);
  const std::vector<TwinColumn> columns = testing::TwinColumns();
  int pruned = 0;
  for (int round = 0; round < 20000; ++round) {
    const TwinFilter twin =
        testing::DrawFilter(random, static_cast<int>(testing::Draw(random, 0, 2)));
    const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema());
    ASSERT_TRUE(filter.ok()) << filter.status().message();
    const PartitionSpec spec = DrawSpec(random, columns);
    std::map<int32_t, std::vector<Value>> values;
    bool any = false;
    const int64_t files = testing::Draw(random, 1, 3);
    for (int64_t i = 0; i < files; ++i) {
      const TwinRow row = testing::DrawRow(random);
      any = any || twin.test(row) == testing::Truth::kTrue;
      for (const auto& [id, value] : PartitionOf(random, spec, columns, row)) {
        values[id].push_back(value);
      }
    }
    std::vector<FieldSummary> summaries;
    for (const PartitionField& field : spec.fields) {
      const auto index = static_cast<size_t>(field.source_ids[0] - columns[0].field.id);
      const Type type = TransformResultType(field.transform, columns[index].field.type);
      // A field without a value for some file has no summary to speak of.
      const bool whole = std::ssize(values[field.field_id]) == files;
      summaries.push_back(whole ? Summarize(values[field.field_id], type) : FieldSummary());
    }
    const bool may = filter->MayMatchManifest(spec, summaries);
    ASSERT_TRUE(may || !any) << twin.text;
    pruned += may ? 0 : 1;
  }
  EXPECT_GT(pruned, 1000);
}

// ---- exact cases: one column "k" (id 1), one partition field (id 1000) ----

struct Table {
  Schema schema;
  PartitionSpec spec;
};

Table MakeTable(const std::string& type, const std::string& transform) {
  Table table;
  table.schema.fields.resize(1);
  table.schema.fields[0].id = 1;
  table.schema.fields[0].name = "k";
  table.schema.fields[0].type = ParsePrimitiveType(type).ValueOrDie();
  table.spec.fields.resize(1);
  table.spec.fields[0].source_ids = {1};
  table.spec.fields[0].field_id = 1000;
  table.spec.fields[0].transform = ParseTransform(transform);
  return table;
}

bool MayMatch(const std::string& text, const std::string& type, const std::string& transform,
              Value value) {
  const Table table = MakeTable(type, transform);
  const auto filter = BoundFilter::Make(text, table.schema);
  EXPECT_TRUE(filter.ok()) << filter.status().message();
  const Partition partition = {{1000, std::move(value)}};
  return filter->MayMatchPartition(table.spec, partition);
}

bool MayMatchSummary(const std::string& text, const std::string& type, const std::string& transform,
                     const FieldSummary& summary) {
  const Table table = MakeTable(type, transform);
  const auto filter = BoundFilter::Make(text, table.schema);
  EXPECT_TRUE(filter.ok()) << filter.status().message();
  return filter->MayMatchManifest(table.spec, std::vector<FieldSummary>{summary});
}

int64_t N(int64_t number) { return number; }

TEST(PartitionTest, Identity) {
  EXPECT_TRUE(MayMatch("k = 3", "int", "identity", N(3)));
  EXPECT_FALSE(MayMatch("k = 4", "int", "identity", N(3)));
  EXPECT_FALSE(MayMatch("k <> 3", "int", "identity", N(3)));
  EXPECT_FALSE(MayMatch("k is null", "int", "identity", N(3)));
  EXPECT_TRUE(MayMatch("k is null", "int", "identity", {}));
  EXPECT_FALSE(MayMatch("k <> 3", "int", "identity", {}));
  EXPECT_FALSE(MayMatch("k like 'a%'", "string", "identity", std::string("b")));
  EXPECT_FALSE(MayMatch("k like '%a%'", "string", "identity", std::string("b")));
  EXPECT_TRUE(MayMatch("k > 5", "double", "identity", std::nan("")));
  EXPECT_TRUE(MayMatch("k is nan", "double", "identity", std::nan("")));
  EXPECT_FALSE(MayMatch("k is nan", "double", "identity", 1.0));
  EXPECT_FALSE(MayMatch("k > '7fffffff-0000-0000-0000-000000000000'", "uuid", "identity",
                        std::string(16, '\x01')));
  // A uuid stored as text is not one that can be judged.
  EXPECT_TRUE(MayMatch("k = '01010101-0101-0101-0101-010101010101'", "uuid", "identity",
                       std::string("01010101-0101-0101-0101-010101010101")));
  // Days from before date became timestamp.
  EXPECT_TRUE(MayMatch("k = '2017-11-16'", "timestamp", "identity", N(17486)));
}

// The hashes are those of the spec's appendix B: 34 as int or long 2017239379, "iceberg"
// 1210000089.
TEST(PartitionTest, Bucket) {
  const int64_t bucket = 2017239379 % 16;
  EXPECT_TRUE(MayMatch("k = 34", "int", "bucket[16]", bucket));
  EXPECT_TRUE(MayMatch("k = 34", "long", "bucket[16]", bucket));
  EXPECT_FALSE(MayMatch("k = 34", "long", "bucket[16]", bucket + 1));
  EXPECT_FALSE(MayMatch("k in (34, 34.5)", "long", "bucket[16]", bucket + 1));
  EXPECT_TRUE(MayMatch("k in (34, 35)", "long", "bucket[16]", bucket));
  EXPECT_TRUE(MayMatch("k <> 34", "long", "bucket[16]", bucket));
  EXPECT_TRUE(MayMatch("k > 34", "long", "bucket[16]", bucket + 1));
  EXPECT_TRUE(MayMatch("k = 'iceberg'", "string", "bucket[100]", N(1210000089 % 100)));
  EXPECT_FALSE(MayMatch("k = 'iceberg'", "string", "bucket[100]", N(1)));
  EXPECT_FALSE(MayMatch("k = 34", "int", "bucket[16]", {}));
  EXPECT_FALSE(MayMatch("k is null", "int", "bucket[16]", bucket));
}

TEST(PartitionTest, TruncatedNumbers) {
  EXPECT_TRUE(MayMatch("k = 19", "int", "truncate[10]", N(10)));
  EXPECT_FALSE(MayMatch("k = 20", "int", "truncate[10]", N(10)));
  EXPECT_FALSE(MayMatch("k < 10", "int", "truncate[10]", N(10)));
  EXPECT_FALSE(MayMatch("k > 19", "int", "truncate[10]", N(10)));
  EXPECT_TRUE(MayMatch("k > 18.5", "int", "truncate[10]", N(10)));
  EXPECT_TRUE(MayMatch("k = -1", "long", "truncate[10]", N(-10)));
  EXPECT_FALSE(MayMatch("k = 0", "long", "truncate[10]", N(-10)));
  EXPECT_TRUE(MayMatch("k = 10.65", "decimal(9,2)", "truncate[50]", int128_t{1050}));
  EXPECT_FALSE(MayMatch("k = 11", "decimal(9,2)", "truncate[50]", int128_t{1050}));
  // iceberg#9713: -2147483648 truncated to tens wraps to 2147483646 in 32 bits.
  EXPECT_TRUE(MayMatch("k = -2147483648", "int", "truncate[10]", N(2147483646)));
  EXPECT_TRUE(MayMatch("k = -2147483648", "long", "truncate[10]", N(2147483646)));
  EXPECT_TRUE(MayMatch("k = -9223372036854775808", "long", "truncate[10]", N(INT64_MAX - 1)));
}

// apache/iceberg-go#1192: no projection where the prefix is longer than the width.
TEST(PartitionTest, TruncatedStrings) {
  const Value ab = std::string("ab");
  EXPECT_TRUE(MayMatch("k not like 'abc%'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k not like 'ab%'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k not like 'a%'", "string", "truncate[2]", ab));
  EXPECT_TRUE(MayMatch("k like 'abc%'", "string", "truncate[2]", ab));
  EXPECT_TRUE(MayMatch("k like 'a%'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k like 'ac%'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k like 'b%'", "string", "truncate[2]", ab));
  EXPECT_TRUE(MayMatch("k = 'abc'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k = 'b'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k = 'ac'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k = 'a'", "string", "truncate[2]", ab));
  EXPECT_FALSE(MayMatch("k < 'ab'", "string", "truncate[2]", ab));
  EXPECT_TRUE(MayMatch("k > 'abzzz'", "string", "truncate[2]", ab));
  // Shorter than the width it is the whole string.
  EXPECT_FALSE(MayMatch("k = 'abc'", "string", "truncate[3]", ab));
  EXPECT_FALSE(MayMatch("k <> 'ab'", "string", "truncate[3]", ab));
  EXPECT_TRUE(MayMatch("k <> 'ab'", "string", "truncate[2]", ab));
  EXPECT_TRUE(MayMatch("k > X'FFFF01'", "binary", "truncate[2]", std::string("\xFF\xFF")));
}

TEST(PartitionTest, Times) {
  for (const std::string type : {"timestamp", "timestamptz", "timestamp_ns", "timestamptz_ns"}) {
    EXPECT_TRUE(MayMatch("k < '2017-12-01'", type, "month", N(574))) << type;  // 2017-11
    EXPECT_FALSE(MayMatch("k < '2017-11-01'", type, "month", N(574))) << type;
    EXPECT_FALSE(MayMatch("k >= '2017-12-01'", type, "month", N(574))) << type;
    EXPECT_TRUE(MayMatch("k >= '2017-11-30T23:59:59.999999'", type, "month", N(574))) << type;
    EXPECT_TRUE(MayMatch("k = '2017-11-16T22:31:08'", type, "year", N(47))) << type;
    EXPECT_FALSE(MayMatch("k = '2018-01-01'", type, "year", N(47))) << type;
    EXPECT_TRUE(MayMatch("k = '2017-11-16T22:31:08'", type, "day", N(17486))) << type;
    EXPECT_FALSE(MayMatch("k = '2017-11-17T00:00:00'", type, "day", N(17486))) << type;
    EXPECT_TRUE(MayMatch("k = '2017-11-16T22:31:08'", type, "hour", N(419686))) << type;
    EXPECT_FALSE(MayMatch("k = '2017-11-16T23:00:00'", type, "hour", N(419686))) << type;
  }
  EXPECT_TRUE(MayMatch("k = '2017-11-16'", "date", "day", N(17486)));
  EXPECT_FALSE(MayMatch("k = '2017-11-17'", "date", "day", N(17486)));
  EXPECT_FALSE(MayMatch("k < '2017-11-01'", "date", "month", N(574)));
}

// ClickHouse#119579, iceberg#1680: before 1970 the stored value may be one too high.
TEST(PartitionTest, TimesBefore1970) {
  EXPECT_TRUE(MayMatch("k = '1969-12-25'", "timestamp", "day", N(-7)));
  EXPECT_TRUE(MayMatch("k = '1969-12-24T12:00:00'", "timestamp", "day", N(-7)));
  EXPECT_FALSE(MayMatch("k = '1969-12-23'", "timestamp", "day", N(-7)));
  EXPECT_FALSE(MayMatch("k = '1969-12-26'", "timestamp", "day", N(-7)));
  EXPECT_TRUE(MayMatch("k = '1969-12-31T23:00:00'", "timestamp", "hour", N(0)));
  EXPECT_FALSE(MayMatch("k < '1970-01-01'", "timestamp", "hour", N(1)));
  EXPECT_TRUE(MayMatch("k = '1969-06-01'", "date", "year", N(-1)));
  EXPECT_TRUE(MayMatch("k = '1969-06-01'", "date", "year", N(0)));
}

// apache/iceberg#9713: in the year 250000 hours have left 32 bits.
TEST(PartitionTest, HoursThatWrap) {
  // Some 248,000 years of 8,766 hours: more than 2^31, stored modulo 2^32.
  const int64_t hours = 2'174'188'000;
  EXPECT_TRUE(MayMatch("k > '+200000-01-01'", "timestamp", "hour", hours - (N(1) << 32)));
  EXPECT_TRUE(MayMatch("k < '-200000-01-01'", "timestamp", "hour", (N(1) << 32) - hours));
  FieldSummary summary;
  summary.contains_null = false;
  summary.lower_bound = Encode(hours - (N(1) << 32), ParsePrimitiveType("int").ValueOrDie());
  summary.upper_bound = Encode(N(100), ParsePrimitiveType("int").ValueOrDie());
  EXPECT_TRUE(MayMatchSummary("k > '+200000-01-01'", "timestamp", "hour", summary));
}

TEST(PartitionTest, AbsurdValuesDoNoHarm) {
  for (const std::string transform :
       {"identity", "bucket[7]", "truncate[10]", "year", "month", "day", "hour"}) {
    for (const int64_t value : {INT64_MIN, INT64_MIN + 1, INT64_MAX - 1, INT64_MAX}) {
      MayMatch("k >= '2017-11-16'", "timestamp", transform, value);
      MayMatch("k >= '2017-11-16'", "date", transform, value);
      MayMatch("k >= 5", "long", transform, value);
    }
    EXPECT_TRUE(MayMatch("k >= 5", "long", transform, std::string("five"))) << transform;
  }
}

TEST(PartitionTest, WhatIsNotKnownMayMatch) {
  EXPECT_TRUE(MayMatch("k = 3", "int", "void", {}));
  EXPECT_TRUE(MayMatch("k = 3", "int", "tomorrow[7]", {}));
  EXPECT_TRUE(MayMatch("k = 3", "int", "tomorrow[7]", N(4)));
  // Daft#7428: a file of another spec, without that field.
  Table table = MakeTable("int", "identity");
  const auto filter = BoundFilter::Make("k = 3", table.schema).ValueOrDie();
  EXPECT_TRUE(filter.MayMatchPartition(table.spec, Partition{}));
  EXPECT_TRUE(filter.MayMatchPartition(PartitionSpec(), Partition{{1000, N(4)}}));
  EXPECT_TRUE(filter.MayMatchManifest(table.spec, {}));
  table.spec.fields[0].source_ids = {1, 2};
  EXPECT_TRUE(filter.MayMatchPartition(table.spec, Partition{{1000, N(4)}}));
}

TEST(PartitionTest, Summaries) {
  const Type integer = ParsePrimitiveType("int").ValueOrDie();
  FieldSummary summary;
  summary.contains_null = false;
  summary.lower_bound = Encode(N(3), integer);
  summary.upper_bound = Encode(N(7), integer);
  EXPECT_TRUE(MayMatchSummary("k = 3", "int", "identity", summary));
  EXPECT_FALSE(MayMatchSummary("k = 8", "int", "identity", summary));
  EXPECT_FALSE(MayMatchSummary("k = 8", "long", "identity", summary));
  EXPECT_FALSE(MayMatchSummary("k is null", "int", "identity", summary));
  EXPECT_FALSE(MayMatchSummary("k = '1970-01-10'", "timestamp", "day", summary));
  EXPECT_TRUE(MayMatchSummary("k = '1970-01-08T23:00:00'", "timestamp", "day", summary));
  // 2017239379 mod 16 is 3, mod 32 it is 19.
  EXPECT_TRUE(MayMatchSummary("k = 34", "int", "bucket[16]", summary));
  EXPECT_FALSE(MayMatchSummary("k = 34", "int", "bucket[32]", summary));
  EXPECT_TRUE(MayMatchSummary("k > 34", "int", "bucket[32]", summary));
  EXPECT_TRUE(MayMatchSummary("k = 12", "int", "truncate[7]", summary));
  EXPECT_FALSE(MayMatchSummary("k = 14", "int", "truncate[7]", summary));
  std::swap(summary.lower_bound, summary.upper_bound);
  EXPECT_TRUE(MayMatchSummary("k = 8", "int", "identity", summary));
  summary.contains_null = true;
  EXPECT_TRUE(MayMatchSummary("k is null", "int", "identity", summary));
}

// paimon#9188: NaN as a bound, or a NaN that was not counted.
TEST(PartitionTest, SummariesWithNan) {
  const Type type = ParsePrimitiveType("double").ValueOrDie();
  FieldSummary summary;
  summary.contains_null = false;
  summary.contains_nan = false;
  summary.lower_bound = Encode(1.0, type);
  summary.upper_bound = Encode(std::nan(""), type);
  EXPECT_TRUE(MayMatchSummary("k < 0", "double", "identity", summary));
  summary.upper_bound = Encode(2.0, type);
  EXPECT_FALSE(MayMatchSummary("k < 0", "double", "identity", summary));
  EXPECT_TRUE(MayMatchSummary("k > 5", "double", "identity", summary));
}

// duckdb-iceberg#1048: upper bounds of strings that were cut and not rounded up.
TEST(PartitionTest, SummariesOfStringsSayNothing) {
  FieldSummary summary;
  summary.contains_null = false;
  summary.lower_bound = "a";
  summary.upper_bound = "b";
  EXPECT_TRUE(MayMatchSummary("k = 'z'", "string", "identity", summary));
  EXPECT_TRUE(MayMatchSummary("k = 'z'", "string", "truncate[3]", summary));
  EXPECT_TRUE(MayMatchSummary("k = X'FF'", "binary", "identity", summary));
  EXPECT_FALSE(MayMatchSummary("k is null", "string", "identity", summary));
}

}  // namespace
}  // namespace esker
