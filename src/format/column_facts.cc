#include "format/column_facts.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace esker {
namespace {

// A null count, if it can be believed: it lies within the file and, where the entry also counts
// values, those are one per row.
std::optional<int64_t> TrustedNullCount(const ColumnStatistics& statistics, int64_t record_count) {
  const auto& nulls = statistics.null_count;
  if (!nulls.has_value() || *nulls < 0 || *nulls > record_count) return std::nullopt;
  if (statistics.value_count.has_value() && *statistics.value_count != record_count) {
    return std::nullopt;
  }
  return nulls;
}

// An empty bound says nothing, also of strings: as a lower one it excludes no value, and writers
// have left it where they knew no upper one.
Value DecodeIfPresent(const std::optional<std::string>& bytes, const Type& type) {
  if (!bytes.has_value() || bytes->empty()) return Value{};
  return DecodeBound(*bytes, type);
}

// Of a floating type, bytes that decode to nothing are NaN (or junk). A writer that let NaN into
// one bound has compared with it, so the other one is not to be believed either.
bool HasNanBound(const ColumnStatistics& statistics, const ColumnFacts& facts) {
  return (statistics.lower_bound.has_value() && IsNull(facts.lower)) ||
         (statistics.upper_bound.has_value() && IsNull(facts.upper));
}

void DropBounds(ColumnFacts* facts) {
  facts->lower = Value{};
  facts->upper = Value{};
}

void FillBounds(const ColumnStatistics& statistics, const Type& type, ColumnFacts* facts) {
  // Java wrote uuid bounds by signed halves (iceberg#14216): they are in another order.
  if (type.id == TypeId::kUuid) return;
  facts->lower = DecodeIfPresent(statistics.lower_bound, type);
  facts->upper = DecodeIfPresent(statistics.upper_bound, type);
  if (type.is_floating() && HasNanBound(statistics, *facts)) {
    DropBounds(facts);
    facts->may_hold_nan = true;
    return;
  }
  if (IsNull(facts->lower) || IsNull(facts->upper)) return;
  if (CompareValues(facts->lower, facts->upper) > 0) DropBounds(facts);
}

// Do equal bounds say that every value is that one? Not for two zeros, which may be -0.0 and 0.0:
// equal here, yet told apart by a writer that sorts in the spec's order. Not for long bytes, which
// may be two cut ones of which the upper was never rounded up.
bool IsExact(const Value& bound) {
  if (const auto* number = std::get_if<double>(&bound)) return *number != 0.0;
  if (const auto* bytes = std::get_if<std::string>(&bound)) return bytes->size() < kCutWidth;
  return true;
}

bool IsConstant(const ColumnFacts& facts) {
  if (facts.all_null) return true;
  if (facts.may_hold_nulls || facts.may_hold_nan) return false;
  if (IsNull(facts.lower) || IsNull(facts.upper)) return false;
  return CompareValues(facts.lower, facts.upper) == 0 && IsExact(facts.lower);
}

void FillCounts(const ColumnStatistics& statistics, int64_t record_count, ColumnFacts* facts) {
  if (const auto nulls = TrustedNullCount(statistics, record_count)) {
    facts->may_hold_nulls = *nulls > 0;
    // Bounds of a column that is all null contradict the count: then neither is a certainty.
    facts->all_null = *nulls > 0 && *nulls == record_count && !statistics.lower_bound.has_value() &&
                      !statistics.upper_bound.has_value();
  }
  if (statistics.nan_count == 0) facts->may_hold_nan = false;
}

}  // namespace

ColumnFacts FactsFromStatistics(const ColumnStatistics* statistics, const Type& type, bool required,
                                int64_t record_count, bool counts_trusted) {
  ColumnFacts facts;
  facts.may_hold_nulls = !required;
  facts.may_hold_nan = type.is_floating();
  if (statistics == nullptr) return facts;
  if (counts_trusted) FillCounts(*statistics, record_count, &facts);
  FillBounds(*statistics, type, &facts);
  facts.constant = IsConstant(facts);
  return facts;
}

ColumnFacts FactsOfConstant(const Value& value) {
  ColumnFacts facts;
  facts.constant = true;
  facts.all_null = IsNull(value);
  facts.may_hold_nulls = facts.all_null;
  facts.may_hold_nan = IsNan(value);
  facts.lower = value;
  facts.upper = value;
  return facts;
}

bool MayBeDays(const Type& type, const Value& value) {
  const auto* number = std::get_if<int64_t>(&value);
  return type.is_timestamp() && number != nullptr && std::in_range<int32_t>(*number);
}

}  // namespace esker
