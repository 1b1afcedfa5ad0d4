// Is a text UTF-8? Arrow's check, made ready for use.
#pragma once

#include <cstdint>
#include <string_view>

#include "arrow/util/utf8.h"

namespace esker {

/// O(bytes).
inline bool IsUtf8(std::string_view text) {
  // Arrow takes everything for valid until its table is filled.
  static const bool ready = (arrow::util::InitializeUTF8(), true);
  return ready && arrow::util::ValidateUTF8(reinterpret_cast<const uint8_t*>(text.data()),
                                            static_cast<int64_t>(text.size()));
}

}  // namespace esker
