#include "expr/lex.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/ascii.h"
#include "base/status.h"

namespace esker::expr_internal {
namespace {

// Bytes of characters beyond ASCII are letters, so that names in any script need no quotes.
bool IsWordStart(char c) {
  return IsAsciiLetter(c) || c == '_' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
}

bool IsWordPart(char c) { return IsWordStart(c) || IsAsciiDigit(c) || c == '$'; }

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  arrow::Result<std::vector<Token>> Run() {
    std::vector<Token> tokens;
    do {
      ARROW_ASSIGN_OR_RAISE(Token token, Next());
      tokens.push_back(std::move(token));
    } while (tokens.back().kind != Token::Kind::kEnd);
    return tokens;
  }

 private:
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  arrow::Result<Token> Next() {
    while (pos_ < text_.size() && IsAsciiSpace(text_[pos_])) ++pos_;
    if (pos_ == text_.size()) return Token{Token::Kind::kEnd, "", pos_};
    const char c = text_[pos_];
    if (c == '\'') return Quoted(Token::Kind::kString, pos_);
    if (c == '"') return Quoted(Token::Kind::kName, pos_);
    if (AsciiLower(c) == 'x' && At(pos_ + 1) == '\'') return Quoted(Token::Kind::kBinary, pos_ + 1);
    if (IsWordStart(c)) return Word();
    if (IsAsciiDigit(c) || (c == '.' && IsAsciiDigit(At(pos_ + 1)))) return Number();
    return Symbol();
  }

  Token Take(Token::Kind kind, size_t end) {
    Token token{kind, std::string(text_.substr(pos_, end - pos_)), pos_};
    pos_ = end;
    return token;
  }

  // `quote` is the place of the opening quote; two quotes inside stand for one.
  arrow::Result<Token> Quoted(Token::Kind kind, size_t quote) {
    const char mark = text_[quote];
    Token token{kind, "", pos_};
    for (size_t i = quote + 1; i < text_.size(); ++i) {
      if (text_[i] == mark) {
        if (At(i + 1) != mark) {
          pos_ = i + 1;
          return token;
        }
        ++i;
      }
      token.text += text_[i];
    }
    return ErrorAt(text_, quote, std::string("no closing ") + mark);
  }

  Token Word() {
    size_t end = pos_;
    while (end < text_.size() && IsWordPart(text_[end])) ++end;
    return Take(Token::Kind::kWord, end);
  }

  size_t SkipDigits(size_t i) const {
    while (IsAsciiDigit(At(i))) ++i;
    return i;
  }

  // 2026-01-31: there is no arithmetic, so it cannot be two subtractions.
  bool AtDate() const {
    constexpr std::string_view kForm = "dddd-dd-dd";
    for (size_t i = 0; i < kForm.size(); ++i) {
      const char c = At(pos_ + i);
      if (kForm[i] == 'd' ? !IsAsciiDigit(c) : c != kForm[i]) return false;
    }
    return !IsAsciiDigit(At(pos_ + kForm.size()));
  }

  arrow::Result<Token> Date() {
    const size_t end = pos_ + std::string_view("2026-01-31").size();
    if (IsWordPart(At(end))) {
      return ErrorAt(text_, end, "a date ends here in a letter; a time stands in single quotes");
    }
    return Take(Token::Kind::kDate, end);
  }

  arrow::Result<Token> Number() {
    if (AtDate()) return Date();
    size_t end = SkipDigits(pos_);
    if (At(end) == '.') end = SkipDigits(end + 1);
    if (AsciiLower(At(end)) == 'e') {
      const size_t sign = At(end + 1) == '+' || At(end + 1) == '-' ? 1 : 0;
      if (IsAsciiDigit(At(end + 1 + sign))) end = SkipDigits(end + 1 + sign);
    }
    if (IsWordPart(At(end))) return ErrorAt(text_, end, "a number ends here in a letter");
    return Take(Token::Kind::kNumber, end);
  }

  arrow::Result<Token> Symbol() {
    for (std::string_view symbol : {"<=", ">=", "<>", "!=", "=="}) {
      if (text_.substr(pos_, 2) == symbol) return Take(Token::Kind::kSymbol, pos_ + 2);
    }
    if (std::string_view("=<>(),.+-").find(text_[pos_]) != std::string_view::npos) {
      return Take(Token::Kind::kSymbol, pos_ + 1);
    }
    return ErrorAt(text_, pos_, "unexpected character");
  }

  std::string_view text_;
  size_t pos_ = 0;
};

// The stretch of `text` that an error shows: [first, last) around `position`.
std::pair<size_t, size_t> Window(std::string_view text, size_t position) {
  size_t first = position > kMaxShownBytes ? position - kMaxShownBytes : 0;
  size_t last = std::min(text.size(), position + kMaxShownBytes);
  while (first > 0 && first < position && IsContinuation(text[first])) ++first;
  while (last < text.size() && IsContinuation(text[last])) ++last;
  return {first, last};
}

std::string Printable(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  return line;
}

}  // namespace

arrow::Result<std::vector<Token>> Tokenize(std::string_view text) { return Lexer(text).Run(); }

arrow::Status ErrorAt(std::string_view text, size_t position, std::string_view message) {
  position = std::min(position, text.size());
  const auto [first, last] = Window(text, position);
  const std::string_view before = text.substr(first, position - first);
  const auto continuations = std::count_if(before.begin(), before.end(), IsContinuation);
  const std::string_view lead = first > 0 ? "... " : "";
  const std::string_view tail = last < text.size() ? " ..." : "";
  const size_t indent = lead.size() + before.size() - static_cast<size_t>(continuations);
  return UsageError("filter: ", message, "\n  ", lead, Printable(text.substr(first, last - first)),
                    tail, "\n  ", std::string(indent, ' '), "^");
}

std::string Clipped(std::string_view text) {
  if (text.size() <= kMaxShownBytes) return Printable(text);
  size_t end = kMaxShownBytes;
  while (end > 0 && IsContinuation(text[end])) --end;
  return Printable(text.substr(0, end)) + "...";
}

bool IsReserved(std::string_view word) {
  constexpr std::array<std::string_view, 10> kReserved = {
      "and", "or", "not", "is", "null", "in", "between", "like", "true", "false"};
  return std::any_of(kReserved.begin(), kReserved.end(),
                     [&](std::string_view w) { return EqualsIgnoringCase(w, word); });
}

bool IsPlainWord(std::string_view text) {
  return !text.empty() && IsWordStart(text[0]) && std::all_of(text.begin(), text.end(), IsWordPart);
}

}  // namespace esker::expr_internal
