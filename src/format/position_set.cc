#include "format/position_set.h"

#include <algorithm>
#include <array>
#include <utility>

namespace esker {
namespace {

uint32_t High(int64_t position) { return static_cast<uint32_t>(position >> 32); }
uint32_t Low(int64_t position) { return static_cast<uint32_t>(position); }

}  // namespace

void PositionSet::Add(int64_t position) { bitmaps_[High(position)].add(Low(position)); }

void PositionSet::AddMany(std::span<const int64_t> positions) {
  std::vector<uint32_t> lows;
  for (size_t i = 0; i < positions.size();) {
    const uint32_t high = High(positions[i]);
    lows.clear();
    for (; i < positions.size() && High(positions[i]) == high; ++i) {
      lows.push_back(Low(positions[i]));
    }
    bitmaps_[high].addMany(lows.size(), lows.data());
  }
}

void PositionSet::Union(const PositionSet& other) {
  for (const auto& [high, bitmap] : other.bitmaps_) bitmaps_[high] |= bitmap;
}

void PositionSet::AddBitmap(uint32_t high, Roaring bitmap) {
  if (bitmap.isEmpty()) return;
  const auto [it, added] = bitmaps_.try_emplace(high);
  if (added) {
    it->second = std::move(bitmap);
  } else {
    it->second |= bitmap;
  }
}

bool PositionSet::Contains(int64_t position) const {
  const auto it = bitmaps_.find(High(position));
  return it != bitmaps_.end() && it->second.contains(Low(position));
}

int64_t PositionSet::cardinality() const {
  int64_t sum = 0;
  for (const auto& [high, bitmap] : bitmaps_) sum += static_cast<int64_t>(bitmap.cardinality());
  return sum;
}

int64_t PositionSet::max() const {
  if (bitmaps_.empty()) return -1;
  const auto& [high, bitmap] = *bitmaps_.rbegin();
  return static_cast<int64_t>(high) << 32 | bitmap.maximum();
}

int64_t PositionSet::memory_bytes() const {
  // A node of the map; a container's header, its places in the arrays of the bitmap, and what the
  // allocator adds to the two blocks that it is. Arrays have half as much again to grow into.
  constexpr int64_t kBitmapBytes = 128;
  constexpr int64_t kContainerBytes = 64;
  int64_t sum = 0;
  for (const auto& [high, bitmap] : bitmaps_) {
    const auto stored_bytes = static_cast<int64_t>(bitmap.getSizeInBytes());
    const int64_t containers = bitmap.roaring.high_low_container.size;
    sum += kBitmapBytes + kContainerBytes * containers + stored_bytes / 2 * 3;
  }
  return sum;
}

void PositionSet::AppendRange(int64_t begin, int64_t end, std::vector<int64_t>* positions) const {
  if (begin >= end) return;
  for (auto it = bitmaps_.lower_bound(High(begin)); it != bitmaps_.end(); ++it) {
    const int64_t base = static_cast<int64_t>(it->first) << 32;
    if (base >= end) return;
    roaring_uint32_iterator_t values;
    roaring_init_iterator(&it->second.roaring, &values);
    if (base < begin) roaring_move_uint32_iterator_equalorlarger(&values, Low(begin));
    std::array<uint32_t, 256> chunk;
    while (const uint32_t count =
               roaring_read_uint32_iterator(&values, chunk.data(), chunk.size())) {
      for (uint32_t i = 0; i < count; ++i) {
        if (base + chunk[i] >= end) return;
        positions->push_back(base + chunk[i]);
      }
    }
  }
}

int64_t PositionSet::CountRange(int64_t begin, int64_t end) const {
  if (begin >= end) return 0;
  int64_t count = 0;
  for (auto it = bitmaps_.lower_bound(High(begin)); it != bitmaps_.end(); ++it) {
    const int64_t base = static_cast<int64_t>(it->first) << 32;
    if (base >= end) break;
    const uint64_t first = base < begin ? Low(begin) : 0;
    count += static_cast<int64_t>(roaring_bitmap_range_cardinality(
        &it->second.roaring, first, static_cast<uint64_t>(end - base)));
  }
  return count;
}

bool PositionSet::operator==(const PositionSet& other) const {
  return std::equal(
      bitmaps_.begin(), bitmaps_.end(), other.bitmaps_.begin(), other.bitmaps_.end(),
      [](const auto& a, const auto& b) { return a.first == b.first && a.second == b.second; });
}

}  // namespace esker
