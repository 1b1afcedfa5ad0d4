// Names of a request to fields of a schema: order keys and columns.
#pragma once

#include <string>
#include <vector>

#include "arrow/result.h"
#include "esker/options.h"
#include "format/type.h"
#include "order/sort_key.h"
#include "plan/row_request.h"

namespace esker {

/// `order` as sort keys of `schema`. UsageError, with a suggestion, for an unknown column; for one
/// below a list or map; for a type that has no order; for a column named twice. UnsupportedError
/// for a fixed[n] above kMaxFixedKeyBytes.
arrow::Result<SortKeys> ResolveKeys(const std::vector<OrderKey>& order, const Schema& schema);

/// The key T(column) on the field of that id, ascending, nulls first. UsageError where the schema
/// has no such field, or has it inside a list or map; for an unknown transform; for a type that has
/// no order.
arrow::Result<SortKey> ResolveKeyById(int32_t field_id, const Transform& transform,
                                      const Schema& schema);

/// The column of that name: a schema column (names with dots reach into structs) or else a
/// metadata column such as `_file`. UsageError, with a suggestion, if there is neither.
arrow::Result<ColumnRequest> ResolveColumn(const std::string& name, const Schema& schema);

/// All top-level columns of the schema.
std::vector<ColumnRequest> AllColumns(const Schema& schema);

/// The column that a key is taken from. Requires that the schema has it.
ColumnRequest ColumnOfKey(const SortKey& key, const Schema& schema);

/// A key on `field`, with the identity transform; `name` is for people.
SortKey MakeKey(const Field& field, std::string name, bool descending, bool nulls_first);

}  // namespace esker
