// Compression of the blocks of an Avro file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "arrow/result.h"

namespace esker {

enum class AvroCodec { kNull, kDeflate, kSnappy, kZstandard };

/// From the value of the header key "avro.codec"; "" (the key is absent) is kNull.
/// UnsupportedError for every other name, "bzip2" and "xz" among them.
arrow::Result<AvroCodec> ParseAvroCodec(std::string_view name);

/// Inflates the blocks of one file, one after another, into one buffer that it reuses.
///
/// A block may say little or nothing about its inflated size, and what it says may be a lie. So
/// the buffer grows as bytes come out and inflating stops at `max_block_bytes`. Not thread-safe.
class AvroInflater {
 public:
  explicit AvroInflater(AvroCodec codec, int64_t max_block_bytes = int64_t{256} << 20);
  ~AvroInflater();
  AvroInflater(const AvroInflater&) = delete;
  AvroInflater& operator=(const AvroInflater&) = delete;

  /// The inflated bytes. They lie in this object and hold until the next call; with kNull they
  /// are `block` itself. Bytes after the end of a deflate stream are ignored, as some writers
  /// leave a part of zlib's checksum there. snappy: the checksum (CRC-32 of the inflated bytes,
  /// big-endian, at the end of the block) is compared.
  /// Errors: Invalid for a damaged block and for one above the limit; OutOfMemory.
  arrow::Result<std::string_view> Inflate(std::string_view block);

 private:
  struct State;

  arrow::Result<std::string_view> InflateDeflate(std::string_view block);
  arrow::Result<std::string_view> InflateSnappy(std::string_view block);
  arrow::Result<std::string_view> InflateZstandard(std::string_view block);
  arrow::Status Grow(size_t used, size_t wanted);

  AvroCodec codec_;
  size_t max_block_bytes_;
  std::unique_ptr<char[]> buffer_;
  size_t capacity_ = 0;
  std::unique_ptr<State> state_;
};

}  // namespace esker
