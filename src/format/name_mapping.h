// Name mappings (spec: Column Projection, Name Mapping Serialization): field ids for data files
// that were written without any, such as files of a Hive table taken over as they are.
//
// A tree: each node gives names, perhaps an id, and the nodes of its children. A name is literal,
// dots and all. It counts only for files without ids; a file's own ids always win.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/result.h"

namespace esker {

/// The table property that holds the mapping.
inline constexpr std::string_view kNameMappingProperty = "schema.name-mapping.default";

struct MappedField {
  std::vector<std::string> names;   ///< may be empty: the field is in no such file
  std::optional<int32_t> field_id;  ///< none: such a file's field is not in the schema
  std::vector<MappedField>
      fields;  ///< of a struct, "element" of a list, "key" and "value" of a map

  /// The child that has this name, in exact case, or null. O(children). Borrowed from this.
  const MappedField* FindChild(std::string_view name) const;
};

struct NameMapping {
  MappedField root;  ///< without names and id; its fields are those of the mapping
};

/// Parses the property's JSON. Errors: Invalid with the place for what is not of that form, an id
/// beyond 32 bits, a name that two siblings share, an id that two nodes share: any of these would
/// leave it to chance which column is read.
arrow::Result<NameMapping> ParseNameMapping(std::string_view json);

}  // namespace esker
