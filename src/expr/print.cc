#include "expr/print.h"

#include <cmath>
#include <string_view>

#include "expr/lex.h"
#include "expr/like.h"

namespace esker::expr_internal {
namespace {

std::string Quoted(std::string_view text, char mark) {
  std::string quoted(1, mark);
  for (const char c : text) {
    if (c == mark) quoted += mark;
    quoted += c;
  }
  return quoted + mark;
}

// Whether the dotted name can stand without quotes.
bool IsPlainName(std::string_view name) {
  for (;;) {
    const size_t dot = name.find('.');
    const std::string_view word = name.substr(0, dot);
    if (!IsPlainWord(word) || IsReserved(word)) return false;
    if (dot == std::string_view::npos) return true;
    name.remove_prefix(dot + 1);
  }
}

std::string ColumnText(const Node& leaf, const Schema& schema) {
  const std::string name = schema.NameOf(leaf.field_id);
  return IsPlainName(name) ? name : Quoted(name, '"');
}

std::string_view OpText(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return "=";
    case CompareOp::kNotEqual:
      return "<>";
    case CompareOp::kLess:
      return "<";
    case CompareOp::kLessEqual:
      return "<=";
    case CompareOp::kGreater:
      return ">";
    case CompareOp::kGreaterEqual:
      return ">=";
  }
  return "";
}

std::string ValueText(const Value& value, const Type& type) {
  const std::string text = ValueToString(value, type);
  switch (type.id) {
    case TypeId::kBoolean:
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
      return text;
    case TypeId::kFloat:
    case TypeId::kDouble:
      return std::isfinite(std::get<double>(value)) ? text : Quoted(text, '\'');
    case TypeId::kFixed:
    case TypeId::kBinary:
      return "X" + Quoted(text, '\'');
    default:
      return Quoted(text, '\'');
  }
}

std::string JoinedValues(const Node& leaf) {
  std::string text;
  for (const Value& value : leaf.values) {
    if (!text.empty()) text += ", ";
    text += ValueText(value, leaf.type);
  }
  return text;
}

std::string LeafText(const Node& leaf, const Schema& schema) {
  const std::string column = ColumnText(leaf, schema);
  const std::string negation = leaf.negated ? " not" : "";
  switch (leaf.kind) {
    case Node::Kind::kIsNull:
      return column + " is" + negation + " null";
    case Node::Kind::kIsNan:
      return column + " is" + negation + " nan";
    case Node::Kind::kCompare:
      return column + " " + std::string(OpText(leaf.op)) + " " + JoinedValues(leaf);
    case Node::Kind::kIn:
      return column + negation + " in (" + JoinedValues(leaf) + ")";
    case Node::Kind::kLike:
      return column + negation + " like " + Quoted(LikeText(leaf.pattern), '\'');
    default: {
      LikePattern pattern;
      for (const char c : leaf.text) pattern.push_back(static_cast<unsigned char>(c));
      pattern.push_back(kAnyCharacters);
      return column + negation + " like " + Quoted(LikeText(pattern), '\'');
    }
  }
}

}  // namespace

std::string NodeToString(const Node& node, const Schema& schema) {
  if (node.kind == Node::Kind::kConstant) return node.constant ? "true" : "false";
  if (node.is_leaf()) return LeafText(node, schema);
  const bool is_and = node.kind == Node::Kind::kAnd;
  std::string text;
  for (const Node& child : node.children) {
    if (!text.empty()) text += is_and ? " and " : " or ";
    const std::string part = NodeToString(child, schema);
    text += child.kind == Node::Kind::kOr ? "(" + part + ")" : part;
  }
  return text;
}

}  // namespace esker::expr_internal
