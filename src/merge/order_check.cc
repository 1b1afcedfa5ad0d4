// Order check: neighbour comparisons over whole batches.
#include "merge/order_check.h"

#include <algorithm>

namespace esker {
namespace {

/// Rows that are judged between two looks at the answer: short enough to stop early in a file
/// that is not sorted at all, long enough that the loop inside has no exit and vectorises.
constexpr int64_t kStride = 4096;

template <typename View>
int64_t FirstInversion(const View& keys, int64_t begin, int64_t end) {
  for (int64_t row = begin; row < end; ++row) {
    if (keys[row] < keys[row - 1]) return row;
  }
  return -1;
}

template <typename View>
bool AnyInversion(const View& keys, int64_t begin, int64_t end) {
  bool found = false;
  for (int64_t row = begin; row < end; ++row) found |= keys[row] < keys[row - 1];
  return found;
}

}  // namespace

int64_t FindInversion(const KeyBatch& batch) {
  return VisitViews(batch.words, [&]<typename View>(std::type_identity<View>) -> int64_t {
    const View keys(batch);
    for (int64_t begin = 1; begin < batch.rows; begin += kStride) {
      const int64_t end = std::min(batch.rows, begin + kStride);
      if (AnyInversion(keys, begin, end)) return FirstInversion(keys, begin, end);
    }
    return -1;
  });
}

std::vector<int64_t> FindChanges(const KeyBatch& batch) {
  std::vector<int64_t> changes;
  VisitViews(batch.words, [&]<typename View>(std::type_identity<View>) {
    const View keys(batch);
    for (int64_t row = 1; row < batch.rows; ++row) {
      if (keys[row] != keys[row - 1]) changes.push_back(row);
    }
  });
  return changes;
}

}  // namespace esker
