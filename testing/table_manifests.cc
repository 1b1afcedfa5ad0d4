#include "testing/table_manifests.h"

#include <zlib.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/util/logging.h"
#include "nlohmann/json.hpp"
#include "testing/avro_writer.h"
#include "testing/manifest_writer.h"

namespace esker::testing {
namespace {

// ---- partition values ----

std::string ResultType(const TableRecipe& recipe, const RecipePartitionField& field) {
  if (field.transform == "identity" || field.transform == "void" ||
      field.transform.starts_with("truncate")) {
    return recipe.Column(field.source_id).type;
  }
  return field.transform == "day" ? "date" : "int";
}

std::string AvroType(const std::string& type) {
  if (type == "boolean" || type == "int" || type == "long" || type == "float" || type == "double" ||
      type == "string") {
    return "\"" + type + "\"";
  }
  if (type == "binary") return "\"bytes\"";
  if (type == "date") return R"({"type": "int", "logicalType": "date"})";
  if (type == "time") return R"({"type": "long", "logicalType": "time-micros"})";
  if (type.starts_with("timestamp")) {
    const std::string unit = type.ends_with("_ns") ? "nanos" : "micros";
    return R"({"type": "long", "logicalType": "timestamp-)" + unit + R"("})";
  }
  if (type == "uuid")
    return R"({"type": "fixed", "name": "uuid", "size": 16, "logicalType": "uuid"})";
  if (type.starts_with("fixed")) {
    const std::string size = type.substr(6, type.size() - 7);
    return R"({"type": "fixed", "name": "fixed_)" + size + R"(", "size": )" + size + "}";
  }
  const size_t comma = type.find(',');
  return R"({"type": "fixed", "name": "decimal", "size": 16, "logicalType": "decimal",
      "precision": )" +
         type.substr(8, comma - 8) + R"(, "scale": )" +
         type.substr(comma + 1, type.size() - comma - 2) + "}";
}

std::string AvroValue(const std::string& type, const Cell& cell) {
  if (type == "string" || type == "binary") return AvroBytes(std::get<std::string>(cell));
  if (type == "boolean" || type == "float" || type == "double" || type == "uuid" ||
      type.starts_with("fixed")) {
    return CellBoundBytes(type, cell);
  }
  if (!type.starts_with("decimal")) return AvroLong(std::get<int64_t>(cell));
  const std::string bytes = CellBoundBytes(type, cell);
  const char sign = bytes[0] < 0 ? '\xff' : '\0';
  return std::string(16 - bytes.size(), sign) + bytes;
}

const RecipeSpec& SpecOf(const TableRecipe& recipe, int32_t id) {
  const auto found = std::find_if(recipe.specs.begin(), recipe.specs.end(),
                                  [id](const RecipeSpec& spec) { return spec.id == id; });
  ARROW_CHECK(found != recipe.specs.end()) << "no partition spec " << id;
  return *found;
}

// ---- entries ----

WrittenEntry EntryOf(const TableRecipe& recipe, const RecipeSpec& spec, const RecipeFile& file,
                     const WrittenFile& written) {
  WrittenEntry entry;
  entry.status = 1;
  entry.snapshot_id = kRecipeSnapshotId;
  entry.sequence_number = file.sequence_number;
  entry.file_sequence_number = file.sequence_number;
  const bool vector = file.content == RecipeFile::Content::kDeletionVector;
  entry.content = vector ? 1 : static_cast<int64_t>(file.content);
  entry.format = vector ? "PUFFIN" : "PARQUET";
  entry.path = file.path;
  entry.record_count = written.record_count;
  entry.file_size = written.size;
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    const std::string type = ResultType(recipe, spec.fields[i]);
    const Cell& value = file.partition.at(i);
    entry.partition.push_back(IsNullCell(value) ? std::nullopt
                                                : std::optional(AvroValue(type, value)));
  }
  if (file.sort_order_id) entry.sort_order_id = *file.sort_order_id;
  if (!file.referenced_data_file.empty()) entry.referenced_data_file = file.referenced_data_file;
  if (vector) {
    entry.content_offset = 4;
    entry.content_size = written.blob_size;
  }
  if (!file.equality_ids.empty()) {
    entry.equality_ids.emplace(file.equality_ids.begin(), file.equality_ids.end());
  }
  return entry;
}

// Maps are absent where no column has that statistic.
void AddStatistics(const RecipeFile& file, WrittenEntry* entry) {
  const auto count = [](std::optional<CountMap>* map, int32_t id, std::optional<int64_t> value) {
    if (!value) return;
    if (!*map) map->emplace();
    (*map)->emplace_back(id, *value);
  };
  const auto bound = [](std::optional<BoundMap>* map, int32_t id,
                        const std::optional<std::string>& value) {
    if (!value) return;
    if (!*map) map->emplace();
    (*map)->emplace_back(id, *value);
  };
  for (const auto& [id, statistics] : file.statistics) {
    count(&entry->value_counts, id, statistics.value_count);
    count(&entry->null_counts, id, statistics.null_count);
    count(&entry->nan_counts, id, statistics.nan_count);
    bound(&entry->lower_bounds, id, statistics.lower);
    bound(&entry->upper_bounds, id, statistics.upper);
  }
}

ManifestShape ShapeOf(const TableRecipe& recipe, const RecipeManifest& manifest) {
  ManifestShape shape;
  shape.format_version = std::to_string(recipe.format_version);
  shape.v1 = recipe.format_version == 1;
  shape.partition.emplace();
  for (const RecipePartitionField& field : SpecOf(recipe, manifest.spec_id).fields) {
    shape.partition->push_back({field.name, field.field_id, AvroType(ResultType(recipe, field))});
  }
  if (!shape.v1) shape.header_content = manifest.deletes ? "deletes" : "data";
  return shape;
}

// ---- the list ----

constexpr const char* kListFields = R"(
    {"name": "manifest_path", "type": "string", "field-id": 500},
    {"name": "manifest_length", "type": "long", "field-id": 501},
    {"name": "partition_spec_id", "type": "int", "field-id": 502},
    {"name": "added_snapshot_id", "type": ["null", "long"], "field-id": 503},
    {"name": "added_files_count", "type": ["null", "int"], "field-id": 504},
    {"name": "existing_files_count", "type": ["null", "int"], "field-id": 505},
    {"name": "deleted_files_count", "type": ["null", "int"], "field-id": 506},
    {"name": "partitions", "type": ["null", {"type": "array", "items": {"type": "record",
        "name": "r508", "fields": [
            {"name": "contains_null", "type": "boolean", "field-id": 509},
            {"name": "contains_nan", "type": ["null", "boolean"], "field-id": 518},
            {"name": "lower_bound", "type": ["null", "bytes"], "field-id": 510},
            {"name": "upper_bound", "type": ["null", "bytes"], "field-id": 511}]},
        "element-id": 508}], "field-id": 507})";

constexpr const char* kListFieldsSince2 = R"(,
    {"name": "content", "type": "int", "field-id": 517},
    {"name": "sequence_number", "type": "long", "field-id": 515},
    {"name": "min_sequence_number", "type": "long", "field-id": 516})";

std::string OptionalBound(const std::string& type, const Cell* value) {
  if (value == nullptr) return AvroLong(0);
  return AvroLong(1) + AvroBytes(CellBoundBytes(type, *value));
}

std::string Summary(const std::string& type, const std::vector<const RecipeFile*>& files,
                    size_t field) {
  bool has_null = false;
  bool has_nan = false;
  const Cell* least = nullptr;
  const Cell* most = nullptr;
  for (const RecipeFile* file : files) {
    const Cell& value = file->partition.at(field);
    has_null |= IsNullCell(value);
    has_nan |= IsNanCell(value);
    if (IsNullCell(value) || IsNanCell(value)) continue;
    if (least == nullptr || CompareCellsTotal(value, *least) < 0) least = &value;
    if (most == nullptr || CompareCellsTotal(value, *most) > 0) most = &value;
  }
  return std::string(1, has_null ? '\1' : '\0') + AvroLong(1) +
         std::string(1, has_nan ? '\1' : '\0') + OptionalBound(type, least) +
         OptionalBound(type, most);
}

std::string ListLine(const TableRecipe& recipe, const RecipeManifest& manifest) {
  const RecipeSpec& spec = SpecOf(recipe, manifest.spec_id);
  std::string line = AvroBytes(manifest.path) + AvroLong(manifest.length) +
                     AvroLong(manifest.spec_id) + AvroLong(1) + AvroLong(kRecipeSnapshotId);
  line += AvroLong(1) + AvroLong(static_cast<int64_t>(manifest.files.size()));
  line += AvroLong(1) + AvroLong(0) + AvroLong(1) + AvroLong(0);
  line += AvroLong(1);
  if (!spec.fields.empty()) line += AvroLong(static_cast<int64_t>(spec.fields.size()));
  for (size_t i = 0; i < spec.fields.size(); ++i) {
    line += Summary(ResultType(recipe, spec.fields[i]), manifest.files, i);
  }
  line += AvroLong(0);
  if (recipe.format_version == 1) return line;
  int64_t least = kRecipeSequenceNumber;
  for (const RecipeFile* file : manifest.files) least = std::min(least, file->sequence_number);
  return line + AvroLong(manifest.deletes) + AvroLong(kRecipeSequenceNumber) + AvroLong(least);
}

std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string BigEndian32(uint32_t value) {
  const std::string text = LittleEndian(value, 4);
  return {text.rbegin(), text.rend()};
}

}  // namespace

std::string ManifestBytes(const TableRecipe& recipe, const RecipeManifest& manifest) {
  const RecipeSpec& spec = SpecOf(recipe, manifest.spec_id);
  std::vector<WrittenEntry> entries;
  for (size_t i = 0; i < manifest.files.size(); ++i) {
    entries.push_back(EntryOf(recipe, spec, *manifest.files[i], manifest.written[i]));
    AddStatistics(*manifest.files[i], &entries.back());
  }
  return WriteManifest(entries, ShapeOf(recipe, manifest));
}

std::string ManifestListBytes(const TableRecipe& recipe,
                              const std::vector<RecipeManifest>& manifests) {
  std::string schema = R"({"type": "record", "name": "manifest_file", "fields": [)";
  schema += kListFields;
  if (recipe.format_version >= 2) schema += kListFieldsSince2;
  schema += "]}";
  std::string lines;
  for (const RecipeManifest& manifest : manifests) lines += ListLine(recipe, manifest);
  const std::vector<std::pair<std::string, std::string>> metadata = {
      {"format-version", std::to_string(recipe.format_version)},
      {"snapshot-id", std::to_string(kRecipeSnapshotId)}};
  if (manifests.empty()) return AvroContainer(schema, {}, "null", metadata);
  return AvroContainer(schema, {{static_cast<int64_t>(manifests.size()), lines}}, "null", metadata);
}

// One Roaring bitmap of one array container (Puffin specification, deletion-vector-v1).
std::string DeletionVectorBlob(const std::vector<int64_t>& positions) {
  std::string body = "\xd1\xd3\x39\x64";
  if (positions.empty()) {
    body += LittleEndian(0, 8);
  } else {
    body += LittleEndian(1, 8) + LittleEndian(0, 4);
    body += LittleEndian(12346, 4) + LittleEndian(1, 4) + LittleEndian(0, 2) +
            LittleEndian(positions.size() - 1, 2) + LittleEndian(16, 4);
    for (const int64_t position : positions) body += LittleEndian(position, 2);
  }
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return BigEndian32(static_cast<uint32_t>(body.size())) + body +
         BigEndian32(static_cast<uint32_t>(checksum));
}

std::string PuffinOf(const std::string& blob, const std::string& data_path) {
  const nlohmann::json footer = {
      {"blobs",
       nlohmann::json::array(
           {{{"type", "deletion-vector-v1"},
             {"fields", nlohmann::json::array()},
             {"snapshot-id", -1},
             {"sequence-number", -1},
             {"offset", 4},
             {"length", blob.size()},
             {"properties", {{"referenced-data-file", data_path}, {"cardinality", "1"}}}}})}};
  const std::string text = footer.dump();
  return "PFA1" + blob + "PFA1" + text + LittleEndian(text.size(), 4) + LittleEndian(0, 4) + "PFA1";
}

}  // namespace esker::testing
