// Any bytes as a manifest list: lines or an error, within bounded memory and time.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "format/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  (void)esker::ReadManifestList(bytes);
  return 0;
}
