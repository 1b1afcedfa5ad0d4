// The text form of an order: 'ts desc nulls last, "my col" asc, s.x'.
#pragma once

#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "esker/options.h"

namespace esker {

/// Parses keys separated by commas: a name, then optionally `asc` or `desc`, then optionally
/// `nulls first` or `nulls last`, words in any case. A name with spaces, commas or other signs
/// stands in double quotes, a quote in it doubled; without quotes it ends at a space or comma.
/// Errors of kind kUsage point at the place. An empty text is an error.
arrow::Result<std::vector<OrderKey>> ParseOrder(std::string_view text);

}  // namespace esker
