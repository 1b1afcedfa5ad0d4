#include "expr/partition.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "expr/prune.h"
#include "format/civil_time.h"
#include "format/column_facts.h"

namespace esker::expr_internal {
namespace {

using Kind = Transform::Kind;

// Hours are stored in 32 bits, micros reach to 2'562'047'788 of them either way: what wraps lands
// beyond this.
constexpr int64_t kMaxUnwrappedHours = 1'700'000'000;

constexpr int64_t kMaxYears = 10'000'000;

bool IsDuration(Kind kind) {
  return kind == Kind::kYear || kind == Kind::kMonth || kind == Kind::kDay || kind == Kind::kHour;
}

Value Narrowed(int128_t value) {
  using Limits = std::numeric_limits<int64_t>;
  if (value < Limits::min() || value > Limits::max()) return {};
  return static_cast<int64_t>(value);
}

// Days from 1970-01-01 to the start of that year, month or day; none if absurd.
std::optional<int128_t> StartDay(Kind kind, int128_t ordinal) {
  if (kind == Kind::kDay) return ordinal;
  if (ordinal < -kMaxYears || ordinal > kMaxYears) return std::nullopt;
  const int64_t months = static_cast<int64_t>(ordinal) * (kind == Kind::kYear ? 12 : 1);
  return DaysFromCivil(
      {1970 + FloorDiv(months, 12), static_cast<int32_t>(FloorMod(months, 12)) + 1, 1});
}

// The first value of a column of type `source` in that year, month, day or hour.
std::optional<int128_t> StartOf(Kind kind, const Type& source, int128_t ordinal) {
  const bool is_nanos = source.id == TypeId::kTimestampNs || source.id == TypeId::kTimestampTzNs;
  const TimeUnit unit = is_nanos ? TimeUnit::kNanos : TimeUnit::kMicros;
  if (kind == Kind::kHour) {
    if (ordinal < -kMaxUnwrappedHours || ordinal > kMaxUnwrappedHours) return std::nullopt;
    return ordinal * 3600 * UnitsPerSecond(unit);
  }
  const auto days = StartDay(kind, ordinal);
  if (!days || source.id == TypeId::kDate) return days;
  return *days * UnitsPerDay(unit);
}

void FillTimes(Kind kind, const Type& source, const PartitionRange& range, ColumnFacts* facts) {
  if (source.id != TypeId::kDate && !source.is_timestamp()) return;
  const auto* lower = std::get_if<int64_t>(&range.lower);
  const auto* upper = std::get_if<int64_t>(&range.upper);
  std::optional<int128_t> start;
  std::optional<int128_t> end;
  if (lower != nullptr) start = StartOf(kind, source, int128_t{*lower} - (*lower <= 0 ? 1 : 0));
  if (upper != nullptr) end = StartOf(kind, source, int128_t{*upper} + 1);
  // A wrapped hour is at the wrong end, so doubt about one end is doubt about both.
  if (kind == Kind::kHour && (!start || !end)) return;
  if (start) facts->lower = Narrowed(*start);
  if (end) facts->upper = Narrowed(*end - 1);
}

// Whether a truncated integer may have wrapped below the least one of either width.
bool MayHaveWrapped(int64_t truncated, int64_t width) {
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  constexpr int64_t kMaxLong = std::numeric_limits<int64_t>::max();
  return (truncated > kMaxInt - width && truncated <= kMaxInt) || truncated > kMaxLong - width;
}

// [lower, upper] of multiples stands for [lower, upper + width - 1].
void FillTruncatedIntegers(int64_t width, const PartitionRange& range, ColumnFacts* facts) {
  const auto* lower = std::get_if<int64_t>(&range.lower);
  const auto* upper = std::get_if<int64_t>(&range.upper);
  if (lower == nullptr || upper == nullptr) return;
  // A wrapped value is the greatest of its manifest, but need not be the greatest one seen here
  // if the column was an int once: between ints and longs only a range below both is certain.
  if (MayHaveWrapped(*lower, width) || MayHaveWrapped(*upper, width)) return;
  constexpr int64_t kMaxInt = std::numeric_limits<int32_t>::max();
  if (*lower <= kMaxInt && *upper > kMaxInt) return;
  facts->lower = *lower;
  facts->upper = Narrowed(static_cast<int128_t>(*upper) + width - 1);
}

void FillTruncatedDecimals(int64_t width, const PartitionRange& range, ColumnFacts* facts) {
  facts->lower = range.lower;
  const auto* upper = std::get_if<int128_t>(&range.upper);
  int128_t last = 0;
  if (upper != nullptr && !__builtin_add_overflow(*upper, int128_t{width - 1}, &last)) {
    facts->upper = last;
  }
}

void FillTruncated(const Type& source, int64_t width, const PartitionRange& range,
                   ColumnFacts* facts) {
  switch (source.id) {
    case TypeId::kInt:
    case TypeId::kLong:
      return FillTruncatedIntegers(width, range, facts);
    case TypeId::kDecimal:
      return FillTruncatedDecimals(width, range, facts);
    case TypeId::kString:
    case TypeId::kBinary:
      facts->lower = range.lower;
      facts->upper = range.upper;
      return;
    default:
      return;
  }
}

void FillIdentity(const Type& source, const PartitionRange& range, ColumnFacts* facts) {
  if (MayBeDays(source, range.lower) || MayBeDays(source, range.upper)) return;
  facts->lower = range.lower;
  facts->upper = range.upper;
  facts->may_hold_nan = range.may_hold_nan;
  facts->constant = !range.may_hold_nulls && range.lower == range.upper;
}

// Facts of the source column behind partition values in that range.
ColumnFacts SourceFacts(const Transform& transform, const Type& source,
                        const PartitionRange& range) {
  ColumnFacts facts;
  facts.may_hold_nulls = range.may_hold_nulls;
  if (transform.is_identity()) {
    FillIdentity(source, range, &facts);
  } else if (transform.kind == Kind::kTruncate) {
    FillTruncated(source, transform.width, range, &facts);
  } else if (IsDuration(transform.kind)) {
    FillTimes(transform.kind, source, range, &facts);
  }
  return facts;
}

bool MayHoldInBuckets(const Node& leaf, const Transform& transform, const PartitionRange& range) {
  if (leaf.kind == Node::Kind::kIsNull && !leaf.negated) return range.may_hold_nulls;
  const bool is_equal = leaf.kind == Node::Kind::kCompare && leaf.op == CompareOp::kEqual;
  const bool is_in = leaf.kind == Node::Kind::kIn && !leaf.negated;
  const auto* lower = std::get_if<int64_t>(&range.lower);
  const auto* upper = std::get_if<int64_t>(&range.upper);
  if (lower == nullptr || upper == nullptr || !(is_equal || is_in)) return true;
  return std::any_of(leaf.values.begin(), leaf.values.end(), [&](const Value& value) {
    const auto bucket = ApplyTransform(transform, leaf.type, value);
    const auto* number = bucket.ok() ? std::get_if<int64_t>(&*bucket) : nullptr;
    return number == nullptr || (*lower <= *number && *number <= *upper);
  });
}

// Shorter than the width, in bytes and so in characters too, is the whole value.
UpperBound UpperKind(const Transform& transform, const PartitionRange& range) {
  const auto* upper = std::get_if<std::string>(&range.upper);
  const bool is_cut = transform.kind == Kind::kTruncate && upper != nullptr &&
                      upper->size() >= static_cast<size_t>(transform.width);
  return is_cut ? UpperBound::kPrefix : UpperBound::kValue;
}

}  // namespace

PartitionRange RangeOfPartitionValue(const Value& value) {
  if (IsNull(value)) return {{}, {}, true, true, false};
  if (IsNan(value)) return {{}, {}, false, false, true};
  return {value, value, false, false, false};
}

bool MayHoldInPartition(const Node& leaf, const Transform& transform, const PartitionRange& range) {
  if (transform.kind == Kind::kVoid || transform.kind == Kind::kUnknown) return true;
  if (range.all_null) {
    ColumnFacts nulls;
    nulls.all_null = true;
    return MayHold(leaf, nulls);
  }
  if (transform.kind == Kind::kBucket) return MayHoldInBuckets(leaf, transform, range);
  return MayHold(leaf, SourceFacts(transform, leaf.type, range), UpperKind(transform, range));
}

}  // namespace esker::expr_internal
