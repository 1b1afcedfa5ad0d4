// Reference merge: concatenate, stable sort, take.
#include "testing/reference_merge.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>
#include <utility>

#include "arrow/api.h"
#include "arrow/array/concatenate.h"
#include "arrow/compute/api.h"

namespace esker::testing {
namespace {

template <typename T>
std::weak_ordering CompareNumbers(T a, T b) {
  return a < b ? std::weak_ordering::less
               : (b < a ? std::weak_ordering::greater : std::weak_ordering::equivalent);
}

std::weak_ordering CompareReals(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return CompareNumbers(std::isnan(a), std::isnan(b));
  return CompareNumbers(a, b);
}

/// Unsigned bytes, one after the other.
std::weak_ordering CompareStrings(std::string_view a, std::string_view b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    const auto order =
        CompareNumbers(static_cast<unsigned char>(a[i]), static_cast<unsigned char>(b[i]));
    if (order != 0) return order;
  }
  return CompareNumbers(a.size(), b.size());
}

template <typename ArrayType>
auto At(const arrow::Array& column, int64_t row) {
  return static_cast<const ArrayType&>(column).GetView(row);
}

/// Two cells that are not null, ascending.
std::weak_ordering CompareCells(const arrow::Array& a, int64_t i, const arrow::Array& b,
                                int64_t j) {
  switch (a.type_id()) {
    case arrow::Type::BOOL:
      return CompareNumbers<int>(At<arrow::BooleanArray>(a, i), At<arrow::BooleanArray>(b, j));
    case arrow::Type::INT32:
      return CompareNumbers(At<arrow::Int32Array>(a, i), At<arrow::Int32Array>(b, j));
    case arrow::Type::DATE32:
      return CompareNumbers(At<arrow::Date32Array>(a, i), At<arrow::Date32Array>(b, j));
    case arrow::Type::INT64:
      return CompareNumbers(At<arrow::Int64Array>(a, i), At<arrow::Int64Array>(b, j));
    case arrow::Type::TIME64:
      return CompareNumbers(At<arrow::Time64Array>(a, i), At<arrow::Time64Array>(b, j));
    case arrow::Type::TIMESTAMP:
      return CompareNumbers(At<arrow::TimestampArray>(a, i), At<arrow::TimestampArray>(b, j));
    case arrow::Type::FLOAT:
      return CompareReals(At<arrow::FloatArray>(a, i), At<arrow::FloatArray>(b, j));
    case arrow::Type::DOUBLE:
      return CompareReals(At<arrow::DoubleArray>(a, i), At<arrow::DoubleArray>(b, j));
    case arrow::Type::DECIMAL128:
      return CompareNumbers(
          arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(a).GetValue(i)),
          arrow::Decimal128(static_cast<const arrow::Decimal128Array&>(b).GetValue(j)));
    case arrow::Type::FIXED_SIZE_BINARY:
      return CompareStrings(At<arrow::FixedSizeBinaryArray>(a, i),
                            At<arrow::FixedSizeBinaryArray>(b, j));
    case arrow::Type::LARGE_STRING:
    case arrow::Type::LARGE_BINARY:
      return CompareStrings(At<arrow::LargeBinaryArray>(a, i), At<arrow::LargeBinaryArray>(b, j));
    default:
      return CompareStrings(At<arrow::BinaryArray>(a, i), At<arrow::BinaryArray>(b, j));
  }
}

std::weak_ordering Reverse(std::weak_ordering order) {
  return order < 0 ? std::weak_ordering::greater
                   : (order > 0 ? std::weak_ordering::less : std::weak_ordering::equivalent);
}

std::weak_ordering CompareKey(const SortKey& key, const arrow::Array& a, int64_t i,
                              const arrow::Array& b, int64_t j) {
  if (a.IsNull(i) || b.IsNull(j)) {
    const auto nulls_last = CompareNumbers<int>(a.IsNull(i), b.IsNull(j));
    return key.nulls_first ? Reverse(nulls_last) : nulls_last;
  }
  const auto order = CompareCells(a, i, b, j);
  return key.descending ? Reverse(order) : order;
}

/// Row numbers of `keys` in their order.
std::vector<int64_t> StableOrder(std::span<const SortKey> keys, const arrow::RecordBatch& batch) {
  std::vector<int64_t> order(batch.num_rows());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return CompareRows(keys, batch, a, batch, b) < 0; });
  return order;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Pick(const arrow::RecordBatch& batch,
                                                        const std::vector<int64_t>& rows) {
  arrow::Int64Builder builder;
  ARROW_RETURN_NOT_OK(builder.AppendValues(rows));
  ARROW_ASSIGN_OR_RAISE(const auto index, builder.Finish());
  arrow::ArrayVector columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(auto picked, arrow::compute::Take(*column, *index));
    columns.push_back(std::move(picked));
  }
  return arrow::RecordBatch::Make(batch.schema(), index->length(), std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> Join(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  arrow::ArrayVector columns;
  for (int i = 0; i < batches[0]->num_columns(); ++i) {
    arrow::ArrayVector pieces;
    for (const auto& batch : batches) pieces.push_back(batch->column(i));
    ARROW_ASSIGN_OR_RAISE(auto column, arrow::Concatenate(pieces));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(batches[0]->schema(), rows, std::move(columns));
}

}  // namespace

std::weak_ordering CompareRows(std::span<const SortKey> keys, const arrow::RecordBatch& a,
                               int64_t i, const arrow::RecordBatch& b, int64_t j) {
  for (size_t k = 0; k < keys.size(); ++k) {
    const int column = static_cast<int>(k);
    const auto order = CompareKey(keys[k], *a.column(column), i, *b.column(column), j);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

arrow::Result<ReferenceInput> ReferenceSort(std::span<const SortKey> keys,
                                            const ReferenceInput& input) {
  const std::vector<int64_t> order = StableOrder(keys, *input.keys);
  ReferenceInput sorted;
  ARROW_ASSIGN_OR_RAISE(sorted.keys, Pick(*input.keys, order));
  ARROW_ASSIGN_OR_RAISE(sorted.rows, Pick(*input.rows, order));
  return sorted;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> ReferenceMerge(
    std::span<const SortKey> keys, const std::vector<ReferenceInput>& inputs, int64_t limit) {
  arrow::RecordBatchVector all_keys;
  arrow::RecordBatchVector all_rows;
  for (const ReferenceInput& input : inputs) {
    all_keys.push_back(input.keys);
    all_rows.push_back(input.rows);
  }
  ARROW_ASSIGN_OR_RAISE(const auto joined_keys, Join(all_keys));
  ARROW_ASSIGN_OR_RAISE(const auto joined_rows, Join(all_rows));
  std::vector<int64_t> order = StableOrder(keys, *joined_keys);
  if (limit >= 0 && limit < static_cast<int64_t>(order.size())) order.resize(limit);
  return Pick(*joined_rows, order);
}

}  // namespace esker::testing
