// Key set: byte strings, each with the greatest sequence number at which it was deleted.
//
// A data file is concerned by the keys of younger deletes only. One set for all files, asked with
// the data file's sequence number, stands for the many sets of "all deletes younger than", whose
// sizes would add up to the square of the deletes.
//
//     slots    hash, entry | hash, entry | -           open addressing, at most 2/3 full
//     chunks   sequence, 8 bytes | length, 4 | bytes   entries never move
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace esker {

/// All memory comes from the pool: a capped one makes Insert() fail with OutOfMemory and leaves the
/// set as it was. Find() may be called from several threads while nobody inserts.
class KeySet {
 public:
  static constexpr int64_t kAbsent = std::numeric_limits<int64_t>::min();

  explicit KeySet(arrow::MemoryPool* pool);
  ~KeySet();

  /// Adds `key`, or raises its sequence number. Amortised O(bytes).
  arrow::Status Insert(std::string_view key, int64_t sequence);

  /// The greatest sequence number of `key`, kAbsent if it is not in the set. O(bytes).
  int64_t Find(std::string_view key) const;

  int64_t size() const { return size_; }

  /// What the set holds of the pool.
  int64_t memory_bytes() const;
  /// What it will hold at most while and after that many keys of so many bytes together are added;
  /// keys that would leave the end of a chunk unused, and keys that are there already, aside.
  int64_t MemoryBytesWith(int64_t more_keys, int64_t key_bytes) const;

 private:
  struct Slot {
    uint64_t hash;
    uint8_t* entry;  // null: free
  };

  int64_t slot_count() const { return mask_ == 0 ? 0 : static_cast<int64_t>(mask_ + 1); }
  Slot* FindSlot(uint64_t hash, std::string_view key) const;
  arrow::Status Grow();
  arrow::Result<uint8_t*> AllocateEntry(int64_t bytes);

  arrow::MemoryPool* pool_;
  std::shared_ptr<arrow::Buffer> slots_;
  uint64_t mask_ = 0;  // slots - 1; 0 before the first key
  int64_t size_ = 0;
  std::vector<std::shared_ptr<arrow::Buffer>> chunks_;
  int64_t chunk_used_ = 0;
  int64_t chunk_bytes_ = 0;
};

}  // namespace esker
