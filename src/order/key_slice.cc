#include "order/key_slice.h"

#include <cstdint>
#include <limits>

namespace esker {

SlicePlace PlaceInSlice(std::span<const SortKey> keys, const KeySlice& slice,
                        const KeyRange& range) {
  // A cut compares by its own keys only: on a tie there, every row is at or after it.
  const auto is_before = [&](const Corner& corner, const Corner& cut) {
    return CompareCorners(keys, corner, cut) < 0;
  };
  SlicePlace place;
  place.begins = slice.lower.empty() || !is_before(range.lower, slice.lower);
  place.ends = slice.upper.empty() || is_before(range.upper, slice.upper);
  place.meets = (slice.lower.empty() || !is_before(range.upper, slice.lower)) &&
                (slice.upper.empty() || is_before(range.lower, slice.upper));
  return place;
}

std::weak_ordering CompareCuts(std::span<const SortKey> keys, const Corner& a, const Corner& b) {
  const auto order = CompareCorners(keys, a, b);
  return order != 0 ? order : a.size() <=> b.size();
}

std::string ToString(std::span<const SortKey> keys, const KeySlice& slice) {
  return "from " + (slice.lower.empty() ? "the start" : ToString(keys, slice.lower)) + " to " +
         (slice.upper.empty() ? "the end" : "before " + ToString(keys, slice.upper));
}

bool IsWholeValue(const Value& value, const Type& type) {
  if (!FitsType(value, type)) return false;
  switch (type.id) {
    case TypeId::kInt:
    case TypeId::kDate: {
      const int64_t number = std::get<int64_t>(value);
      return number >= std::numeric_limits<int32_t>::min() &&
             number <= std::numeric_limits<int32_t>::max();
    }
    case TypeId::kFloat: {
      const double number = std::get<double>(value);
      return IsNan(value) || static_cast<double>(static_cast<float>(number)) == number;
    }
    case TypeId::kFixed:
      return std::get<std::string>(value).size() == static_cast<size_t>(type.length);
    case TypeId::kUuid:
      return std::get<std::string>(value).size() == 16;
    default:
      return true;
  }
}

}  // namespace esker
