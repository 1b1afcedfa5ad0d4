// Key column: types of key columns, transforms, bits of single values.
#include "merge/key_column.h"

#include <algorithm>

namespace esker {
namespace {

bool FitsKind(KeyKind kind, arrow::Type::type id) {
  switch (kind) {
    case KeyKind::kBoolean:
      return id == arrow::Type::BOOL;
    case KeyKind::kInt32:
      return id == arrow::Type::INT32 || id == arrow::Type::DATE32;
    case KeyKind::kInt64:
      return id == arrow::Type::INT64 || id == arrow::Type::TIME64 || id == arrow::Type::TIMESTAMP;
    case KeyKind::kFloat:
      return id == arrow::Type::FLOAT;
    case KeyKind::kDouble:
      return id == arrow::Type::DOUBLE;
    case KeyKind::kDecimal:
      return id == arrow::Type::DECIMAL128;
    case KeyKind::kFixed:
      return id == arrow::Type::FIXED_SIZE_BINARY;
    case KeyKind::kBytes:
      return id == arrow::Type::STRING || id == arrow::Type::BINARY ||
             id == arrow::Type::LARGE_STRING || id == arrow::Type::LARGE_BINARY;
  }
  return false;
}

template <typename Number>
ValueBits BitsOfInteger(const Value& value) {
  const auto* number = std::get_if<int64_t>(&value);
  if (number == nullptr || *number != static_cast<Number>(*number)) return {};
  return {OrderedBits(static_cast<Number>(*number)), true, true};
}

template <typename Number>
ValueBits BitsOfReal(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return {};
  const auto narrow = static_cast<Number>(*number);
  if (!std::isnan(*number) && static_cast<double>(narrow) != *number) return {};
  return {OrderedBits(narrow), true, true};
}

ValueBits BitsOfFixed(const KeyPart& part, const Value& value) {
  const auto* bytes = std::get_if<std::string>(&value);
  if (bytes == nullptr) return {};
  const int length = part.width / 8;
  std::string padded = *bytes;
  padded.resize(length, '\0');
  return {OrderedBits(reinterpret_cast<const uint8_t*>(padded.data()), length),
          static_cast<int>(bytes->size()) == length, true};
}

}  // namespace

ValueBits BitsOfValue(const KeyPart& part, const Value& value) {
  switch (part.kind) {
    case KeyKind::kBoolean: {
      const auto* flag = std::get_if<bool>(&value);
      return flag == nullptr ? ValueBits{} : ValueBits{OrderedBits(*flag), true, true};
    }
    case KeyKind::kInt32:
      return BitsOfInteger<int32_t>(value);
    case KeyKind::kInt64:
      return BitsOfInteger<int64_t>(value);
    case KeyKind::kFloat:
      return BitsOfReal<float>(value);
    case KeyKind::kDouble:
      return BitsOfReal<double>(value);
    case KeyKind::kDecimal: {
      const auto* number = std::get_if<int128_t>(&value);
      return number == nullptr ? ValueBits{} : ValueBits{OrderedBits(*number), true, true};
    }
    case KeyKind::kFixed:
      return BitsOfFixed(part, value);
    case KeyKind::kBytes:
      return {};
  }
  return {};
}

arrow::Result<std::vector<Value>> TransformColumn(const KeyPart& part, const arrow::Array& column) {
  std::vector<Value> values;
  values.reserve(column.length());
  for (int64_t row = 0; row < column.length(); ++row) {
    ARROW_ASSIGN_OR_RAISE(const Value value, ArrowValue(column, row));
    ARROW_ASSIGN_OR_RAISE(Value result, ApplyTransform(part.key.transform, part.key.type, value));
    values.push_back(std::move(result));
  }
  return values;
}

arrow::Status CheckColumnType(const KeyPart& part, const arrow::Array& column) {
  // The value of a transformed column is checked by the transform itself.
  if (part.transformed()) return arrow::Status::OK();
  bool fits = FitsKind(part.kind, column.type_id());
  if (fits && part.kind == KeyKind::kFixed) {
    fits = static_cast<const arrow::FixedSizeBinaryType&>(*column.type()).byte_width() * 8 ==
           part.width;
  }
  if (fits) return arrow::Status::OK();
  return arrow::Status::TypeError("key ", part.key.name, " of type ", part.key.type.ToString(),
                                  " came as Arrow type ", column.type()->ToString());
}

}  // namespace esker
