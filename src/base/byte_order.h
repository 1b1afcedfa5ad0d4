// Unsigned numbers out of bytes in either order, on a machine of either.
#pragma once

#include <cstdint>
#include <string_view>

namespace esker {

/// The number whose bytes these are, lowest first. Requires no more of them than T has.
template <typename T>
T LoadLittleEndian(std::string_view bytes) {
  T number = 0;
  for (size_t i = 0; i < bytes.size(); ++i) {
    number |= T{static_cast<uint8_t>(bytes[i])} << (8 * i);
  }
  return number;
}

/// The same, highest first.
template <typename T>
T LoadBigEndian(std::string_view bytes) {
  T number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<uint8_t>(byte);
  return number;
}

}  // namespace esker
