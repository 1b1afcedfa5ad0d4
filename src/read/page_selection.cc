#include "read/page_selection.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "read/page_index.h"

namespace esker {
namespace {

using Lists = std::vector<std::optional<PageList>>;

// Rows [begin, end) of a row group.
struct Rows {
  int64_t begin = 0;
  int64_t end = 0;
};

std::vector<int64_t> BordersOf(const Lists& leaves, int64_t rows) {
  std::vector<const PageList*> lists;
  for (const auto& leaf : leaves) lists.push_back(leaf.has_value() ? &*leaf : nullptr);
  return CommonBorders(lists, rows);
}

// `wanted`, widened to the borders. Both ascend; borders begin with 0 and end with the last row.
std::vector<Rows> WidenTo(const std::vector<int64_t>& borders, const std::vector<Rows>& wanted) {
  std::vector<Rows> wide;
  for (const Rows& rows : wanted) {
    const int64_t begin = *std::prev(std::upper_bound(borders.begin(), borders.end(), rows.begin));
    const int64_t end = *std::lower_bound(borders.begin(), borders.end(), rows.end);
    if (!wide.empty() && begin <= wide.back().end) {
      wide.back().end = std::max(wide.back().end, end);
    } else {
      wide.push_back({begin, end});
    }
  }
  return wide;
}

// How to get from the rows that are read to those wanted, which lie among them.
PageSelection::Steps StepsBetween(const std::vector<Rows>& read, const std::vector<Rows>& wanted) {
  PageSelection::Steps steps;
  auto next = wanted.begin();
  for (const Rows& rows : read) {
    int64_t at = rows.begin;
    for (; next != wanted.end() && next->end <= rows.end; ++next) {
      steps.steps.push_back({steps.rest + next->begin - at, next->end - next->begin});
      steps.rest = 0;
      at = next->end;
    }
    steps.rest += rows.end - at;
  }
  return steps;
}

// Requires that the list has a border at both ends of each of `read`.
ChunkPages PagesOfRows(const PageList& list, const std::vector<Rows>& read) {
  ChunkPages chunk;
  chunk.is_whole = false;
  const int64_t first_page = list.pages[0].offset;
  if (first_page > list.chunk_offset) {
    chunk.runs.push_back({list.chunk_offset, first_page - list.chunk_offset, {}});
  }
  for (const Rows& rows : read) {
    size_t page = std::lower_bound(
                      list.pages.begin(), list.pages.end(), rows.begin,
                      [](const PagePlace& place, int64_t row) { return place.first_row < row; }) -
                  list.pages.begin();
    PageRun run{list.pages[page].offset, 0, {}};
    for (; page < list.pages.size() && list.end_row(page) <= rows.end; ++page) {
      run.bytes += list.pages[page].bytes;
      run.rows.push_back(list.end_row(page) - list.pages[page].first_row);
    }
    chunk.runs.push_back(std::move(run));
  }
  return chunk;
}

int64_t PagesIn(const ChunkPages& chunk) {
  int64_t pages = 0;
  for (const PageRun& run : chunk.runs) pages += static_cast<int64_t>(run.rows.size());
  return pages;
}

}  // namespace

std::vector<std::vector<int>> SharedLeaves(const std::vector<const ColumnProjection*>& columns) {
  std::map<int, std::set<int>> by_column;
  for (const ColumnProjection* each : columns) {
    by_column[each->column()].insert(each->leaves().begin(), each->leaves().end());
  }
  std::vector<std::vector<int>> leaves;
  for (const ColumnProjection* each : columns) {
    const std::set<int>& shared = by_column[each->column()];
    leaves.emplace_back(shared.begin(), shared.end());
  }
  return leaves;
}

PageSelection::PageSelection(ParquetFile* file, const std::vector<RowGroupSpan>& spans,
                             std::vector<std::vector<int>> columns, const RowGroupPages* known)
    : file_(file), known_(known), columns_(std::move(columns)) {
  for (const RowGroupSpan& span : spans) {
    if (spans_.empty() || spans_.back().back().index != span.index) spans_.emplace_back();
    spans_.back().push_back(span);
  }
}

arrow::Result<ChunkPages> PageSelection::PagesOf(size_t group, int leaf) {
  ARROW_ASSIGN_OR_RAISE(const Group* loaded, Load(group));
  const auto found = loaded->chunks.find(leaf);
  return found == loaded->chunks.end() ? ChunkPages{} : found->second;
}

arrow::Result<PageSelection::Steps> PageSelection::StepsOf(size_t group, size_t column) {
  ARROW_ASSIGN_OR_RAISE(const Group* loaded, Load(group));
  return loaded->columns[column];
}

arrow::Status PageSelection::CountSkipped() {
  for (const auto& spans : spans_) {
    Group group;
    ARROW_RETURN_NOT_OK(Fill(spans, &group));
    file_->CountPagesSkipped(group.pages_skipped);
  }
  return arrow::Status::OK();
}

void PageSelection::ForgetBefore(size_t group) {
  loaded_.erase(loaded_.begin(), loaded_.lower_bound(group));
}

arrow::Result<const PageSelection::Group*> PageSelection::Load(size_t group) {
  const std::lock_guard lock(mutex_);
  const auto found = loaded_.find(group);
  if (found != loaded_.end()) return &found->second;
  Group loaded;
  ARROW_RETURN_NOT_OK(Fill(spans_[group], &loaded));
  if (known_ == nullptr) file_->CountPagesSkipped(loaded.pages_skipped);
  return &loaded_.emplace(group, std::move(loaded)).first->second;
}

arrow::Result<Lists> PageSelection::ListsOf(const RowGroupSpan& group,
                                            const std::vector<int>& leaves) const {
  if (known_ == nullptr) return ReadPageLists(*file_, group, leaves);
  Lists lists;
  for (const int leaf : leaves) lists.emplace_back(known_->lists.at(leaf));
  return lists;
}

arrow::Status PageSelection::Fill(const std::vector<RowGroupSpan>& spans, Group* group) {
  const RowGroupSpan& whole = file_->row_groups()[spans[0].index];
  std::vector<Rows> wanted;
  for (const RowGroupSpan& span : spans) {
    const int64_t begin = span.first_row - whole.first_row;
    wanted.push_back({begin, begin + span.rows});
  }
  const bool takes_all = spans[0].rows == whole.rows;
  std::vector<int> leaves;
  if (!takes_all) {
    for (const auto& column : columns_) leaves.insert(leaves.end(), column.begin(), column.end());
  }
  ARROW_ASSIGN_OR_RAISE(Lists lists, ListsOf(whole, leaves));
  auto next = lists.begin();
  for (const auto& column : columns_) {
    if (takes_all || column.empty()) {
      group->columns.push_back({{{0, whole.rows}}, 0});
      continue;
    }
    const Lists of_column(std::make_move_iterator(next),
                          std::make_move_iterator(next + static_cast<int64_t>(column.size())));
    next += static_cast<int64_t>(column.size());
    const auto read = WidenTo(BordersOf(of_column, whole.rows), wanted);
    group->columns.push_back(StepsBetween(read, wanted));
    if (read.size() == 1 && read[0].end - read[0].begin == whole.rows) continue;
    for (size_t i = 0; i < column.size(); ++i) {
      const auto [chunk, is_new] =
          group->chunks.emplace(column[i], PagesOfRows(*of_column[i], read));
      if (!is_new) continue;
      const auto pages = static_cast<int64_t>(of_column[i]->pages.size());
      group->pages_skipped += pages - PagesIn(chunk->second);
    }
  }
  return arrow::Status::OK();
}

}  // namespace esker
