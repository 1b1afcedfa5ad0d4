// Sort rows: sorting (key, row) pairs, then picking the rows column by column.
#include "merge/sort_rows.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <type_traits>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/buffer.h"
#include "arrow/compute/api_vector.h"
#include "arrow/compute/exec.h"
#include "arrow/record_batch.h"
#include "merge/memory_source.h"

namespace esker {
namespace {

/// Byte keys stay where they are; only row numbers move.
std::vector<int32_t> SortViews(const ByteView& keys, int64_t rows) {
  std::vector<int32_t> order(rows);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int32_t a, int32_t b) {
    const int comparison = keys[a].compare(keys[b]);
    return comparison != 0 ? comparison < 0 : a < b;
  });
  return order;
}

/// Packed keys are sorted side by side with their row numbers, which keeps the sort in the cache.
template <typename View>
std::vector<int32_t> SortViews(const View& keys, int64_t rows) {
  using Key = std::remove_cvref_t<decltype(keys[0])>;
  struct Entry {
    Key key;
    int32_t row;
  };
  std::vector<Entry> entries(rows);
  for (int64_t row = 0; row < rows; ++row) entries[row] = {keys[row], static_cast<int32_t>(row)};
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    if (a.key < b.key) return true;
    return !(b.key < a.key) && a.row < b.row;
  });
  std::vector<int32_t> order(rows);
  std::transform(entries.begin(), entries.end(), order.begin(),
                 [](const Entry& e) { return e.row; });
  return order;
}

arrow::Result<KeyBatch> EncodeAll(const arrow::RecordBatchVector& batches,
                                  const KeyEncoder& encoder, arrow::MemoryPool* pool) {
  const int key_columns = static_cast<int>(encoder.layout().parts.size());
  std::vector<KeyBatch> parts;
  for (const auto& batch : batches) {
    ARROW_ASSIGN_OR_RAISE(KeyBatch keys, encoder.Encode(*KeyColumns(*batch, key_columns)));
    parts.push_back(std::move(keys));
  }
  return JoinKeys(KeyBatch{}, 0, 0, parts, pool);
}

}  // namespace

std::vector<int32_t> SortedRows(const KeyBatch& keys) {
  return VisitViews(keys.words, [&]<typename View>(std::type_identity<View>) {
    return SortViews(View(keys), keys.rows);
  });
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> SortBatches(
    const arrow::RecordBatchVector& batches, const KeyEncoder& encoder, arrow::MemoryPool* pool) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  if (rows > std::numeric_limits<int32_t>::max()) {
    return arrow::Status::Invalid(rows, " rows are too many to sort at once");
  }
  std::vector<int32_t> order;
  {
    ARROW_ASSIGN_OR_RAISE(const KeyBatch keys, EncodeAll(batches, encoder, pool));
    order = SortedRows(keys);
  }
  const arrow::Int32Array index(rows, arrow::Buffer::Wrap(order));
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  arrow::ArrayVector columns;
  for (int i = 0; i < batches[0]->num_columns(); ++i) {
    arrow::ArrayVector pieces;
    for (const auto& batch : batches) pieces.push_back(batch->column(i));
    ARROW_ASSIGN_OR_RAISE(auto joined, arrow::Concatenate(pieces, pool));
    ARROW_ASSIGN_OR_RAISE(
        auto column, arrow::compute::Take(*joined, index,
                                          arrow::compute::TakeOptions::NoBoundsCheck(), &context));
    columns.push_back(std::move(column));
  }
  return arrow::RecordBatch::Make(batches[0]->schema(), rows, std::move(columns));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> TakeRows(const arrow::RecordBatch& batch,
                                                            const arrow::Int32Array& rows,
                                                            arrow::MemoryPool* pool) {
  arrow::compute::ExecContext context(pool);
  context.set_use_threads(false);
  arrow::ArrayVector columns;
  for (const auto& column : batch.columns()) {
    ARROW_ASSIGN_OR_RAISE(
        columns.emplace_back(),
        arrow::compute::Take(*column, rows, arrow::compute::TakeOptions::NoBoundsCheck(),
                             &context));
  }
  return arrow::RecordBatch::Make(batch.schema(), rows.length(), std::move(columns));
}

}  // namespace esker
