// RowRequest: which columns and rows every file of a scan is read for.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "arrow/type_fwd.h"
#include "expr/filter.h"
#include "format/name_mapping.h"
#include "format/type.h"

namespace esker {

/// Reserved field ids of metadata columns (spec: Reserved Field IDs).
inline constexpr int32_t kFileFieldId = 2147483646;
inline constexpr int32_t kPosFieldId = 2147483645;
inline constexpr int32_t kSpecIdFieldId = 2147483643;
inline constexpr int32_t kRowIdFieldId = 2147483540;
inline constexpr int32_t kLastUpdatedSequenceNumberFieldId = 2147483539;

/// One column to read: a field of the schema (at any depth below structs) or a metadata column.
struct ColumnRequest {
  std::string name;  ///< of the column that comes out
  /// Fields from a top-level column down to the one wanted, which is the last; all but the last
  /// are structs. A null struct on the way gives null.
  std::vector<Field> path;
  const Field& field() const { return path.back(); }
};

struct RowRequest {
  std::shared_ptr<const Schema> schema;  ///< of the snapshot that is read
  std::vector<ColumnRequest> keys;       ///< what NextKeys() gives
  std::vector<ColumnRequest> output;     ///< what Take() gives
  std::shared_ptr<arrow::Schema> output_schema;
  std::optional<BoundFilter> filter;  ///< applied to rows, and to row groups
  NameMapping name_mapping;           ///< for files without field ids; may be empty
  int64_t batch_rows = 16384;         ///< rows decoded by one NextKeys()
  bool prune_row_groups = true;       ///< off: statistics of row groups leave none out
  bool prune_pages = true;            ///< likewise page indexes, of pages, also backwards
  bool use_bloom_filters = true;      ///< likewise Bloom filters, of row groups
  bool use_dictionaries = true;       ///< likewise dictionaries, of row groups
};

/// "_file" and its like by name (schema columns of that name come first, see the caller); nullopt
/// if it is none. _file string, _pos long, _spec_id int, _row_id long,
/// _last_updated_sequence_number long.
std::optional<Field> MetadataColumn(std::string_view name);

}  // namespace esker
