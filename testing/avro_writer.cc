#include "testing/avro_writer.h"

#include <snappy.h>
#include <zlib.h>
#include <zstd.h>

namespace esker::testing {
namespace {

std::string Deflate(std::string_view bytes) {
  z_stream zlib{};
  deflateInit2(&zlib, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
  std::string packed(deflateBound(&zlib, bytes.size()), '\0');
  zlib.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
  zlib.avail_in = static_cast<uInt>(bytes.size());
  zlib.next_out = reinterpret_cast<Bytef*>(packed.data());
  zlib.avail_out = static_cast<uInt>(packed.size());
  deflate(&zlib, Z_FINISH);
  packed.resize(zlib.total_out);
  deflateEnd(&zlib);
  return packed;
}

std::string Snappy(std::string_view bytes) {
  std::string packed;
  snappy::Compress(bytes.data(), bytes.size(), &packed);
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  for (int shift = 24; shift >= 0; shift -= 8) packed += static_cast<char>(checksum >> shift);
  return packed;
}

std::string Zstandard(std::string_view bytes) {
  std::string packed(ZSTD_compressBound(bytes.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 3));
  return packed;
}

std::string Pack(std::string_view codec, std::string_view bytes) {
  if (codec == "deflate") return Deflate(bytes);
  if (codec == "snappy") return Snappy(bytes);
  if (codec == "zstandard") return Zstandard(bytes);
  return std::string(bytes);
}

}  // namespace

std::string AvroLong(int64_t value) {
  uint64_t raw = static_cast<uint64_t>(value) << 1 ^ static_cast<uint64_t>(value >> 63);
  std::string bytes;
  for (; raw >= 0x80; raw >>= 7) bytes += static_cast<char>(0x80 | (raw & 0x7f));
  return bytes += static_cast<char>(raw);
}

std::string AvroBytes(std::string_view bytes) {
  return AvroLong(static_cast<int64_t>(bytes.size())).append(bytes);
}

std::string AvroSync() { return "0123456789abcdef"; }

std::string AvroContainer(std::string_view schema,
                          const std::vector<std::pair<int64_t, std::string>>& blocks,
                          std::string_view codec,
                          const std::vector<std::pair<std::string, std::string>>& metadata) {
  std::string file("Obj\x01", 4);
  const int64_t keys = 1 + (codec.empty() ? 0 : 1) + static_cast<int64_t>(metadata.size());
  file += AvroLong(keys) + AvroBytes("avro.schema") + AvroBytes(schema);
  if (!codec.empty()) file += AvroBytes("avro.codec") + AvroBytes(codec);
  for (const auto& [key, value] : metadata) file += AvroBytes(key) + AvroBytes(value);
  file += AvroLong(0) + AvroSync();
  for (const auto& [count, objects] : blocks) {
    file += AvroLong(count) + AvroBytes(Pack(codec, objects)) + AvroSync();
  }
  return file;
}

}  // namespace esker::testing
