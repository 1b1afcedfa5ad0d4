// Key encoder: packs key columns into words, or writes them as byte strings, column by column.
#include "merge/key_encoder.h"

#include <algorithm>
#include <limits>

#include "arrow/record_batch.h"
#include "merge/key_column.h"

namespace esker {
namespace {

/// One key column, ready to be encoded; `values` instead of `column` where it is transformed.
struct Column {
  const KeyPart* part;
  const arrow::Array* array;
  std::vector<Value> values;

  bool IsNull(int64_t row) const {
    return part->transformed() ? esker::IsNull(values[row]) : array->IsNull(row);
  }
  bool MayHoldNulls() const { return part->transformed() || array->null_count() > 0; }
};

arrow::Result<Column> PrepareColumn(const KeyPart& part, const arrow::Array& array) {
  ARROW_RETURN_NOT_OK(CheckColumnType(part, array));
  Column column{&part, &array, {}};
  if (part.transformed()) {
    ARROW_ASSIGN_OR_RAISE(column.values, TransformColumn(part, array));
  }
  return column;
}

/// Calls sink(row, bits) for every row that is not null.
template <typename Sink>
void VisitColumnBits(const Column& column, Sink sink) {
  if (!column.part->transformed()) return VisitBits(*column.part, *column.array, sink);
  for (size_t row = 0; row < column.values.size(); ++row) {
    if (column.IsNull(row)) continue;
    sink(static_cast<int64_t>(row), BitsOfValue(*column.part, column.values[row]).bits);
  }
}

/// Calls sink(row, bytes) for every row that is not null: the value without escapes, ascending.
template <typename Sink>
void VisitColumnBytes(const Column& column, Sink sink) {
  const KeyPart& part = *column.part;
  if (part.kind != KeyKind::kBytes && part.kind != KeyKind::kFixed) {
    const int length = (part.width + 7) / 8;
    return VisitColumnBits(column, [&sink, length](int64_t row, auto bits) {
      uint8_t bytes[16];
      StoreBits(bits, length, bytes);
      sink(row, std::string_view(reinterpret_cast<const char*>(bytes), length));
    });
  }
  if (!part.transformed()) return VisitBytes(*column.array, sink);
  for (size_t row = 0; row < column.values.size(); ++row) {
    if (!column.IsNull(row)) {
      sink(static_cast<int64_t>(row), std::string_view(std::get<std::string>(column.values[row])));
    }
  }
}

// Packed keys.

void PackSlots(const Column& column, int words, int64_t rows, uint64_t* keys) {
  const KeyPart& part = *column.part;
  const int bit = part.bit + part.width;
  uint64_t* key = keys + (words - 1 - bit / 64);
  const uint64_t value_slot = ValueSlot(part) << (bit % 64);
  const uint64_t null_slot = NullSlot(part) << (bit % 64);
  if (!column.MayHoldNulls()) {
    for (int64_t row = 0; row < rows; ++row) key[row * words] |= value_slot;
    return;
  }
  for (int64_t row = 0; row < rows; ++row) {
    key[row * words] |= column.IsNull(row) ? null_slot : value_slot;
  }
}

void PackValues(const Column& column, int words, uint64_t* keys) {
  const KeyPart& part = *column.part;
  const uint128_t flip = part.key.descending ? LowMask(part.width) : 0;
  if (part.bit % 64 + part.width <= 64) {
    // The usual case, a value inside one word: nothing but a flip, a shift and an or in the loop.
    uint64_t* key = keys + (words - 1 - part.bit / 64);
    const int shift = part.bit % 64;
    const auto narrow_flip = static_cast<uint64_t>(flip);
    return VisitColumnBits(column, [=](int64_t row, auto bits) {
      key[row * words] |= (static_cast<uint64_t>(bits) ^ narrow_flip) << shift;
    });
  }
  VisitColumnBits(column, [&part, words, keys, flip](int64_t row, auto bits) {
    OrWideBits(keys + row * words, words, part.bit, part.width, bits ^ flip);
  });
}

// Byte keys.

size_t EncodedLength(const KeyPart& part, std::string_view value) {
  if (part.kind != KeyKind::kBytes) return value.size();
  return value.size() + std::count(value.begin(), value.end(), '\0') + 2;
}

/// Writes `value` with escapes and end mark, complemented if descending; returns the end.
uint8_t* WriteValue(const KeyPart& part, std::string_view value, uint8_t* out) {
  uint8_t* const begin = out;
  if (part.kind != KeyKind::kBytes) {
    out = std::copy(value.begin(), value.end(), out);
  } else {
    for (const char c : value) {
      *out++ = static_cast<uint8_t>(c);
      if (c == '\0') *out++ = 0xff;
    }
    *out++ = 0;
    *out++ = 0;
  }
  if (part.key.descending) {
    std::transform(begin, out, begin, [](uint8_t byte) { return static_cast<uint8_t>(~byte); });
  }
  return out;
}

uint8_t NullByte(const KeyPart& part) {
  return part.key.nulls_first ? kNullFirstByte : kNullLastByte;
}

/// Lengths of all keys, then their running sum in place: offsets, rows + 1 of them.
void MeasureKeys(const std::vector<Column>& columns, int64_t rows, int64_t* offsets) {
  std::fill(offsets, offsets + rows + 1, static_cast<int64_t>(columns.size()));
  for (const Column& column : columns) {
    VisitColumnBytes(column, [&](int64_t row, std::string_view value) {
      offsets[row] += static_cast<int64_t>(EncodedLength(*column.part, value));
    });
  }
  int64_t sum = 0;
  for (int64_t row = 0; row <= rows; ++row) {
    const int64_t length = offsets[row];
    offsets[row] = sum;
    sum += length;
  }
}

/// Writes all keys; `cursors` start at the offsets and end at the next ones.
void WriteKeys(const std::vector<Column>& columns, int64_t rows, int64_t* cursors, uint8_t* data) {
  for (const Column& column : columns) {
    const uint8_t null_byte = NullByte(*column.part);
    for (int64_t row = 0; row < rows; ++row) {
      data[cursors[row]++] = column.IsNull(row) ? null_byte : kValueByte;
    }
    VisitColumnBytes(column, [&](int64_t row, std::string_view value) {
      uint8_t* end = WriteValue(*column.part, value, data + cursors[row]);
      cursors[row] = end - data;
    });
  }
}

arrow::Result<std::vector<Column>> PrepareColumns(const KeyLayout& layout,
                                                  const arrow::ArrayVector& arrays) {
  std::vector<Column> columns;
  for (size_t i = 0; i < layout.parts.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Column column, PrepareColumn(layout.parts[i], *arrays[i]));
    columns.push_back(std::move(column));
  }
  return columns;
}

}  // namespace

arrow::Result<KeyEncoder> KeyEncoder::Make(const SortKeys& keys, arrow::MemoryPool* pool) {
  KeyEncoder encoder;
  ARROW_ASSIGN_OR_RAISE(encoder.layout_, MakeKeyLayout(keys));
  encoder.pool_ = pool == nullptr ? arrow::default_memory_pool() : pool;
  return encoder;
}

arrow::Result<KeyBatch> KeyEncoder::Encode(const arrow::RecordBatch& columns) const {
  if (columns.num_columns() != static_cast<int>(layout_.parts.size())) {
    return arrow::Status::Invalid("a source gave ", columns.num_columns(), " key columns for ",
                                  layout_.parts.size(), " keys");
  }
  arrow::ArrayVector plain;
  for (const auto& column : columns.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto array, PlainColumn(column, pool_));
    plain.push_back(std::move(array));
  }
  return layout_.words > 0 ? EncodePacked(plain, columns.num_rows())
                           : EncodeBytes(plain, columns.num_rows());
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> KeyEncoder::UniformColumns(
    const arrow::RecordBatch& columns) const {
  arrow::ArrayVector arrays;
  arrow::FieldVector fields;
  for (int i = 0; i < columns.num_columns(); ++i) {
    ARROW_ASSIGN_OR_RAISE(auto array, UniformColumn(columns.column(i), pool_));
    fields.push_back(arrow::field("key " + std::to_string(i), array->type()));
    arrays.push_back(std::move(array));
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), columns.num_rows(),
                                  std::move(arrays));
}

arrow::Result<KeyBatch> KeyEncoder::EncodePacked(const arrow::ArrayVector& arrays,
                                                 int64_t rows) const {
  ARROW_ASSIGN_OR_RAISE(const auto columns, PrepareColumns(layout_, arrays));
  const int words = layout_.words;
  ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(rows * words * 8, pool_));
  auto* keys = reinterpret_cast<uint64_t*>(data->mutable_data());
  std::fill(keys, keys + rows * words, 0);
  for (const Column& column : columns) {
    PackSlots(column, words, rows, keys);
    PackValues(column, words, keys);
  }
  return KeyBatch{words, rows, std::move(data), nullptr};
}

arrow::Result<KeyBatch> KeyEncoder::EncodeBytes(const arrow::ArrayVector& arrays,
                                                int64_t rows) const {
  ARROW_ASSIGN_OR_RAISE(const auto columns, PrepareColumns(layout_, arrays));
  ARROW_ASSIGN_OR_RAISE(auto offsets, arrow::AllocateBuffer((rows + 1) * 8, pool_));
  auto* cursors = reinterpret_cast<int64_t*>(offsets->mutable_data());
  MeasureKeys(columns, rows, cursors);
  const int64_t bytes = cursors[rows];
  ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(bytes, pool_));
  WriteKeys(columns, rows, cursors, data->mutable_data());
  // Every cursor now stands where the next key begins: shifted by one they are offsets again.
  std::copy_backward(cursors, cursors + rows, cursors + rows + 1);
  cursors[0] = 0;
  return KeyBatch{0, rows, std::move(data), std::move(offsets)};
}

}  // namespace esker
