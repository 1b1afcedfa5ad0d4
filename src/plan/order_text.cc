#include "esker/order_text.h"

#include <string>
#include <utility>

#include "base/ascii.h"
#include "base/status.h"

namespace esker {
namespace {

class OrderParser {
 public:
  explicit OrderParser(std::string_view text) : text_(text) {}

  arrow::Result<std::vector<OrderKey>> Parse() {
    std::vector<OrderKey> keys;
    do {
      ARROW_ASSIGN_OR_RAISE(OrderKey key, ParseKey());
      keys.push_back(std::move(key));
    } while (TakeComma());
    if (place_ != text_.size()) return Error("expected a comma or the end");
    return keys;
  }

 private:
  arrow::Status Error(const std::string& what) const {
    return UsageError(what, " in the order\n  ", text_, "\n  ", std::string(place_, ' '), "^");
  }

  void SkipSpaces() {
    while (place_ < text_.size() && IsAsciiSpace(text_[place_])) ++place_;
  }

  bool TakeComma() {
    SkipSpaces();
    if (place_ == text_.size() || text_[place_] != ',') return false;
    ++place_;
    return true;
  }

  arrow::Result<OrderKey> ParseKey() {
    OrderKey key;
    ARROW_ASSIGN_OR_RAISE(key.column, ParseName());
    if (TakeWord("desc")) {
      key.descending = true;
    } else {
      TakeWord("asc");
    }
    if (TakeWord("nulls")) {
      if (TakeWord("first")) {
        key.nulls_first = true;
      } else if (TakeWord("last")) {
        key.nulls_first = false;
      } else {
        return Error("expected 'first' or 'last' after 'nulls'");
      }
    }
    return key;
  }

  // Parts of a name may be quoted one by one: s."my field".
  arrow::Result<std::string> ParseName() {
    SkipSpaces();
    std::string name;
    const size_t start = place_;
    while (place_ < text_.size() && !IsAsciiSpace(text_[place_]) && text_[place_] != ',') {
      if (text_[place_] == '"') {
        ARROW_RETURN_NOT_OK(ParseQuoted(&name));
      } else {
        name += text_[place_++];
      }
    }
    if (place_ == start) return Error("expected a column name");
    return name;
  }

  arrow::Status ParseQuoted(std::string* name) {
    for (++place_; place_ < text_.size(); ++place_) {
      if (text_[place_] != '"') {
        *name += text_[place_];
        continue;
      }
      ++place_;
      const bool doubled = place_ < text_.size() && text_[place_] == '"';
      if (!doubled) return arrow::Status::OK();
      *name += '"';
    }
    return Error("the quote does not end");
  }

  bool TakeWord(std::string_view word) {
    SkipSpaces();
    size_t end = place_;
    while (end < text_.size() && !IsAsciiSpace(text_[end]) && text_[end] != ',') ++end;
    if (!EqualsIgnoringCase(text_.substr(place_, end - place_), word)) return false;
    place_ = end;
    return true;
  }

  std::string_view text_;
  size_t place_ = 0;
};

}  // namespace

arrow::Result<std::vector<OrderKey>> ParseOrder(std::string_view text) {
  return OrderParser(text).Parse();
}

}  // namespace esker
