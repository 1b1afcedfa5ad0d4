#include "format/arrow_schema.h"

#include <string>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "arrow/util/key_value_metadata.h"
#include "base/status.h"

namespace esker {
namespace {

using ArrowType = std::shared_ptr<arrow::DataType>;
using ArrowScalar = std::shared_ptr<arrow::Scalar>;

constexpr int32_t kUuidBytes = 16;

// `name` is the column's, with the names above it, for errors.
arrow::Result<ArrowType> ConvertType(const Type& type, const std::string& name);

arrow::Result<std::shared_ptr<arrow::Field>> ConvertField(const Field& field,
                                                          const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(ArrowType type, ConvertType(field.type, name));
  auto metadata = std::make_shared<arrow::KeyValueMetadata>();
  metadata->Append(std::string(kFieldIdKey), std::to_string(field.id));
  if (field.type.id == TypeId::kUuid) {
    metadata->Append("ARROW:extension:name", "arrow.uuid");
    metadata->Append("ARROW:extension:metadata", "");
  }
  return arrow::field(field.name, std::move(type), !field.required, std::move(metadata));
}

arrow::Result<arrow::FieldVector> ConvertFields(const std::vector<Field>& fields,
                                                const std::string& name) {
  arrow::FieldVector converted;
  for (const Field& field : fields) {
    const std::string path = name.empty() ? field.name : name + "." + field.name;
    ARROW_ASSIGN_OR_RAISE(auto arrow_field, ConvertField(field, path));
    converted.push_back(std::move(arrow_field));
  }
  return converted;
}

arrow::Result<ArrowType> ConvertNested(const Type& type, const std::string& name) {
  static const std::vector<Field> kNone;
  ARROW_ASSIGN_OR_RAISE(arrow::FieldVector children,
                        ConvertFields(type.fields == nullptr ? kNone : *type.fields, name));
  if (type.id == TypeId::kStruct) return arrow::struct_(children);
  if (type.id == TypeId::kList && children.size() == 1) return arrow::list(children[0]);
  if (type.id == TypeId::kMap && children.size() == 2) {
    // A key is never null, whatever was said of it: Arrow insists.
    return std::make_shared<arrow::MapType>(children[0]->WithNullable(false), children[1]);
  }
  return arrow::Status::Invalid("column ", name, ": list or map without its members");
}

arrow::Result<ArrowType> ConvertType(const Type& type, const std::string& name) {
  switch (type.id) {
    case TypeId::kBoolean:
      return arrow::boolean();
    case TypeId::kInt:
      return arrow::int32();
    case TypeId::kLong:
      return arrow::int64();
    case TypeId::kFloat:
      return arrow::float32();
    case TypeId::kDouble:
      return arrow::float64();
    case TypeId::kDecimal:
      return arrow::Decimal128Type::Make(type.precision, type.scale);
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
    case TypeId::kBinary:
      return arrow::binary();
    case TypeId::kFixed:
      return arrow::fixed_size_binary(type.length);
    case TypeId::kUuid:
      return arrow::fixed_size_binary(kUuidBytes);
    case TypeId::kUnknown:
      return arrow::null();
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return ConvertNested(type, name);
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      break;
  }
  if (name.empty()) return UnsupportedError("type ", type.ToString(), " is not read");
  return UnsupportedError("column ", name, ": type ", type.ToString(), " is not read");
}

// ---- values ----

arrow::Status Misfit(const Value& value, const Type& type) {
  return arrow::Status::Invalid("value ", ValueToString(value, type), " does not fit type ",
                                type.ToString());
}

bool FitsWidth(const Value& value, const Type& type) {
  if (type.id == TypeId::kInt || type.id == TypeId::kDate) {
    return std::in_range<int32_t>(std::get<int64_t>(value));
  }
  if (type.id == TypeId::kFixed || type.id == TypeId::kUuid) {
    const int32_t length = type.id == TypeId::kUuid ? kUuidBytes : type.length;
    return std::get<std::string>(value).size() == static_cast<size_t>(length);
  }
  return true;
}

ArrowScalar IntegerScalar(int64_t number, const Type& type, ArrowType arrow_type) {
  switch (type.id) {
    case TypeId::kInt:
      return std::make_shared<arrow::Int32Scalar>(static_cast<int32_t>(number));
    case TypeId::kLong:
      return std::make_shared<arrow::Int64Scalar>(number);
    case TypeId::kDate:
      return std::make_shared<arrow::Date32Scalar>(static_cast<int32_t>(number));
    case TypeId::kTime:
      return std::make_shared<arrow::Time64Scalar>(number, std::move(arrow_type));
    default:
      return std::make_shared<arrow::TimestampScalar>(number, std::move(arrow_type));
  }
}

ArrowScalar BytesScalar(const std::string& bytes, const Type& type, ArrowType arrow_type) {
  auto buffer = arrow::Buffer::FromString(bytes);
  if (type.id == TypeId::kString) return std::make_shared<arrow::StringScalar>(std::move(buffer));
  if (type.id == TypeId::kBinary) return std::make_shared<arrow::BinaryScalar>(std::move(buffer));
  return std::make_shared<arrow::FixedSizeBinaryScalar>(std::move(buffer), std::move(arrow_type));
}

arrow::Result<ArrowScalar> DecimalScalar(const Value& value, const Type& type,
                                         ArrowType arrow_type) {
  const auto number = std::get<int128_t>(value);
  const arrow::Decimal128 decimal(static_cast<int64_t>(number >> 64),
                                  static_cast<uint64_t>(number));
  if (!decimal.FitsInPrecision(type.precision)) return Misfit(value, type);
  return std::make_shared<arrow::Decimal128Scalar>(decimal, std::move(arrow_type));
}

// ---- defaults ----

arrow::Result<ArrowScalar> DefaultOf(const Field& field, const std::string& name);

arrow::Result<ArrowScalar> StructDefault(const Field& field, const std::string& name,
                                         ArrowType arrow_type) {
  arrow::ScalarVector members;
  for (const Field& member : *field.type.fields) {
    const std::string path = name + "." + member.name;
    ARROW_ASSIGN_OR_RAISE(ArrowScalar scalar, DefaultOf(member, path));
    if (member.required && !scalar->is_valid) {
      return arrow::Status::Invalid("column ", path, ": required, but without an initial default");
    }
    members.push_back(std::move(scalar));
  }
  return std::make_shared<arrow::StructScalar>(std::move(members), std::move(arrow_type));
}

arrow::Result<ArrowScalar> DefaultOf(const Field& field, const std::string& name) {
  ARROW_ASSIGN_OR_RAISE(ArrowType arrow_type, ConvertType(field.type, name));
  if (!field.initial_default || *field.initial_default == "null") {
    return arrow::MakeNullScalar(std::move(arrow_type));
  }
  if (field.type.id == TypeId::kStruct && *field.initial_default == "{}") {
    return StructDefault(field, name, std::move(arrow_type));
  }
  if (field.type.is_nested()) {
    return UnsupportedError("column ", name, ": initial default ",
                            field.initial_default->substr(0, 100), " of a nested type");
  }
  const auto value = ParseJsonValue(*field.initial_default, field.type);
  if (!value.ok()) return WithPlace(value.status(), "column " + name + ": initial default");
  return ValueToScalar(*value, field.type);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::DataType>> ToArrowType(const Type& type) {
  return ConvertType(type, "");
}

arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(arrow::FieldVector fields, ConvertFields(schema.fields, ""));
  return arrow::schema(std::move(fields));
}

arrow::Result<std::shared_ptr<arrow::Scalar>> ValueToScalar(const Value& value, const Type& type) {
  ARROW_ASSIGN_OR_RAISE(ArrowType arrow_type, ToArrowType(type));
  if (IsNull(value)) return arrow::MakeNullScalar(std::move(arrow_type));
  if (!FitsType(value, type) || !FitsWidth(value, type)) return Misfit(value, type);
  if (const auto* x = std::get_if<bool>(&value)) return std::make_shared<arrow::BooleanScalar>(*x);
  if (const auto* x = std::get_if<int64_t>(&value)) {
    return IntegerScalar(*x, type, std::move(arrow_type));
  }
  if (const auto* x = std::get_if<double>(&value)) {
    if (type.id == TypeId::kDouble) return std::make_shared<arrow::DoubleScalar>(*x);
    return std::make_shared<arrow::FloatScalar>(static_cast<float>(*x));
  }
  if (std::holds_alternative<int128_t>(value)) {
    return DecimalScalar(value, type, std::move(arrow_type));
  }
  return BytesScalar(std::get<std::string>(value), type, std::move(arrow_type));
}

arrow::Result<std::shared_ptr<arrow::Scalar>> InitialDefault(const Field& field) {
  return DefaultOf(field, field.name);
}

}  // namespace esker
