#include "read/read_cost.h"

#include <algorithm>

#include "parquet/metadata.h"
#include "parquet/size_statistics.h"
#include "parquet/types.h"
#include "read/parquet_status.h"
#include "read/row_group_map.h"

namespace esker {
namespace {

// Writers end a page at about this size, but look at it only after so many values.
constexpr int64_t kPageBytes = 1 << 20;
constexpr int64_t kPageValues = 1024;
// The windows of compressed bytes: small reads cost requests, large ones memory.
constexpr int64_t kLeastBufferBytes = 16 << 10;
constexpr int64_t kMostBufferBytes = 128 << 10;
// A string whose length nobody tells.
constexpr int64_t kStringBytes = 32;
// Rows decoded at once in a pass over a delete file, at most.
constexpr int64_t kMostPassRows = 16384;
// What Arrow adds to a value: validity, levels, the offset of a string.
constexpr int64_t kOverheadBytes = 8;
// No count or estimate of a leaf is above this, so that sums of many do not overflow.
constexpr int64_t kMostBytes = int64_t{1} << 40;

// One leaf of one row group.
struct LeafCost {
  int64_t page_bytes = 0;        // a page and the dictionary, both uncompressed: held
  int64_t dictionary_bytes = 0;  // uncompressed
  int64_t passing_bytes = 0;     // held besides while the next page or the dictionary is made
  int64_t chunk_bytes = 0;       // compressed
  int64_t decoded_bytes = 0;     // all of its rows as an Arrow array
};

// Counts out of a footer may be anything.
int64_t Bounded(int64_t count) { return std::clamp<int64_t>(count, 0, kMostBytes); }

// Compressed; 0 if there is none, or where the offsets make no sense.
int64_t DictionaryBytes(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.has_dictionary_page()) return 0;
  const int64_t bytes = chunk.data_page_offset() - chunk.dictionary_page_offset();
  return std::clamp<int64_t>(bytes, 0, Bounded(chunk.total_compressed_size()));
}

int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t values = Bounded(chunk.num_values());
  int64_t value_bytes = 0;
  switch (chunk.type()) {
    case parquet::Type::BYTE_ARRAY: {
      const auto sizes = chunk.size_statistics();
      if (sizes != nullptr && sizes->unencoded_byte_array_data_bytes.has_value()) {
        return Bounded(Bounded(*sizes->unencoded_byte_array_data_bytes) + values * kOverheadBytes);
      }
      value_bytes = kStringBytes;
      break;
    }
    case parquet::Type::FIXED_LEN_BYTE_ARRAY:
      value_bytes = 16;  // decimals and uuid; longer ones show in the size of the chunk
      break;
    default:
      value_bytes = 8;
  }
  return Bounded(std::max(values * value_bytes, Bounded(chunk.total_uncompressed_size())) +
                 values * kOverheadBytes);
}

LeafCost CostOf(const parquet::ColumnChunkMetaData& chunk) {
  LeafCost cost;
  cost.chunk_bytes = Bounded(chunk.total_compressed_size());
  const int64_t dictionary = DictionaryBytes(chunk);
  const int64_t uncompressed = Bounded(chunk.total_uncompressed_size());
  // What the dictionary shrinks to is not told apart from the rest.
  const double growth =
      static_cast<double>(uncompressed + 1) / static_cast<double>(cost.chunk_bytes + 1);
  const auto plain = Bounded(static_cast<int64_t>(
      std::min(static_cast<double>(dictionary) * std::max(growth, 1.0), 1e12)));
  const int64_t data = Bounded(uncompressed - plain);
  const int64_t values = std::max<int64_t>(Bounded(chunk.num_values()), 1);
  const int64_t page = std::min(data, std::max(kPageBytes, data / values * kPageValues));
  cost.page_bytes = page + plain;
  cost.dictionary_bytes = plain;
  cost.passing_bytes = std::max(std::min(cost.chunk_bytes - dictionary, page), dictionary + plain);
  cost.decoded_bytes = DecodedBytes(chunk);
  return cost;
}

// Sums over the leaves of some columns; of several row groups the dearest counts.
struct ColumnsCost {
  int64_t page_bytes = 0;
  int64_t passing_bytes = 0;  // one leaf at a time
  int64_t all_passing_bytes = 0;
  int64_t largest_chunk = 0;
  int64_t leaves = 0;
  int64_t row_bytes = 0;  // of one row, decoded
};

ColumnsCost CostOf(const parquet::RowGroupMetaData& metadata, std::span<const int> leaves) {
  ColumnsCost cost;
  int64_t decoded_bytes = 0;
  for (const int leaf : leaves) {
    const LeafCost one = CostOf(*metadata.ColumnChunk(leaf));
    cost.page_bytes += one.page_bytes;
    cost.passing_bytes = std::max(cost.passing_bytes, one.passing_bytes);
    cost.all_passing_bytes += one.passing_bytes;
    cost.largest_chunk = std::max(cost.largest_chunk, one.chunk_bytes);
    decoded_bytes += one.decoded_bytes;
    ++cost.leaves;
  }
  if (cost.leaves > 0) {
    cost.row_bytes = decoded_bytes / std::max<int64_t>(metadata.num_rows(), 1) + 1;
  }
  return cost;
}

void TakeDearest(const ColumnsCost& cost, ColumnsCost* most) {
  most->page_bytes = std::max(most->page_bytes, cost.page_bytes);
  most->passing_bytes = std::max(most->passing_bytes, cost.passing_bytes);
  most->all_passing_bytes = std::max(most->all_passing_bytes, cost.all_passing_bytes);
  most->largest_chunk = std::max(most->largest_chunk, cost.largest_chunk);
  most->leaves = std::max(most->leaves, cost.leaves);
  most->row_bytes = std::max(most->row_bytes, cost.row_bytes);
}

std::vector<int> LeavesOf(const OpenedFile& opened, const std::vector<int>& indices) {
  std::vector<int> leaves;
  for (const int index : indices) {
    const auto& of_column = opened.columns->columns[index].projection.leaves();
    leaves.insert(leaves.end(), of_column.begin(), of_column.end());
  }
  return leaves;
}

arrow::Result<ColumnsCost> CostOf(const OpenedFile& opened, const std::vector<int>& indices) {
  const std::vector<int> leaves = LeavesOf(opened, indices);
  ColumnsCost most;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    const RowGroupMap map(opened.row_groups);
    for (size_t group = 0; group < map.groups(); ++group) {
      TakeDearest(CostOf(*opened.file->metadata().RowGroup(map.index(group)), leaves), &most);
    }
    return arrow::Status::OK();
  }));
  return most;
}

// Rows that are read of one row group, at most.
int64_t MostRowsOfARowGroup(const OpenedFile& opened) {
  const RowGroupMap map(opened.row_groups);
  int64_t most = 0;
  for (size_t group = 0; group < map.groups(); ++group) {
    most = std::max(most, map.end(group) - map.start(group));
  }
  return most;
}

// The rows between two borders around a row, on average over all rows.
double MeanGap(const std::vector<int64_t>& borders) {
  double squares = 0;
  for (size_t i = 0; i + 1 < borders.size(); ++i) {
    const auto gap = static_cast<double>(borders[i + 1] - borders[i]);
    squares += gap * gap;
  }
  return squares / static_cast<double>(std::max<int64_t>(borders.back(), 1));
}

// So many rows that decoding them is worth what a piece of those columns costs besides.
arrow::Result<int64_t> RowsWorthAPiece(const OpenedFile& opened, const std::vector<int>& indices) {
  const RowGroupPages& pages = *opened.last_pages;
  // Decoded, and as they are read.
  double besides = 0;
  double row_bytes = 0;
  double read_besides = 0;
  double read_row_bytes = 0;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    const auto metadata = opened.file->metadata().RowGroup(pages.row_group);
    for (const int index : indices) {
      const int one[] = {index};
      const double gap = MeanGap(BordersOf(pages, *opened.columns, one));
      for (const int leaf : opened.columns->columns[index].projection.leaves()) {
        const LeafCost cost = CostOf(*metadata->ColumnChunk(leaf));
        const double leaf_row =
            static_cast<double>(cost.decoded_bytes) / static_cast<double>(pages.rows);
        besides += gap * leaf_row + static_cast<double>(cost.dictionary_bytes);
        row_bytes += leaf_row;
        const int64_t dictionary = DictionaryBytes(*metadata->ColumnChunk(leaf));
        const double read_row =
            static_cast<double>(cost.chunk_bytes - dictionary) / static_cast<double>(pages.rows);
        read_besides += gap * read_row + static_cast<double>(dictionary);
        read_row_bytes += read_row;
      }
    }
    return arrow::Status::OK();
  }));
  if (row_bytes <= 0) return 0;
  const double worth =
      std::max(besides / row_bytes, read_row_bytes > 0 ? read_besides / read_row_bytes : 0.0);
  return static_cast<int64_t>(std::min(worth, static_cast<double>(pages.rows)));
}

arrow::Result<PieceRows> ChoosePieceRows(const OpenedFile& opened, int64_t decode_rows) {
  constexpr int64_t kBatches = 4;
  PieceRows rows;
  ARROW_ASSIGN_OR_RAISE(const int64_t eager, RowsWorthAPiece(opened, opened.columns->eager));
  ARROW_ASSIGN_OR_RAISE(const int64_t lazy, RowsWorthAPiece(opened, opened.columns->lazy));
  rows.lazy = std::max(lazy, kBatches * decode_rows);
  rows.eager = std::max(eager, rows.lazy);
  return rows;
}

int64_t MultiplyOrMost(int64_t a, int64_t b) {
  int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? kMostBytes : std::min(product, kMostBytes);
}

int64_t BufferBytes(int64_t decode_bytes, int64_t leaves, int64_t largest_chunk) {
  const int64_t buffer = std::clamp(decode_bytes / leaves, kLeastBufferBytes, kMostBufferBytes);
  return std::clamp<int64_t>(largest_chunk, 1, buffer);
}

}  // namespace

arrow::Result<ReadCost> EstimateReadCost(const OpenedFile& opened, int64_t decode_bytes,
                                         ReadShape shape) {
  ARROW_ASSIGN_OR_RAISE(const ColumnsCost eager, CostOf(opened, opened.columns->eager));
  ARROW_ASSIGN_OR_RAISE(const ColumnsCost lazy, CostOf(opened, opened.columns->lazy));
  const int64_t leaves = std::max<int64_t>(eager.leaves + lazy.leaves, 1);

  ReadCost cost;
  cost.memory.row_bytes = std::max<int64_t>(eager.row_bytes + lazy.row_bytes, 1);
  const int64_t most_rows = std::clamp<int64_t>(opened.request->batch_rows, 1, 1 << 24);
  cost.decode_rows = std::clamp<int64_t>(decode_bytes / cost.memory.row_bytes, 1, most_rows);
  cost.buffer_bytes =
      BufferBytes(decode_bytes, leaves, std::max(eager.largest_chunk, lazy.largest_chunk));

  cost.memory.held_bytes = eager.page_bytes + lazy.page_bytes + leaves * cost.buffer_bytes +
                           (shape.in_parallel ? eager.all_passing_bytes + lazy.all_passing_bytes
                                              : std::max(eager.passing_bytes, lazy.passing_bytes));
  const int64_t rows = MostRowsOfARowGroup(opened);
  if (!shape.reversed) {
    // One block waits and one is made, and one may be there ahead of time.
    const int64_t blocks = shape.reads_ahead ? 3 : 2;
    cost.memory.held_bytes +=
        MultiplyOrMost(blocks * std::min(cost.decode_rows, rows), eager.row_bytes);
  } else if (opened.last_pages != nullptr) {
    // One piece waits and one is made, and the lazy columns of one are there.
    ARROW_ASSIGN_OR_RAISE(cost.piece_rows, ChoosePieceRows(opened, cost.decode_rows));
    cost.memory.held_bytes +=
        MultiplyOrMost(std::min(2 * cost.piece_rows.eager, rows), eager.row_bytes) +
        MultiplyOrMost(std::min(cost.piece_rows.lazy, rows), lazy.row_bytes);
  } else {
    cost.memory.held_bytes += MultiplyOrMost(rows, cost.memory.row_bytes);
  }
  return cost;
}

arrow::Result<ReadCost> EstimatePassCost(const parquet::FileMetaData& metadata,
                                         std::span<const int> leaves, int64_t decode_bytes) {
  ColumnsCost most;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    for (int group = 0; group < metadata.num_row_groups(); ++group) {
      TakeDearest(CostOf(*metadata.RowGroup(group), leaves), &most);
    }
    return arrow::Status::OK();
  }));
  ReadCost cost;
  const int64_t count = std::max<int64_t>(most.leaves, 1);
  cost.buffer_bytes = BufferBytes(decode_bytes, count, most.largest_chunk);
  cost.memory.row_bytes = std::max<int64_t>(most.row_bytes, 1);
  cost.decode_rows = std::clamp<int64_t>(decode_bytes / cost.memory.row_bytes, 1, kMostPassRows);
  // The rows as Parquet gives them, and in the types that the columns have now.
  const int64_t rows = std::min(cost.decode_rows, Bounded(metadata.num_rows()));
  cost.memory.held_bytes = most.page_bytes + count * cost.buffer_bytes + most.passing_bytes +
                           MultiplyOrMost(2 * rows, cost.memory.row_bytes);
  return cost;
}

}  // namespace esker
