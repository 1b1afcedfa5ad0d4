// Key layout: how the keys of a row become one normalised key that compares without knowing types.
//
// A normalised key is a string of bits whose unsigned order is the order asked for: direction,
// null placement, NaN and zeros are settled while encoding, so a comparison is one or a few
// integer comparisons, or one memcmp. Keys of fixed width are packed, right-aligned, into 1 to 4
// words of 64 bits; all others become byte strings.
//
//     int32 asc nulls last         64..33  32            31..0
//       one word                   zeros   null? 1 : 0   value ^ 0x80000000
//
//     (int64 desc nulls first, bool)     word 0: zeros, slot, value bits 63..2 ...
//       68 bits, two words               word 1: ... value bits 1..0, slot, bool
//
//     bytes, per key               02 | value, ended by 00 00, zeros as 00 ff (descending: ~)
//                                  01 or 04 for null;  03 is after every value
//
// A null has zero value bits (no value bytes), so all nulls are equal. The layout is chosen once
// per merge; all inputs share it.
#pragma once

#include <vector>

#include "arrow/result.h"
#include "order/sort_key.h"

namespace esker {

__extension__ typedef unsigned __int128 uint128_t;

enum class KeyKind { kBoolean, kInt32, kInt64, kFloat, kDouble, kDecimal, kFixed, kBytes };

/// One key in a layout.
struct KeyPart {
  SortKey key;
  Type type;  ///< of the encoded value: of the column, or of its transform
  KeyKind kind = KeyKind::kInt64;
  int width = 64;  ///< bits of the value; kFixed: 8 per byte; kBytes: 0
  int bit = 0;     ///< place of the lowest value bit, from the right end of the words

  bool transformed() const { return !key.transform.is_identity(); }
};

struct KeyLayout {
  std::vector<KeyPart> parts;
  int words = 1;  ///< words per row; 0 for byte strings
};

/// The most words of a packed key; wider keys are byte strings.
inline constexpr int kMaxKeyWords = 4;

/// Chooses the layout for `keys`. No keys at all give one word of zeros: every row is equal.
/// Unsupported (kUnsupported) for a type that cannot be a key or a transform that is not known.
arrow::Result<KeyLayout> MakeKeyLayout(const SortKeys& keys);

/// The bit pattern of the null slot of a packed key: before or after the slot of values.
inline uint64_t NullSlot(const KeyPart& part) { return part.key.nulls_first ? 0 : 1; }
inline uint64_t ValueSlot(const KeyPart& part) { return part.key.nulls_first ? 1 : 0; }

/// Leading bytes of a key in the byte layout, in their order.
inline constexpr uint8_t kNullFirstByte = 1;
inline constexpr uint8_t kValueByte = 2;
inline constexpr uint8_t kAfterValuesByte = 3;
inline constexpr uint8_t kNullLastByte = 4;

}  // namespace esker
