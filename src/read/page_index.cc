#include "read/page_index.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "parquet/metadata.h"
#include "parquet/page_index.h"
#include "parquet/properties.h"
#include "parquet/schema.h"
#include "parquet/statistics.h"
#include "read/parquet_status.h"

namespace esker {
namespace {

// Reading what lies between two indexes is cheaper than another read up to this many bytes.
constexpr int64_t kHoleBytes = 8 << 10;
// An index above this is no help in reading less.
constexpr int64_t kMostIndexBytes = 16 << 20;

using Location = std::optional<parquet::IndexLocation>;
using Bytes = std::shared_ptr<arrow::Buffer>;

bool IsInFile(const Location& location, int64_t file_bytes) {
  return location.has_value() && location->offset >= 0 && location->length > 0 &&
         location->length <= kMostIndexBytes && location->offset <= file_bytes - location->length;
}

// The bytes at each location; null for one that is absent or does not lie in the file.
arrow::Result<std::vector<Bytes>> ReadLocations(const ParquetFile& file,
                                                const std::vector<Location>& locations) {
  ARROW_ASSIGN_OR_RAISE(const int64_t file_bytes, file.input()->GetSize());
  std::vector<size_t> order;
  for (size_t i = 0; i < locations.size(); ++i) {
    if (IsInFile(locations[i], file_bytes)) order.push_back(i);
  }
  const auto begin = [&](size_t i) { return locations[order[i]]->offset; };
  const auto end = [&](size_t i) { return begin(i) + locations[order[i]]->length; };
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return locations[a]->offset < locations[b]->offset; });
  std::vector<Bytes> found(locations.size());
  for (size_t first = 0; first < order.size();) {
    int64_t until = end(first);
    size_t next = first + 1;
    for (; next < order.size() && begin(next) <= until + kHoleBytes; ++next) {
      until = std::max(until, end(next));
    }
    ARROW_ASSIGN_OR_RAISE(const Bytes window,
                          file.input()->ReadAt(begin(first), until - begin(first)));
    if (window->size() != until - begin(first)) {
      return arrow::Status::IOError("the file ends inside its page index");
    }
    for (size_t i = first; i < next; ++i) {
      found[order[i]] =
          arrow::SliceBuffer(window, begin(i) - begin(first), locations[order[i]]->length);
    }
    first = next;
  }
  return found;
}

// Calls `decode`, and takes what it throws as "there is none".
template <typename Decode>
auto DecodeOrNull(const Bytes& bytes, const Decode& decode) -> decltype(decode(*bytes)) {
  decltype(decode(*bytes)) index;
  if (bytes == nullptr) return index;
  const arrow::Status decoded = CatchParquet([&] {
    index = decode(*bytes);
    return arrow::Status::OK();
  });
  return decoded.ok() ? std::move(index) : nullptr;
}

std::unique_ptr<parquet::OffsetIndex> DecodeOffsets(const ParquetFile& file, const Bytes& bytes) {
  return DecodeOrNull(bytes, [&](const arrow::Buffer& buffer) {
    return parquet::OffsetIndex::Make(buffer.data(), static_cast<uint32_t>(buffer.size()),
                                      file.reader_properties());
  });
}

std::unique_ptr<parquet::ColumnIndex> DecodeBounds(const ParquetFile& file,
                                                   const StoredColumn& column, const Bytes& bytes) {
  return DecodeOrNull(bytes, [&](const arrow::Buffer& buffer) {
    return parquet::ColumnIndex::Make(column.descriptor, buffer.data(),
                                      static_cast<uint32_t>(buffer.size()),
                                      file.reader_properties());
  });
}

int64_t ChunkOffset(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t data = chunk.data_page_offset();
  if (!chunk.has_dictionary_page() || chunk.dictionary_page_offset() <= 0) return data;
  return std::min(data, chunk.dictionary_page_offset());
}

std::optional<PageList> MakePageList(const parquet::OffsetIndex* index,
                                     const parquet::ColumnChunkMetaData& chunk, int64_t rows) {
  if (index == nullptr || index->page_locations().empty()) return std::nullopt;
  PageList list{ChunkOffset(chunk), rows, {}};
  for (const parquet::PageLocation& page : index->page_locations()) {
    list.pages.push_back({page.offset, page.compressed_page_size, page.first_row_index});
  }
  if (list.chunk_offset < 0 || !FitsChunk(list, chunk.total_compressed_size())) {
    return std::nullopt;
  }
  return list;
}

// Statistics as the page would have them in its header; nullopt where the index contradicts itself.
std::optional<parquet::EncodedStatistics> StatisticsOf(const parquet::ColumnIndex& index,
                                                       size_t page, int64_t rows,
                                                       const Type& type) {
  parquet::EncodedStatistics statistics;
  const bool all_null = index.null_pages()[page];
  const bool is_floating = type.is_floating();
  if (index.has_null_counts()) {
    const int64_t nulls = index.null_counts()[page];
    if (nulls < 0 || nulls > rows || (nulls == rows) != all_null) return std::nullopt;
    statistics.set_null_count(nulls);
  }
  // A page of nothing but NaN has no bounds, either.
  if (all_null && is_floating && !index.has_null_counts()) return std::nullopt;
  if (all_null) {
    statistics.set_null_count(rows);
  } else {
    statistics.set_min(index.encoded_min_values()[page]);
    statistics.set_max(index.encoded_max_values()[page]);
  }
  return statistics;
}

// Old writers compared some types in another order, in the page index as in the footer.
bool HasTrueOrder(const ParquetFile& file, const StoredColumn& column,
                  const parquet::EncodedStatistics& statistics) {
  const parquet::ColumnDescriptor& descriptor = column.descriptor;
  return descriptor.column_order().get_order() == parquet::ColumnOrder::TYPE_DEFINED_ORDER &&
         descriptor.sort_order() != parquet::SortOrder::UNKNOWN &&
         file.metadata().writer_version().HasCorrectStatistics(descriptor.physical_type(),
                                                               statistics, descriptor.sort_order());
}

std::optional<PageFacts> MakePageFacts(const ParquetFile& file, const StoredColumn& column,
                                       std::optional<PageList> list,
                                       const parquet::ColumnIndex* index) {
  if (!list.has_value() || index == nullptr) return std::nullopt;
  const size_t pages = list->pages.size();
  if (index->null_pages().size() != pages || index->encoded_min_values().size() != pages ||
      index->encoded_max_values().size() != pages ||
      (index->has_null_counts() && index->null_counts().size() != pages)) {
    return std::nullopt;
  }
  PageFacts facts{*std::move(list), {}};
  for (size_t i = 0; i < pages; ++i) {
    const int64_t rows = facts.list.end_row(i) - facts.list.pages[i].first_row;
    const auto statistics = StatisticsOf(*index, i, rows, column.type);
    const bool is_known = statistics.has_value() && HasTrueOrder(file, column, *statistics);
    facts.facts.push_back(FactsOfStored(is_known ? &*statistics : nullptr, rows, rows, column));
  }
  return facts;
}

}  // namespace

bool FitsChunk(const PageList& list, int64_t chunk_bytes) {
  int64_t offset = list.pages[0].offset;
  int64_t least_row = 0;
  if (offset < list.chunk_offset || list.pages[0].first_row != 0) return false;
  for (const PagePlace& page : list.pages) {
    if (page.offset != offset || page.bytes <= 0) return false;
    if (page.first_row < least_row || page.first_row >= list.rows) return false;
    if (__builtin_add_overflow(offset, page.bytes, &offset)) return false;
    least_row = page.first_row + 1;
  }
  return offset - list.chunk_offset == chunk_bytes;
}

arrow::Result<std::vector<std::optional<PageList>>> ReadPageLists(const ParquetFile& file,
                                                                  const RowGroupSpan& group,
                                                                  std::span<const int> leaves) {
  std::vector<std::optional<PageList>> lists;
  ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
    const auto metadata = file.metadata().RowGroup(group.index);
    std::vector<Location> locations;
    for (const int leaf : leaves) {
      locations.push_back(metadata->ColumnChunk(leaf)->GetOffsetIndexLocation());
    }
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadLocations(file, locations));
    for (size_t i = 0; i < leaves.size(); ++i) {
      const auto index = DecodeOffsets(file, bytes[i]);
      lists.push_back(MakePageList(index.get(), *metadata->ColumnChunk(leaves[i]), group.rows));
    }
    return arrow::Status::OK();
  }));
  return lists;
}

arrow::Result<std::vector<std::optional<PageFacts>>> ReadPageFacts(
    const ParquetFile& file, const RowGroupSpan& group, std::span<const StoredColumn> columns) {
  std::vector<std::optional<PageFacts>> facts;
  ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
    const auto metadata = file.metadata().RowGroup(group.index);
    std::vector<Location> locations;
    for (const StoredColumn& column : columns) {
      const auto chunk = metadata->ColumnChunk(column.leaf.leaf);
      const Location offsets = chunk->GetOffsetIndexLocation();
      const Location bounds = chunk->GetColumnIndexLocation();
      const bool both = offsets.has_value() && bounds.has_value();
      locations.push_back(both ? offsets : std::nullopt);
      locations.push_back(both ? bounds : std::nullopt);
    }
    ARROW_ASSIGN_OR_RAISE(const auto bytes, ReadLocations(file, locations));
    for (size_t i = 0; i < columns.size(); ++i) {
      const auto offsets = DecodeOffsets(file, bytes[2 * i]);
      const auto bounds = DecodeBounds(file, columns[i], bytes[2 * i + 1]);
      const auto chunk = metadata->ColumnChunk(columns[i].leaf.leaf);
      facts.push_back(MakePageFacts(file, columns[i],
                                    MakePageList(offsets.get(), *chunk, group.rows), bounds.get()));
    }
    return arrow::Status::OK();
  }));
  return facts;
}

}  // namespace esker
