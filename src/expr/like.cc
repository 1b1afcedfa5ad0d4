#include "expr/like.h"

#include "base/status.h"

namespace esker::expr_internal {
namespace {

// The place behind the character that starts at `i`.
size_t NextCharacter(std::string_view text, size_t i) {
  const auto byte_at = [&](size_t at) { return static_cast<unsigned char>(text[at]); };
  const bool leads = byte_at(i++) >= 0xC0;
  while (leads && i < text.size() && (byte_at(i) & 0xC0) == 0x80) ++i;
  return i;
}

}  // namespace

arrow::Result<LikePattern> CompileLike(std::string_view text) {
  LikePattern pattern;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (pattern.empty() || pattern.back() != kAnyCharacters) pattern.push_back(kAnyCharacters);
    } else if (c == '_') {
      pattern.push_back(kAnyCharacter);
    } else if (c != '\\') {
      pattern.push_back(static_cast<unsigned char>(c));
    } else {
      const char escaped = ++i < text.size() ? text[i] : '\0';
      if (escaped != '%' && escaped != '_' && escaped != '\\') {
        return UsageError("in a pattern \\ stands only before %, _ and \\");
      }
      pattern.push_back(static_cast<unsigned char>(escaped));
    }
  }
  return pattern;
}

std::string LiteralPrefix(const LikePattern& pattern) {
  std::string prefix;
  for (const uint16_t unit : pattern) {
    if (unit >= kAnyCharacter) break;
    prefix += static_cast<char>(unit);
  }
  return prefix;
}

std::string LikeText(const LikePattern& pattern) {
  std::string text;
  for (const uint16_t unit : pattern) {
    if (unit == kAnyCharacters) {
      text += '%';
    } else if (unit == kAnyCharacter) {
      text += '_';
    } else {
      const char c = static_cast<char>(unit);
      if (c == '%' || c == '_' || c == '\\') text += '\\';
      text += c;
    }
  }
  return text;
}

bool LikeMatches(const LikePattern& pattern, std::string_view text) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  size_t p = 0;
  size_t t = 0;
  size_t last_any = kNone;  // place in the pattern of the last % met
  size_t any_end = 0;       // what that % has taken ends here
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == kAnyCharacters) {
      last_any = p++;
      any_end = t;
    } else if (p < pattern.size() && pattern[p] == kAnyCharacter) {
      ++p;
      t = NextCharacter(text, t);
    } else if (p < pattern.size() && pattern[p] == static_cast<unsigned char>(text[t])) {
      ++p;
      ++t;
    } else if (last_any != kNone) {
      any_end = NextCharacter(text, any_end);
      t = any_end;
      p = last_any + 1;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == kAnyCharacters) ++p;
  return p == pattern.size();
}

}  // namespace esker::expr_internal
