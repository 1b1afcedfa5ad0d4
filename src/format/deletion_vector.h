// Deletion vectors (Puffin specification, blob type deletion-vector-v1).
//
//     length, 4 bytes BE | D1 D3 39 64 | bitmaps, 8 bytes LE | key, 4 LE | Roaring | …  | CRC-32,
//     BE
//                        '------------- length bytes, also what the CRC is of ----'
#pragma once

#include <cstdint>
#include <string_view>

#include "arrow/result.h"
#include "format/position_set.h"
#include "format/puffin.h"

namespace esker {

/// Decodes a blob, given whole: the bytes at content_offset, content_size_in_bytes long.
/// Everything is checked: length, magic, checksum, the layout of each bitmap, keys ascending and
/// below 2^31. Errors: Invalid. O(bytes) time and memory.
arrow::Result<PositionSet> ParseDeletionVector(std::string_view blob);

/// Whether a blob is an uncompressed deletion vector, the only kind that the spec allows.
bool IsVectorBlob(const PuffinBlob& blob);

/// Decodes the deletion vector at `offset`, `size` bytes long, of a file given whole. A Puffin
/// file must have an uncompressed blob of that type exactly there (spec: Data File Fields, note
/// 5); a file that is no Puffin file is taken as bare blobs, which early writers made.
/// Errors: Invalid; UnsupportedError as ParsePuffin().
arrow::Result<PositionSet> ReadDeletionVector(std::string_view file, int64_t offset, int64_t size);

}  // namespace esker
