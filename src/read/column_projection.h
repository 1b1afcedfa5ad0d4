// Column projection: one requested column, as a data file stores it, to what the table says it is.
//
// Fields are matched by id at every depth: members of structs may have been renamed, moved, added
// or dropped inside lists and maps as well. What the file lacks is filled in (missing_column.h),
// what it stores in an older type is converted (leaf_conversion.h). A null parent stays null,
// whatever its members' defaults.
//
// A column below structs ("s.x") is projected as its top-level column cut down to that member, and
// then taken out with the nulls of the structs above it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/type.h"
#include "plan/file_task.h"
#include "plan/row_request.h"
#include "read/file_schema.h"

namespace esker {

namespace read_internal {
struct ProjectionNode;
}

class ColumnProjection {
 public:
  /// Errors, which name columns but not the file: Invalid for a column whose type in the file
  /// cannot become the type now, for a required one that is missing without default, for a file
  /// whose columns cannot be told apart; UnsupportedError for types that Arrow cannot carry.
  static arrow::Result<ColumnProjection> Make(const ColumnRequest& request,
                                              const FileSchema& schema, const FileTask& task);

  /// A column of which the file stores nothing: `value` in every row.
  static ColumnProjection Constant(std::string name, std::shared_ptr<arrow::Scalar> value);

  const std::string& name() const { return name_; }
  /// The top-level column of the file; -1 if the file stores nothing of it.
  int column() const { return column_; }
  /// The leaves that must be decoded, ascending; empty exactly if column() is -1.
  const std::vector<int>& leaves() const { return leaves_; }
  /// The leaves are all that the column has.
  bool is_whole() const { return is_whole_; }
  /// Those of leaves() that are INT96 timestamps.
  const std::vector<int>& int96_leaves() const { return int96_leaves_; }

  const std::shared_ptr<arrow::DataType>& type() const { return type_; }

  /// The one value of all rows. Requires column() == -1.
  const std::shared_ptr<arrow::Scalar>& constant() const { return constant_; }

  /// What was decoded of column(), as the requested column. Requires column() != -1 and an array
  /// of leaves(). Columns that are stored as they are asked for cost nothing. Invalid for a value
  /// that does not fit, or a null in a required column.
  arrow::Result<std::shared_ptr<arrow::Array>> Apply(const std::shared_ptr<arrow::Array>& decoded,
                                                     arrow::MemoryPool* pool) const;

  /// The node of the file that holds the requested column itself, if that is stored as a primitive
  /// column below nothing but structs: its statistics are the column's. Else null.
  const FileColumn* stored_leaf() const { return stored_leaf_; }

 private:
  std::string name_;
  int column_ = -1;
  std::vector<int> leaves_;
  std::vector<int> int96_leaves_;
  bool is_whole_ = false;
  bool required_ = false;  // and all structs above it
  size_t depth_ = 0;       // structs above the requested field
  std::shared_ptr<arrow::DataType> type_;
  std::shared_ptr<arrow::Scalar> constant_;
  const FileColumn* stored_leaf_ = nullptr;  // into the FileSchema given to Make()
  std::shared_ptr<const read_internal::ProjectionNode> root_;
};

}  // namespace esker
