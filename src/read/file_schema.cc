#include "read/file_schema.h"

#include <algorithm>
#include <utility>

#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "format/arrow_schema.h"
#include "parquet/arrow/schema.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "parquet/schema.h"
#include "read/parquet_status.h"

namespace esker {
namespace {

using parquet::arrow::SchemaField;

// Parquet's mark of a node without an id.
constexpr int kNoFieldId = -1;

// All ids of the file, each node's once: Arrow's fields may tell one node's twice.
void CollectFieldIds(const parquet::schema::Node& node, std::vector<int32_t>* ids) {
  if (node.field_id() != kNoFieldId) ids->push_back(node.field_id());
  if (!node.is_group()) return;
  const auto& group = static_cast<const parquet::schema::GroupNode&>(node);
  for (int i = 0; i < group.field_count(); ++i) CollectFieldIds(*group.field(i), ids);
}

arrow::Result<bool> CheckFieldIds(const parquet::SchemaDescriptor& schema) {
  std::vector<int32_t> ids;
  // The root is no column: some writers number it, too.
  for (int i = 0; i < schema.group_node()->field_count(); ++i) {
    CollectFieldIds(*schema.group_node()->field(i), &ids);
  }
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice != ids.end()) {
    return arrow::Status::Invalid("two columns of the file have field id ", *twice);
  }
  return !ids.empty();
}

std::optional<int32_t> FieldIdOf(const arrow::Field& field) {
  if (field.metadata() == nullptr) return std::nullopt;
  const auto text = field.metadata()->Get(std::string(kFieldIdKey));
  if (!text.ok()) return std::nullopt;
  try {
    return std::stoi(*text);
  } catch (const std::exception&) {
    return std::nullopt;  // a writer's own metadata, not an id
  }
}

FileColumn MakeColumn(const SchemaField& field, const parquet::SchemaDescriptor& schema) {
  FileColumn column;
  column.field_id = FieldIdOf(*field.field);
  column.name = field.field->name();
  column.type = field.field->type();
  column.leaf = field.column_index;
  if (field.is_leaf()) {
    column.is_int96 = schema.Column(field.column_index)->physical_type() == parquet::Type::INT96;
    return column;
  }
  const bool is_map = column.type->id() == arrow::Type::MAP;
  const auto& children = is_map ? field.children[0].children : field.children;
  for (const SchemaField& child : children) column.children.push_back(MakeColumn(child, schema));
  return column;
}

// What a name mapping calls the children of a node: lists and maps have names of their own.
std::string MappedName(const FileColumn& parent, size_t child) {
  switch (parent.type->id()) {
    case arrow::Type::STRUCT:
      return parent.children[child].name;
    case arrow::Type::MAP:
      return child == 0 ? "key" : "value";
    default:
      return "element";
  }
}

void MapColumn(const MappedField* mapped, FileColumn* column) {
  column->field_id = mapped == nullptr ? std::nullopt : mapped->field_id;
  for (size_t i = 0; i < column->children.size(); ++i) {
    const MappedField* child =
        mapped == nullptr ? nullptr : mapped->FindChild(MappedName(*column, i));
    MapColumn(child, &column->children[i]);
  }
}

// Two names of one column may both be in the file: then it is unknown which one is meant.
arrow::Status CheckDistinct(const std::vector<FileColumn>& columns) {
  for (size_t i = 0; i < columns.size(); ++i) {
    ARROW_RETURN_NOT_OK(CheckDistinct(columns[i].children));
    if (!columns[i].field_id.has_value()) continue;
    const int first = FindColumn(columns, *columns[i].field_id);
    if (first == static_cast<int>(i)) continue;
    return arrow::Status::Invalid("the name mapping gives columns '", columns[first].name,
                                  "' and '", columns[i].name, "' one field id, ",
                                  *columns[i].field_id);
  }
  return arrow::Status::OK();
}

arrow::Status MapColumns(const NameMapping& mapping, FileSchema* schema) {
  for (FileColumn& column : schema->columns) {
    MapColumn(mapping.root.FindChild(column.name), &column);
  }
  schema->is_mapped = true;
  return CheckDistinct(schema->columns);
}

}  // namespace

int FindColumn(const std::vector<FileColumn>& columns, int32_t field_id) {
  const auto found = std::find_if(columns.begin(), columns.end(), [&](const FileColumn& column) {
    return column.field_id == field_id;
  });
  return found == columns.end() ? -1 : static_cast<int>(found - columns.begin());
}

arrow::Result<FileSchema> ReadFileSchema(const parquet::FileMetaData& metadata,
                                         const parquet::ArrowReaderProperties& properties,
                                         const NameMapping& mapping) {
  FileSchema schema;
  ARROW_ASSIGN_OR_RAISE(schema.has_field_ids, CheckFieldIds(*metadata.schema()));
  parquet::arrow::SchemaManifest manifest;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    return parquet::arrow::SchemaManifest::Make(metadata.schema(), metadata.key_value_metadata(),
                                                properties, &manifest);
  }));
  for (const SchemaField& field : manifest.schema_fields) {
    schema.columns.push_back(MakeColumn(field, *metadata.schema()));
  }
  if (!schema.has_field_ids && !mapping.root.fields.empty()) {
    ARROW_RETURN_NOT_OK(MapColumns(mapping, &schema));
  }
  return schema;
}

}  // namespace esker
