#include "plan/limit_reach.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace esker {

size_t FilesWithinLimit(std::span<const SortKey> keys, std::span<const KeyRange> files,
                        std::span<const int64_t> rows, int64_t limit) {
  if (limit <= 0) return 0;
  const auto ends_later = [&](size_t a, size_t b) {
    return CompareCorners(keys, files[a].upper, files[b].upper) > 0;
  };
  std::vector<size_t> by_upper(files.size());
  std::iota(by_upper.begin(), by_upper.end(), size_t{0});
  std::make_heap(by_upper.begin(), by_upper.end(), ends_later);
  while (!by_upper.empty()) {
    std::pop_heap(by_upper.begin(), by_upper.end(), ends_later);
    const size_t file = by_upper.back();
    by_upper.pop_back();
    limit -= std::min(limit, rows[file]);
    if (limit > 0) continue;
    const Corner& reach = files[file].upper;
    const auto beyond = std::partition_point(
        files.begin(), files.end(),
        [&](const KeyRange& other) { return CompareCorners(keys, other.lower, reach) <= 0; });
    return static_cast<size_t>(beyond - files.begin());
  }
  return files.size();
}

}  // namespace esker
