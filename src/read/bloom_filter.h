// Bloom filter: the split-block filter that a Parquet file may hold for a column chunk.
//
// The filter is a row of blocks of 32 bytes. A value's hash names one block and one bit in each of
// its eight words; a value of which any bit is missing was never put in. So a question costs 32
// bytes of the file, however large the filter is: it is not read as a whole unless it is small.
//
//     offset  header (thrift)  | block 0 | block 1 | ... | block n - 1
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "arrow/io/type_fwd.h"
#include "arrow/result.h"

namespace esker {

class BloomFilter {
 public:
  /// Reads the header at `offset`, and what follows of a small filter. nullopt for a header that is
  /// damaged, does not fit the file (or `length`, where the footer gives it), or names another
  /// algorithm. IOError where the file cannot be read. One read.
  static arrow::Result<std::optional<BloomFilter>> Open(
      std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t offset,
      std::optional<int64_t> length);

  /// False only if no value with that hash (xxHash64 of its plain bytes) was put in. One read of 32
  /// bytes at most.
  arrow::Result<bool> MayHold(uint64_t hash) const;

 private:
  BloomFilter() = default;
  arrow::Result<std::string> ReadBlock(int64_t block) const;

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  int64_t bitset_offset_ = 0;
  int64_t blocks_ = 0;
  std::string head_;  // the first bytes of the bitset
};

}  // namespace esker
