#include "format/roaring_check.h"

#include <bit>
#include <string_view>
#include <vector>

namespace esker {
namespace {

constexpr uint32_t kCookieWithoutRuns = 12346;
constexpr uint32_t kCookieWithRuns = 12347;
constexpr uint32_t kMaxContainers = 1 << 16;
constexpr uint32_t kMinContainersForOffsets = 4;  // where there are runs
constexpr uint32_t kMaxArrayCardinality = 4096;
constexpr int kBitsetWords = 1024;

struct Container {
  uint32_t cardinality = 0;
  bool runs = false;
};

void CheckArray(uint32_t cardinality, ByteReader* reader) {
  int32_t previous = -1;
  for (uint32_t i = 0; i < cardinality && reader->ok(); ++i) {
    const int32_t value = reader->ReadFixed<uint16_t>();
    if (value <= previous) return reader->Fail("bitmap values that are not ascending");
    previous = value;
  }
}

void CheckBitset(uint32_t cardinality, ByteReader* reader) {
  uint32_t count = 0;
  for (int i = 0; i < kBitsetWords && reader->ok(); ++i) {
    count += static_cast<uint32_t>(std::popcount(reader->ReadFixed<uint64_t>()));
  }
  if (count != cardinality) reader->Fail("bitmap with a wrong number of bits");
}

void CheckRuns(uint32_t cardinality, ByteReader* reader) {
  const uint32_t runs = reader->ReadFixed<uint16_t>();
  uint32_t count = 0;
  uint32_t next = 0;  // the least value that the next run may start with
  for (uint32_t i = 0; i < runs && reader->ok(); ++i) {
    const uint32_t start = reader->ReadFixed<uint16_t>();
    const uint32_t end = start + reader->ReadFixed<uint16_t>() + 1;
    if (start < next || end > kMaxContainers) return reader->Fail("bitmap runs that overlap");
    count += end - start;
    next = end;
  }
  if (count != cardinality) reader->Fail("bitmap runs with a wrong cardinality");
}

}  // namespace

void CheckRoaring(ByteReader* reader) {
  const uint32_t cookie = reader->ReadFixed<uint32_t>();
  const bool has_runs = (cookie & 0xffff) == kCookieWithRuns;
  if (!has_runs && cookie != kCookieWithoutRuns) return reader->Fail("no Roaring bitmap");
  const uint32_t count = has_runs ? (cookie >> 16) + 1 : reader->ReadFixed<uint32_t>();
  if (count > kMaxContainers) return reader->Fail("bitmap with too many containers");
  const std::string_view run_flags = has_runs ? reader->ReadBytes((count + 7) / 8) : "";
  if (!reader->ok()) return;

  std::vector<Container> containers;
  int32_t previous_key = -1;
  for (uint32_t i = 0; i < count && reader->ok(); ++i) {
    const int32_t key = reader->ReadFixed<uint16_t>();
    if (key <= previous_key) return reader->Fail("bitmap keys that are not ascending");
    previous_key = key;
    const uint32_t cardinality = reader->ReadFixed<uint16_t>() + uint32_t{1};
    containers.push_back({cardinality, has_runs && (run_flags[i / 8] >> (i % 8) & 1) != 0});
  }
  // The offsets only serve random access; containers follow one another without gaps.
  if (!has_runs || count >= kMinContainersForOffsets) reader->Skip(int64_t{count} * 4);
  for (const Container& container : containers) {
    if (!reader->ok()) return;
    if (container.runs) {
      CheckRuns(container.cardinality, reader);
    } else if (container.cardinality <= kMaxArrayCardinality) {
      CheckArray(container.cardinality, reader);
    } else {
      CheckBitset(container.cardinality, reader);
    }
  }
}

}  // namespace esker
