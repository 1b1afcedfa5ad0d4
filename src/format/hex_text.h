// Bytes as hexadecimal text, two digits each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace esker {

/// In lower case.
std::string FormatHex(std::string_view bytes);

/// Digits of either case; nullopt for an odd number of them or anything else.
std::optional<std::string> ParseHex(std::string_view text);

}  // namespace esker
