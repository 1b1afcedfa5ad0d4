#include "read/bloom_filter.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "base/byte_reader.h"

namespace esker {
namespace {

constexpr int64_t kHeadBytes = 16 << 10;
constexpr int64_t kBlockBytes = 32;

// One odd number for each word of a block (Parquet's BloomFilter.md).
constexpr std::array<uint32_t, 8> kSalts = {0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d,
                                            0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31};

// A BloomFilterHeader in thrift's compact protocol: field 1 is the size, and fields 2 to 4 say
// block, xxHash and uncompressed by a union of which the first member is set. There are no others.
constexpr char kSizeField = '\x15';
constexpr std::string_view kOnlyChoices("\x1c\x1c\0\0\x1c\x1c\0\0\x1c\x1c\0\0\0", 13);

// The bytes of the bitset; 0 for any other header. `head` then stands at the bitset.
int64_t ReadHeader(ByteReader* head) {
  if (head->ReadBytes(1) != std::string_view(&kSizeField, 1)) return 0;
  const int32_t bytes = head->ReadInt32Varint();
  if (head->ReadBytes(kOnlyChoices.size()) != kOnlyChoices) return 0;
  return bytes > 0 && bytes % kBlockBytes == 0 ? bytes : 0;
}

}  // namespace

arrow::Result<std::optional<BloomFilter>> BloomFilter::Open(
    std::shared_ptr<arrow::io::RandomAccessFile> file, int64_t offset,
    std::optional<int64_t> length) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (offset < 0 || offset >= size) return std::nullopt;
  const int64_t most = std::min(length.value_or(size), size - offset);
  if (most <= 0) return std::nullopt;
  ARROW_ASSIGN_OR_RAISE(const auto buffer, file->ReadAt(offset, std::min(most, kHeadBytes)));
  const std::string_view bytes(*buffer);
  ByteReader head(bytes, offset);
  const int64_t bitset_bytes = ReadHeader(&head);
  if (bitset_bytes == 0 || bitset_bytes > most - (head.position() - offset)) return std::nullopt;
  BloomFilter filter;
  filter.file_ = std::move(file);
  filter.bitset_offset_ = head.position();
  filter.blocks_ = bitset_bytes / kBlockBytes;
  filter.head_ = bytes.substr(head.position() - offset);
  return filter;
}

arrow::Result<std::string> BloomFilter::ReadBlock(int64_t block) const {
  const int64_t first = block * kBlockBytes;
  if (first + kBlockBytes <= static_cast<int64_t>(head_.size())) {
    return head_.substr(first, kBlockBytes);
  }
  ARROW_ASSIGN_OR_RAISE(const auto buffer, file_->ReadAt(bitset_offset_ + first, kBlockBytes));
  return buffer->ToString();
}

arrow::Result<bool> BloomFilter::MayHold(uint64_t hash) const {
  const auto block = static_cast<int64_t>(((hash >> 32) * static_cast<uint64_t>(blocks_)) >> 32);
  ARROW_ASSIGN_OR_RAISE(const std::string bytes, ReadBlock(block));
  ByteReader words(bytes);
  for (const uint32_t salt : kSalts) {
    const uint32_t bit = (static_cast<uint32_t>(hash) * salt) >> 27;
    const auto word = words.ReadFixed<uint32_t>();
    if (!words.ok()) return arrow::Status::IOError("a Bloom filter ends before its header says");
    if ((word >> bit & 1) == 0) return false;
  }
  return true;
}

}  // namespace esker
