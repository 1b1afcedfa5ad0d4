// Key encoder, second part: corners to bounds, and keys back to words.
#include <algorithm>

#include "arrow/buffer.h"
#include "merge/key_column.h"
#include "merge/key_encoder.h"

namespace esker {
namespace {

/// Where the encoding of one half-rank ends up.
enum class End {
  kNot,     ///< whole: the next half-rank counts
  kAt,      ///< the value bits hold, but nothing behind them may count
  kLowest,  ///< before every value
  kHighest  ///< after every value
};

struct Half {
  bool null = false;
  End end = End::kNot;
  uint128_t bits = 0;  ///< in output order
  std::string bytes;   ///< kBytes and wide kFixed: ascending
};

/// kBytes and kFixed wider than 128 bits.
Half HalfOfBytes(const KeyPart& part, const Value& value, End open) {
  Half half;
  const auto* bytes = std::get_if<std::string>(&value);
  if (bytes == nullptr) {
    half.end = open;
    return half;
  }
  half.bytes = *bytes;
  if (part.kind == KeyKind::kFixed) {
    half.bytes.resize(part.width / 8, '\0');
    if (half.bytes.size() != bytes->size()) half.end = End::kAt;
  }
  return half;
}

Half HalfOfBits(const KeyPart& part, const Value& value, End open) {
  Half half;
  const ValueBits bits = BitsOfValue(part, value);
  if (!bits.usable) {
    half.end = open;
    return half;
  }
  half.bits = part.key.descending ? bits.bits ^ LowMask(part.width) : bits.bits;
  if (!bits.exact) half.end = End::kAt;
  return half;
}

/// A half-rank in encoded terms. What cannot be said exactly goes to the side of `upper`.
Half MakeHalf(const KeyPart& part, const HalfRank& rank, bool upper, bool bytes_only) {
  const End open = upper ? End::kHighest : End::kLowest;
  Half half;
  switch (rank.kind) {
    case HalfRank::Kind::kNullFirst:
    case HalfRank::Kind::kNullLast: {
      const bool first = rank.kind == HalfRank::Kind::kNullFirst;
      half.null = first == part.key.nulls_first;
      if (!half.null) half.end = first ? End::kLowest : End::kHighest;
      return half;
    }
    case HalfRank::Kind::kBeforeValues:
      half.end = End::kLowest;
      return half;
    case HalfRank::Kind::kAfterValues:
      half.end = End::kHighest;
      return half;
    case HalfRank::Kind::kValue:
      return bytes_only ? HalfOfBytes(part, rank.value, open) : HalfOfBits(part, rank.value, open);
  }
  return half;
}

HalfRank RankAt(const Corner& corner, size_t i, bool upper) {
  if (i < corner.size()) return corner[i];
  return {upper ? HalfRank::Kind::kNullLast : HalfRank::Kind::kNullFirst, {}};
}

/// Packs one half; false if nothing behind it counts.
bool PackHalf(const KeyPart& part, const Half& half, int words, uint64_t* key) {
  uint64_t slot = half.null ? NullSlot(part) : ValueSlot(part);
  uint128_t bits = half.null ? 0 : half.bits;
  if (half.end == End::kLowest) bits = 0;
  if (half.end == End::kHighest) bits = LowMask(part.width);
  OrBits(key, words, part.bit + part.width, 1, slot);
  OrWideBits(key, words, part.bit, part.width, bits);
  return half.end == End::kNot;
}

/// Sets the lowest `bits` bits.
void FillLowBits(int words, int bits, uint64_t* key) {
  for (int word = words - 1; bits > 0; --word, bits -= 64) {
    key[word] |= static_cast<uint64_t>(LowMask(std::min(bits, 64)));
  }
}

/// Appends one half; false if nothing behind it counts.
bool AppendHalf(const KeyPart& part, const Half& half, std::string* key) {
  if (half.null) {
    *key += static_cast<char>(part.key.nulls_first ? kNullFirstByte : kNullLastByte);
    return true;
  }
  *key += static_cast<char>(half.end == End::kHighest ? kAfterValuesByte : kValueByte);
  if (half.end == End::kLowest || half.end == End::kHighest) return false;
  const char flip = part.key.descending ? '\xff' : '\0';
  for (const char c : half.bytes) {
    *key += static_cast<char>(c ^ flip);
    if (part.kind == KeyKind::kBytes && c == '\0') *key += static_cast<char>('\xff' ^ flip);
  }
  if (part.kind == KeyKind::kBytes) key->append(2, flip);
  return half.end == End::kNot;
}

/// The bits of a half as the bytes that AppendHalf() takes.
std::string BytesOfBits(const KeyPart& part, const Half& half) {
  std::string bytes((part.width + 7) / 8, '\0');
  const uint128_t ascending = part.key.descending ? half.bits ^ LowMask(part.width) : half.bits;
  StoreBits(ascending, static_cast<int>(bytes.size()), reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

arrow::Result<KeyBatch> OneByteKey(const std::string& key) {
  const std::vector<int64_t> offsets{0, static_cast<int64_t>(key.size())};
  return KeyBatch{0, 1, arrow::Buffer::FromString(key), arrow::Buffer::FromVector(offsets)};
}

/// The value of a part in a packed key; null for a null.
Value ValueOfBits(const KeyPart& part, uint128_t bits) {
  if (part.key.descending) bits ^= LowMask(part.width);
  const auto low = static_cast<uint64_t>(bits);
  switch (part.kind) {
    case KeyKind::kBoolean:
      return Value(low != 0);
    case KeyKind::kInt32:
      return Value(static_cast<int64_t>(static_cast<int32_t>(low ^ 0x80000000u)));
    case KeyKind::kInt64:
      return Value(static_cast<int64_t>(low ^ 1ull << 63));
    case KeyKind::kFloat: {
      const auto word = static_cast<uint32_t>(low);
      return Value(static_cast<double>(
          std::bit_cast<float>(word >> 31 ? word & 0x7fffffffu : static_cast<uint32_t>(~word))));
    }
    case KeyKind::kDouble:
      return Value(std::bit_cast<double>(low >> 63 ? low & ~(1ull << 63) : ~low));
    case KeyKind::kDecimal:
      return Value(static_cast<int128_t>(bits ^ static_cast<uint128_t>(1) << 127));
    default: {
      std::string bytes(part.width / 8, '\0');
      StoreBits(bits, part.width / 8, reinterpret_cast<uint8_t*>(bytes.data()));
      return Value(bytes);
    }
  }
}

/// Takes the value of a part off the front of a byte key, whose first byte is gone.
Value TakeValue(const KeyPart& part, std::string_view* key) {
  const char flip = part.key.descending ? '\xff' : '\0';
  std::string bytes;
  if (part.kind == KeyKind::kBytes) {
    while (key->size() >= 2) {
      const char c = static_cast<char>((*key)[0] ^ flip);
      const bool escaped = c == '\0';
      const bool ends = escaped && (*key)[1] == flip;
      key->remove_prefix(escaped ? 2 : 1);
      if (ends) return Value(bytes);
      bytes += c;
    }
    return Value(bytes);
  }
  const size_t length = std::min<size_t>((part.width + 7) / 8, key->size());
  for (const char c : key->substr(0, length)) bytes += static_cast<char>(c ^ flip);
  key->remove_prefix(length);
  if (part.kind == KeyKind::kFixed) return Value(bytes);
  const uint128_t bits =
      OrderedBits(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size()));
  return ValueOfBits(part, part.key.descending ? bits ^ LowMask(part.width) : bits);
}

std::vector<Value> DecodePacked(const KeyLayout& layout, const uint64_t* key) {
  std::vector<Value> values;
  for (const KeyPart& part : layout.parts) {
    const bool is_null = ReadBits(key, layout.words, part.bit + part.width, 1) == NullSlot(part);
    values.push_back(
        is_null ? Value() : ValueOfBits(part, ReadBits(key, layout.words, part.bit, part.width)));
  }
  return values;
}

std::vector<Value> DecodeBytes(const KeyLayout& layout, std::string_view key) {
  std::vector<Value> values;
  for (const KeyPart& part : layout.parts) {
    if (key.empty()) break;
    const auto slot = static_cast<uint8_t>(key[0]);
    key.remove_prefix(1);
    values.push_back(slot == kValueByte ? TakeValue(part, &key) : Value());
  }
  return values;
}

}  // namespace

arrow::Result<KeyBatch> KeyEncoder::EncodeLower(const Corner& corner) const {
  return EncodeCorner(corner, /*upper=*/false);
}

arrow::Result<KeyBatch> KeyEncoder::EncodeUpper(const Corner& corner) const {
  return EncodeCorner(corner, /*upper=*/true);
}

arrow::Result<KeyBatch> KeyEncoder::EncodeCorner(const Corner& corner, bool upper) const {
  std::vector<uint64_t> packed(std::max(layout_.words, 1), 0);
  std::string bytes;
  for (size_t i = 0; i < layout_.parts.size(); ++i) {
    const KeyPart& part = layout_.parts[i];
    const bool bytes_only = part.kind == KeyKind::kBytes || part.width > 128;
    Half half = MakeHalf(part, RankAt(corner, i, upper), upper, bytes_only);
    if (layout_.words > 0) {
      if (PackHalf(part, half, layout_.words, packed.data())) continue;
      // Nothing behind counts: all zeros for a lower bound, all ones for an upper one.
      if (upper) FillLowBits(layout_.words, part.bit, packed.data());
      break;
    }
    if (!bytes_only) half.bytes = BytesOfBits(part, half);
    if (AppendHalf(part, half, &bytes)) continue;
    if (upper && half.end == End::kAt) bytes += '\xff';
    break;
  }
  if (layout_.words == 0) return OneByteKey(bytes);
  return KeyBatch{layout_.words, 1, arrow::Buffer::FromVector(std::move(packed)), nullptr};
}

std::string KeyEncoder::ToString(KeyRow key) const {
  const std::vector<Value> values =
      layout_.words > 0
          ? DecodePacked(layout_, reinterpret_cast<const uint64_t*>(key.batch->data->data()) +
                                      key.row * layout_.words)
          : DecodeBytes(layout_, ByteView(*key.batch)[key.row]);
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) text += ", ";
    text += ValueToString(values[i], layout_.parts[i].type);
  }
  return text + ")";
}

}  // namespace esker
