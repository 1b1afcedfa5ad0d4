#include "read/row_selection.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/array.h"
#include "arrow/array/builder_primitive.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"

namespace esker {
namespace {

// One byte a row, 1 for rows that are alive.
using Keep = std::vector<uint8_t>;

std::shared_ptr<arrow::RecordBatch> BatchOf(const std::vector<int>& indices,
                                            const ScanColumns& columns,
                                            const arrow::ArrayVector& decoded, int64_t rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const int index : indices) {
    fields.push_back(arrow::field(columns.columns[index].request.name, decoded[index]->type()));
    arrays.push_back(decoded[index]);
  }
  return arrow::RecordBatch::Make(arrow::schema(std::move(fields)), rows, std::move(arrays));
}

// Positions ascend, but row groups may be missing between them.
void ApplyPositions(const PositionSet& deleted, std::span<const int64_t> positions, Keep* keep) {
  if (positions.empty()) return;
  std::vector<int64_t> gone;
  size_t begin = 0;
  while (begin < positions.size()) {
    size_t end = begin + 1;
    while (end < positions.size() && positions[end] == positions[end - 1] + 1) ++end;
    gone.clear();
    deleted.AppendRange(positions[begin], positions[end - 1] + 1, &gone);
    for (const int64_t position : gone) (*keep)[begin + (position - positions[begin])] = 0;
    begin = end;
  }
}

arrow::Status ApplyFilter(const BoundFilter& filter, const arrow::RecordBatch& batch, Keep* keep) {
  ARROW_ASSIGN_OR_RAISE(const auto matches, filter.Evaluate(batch));
  for (int64_t i = 0; i < batch.num_rows(); ++i) {
    (*keep)[i] &= static_cast<uint8_t>(matches->IsValid(i) && matches->Value(i));
  }
  return arrow::Status::OK();
}

arrow::Result<std::shared_ptr<arrow::Int32Array>> Finish(arrow::Int32Builder* builder) {
  std::shared_ptr<arrow::Int32Array> indices;
  ARROW_RETURN_NOT_OK(builder->Finish(&indices));
  return indices;
}

arrow::Result<RowSelection> SelectKept(const Keep& keep, arrow::MemoryPool* pool) {
  RowSelection selection;
  selection.length = std::count(keep.begin(), keep.end(), 1);
  if (selection.length == static_cast<int64_t>(keep.size())) return selection;
  arrow::Int32Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(selection.length));
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0) builder.UnsafeAppend(static_cast<int32_t>(i));
  }
  ARROW_ASSIGN_OR_RAISE(selection.indices, Finish(&builder));
  return selection;
}

// Indices [from, from + count), counted from row `first`.
arrow::Result<std::shared_ptr<arrow::Int32Array>> IndicesFrom(const RowSelection& selection,
                                                              int64_t from, int64_t count,
                                                              int64_t first,
                                                              arrow::MemoryPool* pool) {
  if (first == 0) {
    return std::static_pointer_cast<arrow::Int32Array>(selection.indices->Slice(from, count));
  }
  arrow::Int32Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(count));
  for (int64_t i = from; i < from + count; ++i) {
    builder.UnsafeAppend(static_cast<int32_t>(selection.index(i) - first));
  }
  return Finish(&builder);
}

}  // namespace

int64_t RowSelection::index(int64_t i) const { return indices == nullptr ? i : indices->Value(i); }

arrow::Result<RowSelection> RowSelection::Reversed(arrow::MemoryPool* pool) const {
  arrow::Int32Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(length));
  for (int64_t i = length; i-- > 0;) builder.UnsafeAppend(static_cast<int32_t>(index(i)));
  RowSelection reversed;
  reversed.length = length;
  ARROW_ASSIGN_OR_RAISE(reversed.indices, Finish(&builder));
  return reversed;
}

arrow::Result<RowSelection> SelectRows(int64_t rows, std::span<const int64_t> positions,
                                       const arrow::ArrayVector& decoded,
                                       const ScanColumns& columns, const DeleteSet& deletes,
                                       const BoundFilter* filter, arrow::MemoryPool* pool) {
  if (deletes.empty() && filter == nullptr) return RowSelection{rows, nullptr};
  Keep keep(rows, 1);
  if (deletes.positions != nullptr) ApplyPositions(*deletes.positions, positions, &keep);
  for (size_t i = 0; i < deletes.equality.size(); ++i) {
    const auto batch = BatchOf(columns.equality[i], columns, decoded, rows);
    ARROW_RETURN_NOT_OK(deletes.equality[i]->Apply(*batch, keep.data()));
  }
  if (filter != nullptr) {
    const auto batch = BatchOf(columns.filter, columns, decoded, rows);
    ARROW_RETURN_NOT_OK(ApplyFilter(*filter, *batch, &keep));
  }
  return SelectKept(keep, pool);
}

arrow::Result<std::shared_ptr<arrow::Array>> TakeSelected(
    const std::shared_ptr<arrow::Array>& values, const RowSelection& selection, int64_t from,
    int64_t count, int64_t first, arrow::MemoryPool* pool) {
  const int64_t begin = selection.index(from);
  if (count <= 1 || (selection.index(from + count - 1) - begin == count - 1)) {
    return values->Slice(begin - first, count);
  }
  ARROW_ASSIGN_OR_RAISE(const auto indices, IndicesFrom(selection, from, count, first, pool));
  arrow::compute::ExecContext context(pool);
  return arrow::compute::Take(*values, *indices, arrow::compute::TakeOptions::NoBoundsCheck(),
                              &context);
}

}  // namespace esker
