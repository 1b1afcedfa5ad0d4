// Lexer of filters: text to tokens with their places.
//
// Keywords are words here; the parser tells them apart, so that a column may be called "date".
// Also the one place that words a filter error: message, line, and a caret below the character.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"

namespace esker::expr_internal {

struct Token {
  enum class Kind {
    kWord,    ///< unquoted name or keyword
    kName,    ///< "quoted", `text` without the quotes
    kString,  ///< 'quoted', `text` without the quotes
    kBinary,  ///< X'…', `text` is the hexadecimal digits
    kNumber,  ///< without a sign
    kDate,    ///< 2026-01-31, without quotes
    kSymbol,  ///< = == != <> < <= > >= ( ) , . + -
    kEnd,     ///< once, at the end
  };
  Kind kind = Kind::kEnd;
  std::string text;
  size_t position = 0;  ///< byte in the filter text
};

/// Splits the whole text. UsageError with a caret for an unclosed quote or a character that
/// starts no token. O(bytes).
arrow::Result<std::vector<Token>> Tokenize(std::string_view text);

/// A UsageError whose message shows the surroundings of byte `position` of `text` with a caret
/// below it. Control characters are shown as spaces; long texts are cut on both sides.
arrow::Status ErrorAt(std::string_view text, size_t position, std::string_view message);

/// How much of a name or a literal an error repeats.
inline constexpr size_t kMaxShownBytes = 60;

/// The start of a long text, for errors.
std::string Clipped(std::string_view text);

/// Whether `word` is a keyword that a column name must be quoted to be (and, or, not, …).
bool IsReserved(std::string_view word);

/// Whether `text` is one unquoted word.
bool IsPlainWord(std::string_view text);

}  // namespace esker::expr_internal
