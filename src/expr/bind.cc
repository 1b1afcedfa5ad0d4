#include "expr/bind.h"

#include <algorithm>
#include <string>
#include <utility>

#include "expr/lex.h"
#include "expr/like.h"
#include "expr/literal.h"

namespace esker::expr_internal {
namespace {

using Kind = Node::Kind;
using Place = Fit::Place;

Node Constant(bool value) {
  Node node;
  node.constant = value;
  return node;
}

Node Leaf(Kind kind, const Field& column, bool negated) {
  Node node;
  node.kind = kind;
  node.negated = negated;
  node.field_id = column.id;
  node.type = column.type;
  return node;
}

Node IsNotNull(const Field& column) { return Leaf(Kind::kIsNull, column, true); }

Node Comparison(const Field& column, CompareOp op, Value value) {
  Node node = Leaf(Kind::kCompare, column, false);
  node.op = op;
  node.values.push_back(std::move(value));
  return node;
}

// "and" or "or" over parts: flattened, without constants, never of fewer than two parts.
Node Combine(Kind kind, std::vector<Node> parts) {
  const bool neutral = kind == Kind::kAnd;
  Node node;
  node.kind = kind;
  for (Node& part : parts) {
    if (part.kind == Kind::kConstant) {
      if (part.constant != neutral) return Constant(!neutral);
    } else if (part.kind == kind) {
      std::move(part.children.begin(), part.children.end(), std::back_inserter(node.children));
    } else {
      node.children.push_back(std::move(part));
    }
  }
  if (node.children.empty()) return Constant(neutral);
  if (node.children.size() == 1) {
    Node only = std::move(node.children[0]);
    return only;
  }
  return node;
}

Node Combine(Kind kind, Node a, Node b) {
  std::vector<Node> parts;
  parts.push_back(std::move(a));
  parts.push_back(std::move(b));
  return Combine(kind, std::move(parts));
}

// A boolean column has two values to try.
Node CompareBoolean(const Field& column, CompareOp op, bool value) {
  const bool takes_false = Holds(op, false <=> value);
  const bool takes_true = Holds(op, true <=> value);
  if (takes_false && takes_true) return IsNotNull(column);
  if (!takes_false && !takes_true) return Constant(false);
  return Comparison(column, CompareOp::kEqual, takes_true);
}

// All values lie on one side of the literal: `order` of each of them to it.
Node CompareBeyond(const Field& column, CompareOp op, std::weak_ordering order) {
  return Holds(op, order) ? IsNotNull(column) : Constant(false);
}

// No value is the literal, and `floor` is the largest one below it.
Node CompareBetween(const Field& column, CompareOp op, Value floor) {
  switch (op) {
    case CompareOp::kEqual:
      return Constant(false);
    case CompareOp::kNotEqual:
      return IsNotNull(column);
    case CompareOp::kLess:
    case CompareOp::kLessEqual:
      return Comparison(column, CompareOp::kLessEqual, std::move(floor));
    default:
      return Comparison(column, CompareOp::kGreater, std::move(floor));
  }
}

// NaN is above every number and equal to itself.
Node CompareNan(const Field& column, CompareOp op) {
  Node is_nan = Leaf(Kind::kIsNan, column, false);
  Node is_number = Combine(Kind::kAnd, IsNotNull(column), Leaf(Kind::kIsNan, column, true));
  const bool takes_nan = Holds(op, std::weak_ordering::equivalent);
  const bool takes_numbers = Holds(op, std::weak_ordering::less);
  if (takes_nan && takes_numbers) return IsNotNull(column);
  if (takes_nan) return is_nan;
  return takes_numbers ? is_number : Constant(false);
}

Node Compare(const Field& column, CompareOp op, Fit fit) {
  switch (fit.place) {
    case Place::kBelowAll:
      return CompareBeyond(column, op, std::weak_ordering::greater);
    case Place::kAboveAll:
      return CompareBeyond(column, op, std::weak_ordering::less);
    case Place::kAfter:
      return CompareBetween(column, op, std::move(fit.value));
    case Place::kNan:
      return CompareNan(column, op);
    case Place::kAt:
      break;
  }
  if (column.type.id == TypeId::kBoolean) {
    return CompareBoolean(column, op, std::get<bool>(fit.value));
  }
  return Comparison(column, op, std::move(fit.value));
}

void SortUnique(std::vector<Value>* values) {
  std::sort(values->begin(), values->end(),
            [](const Value& a, const Value& b) { return CompareValues(a, b) < 0; });
  values->erase(
      std::unique(values->begin(), values->end(),
                  [](const Value& a, const Value& b) { return CompareValues(a, b) == 0; }),
      values->end());
}

// Membership in values that the column can hold.
Node Among(const Field& column, bool negated, std::vector<Value> values) {
  SortUnique(&values);
  if (values.empty()) return negated ? IsNotNull(column) : Constant(false);
  if (values.size() == 1) {
    const CompareOp op = negated ? CompareOp::kNotEqual : CompareOp::kEqual;
    return Compare(column, op, {Place::kAt, std::move(values[0])});
  }
  Node node = Leaf(Kind::kIn, column, negated);
  node.values = std::move(values);
  return node;
}

class Binder {
 public:
  Binder(std::string_view text, const Schema& schema) : text_(text), schema_(schema) {}

  // `negate`: bind "not syntax" instead.
  arrow::Result<Node> Run(const Syntax& syntax, bool negate) const {
    switch (syntax.kind) {
      case Syntax::Kind::kAnd:
        return RunList(syntax, negate ? Kind::kOr : Kind::kAnd, negate);
      case Syntax::Kind::kOr:
        return RunList(syntax, negate ? Kind::kAnd : Kind::kOr, negate);
      case Syntax::Kind::kNot:
        return Run(syntax.children[0], !negate);
      case Syntax::Kind::kLiteral:
        return RunLiteral(syntax.literals[0], negate);
      default:
        return RunPredicate(syntax, negate != syntax.negated);
    }
  }

 private:
  arrow::Status Fail(size_t position, std::string_view message) const {
    return ErrorAt(text_, position, message);
  }

  arrow::Result<Node> RunList(const Syntax& syntax, Kind kind, bool negate) const {
    std::vector<Node> parts;
    parts.reserve(syntax.children.size());
    for (const Syntax& child : syntax.children) {
      ARROW_ASSIGN_OR_RAISE(Node part, Run(child, negate));
      parts.push_back(std::move(part));
    }
    return Combine(kind, std::move(parts));
  }

  // "null" and "not null" alone keep no row.
  static Node RunLiteral(const Literal& literal, bool negate) {
    if (literal.kind == Literal::Kind::kNull) return Constant(false);
    return Constant((literal.text == "true") != negate);
  }

  arrow::Result<Node> RunPredicate(const Syntax& syntax, bool negate) const {
    ARROW_ASSIGN_OR_RAISE(const Field* column, Resolve(syntax));
    switch (syntax.kind) {
      case Syntax::Kind::kColumn:
        return RunBoolean(syntax, *column, negate);
      case Syntax::Kind::kCompare:
        return RunCompare(*column, negate ? Negate(syntax.op) : syntax.op, syntax.literals[0]);
      case Syntax::Kind::kIn:
        return RunIn(syntax, *column, negate);
      case Syntax::Kind::kBetween:
        return RunBetween(syntax, *column, negate);
      case Syntax::Kind::kLike:
        return RunLike(syntax, *column, negate);
      case Syntax::Kind::kIsNan:
        if (!column->type.is_floating()) {
          return Fail(syntax.word_position, "'is nan' needs a float or double column; '" +
                                                syntax.column + "' is of type " +
                                                column->type.ToString());
        }
        return Leaf(Kind::kIsNan, *column, negate);
      default:
        return Leaf(Kind::kIsNull, *column, negate);
    }
  }

  arrow::Result<const Field*> Resolve(const Syntax& syntax) const {
    const FieldPath path = schema_.FindByName(syntax.column);
    if (path.empty()) {
      return Fail(syntax.position,
                  "unknown column '" + Clipped(syntax.column) + "'" + Suggestion(syntax.column));
    }
    for (size_t i = 0; i + 1 < path.size(); ++i) {
      if (path[i]->type.id != TypeId::kStruct) {
        return Fail(
            syntax.position,
            "'" + syntax.column + "' lies inside a list or map, where a row has many values");
      }
    }
    return path.back();
  }

  // Edit distances of a name as long as a book would take all day.
  std::string Suggestion(const std::string& name) const {
    if (name.size() > kMaxShownBytes) return "";
    const std::string nearest = NearestName(name, schema_.AllNames());
    return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  }

  arrow::Result<Fit> FitTo(const Field& column, const Literal& literal) const {
    arrow::Result<Fit> fit = FitLiteral(literal, column.type);
    if (fit.ok()) return fit;
    return Fail(literal.position, fit.status().message());
  }

  arrow::Result<Node> RunBoolean(const Syntax& syntax, const Field& column, bool negate) const {
    if (column.type.id != TypeId::kBoolean) {
      return Fail(syntax.word_position, "expected a comparison: '" + syntax.column +
                                            "' is of type " + column.type.ToString() +
                                            ", not boolean");
    }
    return Comparison(column, CompareOp::kEqual, !negate);
  }

  // Whether a comparison with null, which keeps no row, is one that the column could have.
  arrow::Status CheckComparable(const Field& column, const Literal& literal) const {
    if (column.type.id < TypeId::kUnknown) return arrow::Status::OK();
    return FitTo(column, literal).status();
  }

  arrow::Result<Node> RunCompare(const Field& column, CompareOp op, const Literal& literal) const {
    if (literal.kind == Literal::Kind::kNull) {
      ARROW_RETURN_NOT_OK(CheckComparable(column, literal));
      return Constant(false);
    }
    ARROW_ASSIGN_OR_RAISE(Fit fit, FitTo(column, literal));
    return Compare(column, op, std::move(fit));
  }

  // A null in the list makes "not in" null for all other rows, so that it keeps none.
  arrow::Result<Node> RunIn(const Syntax& syntax, const Field& column, bool negate) const {
    std::vector<Value> values;
    bool has_null = false;
    bool has_nan = false;
    for (const Literal& literal : syntax.literals) {
      if (literal.kind == Literal::Kind::kNull) {
        ARROW_RETURN_NOT_OK(CheckComparable(column, literal));
        has_null = true;
        continue;
      }
      ARROW_ASSIGN_OR_RAISE(Fit fit, FitTo(column, literal));
      has_nan = has_nan || fit.place == Place::kNan;
      if (fit.place == Place::kAt) values.push_back(std::move(fit.value));
    }
    if (has_null && negate) return Constant(false);
    Node among = Among(column, negate, std::move(values));
    if (!has_nan) return among;
    return Combine(negate ? Kind::kAnd : Kind::kOr, std::move(among),
                   Leaf(Kind::kIsNan, column, negate));
  }

  arrow::Result<Node> RunBetween(const Syntax& syntax, const Field& column, bool negate) const {
    const CompareOp lower_op = negate ? CompareOp::kLess : CompareOp::kGreaterEqual;
    const CompareOp upper_op = negate ? CompareOp::kGreater : CompareOp::kLessEqual;
    ARROW_ASSIGN_OR_RAISE(Node lower, RunCompare(column, lower_op, syntax.literals[0]));
    ARROW_ASSIGN_OR_RAISE(Node upper, RunCompare(column, upper_op, syntax.literals[1]));
    return Combine(negate ? Kind::kOr : Kind::kAnd, std::move(lower), std::move(upper));
  }

  arrow::Result<Node> RunLike(const Syntax& syntax, const Field& column, bool negate) const {
    if (column.type.id != TypeId::kString) {
      return Fail(syntax.word_position, "'like' needs a string column; '" + syntax.column +
                                            "' is of type " + column.type.ToString());
    }
    const Literal& literal = syntax.literals[0];
    if (literal.kind == Literal::Kind::kNull) return Constant(false);
    auto compiled = CompileLike(literal.text);
    if (!compiled.ok()) return Fail(literal.position, compiled.status().message());
    return Like(column, negate, *std::move(compiled));
  }

  static Node Like(const Field& column, bool negate, LikePattern pattern) {
    std::string prefix = LiteralPrefix(pattern);
    if (prefix.size() == pattern.size()) {
      return Comparison(column, negate ? CompareOp::kNotEqual : CompareOp::kEqual,
                        std::move(prefix));
    }
    const bool only_prefix =
        prefix.size() + 1 == pattern.size() && pattern.back() == kAnyCharacters;
    if (only_prefix && prefix.empty()) return negate ? Constant(false) : IsNotNull(column);
    Node node = Leaf(only_prefix ? Kind::kStartsWith : Kind::kLike, column, negate);
    node.text = std::move(prefix);
    if (!only_prefix) node.pattern = std::move(pattern);
    return node;
  }

  std::string_view text_;
  const Schema& schema_;
};

void NumberColumns(Node* node, std::vector<int32_t>* field_ids) {
  for (Node& child : node->children) NumberColumns(&child, field_ids);
  if (!node->is_leaf()) return;
  const auto found = std::find(field_ids->begin(), field_ids->end(), node->field_id);
  node->column = static_cast<int32_t>(found - field_ids->begin());
  if (found == field_ids->end()) field_ids->push_back(node->field_id);
}

}  // namespace

arrow::Result<Bound> Bind(const Syntax& syntax, std::string_view text, const Schema& schema) {
  Bound bound;
  ARROW_ASSIGN_OR_RAISE(bound.root, Binder(text, schema).Run(syntax, false));
  NumberColumns(&bound.root, &bound.field_ids);
  return bound;
}

}  // namespace esker::expr_internal
