// Filters: the text of --where, from parsing to rows (docs/filters.md).
//
//     text --Parse--> Syntax --Bind--> BoundFilter --+--> may a file hold a match? (pruning)
//                                                    +--> which rows of a batch match?
//
// Three-valued logic as in SQL: a row is kept where the filter is true, not where it is null. NaN
// is above every number and equal to itself, as in Spark, DuckDB and Iceberg's own evaluators; null
// is not NaN. Comparisons are exact also where the literal is no value of its column (int < 2.5).
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/column_facts.h"
#include "format/manifest.h"
#include "format/table_metadata.h"
#include "format/type.h"

namespace esker {

namespace expr_internal {
struct Node;
}

/// A filter bound to the columns of a schema by field id. Immutable, cheap to copy, usable from
/// any thread.
class BoundFilter {
 public:
  /// Parses `text` and binds it to `schema`. UsageError that points at the character for bad
  /// syntax, an unknown column (with a suggestion), or a literal that does not fit its column.
  static arrow::Result<BoundFilter> Make(std::string_view text, const Schema& schema);

  /// The columns that the rows are tested on, each once, by field id, in the order in which
  /// Evaluate() wants them.
  const std::vector<int32_t>& field_ids() const;

  /// Which rows match: a boolean array without nulls, as long as the batch. Columns of `batch`
  /// are those of field_ids(), in that order, as ToArrowType() gives their types; a member of a
  /// struct is null where its parent is. Requires arrow::compute::Initialize(). Invalid for other
  /// columns. O(rows × predicates).
  arrow::Result<std::shared_ptr<arrow::BooleanArray>> Evaluate(
      const arrow::RecordBatch& batch) const;

  /// Facts about a column of one file, row group or page, by field id.
  using Facts = std::function<ColumnFacts(int32_t field_id)>;

  /// False only if no row with such facts can match (inclusive projection). O(nodes).
  bool MayMatch(const Facts& facts) const;

  /// What a column's values are asked beyond facts, where facts could not rule a predicate out.
  /// Answers may cost reading: that is up to the probe. Either may be empty.
  struct ValueProbe {
    /// False only if no row holds that value in the column, as a Bloom filter says it.
    std::function<bool(int32_t field_id, const Value& value)> may_equal;
    /// All values of the column but null (and maybe others), as a dictionary says it; null:
    /// unknown. Good until the next call.
    std::function<const std::vector<Value>*(int32_t field_id)> all_values;
  };

  /// The same with `probe` asked about predicates that may hold by `facts` alone.
  /// O(nodes × values of the probe × log literals).
  bool MayMatch(const Facts& facts, const ValueProbe& probe) const;

  /// True only if every row with such facts matches, so that no row needs a test. O(nodes).
  bool MustMatch(const Facts& facts) const;

  /// False only if no row of a file with those partition values can match, through every
  /// transform of the spec. `partition` is that of DataFile.
  bool MayMatchPartition(const PartitionSpec& spec,
                         std::span<const std::pair<int32_t, Value>> partition) const;

  /// False only if no file of a manifest with those summaries can match. Summaries whose bounds
  /// are NaN or inverted, and strings (duckdb-iceberg#1048), are unknown.
  bool MayMatchManifest(const PartitionSpec& spec, std::span<const FieldSummary> summaries) const;

  /// The filter in words, normalised.
  std::string ToString() const;

 private:
  BoundFilter(std::shared_ptr<const expr_internal::Node> root, Schema schema,
              std::vector<int32_t> field_ids);
  std::shared_ptr<const expr_internal::Node> root_;
  std::shared_ptr<const Schema> schema_;
  std::vector<int32_t> field_ids_;
};

}  // namespace esker
