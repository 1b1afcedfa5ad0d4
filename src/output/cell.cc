#include "output/cell.h"

#include <cmath>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/array.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "base/utf8.h"
#include "fmt/format.h"
#include "format/civil_time.h"
#include "format/decimal_text.h"
#include "format/hex_text.h"

namespace esker {
namespace {

void AppendQuoted(std::string_view text, CellStyle style, std::string* out) {
  if (style == CellStyle::kPlain) {
    out->append(text);
  } else {
    AppendJsonString(text, out);
  }
}

// Writes through a function of (array, row, style, out); null is dealt with here, once.
template <typename ArrayType, typename Write>
class TypedWriter : public CellWriter {
 public:
  TypedWriter(const arrow::Array& array, CellStyle style, Write write)
      : array_(static_cast<const ArrayType&>(array)), style_(style), write_(std::move(write)) {}

  bool IsNull(int64_t row) const override { return array_.IsNull(row); }

  void Append(int64_t row, std::string* out) const override {
    if (array_.IsNull(row)) {
      if (style_ == CellStyle::kJson) *out += "null";
      return;
    }
    write_(array_, row, style_, out);
  }

 private:
  const ArrayType& array_;
  CellStyle style_;
  Write write_;
};

template <typename ArrayType, typename Write>
std::unique_ptr<CellWriter> Typed(const arrow::Array& array, CellStyle style, Write write) {
  return std::make_unique<TypedWriter<ArrayType, Write>>(array, style, std::move(write));
}

template <typename ArrayType>
std::unique_ptr<CellWriter> Integers(const arrow::Array& array, CellStyle style) {
  return Typed<ArrayType>(array, style, [](const auto& values, int64_t row, CellStyle, auto* out) {
    fmt::format_to(std::back_inserter(*out), "{}", values.Value(row));
  });
}

template <typename Float>
void AppendFloat(Float value, CellStyle style, std::string* out) {
  if (std::isnan(value)) return AppendQuoted("NaN", style, out);
  if (std::isinf(value)) return AppendQuoted(value > 0 ? "Infinity" : "-Infinity", style, out);
  const size_t start = out->size();
  fmt::format_to(std::back_inserter(*out), "{}", value);
  // "1" would read back as an integer.
  if (out->find_first_not_of("-0123456789", start) == std::string::npos) *out += ".0";
}

template <typename ArrayType>
std::unique_ptr<CellWriter> Floats(const arrow::Array& array, CellStyle style) {
  return Typed<ArrayType>(array, style,
                          [](const auto& values, int64_t row, CellStyle how, auto* out) {
                            AppendFloat(values.Value(row), how, out);
                          });
}

// Times and dates: `text` makes the text of one number.
template <typename ArrayType, typename Text>
std::unique_ptr<CellWriter> Times(const arrow::Array& array, CellStyle style, Text text) {
  return Typed<ArrayType>(array, style,
                          [text](const auto& values, int64_t row, CellStyle how, auto* out) {
                            AppendQuoted(text(values.Value(row)), how, out);
                          });
}

TimeUnit UnitOf(const arrow::DataType& type) {
  return static_cast<const arrow::TimestampType&>(type).unit() == arrow::TimeUnit::NANO
             ? TimeUnit::kNanos
             : TimeUnit::kMicros;
}

std::unique_ptr<CellWriter> Timestamps(const arrow::Array& array, CellStyle style) {
  const auto& type = static_cast<const arrow::TimestampType&>(*array.type());
  const std::string zone = type.timezone().empty() ? "" : "Z";
  return Times<arrow::TimestampArray>(array, style, [unit = UnitOf(type), zone](int64_t value) {
    return FormatTimestamp(value, unit) + zone;
  });
}

int128_t Unscaled(const uint8_t* bytes) {
  int128_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

std::unique_ptr<CellWriter> Decimals(const arrow::Array& array, CellStyle style) {
  const int32_t scale = static_cast<const arrow::Decimal128Type&>(*array.type()).scale();
  return Typed<arrow::Decimal128Array>(
      array, style, [scale](const auto& values, int64_t row, CellStyle, auto* out) {
        *out += FormatDecimal(Unscaled(values.Value(row)), scale);
      });
}

template <typename ArrayType>
std::unique_ptr<CellWriter> Strings(const arrow::Array& array, CellStyle style) {
  return Typed<ArrayType>(array, style,
                          [](const auto& values, int64_t row, CellStyle how, auto* out) {
                            AppendQuoted(values.GetView(row), how, out);
                          });
}

template <typename ArrayType>
std::unique_ptr<CellWriter> Bytes(const arrow::Array& array, CellStyle style) {
  return Typed<ArrayType>(array, style,
                          [](const auto& values, int64_t row, CellStyle how, auto* out) {
                            if (how == CellStyle::kJson) *out += '"';
                            AppendHex(values.GetView(row), out);
                            if (how == CellStyle::kJson) *out += '"';
                          });
}

void AppendUuid(std::string_view bytes, std::string* out) {
  for (size_t i = 0; i < bytes.size(); ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) *out += '-';
    AppendHex(bytes.substr(i, 1), out);
  }
}

std::unique_ptr<CellWriter> Uuids(const arrow::Array& array, CellStyle style) {
  return Typed<arrow::FixedSizeBinaryArray>(
      array, style, [](const auto& values, int64_t row, CellStyle how, auto* out) {
        if (how == CellStyle::kJson) *out += '"';
        AppendUuid(values.GetView(row), out);
        if (how == CellStyle::kJson) *out += '"';
      });
}

bool IsUuid(const arrow::Field& field) {
  if (field.type()->id() != arrow::Type::FIXED_SIZE_BINARY || !field.HasMetadata()) return false;
  return field.metadata()->Get("ARROW:extension:name").ValueOr("") == "arrow.uuid";
}

// An all-null column of type unknown.
class NullWriter : public CellWriter {
 public:
  explicit NullWriter(CellStyle style) : style_(style) {}
  bool IsNull(int64_t) const override { return true; }
  void Append(int64_t, std::string* out) const override {
    if (style_ == CellStyle::kJson) *out += "null";
  }

 private:
  CellStyle style_;
};

arrow::Result<std::unique_ptr<CellWriter>> Structs(const arrow::DataType& type,
                                                   const arrow::Array& array, CellStyle style) {
  // Members without the parent's offset and validity: the parent's null is tested before.
  auto members = std::make_shared<std::vector<std::shared_ptr<arrow::Array>>>();
  std::vector<std::unique_ptr<CellWriter>> writers;
  for (int i = 0; i < type.num_fields(); ++i) {
    members->push_back(static_cast<const arrow::StructArray&>(array).field(i));
    ARROW_ASSIGN_OR_RAISE(auto writer,
                          MakeCellWriter(*type.field(i), *members->back(), CellStyle::kJson));
    writers.push_back(std::move(writer));
  }
  return Typed<arrow::StructArray>(array, style,
                                   [members, writers = std::move(writers)](
                                       const auto& values, int64_t row, CellStyle, auto* out) {
                                     for (size_t i = 0; i < writers.size(); ++i) {
                                       *out += i == 0 ? '{' : ',';
                                       AppendJsonString(
                                           values.type()->field(static_cast<int>(i))->name(), out);
                                       *out += ':';
                                       writers[i]->Append(row, out);
                                     }
                                     *out += writers.empty() ? "{}" : "}";
                                   });
}

arrow::Result<std::unique_ptr<CellWriter>> Lists(const arrow::DataType& type,
                                                 const arrow::Array& array, CellStyle style) {
  const auto& list = static_cast<const arrow::ListArray&>(array);
  ARROW_ASSIGN_OR_RAISE(auto element,
                        MakeCellWriter(*type.field(0), *list.values(), CellStyle::kJson));
  return Typed<arrow::ListArray>(
      array, style,
      [element = std::move(element)](const auto& values, int64_t row, CellStyle, auto* out) {
        *out += '[';
        for (int64_t i = values.value_offset(row); i < values.value_offset(row + 1); ++i) {
          if (i > values.value_offset(row)) *out += ',';
          element->Append(i, out);
        }
        *out += ']';
      });
}

// JSON objects have string keys only, and maps may have any: a map is a list of pairs, as Iceberg
// and Arrow hold it, but for string keys, where the object is what a reader expects.
arrow::Result<std::unique_ptr<CellWriter>> Maps(const arrow::MapType& type,
                                                const arrow::Array& array, CellStyle style) {
  const auto& map = static_cast<const arrow::MapArray&>(array);
  ARROW_ASSIGN_OR_RAISE(auto key, MakeCellWriter(*type.key_field(), *map.keys(), CellStyle::kJson));
  ARROW_ASSIGN_OR_RAISE(auto item,
                        MakeCellWriter(*type.item_field(), *map.items(), CellStyle::kJson));
  const bool as_object = type.key_type()->id() == arrow::Type::STRING;
  return Typed<arrow::MapArray>(array, style,
                                [as_object, key = std::move(key), item = std::move(item)](
                                    const auto& values, int64_t row, CellStyle, auto* out) {
                                  *out += as_object ? '{' : '[';
                                  for (int64_t i = values.value_offset(row);
                                       i < values.value_offset(row + 1); ++i) {
                                    if (i > values.value_offset(row)) *out += ',';
                                    if (!as_object) *out += '[';
                                    key->Append(i, out);
                                    *out += as_object ? ':' : ',';
                                    item->Append(i, out);
                                    if (!as_object) *out += ']';
                                  }
                                  *out += as_object ? '}' : ']';
                                });
}

}  // namespace

void AppendJsonString(std::string_view text, std::string* out) {
  constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
  const bool valid = IsUtf8(text);
  *out += '"';
  for (const char c : text) {
    switch (c) {
      case '"':
        *out += "\\\"";
        break;
      case '\\':
        *out += "\\\\";
        break;
      case '\n':
        *out += "\\n";
        break;
      case '\r':
        *out += "\\r";
        break;
      case '\t':
        *out += "\\t";
        break;
      default:
        if (static_cast<uint8_t>(c) < 0x20 || c == 0x7f) {
          fmt::format_to(std::back_inserter(*out), "\\u{:04x}", static_cast<uint8_t>(c));
        } else if (!valid && static_cast<uint8_t>(c) >= 0x80) {
          *out += kReplacement;
        } else {
          *out += c;
        }
    }
  }
  *out += '"';
}

arrow::Result<std::unique_ptr<CellWriter>> MakeCellWriter(const arrow::Field& field,
                                                          const arrow::Array& array,
                                                          CellStyle style) {
  switch (array.type_id()) {
    case arrow::Type::NA:
      return std::make_unique<NullWriter>(style);
    case arrow::Type::BOOL:
      return Typed<arrow::BooleanArray>(array, style,
                                        [](const auto& values, int64_t row, CellStyle, auto* out) {
                                          *out += values.Value(row) ? "true" : "false";
                                        });
    case arrow::Type::INT32:
      return Integers<arrow::Int32Array>(array, style);
    case arrow::Type::INT64:
      return Integers<arrow::Int64Array>(array, style);
    case arrow::Type::FLOAT:
      return Floats<arrow::FloatArray>(array, style);
    case arrow::Type::DOUBLE:
      return Floats<arrow::DoubleArray>(array, style);
    case arrow::Type::DECIMAL128:
      return Decimals(array, style);
    case arrow::Type::DATE32:
      return Times<arrow::Date32Array>(array, style, [](int64_t v) { return FormatDate(v); });
    case arrow::Type::TIME64:
      return Times<arrow::Time64Array>(
          array, style, [](int64_t v) { return FormatTimeOfDay(v, TimeUnit::kMicros); });
    case arrow::Type::TIMESTAMP:
      return Timestamps(array, style);
    case arrow::Type::STRING:
      return Strings<arrow::StringArray>(array, style);
    case arrow::Type::LARGE_STRING:
      return Strings<arrow::LargeStringArray>(array, style);
    case arrow::Type::BINARY:
      return Bytes<arrow::BinaryArray>(array, style);
    case arrow::Type::LARGE_BINARY:
      return Bytes<arrow::LargeBinaryArray>(array, style);
    case arrow::Type::FIXED_SIZE_BINARY:
      return IsUuid(field) ? Uuids(array, style) : Bytes<arrow::FixedSizeBinaryArray>(array, style);
    case arrow::Type::STRUCT:
      return Structs(*field.type(), array, style);
    case arrow::Type::LIST:
      return Lists(*field.type(), array, style);
    case arrow::Type::MAP:
      return Maps(static_cast<const arrow::MapType&>(*field.type()), array, style);
    default:
      return arrow::Status::NotImplemented("no text form for Arrow type ",
                                           array.type()->ToString());
  }
}

}  // namespace esker
