#include "expr/filter.h"

#include <algorithm>
#include <utility>

#include "arrow/record_batch.h"
#include "base/status.h"
#include "expr/bind.h"
#include "expr/evaluate.h"
#include "expr/node.h"
#include "expr/parse.h"
#include "expr/partition.h"
#include "expr/print.h"
#include "expr/prune.h"

namespace esker {

using expr_internal::Node;
using expr_internal::PartitionRange;

namespace {

bool IsByteString(TypeId id) {
  return id == TypeId::kString || id == TypeId::kBinary || id == TypeId::kFixed ||
         id == TypeId::kUuid;
}

// A bound of a summary, where bytes and NaN are of no use.
Value SummaryBound(const std::optional<std::string>& bytes, const Type& type) {
  if (!bytes || IsByteString(type.id)) return {};
  return DecodeBound(*bytes, type);
}

// A NaN count is not believed: writers have put NaN in without saying so (paimon#9188).
PartitionRange RangeOfSummary(const FieldSummary& summary, const Type& type) {
  PartitionRange range;
  range.may_hold_nulls = summary.contains_null;
  range.lower = SummaryBound(summary.lower_bound, type);
  range.upper = SummaryBound(summary.upper_bound, type);
  const bool both = !IsNull(range.lower) && !IsNull(range.upper);
  const bool floating = type.is_floating();
  if ((both && CompareValues(range.lower, range.upper) > 0) || (floating && !both)) {
    range.lower = {};
    range.upper = {};
  }
  return range;
}

bool IsOn(const PartitionField& field, const Node& leaf) {
  return field.source_ids.size() == 1 && field.source_ids[0] == leaf.field_id;
}

bool MayEqualAny(const Node& leaf, const std::vector<Value>& values,
                 const BoundFilter::ValueProbe& probe) {
  return std::any_of(values.begin(), values.end(), [&](const Value& value) {
    // The zeros are equal, but neither their bytes nor their hashes are.
    return value == Value(0.0) || probe.may_equal(leaf.field_id, value);
  });
}

bool MayHoldByProbe(const Node& leaf, const BoundFilter::ValueProbe& probe) {
  const auto* equal = expr_internal::EqualValuesOf(leaf);
  if (equal != nullptr && probe.may_equal && !MayEqualAny(leaf, *equal, probe)) return false;
  const auto* all = probe.all_values ? probe.all_values(leaf.field_id) : nullptr;
  return all == nullptr || expr_internal::MayHoldAmong(leaf, *all);
}

}  // namespace

BoundFilter::BoundFilter(std::shared_ptr<const Node> root, Schema schema,
                         std::vector<int32_t> field_ids)
    : root_(std::move(root)),
      schema_(std::make_shared<const Schema>(std::move(schema))),
      field_ids_(std::move(field_ids)) {}

arrow::Result<BoundFilter> BoundFilter::Make(std::string_view text, const Schema& schema) {
  ARROW_ASSIGN_OR_RAISE(const expr_internal::Syntax syntax, expr_internal::Parse(text));
  ARROW_ASSIGN_OR_RAISE(expr_internal::Bound bound, expr_internal::Bind(syntax, text, schema));
  return BoundFilter(std::make_shared<const Node>(std::move(bound.root)), schema,
                     std::move(bound.field_ids));
}

const std::vector<int32_t>& BoundFilter::field_ids() const { return field_ids_; }

arrow::Result<std::shared_ptr<arrow::BooleanArray>> BoundFilter::Evaluate(
    const arrow::RecordBatch& batch) const {
  if (static_cast<size_t>(batch.num_columns()) != field_ids_.size()) {
    return arrow::Status::Invalid("the filter wants ", field_ids_.size(), " columns, not ",
                                  batch.num_columns());
  }
  return expr_internal::EvaluateTree(*root_, batch);
}

bool BoundFilter::MayMatch(const Facts& facts) const {
  return expr_internal::WalkTree(
      *root_, [&](const Node& leaf) { return expr_internal::MayHold(leaf, facts(leaf.field_id)); });
}

bool BoundFilter::MayMatch(const Facts& facts, const ValueProbe& probe) const {
  return expr_internal::WalkTree(*root_, [&](const Node& leaf) {
    return expr_internal::MayHold(leaf, facts(leaf.field_id)) && MayHoldByProbe(leaf, probe);
  });
}

bool BoundFilter::MustMatch(const Facts& facts) const {
  return expr_internal::WalkTree(*root_, [&](const Node& leaf) {
    return expr_internal::MustHold(leaf, facts(leaf.field_id));
  });
}

bool BoundFilter::MayMatchPartition(const PartitionSpec& spec,
                                    std::span<const std::pair<int32_t, Value>> partition) const {
  return expr_internal::WalkTree(*root_, [&](const Node& leaf) {
    return std::all_of(spec.fields.begin(), spec.fields.end(), [&](const PartitionField& field) {
      const auto found = std::find_if(partition.begin(), partition.end(), [&](const auto& value) {
        return value.first == field.field_id;
      });
      if (!IsOn(field, leaf) || found == partition.end()) return true;
      return expr_internal::MayHoldInPartition(leaf, field.transform,
                                               expr_internal::RangeOfPartitionValue(found->second));
    });
  });
}

bool BoundFilter::MayMatchManifest(const PartitionSpec& spec,
                                   std::span<const FieldSummary> summaries) const {
  if (summaries.size() != spec.fields.size()) return true;
  return expr_internal::WalkTree(*root_, [&](const Node& leaf) {
    for (size_t i = 0; i < summaries.size(); ++i) {
      const PartitionField& field = spec.fields[i];
      if (!IsOn(field, leaf)) continue;
      const Type result = TransformResultType(field.transform, leaf.type);
      const PartitionRange range = RangeOfSummary(summaries[i], result);
      if (!expr_internal::MayHoldInPartition(leaf, field.transform, range)) return false;
    }
    return true;
  });
}

std::string BoundFilter::ToString() const { return expr_internal::NodeToString(*root_, *schema_); }

}  // namespace esker
