// A set of row positions in one data file: what position deletes and deletion vectors say.
//
// Positions cluster, so they are kept as Roaring bitmaps, one for each upper half of 32 bits: a
// deletion vector of a million rows takes 16 bits a row at most, a run of rows a few bytes.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "roaring/roaring.hh"

namespace esker {

/// Positions from 0 to 2^63 - 1. Values: copies are deep. Not thread-safe while it is changed.
class PositionSet {
 public:
  /// Requires position >= 0.
  void Add(int64_t position);
  /// Adds all; fastest if they come ascending. Requires that none is negative.
  void AddMany(std::span<const int64_t> positions);
  /// Adds what `other` holds.
  void Union(const PositionSet& other);
  /// Adds `bitmap`, whose values are the lower halves of positions with that upper half. The
  /// bitmap must be sound (format/roaring_check.h). Requires high < 2^31.
  void AddBitmap(uint32_t high, Roaring bitmap);

  bool Contains(int64_t position) const;
  bool empty() const { return bitmaps_.empty(); }
  /// The number of positions. O(containers).
  int64_t cardinality() const;
  /// The greatest position, -1 if there is none.
  int64_t max() const;

  /// What the set takes in memory, about. O(containers).
  int64_t memory_bytes() const;

  /// Appends the positions in [begin, end) to `positions`, ascending. O(what it finds).
  void AppendRange(int64_t begin, int64_t end, std::vector<int64_t>* positions) const;

  /// The number of positions in [begin, end). O(containers), however many they hold.
  int64_t CountRange(int64_t begin, int64_t end) const;

  /// Equal sets of positions.
  bool operator==(const PositionSet& other) const;

 private:
  std::map<uint32_t, Roaring> bitmaps_;  // by upper half; none is empty
};

}  // namespace esker
