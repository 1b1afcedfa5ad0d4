// The Puffin container (Puffin specification, version 1): blobs of bytes and a JSON footer.
//
//     "PFA1" | blob | blob … | "PFA1" | JSON | its size, 4 LE | flags, 4 | "PFA1"
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace esker {

/// One blob as the footer describes it.
struct PuffinBlob {
  std::string type;  ///< "deletion-vector-v1", "apache-datasketches-theta-v1", …
  std::vector<int32_t> fields;
  int64_t snapshot_id = -1;
  int64_t sequence_number = -1;
  int64_t offset = 0;             ///< in the file; lies inside it
  int64_t length = 0;             ///< bytes in the file
  std::string compression_codec;  ///< "" if the blob is not compressed
  std::map<std::string, std::string> properties;
};

struct PuffinFile {
  std::vector<PuffinBlob> blobs;
  std::map<std::string, std::string> properties;

  /// The blob that lies exactly there, or null. O(blobs).
  const PuffinBlob* FindBlob(int64_t offset, int64_t length) const;
};

/// True if the file starts with Puffin's magic bytes.
bool LooksLikePuffin(std::string_view file);

/// Parses the footer of a file given whole; blobs are not looked into. A footer compressed with
/// LZ4 is inflated, up to 64 MiB. Errors: Invalid for a damaged file or a blob that lies outside
/// of it; UnsupportedError for flags that version 1 does not know.
arrow::Result<PuffinFile> ParsePuffin(std::string_view file);

/// What stands at the end of every Puffin file and tells how long the footer is.
inline constexpr int64_t kPuffinTrailerBytes = 12;

/// How many bytes at the end of a file of `file_size` bytes are its footer, by its last bytes, at
/// least kPuffinTrailerBytes of them. Invalid where that cannot be.
arrow::Result<int64_t> PuffinFooterBytes(std::string_view tail, int64_t file_size);

/// As ParsePuffin(), of the footer alone: so many bytes as PuffinFooterBytes() says.
arrow::Result<PuffinFile> ParsePuffinFooter(std::string_view footer, int64_t file_size);

}  // namespace esker
