#include "format/decimal_text.h"

#include <algorithm>
#include <charconv>

#include "base/ascii.h"

namespace esker {
namespace {

constexpr int32_t kMaxExponent = 1000;  // either way; beyond it nothing but zero fits

// number = number * 10 + digit, false if it does not fit.
bool Append(int128_t* number, int digit) {
  return !__builtin_mul_overflow(*number, int128_t{10}, number) &&
         !__builtin_add_overflow(*number, int128_t{digit}, number);
}

// Moves the decimal point; false if digits would be lost or do not fit.
bool Shift(int128_t* number, int32_t digits) {
  if (*number == 0) return true;
  for (; digits > 0; --digits) {
    if (!Append(number, 0)) return false;
  }
  for (; digits < 0; ++digits) {
    if (*number % 10 != 0) return false;
    *number /= 10;
  }
  return true;
}

std::optional<int32_t> ParseExponent(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  int32_t exponent = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, exponent);
  if (error != std::errc() || stop != end) return std::nullopt;
  if (exponent < -kMaxExponent || exponent > kMaxExponent) return std::nullopt;
  return exponent;
}

struct Mantissa {
  int128_t number = 0;
  int32_t fraction_digits = 0;
};

std::optional<Mantissa> ParseMantissa(std::string_view text) {
  Mantissa mantissa;
  bool after_point = false;
  size_t digits = 0;
  for (const char c : text) {
    if (c == '.' && !after_point) {
      after_point = true;
      continue;
    }
    if (!IsAsciiDigit(c) || !Append(&mantissa.number, c - '0')) return std::nullopt;
    ++digits;
    if (after_point && ++mantissa.fraction_digits > kMaxExponent) return std::nullopt;
  }
  if (digits == 0) return std::nullopt;
  return mantissa;
}

int128_t PowerOfTen(int32_t exponent) {
  int128_t power = 1;
  for (; exponent > 0; --exponent) power *= 10;
  return power;
}

}  // namespace

std::string FormatDecimal(int128_t unscaled, int32_t scale) {
  // Unsigned, because the least number has no positive twin.
  auto rest = static_cast<uint128_t>(unscaled);
  if (unscaled < 0) rest = -rest;
  std::string text;
  for (int32_t i = 0; rest != 0 || i <= scale; ++i) {
    if (i == scale && scale > 0) text += '.';
    text += static_cast<char>('0' + static_cast<int>(rest % 10));
    rest /= 10;
  }
  if (unscaled < 0) text += '-';
  std::reverse(text.begin(), text.end());
  return text;
}

std::optional<int128_t> ParseDecimal(std::string_view text, int32_t precision, int32_t scale) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  int32_t exponent = 0;
  if (const size_t e = text.find_first_of("eE"); e != std::string_view::npos) {
    const auto parsed = ParseExponent(text.substr(e + 1));
    if (!parsed) return std::nullopt;
    exponent = *parsed;
    text = text.substr(0, e);
  }
  auto mantissa = ParseMantissa(text);
  if (!mantissa) return std::nullopt;
  int128_t number = mantissa->number;
  if (!Shift(&number, scale - mantissa->fraction_digits + exponent)) return std::nullopt;
  if (number >= PowerOfTen(precision)) return std::nullopt;
  return negative ? -number : number;
}

}  // namespace esker
