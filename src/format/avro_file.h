// The Avro object container file (Avro specification: Object Container Files), read from memory.
//
//     "Obj" 0x01 | metadata: map of string to bytes | sync, 16 bytes
//     count | size in bytes | that many bytes, compressed | sync         … any number of blocks
//
// A file without any block is a valid, empty file.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "base/byte_reader.h"
#include "format/avro_codec.h"
#include "format/avro_schema.h"

namespace esker {

/// One block, inflated. `bytes` hold until the next call of AvroFile::Next().
struct AvroBlock {
  int64_t count = 0;  ///< objects, as the block says; only bounded to be at most bytes.size()
  std::string_view bytes;
  int64_t position = 0;  ///< of the block in the file, for messages
};

/// Reads a container file block by block. Borrows the bytes of the file: they must outlive it.
/// Not thread-safe. After an error, Next() must not be called again.
class AvroFile {
 public:
  /// Reads the header. Errors: Invalid with byte position where the header is damaged or holds
  /// no schema; UnsupportedError for an encrypted file and for a codec other than
  /// null, deflate, snappy and zstandard.
  static arrow::Result<AvroFile> Open(std::string_view bytes);

  const AvroSchema& schema() const { return schema_; }

  /// The header's value for `key`, if it is there. O(keys).
  std::optional<std::string_view> FindMetadata(std::string_view key) const;

  /// The next block, or nothing at the end of the file. A block with a count of 0 is passed over.
  /// Errors: Invalid with byte position for a damaged block, a wrong sync marker, a negative count
  /// or one above the inflated bytes (no object that Esker reads is empty), a block that inflates
  /// to more than 256 MiB, and for more than 2 GiB inflated in all.
  arrow::Result<std::optional<AvroBlock>> Next();

 private:
  AvroFile(std::string_view bytes, AvroSchema schema,
           std::vector<std::pair<std::string_view, std::string_view>> metadata,
           std::string_view sync, AvroCodec codec, int64_t position);

  std::string_view bytes_;
  AvroSchema schema_;
  std::vector<std::pair<std::string_view, std::string_view>> metadata_;
  std::string_view sync_;
  std::unique_ptr<AvroInflater> inflater_;
  int64_t position_ = 0;
  int64_t inflated_bytes_ = 0;
};

}  // namespace esker
