#include "order/corner.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace esker {
namespace {

using Kind = HalfRank::Kind;

// Bytes of the UTF-8 character that starts `text`, 0 if there is no whole one.
size_t CharacterLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const size_t length = byte(0) < 0x80                      ? 1
                        : byte(0) >= 0xC2 && byte(0) < 0xE0 ? 2
                        : byte(0) >= 0xE0 && byte(0) < 0xF0 ? 3
                        : byte(0) >= 0xF0 && byte(0) < 0xF5 ? 4
                                                            : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

size_t ValidPrefixLength(std::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t length = CharacterLength(text.substr(end));
    if (length == 0) break;
    end += length;
  }
  return end;
}

// Truncation counts characters, and a bound may be cut inside one. On such bytes it no longer
// keeps order. The whole characters before the cut are still a lower bound, yet no upper one.
Value WholeCharacters(const Value& bound, bool is_lower) {
  const auto& text = std::get<std::string>(bound);
  const size_t valid = ValidPrefixLength(text);
  if (valid == text.size()) return bound;
  return is_lower ? Value(text.substr(0, valid)) : Value{};
}

// The bound of T(column); null where there is none.
Value MapBound(const SortKey& key, const Value& bound, bool is_lower) {
  if (!FitsType(bound, key.type)) return Value{};
  if (key.transform.is_identity()) return bound;
  if (!key.transform.preserves_order()) return Value{};
  Value source = bound;
  if (key.type.id == TypeId::kString) source = WholeCharacters(bound, is_lower);
  if (IsNull(source)) return Value{};
  auto mapped = ApplyTransform(key.transform, key.type, source);
  return mapped.ok() ? *std::move(mapped) : Value{};
}

HalfRank NullSlot(const SortKey& key) {
  return {key.nulls_first ? Kind::kNullFirst : Kind::kNullLast, Value{}};
}

HalfRank RankOf(Value value, Kind if_unknown) {
  if (IsNull(value)) return {if_unknown, Value{}};
  return {Kind::kValue, std::move(value)};
}

struct HalfRanks {
  HalfRank lower;
  HalfRank upper;
};

// Where the values of a column, nulls left out, begin and end in output order.
HalfRanks RanksOfValues(const SortKey& key, const ColumnFacts& facts) {
  Value least = MapBound(key, facts.lower, /*is_lower=*/true);
  Value greatest = MapBound(key, facts.upper, /*is_lower=*/false);
  // NaN is above every bound but itself.
  if (key.type.is_floating() && facts.may_hold_nan && !IsNan(greatest)) greatest = Value{};
  if (key.descending) std::swap(least, greatest);
  HalfRanks ranks = {RankOf(std::move(least), Kind::kBeforeValues),
                     RankOf(std::move(greatest), Kind::kAfterValues)};
  // Corners must not cross, whatever facts come in: such bounds are none (docs/order.md, 2).
  if (ranks.lower.kind == Kind::kValue && ranks.upper.kind == Kind::kValue) {
    const auto order = CompareValues(ranks.lower.value, ranks.upper.value);
    if (key.descending ? order < 0 : order > 0) {
      ranks = {{Kind::kBeforeValues, Value{}}, {Kind::kAfterValues, Value{}}};
    }
  }
  return ranks;
}

// What the file's partition says of exactly this key, null if nothing.
const Value* PartitionValue(const SortKey& key, const ColumnFacts& facts) {
  const Type type = TransformResultType(key.transform, key.type);
  for (const auto& [transform, value] : facts.partition_transforms) {
    if (!IsSameFunction(transform, key.transform)) continue;
    if (IsNull(value) || FitsType(value, type)) return &value;
  }
  return nullptr;
}

HalfRanks MakeHalfRanks(const SortKey& key, const ColumnFacts& facts) {
  const HalfRank null_slot = NullSlot(key);
  const auto transform = key.transform.kind;
  if (facts.all_null || transform == Transform::Kind::kVoid) return {null_slot, null_slot};
  if (const Value* value = PartitionValue(key, facts)) {
    const HalfRank rank = IsNull(*value) ? null_slot : HalfRank{Kind::kValue, *value};
    return {rank, rank};
  }
  HalfRanks ranks = RanksOfValues(key, facts);
  // What an unknown transform makes of a value is unknown, null included.
  if (facts.may_hold_nulls || transform == Transform::Kind::kUnknown) {
    (key.nulls_first ? ranks.lower : ranks.upper) = null_slot;
  }
  return ranks;
}

std::string ToString(const SortKey& key, const HalfRank& rank) {
  switch (rank.kind) {
    case Kind::kBeforeValues:
      return "-inf";
    case Kind::kAfterValues:
      return "+inf";
    case Kind::kValue:
      return ValueToString(rank.value, TransformResultType(key.transform, key.type));
    default:
      return "null";
  }
}

}  // namespace

KeyRange MakeKeyRange(std::span<const SortKey> keys, std::span<const ColumnFacts> facts) {
  KeyRange range;
  range.lower.reserve(keys.size());
  range.upper.reserve(keys.size());
  const ColumnFacts nothing_known;
  for (size_t i = 0; i < keys.size(); ++i) {
    HalfRanks ranks = MakeHalfRanks(keys[i], i < facts.size() ? facts[i] : nothing_known);
    range.lower.push_back(std::move(ranks.lower));
    range.upper.push_back(std::move(ranks.upper));
  }
  return range;
}

std::weak_ordering CompareHalfRanks(const SortKey& key, const HalfRank& a, const HalfRank& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.kind != Kind::kValue) return std::weak_ordering::equivalent;
  return key.descending ? CompareValues(b.value, a.value) : CompareValues(a.value, b.value);
}

std::weak_ordering CompareCorners(std::span<const SortKey> keys, const Corner& a, const Corner& b) {
  const size_t count = std::min({keys.size(), a.size(), b.size()});
  for (size_t i = 0; i < count; ++i) {
    const auto order = CompareHalfRanks(keys[i], a[i], b[i]);
    if (order != 0) return order;
  }
  return std::weak_ordering::equivalent;
}

std::string ToString(std::span<const SortKey> keys, const Corner& corner) {
  std::string text = "(";
  for (size_t i = 0; i < std::min(keys.size(), corner.size()); ++i) {
    if (i > 0) text += ", ";
    text += ToString(keys[i], corner[i]);
  }
  return text + ")";
}

}  // namespace esker
