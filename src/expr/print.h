// Filters in words, as explain shows them: what BoundFilter::Make() would read back.
#pragma once

#include <string>

#include "expr/node.h"
#include "format/type.h"

namespace esker::expr_internal {

/// The tree as text: "k >= 3 and (s like 'abc%' or s is null)". `schema` is the one it was bound
/// to. O(nodes × fields).
std::string NodeToString(const Node& node, const Schema& schema);

}  // namespace esker::expr_internal
