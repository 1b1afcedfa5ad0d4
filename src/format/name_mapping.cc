#include "format/name_mapping.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/status.h"
#include "format/json_node.h"

namespace esker {
namespace {

// Recursion is bounded by the depth that ParseJson() lets through.
class MappingParser {
 public:
  arrow::Result<std::vector<MappedField>> ParseFields(const JsonNode& node) {
    ARROW_RETURN_NOT_OK(node.CheckArray());
    std::vector<MappedField> fields;
    std::set<std::string> taken;
    for (size_t i = 0; i < node.size(); ++i) {
      const JsonNode item = node.At(i);
      ARROW_ASSIGN_OR_RAISE(MappedField field, ParseField(item));
      for (const std::string& name : field.names) {
        if (!taken.insert(name).second) return item.Error("name '" + name + "' is mapped twice");
      }
      fields.push_back(std::move(field));
    }
    return fields;
  }

 private:
  arrow::Result<MappedField> ParseField(const JsonNode& node) {
    MappedField field;
    ARROW_ASSIGN_OR_RAISE(field.names, ParseNames(node));
    ARROW_ASSIGN_OR_RAISE(field.field_id, node.FindInt32("field-id"));
    if (field.field_id && !ids_.insert(*field.field_id).second) {
      return node.Error("field id " + std::to_string(*field.field_id) + " is mapped twice");
    }
    if (const auto children = node.Find("fields")) {
      ARROW_ASSIGN_OR_RAISE(field.fields, ParseFields(*children));
    }
    return field;
  }

  // A set in the spec's own implementation: the same name twice in one list is one name.
  static arrow::Result<std::vector<std::string>> ParseNames(const JsonNode& node) {
    ARROW_ASSIGN_OR_RAISE(const JsonNode list, node.Get("names"));
    ARROW_RETURN_NOT_OK(list.CheckArray());
    std::set<std::string> names;
    for (size_t i = 0; i < list.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(std::string name, list.At(i).AsString());
      names.insert(std::move(name));
    }
    return std::vector<std::string>(names.begin(), names.end());
  }

  std::set<int32_t> ids_;
};

arrow::Result<NameMapping> ParseDocument(std::string_view json) {
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json document, ParseJson(json));
  NameMapping mapping;
  ARROW_ASSIGN_OR_RAISE(mapping.root.fields, MappingParser().ParseFields(JsonNode(document)));
  return mapping;
}

}  // namespace

const MappedField* MappedField::FindChild(std::string_view name) const {
  for (const MappedField& field : fields) {
    if (std::find(field.names.begin(), field.names.end(), name) != field.names.end()) return &field;
  }
  return nullptr;
}

arrow::Result<NameMapping> ParseNameMapping(std::string_view json) {
  auto mapping = ParseDocument(json);
  if (!mapping.ok()) return WithPlace(mapping.status(), kNameMappingProperty);
  return mapping;
}

}  // namespace esker
