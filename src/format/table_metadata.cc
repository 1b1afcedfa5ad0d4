#include "format/table_metadata.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/ascii.h"
#include "base/status.h"
#include "format/gzip.h"
#include "format/json_node.h"
#include "format/schema_json.h"

namespace esker {
namespace {

constexpr size_t kMaxInflatedBytes = size_t{1} << 30;
constexpr int32_t kLatestFormatVersion = 3;
constexpr int32_t kFirstPartitionFieldId = 1000;  // v1 numbered them from here without saying so

// Parses each element of the list `key`; an absent list is an empty one.
template <typename T>
arrow::Result<std::vector<T>> ParseList(const JsonNode& node, std::string_view key,
                                        arrow::Result<T> (*parse)(const JsonNode&)) {
  std::vector<T> items;
  const auto list = node.Find(key);
  if (!list) return items;
  ARROW_RETURN_NOT_OK(list->CheckArray());
  items.reserve(list->size());
  for (size_t i = 0; i < list->size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(T item, parse(list->At(i)));
    items.push_back(std::move(item));
  }
  return items;
}

// An id that stands for two things would make lookups a matter of luck.
template <typename T, typename Id>
arrow::Status CheckDistinct(const std::vector<T>& items, Id T::* id, std::string_view key) {
  std::set<Id> seen;
  for (const T& item : items) {
    if (seen.insert(item.*id).second) continue;
    return arrow::Status::Invalid(key, ": id ", item.*id, " is used twice");
  }
  return arrow::Status::OK();
}

// ---- partition specs and sort orders ----

arrow::Result<std::vector<int32_t>> ParseSourceIds(const JsonNode& node) {
  if (const auto ids = node.Find("source-ids")) {
    ARROW_ASSIGN_OR_RAISE(auto list, ids->AsInt32List());
    if (!list.empty()) return list;
  }
  ARROW_ASSIGN_OR_RAISE(const int32_t id, node.GetInt32("source-id"));
  return std::vector<int32_t>{id};
}

arrow::Result<PartitionField> ParsePartitionField(const JsonNode& node) {
  PartitionField field;
  ARROW_ASSIGN_OR_RAISE(field.source_ids, ParseSourceIds(node));
  ARROW_ASSIGN_OR_RAISE(const auto id, node.FindInt32("field-id"));
  field.field_id = id.value_or(0);
  ARROW_ASSIGN_OR_RAISE(field.name, node.GetString("name"));
  ARROW_ASSIGN_OR_RAISE(const std::string transform, node.GetString("transform"));
  field.transform = ParseTransform(transform);
  return field;
}

// The fields of a spec: the member `key` of `node`, which must be there.
arrow::Result<std::vector<PartitionField>> ParsePartitionFields(const JsonNode& node,
                                                                std::string_view key) {
  ARROW_RETURN_NOT_OK(node.Get(key).status());
  ARROW_ASSIGN_OR_RAISE(auto fields, ParseList(node, key, ParsePartitionField));
  int32_t next_id = kFirstPartitionFieldId;
  for (PartitionField& field : fields) {
    if (field.field_id == 0) field.field_id = next_id;
    ++next_id;
  }
  return fields;
}

arrow::Result<PartitionSpec> ParseSpec(const JsonNode& node) {
  PartitionSpec spec;
  ARROW_ASSIGN_OR_RAISE(spec.spec_id, node.GetInt32("spec-id"));
  ARROW_ASSIGN_OR_RAISE(spec.fields, ParsePartitionFields(node, "fields"));
  return spec;
}

// Whether the member `key` says `yes` rather than `no`; Invalid for any other word.
arrow::Result<bool> ParseEither(const JsonNode& node, std::string_view key, std::string_view yes,
                                std::string_view no) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode member, node.Get(key));
  ARROW_ASSIGN_OR_RAISE(const std::string word, member.AsString());
  if (EqualsIgnoringCase(word, yes)) return true;
  if (EqualsIgnoringCase(word, no)) return false;
  return member.Error("must be " + std::string(yes) + " or " + std::string(no));
}

arrow::Result<SortField> ParseSortField(const JsonNode& node) {
  SortField field;
  ARROW_ASSIGN_OR_RAISE(field.source_ids, ParseSourceIds(node));
  ARROW_ASSIGN_OR_RAISE(const std::string transform, node.GetString("transform"));
  field.transform = ParseTransform(transform);
  ARROW_ASSIGN_OR_RAISE(field.descending, ParseEither(node, "direction", "desc", "asc"));
  ARROW_ASSIGN_OR_RAISE(field.nulls_first,
                        ParseEither(node, "null-order", "nulls-first", "nulls-last"));
  return field;
}

arrow::Result<SortOrder> ParseSortOrder(const JsonNode& node) {
  SortOrder order;
  ARROW_ASSIGN_OR_RAISE(order.order_id, node.GetInt32("order-id"));
  ARROW_RETURN_NOT_OK(node.Get("fields").status());
  ARROW_ASSIGN_OR_RAISE(order.fields, ParseList(node, "fields", ParseSortField));
  return order;
}

// ---- snapshots ----

// An id is nothing but a label: one beyond 63 bits, which some writers make, is kept as the same 64
// bits, the way it comes out of the manifests.
arrow::Result<int64_t> ParseSnapshotId(const JsonNode& node, std::string_view key) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode id, node.Get(key));
  if (id.value().is_number_unsigned()) return static_cast<int64_t>(id.value().get<uint64_t>());
  return id.AsInt64();
}

arrow::Result<std::optional<int64_t>> FindSnapshotId(const JsonNode& node, std::string_view key) {
  if (!node.Find(key)) return std::optional<int64_t>();
  ARROW_ASSIGN_OR_RAISE(const int64_t id, ParseSnapshotId(node, key));
  return std::optional(id);
}

arrow::Result<std::string> ParseString(const JsonNode& node) { return node.AsString(); }

// A snapshot that names no manifests would read as an empty table: an error instead.
arrow::Status ParseManifests(const JsonNode& node, Snapshot* snapshot) {
  ARROW_ASSIGN_OR_RAISE(auto list, node.FindString("manifest-list"));
  if (list) {
    snapshot->manifest_list = *std::move(list);
    return arrow::Status::OK();
  }
  if (!node.Find("manifests")) return node.Get("manifest-list").status();
  return ParseList(node, "manifests", ParseString).Value(&snapshot->manifests);
}

arrow::Result<Snapshot> ParseSnapshot(const JsonNode& node) {
  Snapshot snapshot;
  ARROW_ASSIGN_OR_RAISE(snapshot.snapshot_id, ParseSnapshotId(node, "snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.parent_snapshot_id, FindSnapshotId(node, "parent-snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(const auto sequence_number, node.FindInt64("sequence-number"));
  snapshot.sequence_number = sequence_number.value_or(0);
  ARROW_ASSIGN_OR_RAISE(snapshot.timestamp_ms, node.GetInt64("timestamp-ms"));
  ARROW_RETURN_NOT_OK(ParseManifests(node, &snapshot));
  ARROW_ASSIGN_OR_RAISE(snapshot.schema_id, node.FindInt32("schema-id"));
  ARROW_ASSIGN_OR_RAISE(snapshot.first_row_id, node.FindInt64("first-row-id"));
  if (node.Find("key-id")) {
    return UnsupportedError(node.path(), ": the snapshot is encrypted");
  }
  if (const auto summary = node.Find("summary")) {
    ARROW_ASSIGN_OR_RAISE(snapshot.summary, summary->AsStringMap());
  }
  return snapshot;
}

arrow::Result<SnapshotLogEntry> ParseLogEntry(const JsonNode& node) {
  SnapshotLogEntry entry;
  ARROW_ASSIGN_OR_RAISE(entry.timestamp_ms, node.GetInt64("timestamp-ms"));
  ARROW_ASSIGN_OR_RAISE(entry.snapshot_id, ParseSnapshotId(node, "snapshot-id"));
  return entry;
}

arrow::Result<SnapshotRef> ParseRef(const JsonNode& node) {
  SnapshotRef ref;
  ARROW_ASSIGN_OR_RAISE(ref.snapshot_id, ParseSnapshotId(node, "snapshot-id"));
  ARROW_ASSIGN_OR_RAISE(ref.is_tag, ParseEither(node, "type", "tag", "branch"));
  return ref;
}

// ---- the table ----

arrow::Status ParseHead(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->format_version, root.GetInt32("format-version"));
  if (table->format_version > kLatestFormatVersion) {
    return UnsupportedError("format-version: ", table->format_version,
                            " is newer than this program reads (", kLatestFormatVersion, ")");
  }
  if (table->format_version < 1) return arrow::Status::Invalid("format-version: must be above 0");
  ARROW_ASSIGN_OR_RAISE(table->location, root.GetString("location"));
  // The rest of the head matters to writers alone and is missing in tables that exist.
  ARROW_ASSIGN_OR_RAISE(auto uuid, root.FindString("table-uuid"));
  table->table_uuid = std::move(uuid).value_or("");
  ARROW_ASSIGN_OR_RAISE(const auto updated, root.FindInt64("last-updated-ms"));
  table->last_updated_ms = updated.value_or(0);
  if (const auto properties = root.Find("properties")) {
    ARROW_ASSIGN_OR_RAISE(table->properties, properties->AsStringMap());
  }
  if (const auto keys = root.Find("encryption-keys"); keys && !keys->value().empty()) {
    return UnsupportedError("encryption-keys: the table is encrypted");
  }
  return arrow::Status::OK();
}

arrow::Status ParseSchemas(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->schemas, ParseList<Schema>(root, "schemas", ParseSchema));
  ARROW_ASSIGN_OR_RAISE(const auto current, root.FindInt32("current-schema-id"));
  if (table->schemas.empty() && table->format_version > 1) return root.Get("schemas").status();
  if (table->schemas.empty()) {
    ARROW_ASSIGN_OR_RAISE(const JsonNode schema, root.Get("schema"));
    ARROW_ASSIGN_OR_RAISE(Schema parsed, ParseSchema(schema));
    table->schemas.push_back(std::move(parsed));
  } else if (!current) {
    return root.Get("current-schema-id").status();
  }
  ARROW_RETURN_NOT_OK(CheckDistinct(table->schemas, &Schema::schema_id, "schemas"));
  table->current_schema_id = current.value_or(table->schemas[0].schema_id);
  if (table->FindSchema(table->current_schema_id) == nullptr) {
    return arrow::Status::Invalid("current-schema-id: no schema has the id ",
                                  table->current_schema_id);
  }
  return arrow::Status::OK();
}

arrow::Status ParseSpecs(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->partition_specs, ParseList(root, "partition-specs", ParseSpec));
  if (table->partition_specs.empty() && root.Find("partition-spec")) {
    PartitionSpec spec;
    ARROW_ASSIGN_OR_RAISE(spec.fields, ParsePartitionFields(root, "partition-spec"));
    table->partition_specs.push_back(std::move(spec));
  } else if (table->partition_specs.empty()) {
    // Some writers leave out that a table has no partitions.
    table->partition_specs.push_back({});
  }
  ARROW_ASSIGN_OR_RAISE(const auto spec_id, root.FindInt32("default-spec-id"));
  table->default_spec_id = spec_id.value_or(0);
  return CheckDistinct(table->partition_specs, &PartitionSpec::spec_id, "partition-specs");
}

arrow::Status ParseSortOrders(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->sort_orders, ParseList(root, "sort-orders", ParseSortOrder));
  ARROW_ASSIGN_OR_RAISE(const auto order_id, root.FindInt32("default-sort-order-id"));
  table->default_sort_order_id = order_id.value_or(0);
  return CheckDistinct(table->sort_orders, &SortOrder::order_id, "sort-orders");
}

arrow::Status ParseCurrentSnapshot(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->current_snapshot_id, FindSnapshotId(root, "current-snapshot-id"));
  if (table->current_snapshot_id == -1) table->current_snapshot_id.reset();
  if (table->current_snapshot_id && table->FindSnapshot(*table->current_snapshot_id) == nullptr) {
    return arrow::Status::Invalid("current-snapshot-id: no snapshot has the id ",
                                  *table->current_snapshot_id);
  }
  return arrow::Status::OK();
}

// Branch main always is the current snapshot; v1 has no refs and says it by that alone.
arrow::Status ParseRefs(const JsonNode& root, TableMetadata* table) {
  if (const auto refs = root.Find("refs")) {
    ARROW_RETURN_NOT_OK(refs->CheckObject());
    for (const auto& item : refs->value().items()) {
      const auto node = refs->Find(item.key());
      if (!node) continue;
      ARROW_ASSIGN_OR_RAISE(table->refs[item.key()], ParseRef(*node));
    }
  }
  const auto main = table->refs.find("main");
  if (main == table->refs.end()) {
    if (table->current_snapshot_id) table->refs["main"] = {*table->current_snapshot_id, false};
    return arrow::Status::OK();
  }
  if (main->second.snapshot_id == table->current_snapshot_id) return arrow::Status::OK();
  return arrow::Status::Invalid("refs.main: is snapshot ", main->second.snapshot_id,
                                ", but current-snapshot-id says otherwise");
}

arrow::Status ParseSnapshots(const JsonNode& root, TableMetadata* table) {
  ARROW_ASSIGN_OR_RAISE(table->snapshots, ParseList(root, "snapshots", ParseSnapshot));
  ARROW_RETURN_NOT_OK(CheckDistinct(table->snapshots, &Snapshot::snapshot_id, "snapshots"));
  ARROW_RETURN_NOT_OK(ParseCurrentSnapshot(root, table));
  ARROW_RETURN_NOT_OK(ParseRefs(root, table));
  return ParseList(root, "snapshot-log", ParseLogEntry).Value(&table->snapshot_log);
}

template <typename T, typename Id>
const T* FindIn(const std::vector<T>& items, Id T::* member, Id id) {
  const auto it =
      std::find_if(items.begin(), items.end(), [&](const T& item) { return item.*member == id; });
  return it == items.end() ? nullptr : &*it;
}

}  // namespace

const Schema* TableMetadata::FindSchema(int32_t schema_id) const {
  return FindIn(schemas, &Schema::schema_id, schema_id);
}

const PartitionSpec* TableMetadata::FindSpec(int32_t spec_id) const {
  return FindIn(partition_specs, &PartitionSpec::spec_id, spec_id);
}

const SortOrder* TableMetadata::FindSortOrder(int32_t order_id) const {
  return FindIn(sort_orders, &SortOrder::order_id, order_id);
}

const Snapshot* TableMetadata::FindSnapshot(int64_t snapshot_id) const {
  return FindIn(snapshots, &Snapshot::snapshot_id, snapshot_id);
}

const Schema& TableMetadata::current_schema() const { return *FindSchema(current_schema_id); }

arrow::Result<TableMetadata> ParseTableMetadata(std::string_view bytes) {
  std::string inflated;
  if (IsGzip(bytes)) {
    ARROW_ASSIGN_OR_RAISE(inflated, InflateGzip(bytes, kMaxInflatedBytes));
    bytes = inflated;
  }
  ARROW_ASSIGN_OR_RAISE(const nlohmann::json document, ParseJson(bytes));
  const JsonNode root(document);
  TableMetadata table;
  ARROW_RETURN_NOT_OK(ParseHead(root, &table));
  ARROW_RETURN_NOT_OK(ParseSchemas(root, &table));
  ARROW_RETURN_NOT_OK(ParseSpecs(root, &table));
  ARROW_RETURN_NOT_OK(ParseSortOrders(root, &table));
  ARROW_RETURN_NOT_OK(ParseSnapshots(root, &table));
  return table;
}

}  // namespace esker
