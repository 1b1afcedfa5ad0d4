// Random keys: key columns of every type, few values and many ties, extremes among them.
#pragma once

#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "order/corner.h"
#include "order/sort_key.h"
#include "testing/reference_merge.h"

namespace esker::testing {

/// A key of that type: "int", "decimal(9,2)", "fixed[3]" ...
SortKey MakeKey(std::string_view type, bool descending = false, bool nulls_first = true,
                std::string_view transform = "identity");

/// Names of all types that can be keys.
const std::vector<std::string>& KeyTypeNames();

/// The Arrow type in which a source gives keys of `type`.
std::shared_ptr<arrow::DataType> ArrowKeyType(const Type& type);

/// Values worth testing, in no order: limits, neighbours, both zeros and NaNs, prefixes, zero
/// bytes. `distinct` cuts the list (0: all).
std::vector<Value> PoolOf(const Type& type, size_t distinct = 0);

/// A column of `values`; std::monostate is null.
std::shared_ptr<arrow::Array> MakeColumn(const Type& type, const std::vector<Value>& values);

/// `rows` rows: random key columns, and the output columns "input" (the number given) and "row".
struct KeyShape {
  int64_t rows = 10;
  size_t distinct = 0;  ///< values per key; 0 for the whole pool
  int null_percent = 10;
};
ReferenceInput RandomInput(const SortKeys& keys, const KeyShape& shape, int64_t number,
                           std::mt19937_64& random);

/// The exact corners of rows that are sorted; open if there is none.
KeyRange ExactRange(const SortKeys& keys, const arrow::RecordBatch& rows);

}  // namespace esker::testing
