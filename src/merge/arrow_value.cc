// Arrow value: reading single values, decoding dictionaries.
#include "merge/arrow_value.h"

#include "arrow/array.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/exec.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"

namespace esker {
namespace {

template <typename ArrayType>
Value Number(const arrow::Array& column, int64_t row) {
  return Value(static_cast<int64_t>(static_cast<const ArrayType&>(column).Value(row)));
}

template <typename ArrayType>
Value Real(const arrow::Array& column, int64_t row) {
  return Value(static_cast<double>(static_cast<const ArrayType&>(column).Value(row)));
}

template <typename ArrayType>
Value Bytes(const arrow::Array& column, int64_t row) {
  return Value(std::string(static_cast<const ArrayType&>(column).GetView(row)));
}

Value Decimal(const arrow::Array& column, int64_t row) {
  const auto& decimals = static_cast<const arrow::Decimal128Array&>(column);
  const arrow::Decimal128 number(decimals.GetValue(row));
  return Value(static_cast<int128_t>(number.high_bits()) << 64 |
               static_cast<int128_t>(number.low_bits()));
}

}  // namespace

arrow::Result<Value> ArrowValue(const arrow::Array& column, int64_t row) {
  if (column.IsNull(row)) return Value();
  switch (column.type_id()) {
    case arrow::Type::BOOL:
      return Value(static_cast<const arrow::BooleanArray&>(column).Value(row));
    case arrow::Type::INT32:
      return Number<arrow::Int32Array>(column, row);
    case arrow::Type::INT64:
      return Number<arrow::Int64Array>(column, row);
    case arrow::Type::DATE32:
      return Number<arrow::Date32Array>(column, row);
    case arrow::Type::TIME64:
      return Number<arrow::Time64Array>(column, row);
    case arrow::Type::TIMESTAMP:
      return Number<arrow::TimestampArray>(column, row);
    case arrow::Type::FLOAT:
      return Real<arrow::FloatArray>(column, row);
    case arrow::Type::DOUBLE:
      return Real<arrow::DoubleArray>(column, row);
    case arrow::Type::DECIMAL128:
      return Decimal(column, row);
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Bytes<arrow::BinaryArray>(column, row);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return Bytes<arrow::LargeBinaryArray>(column, row);
    case arrow::Type::FIXED_SIZE_BINARY:
      return Bytes<arrow::FixedSizeBinaryArray>(column, row);
    default:
      return arrow::Status::TypeError("a key column cannot be of Arrow type ",
                                      column.type()->ToString());
  }
}

arrow::Result<std::shared_ptr<arrow::Array>> PlainColumn(std::shared_ptr<arrow::Array> column,
                                                         arrow::MemoryPool* pool) {
  if (column->type_id() == arrow::Type::EXTENSION) {
    column = static_cast<const arrow::ExtensionArray&>(*column).storage();
  }
  if (column->type_id() != arrow::Type::DICTIONARY) return column;
  const auto& encoded = static_cast<const arrow::DictionaryArray&>(*column);
  arrow::compute::ExecContext context(pool);
  return arrow::compute::Take(*encoded.dictionary(), *encoded.indices(),
                              arrow::compute::TakeOptions::NoBoundsCheck(), &context);
}

arrow::Result<std::shared_ptr<arrow::Array>> UniformColumn(std::shared_ptr<arrow::Array> column,
                                                           arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(column, PlainColumn(std::move(column), pool));
  switch (column->type_id()) {
    case arrow::Type::DATE32:
      return column->View(arrow::int32());
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
      return column->View(arrow::int64());
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_STRING: {
      arrow::compute::ExecContext context(pool);
      return arrow::compute::Cast(*column, arrow::large_binary(),
                                  arrow::compute::CastOptions::Safe(), &context);
    }
    default:
      return column;
  }
}

}  // namespace esker
