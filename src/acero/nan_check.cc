#include "acero/nan_check.h"

#include <cmath>
#include <cstdint>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/util/checked_cast.h"
#include "base/status.h"

namespace esker {
namespace {

template <typename ArrayType>
bool HoldsNanAs(const arrow::Array& array) {
  const auto& values = arrow::internal::checked_cast<const ArrayType&>(array);
  for (int64_t i = 0; i < values.length(); ++i) {
    if (std::isnan(values.Value(i)) && values.IsValid(i)) return true;
  }
  return false;
}

bool HoldsNan(const arrow::Array& array) {
  return array.type_id() == arrow::Type::FLOAT ? HoldsNanAs<arrow::FloatArray>(array)
                                               : HoldsNanAs<arrow::DoubleArray>(array);
}

}  // namespace

arrow::Status CheckWithoutNan(const arrow::RecordBatch& batch, std::span<const int> columns) {
  for (const int column : columns) {
    if (!HoldsNan(*batch.column(column))) continue;
    return DisorderError("column ", batch.column_name(column),
                         " holds NaN, which the statistics of its files deny; the order told to "
                         "Acero rests on them. Order by it asc nulls last or desc nulls first");
  }
  return arrow::Status::OK();
}

}  // namespace esker
