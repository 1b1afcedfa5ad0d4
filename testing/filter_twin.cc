#include "testing/filter_twin.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "testing/seed.h"
#include "testing/twin_literal.h"

namespace esker::testing {
namespace {

using Random = std::mt19937_64;

Truth Of(bool value) { return value ? Truth::kTrue : Truth::kFalse; }

Truth Not(Truth truth) { return truth == Truth::kNull ? truth : Of(truth == Truth::kFalse); }

Truth And(Truth a, Truth b) { return std::min(a, b); }
Truth Or(Truth a, Truth b) { return std::max(a, b); }

bool OpHolds(const std::string& op, int order) {
  if (op == "=" || op == "==") return order == 0;
  if (op == "<>" || op == "!=") return order != 0;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  return op == ">" ? order > 0 : order >= 0;
}

Truth CompareTruth(const Type& type, const Value& value, const std::string& op,
                   const TwinLiteral& literal) {
  if (IsNull(value) || literal.is_null) return Truth::kNull;
  return Of(OpHolds(op, CompareToLiteral(type, value, literal)));
}

// ---- predicates ----

struct Place {
  size_t index = 0;  ///< in a row
  TwinColumn column;
  const Type& type() const { return column.field.type; }
};

TwinFilter DrawComparison(Random& random, const Place& place) {
  static const std::vector<std::string> kOps = {"=", "==", "<>", "!=", "<", "<=", ">", ">="};
  const std::string op = Pick(random, kOps);
  const TwinLiteral literal = DrawLiteral(random, place.type());
  const auto test = [=](const TwinRow& row) {
    return CompareTruth(place.type(), row[place.index], op, literal);
  };
  if (Chance(random, 80)) return {place.column.name + " " + op + " " + literal.text, test};
  std::string mirrored = op;
  if (op[0] == '<' && op != "<>") mirrored[0] = '>';
  if (op[0] == '>') mirrored[0] = '<';
  return {literal.text + mirrored + place.column.name, test};
}

TwinFilter DrawIn(Random& random, const Place& place, const std::string& negation) {
  std::vector<TwinLiteral> literals;
  std::string text;
  for (int64_t n = Draw(random, 1, 5); n > 0; --n) {
    literals.push_back(DrawLiteral(random, place.type()));
    text += (text.empty() ? "" : ", ") + literals.back().text;
  }
  return {place.column.name + negation + " in (" + text + ")", [=](const TwinRow& row) {
            Truth any = Truth::kFalse;
            for (const TwinLiteral& literal : literals) {
              any = Or(any, CompareTruth(place.type(), row[place.index], "=", literal));
            }
            return negation.empty() ? any : Not(any);
          }};
}

TwinFilter DrawBetween(Random& random, const Place& place, const std::string& negation) {
  const TwinLiteral lower = DrawLiteral(random, place.type());
  const TwinLiteral upper = DrawLiteral(random, place.type());
  return {place.column.name + negation + " between " + lower.text + " and " + upper.text,
          [=](const TwinRow& row) {
            const Value& value = row[place.index];
            const Truth in = And(CompareTruth(place.type(), value, ">=", lower),
                                 CompareTruth(place.type(), value, "<=", upper));
            return negation.empty() ? in : Not(in);
          }};
}

std::string DrawPattern(Random& random) {
  static const std::vector<std::string> kParts = {
      "a",   "b",   "ab",   "\xC3\xA9", "%", "_",
      "\\%", "\\_", "\\\\", "''",       "%", "a long beginning that is shared "};
  std::string pattern;
  for (int64_t n = Draw(random, 0, 5); n > 0; --n) pattern += Pick(random, kParts);
  return Chance(random, 50) ? pattern + "%" : pattern;
}

TwinFilter DrawLike(Random& random, const Place& place, const std::string& negation) {
  const std::string written = DrawPattern(random);
  std::string pattern = written;
  for (size_t at; (at = pattern.find("''")) != std::string::npos;) pattern.erase(at, 1);
  return {place.column.name + negation + " like '" + written + "'", [=](const TwinRow& row) {
            const Value& value = row[place.index];
            if (IsNull(value)) return Truth::kNull;
            const Truth like = Of(TwinLike(pattern, std::get<std::string>(value)));
            return negation.empty() ? like : Not(like);
          }};
}

TwinFilter DrawIsNan(const Place& place, bool negated) {
  return {place.column.name + (negated ? " is not nan" : " IS NaN"),
          [=](const TwinRow& row) { return Of(IsNan(row[place.index]) != negated); }};
}

TwinFilter DrawPredicate(Random& random) {
  static const std::vector<TwinColumn> kColumns = TwinColumns();
  Place place;
  place.index = static_cast<size_t>(Draw(random, 0, static_cast<int64_t>(kColumns.size()) - 1));
  place.column = kColumns[place.index];
  const std::string negation = Chance(random, 40) ? " not" : "";
  const TypeId id = place.type().id;
  const int64_t kind = Draw(random, 1, 100);
  if (kind <= 10) {
    return {place.column.name + " is" + negation + " null",
            [=](const TwinRow& row) { return Of(IsNull(row[place.index]) == negation.empty()); }};
  }
  if (kind <= 25) return DrawIn(random, place, negation);
  if (kind <= 35) return DrawBetween(random, place, negation);
  if (kind <= 60 && id == TypeId::kString) return DrawLike(random, place, negation);
  if (kind <= 50 && (id == TypeId::kFloat || id == TypeId::kDouble)) {
    return DrawIsNan(place, !negation.empty());
  }
  if (kind <= 60 && id == TypeId::kBoolean) {
    return {place.column.name, [=](const TwinRow& row) {
              const Value& value = row[place.index];
              return IsNull(value) ? Truth::kNull : Of(std::get<bool>(value));
            }};
  }
  return DrawComparison(random, place);
}

TwinFilter DrawConstant(Random& random) {
  const auto truth = static_cast<Truth>(Draw(random, 0, 2));
  const std::array<std::string, 3> texts = {"false", "null", "true"};
  return {texts[static_cast<size_t>(truth)], [=](const TwinRow&) { return truth; }};
}

TwinFilter DrawList(Random& random, int depth) {
  const bool is_and = Chance(random, 50);
  TwinFilter list = DrawFilter(random, depth - 1);
  list.text = "(" + list.text + ")";
  for (int64_t n = Draw(random, 1, 3); n > 0; --n) {
    TwinFilter part = DrawFilter(random, depth - 1);
    list.text += (is_and ? " and (" : " Or (") + part.text + ")";
    list.test = [left = std::move(list.test), right = std::move(part.test),
                 is_and](const TwinRow& row) {
      return is_and ? And(left(row), right(row)) : Or(left(row), right(row));
    };
  }
  return list;
}

std::u32string CodePoints(const std::string& text) {
  std::u32string points;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0) == 0x80) {
      points.back() = points.back() * 64 + (byte & 0x3F);
    } else {
      points.push_back(byte < 0x80 ? byte : byte & 0x3F);
    }
  }
  return points;
}

bool MatchFrom(const std::u32string& pattern, size_t p, const std::u32string& text, size_t t) {
  if (p == pattern.size()) return t == text.size();
  if (pattern[p] == U'%') {
    return MatchFrom(pattern, p + 1, text, t) ||
           (t < text.size() && MatchFrom(pattern, p, text, t + 1));
  }
  if (t == text.size()) return false;
  if (pattern[p] == U'_') return MatchFrom(pattern, p + 1, text, t + 1);
  const size_t escape = pattern[p] == U'\\' ? 1 : 0;
  return pattern[p + escape] == text[t] && MatchFrom(pattern, p + escape + 1, text, t + 1);
}

}  // namespace

TwinFilter DrawFilter(Random& random, int depth) {
  const int64_t kind = Draw(random, 1, 100);
  if (kind <= 2) return DrawConstant(random);
  if (depth <= 0 || kind <= 40) return DrawPredicate(random);
  if (kind <= 60) {
    TwinFilter inner = DrawFilter(random, depth - 1);
    return {"not (" + inner.text + ")",
            [test = std::move(inner.test)](const TwinRow& row) { return Not(test(row)); }};
  }
  return DrawList(random, depth);
}

bool TwinLike(const std::string& pattern, const std::string& text) {
  return MatchFrom(CodePoints(pattern), 0, CodePoints(text), 0);
}

}  // namespace esker::testing
