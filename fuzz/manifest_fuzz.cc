// Any bytes as a manifest: entries or an error. What is read by projection must be a part of what
// is read in full.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "format/manifest.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  esker::ManifestFile source;
  source.sequence_number = 3;
  source.first_row_id = 100;
  esker::ManifestProjection everything;
  everything.all_statistics = true;
  everything.deleted_entries = true;
  const auto all = esker::ReadManifest(bytes, source, everything);
  constexpr std::array<int32_t, 2> kWanted = {1, 2};
  esker::ManifestProjection few;
  few.statistics_field_ids = kWanted;
  few.deleted_entries = true;
  const auto some = esker::ReadManifest(bytes, source, few);
  // Reading in full checks more, so it may refuse what projection passes over.
  if (!all.ok()) return 0;
  if (!some.ok() || some->size() != all->size()) std::abort();
  for (size_t i = 0; i < all->size(); ++i) {
    if (some->at(i).file.path != all->at(i).file.path) std::abort();
    if (some->at(i).file.columns.size() > kWanted.size()) std::abort();
  }
  return 0;
}
