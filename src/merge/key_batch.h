// Key batch: the normalised keys of some rows, and views that compare them.
//
// The kernels of the merge are templates over a view: word views give integers, byte views give
// string views. VisitViews() is the one place where the layout is looked at, once per call and
// never per row.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>

#include "arrow/buffer.h"
#include "arrow/result.h"
#include "merge/key_layout.h"

namespace esker {

/// Immutable and cheap to copy: buffers are shared. Memory comes from the pool of its maker.
struct KeyBatch {
  int words = 1;  ///< words per row; 0 for byte strings
  int64_t rows = 0;
  std::shared_ptr<arrow::Buffer> data;     ///< words, row after row; or all bytes
  std::shared_ptr<arrow::Buffer> offsets;  ///< byte strings only: rows + 1 of int64
};

/// Views a batch of W words per row. `stride` lets a narrower view look at the last words only.
template <int W>
struct WordView {
  const uint64_t* first = nullptr;
  int64_t stride = W;

  explicit WordView(const KeyBatch& batch) : stride(batch.words) {
    if (batch.data == nullptr) return;
    first = reinterpret_cast<const uint64_t*>(batch.data->data()) + (batch.words - W);
  }

  auto operator[](int64_t row) const {
    const uint64_t* word = first + row * stride;
    if constexpr (W == 1) {
      return *word;
    } else if constexpr (W == 2) {
      return static_cast<uint128_t>(word[0]) << 64 | word[1];
    } else {
      std::array<uint64_t, W> key;
      for (int i = 0; i < W; ++i) key[i] = word[i];
      return key;
    }
  }
};

struct ByteView {
  const int64_t* offsets;
  const char* data;

  explicit ByteView(const KeyBatch& batch)
      : offsets(batch.offsets ? reinterpret_cast<const int64_t*>(batch.offsets->data()) : nullptr),
        data(batch.data ? reinterpret_cast<const char*>(batch.data->data()) : nullptr) {}

  /// std::string_view compares as memcmp does, a prefix before what it begins.
  std::string_view operator[](int64_t row) const {
    return {data + offsets[row], static_cast<size_t>(offsets[row + 1] - offsets[row])};
  }
};

/// Calls `visit` with std::type_identity of the view type for that layout; returns its result.
template <typename Visit>
decltype(auto) VisitViews(int words, Visit&& visit) {
  switch (words) {
    case 1:
      return visit(std::type_identity<WordView<1>>{});
    case 2:
      return visit(std::type_identity<WordView<2>>{});
    case 3:
      return visit(std::type_identity<WordView<3>>{});
    case 4:
      return visit(std::type_identity<WordView<4>>{});
    default:
      return visit(std::type_identity<ByteView>{});
  }
}

/// One row of a batch: what a single key is passed as. Borrowed: the batch outlives it.
struct KeyRow {
  const KeyBatch* batch = nullptr;
  int64_t row = 0;

  bool empty() const { return batch == nullptr; }
};

/// Orders two keys of one layout. Requires both not empty.
std::strong_ordering CompareKeys(KeyRow a, KeyRow b);

/// First row of [begin, end), which is sorted, that is not before `bound`; with `after_equal`, that
/// is after it. O(log rows), and quick where the answer is near `begin`.
int64_t FindBound(const KeyBatch& batch, int64_t begin, int64_t end, KeyRow bound,
                  bool after_equal);

/// Rows [begin, end) of `first` and then all of `rest`, copied. O(bytes).
arrow::Result<KeyBatch> JoinKeys(const KeyBatch& first, int64_t begin, int64_t end,
                                 std::span<const KeyBatch> rest, arrow::MemoryPool* pool);

}  // namespace esker
