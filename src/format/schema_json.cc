#include "format/schema_json.h"

#include <memory>
#include <set>
#include <utility>

#include "format/json_node.h"

namespace esker {
namespace {

constexpr int32_t kLargestFieldId = 2147483447;  // above are the spec's metadata columns

// Parses one schema. Recursion is bounded by the depth that ParseJson() lets through.
class SchemaParser {
 public:
  arrow::Result<Type> ParseType(const JsonNode& node) {
    if (node.value().is_string()) return ParsePrimitive(node);
    ARROW_ASSIGN_OR_RAISE(const std::string kind, node.GetString("type"));
    if (kind == "struct") return ParseStruct(node);
    if (kind == "list") return ParseList(node);
    if (kind == "map") return ParseMap(node);
    return node.Error("unknown type '" + kind.substr(0, 100) + "'");
  }

  arrow::Result<Type> ParseStruct(const JsonNode& node) {
    ARROW_ASSIGN_OR_RAISE(const JsonNode list, node.Get("fields"));
    ARROW_RETURN_NOT_OK(list.CheckArray());
    std::vector<Field> fields;
    for (size_t i = 0; i < list.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(Field field, ParseField(list.At(i)));
      fields.push_back(std::move(field));
    }
    return Nested(TypeId::kStruct, std::move(fields));
  }

 private:
  static Type Nested(TypeId id, std::vector<Field> fields) {
    Type type;
    type.id = id;
    type.fields = std::make_shared<const std::vector<Field>>(std::move(fields));
    return type;
  }

  static arrow::Result<Type> ParsePrimitive(const JsonNode& node) {
    auto type = ParsePrimitiveType(node.value().get_ref<const std::string&>());
    if (!type.ok()) return node.Error(type.status().message());
    return type;
  }

  arrow::Result<Field> ParseField(const JsonNode& node) {
    Field field;
    ARROW_ASSIGN_OR_RAISE(field.id, ParseId(node, "id"));
    ARROW_ASSIGN_OR_RAISE(field.name, node.GetString("name"));
    ARROW_ASSIGN_OR_RAISE(field.required, node.GetBool("required"));
    ARROW_ASSIGN_OR_RAISE(const JsonNode type, node.Get("type"));
    ARROW_ASSIGN_OR_RAISE(field.type, ParseType(type));
    ARROW_ASSIGN_OR_RAISE(auto doc, node.FindString("doc"));
    field.doc = std::move(doc).value_or("");
    if (auto value = node.Find("initial-default")) field.initial_default = value->value().dump();
    if (auto value = node.Find("write-default")) field.write_default = value->value().dump();
    return field;
  }

  arrow::Result<Type> ParseList(const JsonNode& node) {
    std::vector<Field> fields(1);
    ARROW_RETURN_NOT_OK(ParseMember(node, "element", &fields[0]));
    return Nested(TypeId::kList, std::move(fields));
  }

  arrow::Result<Type> ParseMap(const JsonNode& node) {
    std::vector<Field> fields(2);
    ARROW_RETURN_NOT_OK(ParseMember(node, "key", &fields[0]));
    ARROW_RETURN_NOT_OK(ParseMember(node, "value", &fields[1]));
    return Nested(TypeId::kMap, std::move(fields));
  }

  // The element, key or value of a list or map: "x", "x-id" and, but for keys, "x-required".
  arrow::Status ParseMember(const JsonNode& node, const std::string& name, Field* field) {
    field->name = name;
    ARROW_ASSIGN_OR_RAISE(field->id, ParseId(node, name + "-id"));
    field->required = true;
    if (name != "key") {
      ARROW_ASSIGN_OR_RAISE(field->required, node.GetBool(name + "-required"));
    }
    ARROW_ASSIGN_OR_RAISE(const JsonNode type, node.Get(name));
    return ParseType(type).Value(&field->type);
  }

  arrow::Result<int32_t> ParseId(const JsonNode& node, std::string_view key) {
    ARROW_ASSIGN_OR_RAISE(const JsonNode id_node, node.Get(key));
    ARROW_ASSIGN_OR_RAISE(const int32_t id, id_node.AsInt32());
    if (id > kLargestFieldId) return id_node.Error("field id is reserved by the specification");
    if (!ids_.insert(id).second) {
      return id_node.Error("field id " + std::to_string(id) + " is used twice");
    }
    return id;
  }

  std::set<int32_t> ids_;
};

}  // namespace

arrow::Result<Schema> ParseSchema(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const std::string kind, node.GetString("type"));
  if (kind != "struct") return node.Error("a schema must be of type struct");
  SchemaParser parser;
  ARROW_ASSIGN_OR_RAISE(const Type type, parser.ParseStruct(node));
  Schema schema;
  schema.fields = *type.fields;
  ARROW_ASSIGN_OR_RAISE(const auto id, node.FindInt32("schema-id"));
  schema.schema_id = id.value_or(0);
  if (const auto ids = node.Find("identifier-field-ids")) {
    ARROW_ASSIGN_OR_RAISE(schema.identifier_field_ids, ids->AsInt32List());
  }
  return schema;
}

arrow::Result<Schema> ParseSchema(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json document, ParseJson(json));
  return ParseSchema(JsonNode(document));
}

}  // namespace esker
