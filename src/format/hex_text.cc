#include "format/hex_text.h"

#include <cstdint>

namespace esker {
namespace {

std::optional<int> HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

}  // namespace

std::string FormatHex(std::string_view bytes) {
  std::string text;
  text.reserve(2 * bytes.size());
  AppendHex(bytes, &text);
  return text;
}

void AppendHex(std::string_view bytes, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const char byte : bytes) {
    *out += kDigits[static_cast<uint8_t>(byte) >> 4];
    *out += kDigits[static_cast<uint8_t>(byte) & 15];
  }
}

std::optional<std::string> ParseHex(std::string_view text) {
  if (text.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(text.size() / 2);
  for (size_t i = 0; i < text.size(); i += 2) {
    const auto high = HexDigit(text[i]);
    const auto low = HexDigit(text[i + 1]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high * 16 + *low);
  }
  return bytes;
}

std::optional<std::string> ParseUuid(std::string_view text) {
  if (text.size() != 36) return std::nullopt;
  std::string digits;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_dash_place = i == 8 || i == 13 || i == 18 || i == 23;
    if (is_dash_place != (text[i] == '-')) return std::nullopt;
    if (!is_dash_place) digits += text[i];
  }
  return ParseHex(digits);
}

}  // namespace esker
