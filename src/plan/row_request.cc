#include "plan/row_request.h"

#include <array>
#include <string_view>

namespace esker {
namespace {

struct ReservedColumn {
  std::string_view name;
  int32_t id;
  TypeId type;
  bool required;
};

// Row ids are null in files from before row lineage; all else every row has.
constexpr std::array<ReservedColumn, 5> kReservedColumns = {{
    {"_file", kFileFieldId, TypeId::kString, true},
    {"_pos", kPosFieldId, TypeId::kLong, true},
    {"_spec_id", kSpecIdFieldId, TypeId::kInt, true},
    {"_row_id", kRowIdFieldId, TypeId::kLong, false},
    {"_last_updated_sequence_number", kLastUpdatedSequenceNumberFieldId, TypeId::kLong, false},
}};

}  // namespace

std::optional<Field> MetadataColumn(std::string_view name) {
  for (const ReservedColumn& column : kReservedColumns) {
    if (column.name != name) continue;
    Field field;
    field.id = column.id;
    field.name = std::string(name);
    field.required = column.required;
    field.type.id = column.type;
    return field;
  }
  return std::nullopt;
}

}  // namespace esker
