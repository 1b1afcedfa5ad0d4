// Table builder: writes a whole Iceberg table into a file system in memory.
//
// A recipe says what the table is; everything in it can be true or a lie: statistics are maps of
// raw bytes that a test fills, leaves out or twists, a record count need not be that of the file.
// Nothing here is shared with the reader: metadata is JSON, manifests are put together field by
// field, Parquet files are Arrow's.
//
//     TableRecipe recipe;
//     recipe.columns = {{1, "k", "long"}, {2, "v", "string"}};
//     recipe.sort_orders = {{1, {{.source_id = 1}}}};
//     recipe.files.push_back(DataFileOf(recipe, R"([[1, "a"], [2, "b"]])", 1));
//     auto filesystem = WriteTable(recipe);            // open it at kTableLocation
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow/type_fwd.h"
#include "testing/cells.h"

namespace arrow::fs::internal {
class MockFileSystem;
}

namespace esker::testing {

inline constexpr const char* kTableLocation = "/warehouse/db/events";

struct RecipeColumn {
  int32_t id = 0;
  std::string name;
  std::string type;  ///< as the spec writes it; JSON of a nested type if it begins with '{'
  bool required = false;
  std::string initial_default = {};  ///< JSON; "" for none
};

struct RecipeOrderField {
  int32_t source_id = 0;
  bool descending = false;
  bool nulls_first = true;
  std::string transform = "identity";
};

struct RecipeOrder {
  int32_t id = 0;
  std::vector<RecipeOrderField> fields;
};

struct RecipePartitionField {
  int32_t source_id = 0;
  int32_t field_id = 1000;
  std::string name;
  std::string transform = "identity";
};

struct RecipeSpec {
  int32_t id = 0;
  std::vector<RecipePartitionField> fields;
};

/// What the manifest says of one column of one file. Unset: the manifest does not say.
struct RecipeStatistics {
  std::optional<int64_t> value_count;
  std::optional<int64_t> null_count;
  std::optional<int64_t> nan_count;
  std::optional<std::string> lower;  ///< bytes of the bound
  std::optional<std::string> upper;
};

struct RecipeFile {
  enum class Content { kData, kPositionDeletes, kEqualityDeletes, kDeletionVector };
  Content content = Content::kData;
  std::string path;                    ///< "" for one after its number
  std::shared_ptr<arrow::Table> rows;  ///< fields carry PARQUET:field_id; null: not written
  std::optional<int32_t> sort_order_id;
  std::map<int32_t, RecipeStatistics> statistics;  ///< by field id
  std::optional<int64_t> record_count;             ///< unset: the true one
  int64_t row_group_rows = 1 << 20;
  bool dictionary = true;      ///< whether Parquet may encode with dictionaries
  int64_t page_rows = 0;       ///< most rows of a page; 0: as many as the writer likes
  bool bloom_filters = false;  ///< of all primitive columns at the top
  int64_t sequence_number = 1;
  int32_t spec_id = 0;
  std::vector<Cell> partition;  ///< in the order of the spec's fields
  std::vector<int32_t> equality_ids;
  std::string referenced_data_file;        ///< kDeletionVector, and optional for positions
  std::vector<int64_t> deleted_positions;  ///< kDeletionVector, ascending
};

struct TableRecipe {
  int format_version = 2;
  std::vector<RecipeColumn> columns;
  std::vector<RecipeOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  std::vector<RecipeSpec> specs;  ///< empty: one unpartitioned spec 0
  std::vector<RecipeFile> files;
  size_t files_a_manifest = 3;
  bool has_snapshot = true;
  std::map<std::string, std::string> properties;

  const RecipeColumn& Column(int32_t id) const;
};

/// Writes the table at kTableLocation; files without a path get one. Aborts if it cannot.
/// About 0.2 ms a data file.
std::shared_ptr<arrow::fs::internal::MockFileSystem> WriteTable(TableRecipe& recipe);

/// One column of a data file: cells of the type it is written with.
struct WrittenColumn {
  int32_t id = 0;
  std::string name;
  std::string type;
};
/// A table of those columns with their field ids; rows[i][c] is column c.
std::shared_ptr<arrow::Table> TableOf(const std::vector<WrittenColumn>& columns,
                                      const std::vector<Row>& rows);
/// Its rows as cells.
std::vector<Row> RowsOf(const arrow::Table& table);
std::vector<Row> RowsOf(const arrow::RecordBatch& batch);

/// True statistics of the columns of such a table, in the types that they are written with: all
/// counts, exact bounds, none where only nulls and NaN are.
std::map<int32_t, RecipeStatistics> TrueStatistics(const std::vector<WrittenColumn>& columns,
                                                   const std::vector<Row>& rows);

/// A data file of all columns of the recipe with true statistics; `json` is an array of rows, each
/// an array of values: [[1, "a"], [2, null]].
RecipeFile DataFileOf(const TableRecipe& recipe, std::string_view json,
                      std::optional<int32_t> sort_order_id = {});
/// The same with other columns, or older types, than the table has now.
RecipeFile DataFileOf(const std::vector<WrittenColumn>& columns, std::string_view json,
                      std::optional<int32_t> sort_order_id = {});
RecipeFile DataFileOf(const std::vector<WrittenColumn>& columns, const std::vector<Row>& rows,
                      std::optional<int32_t> sort_order_id = {});

/// Delete files. They take effect on data files of lower (equality) or the same (positions)
/// sequence number.
RecipeFile PositionDeletesOf(const std::string& data_path, const std::vector<int64_t>& positions,
                             int64_t sequence_number = 2);
RecipeFile EqualityDeletesOf(const std::vector<WrittenColumn>& columns,
                             const std::vector<Row>& rows, int64_t sequence_number = 2);
RecipeFile DeletionVectorOf(const std::string& data_path, std::vector<int64_t> positions,
                            int64_t sequence_number = 2);

}  // namespace esker::testing
