// A single value of a primitive Iceberg type: a bound, a partition value, a default, a literal.
//
// Values of one column have one alternative, whatever the width in which they were written:
//
//     boolean                                   bool
//     int long date time timestamp*             int64_t   (days, micros or nanos as the type says)
//     float double                              double
//     decimal                                   int128_t  (unscaled)
//     string binary fixed uuid                  std::string of the bytes
//     null                                      std::monostate
//
// Pure; O(1) but for byte strings.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "arrow/result.h"
#include "format/type.h"

namespace esker {

__extension__ typedef __int128 int128_t;
__extension__ typedef unsigned __int128 uint128_t;

using Value = std::variant<std::monostate, bool, int64_t, double, int128_t, std::string>;

inline bool IsNull(const Value& value) { return value.index() == 0; }
bool IsNan(const Value& value);

/// Whether `value` has the alternative that the table above gives to its type. False for null and
/// for types that have none. Values out of a file are not to be trusted in this.
bool FitsType(const Value& value, const Type& type);

/// Orders two values of one column, neither null: numbers by value with NaN (of any sign) above
/// all and -0.0 equal to 0.0, false below true, bytes as unsigned bytes (docs/order.md, 1).
/// Requires the same alternative on both sides.
std::weak_ordering CompareValues(const Value& a, const Value& b);

/// The value in words, as Esker prints it: ISO 8601 times ("…Z" where the type has a zone),
/// decimals with all digits of their scale, binary and fixed as lower-case hexadecimal, uuid
/// 8-4-4-4-12, string as it is, null as "null".
std::string ValueToString(const Value& value, const Type& type);

/// Decodes the single-value binary serialisation (spec appendix D) of a bound. The width of the
/// bytes says which type wrote it (docs/order.md, 2), so bounds from before a promotion are
/// widened. null for a width that the type cannot have had, for no bytes at all, for NaN, for a
/// date that the timestamp type of now cannot hold, and for nested, unknown, variant and geo types.
Value DecodeBound(std::string_view bytes, const Type& type);

/// Decodes the JSON single-value serialisation (spec appendix D) of a default, given as JSON
/// text; JSON null gives null. Never rounds: Invalid if it does not fit the type. Only primitive
/// types; unknown, variant and geo types have no value but null.
arrow::Result<Value> ParseJsonValue(std::string_view json, const Type& type);

}  // namespace esker
