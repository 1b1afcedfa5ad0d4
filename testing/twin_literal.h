// Literals for twins: drawn near the values of a column, and compared as exact numbers of ticks.
//
// Ticks are finer than any column's unit, so that a literal can lie between two values: 10^-12 for
// numbers, nanoseconds for times.
#pragma once

#include <random>
#include <string>

#include "format/type.h"
#include "format/value.h"

namespace esker::testing {

struct TwinLiteral {
  std::string text;    ///< as it stands in a filter
  int128_t ticks = 0;  ///< numbers and times; booleans as 0 and 1
  double number = 0;   ///< float and double
  std::string bytes;   ///< string, binary, fixed, uuid
  bool is_null = false;
};

/// A literal to compare a column of that type with; null once in a while.
TwinLiteral DrawLiteral(std::mt19937_64& random, const Type& type);

/// Negative, zero or positive as `value` is below, at or above the literal; neither is null.
int CompareToLiteral(const Type& type, const Value& value, const TwinLiteral& literal);

}  // namespace esker::testing
