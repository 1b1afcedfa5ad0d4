#include "testing/manifest_writer.h"

#include <algorithm>

#include "testing/avro_writer.h"

namespace esker::testing {
namespace {

/// Puts a record's schema and values together, field by field, so that both always agree.
class RecordWriter {
 public:
  RecordWriter(const ManifestShape& shape, std::string name) : shape_(shape), name_(name) {}

  // A field of a type given as JSON; `value` nothing writes null. Required fields are given as a
  // plain value.
  void Field(const std::string& name, int id, const std::string& type, const std::string& value) {
    if (shape_.everything_optional) return Optional(name, id, "{\"type\": " + type + "}", value);
    AddSchema(name, id, type);
    values_ += value;
  }
  void Optional(const std::string& name, int id, const std::string& type,
                const std::optional<std::string>& value) {
    AddSchema(name, id, "[\"null\", " + type + "]");
    values_ += value ? AvroLong(1) + *value : AvroLong(0);
  }
  void OptionalLong(const std::string& name, int id, const std::string& type,
                    std::optional<int64_t> value) {
    Optional(name, id, type, value ? std::optional(AvroLong(*value)) : std::nullopt);
  }

  std::string schema() const {
    return R"({"type": "record", "name": ")" + name_ + R"(", "fields": [)" + fields_ + "]}";
  }
  const std::string& values() const { return values_; }

 private:
  void AddSchema(const std::string& name, int id, const std::string& type) {
    if (!fields_.empty()) fields_ += ", ";
    fields_ += R"({"name": ")" + name + R"(", "type": )" + type;
    if (shape_.ids) fields_ += R"(, "field-id": )" + std::to_string(id);
    fields_ += "}";
  }

  const ManifestShape& shape_;
  std::string name_;
  std::string fields_;
  std::string values_;
};

// A list in one block, or none if it is empty.
std::string ListOf(const ManifestShape& shape, size_t count, const std::string& items) {
  if (count == 0) return AvroLong(0);
  const int64_t signed_count = static_cast<int64_t>(count);
  if (!shape.sized_blocks) return AvroLong(signed_count) + items + AvroLong(0);
  return AvroLong(-signed_count) + AvroLong(static_cast<int64_t>(items.size())) + items +
         AvroLong(0);
}

std::string ItemOf(const ManifestShape& shape, const std::string& key, const std::string& value) {
  if (!shape.everything_optional) return key + value;
  return AvroLong(1) + AvroLong(1) + key + AvroLong(1) + value;
}

std::string MapType(const ManifestShape& shape, int key_id, const std::string& value) {
  const std::string name = "k" + std::to_string(key_id) + "_v" + std::to_string(key_id + 1);
  if (shape.everything_optional) {
    return R"({"type": "array", "logicalType": "map", "items":
           ["null", {"type": "record", "name": ")" +
           name + R"(", "fields": [{"name": "key", "type": ["null", {"type": "int"}]},
           {"name": "value", "type": ["null", {"type": ")" +
           value + R"("}]}]}]})";
  }
  const auto id = [&](int add) {
    return shape.ids ? R"(, "field-id": )" + std::to_string(key_id + add) : std::string();
  };
  return R"({"type": "array", "logicalType": "map", "items": {"type": "record", "name": ")" + name +
         R"(", "fields": [{"name": "key", "type": "int")" + id(0) +
         R"(}, {"name": "value", "type": ")" + value + "\"" + id(1) + "}]}}";
}

std::optional<std::string> Counts(const ManifestShape& shape, const std::optional<CountMap>& map) {
  if (!map) return std::nullopt;
  std::string items;
  for (const auto& [key, value] : *map) items += ItemOf(shape, AvroLong(key), AvroLong(value));
  return ListOf(shape, map->size(), items);
}

std::optional<std::string> Bounds(const ManifestShape& shape, const std::optional<BoundMap>& map) {
  if (!map) return std::nullopt;
  std::string items;
  for (const auto& [key, value] : *map) items += ItemOf(shape, AvroLong(key), AvroBytes(value));
  return ListOf(shape, map->size(), items);
}

std::optional<std::string> Integers(const ManifestShape& shape,
                                    const std::optional<std::vector<int64_t>>& values) {
  if (!values) return std::nullopt;
  std::string items;
  for (const int64_t value : *values) items += AvroLong(value);
  return ListOf(shape, values->size(), items);
}

void WritePartition(const ManifestShape& shape, const WrittenEntry& entry, RecordWriter* record) {
  if (!shape.partition) {
    record->OptionalLong("day", 1000, R"({"type": "int", "logicalType": "date"})", entry.day);
    return;
  }
  for (size_t i = 0; i < shape.partition->size(); ++i) {
    const WrittenPartitionColumn& column = (*shape.partition)[i];
    record->Optional(column.name, column.id, column.avro_type,
                     i < entry.partition.size() ? entry.partition[i] : std::nullopt);
  }
}

void WriteDataFile(const ManifestShape& shape, const WrittenEntry& entry, RecordWriter* file) {
  if (!shape.v1) file->Field("content", 134, "\"int\"", AvroLong(entry.content));
  file->Field("file_path", 100, "\"string\"", AvroBytes(entry.path));
  file->Field("file_format", 101, "\"string\"", AvroBytes(entry.format));
  RecordWriter partition(shape, "r102");
  WritePartition(shape, entry, &partition);
  file->Field("partition", 102, partition.schema(), partition.values());
  file->Field("record_count", 103, "\"long\"", AvroLong(entry.record_count));
  file->Field("file_size_in_bytes", 104, "\"long\"", AvroLong(entry.file_size));
  if (shape.v1) file->Field("block_size_in_bytes", 105, "\"long\"", AvroLong(64 << 20));
  file->Optional("column_sizes", 108, MapType(shape, 117, "long"),
                 Counts(shape, entry.column_sizes));
  file->Optional("value_counts", 109, MapType(shape, 119, "long"),
                 Counts(shape, entry.value_counts));
  file->Optional("null_value_counts", 110, MapType(shape, 121, "long"),
                 Counts(shape, entry.null_counts));
  file->Optional("nan_value_counts", 137, MapType(shape, 138, "long"),
                 Counts(shape, entry.nan_counts));
  file->Optional("lower_bounds", 125, MapType(shape, 126, "bytes"),
                 Bounds(shape, entry.lower_bounds));
  file->Optional("upper_bounds", 128, MapType(shape, 129, "bytes"),
                 Bounds(shape, entry.upper_bounds));
  file->Optional("key_metadata", 131, "\"bytes\"",
                 entry.key_metadata ? std::optional(AvroBytes(*entry.key_metadata)) : std::nullopt);
  file->Optional("split_offsets", 132, R"({"type": "array", "items": "long"})",
                 Integers(shape, entry.split_offsets));
  file->Optional("equality_ids", 135, R"({"type": "array", "items": "int"})",
                 Integers(shape, entry.equality_ids));
  file->OptionalLong("sort_order_id", 140, "\"int\"", entry.sort_order_id);
  file->OptionalLong("first_row_id", 142, "\"long\"", entry.first_row_id);
  file->Optional("referenced_data_file", 143, "\"string\"",
                 entry.referenced_data_file ? std::optional(AvroBytes(*entry.referenced_data_file))
                                            : std::nullopt);
  file->OptionalLong("content_offset", 144, "\"long\"", entry.content_offset);
  file->OptionalLong("content_size_in_bytes", 145, "\"long\"", entry.content_size);
}

RecordWriter WriteEntry(const ManifestShape& shape, const WrittenEntry& entry) {
  RecordWriter record(shape, "manifest_entry");
  record.Field("status", 0, "\"int\"", AvroLong(entry.status));
  record.OptionalLong("snapshot_id", 1, "\"long\"", entry.snapshot_id);
  if (!shape.v1) {
    record.OptionalLong("sequence_number", 3, "\"long\"", entry.sequence_number);
    record.OptionalLong("file_sequence_number", 4, "\"long\"", entry.file_sequence_number);
  }
  RecordWriter file(shape, "r2");
  WriteDataFile(shape, entry, &file);
  record.Field("data_file", 2, file.schema(), file.values());
  return record;
}

}  // namespace

std::string WriteManifest(const std::vector<WrittenEntry>& entries, const ManifestShape& shape) {
  const std::string schema = WriteEntry(shape, WrittenEntry{}).schema();
  std::vector<std::pair<int64_t, std::string>> blocks;
  for (size_t i = 0; i < entries.size(); ++i) {
    if (blocks.empty() || blocks.back().first == shape.entries_a_block) blocks.emplace_back();
    blocks.back().second += WriteEntry(shape, entries[i]).values();
    ++blocks.back().first;
  }
  std::vector<std::pair<std::string, std::string>> metadata = {
      {"partition-spec",
       R"([{"name": "day", "transform": "day", "source-id": 4, "field-id": 1000}])"}};
  if (!shape.format_version.empty()) metadata.emplace_back("format-version", shape.format_version);
  if (!shape.header_content.empty()) metadata.emplace_back("content", shape.header_content);
  if (!shape.header_spec_id.empty()) {
    metadata.emplace_back("partition-spec-id", shape.header_spec_id);
  }
  return AvroContainer(schema, blocks, shape.codec, metadata);
}

}  // namespace esker::testing
