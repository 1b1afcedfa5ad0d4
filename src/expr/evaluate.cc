#include "expr/evaluate.h"

#include <utility>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "expr/like.h"
#include "format/arrow_schema.h"

namespace esker::expr_internal {
namespace {

using arrow::Datum;
using arrow::Result;
using arrow::compute::CallFunction;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using ScalarPtr = std::shared_ptr<arrow::Scalar>;

arrow::Status CheckType(const Node& leaf, const arrow::DataType& wanted,
                        const arrow::DataType& found) {
  if (wanted.Equals(found)) return arrow::Status::OK();
  return arrow::Status::Invalid("a filter on a column of type ", leaf.type.ToString(),
                                " cannot be applied to an Arrow array of type ", found.ToString());
}

// A literal as the column has it. Arrow would cast one side if they differed, and not as we do.
Result<ScalarPtr> ScalarOf(const Node& leaf, const Value& value, const arrow::DataType& type) {
  ARROW_ASSIGN_OR_RAISE(ScalarPtr scalar, ValueToScalar(value, leaf.type));
  ARROW_RETURN_NOT_OK(CheckType(leaf, *scalar->type, type));
  return scalar;
}

// ---- predicates: each gives true, false or null for every row ----

Result<Datum> Invert(const Datum& mask) { return CallFunction("invert", {mask}); }

const char* FunctionOf(CompareOp op) {
  switch (op) {
    case CompareOp::kEqual:
      return "equal";
    case CompareOp::kNotEqual:
      return "not_equal";
    case CompareOp::kLess:
      return "less";
    case CompareOp::kLessEqual:
      return "less_equal";
    case CompareOp::kGreater:
      return "greater";
    case CompareOp::kGreaterEqual:
      return "greater_equal";
  }
  return "";
}

// To the kernels every comparison with NaN but "not equal" is false. That is right for a NaN above
// the literal, except of > and >=: those are the opposites of what is false.
Result<Datum> EvaluateCompare(const Node& leaf, const ArrayPtr& column) {
  ARROW_ASSIGN_OR_RAISE(ScalarPtr literal, ScalarOf(leaf, leaf.values[0], *column->type()));
  const bool is_above = leaf.op == CompareOp::kGreater || leaf.op == CompareOp::kGreaterEqual;
  if (!leaf.type.is_floating() || !is_above) {
    return CallFunction(FunctionOf(leaf.op), {column, literal});
  }
  ARROW_ASSIGN_OR_RAISE(Datum below, CallFunction(FunctionOf(Negate(leaf.op)), {column, literal}));
  return Invert(below);
}

// The zeros are one value to us but two to the hash table behind "is_in".
Result<ArrayPtr> ValueSet(const Node& leaf, const std::shared_ptr<arrow::DataType>& type) {
  std::unique_ptr<arrow::ArrayBuilder> builder;
  ARROW_RETURN_NOT_OK(arrow::MakeBuilder(arrow::default_memory_pool(), type, &builder));
  for (const Value& value : leaf.values) {
    ARROW_ASSIGN_OR_RAISE(ScalarPtr scalar, ScalarOf(leaf, value, *type));
    ARROW_RETURN_NOT_OK(builder->AppendScalar(*scalar));
    const auto* number = std::get_if<double>(&value);
    if (number == nullptr || *number != 0.0) continue;
    ARROW_ASSIGN_OR_RAISE(scalar, ScalarOf(leaf, -*number, *type));
    ARROW_RETURN_NOT_OK(builder->AppendScalar(*scalar));
  }
  return builder->Finish();
}

Result<Datum> EvaluateIn(const Node& leaf, const ArrayPtr& column) {
  ARROW_ASSIGN_OR_RAISE(ArrayPtr values, ValueSet(leaf, column->type()));
  const arrow::compute::SetLookupOptions options(values,
                                                 arrow::compute::SetLookupOptions::INCONCLUSIVE);
  ARROW_ASSIGN_OR_RAISE(Datum mask, CallFunction("is_in", {column}, &options));
  return leaf.negated ? Invert(mask) : mask;
}

Result<Datum> EvaluateStartsWith(const Node& leaf, const ArrayPtr& column) {
  ARROW_RETURN_NOT_OK(CheckType(leaf, *arrow::utf8(), *column->type()));
  const arrow::compute::MatchSubstringOptions options(leaf.text);
  ARROW_ASSIGN_OR_RAISE(Datum mask, CallFunction("starts_with", {column}, &options));
  return leaf.negated ? Invert(mask) : mask;
}

Result<Datum> EvaluateLike(const Node& leaf, const ArrayPtr& column) {
  ARROW_RETURN_NOT_OK(CheckType(leaf, *arrow::utf8(), *column->type()));
  const auto& strings = static_cast<const arrow::StringArray&>(*column);
  arrow::BooleanBuilder builder;
  ARROW_RETURN_NOT_OK(builder.Reserve(strings.length()));
  for (int64_t row = 0; row < strings.length(); ++row) {
    if (strings.IsNull(row)) {
      builder.UnsafeAppendNull();
    } else {
      builder.UnsafeAppend(LikeMatches(leaf.pattern, strings.GetView(row)) != leaf.negated);
    }
  }
  ARROW_ASSIGN_OR_RAISE(ArrayPtr mask, builder.Finish());
  return Datum(std::move(mask));
}

Result<Datum> NullToFalse(const Datum& mask) {
  if (mask.null_count() == 0) return mask;
  return CallFunction("coalesce", {mask, Datum(false)});
}

Result<Datum> EvaluateIsNan(const Node& leaf, const ArrayPtr& column) {
  ARROW_ASSIGN_OR_RAISE(Datum mask, CallFunction("is_nan", {column}));
  ARROW_ASSIGN_OR_RAISE(mask, NullToFalse(mask));
  return leaf.negated ? Invert(mask) : mask;
}

Result<Datum> EvaluateLeaf(const Node& leaf, const ArrayPtr& column) {
  switch (leaf.kind) {
    case Node::Kind::kIsNull:
      return CallFunction(leaf.negated ? "is_valid" : "is_null", {column});
    case Node::Kind::kIsNan:
      return EvaluateIsNan(leaf, column);
    case Node::Kind::kIn:
      return EvaluateIn(leaf, column);
    case Node::Kind::kStartsWith:
      return EvaluateStartsWith(leaf, column);
    case Node::Kind::kLike:
      return EvaluateLike(leaf, column);
    default:
      return EvaluateCompare(leaf, column);
  }
}

// ---- the tree ----

Result<Datum> EvaluateNode(const Node& node, const arrow::RecordBatch& batch) {
  if (node.kind == Node::Kind::kConstant) {
    ARROW_ASSIGN_OR_RAISE(auto mask, arrow::MakeArrayFromScalar(arrow::BooleanScalar(node.constant),
                                                                batch.num_rows()));
    return Datum(std::move(mask));
  }
  if (node.is_leaf()) return EvaluateLeaf(node, batch.column(node.column));
  const char* function = node.kind == Node::Kind::kAnd ? "and_kleene" : "or_kleene";
  ARROW_ASSIGN_OR_RAISE(Datum mask, EvaluateNode(node.children[0], batch));
  for (size_t i = 1; i < node.children.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(Datum part, EvaluateNode(node.children[i], batch));
    ARROW_ASSIGN_OR_RAISE(mask, CallFunction(function, {mask, part}));
  }
  return mask;
}

}  // namespace

Result<std::shared_ptr<arrow::BooleanArray>> EvaluateTree(const Node& root,
                                                          const arrow::RecordBatch& batch) {
  ARROW_ASSIGN_OR_RAISE(Datum mask, EvaluateNode(root, batch));
  ARROW_ASSIGN_OR_RAISE(mask, NullToFalse(mask));
  return std::static_pointer_cast<arrow::BooleanArray>(mask.make_array());
}

}  // namespace esker::expr_internal
