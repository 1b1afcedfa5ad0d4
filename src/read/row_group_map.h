// Row group map: rows of a stream of chosen row groups to row groups and positions of the file.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "read/parquet_file.h"

namespace esker {

class RowGroupMap {
 public:
  /// Requires row groups with rows, in the order in which the stream gives them.
  explicit RowGroupMap(std::vector<RowGroupSpan> groups) : groups_(std::move(groups)) {
    for (const RowGroupSpan& group : groups_) {
      starts_.push_back(rows_);
      rows_ += group.rows;
    }
  }

  const std::vector<RowGroupSpan>& groups() const { return groups_; }
  int64_t rows() const { return rows_; }
  /// The first row of that group in the stream.
  int64_t start(size_t group) const { return starts_[group]; }

  /// Which of groups() holds that row of the stream. Requires 0 <= row < rows(). O(log groups).
  size_t GroupOf(int64_t row) const {
    return std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin() - 1;
  }
  /// The position in the file of that row of the stream.
  int64_t PositionOf(int64_t row) const {
    const size_t group = GroupOf(row);
    return groups_[group].first_row + (row - starts_[group]);
  }
  /// Positions of rows [first, first + count) of the stream. O(count).
  std::vector<int64_t> PositionsOf(int64_t first, int64_t count) const {
    std::vector<int64_t> positions(count);
    size_t group = count > 0 ? GroupOf(first) : 0;
    for (int64_t i = 0; i < count; ++i) {
      while (first + i >= starts_[group] + groups_[group].rows) ++group;
      positions[i] = groups_[group].first_row + (first + i - starts_[group]);
    }
    return positions;
  }

 private:
  std::vector<RowGroupSpan> groups_;
  std::vector<int64_t> starts_;
  int64_t rows_ = 0;
};

}  // namespace esker
