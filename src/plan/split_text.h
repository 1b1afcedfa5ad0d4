// Split text: a split spec as one JSON object, and back. docs/splits.md lists the members.
//
// Strings that are no UTF-8 (a path, a literal of the filter) are written as {"hex": …}; values of
// cuts to the last bit, whatever their type. A checksum over the object guards against a text that
// was cut or changed on its way: a wrong cut would lose rows without a word. It is no signature.
#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "plan/split_spec.h"

namespace esker {

/// One line of ASCII or UTF-8.
std::string SplitToText(const SplitSpec& spec);

/// Gives back what SplitToText() was given. UsageError in words for a text that is no JSON, of
/// another version, with a member missing, unknown or of a wrong type, or with a wrong checksum.
arrow::Result<SplitSpec> SplitFromText(std::string_view text);

}  // namespace esker
