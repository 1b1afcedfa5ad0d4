// Key batch: comparing, searching and joining normalised keys.
#include "merge/key_batch.h"

#include <cstring>
#include <vector>

#include "merge/gallop.h"

namespace esker {
namespace {

/// A stretch of rows to be joined.
struct Stretch {
  const KeyBatch* batch;
  int64_t begin;
  int64_t end;
};

arrow::Result<KeyBatch> JoinWords(std::span<const Stretch> stretches, KeyBatch joined,
                                  arrow::MemoryPool* pool) {
  const int64_t row_bytes = joined.words * static_cast<int64_t>(sizeof(uint64_t));
  ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(joined.rows * row_bytes, pool));
  uint8_t* out = data->mutable_data();
  for (const Stretch& s : stretches) {
    if (s.begin == s.end) continue;
    const int64_t bytes = (s.end - s.begin) * row_bytes;
    std::memcpy(out, s.batch->data->data() + s.begin * row_bytes, bytes);
    out += bytes;
  }
  joined.data = std::move(data);
  return joined;
}

arrow::Result<KeyBatch> JoinBytes(std::span<const Stretch> stretches, KeyBatch joined,
                                  arrow::MemoryPool* pool) {
  int64_t bytes = 0;
  for (const Stretch& s : stretches) {
    const ByteView view(*s.batch);
    if (s.begin != s.end) bytes += view.offsets[s.end] - view.offsets[s.begin];
  }
  ARROW_ASSIGN_OR_RAISE(auto data, arrow::AllocateBuffer(bytes, pool));
  ARROW_ASSIGN_OR_RAISE(auto offsets, arrow::AllocateBuffer((joined.rows + 1) * 8, pool));
  auto* out = reinterpret_cast<int64_t*>(offsets->mutable_data());
  int64_t at = 0;
  for (const Stretch& s : stretches) {
    if (s.begin == s.end) continue;
    const ByteView view(*s.batch);
    const int64_t from = view.offsets[s.begin];
    for (int64_t row = s.begin; row < s.end; ++row) *out++ = at + view.offsets[row] - from;
    std::memcpy(data->mutable_data() + at, view.data + from, view.offsets[s.end] - from);
    at += view.offsets[s.end] - from;
  }
  *out = at;
  joined.data = std::move(data);
  joined.offsets = std::move(offsets);
  return joined;
}

}  // namespace

std::strong_ordering CompareKeys(KeyRow a, KeyRow b) {
  return VisitViews(a.batch->words, [&]<typename View>(std::type_identity<View>) {
    const auto x = View(*a.batch)[a.row];
    const auto y = View(*b.batch)[b.row];
    if (x < y) return std::strong_ordering::less;
    return y < x ? std::strong_ordering::greater : std::strong_ordering::equal;
  });
}

int64_t FindBound(const KeyBatch& batch, int64_t begin, int64_t end, KeyRow bound,
                  bool after_equal) {
  return VisitViews(batch.words, [&]<typename View>(std::type_identity<View>) {
    const View keys(batch);
    const auto key = View(*bound.batch)[bound.row];
    if (after_equal) return Gallop(begin, end, [&](int64_t row) { return !(key < keys[row]); });
    return Gallop(begin, end, [&](int64_t row) { return keys[row] < key; });
  });
}

arrow::Result<KeyBatch> JoinKeys(const KeyBatch& first, int64_t begin, int64_t end,
                                 std::span<const KeyBatch> rest, arrow::MemoryPool* pool) {
  if (begin == end && rest.size() == 1) return rest[0];
  std::vector<Stretch> stretches{{&first, begin, end}};
  KeyBatch joined;
  joined.words = rest.empty() ? first.words : rest[0].words;
  joined.rows = end - begin;
  for (const KeyBatch& batch : rest) {
    stretches.push_back({&batch, 0, batch.rows});
    joined.rows += batch.rows;
  }
  return joined.words > 0 ? JoinWords(stretches, std::move(joined), pool)
                          : JoinBytes(stretches, std::move(joined), pool);
}

}  // namespace esker
