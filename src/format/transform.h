// Partition and sort transforms (spec: Partition Transforms).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "format/type.h"
#include "format/value.h"

namespace esker {

struct Transform {
  enum class Kind { kIdentity, kBucket, kTruncate, kYear, kMonth, kDay, kHour, kVoid, kUnknown };
  Kind kind = Kind::kUnknown;
  int32_t width = 0;  ///< kBucket: number of buckets; kTruncate: width. Above 0.
  std::string text;   ///< as written

  bool is_identity() const { return kind == Kind::kIdentity; }
  /// x <= y implies T(x) <= T(y): truncate, year, month, day, hour, identity.
  bool preserves_order() const;
  /// Same kind and width, however it is spelt; unknown ones by their text.
  bool operator==(const Transform& other) const {
    return kind == other.kind && width == other.width &&
           (kind != Kind::kUnknown || text == other.text);
  }
};

/// Names are read without regard to case. Never fails: what the spec does not list (or a width that
/// is not a positive number) is kUnknown: a table with a transform of tomorrow stays readable.
Transform ParseTransform(std::string_view text);

/// The type of T(x) for a source of type `source`; unknown for kUnknown.
Type TransformResultType(const Transform& transform, const Type& source);

/// T(value); null gives null. Floors before 1970. NotImplemented for kUnknown, Invalid where the
/// source type does not fit and where the result is out of its type's range: writers wrap there,
/// so a caller that only wants to prune must take that error as "nothing is known".
arrow::Result<Value> ApplyTransform(const Transform& transform, const Type& source,
                                    const Value& value);

/// The hash under bucket[N], before the modulo: 32-bit Murmur3, x86 variant, seed 0 (spec appendix
/// B). Requires that `value` is not null. Invalid for a type that has no bucket transform.
arrow::Result<int32_t> BucketHash(const Type& source, const Value& value);

}  // namespace esker
