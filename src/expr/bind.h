// Binding: the syntax tree of a filter to predicates on the columns of a schema.
//
// Names become field ids, literals become values of their column's type or turn the predicate into
// another one where they are none (literal.h), "not" moves down to the predicates, and constants
// are folded away. What is null for every row is false here, since it keeps no row.
#pragma once

#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "expr/node.h"
#include "expr/parse.h"
#include "format/type.h"

namespace esker::expr_internal {

struct Bound {
  Node root;
  std::vector<int32_t> field_ids;  ///< columns of the tree, each once, by first appearance
};

/// Binds `syntax`, parsed from `text`. UsageError that shows the place in `text` for an unknown
/// column, a column inside a list or map, a predicate or a literal that does not fit its column.
arrow::Result<Bound> Bind(const Syntax& syntax, std::string_view text, const Schema& schema);

}  // namespace esker::expr_internal
