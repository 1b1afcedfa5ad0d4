// File schema: the columns of a Parquet file, each with the field id by which the table knows it.
//
// Ids come from the file. A file without a single id (migrated from Hive, say) gets them from the
// table's name mapping, level by level; without a mapping nothing of it can be told apart, for the
// names of a file are not the names of a table (spec: Column Projection).
//
// Elements of lists, keys and values of maps are what the structure says they are, whatever their
// groups are called and whether or not they carry ids.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/name_mapping.h"

namespace parquet {
class FileMetaData;
class ArrowReaderProperties;
}  // namespace parquet

namespace esker {

/// A column, or a node below one.
struct FileColumn {
  std::optional<int32_t> field_id;  ///< none: unknown to the table
  std::string name;
  std::shared_ptr<arrow::DataType> type;  ///< as Arrow decodes it
  int leaf = -1;                          ///< index among the file's leaves; -1 for a group
  bool is_int96 = false;
  /// Struct: the members. List: the element. Map: key and value.
  std::vector<FileColumn> children;
};

struct FileSchema {
  std::vector<FileColumn> columns;  ///< top level, in the order of the file
  bool has_field_ids = false;
  bool is_mapped = false;  ///< ids are those of the name mapping

  /// Columns can be found: by ids, by mapped ids, or because there are none to find.
  bool is_resolvable() const { return has_field_ids || is_mapped || columns.empty(); }
};

/// Reads the schema. Invalid where Arrow cannot make sense of it, or where two nodes have one id.
arrow::Result<FileSchema> ReadFileSchema(const parquet::FileMetaData& metadata,
                                         const parquet::ArrowReaderProperties& properties,
                                         const NameMapping& mapping);

/// The one of `columns` with that id, as an index; -1 if there is none.
int FindColumn(const std::vector<FileColumn>& columns, int32_t field_id);

}  // namespace esker
