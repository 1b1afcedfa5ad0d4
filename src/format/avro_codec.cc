#include "format/avro_codec.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <new>

#include "arrow/status.h"
#include "base/byte_order.h"
#include "base/status.h"

namespace esker {
namespace {

constexpr size_t kFirstBufferBytes = 64 << 10;
constexpr size_t kChecksumBytes = 4;

}  // namespace

// Decoder states are kept from block to block; making one costs more than a small block.
struct AvroInflater::State {
  z_stream zlib{};
  bool zlib_ready = false;
  ZSTD_DStream* zstd = nullptr;

  ~State() {
    if (zlib_ready) inflateEnd(&zlib);
    ZSTD_freeDStream(zstd);
  }
};

arrow::Result<AvroCodec> ParseAvroCodec(std::string_view name) {
  if (name.empty() || name == "null") return AvroCodec::kNull;
  if (name == "deflate") return AvroCodec::kDeflate;
  if (name == "snappy") return AvroCodec::kSnappy;
  if (name == "zstandard") return AvroCodec::kZstandard;
  return UnsupportedError("Avro codec '", name.substr(0, 40), "'");
}

AvroInflater::AvroInflater(AvroCodec codec, int64_t max_block_bytes)
    : codec_(codec),
      max_block_bytes_(static_cast<size_t>(max_block_bytes)),
      state_(std::make_unique<State>()) {}

AvroInflater::~AvroInflater() = default;

arrow::Result<std::string_view> AvroInflater::Inflate(std::string_view block) {
  switch (codec_) {
    case AvroCodec::kDeflate:
      return InflateDeflate(block);
    case AvroCodec::kSnappy:
      return InflateSnappy(block);
    case AvroCodec::kZstandard:
      return InflateZstandard(block);
    default:
      return block;
  }
}

// Makes room for `wanted` bytes and keeps the first `used`. Fails if `wanted` is above the limit.
arrow::Status AvroInflater::Grow(size_t used, size_t wanted) {
  if (wanted > max_block_bytes_) {
    return arrow::Status::Invalid("Avro block inflates to more than ", max_block_bytes_, " bytes");
  }
  if (wanted <= capacity_) return arrow::Status::OK();
  const size_t capacity =
      std::min(max_block_bytes_, std::max({wanted, 2 * capacity_, kFirstBufferBytes}));
  std::unique_ptr<char[]> grown(new (std::nothrow) char[capacity]);
  if (grown == nullptr) return arrow::Status::OutOfMemory("Avro block of ", capacity, " bytes");
  if (used > 0) std::memcpy(grown.get(), buffer_.get(), used);
  buffer_ = std::move(grown);
  capacity_ = capacity;
  return arrow::Status::OK();
}

arrow::Result<std::string_view> AvroInflater::InflateDeflate(std::string_view block) {
  z_stream& zlib = state_->zlib;
  // Negative window bits: raw deflate, without zlib's header and checksum (Avro: Required Codecs).
  const int begun = state_->zlib_ready ? inflateReset(&zlib) : inflateInit2(&zlib, -15);
  if (begun != Z_OK) return arrow::Status::OutOfMemory("zlib cannot start");
  state_->zlib_ready = true;
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(block.data()));
  zlib.avail_in = static_cast<uInt>(block.size());
  size_t used = 0;
  for (;;) {
    ARROW_RETURN_NOT_OK(Grow(used, used + 1));
    const size_t room = capacity_ - used;
    zlib.next_out = reinterpret_cast<Bytef*>(buffer_.get() + used);
    zlib.avail_out = static_cast<uInt>(room);
    const int result = inflate(&zlib, Z_NO_FLUSH);
    used += room - zlib.avail_out;
    if (result == Z_STREAM_END) return std::string_view(buffer_.get(), used);
    if (result == Z_MEM_ERROR) return arrow::Status::OutOfMemory("zlib has no memory");
    if (result != Z_OK || zlib.avail_out > 0)
      return arrow::Status::Invalid("damaged deflate block");
  }
}

arrow::Result<std::string_view> AvroInflater::InflateSnappy(std::string_view block) {
  if (block.size() < kChecksumBytes) return arrow::Status::Invalid("snappy block without checksum");
  const std::string_view packed = block.substr(0, block.size() - kChecksumBytes);
  size_t size = 0;
  if (!snappy::GetUncompressedLength(packed.data(), packed.size(), &size)) {
    return arrow::Status::Invalid("damaged snappy block");
  }
  ARROW_RETURN_NOT_OK(Grow(0, std::max<size_t>(size, 1)));
  if (!snappy::RawUncompress(packed.data(), packed.size(), buffer_.get())) {
    return arrow::Status::Invalid("damaged snappy block");
  }
  const uint32_t checksum =
      static_cast<uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(buffer_.get()), size));
  if (checksum != LoadBigEndian<uint32_t>(block.substr(packed.size()))) {
    return arrow::Status::Invalid("snappy block with a wrong checksum");
  }
  return std::string_view(buffer_.get(), size);
}

arrow::Result<std::string_view> AvroInflater::InflateZstandard(std::string_view block) {
  if (state_->zstd == nullptr) state_->zstd = ZSTD_createDStream();
  if (state_->zstd == nullptr) return arrow::Status::OutOfMemory("zstd has no memory");
  ZSTD_initDStream(state_->zstd);
  ZSTD_inBuffer in{block.data(), block.size(), 0};
  size_t used = 0;
  size_t left = 1;  // 0 when a frame has ended
  while (in.pos < in.size || left != 0) {
    ARROW_RETURN_NOT_OK(Grow(used, used + 1));
    ZSTD_outBuffer out{buffer_.get(), capacity_, used};
    left = ZSTD_decompressStream(state_->zstd, &out, &in);
    if (ZSTD_isError(left)) {
      return arrow::Status::Invalid("damaged zstd block: ", ZSTD_getErrorName(left));
    }
    used = out.pos;
    if (left != 0 && in.pos == in.size && used < capacity_) {
      return arrow::Status::Invalid("zstd block is cut");
    }
  }
  return std::string_view(buffer_.get(), used);
}

}  // namespace esker
