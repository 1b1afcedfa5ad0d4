#include "order/packed_corners.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>
#include <string_view>
#include <variant>

namespace esker {
namespace {

using Kind = HalfRank::Kind;

constexpr uint64_t kGreatest = std::numeric_limits<uint64_t>::max();
constexpr uint64_t kSignBit = uint64_t{1} << 63;

struct Word {
  uint64_t bits = 0;
  bool is_whole = true;  // no other value has these bits
};

uint64_t OrderedBits(int64_t value) { return static_cast<uint64_t>(value) ^ kSignBit; }

// Zeros become equal and every NaN the greatest, as CompareValues() has them.
uint64_t OrderedBits(double value) {
  if (value != value) return kGreatest;
  if (value == 0.0) return kSignBit;
  const auto bits = std::bit_cast<uint64_t>(value);
  return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit;
}

Word Ascending(std::monostate) { return {kSignBit, true}; }
Word Ascending(bool value) { return {kSignBit + (value ? 1 : 0), true}; }
Word Ascending(int64_t value) { return {OrderedBits(value), true}; }
Word Ascending(double value) { return {OrderedBits(value), true}; }

Word Ascending(int128_t value) {
  constexpr int128_t kLeast = std::numeric_limits<int64_t>::min();
  constexpr int128_t kMost = std::numeric_limits<int64_t>::max();
  const auto clamped = static_cast<int64_t>(std::clamp(value, kLeast, kMost));
  return {OrderedBits(clamped), clamped == value};
}

// Seven bytes, filled up with zeros, and the length: it tells "a" from "a\0", and longer strings
// from those that end here. Longer ones may share a word. Neither end of the words is met.
Word Ascending(std::string_view value) {
  constexpr size_t kBytes = 7;
  uint64_t bits = 0;
  for (size_t i = 0; i < kBytes; ++i) {
    bits = bits << 8 | (i < value.size() ? static_cast<unsigned char>(value[i]) : 0);
  }
  const size_t length = std::min(value.size(), kBytes + 1);
  return {bits << 8 | (length + 2), value.size() <= kBytes};
}

Word WordOfValue(const Value& value, bool descending, size_t skipped_bytes) {
  const auto* bytes = std::get_if<std::string>(&value);
  Word word = bytes != nullptr ? Ascending(std::string_view(*bytes).substr(skipped_bytes))
                               : std::visit([](const auto& v) { return Ascending(v); }, value);
  if (descending) word.bits = ~word.bits;
  // The two words at either end are taken.
  const uint64_t clamped = std::clamp(word.bits, uint64_t{2}, kGreatest - 2);
  if (clamped != word.bits) word = {clamped, false};
  return word;
}

Word WordOf(const HalfRank& rank, bool descending, size_t skipped_bytes) {
  switch (rank.kind) {
    case Kind::kNullFirst:
      return {0, true};
    case Kind::kBeforeValues:
      return {1, true};
    case Kind::kAfterValues:
      return {kGreatest - 1, true};
    case Kind::kNullLast:
      return {kGreatest, true};
    default:
      return WordOfValue(rank.value, descending, skipped_bytes);
  }
}

// How many bytes all strings of a key begin with alike ("tenant-"): they need no place in a word.
class SharedPrefix {
 public:
  void Add(const HalfRank& rank) {
    const auto* bytes = std::get_if<std::string>(&rank.value);
    if (bytes == nullptr) return;
    if (first_ == nullptr) {
      first_ = bytes;
      length_ = bytes->size();
      return;
    }
    const size_t most = std::min(length_, bytes->size());
    const auto differs = std::mismatch(bytes->begin(), bytes->begin() + most, first_->begin());
    length_ = static_cast<size_t>(differs.first - bytes->begin());
  }
  size_t length() const { return length_; }

 private:
  const std::string* first_ = nullptr;
  size_t length_ = 0;
};

size_t SharedPrefixLength(std::span<const KeyRange> files, size_t key) {
  SharedPrefix prefix;
  for (const KeyRange& file : files) {
    prefix.Add(file.lower[key]);
    prefix.Add(file.upper[key]);
  }
  return prefix.length();
}

bool HasBytes(const Type& type) {
  return type.id == TypeId::kString || type.id == TypeId::kBinary || type.id == TypeId::kFixed ||
         type.id == TypeId::kUuid;
}

}  // namespace

PackedCorners::PackedCorners(std::span<const SortKey> keys, std::span<const KeyRange> files)
    : keys_(keys),
      files_(files),
      key_count_(keys.size()),
      words_(2 * files.size() * keys.size()),
      skipped_bytes_(keys.size(), 0),
      is_whole_(keys.size(), 1) {
  for (size_t i = 0; i < key_count_; ++i) {
    if (HasBytes(keys[i].type)) skipped_bytes_[i] = SharedPrefixLength(files, i);
  }
  uint64_t* words = words_.data();
  for (const KeyRange& file : files) {
    Pack(file.lower, words);
    Pack(file.upper, words + key_count_);
    words += 2 * key_count_;
  }
}

void PackedCorners::Pack(const Corner& corner, uint64_t* words) {
  for (size_t i = 0; i < key_count_; ++i) {
    const Word word = WordOf(corner[i], keys_[i].descending, skipped_bytes_[i]);
    words[i] = word.bits;
    if (!word.is_whole) is_whole_[i] = 0;
  }
}

std::weak_ordering PackedCorners::Compare(Id a, Id b) const {
  const uint64_t* a_words = words(a);
  const uint64_t* b_words = words(b);
  for (size_t i = 0; i < key_count_; ++i) {
    if (a_words[i] != b_words[i]) return a_words[i] <=> b_words[i];
    if (is_whole_[i]) continue;
    const auto order = CompareHalfRanks(keys_[i], corner(a)[i], corner(b)[i]);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

}  // namespace esker
