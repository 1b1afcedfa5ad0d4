// Row keys: the values of some columns of a row as bytes, equal exactly if the rows are equal
// there.
//
//     null                        00
//     fixed width                 01 | the value's bytes
//     float, double               01 | bits, every NaN the same one
//     string, binary              01 | length, 4 bytes | bytes
//
// Null equals null, NaN equals NaN. 0.0 and -0.0 are two values: equality deletes compare floats as
// the spec compares partition values, by their bits with NaN normalised (Scan Planning, note 3),
// which is also what Java's Float.compare() does in the reference implementation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace esker {

/// Encodes rows of one batch after another. Borrows the arrays given to Bind(). Not thread safe.
class RowKeyEncoder {
 public:
  /// UnsupportedError for a type that keys do not have: only those of primitive Iceberg types.
  static arrow::Status CheckType(const arrow::DataType& type);

  /// The columns of the next rows, of types that pass CheckType(). They must outlive their use.
  void Bind(const arrow::ArrayVector& columns);

  /// What the keys of all rows take together, at most.
  int64_t MostBytes() const;

  /// Replaces `key` by the key of row `row`. O(its bytes).
  void Encode(int64_t row, std::string* key) const;

 private:
  enum class Kind { kNull, kBoolean, kFixed, kFloat, kDouble, kBytes };
  struct Column {
    Kind kind = Kind::kNull;
    const arrow::Array* array = nullptr;
    bool has_nulls = false;
    int width = 0;                     // kFixed
    const uint8_t* values = nullptr;   // of row 0 of the array; kBytes: of offset 0
    const int32_t* offsets = nullptr;  // kBytes
  };

  static Kind KindOfType(const arrow::DataType& type);
  static Column View(const arrow::Array& array);
  static void Append(const Column& column, int64_t row, std::string* key);

  std::vector<Column> columns_;
};

}  // namespace esker
