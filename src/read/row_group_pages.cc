#include "read/row_group_pages.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

namespace esker {
namespace {

std::vector<int> LeavesOf(const ScanColumns& columns) {
  std::set<int> leaves;
  for (const auto* indices : {&columns.eager, &columns.lazy}) {
    for (const auto* projection : columns.ProjectionsOf(*indices)) {
      leaves.insert(projection->leaves().begin(), projection->leaves().end());
    }
  }
  return {leaves.begin(), leaves.end()};
}

}  // namespace

arrow::Result<std::shared_ptr<const RowGroupPages>> ReadRowGroupPages(const ParquetFile& file,
                                                                      const ScanColumns& columns,
                                                                      int row_group) {
  const RowGroupSpan& group = file.row_groups()[row_group];
  const std::vector<int> leaves = LeavesOf(columns);
  ARROW_ASSIGN_OR_RAISE(auto lists, ReadPageLists(file, group, leaves));
  auto pages = std::make_shared<RowGroupPages>();
  pages->row_group = row_group;
  pages->rows = group.rows;
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (!lists[i].has_value()) return nullptr;
    pages->lists.emplace(leaves[i], *std::move(lists[i]));
  }
  pages->eager_borders = BordersOf(*pages, columns, columns.eager);
  return pages;
}

std::vector<int64_t> CommonBorders(std::span<const PageList* const> lists, int64_t rows) {
  std::vector<int64_t> common = {0};
  for (size_t i = 0; i < lists.size(); ++i) {
    std::vector<int64_t> borders = {0};
    if (lists[i] != nullptr) {
      borders.clear();
      for (const PagePlace& page : lists[i]->pages) borders.push_back(page.first_row);
    }
    if (i == 0) {
      common = std::move(borders);
      continue;
    }
    std::vector<int64_t> both;
    std::set_intersection(common.begin(), common.end(), borders.begin(), borders.end(),
                          std::back_inserter(both));
    common = std::move(both);
  }
  common.push_back(rows);
  return common;
}

std::vector<int64_t> BordersOf(const RowGroupPages& pages, const ScanColumns& columns,
                               std::span<const int> indices) {
  std::vector<const PageList*> lists;
  for (const auto* projection : columns.ProjectionsOf(indices)) {
    for (const int leaf : projection->leaves()) lists.push_back(&pages.lists.at(leaf));
  }
  return CommonBorders(lists, pages.rows);
}

}  // namespace esker
