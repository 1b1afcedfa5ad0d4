#include "format/avro_schema.h"

#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

#include "arrow/status.h"
#include "base/status.h"
#include "format/json_node.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

using Json = nlohmann::json;

constexpr size_t kMaxSchemaBytes = 4 << 20;
constexpr int kMaxDepth = 64;

// In the order of AvroKind.
constexpr std::array<std::string_view, 14> kKindNames = {
    "null",   "boolean", "int",  "long",   "float", "double", "bytes",
    "string", "fixed",   "enum", "record", "array", "map",    "union"};

std::optional<AvroKind> KindFromName(std::string_view name) {
  if (name == "error") return AvroKind::kRecord;
  for (size_t i = 0; i + 1 < kKindNames.size(); ++i) {  // "union" is no type name
    if (kKindNames[i] == name) return static_cast<AvroKind>(i);
  }
  return std::nullopt;
}

bool IsPrimitive(AvroKind kind) { return kind <= AvroKind::kString; }

std::string StringAttribute(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::optional<int32_t> IntAttribute(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_integer()) return std::nullopt;
  const int64_t value = it->get<int64_t>();
  if (value < std::numeric_limits<int32_t>::min() || value > std::numeric_limits<int32_t>::max()) {
    return std::nullopt;
  }
  return static_cast<int32_t>(value);
}

std::string NamespaceOf(std::string_view full_name) {
  const size_t dot = full_name.rfind('.');
  return dot == std::string_view::npos ? std::string() : std::string(full_name.substr(0, dot));
}

std::string JoinName(std::string_view space, std::string_view name) {
  if (space.empty() || name.find('.') != std::string_view::npos) return std::string(name);
  std::string joined(space);
  return joined.append(".").append(name);
}

class Parser {
 public:
  arrow::Result<AvroSchema> Parse(const Json& json) {
    ARROW_ASSIGN_OR_RAISE(schema_.root, ParseType(json, "", 0));
    return std::move(schema_);
  }

 private:
  // `space` is the enclosing namespace, in which short names are looked up.
  arrow::Result<AvroNodeIndex> ParseType(const Json& json, const std::string& space, int depth) {
    if (depth > kMaxDepth) {
      return arrow::Status::Invalid("Avro schema nests deeper than ", kMaxDepth, " levels");
    }
    if (json.is_string()) return ParseName(json.get<std::string>(), space);
    if (json.is_array()) return ParseUnion(json, space, depth);
    if (json.is_object()) return ParseObject(json, space, depth);
    return arrow::Status::Invalid("Avro schema has a type that is no string, list or object");
  }

  arrow::Result<AvroNodeIndex> ParseName(const std::string& name, const std::string& space) {
    const auto kind = KindFromName(name);
    if (kind && IsPrimitive(*kind)) return AddNode(*kind);
    auto it = named_.find(JoinName(space, name));
    if (it == named_.end()) it = named_.find(name);
    if (it != named_.end()) return it->second;
    return arrow::Status::Invalid("Avro schema names the unknown type '", name.substr(0, 100), "'");
  }

  arrow::Result<AvroNodeIndex> ParseUnion(const Json& json, const std::string& space, int depth) {
    if (json.empty()) return arrow::Status::Invalid("Avro schema has a union without branches");
    const AvroNodeIndex index = AddNode(AvroKind::kUnion);
    for (const Json& branch : json) {
      ARROW_ASSIGN_OR_RAISE(const AvroNodeIndex child, ParseType(branch, space, depth + 1));
      schema_.nodes[index].children.push_back(child);
    }
    return index;
  }

  arrow::Result<AvroNodeIndex> ParseObject(const Json& json, const std::string& space, int depth) {
    const auto type = json.find("type");
    if (type == json.end()) return arrow::Status::Invalid("Avro schema has a type without 'type'");
    const auto kind = type->is_string() ? KindFromName(type->get<std::string>()) : std::nullopt;
    if (!kind) {  // a wrapped type or a reference: {"type": {"type": "int"}}, {"type": "my_record"}
      return ParseType(*type, space, depth + 1);
    }
    const AvroNodeIndex index = AddNode(*kind);
    SetLogicalType(json, &schema_.nodes[index]);
    switch (*kind) {
      case AvroKind::kRecord:
        return ParseRecord(json, NameNode(json, space, index), index, depth);
      case AvroKind::kArray:
        schema_.nodes[index].element_id = IntAttribute(json, "element-id");
        return ParseOnlyChild(json, "items", space, index, depth);
      case AvroKind::kMap:
        schema_.nodes[index].key_id = IntAttribute(json, "key-id");
        schema_.nodes[index].value_id = IntAttribute(json, "value-id");
        return ParseOnlyChild(json, "values", space, index, depth);
      case AvroKind::kFixed:
        NameNode(json, space, index);
        return ParseFixed(json, index);
      case AvroKind::kEnum:
        NameNode(json, space, index);
        return index;
      default:
        return index;
    }
  }

  arrow::Result<AvroNodeIndex> ParseRecord(const Json& json, const std::string& space,
                                           AvroNodeIndex index, int depth) {
    const auto fields = json.find("fields");
    if (fields == json.end() || !fields->is_array()) {
      return arrow::Status::Invalid("Avro schema has a record without 'fields'");
    }
    for (const Json& field : *fields) {
      if (!field.is_object() || !field.contains("type")) {
        return arrow::Status::Invalid("Avro schema has a record field without 'type'");
      }
      AvroField parsed{StringAttribute(field, "name"), IntAttribute(field, "field-id"), 0};
      ARROW_ASSIGN_OR_RAISE(parsed.type, ParseType(field["type"], space, depth + 1));
      schema_.nodes[index].fields.push_back(std::move(parsed));
    }
    return index;
  }

  arrow::Result<AvroNodeIndex> ParseOnlyChild(const Json& json, const char* attribute,
                                              const std::string& space, AvroNodeIndex index,
                                              int depth) {
    const auto child = json.find(attribute);
    if (child == json.end()) {
      return arrow::Status::Invalid("Avro schema has an array or map without '", attribute, "'");
    }
    ARROW_ASSIGN_OR_RAISE(const AvroNodeIndex parsed, ParseType(*child, space, depth + 1));
    schema_.nodes[index].children.push_back(parsed);
    return index;
  }

  arrow::Result<AvroNodeIndex> ParseFixed(const Json& json, AvroNodeIndex index) {
    const auto size = IntAttribute(json, "size");
    if (!size || *size < 0) return arrow::Status::Invalid("Avro schema has a fixed without size");
    schema_.nodes[index].size = *size;
    return index;
  }

  // Registers a named type before its members are parsed, so that they can refer to it. Returns
  // the namespace for them.
  std::string NameNode(const Json& json, const std::string& space, AvroNodeIndex index) {
    const std::string own_space = StringAttribute(json, "namespace");
    const std::string name =
        JoinName(own_space.empty() ? space : own_space, StringAttribute(json, "name"));
    schema_.nodes[index].name = name;
    named_[name] = index;
    return NamespaceOf(name);
  }

  static void SetLogicalType(const Json& json, AvroNode* node) {
    node->logical_type = StringAttribute(json, "logicalType");
    node->precision = IntAttribute(json, "precision").value_or(0);
    node->scale = IntAttribute(json, "scale").value_or(0);
  }

  AvroNodeIndex AddNode(AvroKind kind) {
    schema_.nodes.emplace_back().kind = kind;
    return static_cast<AvroNodeIndex>(schema_.nodes.size() - 1);
  }

  AvroSchema schema_;
  std::unordered_map<std::string, AvroNodeIndex> named_;
};

}  // namespace

std::string_view AvroKindName(AvroKind kind) { return kKindNames[static_cast<size_t>(kind)]; }

arrow::Result<AvroSchema> ParseAvroSchema(std::string_view json) {
  if (json.size() > kMaxSchemaBytes) {
    return arrow::Status::Invalid("Avro schema of ", json.size(), " bytes, more than ",
                                  kMaxSchemaBytes);
  }
  const auto parsed = ParseJson(json);
  if (!parsed.ok()) return WithPlace(parsed.status(), "Avro schema");
  return Parser().Parse(*parsed);
}

}  // namespace esker
