// Arrow value: one value of a key column as an esker::Value.
//
// For the slow paths alone: transforms of a sort key, error messages, naive twins in tests.
#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/value.h"

namespace esker {

/// The value of `row` of `column`; null gives std::monostate. Takes the types in which sources
/// give keys: boolean, int32, int64, date32, time64, timestamp, float, double, decimal128, strings
/// and binaries of either offset width, fixed-size binary. TypeError for any other. O(1).
arrow::Result<Value> ArrowValue(const arrow::Array& column, int64_t row);

/// `column` without the wrapping that keys may come in: dictionaries are decoded, extension types
/// replaced by their storage. Anything else is returned as it is.
arrow::Result<std::shared_ptr<arrow::Array>> PlainColumn(std::shared_ptr<arrow::Array> column,
                                                         arrow::MemoryPool* pool);

/// `column` in the one plain type of its kind, so that columns of different sources can be joined:
/// dates as int32, times and timestamps as int64, strings and binaries as large binary. Copies
/// only offsets and what PlainColumn() copies.
arrow::Result<std::shared_ptr<arrow::Array>> UniformColumn(std::shared_ptr<arrow::Array> column,
                                                           arrow::MemoryPool* pool);

}  // namespace esker
