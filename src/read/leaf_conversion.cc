#include "read/leaf_conversion.h"

#include <utility>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/compute/cast.h"
#include "arrow/extension_type.h"
#include "arrow/type.h"
#include "arrow/util/checked_cast.h"

namespace esker {
namespace {

using arrow::internal::checked_cast;
using TypePtr = std::shared_ptr<arrow::DataType>;

constexpr int64_t kNanosPerDay = 86'400'000'000'000;

// The plain type of which `type` is only another layout: a dictionary, large offsets, views.
TypePtr DenseType(const TypePtr& type) {
  switch (type->id()) {
    case arrow::Type::DICTIONARY:
      return DenseType(checked_cast<const arrow::DictionaryType&>(*type).value_type());
    case arrow::Type::EXTENSION:
      return DenseType(checked_cast<const arrow::ExtensionType&>(*type).storage_type());
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW:
      return arrow::utf8();
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW:
      return arrow::binary();
    default:
      return type;
  }
}

int64_t NanosOf(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1'000'000'000;
    case arrow::TimeUnit::MILLI:
      return 1'000'000;
    case arrow::TimeUnit::MICRO:
      return 1'000;
    case arrow::TimeUnit::NANO:
      return 1;
  }
  return 1;
}

// Nanoseconds of one unit of a date, time or timestamp type; 0 for any other type.
int64_t UnitNanos(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::DATE32:
      return kNanosPerDay;
    case arrow::Type::DATE64:
      return 1'000'000;
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return NanosOf(checked_cast<const arrow::TimeType&>(type).unit());
    case arrow::Type::TIMESTAMP:
      return NanosOf(checked_cast<const arrow::TimestampType&>(type).unit());
    default:
      return 0;
  }
}

bool IsTime(const arrow::DataType& type) {
  return type.id() == arrow::Type::TIME32 || type.id() == arrow::Type::TIME64;
}

bool IsDate(const arrow::DataType& type) {
  return type.id() == arrow::Type::DATE32 || type.id() == arrow::Type::DATE64;
}

bool IsBytes(const arrow::DataType& type) {
  return type.id() == arrow::Type::STRING || type.id() == arrow::Type::BINARY;
}

bool IsSameScaleDecimal(const arrow::DataType& from, const Type& to) {
  return arrow::is_decimal(from.id()) &&
         checked_cast<const arrow::DecimalType&>(from).scale() == to.scale;
}

// May a column of type `to` be read from values of `from`, whose layout is dense?
bool IsReadable(const arrow::DataType& from, const Type& to) {
  switch (to.id) {
    case TypeId::kBoolean:
      return from.id() == arrow::Type::BOOL;
    case TypeId::kInt:
      return arrow::is_integer(from.id()) && arrow::bit_width(from.id()) <= 32;
    case TypeId::kLong:
      return arrow::is_integer(from.id());
    case TypeId::kFloat:
      return from.id() == arrow::Type::FLOAT;
    case TypeId::kDouble:
      return from.id() == arrow::Type::FLOAT || from.id() == arrow::Type::DOUBLE;
    case TypeId::kDecimal:
      return IsSameScaleDecimal(from, to);
    case TypeId::kDate:
      return IsDate(from);
    case TypeId::kTime:
      return IsTime(from);
    case TypeId::kTimestamp:
    case TypeId::kTimestampNs:
      return from.id() == arrow::Type::TIMESTAMP || from.id() == arrow::Type::DATE32;
    case TypeId::kTimestampTz:
    case TypeId::kTimestampTzNs:
      return from.id() == arrow::Type::TIMESTAMP;
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      return IsBytes(from);
    case TypeId::kUuid:
    case TypeId::kFixed:
      return from.id() == arrow::Type::FIXED_SIZE_BINARY &&
             checked_cast<const arrow::FixedSizeBinaryType&>(from).byte_width() ==
                 (to.id == TypeId::kUuid ? 16 : to.length);
    default:
      return false;
  }
}

// Decimal128 of one scale is the same bytes at any precision that holds the values.
bool IsWideningDecimal(const arrow::DataType& from, const arrow::DataType& out) {
  return from.id() == arrow::Type::DECIMAL128 && out.id() == arrow::Type::DECIMAL128 &&
         checked_cast<const arrow::DecimalType&>(from).precision() <=
             checked_cast<const arrow::DecimalType&>(out).precision();
}

std::shared_ptr<arrow::Array> Relabel(const arrow::Array& values, const TypePtr& type) {
  auto data = values.data()->Copy();
  data->type = type;
  return arrow::MakeArray(std::move(data));
}

arrow::Result<std::shared_ptr<arrow::Array>> CastTo(const std::shared_ptr<arrow::Array>& values,
                                                    const TypePtr& type, arrow::MemoryPool* pool) {
  arrow::compute::CastOptions options = arrow::compute::CastOptions::Safe(type);
  options.allow_invalid_utf8 = true;  // bytes are passed on as they are, as for plain strings
  arrow::compute::ExecContext context(pool);
  return arrow::compute::Cast(*values, type, options, &context);
}

// Layout only: dictionaries and large or viewed bytes to the dense type.
arrow::Result<std::shared_ptr<arrow::Array>> MakeDense(std::shared_ptr<arrow::Array> values,
                                                       const TypePtr& dense,
                                                       arrow::MemoryPool* pool) {
  while (values->type_id() == arrow::Type::EXTENSION) {
    values = checked_cast<const arrow::ExtensionArray&>(*values).storage();
  }
  if (values->type_id() == arrow::Type::DICTIONARY) {
    const auto& type = checked_cast<const arrow::DictionaryType&>(*values->type());
    ARROW_ASSIGN_OR_RAISE(auto decoded, CastTo(values, type.value_type(), pool));
    return MakeDense(std::move(decoded), dense, pool);
  }
  if (values->type()->Equals(*dense)) return values;
  return CastTo(values, dense, pool);
}

template <typename In, typename Out>
arrow::Status ScaleAll(const arrow::Array& values, int64_t multiplier, int64_t divisor,
                       Out* scaled) {
  const In* in = values.data()->GetValues<In>(1);
  for (int64_t i = 0; i < values.length(); ++i) {
    int64_t result = 0;
    const bool fits = ScaleUnits(in[i], multiplier, divisor, &result);
    scaled[i] = static_cast<Out>(result);
    if ((fits && std::in_range<Out>(result)) || values.IsNull(i)) continue;
    return arrow::Status::Invalid("value ", static_cast<int64_t>(in[i]), " of type ",
                                  values.type()->ToString(), " is out of range");
  }
  return arrow::Status::OK();
}

template <typename In>
arrow::Status ScaleInto(const arrow::Array& values, int64_t multiplier, int64_t divisor,
                        int out_width, uint8_t* out) {
  if (out_width == 32) {
    return ScaleAll<In>(values, multiplier, divisor, reinterpret_cast<int32_t*>(out));
  }
  return ScaleAll<In>(values, multiplier, divisor, reinterpret_cast<int64_t*>(out));
}

// New values of width `out`, without an offset; nulls are shared or copied.
arrow::Result<std::shared_ptr<arrow::Array>> Scale(const arrow::Array& values, int64_t multiplier,
                                                   int64_t divisor, const TypePtr& out,
                                                   arrow::MemoryPool* pool) {
  const int width = arrow::bit_width(out->id());
  ARROW_ASSIGN_OR_RAISE(
      std::shared_ptr<arrow::Buffer> buffer,
      arrow::AllocateBuffer((values.offset() + values.length()) * width / 8, pool));
  // Kept at the offset of the input, so that its null bits need no copy.
  uint8_t* start = buffer->mutable_data() + values.offset() * width / 8;
  if (arrow::bit_width(values.type_id()) == 32) {
    ARROW_RETURN_NOT_OK(ScaleInto<int32_t>(values, multiplier, divisor, width, start));
  } else {
    ARROW_RETURN_NOT_OK(ScaleInto<int64_t>(values, multiplier, divisor, width, start));
  }
  return arrow::MakeArray(arrow::ArrayData::Make(out, values.length(),
                                                 {values.null_bitmap(), std::move(buffer)},
                                                 values.null_count(), values.offset()));
}

}  // namespace

bool ScaleUnits(int64_t value, int64_t multiplier, int64_t divisor, int64_t* scaled) {
  if (divisor != 1) {
    *scaled = value / divisor - (value % divisor < 0 ? 1 : 0);
    return true;
  }
  return !__builtin_mul_overflow(value, multiplier, scaled);
}

UnitRatio RatioOfUnits(const arrow::DataType& from, const arrow::DataType& to) {
  const int64_t a = UnitNanos(from);
  const int64_t b = UnitNanos(to);
  if (a == 0 || b == 0 || a == b) return {};
  return a > b ? UnitRatio{a / b, 1} : UnitRatio{1, b / a};
}

arrow::Result<LeafConversion> LeafConversion::Make(const TypePtr& from, const Type& to,
                                                   TypePtr out) {
  const TypePtr dense = DenseType(from);
  if (!IsReadable(*dense, to)) {
    return arrow::Status::TypeError(from->ToString(), " in the file cannot become ", to.ToString());
  }
  LeafConversion conversion;
  if (!dense->Equals(*from)) conversion.dense_ = dense;
  if (!dense->Equals(*out)) {
    const UnitRatio ratio = RatioOfUnits(*dense, *out);
    conversion.multiplier_ = ratio.multiplier;
    conversion.divisor_ = ratio.divisor;
    const bool same_units = UnitNanos(*dense) != 0 && UnitNanos(*dense) == UnitNanos(*out);
    if (ratio.multiplier != 1 || ratio.divisor != 1) {
      conversion.step_ = Step::kScale;
    } else if (same_units || IsBytes(*dense) || IsWideningDecimal(*dense, *out)) {
      conversion.step_ = Step::kRelabel;
    } else {
      conversion.step_ = Step::kCast;
    }
  }
  conversion.out_ = std::move(out);
  return conversion;
}

arrow::Result<std::shared_ptr<arrow::Array>> LeafConversion::Apply(
    const std::shared_ptr<arrow::Array>& values, arrow::MemoryPool* pool) const {
  std::shared_ptr<arrow::Array> dense = values;
  if (dense_ != nullptr) {
    ARROW_ASSIGN_OR_RAISE(dense, MakeDense(values, dense_, pool));
  }
  switch (step_) {
    case Step::kNone:
      return dense;
    case Step::kRelabel:
      return Relabel(*dense, out_);
    case Step::kCast:
      return CastTo(dense, out_, pool);
    case Step::kScale:
      return Scale(*dense, multiplier_, divisor_, out_, pool);
  }
  return dense;
}

}  // namespace esker
