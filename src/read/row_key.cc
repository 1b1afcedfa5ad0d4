#include "read/row_key.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "arrow/array.h"
#include "arrow/type.h"
#include "arrow/util/bit_util.h"
#include "arrow/util/checked_cast.h"
#include "base/status.h"

namespace esker {
namespace {

template <typename T>
void AppendRaw(T value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

template <typename T>
void AppendFloat(T value, std::string* key) {
  AppendRaw(std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value, key);
}

}  // namespace

RowKeyEncoder::Kind RowKeyEncoder::KindOfType(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
      return Kind::kBoolean;
    case arrow::Type::FLOAT:
      return Kind::kFloat;
    case arrow::Type::DOUBLE:
      return Kind::kDouble;
    case arrow::Type::INT32:
    case arrow::Type::INT64:
    case arrow::Type::DATE32:
    case arrow::Type::TIME64:
    case arrow::Type::TIMESTAMP:
    case arrow::Type::DECIMAL128:
    case arrow::Type::FIXED_SIZE_BINARY:
      return Kind::kFixed;
    case arrow::Type::STRING:
    case arrow::Type::BINARY:
      return Kind::kBytes;
    default:
      return Kind::kNull;
  }
}

arrow::Status RowKeyEncoder::CheckType(const arrow::DataType& type) {
  if (type.id() == arrow::Type::NA || KindOfType(type) != Kind::kNull) return arrow::Status::OK();
  return UnsupportedError("equality deletes on a column of type ", type.ToString());
}

RowKeyEncoder::Column RowKeyEncoder::View(const arrow::Array& array) {
  Column column;
  column.kind = KindOfType(*array.type());
  column.array = &array;
  column.has_nulls = array.null_count() > 0;
  const arrow::ArrayData& data = *array.data();
  if (column.kind == Kind::kBytes) {
    column.offsets = data.GetValues<int32_t>(1);
    column.values = data.GetValues<uint8_t>(2, 0);
  } else if (column.kind != Kind::kNull && column.kind != Kind::kBoolean) {
    column.width = array.type()->byte_width();
    column.values = data.GetValues<uint8_t>(1, data.offset * column.width);
  }
  return column;
}

void RowKeyEncoder::Bind(const arrow::ArrayVector& columns) {
  columns_.clear();
  for (const auto& column : columns) columns_.push_back(View(*column));
}

void RowKeyEncoder::Encode(int64_t row, std::string* key) const {
  key->clear();
  for (const Column& column : columns_) Append(column, row, key);
}

int64_t RowKeyEncoder::MostBytes() const {
  constexpr int64_t kMark = 1;
  int64_t bytes = 0;
  for (const Column& column : columns_) {
    const int64_t rows = column.array->length();
    const int64_t width = column.kind == Kind::kBytes ? sizeof(int32_t) : column.width;
    bytes += rows * (kMark + std::max<int64_t>(width, 1));
    if (column.kind == Kind::kBytes) bytes += column.offsets[rows] - column.offsets[0];
  }
  return bytes;
}

void RowKeyEncoder::Append(const Column& column, int64_t row, std::string* key) {
  if (column.kind == Kind::kNull || (column.has_nulls && column.array->IsNull(row))) {
    key->push_back('\0');
    return;
  }
  key->push_back('\1');
  const char* value = reinterpret_cast<const char*>(column.values) + row * column.width;
  switch (column.kind) {
    case Kind::kNull:
      return;
    case Kind::kBoolean:
      AppendRaw(arrow::internal::checked_cast<const arrow::BooleanArray&>(*column.array).Value(row),
                key);
      return;
    case Kind::kFixed:
      key->append(value, column.width);
      return;
    case Kind::kFloat:
      AppendFloat(reinterpret_cast<const float*>(column.values)[row], key);
      return;
    case Kind::kDouble:
      AppendFloat(reinterpret_cast<const double*>(column.values)[row], key);
      return;
    case Kind::kBytes: {
      const int32_t begin = column.offsets[row];
      const int32_t length = column.offsets[row + 1] - begin;
      AppendRaw(length, key);
      if (length > 0) key->append(reinterpret_cast<const char*>(column.values) + begin, length);
      return;
    }
  }
}

}  // namespace esker
