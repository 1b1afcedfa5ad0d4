// Iceberg types and schemas, as the metadata writes them (spec: Schemas and Data Types).
//
// A column is known by its field id, never by its name: names and places change, ids do not.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace esker {

enum class TypeId {
  kBoolean,
  kInt,
  kLong,
  kFloat,
  kDouble,
  kDecimal,
  kDate,
  kTime,
  kTimestamp,
  kTimestampTz,
  kTimestampNs,
  kTimestampTzNs,
  kString,
  kUuid,
  kFixed,
  kBinary,
  kUnknown,
  kVariant,
  kGeometry,
  kGeography,
  kStruct,
  kList,
  kMap,
};

struct Field;

/// One type. Cheap to copy: children are shared and never changed once made.
struct Type {
  TypeId id = TypeId::kUnknown;
  int32_t precision = 0;  ///< kDecimal
  int32_t scale = 0;      ///< kDecimal
  int32_t length = 0;     ///< kFixed, bytes
  /// kStruct: the fields. kList: one, the element. kMap: two, key and value. Else null.
  std::shared_ptr<const std::vector<Field>> fields;
  std::string text;  ///< kGeometry, kGeography: the type as written, with its parameters

  bool is_nested() const {
    return id == TypeId::kStruct || id == TypeId::kList || id == TypeId::kMap;
  }
  /// A time on a date: with or without zone, in micro- or nanoseconds.
  bool is_timestamp() const {
    return id == TypeId::kTimestamp || id == TypeId::kTimestampTz || id == TypeId::kTimestampNs ||
           id == TypeId::kTimestampTzNs;
  }
  /// Types that can hold NaN.
  bool is_floating() const { return id == TypeId::kFloat || id == TypeId::kDouble; }
  bool operator==(const Type& other) const;
  /// As the spec writes it: "decimal(9, 2)", "fixed[16]", "struct<1: a: optional int>".
  std::string ToString() const;
};

/// A named column, struct member, list element ("element") or map "key" / "value".
struct Field {
  int32_t id = 0;
  std::string name;
  bool required = false;
  Type type;
  /// Defaults as JSON text of the single-value serialisation (spec appendix D), v3.
  std::optional<std::string> initial_default;
  std::optional<std::string> write_default;
  std::string doc;
  bool operator==(const Field& other) const;
};

/// Where a field lies in its schema: the chain of fields from the root to it, itself last.
using FieldPath = std::vector<const Field*>;

struct Schema {
  int32_t schema_id = 0;
  std::vector<Field> fields;
  std::vector<int32_t> identifier_field_ids;

  /// The path to the field of that id, at any depth; empty if there is none. O(fields).
  FieldPath FindById(int32_t field_id) const;

  /// The path to the field of that name: a top-level name first (which may itself hold dots),
  /// else "a.b" as member b of struct a. List elements and map members are "l.element",
  /// "m.key", "m.value". Exact case. Empty if there is none.
  FieldPath FindByName(std::string_view name) const;

  /// "a.b.c": names along the path to that id; "" if there is none.
  std::string NameOf(int32_t field_id) const;

  /// All names that FindByName knows, for suggestions. Depth first. Names beyond 1000 bytes are
  /// left out.
  std::vector<std::string> AllNames() const;
};

/// Parses a primitive type name such as "long", "decimal(9,2)", "fixed[16]", "timestamp_ns",
/// "geometry(srid:3857)". Invalid if it is not one that the spec lists.
arrow::Result<Type> ParsePrimitiveType(std::string_view text);

/// The name of a field nearest to `name` by edit distance, "" if nothing is near: for "did you
/// mean" in errors. `candidates` are compared without regard to case.
std::string NearestName(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace esker
