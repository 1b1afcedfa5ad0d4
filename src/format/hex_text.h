// Bytes as hexadecimal text, two digits each.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace esker {

/// In lower case.
std::string FormatHex(std::string_view bytes);
void AppendHex(std::string_view bytes, std::string* out);

/// Digits of either case; nullopt for an odd number of them or anything else.
std::optional<std::string> ParseHex(std::string_view text);

/// The 16 bytes of a UUID: digits in groups of 8-4-4-4-12; nullopt for any other form.
std::optional<std::string> ParseUuid(std::string_view text);

}  // namespace esker
