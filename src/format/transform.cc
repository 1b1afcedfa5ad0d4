#include "format/transform.h"

#include <charconv>
#include <limits>
#include <utility>

#include "base/ascii.h"
#include "base/byte_order.h"
#include "base/status.h"
#include "format/civil_time.h"

namespace esker {
namespace {

using Kind = Transform::Kind;

struct NamedKind {
  std::string_view name;
  Kind kind;
};

constexpr NamedKind kPlainKinds[] = {
    {"identity", Kind::kIdentity}, {"year", Kind::kYear}, {"month", Kind::kMonth},
    {"day", Kind::kDay},           {"hour", Kind::kHour}, {"void", Kind::kVoid},
};
constexpr NamedKind kWideKinds[] = {{"bucket", Kind::kBucket}, {"truncate", Kind::kTruncate}};

// The width in "[16]", 0 if it is none.
int32_t ParseWidth(std::string_view text) {
  if (text.size() < 3 || text.front() != '[' || text.back() != ']') return 0;
  int32_t width = 0;
  const char* end = text.data() + text.size() - 1;
  const auto [stop, error] = std::from_chars(text.data() + 1, end, width);
  return error == std::errc() && stop == end && width > 0 ? width : 0;
}

arrow::Status Misfit(const Transform& transform, const Type& source) {
  return arrow::Status::Invalid("transform ", transform.text, " does not apply to type ",
                                source.ToString());
}

arrow::Status OutOfRange(const Transform& transform) {
  return arrow::Status::Invalid("transform ", transform.text, ": result is out of range");
}

arrow::Result<Value> ToInt(const Transform& transform, int64_t number) {
  if (!std::in_range<int32_t>(number)) return OutOfRange(transform);
  return Value(number);
}

// ---- times ----

struct TimeSource {
  bool is_date = false;
  TimeUnit unit = TimeUnit::kMicros;
};

std::optional<TimeSource> TimeSourceOf(const Type& type) {
  switch (type.id) {
    case TypeId::kDate:
      return TimeSource{true, TimeUnit::kMicros};
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return TimeSource{false, TimeUnit::kMicros};
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return TimeSource{false, TimeUnit::kNanos};
    default:
      return std::nullopt;
  }
}

arrow::Result<Value> ApplyTime(const Transform& transform, const Type& source, int64_t value) {
  const auto time = TimeSourceOf(source);
  if (!time) return Misfit(transform, source);
  if (transform.kind == Kind::kHour) {
    if (time->is_date) return Misfit(transform, source);
    return ToInt(transform, FloorDiv(value, 3600 * UnitsPerSecond(time->unit)));
  }
  const int64_t days = time->is_date ? value : FloorDiv(value, UnitsPerDay(time->unit));
  if (!std::in_range<int32_t>(days)) return OutOfRange(transform);
  if (transform.kind == Kind::kDay) return Value(days);
  const CivilDate date = CivilFromDays(days);
  const int64_t years = date.year - 1970;
  return Value(transform.kind == Kind::kYear ? years : years * 12 + date.month - 1);
}

// ---- truncate ----

// value - (value mod width), the remainder never negative; false below the least number.
template <typename Integer>
bool TruncateNumber(Integer value, Integer width, Integer* result) {
  const Integer rest = ((value % width) + width) % width;
  return !__builtin_sub_overflow(value, rest, result);
}

// The first `count` code points, counted by the bytes that start one: bytes that are no UTF-8 are
// cut somewhere, never read beyond.
std::string TruncateText(const std::string& text, int32_t count) {
  size_t end = 0;
  for (int32_t points = 0; end < text.size(); ++end) {
    const bool starts_point = (static_cast<uint8_t>(text[end]) & 0xC0) != 0x80;
    if (starts_point && ++points > count) break;
  }
  return text.substr(0, end);
}

arrow::Result<Value> TruncateInteger(const Transform& transform, const Type& source,
                                     int64_t value) {
  int64_t result = 0;
  if (!TruncateNumber<int64_t>(value, transform.width, &result)) return OutOfRange(transform);
  if (source.id == TypeId::kInt) return ToInt(transform, result);
  return Value(result);
}

arrow::Result<Value> Truncate(const Transform& transform, const Type& source, const Value& value) {
  switch (source.id) {
    case TypeId::kInt:
    case TypeId::kLong:
      return TruncateInteger(transform, source, std::get<int64_t>(value));
    case TypeId::kDecimal: {
      int128_t result = 0;
      if (!TruncateNumber<int128_t>(std::get<int128_t>(value), transform.width, &result)) {
        return OutOfRange(transform);
      }
      return Value(result);
    }
    case TypeId::kString:
      return Value(TruncateText(std::get<std::string>(value), transform.width));
    case TypeId::kBinary:
      return Value(std::get<std::string>(value).substr(0, static_cast<size_t>(transform.width)));
    default:
      return Misfit(transform, source);
  }
}

// ---- bucket ----

uint32_t RotateLeft(uint32_t bits, int count) { return (bits << count) | (bits >> (32 - count)); }

uint32_t MixBlock(uint32_t block) { return RotateLeft(block * 0xCC9E2D51U, 15) * 0x1B873593U; }

// MurmurHash3 by Austin Appleby (public domain), x86 variant of 32 bits, seed 0.
int32_t Murmur3(std::string_view bytes) {
  const auto length = static_cast<uint32_t>(bytes.size());
  uint32_t hash = 0;
  for (; bytes.size() >= 4; bytes.remove_prefix(4)) {
    hash = RotateLeft(hash ^ MixBlock(LoadLittleEndian<uint32_t>(bytes.substr(0, 4))), 13) * 5 +
           0xE6546B64U;
  }
  if (!bytes.empty()) hash ^= MixBlock(LoadLittleEndian<uint32_t>(bytes));
  hash ^= length;
  hash = (hash ^ (hash >> 16)) * 0x85EBCA6BU;
  hash = (hash ^ (hash >> 13)) * 0xC2B2AE35U;
  return static_cast<int32_t>(hash ^ (hash >> 16));
}

int32_t HashLong(int64_t number) {
  char bytes[8];
  for (int i = 0; i < 8; ++i)
    bytes[i] = static_cast<char>(static_cast<uint64_t>(number) >> (8 * i));
  return Murmur3(std::string_view(bytes, sizeof(bytes)));
}

// Big-endian two's complement in as few bytes as keep the sign.
int32_t HashDecimal(int128_t number) {
  char bytes[16];
  for (int i = 15; i >= 0; --i) {
    bytes[i] = static_cast<char>(static_cast<uint8_t>(number & 0xFF));
    number >>= 8;
  }
  std::string_view least(bytes, sizeof(bytes));
  const auto is_padding = [](char byte, char next) {
    return (byte == '\0' && next >= 0) || (byte == '\xFF' && next < 0);
  };
  while (least.size() > 1 && is_padding(least[0], least[1])) least.remove_prefix(1);
  return Murmur3(least);
}

arrow::Result<Value> Bucket(const Transform& transform, const Type& source, const Value& value) {
  ARROW_ASSIGN_OR_RAISE(const int32_t hash, BucketHash(source, value));
  return Value(int64_t{(hash & std::numeric_limits<int32_t>::max()) % transform.width});
}

Type TypeOf(TypeId id) {
  Type type;
  type.id = id;
  return type;
}

}  // namespace

bool Transform::preserves_order() const {
  return kind != Kind::kBucket && kind != Kind::kVoid && kind != Kind::kUnknown;
}

Transform ParseTransform(std::string_view text) {
  Transform transform;
  transform.text = text;
  for (const NamedKind& plain : kPlainKinds) {
    if (EqualsIgnoringCase(text, plain.name)) transform.kind = plain.kind;
  }
  for (const NamedKind& wide : kWideKinds) {
    if (!EqualsIgnoringCase(text.substr(0, wide.name.size()), wide.name)) continue;
    transform.width = ParseWidth(text.substr(wide.name.size()));
    if (transform.width > 0) transform.kind = wide.kind;
  }
  return transform;
}

Type TransformResultType(const Transform& transform, const Type& source) {
  switch (transform.kind) {
    case Kind::kIdentity:
    case Kind::kTruncate:
    case Kind::kVoid:
      return source;
    case Kind::kBucket:
    case Kind::kYear:
    case Kind::kMonth:
    case Kind::kHour:
      return TypeOf(TypeId::kInt);
    case Kind::kDay:
      return TypeOf(TypeId::kDate);
    case Kind::kUnknown:
      break;
  }
  return TypeOf(TypeId::kUnknown);
}

arrow::Result<int32_t> BucketHash(const Type& source, const Value& value) {
  const bool fits = FitsType(value, source);
  switch (fits ? source.id : TypeId::kUnknown) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return HashLong(std::get<int64_t>(value));
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      // Hashed as micros, so that a widened column keeps its buckets.
      return HashLong(FloorDiv(std::get<int64_t>(value), 1000));
    case TypeId::kDecimal:
      return HashDecimal(std::get<int128_t>(value));
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kFixed:
    case TypeId::kUuid:
      return Murmur3(std::get<std::string>(value));
    default:
      return arrow::Status::Invalid("type ", source.ToString(), " has no bucket transform");
  }
}

arrow::Result<Value> ApplyTransform(const Transform& transform, const Type& source,
                                    const Value& value) {
  if (transform.kind == Kind::kUnknown) {
    return UnsupportedError("transform ", transform.text, " is not known");
  }
  if (IsNull(value) || transform.kind == Kind::kVoid) return Value();
  if (!FitsType(value, source)) return Misfit(transform, source);
  switch (transform.kind) {
    case Kind::kIdentity:
      return value;
    case Kind::kBucket:
      return Bucket(transform, source, value);
    case Kind::kTruncate:
      return Truncate(transform, source, value);
    default:
      if (const auto* number = std::get_if<int64_t>(&value)) {
        return ApplyTime(transform, source, *number);
      }
      return Misfit(transform, source);
  }
}

}  // namespace esker
