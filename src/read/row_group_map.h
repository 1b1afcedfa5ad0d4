// Row group map: rows of a stream of chosen rows to row groups and positions of the file.
//
// A stream gives *spans* of rows one after another, whole row groups or parts of them. Spans of one
// row group stand side by side:
//
//     file       | row group 0          | row group 1   | row group 2        |
//     spans        [0, 4)     [7, 9)                      [30, 36)
//     stream       0 1 2 3    4 5                         6 7 ...
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "read/parquet_file.h"

namespace esker {

class RowGroupMap {
 public:
  /// Requires spans with rows, in the order in which the stream gives them.
  explicit RowGroupMap(std::vector<RowGroupSpan> spans) : spans_(std::move(spans)) {
    for (size_t i = 0; i < spans_.size(); ++i) {
      if (i == 0 || spans_[i].index != spans_[i - 1].index) groups_.push_back(i);
      starts_.push_back(rows_);
      rows_ += spans_[i].rows;
    }
  }

  int64_t rows() const { return rows_; }
  /// The row groups that have spans are numbered from 0 here.
  size_t groups() const { return groups_.size(); }
  /// The row group's index in the file.
  int index(size_t group) const { return spans_[groups_[group]].index; }
  /// The first row of that group in the stream, and the one after its last.
  int64_t start(size_t group) const { return starts_[groups_[group]]; }
  int64_t end(size_t group) const { return group + 1 < groups() ? start(group + 1) : rows_; }
  /// The spans of groups [first, last).
  std::vector<RowGroupSpan> SpansOf(size_t first, size_t last) const {
    const auto at = [&](size_t group) {
      return spans_.begin() + (group < groups() ? groups_[group] : spans_.size());
    };
    return {at(first), at(last)};
  }

  /// The spans of rows [begin, end) of the stream, cut where these rows cut them.
  std::vector<RowGroupSpan> SpansOfRows(int64_t begin, int64_t end) const {
    std::vector<RowGroupSpan> spans;
    for (size_t i = SpanOf(begin); i < spans_.size() && starts_[i] < end; ++i) {
      const int64_t from = std::max(begin, starts_[i]);
      const int64_t to = std::min(end, starts_[i] + spans_[i].rows);
      spans.push_back({spans_[i].index, spans_[i].first_row + from - starts_[i], to - from});
    }
    return spans;
  }
  /// The first row of the stream that stands at or after that position of the file; rows() if none
  /// does. O(log spans).
  int64_t RowAt(int64_t position) const {
    const auto after = std::upper_bound(
        spans_.begin(), spans_.end(), position,
        [](int64_t at, const RowGroupSpan& span) { return at < span.first_row + span.rows; });
    if (after == spans_.end()) return rows_;
    return starts_[after - spans_.begin()] + std::max<int64_t>(0, position - after->first_row);
  }

  /// Which of the groups holds that row of the stream. Requires 0 <= row < rows(). O(log spans).
  size_t GroupOf(int64_t row) const {
    return std::upper_bound(groups_.begin(), groups_.end(), SpanOf(row)) - groups_.begin() - 1;
  }
  /// The position in the file of that row of the stream.
  int64_t PositionOf(int64_t row) const {
    const size_t span = SpanOf(row);
    return spans_[span].first_row + (row - starts_[span]);
  }
  /// Positions of rows [first, first + count) of the stream. O(count).
  std::vector<int64_t> PositionsOf(int64_t first, int64_t count) const {
    std::vector<int64_t> positions(count);
    size_t span = count > 0 ? SpanOf(first) : 0;
    for (int64_t i = 0; i < count; ++i) {
      while (first + i >= starts_[span] + spans_[span].rows) ++span;
      positions[i] = spans_[span].first_row + (first + i - starts_[span]);
    }
    return positions;
  }

 private:
  size_t SpanOf(int64_t row) const {
    return std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin() - 1;
  }

  std::vector<RowGroupSpan> spans_;
  std::vector<int64_t> starts_;  // of each span in the stream
  std::vector<size_t> groups_;   // the first span of each group
  int64_t rows_ = 0;
};

}  // namespace esker
