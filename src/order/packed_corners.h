// Packed corners: the corners of many files as words that compare like them.
//
// A corner is a vector of variants; a million files have two million of them, and sorting those
// is all cache misses. Here each half-rank becomes one 64-bit word, in output order:
//
//     0             1               2 ... 2^64-3     2^64-2         2^64-1
//     kNullFirst    kBeforeValues   values           kAfterValues   kNullLast
//
// Integers, times, booleans and floats fit whole, and so do decimals within 64 bits and strings of
// up to seven bytes behind the prefix that all of them share. Where some word of a key is not the
// whole value, equal words of it are compared in full.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "order/corner.h"

namespace esker {

class PackedCorners {
 public:
  /// Keeps both spans; they must outlive it. O(files × keys) time and memory.
  PackedCorners(std::span<const SortKey> keys, std::span<const KeyRange> files);

  /// Names a corner: the lower or the upper one of a file.
  struct Id {
    uint32_t file = 0;
    bool is_upper = false;
  };

  /// The word of the first key: head(a) < head(b) implies a < b. 0 if there are no keys.
  uint64_t head(Id id) const { return key_count_ == 0 ? 0 : words(id)[0]; }

  /// As CompareCorners().
  std::weak_ordering Compare(Id a, Id b) const;

 private:
  const uint64_t* words(Id id) const {
    return words_.data() + (2 * size_t{id.file} + (id.is_upper ? 1 : 0)) * key_count_;
  }
  const Corner& corner(Id id) const {
    return id.is_upper ? files_[id.file].upper : files_[id.file].lower;
  }
  void Pack(const Corner& corner, uint64_t* words);

  std::span<const SortKey> keys_;
  std::span<const KeyRange> files_;
  size_t key_count_ = 0;
  std::vector<uint64_t> words_;        // lower and upper corner of file 0, of file 1, ...
  std::vector<size_t> skipped_bytes_;  // by key: the prefix that all its strings share
  std::vector<char> is_whole_;         // by key: every word of it is the whole half-rank
};

}  // namespace esker
