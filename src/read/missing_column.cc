#include "read/missing_column.h"

#include <utility>

#include "arrow/scalar.h"
#include "arrow/type.h"
#include "format/arrow_schema.h"
#include "format/value.h"

namespace esker {
namespace {

using ScalarPtr = std::shared_ptr<arrow::Scalar>;

bool HoldsConstant(const Type& type, const FileTask& task) {
  if (type.id != TypeId::kStruct || task.constants.empty()) return false;
  for (const Field& member : *type.fields) {
    if (FindConstant(task, member.id) != nullptr || HoldsConstant(member.type, task)) return true;
  }
  return false;
}

// A struct of what stands in for each of its members.
arrow::Result<ScalarPtr> StructOfMissing(const Type& type, const FileTask& task) {
  arrow::ScalarVector members;
  for (const Field& member : *type.fields) {
    ARROW_ASSIGN_OR_RAISE(auto value, MissingValue(member, task));
    members.push_back(std::move(value));
  }
  ARROW_ASSIGN_OR_RAISE(auto arrow_type, ToArrowType(type));
  return std::make_shared<arrow::StructScalar>(std::move(members), std::move(arrow_type));
}

}  // namespace

arrow::Result<ScalarPtr> MissingValue(const Field& field, const FileTask& task) {
  if (const Value* constant = FindConstant(task, field.id)) {
    return ValueToScalar(*constant, field.type);
  }
  if (HoldsConstant(field.type, task)) return StructOfMissing(field.type, task);
  ARROW_ASSIGN_OR_RAISE(ScalarPtr value, InitialDefault(field));
  if (field.required && !value->is_valid && field.type.id != TypeId::kUnknown) {
    return arrow::Status::Invalid("required column '", field.name, "' (field id ", field.id,
                                  ") is not in the file and has no initial default");
  }
  return value;
}

}  // namespace esker
