// Cells: one value of an Arrow array as text, for all text formats.
//
// A cell writer is made once per column and batch and then asked row by row; it appends, so that a
// row costs no allocation. Texts: times in ISO 8601, with Z where the type has
// a zone; binary, fixed and unknown bytes as lower-case hexadecimal; uuid 8-4-4-4-12; floats in
// the shortest form that reads back, with NaN, Infinity and -Infinity; nested values as JSON.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace esker {

enum class CellStyle {
  kPlain,  ///< the bare text; null appends nothing
  kJson,   ///< a JSON value: strings quoted, null as null, NaN and infinities as strings
};

class CellWriter {
 public:
  virtual ~CellWriter() = default;
  /// Appends the value of that row. Requires 0 <= row < length.
  virtual void Append(int64_t row, std::string* out) const = 0;
  /// Is the value of that row null?
  virtual bool IsNull(int64_t row) const = 0;
};

/// A writer for `array`, which must outlive it. `field` tells the type, and a uuid by its metadata.
/// NotImplemented for a type that no Iceberg column has.
arrow::Result<std::unique_ptr<CellWriter>> MakeCellWriter(const arrow::Field& field,
                                                          const arrow::Array& array,
                                                          CellStyle style);

/// Appends `text` as a JSON string with quotes. Bytes that are no UTF-8 become U+FFFD.
void AppendJsonString(std::string_view text, std::string* out);

}  // namespace esker
