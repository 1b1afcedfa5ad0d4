// Checks a serialised 32-bit Roaring bitmap before the library is let near it.
//
// The library's safe deserialisation stays within the bytes, but it believes what they say: an
// array that is not sorted or a bitset whose count is wrong give wrong answers later, or writes
// past a buffer. So the whole layout is checked here (RoaringFormatSpec, "General layout"):
//
//     cookie, number of containers, which are runs | key and cardinality of each | offsets |
//     containers: sorted 16-bit values, or 8192 bytes of bits, or (start, length - 1) of runs
#pragma once

#include <cstdint>

#include "base/byte_reader.h"

namespace esker {

/// Passes over one bitmap in the portable format and checks it: keys, values and runs ascending,
/// cardinalities right, nothing past the end. Fails the reader at the first fault. O(bytes).
void CheckRoaring(ByteReader* reader);

}  // namespace esker
