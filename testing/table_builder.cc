#include "testing/table_builder.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/array_nested.h"
#include "arrow/filesystem/mockfs.h"
#include "arrow/io/memory.h"
#include "arrow/json/from_string.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "arrow/util/logging.h"
#include "nlohmann/json.hpp"
#include "parquet/arrow/writer.h"
#include "testing/table_manifests.h"

namespace esker::testing {
namespace {

using Json = nlohmann::json;

constexpr int32_t kDeletedPathId = 2147483546;  // spec: Reserved Field IDs
constexpr int32_t kDeletedPosId = 2147483545;

std::shared_ptr<arrow::Field> FieldOf(const WrittenColumn& column) {
  return arrow::field(column.name, ArrowTypeOf(column.type),
                      arrow::key_value_metadata({{"PARQUET:field_id", std::to_string(column.id)}}));
}

// ---- metadata ----

Json TypeJson(const std::string& type) {
  return type.starts_with("{") ? Json::parse(type) : Json(type);
}

Json SchemaJson(const TableRecipe& recipe) {
  Json fields = Json::array();
  for (const RecipeColumn& column : recipe.columns) {
    Json field = {{"id", column.id},
                  {"name", column.name},
                  {"required", column.required},
                  {"type", TypeJson(column.type)}};
    if (!column.initial_default.empty()) {
      field["initial-default"] = Json::parse(column.initial_default);
    }
    fields.push_back(std::move(field));
  }
  return {{"type", "struct"}, {"schema-id", 0}, {"fields", std::move(fields)}};
}

Json OrdersJson(const TableRecipe& recipe) {
  Json orders = Json::array({{{"order-id", 0}, {"fields", Json::array()}}});
  for (const RecipeOrder& order : recipe.sort_orders) {
    Json fields = Json::array();
    for (const RecipeOrderField& field : order.fields) {
      fields.push_back({{"transform", field.transform},
                        {"source-id", field.source_id},
                        {"direction", field.descending ? "desc" : "asc"},
                        {"null-order", field.nulls_first ? "nulls-first" : "nulls-last"}});
    }
    orders.push_back({{"order-id", order.id}, {"fields", std::move(fields)}});
  }
  return orders;
}

Json SpecsJson(const TableRecipe& recipe) {
  Json specs = Json::array();
  for (const RecipeSpec& spec : recipe.specs) {
    Json fields = Json::array();
    for (const RecipePartitionField& field : spec.fields) {
      fields.push_back({{"source-id", field.source_id},
                        {"field-id", field.field_id},
                        {"name", field.name},
                        {"transform", field.transform}});
    }
    specs.push_back({{"spec-id", spec.id}, {"fields", std::move(fields)}});
  }
  return specs;
}

Json SnapshotJson(const TableRecipe& recipe, const std::string& manifest_list) {
  Json snapshot = {{"snapshot-id", kRecipeSnapshotId},
                   {"timestamp-ms", 1700000000000},
                   {"manifest-list", manifest_list},
                   {"schema-id", 0},
                   {"summary", {{"operation", "append"}}}};
  if (recipe.format_version >= 2) snapshot["sequence-number"] = kRecipeSequenceNumber;
  if (recipe.format_version >= 3) snapshot.update({{"first-row-id", 0}, {"added-rows", 0}});
  return snapshot;
}

std::string MetadataText(const TableRecipe& recipe, const std::string& manifest_list) {
  const Json schema = SchemaJson(recipe);
  Json metadata = {{"format-version", recipe.format_version},
                   {"table-uuid", "9c12d441-03fe-4693-9a96-a0705ddf69c1"},
                   {"location", kTableLocation},
                   {"last-updated-ms", 1700000000000},
                   {"last-column-id", 1000},
                   {"schemas", Json::array({schema})},
                   {"current-schema-id", 0},
                   {"partition-specs", SpecsJson(recipe)},
                   {"default-spec-id", recipe.specs.back().id},
                   {"last-partition-id", 1999},
                   {"sort-orders", OrdersJson(recipe)},
                   {"default-sort-order-id", recipe.default_sort_order_id},
                   {"properties", recipe.properties}};
  if (recipe.format_version == 1) {
    metadata["schema"] = schema;
    metadata["partition-spec"] = SpecsJson(recipe).back()["fields"];
  } else {
    metadata["last-sequence-number"] = kRecipeSequenceNumber;
  }
  if (recipe.format_version >= 3) metadata["next-row-id"] = 1000000;
  if (recipe.has_snapshot) {
    metadata["snapshots"] = Json::array({SnapshotJson(recipe, manifest_list)});
    metadata["current-snapshot-id"] = kRecipeSnapshotId;
  }
  return metadata.dump();
}

// ---- data ----

std::shared_ptr<arrow::Buffer> ParquetOf(const RecipeFile& file) {
  parquet::WriterProperties::Builder properties;
  properties.compression(parquet::Compression::UNCOMPRESSED);
  if (!file.dictionary) properties.disable_dictionary();
  if (file.page_rows > 0) properties.max_rows_per_page(file.page_rows)->write_batch_size(1);
  for (const auto& field : file.rows->schema()->fields()) {
    const arrow::Type::type type = field->type()->id();
    const bool has_none = arrow::is_nested(type) || type == arrow::Type::BOOL ||
                          type == arrow::Type::NA;
    if (file.bloom_filters && !has_none) properties.enable_bloom_filter(field->name(), {});
  }
  const auto sink = arrow::io::BufferOutputStream::Create(4096).ValueOrDie();
  ARROW_CHECK_OK(parquet::arrow::WriteTable(*file.rows, arrow::default_memory_pool(), sink,
                                            std::max<int64_t>(file.row_group_rows, 1),
                                            properties.build()));
  return sink->Finish().ValueOrDie();
}

void Create(arrow::fs::internal::MockFileSystem* filesystem, const std::string& path,
            std::string_view bytes) {
  ARROW_CHECK_OK(filesystem->CreateFile(path, bytes));
}

// Fills what only writing tells: paths, sizes, counts, the place of a vector in its file.
WrittenFile WriteFile(RecipeFile* file, size_t number,
                      arrow::fs::internal::MockFileSystem* filesystem) {
  WrittenFile written;
  if (file->path.empty()) {
    char name[40];
    std::snprintf(name, sizeof(name), "/data/%05zu.parquet", number);
    file->path = kTableLocation + std::string(name);
  }
  if (file->content == RecipeFile::Content::kDeletionVector) {
    const std::string blob = DeletionVectorBlob(file->deleted_positions);
    const std::string puffin = PuffinOf(blob, file->referenced_data_file);
    written.size = static_cast<int64_t>(puffin.size());
    written.blob_size = static_cast<int64_t>(blob.size());
    written.record_count = static_cast<int64_t>(file->deleted_positions.size());
    Create(filesystem, file->path, puffin);
  } else if (file->rows != nullptr) {
    const auto bytes = ParquetOf(*file);
    written.size = bytes->size();
    written.record_count = file->rows->num_rows();
    Create(filesystem, file->path, std::string_view(*bytes));
  }
  written.record_count = file->record_count.value_or(written.record_count);
  return written;
}

bool IsDelete(const RecipeFile& file) { return file.content != RecipeFile::Content::kData; }

// The manifests: neighbours of one kind and one spec, at most so many in each.
std::vector<RecipeManifest> Grouped(const TableRecipe& recipe,
                                    const std::vector<WrittenFile>& written) {
  std::vector<RecipeManifest> manifests;
  for (size_t i = 0; i < recipe.files.size(); ++i) {
    const RecipeFile& file = recipe.files[i];
    const bool deletes = IsDelete(file);
    if (manifests.empty() || manifests.back().deletes != deletes ||
        manifests.back().spec_id != file.spec_id ||
        manifests.back().files.size() >= recipe.files_a_manifest) {
      manifests.push_back({file.spec_id, deletes, {}, {}});
    }
    manifests.back().files.push_back(&file);
    manifests.back().written.push_back(written[i]);
  }
  return manifests;
}

std::vector<Row> RowsOfJson(const std::vector<WrittenColumn>& columns, std::string_view json) {
  arrow::FieldVector fields;
  for (const WrittenColumn& column : columns) fields.push_back(FieldOf(column));
  const auto rows =
      arrow::json::ArrayFromJSONString(arrow::struct_(fields), std::string(json)).ValueOrDie();
  return RowsOf(*arrow::RecordBatch::FromStructArray(rows).ValueOrDie());
}

template <typename Batch>
std::vector<Row> RowsOfColumns(const Batch& batch, auto column_of) {
  std::vector<Row> rows(batch.num_rows());
  for (int c = 0; c < batch.num_columns(); ++c) {
    size_t next = 0;
    for (const std::shared_ptr<arrow::Array>& chunk : column_of(c)) {
      for (int64_t i = 0; i < chunk->length(); ++i) rows[next++].push_back(CellOf(*chunk, i));
    }
  }
  return rows;
}

}  // namespace

const RecipeColumn& TableRecipe::Column(int32_t id) const {
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [id](const RecipeColumn& column) { return column.id == id; });
  ARROW_CHECK(found != columns.end()) << "no column " << id;
  return *found;
}

std::shared_ptr<arrow::fs::internal::MockFileSystem> WriteTable(TableRecipe& recipe) {
  if (recipe.specs.empty()) recipe.specs.push_back({0, {}});
  auto filesystem = std::make_shared<arrow::fs::internal::MockFileSystem>(
      arrow::fs::TimePoint(std::chrono::seconds(1700000000)));
  std::vector<WrittenFile> written;
  for (size_t i = 0; i < recipe.files.size(); ++i) {
    written.push_back(WriteFile(&recipe.files[i], i, filesystem.get()));
  }
  const std::string folder = kTableLocation + std::string("/metadata/");
  const std::string list = folder + "snap-1.avro";
  std::vector<RecipeManifest> manifests = Grouped(recipe, written);
  for (size_t i = 0; i < manifests.size(); ++i) {
    manifests[i].path = folder + "m" + std::to_string(i) + ".avro";
    const std::string bytes = ManifestBytes(recipe, manifests[i]);
    manifests[i].length = static_cast<int64_t>(bytes.size());
    Create(filesystem.get(), manifests[i].path, bytes);
  }
  Create(filesystem.get(), list, ManifestListBytes(recipe, manifests));
  Create(filesystem.get(), folder + "v1.metadata.json", MetadataText(recipe, list));
  return filesystem;
}

std::shared_ptr<arrow::Table> TableOf(const std::vector<WrittenColumn>& columns,
                                      const std::vector<Row>& rows) {
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (size_t c = 0; c < columns.size(); ++c) {
    std::vector<Cell> cells;
    for (const Row& row : rows) cells.push_back(row[c]);
    fields.push_back(FieldOf(columns[c]));
    arrays.push_back(ArrayOf(fields.back()->type(), cells));
  }
  return arrow::Table::Make(arrow::schema(fields), arrays, static_cast<int64_t>(rows.size()));
}

std::vector<Row> RowsOf(const arrow::Table& table) {
  return RowsOfColumns(table, [&](int c) { return table.column(c)->chunks(); });
}

std::vector<Row> RowsOf(const arrow::RecordBatch& batch) {
  return RowsOfColumns(batch, [&](int c) { return arrow::ArrayVector{batch.column(c)}; });
}

std::map<int32_t, RecipeStatistics> TrueStatistics(const std::vector<WrittenColumn>& columns,
                                                   const std::vector<Row>& rows) {
  std::map<int32_t, RecipeStatistics> all;
  for (size_t c = 0; c < columns.size(); ++c) {
    RecipeStatistics statistics{static_cast<int64_t>(rows.size()), 0, {}, {}, {}};
    const bool is_float = columns[c].type == "float" || columns[c].type == "double";
    if (is_float) statistics.nan_count = 0;
    const Cell* least = nullptr;
    const Cell* most = nullptr;
    for (const Row& row : rows) {
      const Cell& cell = row[c];
      if (IsNullCell(cell)) ++*statistics.null_count;
      if (IsNanCell(cell)) ++*statistics.nan_count;
      if (IsNullCell(cell) || IsNanCell(cell)) continue;
      if (least == nullptr || CompareCellsTotal(cell, *least) < 0) least = &cell;
      if (most == nullptr || CompareCellsTotal(cell, *most) > 0) most = &cell;
    }
    if (least != nullptr) statistics.lower = CellBoundBytes(columns[c].type, *least);
    if (most != nullptr) statistics.upper = CellBoundBytes(columns[c].type, *most);
    all[columns[c].id] = std::move(statistics);
  }
  return all;
}

RecipeFile DataFileOf(const TableRecipe& recipe, std::string_view json,
                      std::optional<int32_t> sort_order_id) {
  std::vector<WrittenColumn> columns;
  for (const RecipeColumn& column : recipe.columns) {
    columns.push_back({column.id, column.name, column.type});
  }
  return DataFileOf(columns, json, sort_order_id);
}

RecipeFile DataFileOf(const std::vector<WrittenColumn>& columns, std::string_view json,
                      std::optional<int32_t> sort_order_id) {
  return DataFileOf(columns, RowsOfJson(columns, json), sort_order_id);
}

RecipeFile DataFileOf(const std::vector<WrittenColumn>& columns, const std::vector<Row>& rows,
                      std::optional<int32_t> sort_order_id) {
  RecipeFile file;
  file.rows = TableOf(columns, rows);
  file.sort_order_id = sort_order_id;
  file.statistics = TrueStatistics(columns, rows);
  return file;
}

RecipeFile PositionDeletesOf(const std::string& data_path, const std::vector<int64_t>& positions,
                             int64_t sequence_number) {
  const std::vector<WrittenColumn> columns = {{kDeletedPathId, "file_path", "string"},
                                              {kDeletedPosId, "pos", "long"}};
  std::vector<Row> rows;
  for (const int64_t position : positions) rows.push_back({data_path, position});
  RecipeFile file = DataFileOf(columns, rows);
  file.content = RecipeFile::Content::kPositionDeletes;
  file.sequence_number = sequence_number;
  return file;
}

RecipeFile EqualityDeletesOf(const std::vector<WrittenColumn>& columns,
                             const std::vector<Row>& rows, int64_t sequence_number) {
  RecipeFile file = DataFileOf(columns, rows);
  file.content = RecipeFile::Content::kEqualityDeletes;
  for (const WrittenColumn& column : columns) file.equality_ids.push_back(column.id);
  file.sequence_number = sequence_number;
  return file;
}

RecipeFile DeletionVectorOf(const std::string& data_path, std::vector<int64_t> positions,
                            int64_t sequence_number) {
  RecipeFile file;
  file.content = RecipeFile::Content::kDeletionVector;
  file.referenced_data_file = data_path;
  file.deleted_positions = std::move(positions);
  file.sequence_number = sequence_number;
  return file;
}

}  // namespace esker::testing
