// Decimals between unscaled 128-bit numbers and text. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "format/value.h"

namespace esker {

/// "14.20" for 1420 and scale 2: all digits of the scale. Requires 0 <= scale <= 38.
std::string FormatDecimal(int128_t unscaled, int32_t scale);

/// The unscaled number of a text such as "14.20", "-3", "2E+20" at the given scale. None if it is
/// no number, has more fraction digits than the scale (zeros apart) or more digits than the
/// precision: never rounds.
std::optional<int128_t> ParseDecimal(std::string_view text, int32_t precision, int32_t scale);

}  // namespace esker
