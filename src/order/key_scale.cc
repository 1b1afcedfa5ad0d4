#include "order/key_scale.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "format/transform.h"

namespace esker {
namespace {

// A place is a quotient of large numbers: so far below a whole cell it is meant to be that cell.
constexpr long double kCellTolerance = 1e-6L;
constexpr size_t kWordBytes = 8;

// The eight bytes from `begin` on as a number; bytes behind the end are zeros.
uint64_t WordAt(const std::string& bytes, size_t begin) {
  uint64_t word = 0;
  for (size_t i = begin; i < begin + kWordBytes; ++i) {
    word = word << 8 | (i < bytes.size() ? static_cast<uint8_t>(bytes[i]) : 0);
  }
  return word;
}

size_t SharedBytes(const std::string& a, const std::string& b) {
  const size_t length = std::min(a.size(), b.size());
  return std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(length), b.begin())
             .first -
         a.begin();
}

long double Finite(double number) {
  constexpr double kMost = std::numeric_limits<double>::max();
  return std::clamp(number, -kMost, kMost);
}

}  // namespace

KeyScale::KeyScale(const SortKey& key, Value least, Value greatest)
    : type_(TransformResultType(key.transform, key.type)),
      descending_(key.descending),
      has_cells_(!std::holds_alternative<double>(least) &&
                 !std::holds_alternative<std::string>(least)),
      least_(std::move(least)),
      greatest_(std::move(greatest)) {
  if (const auto* bytes = std::get_if<std::string>(&least_)) {
    shared_bytes_ = SharedBytes(*bytes, std::get<std::string>(greatest_));
  }
  length_ = Distance(greatest_) + (has_cells_ ? 1 : 0);
}

long double KeyScale::Distance(const Value& value) const {
  if (const auto* x = std::get_if<bool>(&value)) return int{*x} - int{std::get<bool>(least_)};
  if (const auto* x = std::get_if<int64_t>(&value)) {
    return static_cast<long double>(int128_t{*x} - std::get<int64_t>(least_));
  }
  if (const auto* x = std::get_if<int128_t>(&value)) {
    // The difference may not fit, its bits do.
    return static_cast<long double>(static_cast<uint128_t>(*x) -
                                    static_cast<uint128_t>(std::get<int128_t>(least_)));
  }
  if (const auto* x = std::get_if<double>(&value)) {
    return Finite(*x) - Finite(std::get<double>(least_));
  }
  const auto& bytes = std::get<std::string>(value);
  return static_cast<long double>(WordAt(bytes, shared_bytes_)) -
         static_cast<long double>(WordAt(std::get<std::string>(least_), shared_bytes_));
}

double KeyScale::BeginOf(const Value& value) const {
  if (length_ <= 0) return 0;
  const long double cell = has_cells_ && descending_ ? 1 : 0;
  const long double place = (Distance(value) + cell) / length_;
  return static_cast<double>(descending_ ? 1 - place : place);
}

double KeyScale::EndOf(const Value& value) const {
  if (length_ <= 0) return 0;
  return BeginOf(value) + static_cast<double>((has_cells_ ? 1 : 0) / length_);
}

Value KeyScale::ValueAt(double place) const {
  if (!has_cells_) return AtDistance(length_ * (descending_ ? 1 - place : place));
  const long double distance =
      descending_ ? std::floor(length_ * (1 - place) + kCellTolerance) - 1
                  : std::ceil(length_ * place - kCellTolerance);
  return AtDistance(distance);
}

Value KeyScale::AtDistance(long double distance) const {
  distance = std::clamp<long double>(distance, 0, length_ - (has_cells_ ? 1 : 0));
  if (const auto* least = std::get_if<bool>(&least_)) return *least || distance >= 1;
  if (const auto* least = std::get_if<int64_t>(&least_)) {
    return static_cast<int64_t>(*least + static_cast<int128_t>(distance));
  }
  if (const auto* least = std::get_if<int128_t>(&least_)) {
    return static_cast<int128_t>(static_cast<uint128_t>(*least) +
                                 static_cast<uint128_t>(distance));
  }
  if (const auto* least = std::get_if<double>(&least_)) {
    const auto number = static_cast<double>(Finite(*least) + distance);
    return type_.id == TypeId::kFloat ? static_cast<double>(static_cast<float>(number)) : number;
  }
  const auto& least = std::get<std::string>(least_);
  const uint64_t word = WordAt(least, shared_bytes_) + static_cast<uint64_t>(distance);
  std::string bytes = least.substr(0, shared_bytes_);
  for (int shift = 56; shift >= 0; shift -= 8) bytes += static_cast<char>(word >> shift & 0xff);
  while (bytes.size() > shared_bytes_ && bytes.back() == '\0') bytes.pop_back();
  if (type_.id == TypeId::kFixed) bytes.resize(static_cast<size_t>(type_.length), '\0');
  if (type_.id == TypeId::kUuid) bytes.resize(16, '\0');
  return bytes;
}

}  // namespace esker
