// Any bytes as a deletion vector, as a Puffin file and as the bitmaps of a vector whose checksum
// is right: positions or an error. Positions must be readable without fault.

#include <zlib.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "format/deletion_vector.h"
#include "format/puffin.h"

namespace {

std::string BigEndian32(uint32_t value) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(value >> shift);
  return text;
}

// Chance would never find a checksum, and nothing behind it would be tried.
std::string WithChecksum(std::string_view bitmaps) {
  std::string body = "\xd1\xd3\x39\x64";
  body += bitmaps;
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return BigEndian32(static_cast<uint32_t>(body.size())) + body +
         BigEndian32(static_cast<uint32_t>(checksum));
}

void Use(const esker::PositionSet& set) {
  constexpr int64_t kMost = 1 << 16;
  std::vector<int64_t> positions;
  const int64_t end = std::min<int64_t>(set.max(), kMost) + 1;
  set.AppendRange(0, end, &positions);
  const int64_t count = set.CountRange(0, end);
  if (count != static_cast<int64_t>(positions.size())) std::abort();
  if (set.max() < kMost && set.cardinality() != count) std::abort();
  if (!std::is_sorted(positions.begin(), positions.end())) std::abort();
  for (const int64_t position : positions) {
    if (!set.Contains(position)) std::abort();
  }
  esker::PositionSet copy;
  copy.Union(set);
  if (!(copy == set)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const auto& set :
       {esker::ParseDeletionVector(bytes), esker::ParseDeletionVector(WithChecksum(bytes)),
        esker::ReadDeletionVector(bytes, 0, static_cast<int64_t>(size))}) {
    if (set.ok()) Use(*set);
  }
  (void)esker::ParsePuffin(bytes);
  return 0;
}
