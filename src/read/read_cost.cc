#include "read/read_cost.h"

#include <algorithm>

#include "parquet/metadata.h"
#include "parquet/size_statistics.h"
#include "parquet/types.h"
#include "read/parquet_status.h"

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
// What Arrow adds to a value: validity, levels, the offset of a string.
constexpr int64_t kOverheadBytes = 8;

// One leaf of one row group.
struct LeafCost {
  int64_t page_bytes = 0;     // what is held of its pages, without the window
  int64_t chunk_bytes = 0;    // compressed
  int64_t decoded_bytes = 0;  // all of its rows as an Arrow array
};

int64_t Positive(int64_t bytes) { return std::max<int64_t>(bytes, 0); }

// Compressed; 0 if there is none, or where the offsets make no sense.
int64_t DictionaryBytes(const parquet::ColumnChunkMetaData& chunk) {
  if (!chunk.has_dictionary_page()) return 0;
  const int64_t bytes = chunk.data_page_offset() - chunk.dictionary_page_offset();
  return std::clamp<int64_t>(bytes, 0, Positive(chunk.total_compressed_size()));
}

int64_t DecodedBytes(const parquet::ColumnChunkMetaData& chunk) {
  const int64_t values = Positive(chunk.num_values());
  int64_t value_bytes = 0;
  switch (chunk.type()) {
    case parquet::Type::BYTE_ARRAY: {
      const auto sizes = chunk.size_statistics();
      if (sizes != nullptr && sizes->unencoded_byte_array_data_bytes.has_value()) {
        return Positive(*sizes->unencoded_byte_array_data_bytes) + values * kOverheadBytes;
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
  return std::max(values * value_bytes, Positive(chunk.total_uncompressed_size())) +
         values * kOverheadBytes;
}

LeafCost CostOf(const parquet::ColumnChunkMetaData& chunk) {
  LeafCost cost;
  cost.chunk_bytes = Positive(chunk.total_compressed_size());
  const int64_t dictionary = DictionaryBytes(chunk);
  const int64_t uncompressed = Positive(chunk.total_uncompressed_size());
  // The dictionary is held as a page and decoded. What it shrinks to is not told apart.
  const double growth =
      static_cast<double>(uncompressed + 1) / static_cast<double>(cost.chunk_bytes + 1);
  const auto plain = static_cast<int64_t>(static_cast<double>(dictionary) * std::max(growth, 1.0));
  const int64_t data = Positive(uncompressed - plain);
  const int64_t values = std::max<int64_t>(chunk.num_values(), 1);
  const int64_t page = std::min(data, std::max(kPageBytes, data / values * kPageValues));
  cost.page_bytes = page + std::min(cost.chunk_bytes - dictionary, page) + 2 * plain;
  cost.decoded_bytes = DecodedBytes(chunk);
  return cost;
}

// Sums over the leaves of some columns; of several row groups the dearest counts.
struct ColumnsCost {
  int64_t page_bytes = 0;
  int64_t largest_chunk = 0;
  int64_t leaves = 0;
  int64_t row_bytes = 0;        // of one row, decoded
  int64_t row_group_bytes = 0;  // of the largest row group, decoded
};

int64_t CeilDivide(int64_t bytes, int64_t rows) { return bytes / std::max<int64_t>(rows, 1) + 1; }

arrow::Result<ColumnsCost> CostOf(const OpenedFile& opened, const std::vector<int>& indices) {
  ColumnsCost most;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    for (const RowGroupSpan& group : opened.row_groups) {
      const auto metadata = opened.file->metadata().RowGroup(group.index);
      ColumnsCost cost;
      for (const int index : indices) {
        for (const int leaf : opened.columns->columns[index].projection.leaves()) {
          const LeafCost one = CostOf(*metadata->ColumnChunk(leaf));
          cost.page_bytes += one.page_bytes;
          cost.row_group_bytes += one.decoded_bytes;
          most.largest_chunk = std::max(most.largest_chunk, one.chunk_bytes);
          ++cost.leaves;
        }
      }
      most.page_bytes = std::max(most.page_bytes, cost.page_bytes);
      most.leaves = std::max(most.leaves, cost.leaves);
      most.row_group_bytes = std::max(most.row_group_bytes, cost.row_group_bytes);
      most.row_bytes = std::max(most.row_bytes, CeilDivide(cost.row_group_bytes, group.rows));
    }
    return arrow::Status::OK();
  }));
  return most;
}

}  // namespace

arrow::Result<ReadCost> EstimateReadCost(const OpenedFile& opened, int64_t decode_bytes,
                                         bool reversed) {
  ARROW_ASSIGN_OR_RAISE(const ColumnsCost eager, CostOf(opened, opened.columns->eager));
  ARROW_ASSIGN_OR_RAISE(const ColumnsCost lazy, CostOf(opened, opened.columns->lazy));
  const int64_t leaves = std::max<int64_t>(eager.leaves + lazy.leaves, 1);

  ReadCost cost;
  cost.memory.row_bytes = std::max<int64_t>(eager.row_bytes + lazy.row_bytes, 1);
  const int64_t most_rows = std::clamp<int64_t>(opened.request->batch_rows, 1, 1 << 24);
  cost.decode_rows = std::clamp<int64_t>(decode_bytes / cost.memory.row_bytes, 1, most_rows);
  const int64_t largest_chunk = std::max(eager.largest_chunk, lazy.largest_chunk);
  const int64_t buffer = std::clamp(decode_bytes / leaves, kLeastBufferBytes, kMostBufferBytes);
  cost.buffer_bytes = std::clamp<int64_t>(largest_chunk, 1, buffer);

  cost.memory.held_bytes = eager.page_bytes + lazy.page_bytes + leaves * cost.buffer_bytes;
  // Backwards, a row group is decoded as a whole. Forwards, one block waits and one is made.
  cost.memory.held_bytes += reversed ? eager.row_group_bytes + lazy.row_group_bytes
                                     : 2 * std::min(cost.decode_rows * eager.row_bytes,
                                                    eager.row_group_bytes + eager.row_bytes);
  return cost;
}

}  // namespace esker
