// Key column: the values of one key column, each as ordered bits or bytes, given to a sink.
//
// Between Arrow arrays and the two layouts: it knows Arrow's types and the transforms, not where a
// key lies in a row. Templates over the sink, so that a packed int64 column is one tight loop.
#pragma once

#include <string_view>
#include <vector>

#include "arrow/array.h"
#include "arrow/status.h"
#include "arrow/type.h"
#include "arrow/util/decimal.h"
#include "merge/arrow_value.h"
#include "merge/key_bits.h"
#include "merge/key_layout.h"

namespace esker {

/// The ordered bits of a value of a part that is not kBytes; with `exact` false the value does not
/// fit its type and the bits are meaningless. kFixed takes 16 bytes at most, and zeros stand in
/// for bytes that are missing: not exact either, but the bits hold.
struct ValueBits {
  uint128_t bits = 0;
  bool exact = false;
  bool usable = false;
};
ValueBits BitsOfValue(const KeyPart& part, const Value& value);

/// T(column) by row, for a part with a transform.
arrow::Result<std::vector<Value>> TransformColumn(const KeyPart& part, const arrow::Array& column);

/// TypeError if a source gave `column` in a type that is not that of the key.
arrow::Status CheckColumnType(const KeyPart& part, const arrow::Array& column);

namespace internal {

/// Calls sink(row, to_bits(row)) for every row that is not null.
template <typename ToBits, typename Sink>
void LoopRows(const arrow::Array& column, ToBits to_bits, Sink& sink) {
  const int64_t rows = column.length();
  if (column.null_count() == 0) {
    for (int64_t row = 0; row < rows; ++row) sink(row, to_bits(row));
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    if (!column.IsNull(row)) sink(row, to_bits(row));
  }
}

template <typename ArrayType, typename ToBits, typename Sink>
void LoopValues(const arrow::Array& column, ToBits to_bits, Sink& sink) {
  const auto& values = static_cast<const ArrayType&>(column);
  LoopRows(column, [&](int64_t row) { return to_bits(values, row); }, sink);
}

/// Dates and times are read as the integers that they are.
template <typename Number, typename Sink>
void LoopNumbers(const arrow::Array& column, Sink& sink) {
  const Number* numbers = column.data()->GetValues<Number>(1);
  LoopRows(column, [numbers](int64_t row) { return OrderedBits(numbers[row]); }, sink);
}

template <typename Sink>
void LoopFixed(const arrow::Array& column, Sink& sink) {
  const int width = static_cast<const arrow::FixedSizeBinaryType&>(*column.type()).byte_width();
  auto to_bits = [width](const arrow::FixedSizeBinaryArray& values, int64_t row) {
    return OrderedBits(values.GetValue(row), width);
  };
  LoopValues<arrow::FixedSizeBinaryArray>(column, to_bits, sink);
}

template <typename Sink>
void LoopDecimals(const arrow::Array& column, Sink& sink) {
  auto to_bits = [](const arrow::Decimal128Array& values, int64_t row) {
    const arrow::Decimal128 number(values.GetValue(row));
    return OrderedBits(static_cast<int128_t>(static_cast<uint128_t>(number.high_bits()) << 64 |
                                             number.low_bits()));
  };
  LoopValues<arrow::Decimal128Array>(column, to_bits, sink);
}

}  // namespace internal

/// Calls sink(row, bits) for every row that is not null; bits are uint64_t, or uint128_t for wide
/// parts. Requires a part that is neither kBytes nor wider than 128 bits, no transform, and that
/// CheckColumnType() holds.
template <typename Sink>
void VisitBits(const KeyPart& part, const arrow::Array& column, Sink sink) {
  switch (part.kind) {
    case KeyKind::kBoolean: {
      auto to_bits = [](const arrow::BooleanArray& values, int64_t row) {
        return OrderedBits(values.Value(row));
      };
      return internal::LoopValues<arrow::BooleanArray>(column, to_bits, sink);
    }
    case KeyKind::kInt32:
      return internal::LoopNumbers<int32_t>(column, sink);
    case KeyKind::kInt64:
      return internal::LoopNumbers<int64_t>(column, sink);
    case KeyKind::kFloat:
      return internal::LoopNumbers<float>(column, sink);
    case KeyKind::kDouble:
      return internal::LoopNumbers<double>(column, sink);
    case KeyKind::kDecimal:
      return internal::LoopDecimals(column, sink);
    case KeyKind::kFixed:
      return internal::LoopFixed(column, sink);
    case KeyKind::kBytes:
      return;
  }
}

/// Calls sink(row, view of the bytes) for every row of a kBytes part, or of a wide kFixed one,
/// that is not null.
template <typename Sink>
void VisitBytes(const arrow::Array& column, Sink sink) {
  auto view = [](const auto& values, int64_t row) { return std::string_view(values.GetView(row)); };
  switch (column.type_id()) {
    case arrow::Type::FIXED_SIZE_BINARY:
      return internal::LoopValues<arrow::FixedSizeBinaryArray>(column, view, sink);
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return internal::LoopValues<arrow::LargeBinaryArray>(column, view, sink);
    default:
      return internal::LoopValues<arrow::BinaryArray>(column, view, sink);
  }
}

}  // namespace esker
