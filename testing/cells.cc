#include "testing/cells.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "arrow/array.h"
#include "arrow/builder.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/checked_cast.h"
#include "arrow/util/logging.h"

namespace esker::testing {
namespace {

template <typename ArrayType>
auto ValueAt(const arrow::Array& array, int64_t row) {
  return static_cast<const ArrayType&>(array).GetView(row);
}

// Numbers after the parenthesis or bracket: (9, 2) of "decimal(9, 2)", 4 of "fixed[4]".
std::vector<int> NumbersIn(std::string_view text) {
  std::vector<int> numbers;
  bool in_number = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !in_number) numbers.push_back(0);
    if (digit) numbers.back() = numbers.back() * 10 + (c - '0');
    in_number = digit;
  }
  return numbers;
}

int Sign(auto a, auto b) { return a < b ? -1 : b < a ? 1 : 0; }

int CompareBytes(const std::string& a, const std::string& b) {
  const int order = std::memcmp(a.data(), b.data(), std::min(a.size(), b.size()));
  return order != 0 ? order : Sign(a.size(), b.size());
}

int CompareDoubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return Sign(std::isnan(a), std::isnan(b));
  return Sign(a, b);
}

// Bits of a float, mapped so that unsigned numbers have the order of IEEE 754's totalOrder.
uint64_t TotalOrderBits(double value) {
  const auto bits = std::bit_cast<uint64_t>(value);
  return bits >> 63 ? ~bits : bits | uint64_t{1} << 63;
}

int CompareDoublesTotal(double a, double b) {
  // NaN of one sign are all one value here: payloads do not matter to anyone.
  const auto canonical = [](double value) {
    return std::isnan(value) ? std::copysign(std::nan(""), std::signbit(value) ? -1.0 : 1.0)
                             : value;
  };
  return Sign(TotalOrderBits(canonical(a)), TotalOrderBits(canonical(b)));
}

template <typename BuilderType, typename Get>
std::shared_ptr<arrow::Array> Build(const std::shared_ptr<arrow::DataType>& type,
                                    const std::vector<Cell>& cells, Get get) {
  BuilderType builder(type, arrow::default_memory_pool());
  ARROW_CHECK_OK(builder.Reserve(static_cast<int64_t>(cells.size())));
  for (const Cell& cell : cells) {
    ARROW_CHECK_OK(IsNullCell(cell) ? builder.AppendNull() : builder.Append(get(cell)));
  }
  return builder.Finish().ValueOrDie();
}

template <typename ArrowType>
std::shared_ptr<arrow::Array> BuildIntegers(const std::shared_ptr<arrow::DataType>& type,
                                            const std::vector<Cell>& cells) {
  using BuilderType = typename arrow::TypeTraits<ArrowType>::BuilderType;
  return Build<BuilderType>(type, cells, [](const Cell& cell) {
    return static_cast<typename ArrowType::c_type>(std::get<int64_t>(cell));
  });
}

template <typename T>
std::string LittleEndian(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

// Big-endian two's complement in the fewest bytes.
std::string DecimalBytes(const arrow::Decimal128& value) {
  std::string bytes;
  const auto little = value.native_endian_bytes();
  for (int i = 15; i >= 0; --i) bytes += static_cast<char>(little[i]);
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  size_t skip = 0;
  while (skip < 15 && ((byte(skip) == 0 && byte(skip + 1) < 0x80) ||
                       (byte(skip) == 0xff && byte(skip + 1) >= 0x80))) {
    ++skip;
  }
  return bytes.substr(skip);
}

}  // namespace

bool IsNullCell(const Cell& cell) { return std::holds_alternative<std::monostate>(cell); }

bool IsNanCell(const Cell& cell) {
  const double* number = std::get_if<double>(&cell);
  return number != nullptr && std::isnan(*number);
}

std::shared_ptr<arrow::DataType> ArrowTypeOf(std::string_view type) {
  if (type == "boolean") return arrow::boolean();
  if (type == "int") return arrow::int32();
  if (type == "long") return arrow::int64();
  if (type == "float") return arrow::float32();
  if (type == "double") return arrow::float64();
  if (type == "date") return arrow::date32();
  if (type == "time") return arrow::time64(arrow::TimeUnit::MICRO);
  if (type == "timestamp") return arrow::timestamp(arrow::TimeUnit::MICRO);
  if (type == "timestamptz") return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
  if (type == "timestamp_ns") return arrow::timestamp(arrow::TimeUnit::NANO);
  if (type == "timestamptz_ns") return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
  if (type == "string") return arrow::utf8();
  if (type == "binary") return arrow::binary();
  if (type == "uuid") return arrow::fixed_size_binary(16);
  const std::vector<int> numbers = NumbersIn(type);
  if (type.starts_with("fixed")) return arrow::fixed_size_binary(numbers.at(0));
  ARROW_CHECK(type.starts_with("decimal")) << "no Arrow type for " << type;
  return arrow::decimal128(numbers.at(0), numbers.at(1));
}

Cell CellOf(const arrow::Array& array, int64_t row) {
  if (array.IsNull(row)) return {};
  switch (array.type_id()) {
    case arrow::Type::BOOL:
      return int64_t{ValueAt<arrow::BooleanArray>(array, row)};
    case arrow::Type::INT32:
      return int64_t{ValueAt<arrow::Int32Array>(array, row)};
    case arrow::Type::DATE32:
      return int64_t{ValueAt<arrow::Date32Array>(array, row)};
    case arrow::Type::INT64:
      return ValueAt<arrow::Int64Array>(array, row);
    case arrow::Type::TIME64:
      return ValueAt<arrow::Time64Array>(array, row);
    case arrow::Type::TIMESTAMP:
      return ValueAt<arrow::TimestampArray>(array, row);
    case arrow::Type::FLOAT:
      return double{ValueAt<arrow::FloatArray>(array, row)};
    case arrow::Type::DOUBLE:
      return ValueAt<arrow::DoubleArray>(array, row);
    case arrow::Type::STRING:
      return std::string(ValueAt<arrow::StringArray>(array, row));
    case arrow::Type::BINARY:
      return std::string(ValueAt<arrow::BinaryArray>(array, row));
    case arrow::Type::FIXED_SIZE_BINARY:
      return std::string(ValueAt<arrow::FixedSizeBinaryArray>(array, row));
    case arrow::Type::DECIMAL128:
      return arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(array).GetValue(row));
    case arrow::Type::EXTENSION:
      return CellOf(*static_cast<const arrow::ExtensionArray&>(array).storage(), row);
    default:
      return array.GetScalar(row).ValueOrDie()->ToString();
  }
}

std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<Cell>& cells) {
  const auto bytes = [](const Cell& cell) { return std::get<std::string>(cell); };
  switch (type->id()) {
    case arrow::Type::BOOL:
      return Build<arrow::BooleanBuilder>(
          type, cells, [](const Cell& cell) { return std::get<int64_t>(cell) != 0; });
    case arrow::Type::INT32:
      return BuildIntegers<arrow::Int32Type>(type, cells);
    case arrow::Type::DATE32:
      return BuildIntegers<arrow::Date32Type>(type, cells);
    case arrow::Type::INT64:
      return BuildIntegers<arrow::Int64Type>(type, cells);
    case arrow::Type::TIME64:
      return BuildIntegers<arrow::Time64Type>(type, cells);
    case arrow::Type::TIMESTAMP:
      return BuildIntegers<arrow::TimestampType>(type, cells);
    case arrow::Type::FLOAT:
      return Build<arrow::FloatBuilder>(
          type, cells, [](const Cell& cell) { return static_cast<float>(std::get<double>(cell)); });
    case arrow::Type::DOUBLE:
      return Build<arrow::DoubleBuilder>(type, cells,
                                         [](const Cell& cell) { return std::get<double>(cell); });
    case arrow::Type::STRING:
      return Build<arrow::StringBuilder>(type, cells, bytes);
    case arrow::Type::BINARY:
      return Build<arrow::BinaryBuilder>(type, cells, bytes);
    case arrow::Type::FIXED_SIZE_BINARY:
      return Build<arrow::FixedSizeBinaryBuilder>(type, cells, bytes);
    default:
      ARROW_CHECK(type->id() == arrow::Type::DECIMAL128) << type->ToString();
      return Build<arrow::Decimal128Builder>(
          type, cells, [](const Cell& cell) { return std::get<arrow::Decimal128>(cell); });
  }
}

int CompareCells(const Cell& a, const Cell& b) {
  if (const auto* text = std::get_if<std::string>(&a)) {
    return CompareBytes(*text, std::get<std::string>(b));
  }
  if (const auto* number = std::get_if<double>(&a)) {
    return CompareDoubles(*number, std::get<double>(b));
  }
  if (const auto* decimal = std::get_if<arrow::Decimal128>(&a)) {
    return Sign(*decimal, std::get<arrow::Decimal128>(b));
  }
  return Sign(std::get<int64_t>(a), std::get<int64_t>(b));
}

int CompareCellsTotal(const Cell& a, const Cell& b) {
  const auto* number = std::get_if<double>(&a);
  if (number == nullptr) return CompareCells(a, b);
  return CompareDoublesTotal(*number, std::get<double>(b));
}

bool SameCell(const Cell& a, const Cell& b) {
  if (a.index() != b.index()) return false;
  if (IsNullCell(a)) return true;
  if (IsNanCell(a) || IsNanCell(b)) return IsNanCell(a) && IsNanCell(b);
  return CompareCellsTotal(a, b) == 0;
}

bool RowLess(const Row& a, const Row& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (SameCell(a[i], b[i])) continue;
    if (a[i].index() != b[i].index()) return a[i].index() < b[i].index();
    if (IsNanCell(a[i]) || IsNanCell(b[i])) return IsNanCell(b[i]);
    return CompareCellsTotal(a[i], b[i]) < 0;
  }
  return a.size() < b.size();
}

std::string CellText(const Cell& cell) {
  if (IsNullCell(cell)) return "null";
  if (const auto* number = std::get_if<int64_t>(&cell)) return std::to_string(*number);
  if (const auto* decimal = std::get_if<arrow::Decimal128>(&cell)) {
    return decimal->ToIntegerString();
  }
  if (const auto* real = std::get_if<double>(&cell)) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", *real);
    return text;
  }
  std::string text;
  for (const char c : std::get<std::string>(cell)) {
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), c >= ' ' && c < 127 ? "%c" : "\\x%02x",
                  static_cast<uint8_t>(c));
    text += escaped;
  }
  return text;
}

std::string RowText(const Row& row) {
  std::string text;
  for (size_t i = 0; i < row.size(); ++i) text += (i == 0 ? "" : "|") + CellText(row[i]);
  return text;
}

std::string CellBoundBytes(std::string_view type, const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return *text;
  if (const auto* decimal = std::get_if<arrow::Decimal128>(&cell)) return DecimalBytes(*decimal);
  if (const auto* real = std::get_if<double>(&cell)) {
    return type == "float" ? LittleEndian(static_cast<float>(*real)) : LittleEndian(*real);
  }
  const int64_t number = std::get<int64_t>(cell);
  if (type == "boolean") return std::string(1, static_cast<char>(number));
  if (type == "int" || type == "date") return LittleEndian(static_cast<int32_t>(number));
  return LittleEndian(number);
}

}  // namespace esker::testing
