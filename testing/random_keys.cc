// Random keys: pools of values, builders, corners.
#include "testing/random_keys.h"

#include <limits>
#include <utility>

#include "arrow/api.h"
#include "testing/seed.h"

namespace esker::testing {
namespace {

void Expect(const arrow::Status& status) {
  if (!status.ok()) status.Abort();
}

template <typename BuilderType, typename T>
std::shared_ptr<arrow::Array> BuildNumbers(const std::shared_ptr<arrow::DataType>& type,
                                           const std::vector<Value>& values) {
  BuilderType builder(type, arrow::default_memory_pool());
  for (const Value& value : values) {
    Expect(IsNull(value)
               ? builder.AppendNull()
               : builder.Append(static_cast<typename BuilderType::value_type>(std::get<T>(value))));
  }
  return builder.Finish().ValueOrDie();
}

template <typename BuilderType>
std::shared_ptr<arrow::Array> BuildBytes(const std::shared_ptr<arrow::DataType>& type,
                                         const std::vector<Value>& values) {
  BuilderType builder(type, arrow::default_memory_pool());
  for (const Value& value : values) {
    Expect(IsNull(value) ? builder.AppendNull() : builder.Append(std::get<std::string>(value)));
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> BuildDecimals(const std::shared_ptr<arrow::DataType>& type,
                                            const std::vector<Value>& values) {
  arrow::Decimal128Builder builder(type);
  for (const Value& value : values) {
    if (IsNull(value)) {
      Expect(builder.AppendNull());
      continue;
    }
    const int128_t number = std::get<int128_t>(value);
    Expect(builder.Append(
        arrow::Decimal128(static_cast<int64_t>(number >> 64), static_cast<uint64_t>(number))));
  }
  return builder.Finish().ValueOrDie();
}

std::vector<Value> Integers(int64_t least, int64_t most) {
  std::vector<Value> pool;
  for (const int64_t n : {int64_t{0}, int64_t{1}, int64_t{-1}, int64_t{7}, int64_t{256}, least,
                          least + 1, most, most - 1, int64_t{-300}}) {
    pool.emplace_back(n);
  }
  return pool;
}

std::vector<Value> Reals(bool narrow) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double tiny =
      narrow ? std::numeric_limits<float>::denorm_min() : std::numeric_limits<double>::denorm_min();
  const double huge =
      narrow ? std::numeric_limits<float>::max() : std::numeric_limits<double>::max();
  return {0.0, -0.0, 1.5, nan, -1.5, inf, -inf, -nan, tiny, -tiny, huge, -huge};
}

std::vector<Value> ByteStrings() {
  using std::string;
  return {string("a"),
          string(""),
          string("b"),
          string("a\0", 2),
          string("\0", 1),
          string("\0\0", 2),
          string("ab"),
          string("a\xff", 2),
          string("\xff", 1),
          string("a\x01", 2),
          string("\xff\xff", 2),
          string("\xef\xbf\xbd"),
          string("\xf0\x9f\x98\x80"),
          string("a\0b", 3),
          string("abcdefghabcdefgh"),
          string("abcdefghabcdefghi")};
}

std::vector<Value> FixedStrings(int length) {
  std::vector<Value> pool;
  for (const char first : {'\0', 'a', '\x7f', '\x80', '\xff'}) {
    for (const char last : {'\0', '\x01', '\xff'}) {
      std::string bytes(length, first);
      bytes.back() = last;
      pool.emplace_back(std::move(bytes));
    }
  }
  return pool;
}

std::vector<Value> Decimals(int precision) {
  int128_t most = 1;
  for (int i = 0; i < precision; ++i) most *= 10;
  --most;
  std::vector<Value> pool;
  for (const int128_t n : {int128_t{0}, int128_t{1}, int128_t{-1}, most, -most, most - 1, 1 - most,
                           int128_t{-128}, int128_t{255}, most / 3}) {
    pool.emplace_back(n);
  }
  return pool;
}

std::vector<Value> WholePool(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return {false, true};
    case TypeId::kInt:
    case TypeId::kDate:
      return Integers(std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max());
    case TypeId::kFloat:
      return Reals(true);
    case TypeId::kDouble:
      return Reals(false);
    case TypeId::kDecimal:
      return Decimals(type.precision);
    case TypeId::kUuid:
      return FixedStrings(16);
    case TypeId::kFixed:
      return FixedStrings(type.length);
    case TypeId::kString:
    case TypeId::kBinary:
      return ByteStrings();
    default:
      return Integers(std::numeric_limits<int64_t>::min(), std::numeric_limits<int64_t>::max());
  }
}

/// The value of one cell of a key column, by way of Arrow's scalars.
Value CellValue(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return Value();
  const auto scalar = column.GetScalar(row).ValueOrDie();
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return static_cast<const arrow::BooleanScalar&>(*scalar).value;
    case arrow::Type::INT32:
      return int64_t{static_cast<const arrow::Int32Scalar&>(*scalar).value};
    case arrow::Type::DATE32:
      return int64_t{static_cast<const arrow::Date32Scalar&>(*scalar).value};
    case arrow::Type::INT64:
      return static_cast<const arrow::Int64Scalar&>(*scalar).value;
    case arrow::Type::TIME64:
      return static_cast<const arrow::Time64Scalar&>(*scalar).value;
    case arrow::Type::TIMESTAMP:
      return static_cast<const arrow::TimestampScalar&>(*scalar).value;
    case arrow::Type::FLOAT:
      return double{static_cast<const arrow::FloatScalar&>(*scalar).value};
    case arrow::Type::DOUBLE:
      return static_cast<const arrow::DoubleScalar&>(*scalar).value;
    case arrow::Type::DECIMAL128: {
      const auto& number = static_cast<const arrow::Decimal128Scalar&>(*scalar).value;
      return static_cast<int128_t>(number.high_bits()) << 64 |
             static_cast<int128_t>(number.low_bits());
    }
    default:
      return static_cast<const arrow::BaseBinaryScalar&>(*scalar).value->ToString();
  }
}

Corner CornerOf(const SortKeys& keys, const arrow::RecordBatch& rows, int64_t row) {
  Corner corner;
  for (size_t i = 0; i < keys.size(); ++i) {
    Value value = CellValue(*rows.column(static_cast<int>(i)), row);
    if (IsNull(value)) {
      corner.push_back(
          {keys[i].nulls_first ? HalfRank::Kind::kNullFirst : HalfRank::Kind::kNullLast, {}});
    } else {
      corner.push_back({HalfRank::Kind::kValue, std::move(value)});
    }
  }
  return corner;
}

}  // namespace

SortKey MakeKey(std::string_view type, bool descending, bool nulls_first,
                std::string_view transform) {
  SortKey key;
  key.field_id = 1;
  key.type = ParsePrimitiveType(type).ValueOrDie();
  key.descending = descending;
  key.nulls_first = nulls_first;
  key.transform = ParseTransform(transform);
  key.name = "k";
  return key;
}

const std::vector<std::string>& KeyTypeNames() {
  static const std::vector<std::string> names{
      "boolean",        "int",    "long", "float",     "double",      "decimal(9,2)",
      "decimal(38,10)", "date",   "time", "timestamp", "timestamptz", "timestamp_ns",
      "timestamptz_ns", "string", "uuid", "fixed[3]",  "fixed[20]",   "binary"};
  return names;
}

std::shared_ptr<arrow::DataType> ArrowKeyType(const Type& type) {
  switch (type.id) {
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::decimal128(type.precision, type.scale);
    case TypeId::kDate:
      return arrow::date32();
    case TypeId::kTime:
      return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp:
      return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestampTz:
      return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs:
      return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestampTzNs:
      return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString:
      return arrow::utf8();
    case TypeId::kUuid:
      return arrow::fixed_size_binary(16);
    case TypeId::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeId::kBinary:
      return arrow::binary();
    default:
      return arrow::int64();
  }
}

std::vector<Value> PoolOf(const Type& type, size_t distinct) {
  std::vector<Value> pool = WholePool(type);
  if (distinct > 0 && distinct < pool.size()) pool.resize(distinct);
  return pool;
}

std::shared_ptr<arrow::Array> MakeColumn(const Type& type, const std::vector<Value>& values) {
  const auto arrow_type = ArrowKeyType(type);
  switch (arrow_type->id()) {
    case arrow::Type::BOOL:
      return BuildNumbers<arrow::BooleanBuilder, bool>(arrow_type, values);
    case arrow::Type::INT32:
      return BuildNumbers<arrow::Int32Builder, int64_t>(arrow_type, values);
    case arrow::Type::DATE32:
      return BuildNumbers<arrow::Date32Builder, int64_t>(arrow_type, values);
    case arrow::Type::TIME64:
      return BuildNumbers<arrow::Time64Builder, int64_t>(arrow_type, values);
    case arrow::Type::TIMESTAMP:
      return BuildNumbers<arrow::TimestampBuilder, int64_t>(arrow_type, values);
    case arrow::Type::FLOAT:
      return BuildNumbers<arrow::FloatBuilder, double>(arrow_type, values);
    case arrow::Type::DOUBLE:
      return BuildNumbers<arrow::DoubleBuilder, double>(arrow_type, values);
    case arrow::Type::DECIMAL128:
      return BuildDecimals(arrow_type, values);
    case arrow::Type::STRING:
      return BuildBytes<arrow::StringBuilder>(arrow_type, values);
    case arrow::Type::BINARY:
      return BuildBytes<arrow::BinaryBuilder>(arrow_type, values);
    case arrow::Type::FIXED_SIZE_BINARY:
      return BuildBytes<arrow::FixedSizeBinaryBuilder>(arrow_type, values);
    default:
      return BuildNumbers<arrow::Int64Builder, int64_t>(arrow_type, values);
  }
}

ReferenceInput RandomInput(const SortKeys& keys, const KeyShape& shape, int64_t number,
                           std::mt19937_64& random) {
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  for (const SortKey& key : keys) {
    const std::vector<Value> pool = PoolOf(key.type, shape.distinct);
    std::vector<Value> values;
    for (int64_t i = 0; i < shape.rows; ++i) {
      values.push_back(Chance(random, shape.null_percent)
                           ? Value()
                           : pool[Draw(random, 0, std::ssize(pool) - 1)]);
    }
    columns.push_back(MakeColumn(key.type, values));
    fields.push_back(arrow::field("k", columns.back()->type()));
  }
  ReferenceInput input;
  input.keys = arrow::RecordBatch::Make(arrow::schema(fields), shape.rows, columns);
  std::vector<Value> numbers(shape.rows, Value(number));
  std::vector<Value> rows;
  for (int64_t i = 0; i < shape.rows; ++i) rows.emplace_back(i);
  const Type whole = MakeKey("long").type;
  input.rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("input", arrow::int64()), arrow::field("row", arrow::int64())}),
      shape.rows, {MakeColumn(whole, numbers), MakeColumn(whole, rows)});
  return input;
}

KeyRange ExactRange(const SortKeys& keys, const arrow::RecordBatch& rows) {
  if (rows.num_rows() == 0) return {};
  return {CornerOf(keys, rows, 0), CornerOf(keys, rows, rows.num_rows() - 1)};
}

}  // namespace esker::testing
