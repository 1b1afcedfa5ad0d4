#include "format/deletion_vector.h"

#include <zlib.h>

#include <utility>

#include "arrow/status.h"
#include "base/byte_order.h"
#include "base/byte_reader.h"
#include "format/roaring_check.h"
#include "roaring/roaring.h"

namespace esker {
namespace {

constexpr std::string_view kMagic("\xd1\xd3\x39\x64", 4);
constexpr std::string_view kBlobType = "deletion-vector-v1";
constexpr size_t kLengthBytes = 4;
constexpr size_t kChecksumBytes = 4;
constexpr uint32_t kMaxKey = 0x7fffffff;

// Checks all around the bitmaps and returns these.
arrow::Result<std::string_view> BitmapsOf(std::string_view blob) {
  if (blob.size() < kLengthBytes + kMagic.size() + kChecksumBytes) {
    return arrow::Status::Invalid("deletion vector of only ", blob.size(), " bytes");
  }
  const auto length = LoadBigEndian<uint32_t>(blob.substr(0, kLengthBytes));
  if (blob.size() != kLengthBytes + uint64_t{length} + kChecksumBytes) {
    return arrow::Status::Invalid("deletion vector of ", blob.size(), " bytes says its length is ",
                                  length);
  }
  const std::string_view body = blob.substr(kLengthBytes, length);
  if (!body.starts_with(kMagic)) return arrow::Status::Invalid("deletion vector of a wrong magic");
  const auto* bytes = reinterpret_cast<const Bytef*>(body.data());
  const auto checksum = LoadBigEndian<uint32_t>(blob.substr(kLengthBytes + body.size()));
  if (crc32_z(0, bytes, body.size()) != checksum) {
    return arrow::Status::Invalid("deletion vector with a wrong checksum");
  }
  return body.substr(kMagic.size());
}

arrow::Result<Roaring> ParseRoaring(std::string_view bytes) {
  roaring_bitmap_t* bitmap = roaring_bitmap_portable_deserialize_safe(bytes.data(), bytes.size());
  if (bitmap == nullptr) return arrow::Status::Invalid("bitmap that Roaring does not read");
  return Roaring(bitmap);
}

}  // namespace

arrow::Result<PositionSet> ParseDeletionVector(std::string_view blob) {
  ARROW_ASSIGN_OR_RAISE(const std::string_view bitmaps, BitmapsOf(blob));
  ByteReader reader(bitmaps, kLengthBytes + kMagic.size());
  PositionSet positions;
  int64_t previous_key = -1;
  const uint64_t count = reader.ReadFixed<uint64_t>();
  for (uint64_t i = 0; i < count && reader.ok(); ++i) {
    const uint32_t key = reader.ReadFixed<uint32_t>();
    if (key > kMaxKey || key <= previous_key) {
      reader.Fail("deletion vector with a key too large or not ascending");
    }
    previous_key = key;
    const int64_t start = bitmaps.size() - reader.remaining();
    CheckRoaring(&reader);
    ARROW_RETURN_NOT_OK(reader.status());
    const int64_t size = bitmaps.size() - reader.remaining() - start;
    ARROW_ASSIGN_OR_RAISE(Roaring bitmap, ParseRoaring(bitmaps.substr(start, size)));
    positions.AddBitmap(key, std::move(bitmap));
  }
  if (!reader.at_end()) reader.Fail("bytes after the last bitmap of a deletion vector");
  ARROW_RETURN_NOT_OK(reader.status());
  return positions;
}

bool IsVectorBlob(const PuffinBlob& blob) {
  return blob.type == kBlobType && blob.compression_codec.empty();
}

arrow::Result<PositionSet> ReadDeletionVector(std::string_view file, int64_t offset, int64_t size) {
  const int64_t file_size = static_cast<int64_t>(file.size());
  if (offset < 0 || size < 0 || offset > file_size || size > file_size - offset) {
    return arrow::Status::Invalid("deletion vector at ", offset, " of ", size,
                                  " bytes lies outside of its file of ", file_size, " bytes");
  }
  if (LooksLikePuffin(file)) {
    ARROW_ASSIGN_OR_RAISE(const PuffinFile puffin, ParsePuffin(file));
    const PuffinBlob* blob = puffin.FindBlob(offset, size);
    if (blob == nullptr || !IsVectorBlob(*blob)) {
      return arrow::Status::Invalid("no uncompressed deletion vector at ", offset, " of ", size,
                                    " bytes in the Puffin file");
    }
  }
  return ParseDeletionVector(file.substr(offset, size));
}

}  // namespace esker
