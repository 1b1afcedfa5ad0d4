// Key encoder: key columns and corners to normalised keys (key_layout.h draws them).
//
// Rows encode exactly: two rows compare as their keys do, by the rules of docs/order.md, 1. A
// corner encodes to a bound: the key of a lower corner is at or before the key of every row that
// is not before the corner, the key of an upper corner at or after. Where a half-rank is open, or
// is a value that its type cannot hold, the key stops there and the rest is as small (as large) as
// can be: (-inf, 5) has rows (-9, 3) behind it.
#pragma once

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "merge/key_batch.h"
#include "merge/key_layout.h"
#include "order/corner.h"

namespace esker {

class KeyEncoder {
 public:
  /// `pool` outlives the encoder and all that it makes.
  static arrow::Result<KeyEncoder> Make(const SortKeys& keys, arrow::MemoryPool* pool);

  /// Column i of `columns` belongs to key i; columns may be dictionary-encoded. Transforms of keys
  /// are applied. TypeError where a column is not of the Arrow type of its key. O(bytes of keys).
  arrow::Result<KeyBatch> Encode(const arrow::RecordBatch& columns) const;

  /// The same columns in types that do not differ between sources: what can be joined and written.
  /// They encode to the same keys.
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> UniformColumns(
      const arrow::RecordBatch& columns) const;

  /// One row. A corner with fewer half-ranks than keys is open behind its last.
  arrow::Result<KeyBatch> EncodeLower(const Corner& corner) const;
  arrow::Result<KeyBatch> EncodeUpper(const Corner& corner) const;

  /// The key in words for messages: "(2024-01-01T00:00:00Z, null)". Zeros and NaNs come back as
  /// one of their kind.
  std::string ToString(KeyRow key) const;

  const KeyLayout& layout() const { return layout_; }

 private:
  arrow::Result<KeyBatch> EncodePacked(const arrow::ArrayVector& columns, int64_t rows) const;
  arrow::Result<KeyBatch> EncodeBytes(const arrow::ArrayVector& columns, int64_t rows) const;
  arrow::Result<KeyBatch> EncodeCorner(const Corner& corner, bool upper) const;

  KeyLayout layout_;
  arrow::MemoryPool* pool_ = nullptr;
};

}  // namespace esker
