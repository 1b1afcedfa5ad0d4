#include "order/sort_key.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/ascii.h"

namespace esker {
namespace {

bool IsNameStart(char c) { return IsAsciiLetter(c) || c == '_'; }
bool IsNamePart(char c) { return IsNameStart(c) || IsAsciiDigit(c); }

// One part of a dotted name: a letter, then letters and digits.
bool IsPlainPart(std::string_view part) {
  return !part.empty() && IsNameStart(part.front()) &&
         std::all_of(part.begin(), part.end(), IsNamePart);
}

// The words that an order is written with, in any case.
bool IsOrderWord(std::string_view part) {
  static constexpr std::array<std::string_view, 5> kWords = {"asc", "desc", "nulls", "first",
                                                             "last"};
  return std::find(kWords.begin(), kWords.end(), AsciiLower(part)) != kWords.end();
}

bool NeedsQuotes(std::string_view name) {
  if (IsOrderWord(name)) return true;
  size_t begin = 0;
  while (true) {
    const size_t dot = name.find('.', begin);
    const bool is_last = dot == std::string_view::npos;
    if (!IsPlainPart(name.substr(begin, is_last ? dot : dot - begin))) return true;
    if (is_last) return false;
    begin = dot + 1;
  }
}

std::string Quoted(std::string_view name) {
  if (!NeedsQuotes(name)) return std::string(name);
  std::string text = "\"";
  for (char c : name) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string ToString(const SortKey& key) {
  std::string text = Quoted(key.name);
  if (!key.transform.is_identity()) text = key.transform.text + "(" + text + ")";
  text += key.descending ? " desc" : " asc";
  return text + (key.nulls_first ? " nulls first" : " nulls last");
}

}  // namespace

bool IsSortable(const Type& type) {
  switch (type.id) {
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap:
      return false;
    case TypeId::kFixed:
      return type.length <= kMaxFixedKeyBytes;
    default:
      return true;
  }
}

bool IsSameFunction(const Transform& a, const Transform& b) {
  return a.kind == b.kind && a.width == b.width && a.kind != Transform::Kind::kUnknown;
}

std::string ToString(const SortKeys& keys) {
  std::string text;
  for (const SortKey& key : keys) {
    if (!text.empty()) text += ", ";
    text += ToString(key);
  }
  return text;
}

}  // namespace esker
