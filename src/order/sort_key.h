// Sort keys: the order asked for, R, as a list of keys (docs/order.md, 1).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/table_metadata.h"
#include "format/transform.h"
#include "format/type.h"

namespace esker {

/// One key of an order: a column, a direction and where its nulls go. Null placement is an
/// attribute of its own: a descending key does not move nulls (spec: Sorting).
struct SortKey {
  int32_t field_id = 0;
  Type type;  ///< of the column as it is now
  bool descending = false;
  bool nulls_first = true;
  Transform transform = ParseTransform("identity");  ///< the key is T(column)
  std::string name;                                  ///< for people: "ts", "s.x"

  bool operator==(const SortKey& other) const {
    return field_id == other.field_id && descending == other.descending &&
           nulls_first == other.nulls_first && transform == other.transform;
  }
};

/// An order: rows are compared by the first key, ties by the second, and so on.
using SortKeys = std::vector<SortKey>;

/// The longest fixed[n] that may be a key. Cut bounds are filled up to n bytes for every file, and
/// n is whatever the metadata says.
inline constexpr int32_t kMaxFixedKeyBytes = 4096;

/// May a column of that type be a key? (docs/order.md, 1: no nested types, variant, geometry,
/// geography or unknown; nor fixed[n] above kMaxFixedKeyBytes.)
bool IsSortable(const Type& type);

/// Do both map every value alike? Never true of unknown transforms, whatever their text.
bool IsSameFunction(const Transform& a, const Transform& b);

/// "ts desc nulls last, id asc nulls first", names quoted where they need it, transforms
/// as "day(ts)".
std::string ToString(const SortKeys& keys);

}  // namespace esker
