#include "plan/file_facts.h"

#include <algorithm>

#include "base/status.h"

namespace esker {
namespace {

const Value* FindPartitionValue(const DataFile& file, int32_t partition_field_id) {
  for (const auto& [id, value] : file.partition) {
    if (id == partition_field_id) return &value;
  }
  return nullptr;
}

// Null counts of struct members do not count nulls of the struct itself in every writer.
bool CountsTrusted(const FieldPath& path) { return path.size() == 1; }

bool IsRequired(const FieldPath& path) {
  return std::all_of(path.begin(), path.end(), [](const Field* field) { return field->required; });
}

bool WasDate(const TableMetadata& metadata, int32_t field_id) {
  return std::any_of(metadata.schemas.begin(), metadata.schemas.end(), [&](const Schema& schema) {
    const FieldPath path = schema.FindById(field_id);
    return !path.empty() && path.back()->type.id == TypeId::kDate;
  });
}

}  // namespace

arrow::Result<std::vector<std::pair<int32_t, Value>>> PartitionConstants(
    const TableMetadata& metadata, const PartitionSpec& spec, const DataFile& file,
    const Schema& schema) {
  std::vector<std::pair<int32_t, Value>> constants;
  for (const PartitionField& field : spec.fields) {
    if (!field.transform.is_identity() || field.source_ids.size() != 1) continue;
    const Value* value = FindPartitionValue(file, field.field_id);
    const FieldPath path = schema.FindById(field.source_ids[0]);
    if (value == nullptr || path.empty()) continue;
    if (!IsNull(*value) && !FitsType(*value, path.back()->type)) {
      return arrow::Status::Invalid("file ", file.path, ": the value of partition field '",
                                    field.name, "' is not a ", path.back()->type.ToString());
    }
    if (MayBeDays(path.back()->type, *value) && WasDate(metadata, field.source_ids[0])) {
      return UnsupportedError("file ", file.path, ": the value of partition field '", field.name,
                              "' may be a number of days: its timestamp was a date once");
    }
    constants.emplace_back(field.source_ids[0], *value);
  }
  return constants;
}

std::vector<std::pair<int32_t, std::pair<Transform, Value>>> PartitionTransforms(
    const PartitionSpec& spec, const DataFile& file) {
  std::vector<std::pair<int32_t, std::pair<Transform, Value>>> transforms;
  for (const PartitionField& field : spec.fields) {
    if (field.transform.is_identity() || field.source_ids.size() != 1) continue;
    const Value* value = FindPartitionValue(file, field.field_id);
    if (value == nullptr) continue;
    transforms.emplace_back(field.source_ids[0], std::pair(field.transform, *value));
  }
  return transforms;
}

const Value* FindConstant(const FileTask& task, int32_t field_id) {
  for (const auto& [id, value] : task.constants) {
    if (id == field_id) return &value;
  }
  return nullptr;
}

ColumnFacts FactsOfColumn(const FileTask& task, const Schema& schema, int32_t field_id) {
  const FieldPath path = schema.FindById(field_id);
  if (path.empty()) return ColumnFacts{};
  const Value* constant = FindConstant(task, field_id);
  if (constant && !MayBeDays(path.back()->type, *constant)) return FactsOfConstant(*constant);
  ColumnFacts facts =
      FactsFromStatistics(task.file.FindColumn(field_id), path.back()->type, IsRequired(path),
                          task.file.record_count, CountsTrusted(path));
  for (const auto& [id, transform] : task.transforms) {
    if (id == field_id) facts.partition_transforms.push_back(transform);
  }
  return facts;
}

}  // namespace esker
