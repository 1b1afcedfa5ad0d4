#include "merge/disorder.h"

#include <numeric>
#include <vector>

#include "arrow/record_batch.h"
#include "merge/key_batch.h"
#include "merge/key_encoder.h"
#include "merge/order_check.h"

namespace esker {

arrow::Result<bool> IsInOrder(Source* source, const SortKeys& keys, size_t satisfied,
                              arrow::MemoryPool* pool) {
  const SortKeys prefix(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(satisfied));
  ARROW_ASSIGN_OR_RAISE(const KeyEncoder encoder, KeyEncoder::Make(prefix, pool));
  std::vector<int> columns(satisfied);
  std::iota(columns.begin(), columns.end(), 0);
  KeyBatch before;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, source->NextKeys());
    if (rows == nullptr) return true;
    ARROW_ASSIGN_OR_RAISE(const auto leading, rows->SelectColumns(columns));
    ARROW_ASSIGN_OR_RAISE(KeyBatch batch, encoder.Encode(*leading));
    if (FindInversion(batch) >= 0) return false;
    if (before.rows > 0 && CompareKeys({&batch, 0}, {&before, before.rows - 1}) < 0) return false;
    before = std::move(batch);
    // The rows themselves are not asked for: without this the source would keep their keys.
    ARROW_RETURN_NOT_OK(source->Skip(rows->num_rows()));
  }
}

}  // namespace esker
