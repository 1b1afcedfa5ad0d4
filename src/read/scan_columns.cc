#include "read/scan_columns.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/builder_primitive.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/checked_cast.h"

namespace esker {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;
using Lineage = ScanColumn::Lineage;

ColumnProjection Constant(const ColumnRequest& request, std::shared_ptr<arrow::Scalar> value) {
  return ColumnProjection::Constant(request.name, std::move(value));
}

// Row lineage may be stored, in files that hold rows of older ones; else it is all null.
arrow::Result<ColumnProjection> StoredLineage(const ColumnRequest& request,
                                              const FileSchema& schema, const FileTask& task) {
  if (FindColumn(schema.columns, request.field().id) < 0) {
    return Constant(request, arrow::MakeNullScalar(arrow::int64()));
  }
  return ColumnProjection::Make(request, schema, task);
}

Lineage LineageOf(const ColumnRequest& request) {
  switch (request.path.empty() ? 0 : request.field().id) {
    case kPosFieldId:
      return Lineage::kPosition;
    case kRowIdFieldId:
      return Lineage::kRowId;
    case kLastUpdatedSequenceNumberFieldId:
      return Lineage::kSequenceNumber;
    default:
      return Lineage::kNone;
  }
}

arrow::Result<ColumnProjection> PlanProjection(const ColumnRequest& request,
                                               const FileSchema& schema, const FileTask& task) {
  switch (request.path.empty() ? 0 : request.field().id) {
    case kFileFieldId:
      return Constant(request, arrow::MakeScalar(task.file.path));
    case kSpecIdFieldId:
      return Constant(request, arrow::MakeScalar(task.spec_id));
    case kPosFieldId:
      return Constant(request, arrow::MakeNullScalar(arrow::int64()));
    case kRowIdFieldId:
    case kLastUpdatedSequenceNumberFieldId:
      return StoredLineage(request, schema, task);
    default:
      return ColumnProjection::Make(request, schema, task);
  }
}

arrow::Result<ScanColumn> PlanColumn(const ColumnRequest& request, const FileSchema& schema,
                                     const FileTask& task) {
  ScanColumn column;
  column.request = request;
  column.lineage = LineageOf(request);
  ARROW_ASSIGN_OR_RAISE(column.projection, PlanProjection(request, schema, task));
  return column;
}

bool IsSamePath(const std::vector<Field>& a, const std::vector<Field>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Field& x, const Field& y) { return x.id == y.id; });
}

arrow::Result<ColumnRequest> RequestById(const Schema& schema, int32_t field_id,
                                         const char* whose) {
  const FieldPath path = schema.FindById(field_id);
  if (path.empty()) {
    return arrow::Status::Invalid(whose, " names field id ", field_id,
                                  ", which no schema of the table has");
  }
  ColumnRequest request;
  request.name = schema.NameOf(field_id);
  for (const Field* field : path) request.path.push_back(*field);
  return request;
}

class Collector {
 public:
  Collector(const FileSchema& schema, const FileTask& task, ScanColumns* columns)
      : schema_(schema), task_(task), columns_(columns) {}

  arrow::Result<int> Add(const ColumnRequest& request) {
    std::vector<ScanColumn>& columns = columns_->columns;
    for (size_t i = 0; i < columns.size(); ++i) {
      if (IsSamePath(columns[i].request.path, request.path)) return static_cast<int>(i);
    }
    ARROW_ASSIGN_OR_RAISE(auto column, PlanColumn(request, schema_, task_));
    columns.push_back(std::move(column));
    return static_cast<int>(columns.size()) - 1;
  }

  arrow::Result<std::vector<int>> AddIds(const Schema& schema, const std::vector<int32_t>& ids,
                                         const char* whose) {
    std::vector<int> indices;
    for (const int32_t id : ids) {
      ARROW_ASSIGN_OR_RAISE(const ColumnRequest request, RequestById(schema, id, whose));
      ARROW_ASSIGN_OR_RAISE(indices.emplace_back(), Add(request));
    }
    return indices;
  }

 private:
  const FileSchema& schema_;
  const FileTask& task_;
  ScanColumns* columns_;
};

arrow::Status AddOutput(const RowRequest& request, Collector* collector, ScanColumns* columns) {
  for (const ColumnRequest& output : request.output) {
    ARROW_ASSIGN_OR_RAISE(columns->output.emplace_back(), collector->Add(output));
  }
  return arrow::Status::OK();
}

arrow::Status AddEager(const RowRequest& request, const DeleteSet& deletes,
                       const Schema& delete_schema, Collector* collector, ScanColumns* columns) {
  for (const ColumnRequest& key : request.keys) {
    ARROW_ASSIGN_OR_RAISE(columns->keys.emplace_back(), collector->Add(key));
  }
  if (request.filter.has_value()) {
    ARROW_ASSIGN_OR_RAISE(
        columns->filter,
        collector->AddIds(*request.schema, request.filter->field_ids(), "the filter"));
  }
  for (const auto& equality : deletes.equality) {
    ARROW_ASSIGN_OR_RAISE(
        columns->equality.emplace_back(),
        collector->AddIds(delete_schema, equality->field_ids(), "an equality delete"));
  }
  return arrow::Status::OK();
}

// `stored` where it is not null, else first + positions[i] (or first alone, without positions).
arrow::Result<ArrayPtr> Inherit(const arrow::Array& stored, std::optional<int64_t> first,
                                std::span<const int64_t> positions, arrow::MemoryPool* pool) {
  const auto& values = arrow::internal::checked_cast<const arrow::Int64Array&>(stored);
  arrow::Int64Builder builder(pool);
  ARROW_RETURN_NOT_OK(builder.Reserve(values.length()));
  for (int64_t i = 0; i < values.length(); ++i) {
    if (values.IsValid(i)) {
      builder.UnsafeAppend(values.Value(i));
    } else if (first.has_value()) {
      builder.UnsafeAppend(*first + (positions.empty() ? 0 : positions[i]));
    } else {
      builder.UnsafeAppendNull();
    }
  }
  return builder.Finish();
}

}  // namespace

arrow::Result<ScanColumns> ScanColumns::Make(const RowRequest& request, const DeleteSet& deletes,
                                             const Schema& delete_schema, const FileSchema& schema,
                                             const FileTask& task) {
  ScanColumns columns;
  Collector collector(schema, task, &columns);
  ARROW_RETURN_NOT_OK(AddEager(request, deletes, delete_schema, &collector, &columns));
  const size_t eager = columns.columns.size();  // what comes after these is output alone
  ARROW_RETURN_NOT_OK(AddOutput(request, &collector, &columns));
  for (size_t i = 0; i < columns.columns.size(); ++i) {
    (i < eager ? columns.eager : columns.lazy).push_back(static_cast<int>(i));
  }
  return columns;
}

std::vector<const ColumnProjection*> ScanColumns::ProjectionsOf(
    std::span<const int> indices) const {
  std::vector<const ColumnProjection*> projections;
  for (const int index : indices) projections.push_back(&columns[index].projection);
  return projections;
}

arrow::Result<ArrayPtr> FinishColumn(const ScanColumn& column, ArrayPtr decoded,
                                     std::span<const int64_t> positions, const FileTask& task,
                                     arrow::MemoryPool* pool) {
  switch (column.lineage) {
    case Lineage::kNone:
      return decoded;
    case Lineage::kPosition:
      return Inherit(*decoded, 0, positions, pool);
    case Lineage::kRowId:
      return Inherit(*decoded, task.file.first_row_id, positions, pool);
    case Lineage::kSequenceNumber: {
      // A file that no row id was given to is from before row lineage (spec: Row Lineage).
      const bool has_lineage = task.file.first_row_id.has_value();
      return Inherit(*decoded, has_lineage ? std::optional(task.sequence_number) : std::nullopt, {},
                     pool);
    }
  }
  return decoded;
}

}  // namespace esker
