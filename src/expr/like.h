// LIKE patterns: % stands for any characters, _ for one, \ takes the wonder out of %, _ and \.
//
// Matched byte by byte with one place to go back to (the last %), so without recursion and without
// a pattern that is too large. _ takes one UTF-8 character, or one byte where there is none.
#pragma once

#include <string>
#include <string_view>

#include "arrow/result.h"
#include "expr/node.h"

namespace esker::expr_internal {

inline constexpr uint16_t kAnyCharacter = 256;   ///< _
inline constexpr uint16_t kAnyCharacters = 257;  ///< %

/// Compiles a pattern; %% becomes %. UsageError, without place, for a \ before anything else than
/// %, _ or \.
arrow::Result<LikePattern> CompileLike(std::string_view text);

/// The bytes before the first wildcard.
std::string LiteralPrefix(const LikePattern& pattern);

/// The pattern as text, such as CompileLike() takes.
std::string LikeText(const LikePattern& pattern);

/// Whether the whole `text` fits. O(pattern × text) at worst, O(text) as a rule.
bool LikeMatches(const LikePattern& pattern, std::string_view text);

}  // namespace esker::expr_internal
