// Avro writer schemas: the JSON in the header of an Avro file, as a flat tree.
//
// Iceberg adds ids to Avro's names (spec: Avro, Field IDs), and they are what counts: names of
// manifest fields have changed over the years. The tree keeps both. Nodes refer to each other by
// index, so that a type that mentions itself by name needs no pointer cycle.
//
//     {"type": "record", "name": "r", "fields": [          0  record r
//        {"name": "a", "type": ["null", "int"]},           1    union
//        {"name": "b", "type": "long"}]}                   2      null   3  int   4  long
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace esker {

enum class AvroKind {
  kNull,
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kBytes,
  kString,
  kFixed,
  kEnum,
  kRecord,
  kArray,
  kMap,
  kUnion,
};

/// "record", "int", … as the schema JSON spells it.
std::string_view AvroKindName(AvroKind kind);

/// Position of a node in AvroSchema::nodes.
using AvroNodeIndex = uint32_t;

struct AvroField {
  std::string name;
  std::optional<int32_t> field_id;
  AvroNodeIndex type = 0;
};

struct AvroNode {
  AvroKind kind = AvroKind::kNull;
  std::string name;          ///< full name of a record, enum or fixed
  std::string logical_type;  ///< "" if none; "map" on an array of key and value records
  int64_t size = 0;          ///< kFixed, bytes
  int32_t precision = 0;     ///< logical type "decimal"
  int32_t scale = 0;
  std::optional<int32_t> element_id;  ///< kArray
  std::optional<int32_t> key_id;      ///< kMap
  std::optional<int32_t> value_id;    ///< kMap
  std::vector<AvroField> fields;      ///< kRecord
  /// kUnion: the branches. kArray: one, the items. kMap: one, the values.
  std::vector<AvroNodeIndex> children;
};

struct AvroSchema {
  std::vector<AvroNode> nodes;
  AvroNodeIndex root = 0;

  const AvroNode& node(AvroNodeIndex index) const { return nodes[index]; }
};

/// Parses a schema. Accepts what writers in the field do: a type wrapped in an object any number
/// of times ({"type": {"type": "int"}}), references by full or short name, to the type itself as
/// well, unknown attributes. Ids that are not integers are taken as absent.
/// Errors: Invalid for text that is not JSON, an unknown type, a missing attribute, nesting above
/// 64 levels or more than 4 MiB of text.
arrow::Result<AvroSchema> ParseAvroSchema(std::string_view json);

}  // namespace esker
