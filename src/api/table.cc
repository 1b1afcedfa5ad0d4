#include "esker/table.h"

#include <algorithm>
#include <set>
#include <utility>

#include "api/open_table.h"
#include "fmt/format.h"

namespace esker {
namespace {

std::string SourcesInWords(const std::vector<int32_t>& field_ids, const Schema& schema) {
  std::string text;
  for (const int32_t id : field_ids) {
    const std::string name = schema.NameOf(id);
    text +=
        (text.empty() ? "" : ", ") + (name.empty() ? fmt::format("dropped column {}", id) : name);
  }
  return text;
}

std::string SpecInWords(const PartitionSpec& spec, const Schema& schema) {
  std::string text;
  for (const PartitionField& field : spec.fields) {
    text += fmt::format("{}{}({}) as {}", text.empty() ? "" : ", ", field.transform.text,
                        SourcesInWords(field.source_ids, schema), field.name);
  }
  return text.empty() ? "unpartitioned" : text;
}

std::string SortOrderInWords(const SortOrder& order, const Schema& schema) {
  std::string text;
  for (const SortField& field : order.fields) {
    std::string sources = SourcesInWords(field.source_ids, schema);
    if (!field.transform.is_identity()) {
      sources = fmt::format("{}({})", field.transform.text, sources);
    }
    text += fmt::format("{}{} {} nulls {}", text.empty() ? "" : ", ", sources,
                        field.descending ? "desc" : "asc", field.nulls_first ? "first" : "last");
  }
  return text.empty() ? "unsorted" : text;
}

void AddColumns(const std::vector<Field>& fields, const std::string& prefix,
                std::vector<ColumnInfo>* columns) {
  for (const Field& field : fields) {
    columns->push_back(
        {field.id, prefix + field.name, field.type.ToString(), field.required, field.doc});
    if (field.type.id == TypeId::kStruct) {
      AddColumns(*field.type.fields, prefix + field.name + ".", columns);
    }
  }
}

class TableView : public Table {
 public:
  explicit TableView(OpenedTable table)
      : metadata_(std::move(table.metadata)),
        storage_(std::move(table.storage)),
        location_(std::move(table.location)) {}

  TableInfo Describe() const override {
    const Schema& schema = metadata_->current_schema();
    TableInfo info;
    info.location = metadata_->location;
    info.metadata_file = location_.metadata_file;
    info.format_version = metadata_->format_version;
    info.uuid = metadata_->table_uuid;
    info.last_updated_ms = metadata_->last_updated_ms;
    info.current_snapshot_id = metadata_->current_snapshot_id;
    info.schema_id = schema.schema_id;
    AddColumns(schema.fields, "", &info.columns);
    for (const PartitionSpec& spec : metadata_->partition_specs) {
      info.partition_specs.emplace_back(spec.spec_id, SpecInWords(spec, schema));
    }
    info.default_spec_id = metadata_->default_spec_id;
    for (const SortOrder& order : metadata_->sort_orders) {
      info.sort_orders.emplace_back(order.order_id, SortOrderInWords(order, schema));
    }
    info.default_sort_order_id = metadata_->default_sort_order_id;
    info.properties = metadata_->properties;
    for (const auto& [name, ref] : metadata_->refs) info.refs.push_back(name);
    return info;
  }

  std::vector<SnapshotInfo> Snapshots() const override {
    std::vector<SnapshotInfo> infos;
    for (const Snapshot& snapshot : metadata_->snapshots) infos.push_back(InfoOf(snapshot));
    std::stable_sort(infos.begin(), infos.end(),
                     [](const auto& a, const auto& b) { return a.timestamp_ms < b.timestamp_ms; });
    return infos;
  }

  arrow::Result<std::shared_ptr<ScanPlan>> Plan(ScanRequest request,
                                                ScanOptions options) const override {
    return PlanOf({metadata_, storage_, location_}, std::move(request), std::move(options));
  }

 private:
  SnapshotInfo InfoOf(const Snapshot& snapshot) const {
    SnapshotInfo info;
    info.snapshot_id = snapshot.snapshot_id;
    info.parent_snapshot_id = snapshot.parent_snapshot_id;
    info.sequence_number = snapshot.sequence_number;
    info.timestamp_ms = snapshot.timestamp_ms;
    info.summary = snapshot.summary;
    const auto operation = snapshot.summary.find("operation");
    if (operation != snapshot.summary.end()) info.operation = operation->second;
    for (const auto& [name, ref] : metadata_->refs) {
      if (ref.snapshot_id == snapshot.snapshot_id) info.refs.push_back(name);
    }
    info.is_current = metadata_->current_snapshot_id == snapshot.snapshot_id;
    return info;
  }

  std::shared_ptr<const TableMetadata> metadata_;
  std::shared_ptr<const Storage> storage_;
  TableLocation location_;
};

}  // namespace

arrow::Result<std::shared_ptr<Table>> Table::Open(std::string_view location, OpenOptions options) {
  ARROW_ASSIGN_OR_RAISE(OpenedTable table, OpenTable(location, std::move(options)));
  return std::make_shared<TableView>(std::move(table));
}

}  // namespace esker
