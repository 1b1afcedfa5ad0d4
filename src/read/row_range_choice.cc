#include "read/row_range_choice.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "parquet/metadata.h"
#include "read/bloom_filter.h"
#include "read/dictionary_values.h"
#include "read/page_index.h"
#include "read/parquet_status.h"
#include "read/stored_column.h"

namespace esker {
namespace {

// Most values that one column's Bloom filter is asked about: each may cost a read.
constexpr int kMostBloomValues = 64;
// A dictionary is looked into if it is at most this share of what the row group costs to read.
constexpr int64_t kDictionaryShare = 8;
constexpr int64_t kMostDictionaryBytes = 1 << 20;

// What a row group's columns of the filter are asked, each structure read at most once and not
// before it is asked for. An error is kept, and answered by "maybe".
class GroupAnswers {
 public:
  GroupAnswers(const ParquetFile& file, int row_group, const BoundFilter& filter,
               const std::vector<std::optional<StoredColumn>>& stored)
      : file_(file), row_group_(row_group), ids_(filter.field_ids()) {
    for (const auto& each : stored) columns_.emplace_back().stored = each ? &*each : nullptr;
  }

  const arrow::Status& status() const { return status_; }
  void set_dictionary_bytes(int64_t most) { dictionary_bytes_ = most; }

  bool MayEqual(int32_t field_id, const Value& value) {
    Column& column = Find(field_id);
    if (column.stored == nullptr || !status_.ok()) return true;
    const auto hash = BloomHashOf(value, *column.stored);
    if (!hash.has_value() || ++column.values_asked > kMostBloomValues) return true;
    const auto may_hold = AskBloom(&column, *hash);
    if (may_hold.ok()) return *may_hold;
    status_ = may_hold.status();
    return true;
  }

  const std::vector<Value>* AllValues(int32_t field_id) {
    Column& column = Find(field_id);
    if (column.stored == nullptr || !status_.ok()) return nullptr;
    status_ = ReadDictionary(&column);
    return status_.ok() && column.values.has_value() ? &*column.values : nullptr;
  }
  // Those that AllValues() has given; null for a column that it was not asked for.
  const std::vector<Value>* ValuesRead(size_t column) const {
    return columns_[column].values.has_value() ? &*columns_[column].values : nullptr;
  }

 private:
  struct Column {
    const StoredColumn* stored = nullptr;
    bool is_bloom_read = false;
    std::optional<BloomFilter> bloom;
    int values_asked = 0;
    bool is_dictionary_read = false;
    std::optional<std::vector<Value>> values;
  };

  Column& Find(int32_t field_id) {
    return columns_[std::find(ids_.begin(), ids_.end(), field_id) - ids_.begin()];
  }

  // The parts of the footer that concern the column's chunk.
  template <typename Use>
  arrow::Status WithChunk(const Column& column, const Use& use) const {
    return CatchParquet([&] {
      const auto group = file_.metadata().RowGroup(row_group_);
      return use(*group->ColumnChunk(column.stored->leaf.leaf));
    });
  }

  arrow::Result<bool> AskBloom(Column* column, uint64_t hash) {
    if (!std::exchange(column->is_bloom_read, true)) {
      ARROW_RETURN_NOT_OK(WithChunk(*column, [&](const parquet::ColumnChunkMetaData& chunk) {
        const auto offset = chunk.bloom_filter_offset();
        if (!offset.has_value()) return arrow::Status::OK();
        return BloomFilter::Open(file_.input(), *offset, chunk.bloom_filter_length())
            .Value(&column->bloom);
      }));
    }
    return column->bloom.has_value() ? column->bloom->MayHold(hash) : true;
  }

  // A column that has a Bloom filter is not worth it: that has answered nearly as well.
  arrow::Status ReadDictionary(Column* column) {
    if (std::exchange(column->is_dictionary_read, true) || column->bloom.has_value()) {
      return arrow::Status::OK();
    }
    return ReadDictionaryValues(file_, row_group_, *column->stored, dictionary_bytes_)
        .Value(&column->values);
  }

  const ParquetFile& file_;
  const int row_group_;
  const std::vector<int32_t>& ids_;
  std::vector<Column> columns_;  // in the order of ids_
  int64_t dictionary_bytes_ = 0;
  arrow::Status status_;
};

// Goes through the rows of a row group from one page border to the next, over all columns.
class PageWalk {
 public:
  PageWalk(const std::vector<std::optional<PageFacts>>& columns, int64_t rows)
      : columns_(columns), at_(columns.size()), borders_{0, rows} {
    for (const auto& column : columns_) {
      if (!column.has_value()) continue;
      for (const PagePlace& page : column->list.pages) borders_.push_back(page.first_row);
    }
    std::sort(borders_.begin(), borders_.end());
    borders_.erase(std::unique(borders_.begin(), borders_.end()), borders_.end());
  }

  bool at_end() const { return next_ + 1 >= borders_.size(); }
  int64_t begin() const { return borders_[next_]; }
  int64_t end() const { return borders_[next_ + 1]; }
  // What is known of the column in these rows; null if it has no index.
  const ColumnFacts* facts(size_t column) const {
    return columns_[column].has_value() ? &columns_[column]->facts[at_[column]] : nullptr;
  }

  void Advance() {
    ++next_;
    if (at_end()) return;
    for (size_t i = 0; i < at_.size(); ++i) {
      if (columns_[i].has_value() && columns_[i]->list.end_row(at_[i]) <= begin()) ++at_[i];
    }
  }

 private:
  const std::vector<std::optional<PageFacts>>& columns_;
  std::vector<size_t> at_;  // the page of each column
  std::vector<int64_t> borders_;
  size_t next_ = 0;
};

void Append(const RowGroupSpan& range, std::vector<RowGroupSpan>* ranges) {
  if (range.rows <= 0) return;
  if (!ranges->empty() && ranges->back().first_row + ranges->back().rows == range.first_row) {
    ranges->back().rows += range.rows;
  } else {
    ranges->push_back(range);
  }
}

// The part of `span` that lies in those rows of its row group.
RowGroupSpan Cut(const RowGroupSpan& span, const RowGroupSpan& group, int64_t begin, int64_t end) {
  const int64_t first = std::max(span.first_row, group.first_row + begin);
  const int64_t last = std::min(span.first_row + span.rows, group.first_row + end);
  return {span.index, first, last - first};
}

// One span of one row group.
class SpanChoice {
 public:
  SpanChoice(const ParquetFile& file, const BoundFilter& filter, const RowGroupSpan& span)
      : file_(file), filter_(filter), span_(span), group_(file.row_groups()[span.index]) {}

  arrow::Result<std::vector<RowGroupSpan>> Choose(const FileTask& task, const RowRequest& request,
                                                  const std::vector<FilterColumn>& filter_columns,
                                                  const ScanColumns& columns) {
    std::vector<std::optional<StoredColumn>> stored;
    for (const FilterColumn& column : filter_columns) {
      ColumnFacts& facts = facts_.emplace_back();
      if (request.prune_row_groups) {
        ARROW_ASSIGN_OR_RAISE(facts, RowGroupFacts(file_, group_, column, task));
      }
      stored.push_back(FindStoredColumn(file_, *column.request, *column.projection));
    }
    std::vector<RowGroupSpan> ranges = {span_};
    if (filter_.MustMatch(GroupFacts())) return ranges;
    GroupAnswers answers(file_, span_.index, filter_, stored);
    if (request.use_bloom_filters) {
      const bool may = MayMatchBloom(&answers);
      ARROW_RETURN_NOT_OK(answers.status());
      if (!may) return std::vector<RowGroupSpan>{};
    }
    if (request.prune_pages) {
      ARROW_ASSIGN_OR_RAISE(ranges, MatchingRanges(stored));
    }
    if (request.use_dictionaries && !ranges.empty()) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, BytesToRead(columns, ranges));
      answers.set_dictionary_bytes(std::min(kMostDictionaryBytes, bytes / kDictionaryShare));
      const bool may = MayMatchDictionaries(&answers);
      ARROW_RETURN_NOT_OK(answers.status());
      if (!may) ranges.clear();
    }
    return ranges;
  }

 private:
  size_t IndexOf(int32_t field_id) const {
    const auto& ids = filter_.field_ids();
    return std::find(ids.begin(), ids.end(), field_id) - ids.begin();
  }

  BoundFilter::Facts GroupFacts() const {
    return [this](int32_t field_id) { return facts_[IndexOf(field_id)]; };
  }

  bool MayMatchBloom(GroupAnswers* answers) const {
    BoundFilter::ValueProbe probe;
    probe.may_equal = [&](int32_t id, const Value& value) { return answers->MayEqual(id, value); };
    return filter_.MayMatch(GroupFacts(), probe);
  }

  bool MayMatchDictionaries(GroupAnswers* answers) const {
    BoundFilter::ValueProbe probe;
    probe.all_values = [&](int32_t id) { return answers->AllValues(id); };
    if (!filter_.MayMatch(GroupFacts(), probe)) return false;
    for (size_t i = 0; i < facts_.size(); ++i) {
      const auto* values = answers->ValuesRead(i);
      if (values != nullptr && !MayMatchAnyOf(i, *values)) return false;
    }
    return true;
  }

  // Predicates by themselves may each hold for some value of a column, and yet together for none.
  bool MayMatchAnyOf(size_t column, const std::vector<Value>& values) const {
    const auto may_match = [&](const Value& value) {
      const ColumnFacts constant = FactsOfConstant(value);
      return filter_.MayMatch([&](int32_t field_id) {
        const size_t index = IndexOf(field_id);
        return index == column ? constant : facts_[index];
      });
    };
    return (facts_[column].may_hold_nulls && may_match(Value{})) ||
           std::any_of(values.begin(), values.end(), may_match);
  }

  // The rows of the span of which the page index does not show that they cannot match.
  arrow::Result<std::vector<RowGroupSpan>> MatchingRanges(
      const std::vector<std::optional<StoredColumn>>& stored) const {
    ARROW_ASSIGN_OR_RAISE(const auto columns, ReadFacts(stored));
    std::vector<RowGroupSpan> ranges;
    for (PageWalk walk(columns, group_.rows); !walk.at_end(); walk.Advance()) {
      const bool may_match = filter_.MayMatch([&](int32_t field_id) {
        const size_t column = IndexOf(field_id);
        const ColumnFacts* facts = walk.facts(column);
        return facts != nullptr ? *facts : facts_[column];
      });
      if (may_match) Append(Cut(span_, group_, walk.begin(), walk.end()), &ranges);
    }
    return ranges;
  }

  // By column of the filter.
  arrow::Result<std::vector<std::optional<PageFacts>>> ReadFacts(
      const std::vector<std::optional<StoredColumn>>& stored) const {
    std::vector<StoredColumn> in_file;
    for (const auto& column : stored) {
      if (column.has_value()) in_file.push_back(*column);
    }
    ARROW_ASSIGN_OR_RAISE(auto read, ReadPageFacts(file_, group_, in_file));
    std::vector<std::optional<PageFacts>> columns;
    auto next = read.begin();
    for (const auto& column : stored) {
      columns.push_back(column.has_value() ? std::move(*next++) : std::nullopt);
    }
    return columns;
  }

  // Of all columns of the scan, for those ranges, by the share that they are of the row group.
  arrow::Result<int64_t> BytesToRead(const ScanColumns& columns,
                                     const std::vector<RowGroupSpan>& ranges) const {
    double bytes = 0;
    ARROW_RETURN_NOT_OK(CatchParquet([&] {
      const auto group = file_.metadata().RowGroup(span_.index);
      for (const ScanColumn& column : columns.columns) {
        for (const int leaf : column.projection.leaves()) {
          bytes += static_cast<double>(group->ColumnChunk(leaf)->total_compressed_size());
        }
      }
      return arrow::Status::OK();
    }));
    int64_t rows = 0;
    for (const RowGroupSpan& range : ranges) rows += range.rows;
    bytes *= static_cast<double>(rows) / static_cast<double>(group_.rows);
    return static_cast<int64_t>(std::clamp(bytes, 0.0, 1e15));
  }

  const ParquetFile& file_;
  const BoundFilter& filter_;
  const RowGroupSpan span_;
  const RowGroupSpan group_;
  std::vector<ColumnFacts> facts_;  // of the row group, by column of the filter
};

}  // namespace

arrow::Result<std::vector<RowGroupSpan>> ChooseRowRanges(
    const ParquetFile& file, const FileTask& task, const RowRequest& request,
    const BoundFilter& filter, const std::vector<FilterColumn>& filter_columns,
    const ScanColumns& columns, std::vector<RowGroupSpan> spans) {
  if (!request.prune_pages && !request.use_bloom_filters && !request.use_dictionaries) return spans;
  std::vector<RowGroupSpan> chosen;
  for (const RowGroupSpan& span : spans) {
    SpanChoice choice(file, filter, span);
    ARROW_ASSIGN_OR_RAISE(const auto ranges, choice.Choose(task, request, filter_columns, columns));
    chosen.insert(chosen.end(), ranges.begin(), ranges.end());
  }
  return chosen;
}

}  // namespace esker
