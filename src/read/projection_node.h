// Projection node: what becomes of one field of a projected column (column_projection.h), as a
// tree.
//
// Planning builds the tree once for a file; applying walks it for every batch, one step a node and
// not a row, but where values are converted.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "read/file_schema.h"
#include "read/leaf_conversion.h"

namespace esker::read_internal {

/// What becomes of one field: a constant, or something made of a node of the file.
struct ProjectionNode {
  enum class Kind { kConstant, kLeaf, kStruct, kList, kMap };
  Kind kind = Kind::kConstant;
  std::shared_ptr<arrow::DataType> type;  // of the result
  std::shared_ptr<arrow::Scalar> constant;
  std::optional<LeafConversion> leaf;
  std::vector<ProjectionNode> children;   // of the result
  std::vector<const FileColumn*> stored;  // kStruct: child of the file for each; null: constant
  std::vector<int> sources;               // kStruct: its index among what is decoded; -1: constant
  const FileColumn* file = nullptr;
};

/// What was decoded of node.file (not read for constants, but for their length), as node.type.
/// Requires node.sources to be set. Invalid for a value that does not fit.
arrow::Result<std::shared_ptr<arrow::Array>> ApplyProjection(
    const ProjectionNode& node, const std::shared_ptr<arrow::Array>& decoded,
    arrow::MemoryPool* pool);

}  // namespace esker::read_internal
