// Key bits: single values as unsigned bits of the same order, and back.
//
// Signed integers flip their sign bit; floats take the zeros as equal and every NaN as one value
// above all others (docs/order.md, 1); bytes are read as big-endian numbers. All are for an
// ascending key; a descending one takes the complement. Pure; O(1).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "merge/key_layout.h"

namespace esker {

inline uint64_t OrderedBits(bool value) { return value ? 1 : 0; }
inline uint64_t OrderedBits(int32_t value) { return static_cast<uint32_t>(value) ^ 0x80000000u; }
inline uint64_t OrderedBits(int64_t value) { return static_cast<uint64_t>(value) ^ (1ull << 63); }

inline uint64_t OrderedBits(double value) {
  if (std::isnan(value)) return ~0ull;
  const auto bits = std::bit_cast<uint64_t>(value == 0 ? 0.0 : value);
  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

inline uint64_t OrderedBits(float value) {
  if (std::isnan(value)) return ~uint32_t{0};
  const auto bits = std::bit_cast<uint32_t>(value == 0 ? 0.0f : value);
  return bits >> 31 ? static_cast<uint32_t>(~bits) : bits | 1u << 31;
}

inline uint128_t OrderedBits(int128_t value) {
  return static_cast<uint128_t>(value) ^ static_cast<uint128_t>(1) << 127;
}

/// `length` bytes, at most 16, as a number of 8 × length bits.
inline uint128_t OrderedBits(const uint8_t* bytes, int length) {
  uint128_t bits = 0;
  for (int i = 0; i < length; ++i) bits = bits << 8 | bytes[i];
  return bits;
}

/// All ones in the lowest `width` bits, 0 to 128.
inline uint128_t LowMask(int width) {
  if (width >= 128) return ~static_cast<uint128_t>(0);
  return (static_cast<uint128_t>(1) << width) - 1;
}

/// Writes the lowest 8 × length bits, big-endian.
inline void StoreBits(uint128_t bits, int length, uint8_t* out) {
  for (int i = length - 1; i >= 0; --i, bits >>= 8) out[i] = static_cast<uint8_t>(bits);
}

/// Sets bits [bit, bit + width) of a packed key, counted from the right end; they must be zero.
/// width is at most 64.
inline void OrBits(uint64_t* key, int words, int bit, int width, uint64_t value) {
  const int word = words - 1 - bit / 64;
  const int shift = bit % 64;
  key[word] |= value << shift;
  if (shift + width > 64) key[word - 1] |= value >> (64 - shift);
}

/// As OrBits() for a width up to 128.
inline void OrWideBits(uint64_t* key, int words, int bit, int width, uint128_t value) {
  OrBits(key, words, bit, width < 64 ? width : 64, static_cast<uint64_t>(value));
  if (width > 64) OrBits(key, words, bit + 64, width - 64, static_cast<uint64_t>(value >> 64));
}

/// The bits [bit, bit + width) of a packed key.
inline uint128_t ReadBits(const uint64_t* key, int words, int bit, int width) {
  uint128_t value = 0;
  for (int i = width - 1; i >= 0; --i) {
    const int at = bit + i;
    value = value << 1 | (key[words - 1 - at / 64] >> (at % 64) & 1);
  }
  return value;
}

}  // namespace esker
