// esker describe: what a table is: columns, partition specs, sort orders, properties.
#include <memory>
#include <string>

#include "command_line.h"
#include "listing.h"
#include "nlohmann/json.hpp"

namespace esker::cli {
namespace {

using Json = nlohmann::ordered_json;

struct DescribeCommand {
  TableArguments table;
  bool json = false;
};

Json ColumnsJson(const TableInfo& info) {
  Json list = Json::array();
  for (const ColumnInfo& column : info.columns) {
    list.push_back({{"id", column.field_id},
                    {"name", column.name},
                    {"type", column.type},
                    {"required", column.required},
                    {"doc", column.doc}});
  }
  return list;
}

Json NumberedJson(const std::vector<std::pair<int32_t, std::string>>& entries, int32_t default_id) {
  Json list = Json::array();
  for (const auto& [id, text] : entries) {
    list.push_back({{"id", id}, {"text", text}, {"default", id == default_id}});
  }
  return list;
}

Json InfoJson(const TableInfo& info) {
  return {
      {"location", info.location},
      {"metadata_file", info.metadata_file},
      {"format_version", info.format_version},
      {"uuid", info.uuid},
      {"last_updated", TimeText(info.last_updated_ms)},
      {"current_snapshot_id", info.current_snapshot_id ? Json(*info.current_snapshot_id) : Json()},
      {"schema_id", info.schema_id},
      {"columns", ColumnsJson(info)},
      {"partition_specs", NumberedJson(info.partition_specs, info.default_spec_id)},
      {"sort_orders", NumberedJson(info.sort_orders, info.default_sort_order_id)},
      {"refs", info.refs},
      {"properties", info.properties}};
}

void PrintNumbered(const std::string& title,
                   const std::vector<std::pair<int32_t, std::string>>& entries,
                   int32_t default_id) {
  PrintLine("\n" + title);
  for (const auto& [id, text] : entries) {
    PrintLine("  " + std::to_string(id) + "  " + text + (id == default_id ? "  (default)" : ""));
  }
}

void PrintInfo(const TableInfo& info) {
  PrintLine("location   " + info.location);
  PrintLine("metadata   " + info.metadata_file);
  PrintLine("format     v" + std::to_string(info.format_version) + ", uuid " + info.uuid);
  PrintLine("updated    " + TimeText(info.last_updated_ms));
  PrintLine("snapshot   " + (info.current_snapshot_id ? std::to_string(*info.current_snapshot_id)
                                                      : std::string("none")));
  PrintLine("");
  std::vector<std::vector<std::string>> rows;
  for (const ColumnInfo& column : info.columns) {
    rows.push_back({std::to_string(column.field_id), column.name, column.type,
                    column.required ? "required" : "", column.doc});
  }
  PrintListing({"id", "column", "type", "", "doc"}, rows);
  PrintNumbered("partition specs", info.partition_specs, info.default_spec_id);
  PrintNumbered("sort orders", info.sort_orders, info.default_sort_order_id);
  if (!info.properties.empty()) PrintLine("\nproperties");
  for (const auto& [name, value] : info.properties) PrintLine("  " + name + " = " + value);
}

arrow::Status RunDescribe(const DescribeCommand& command) {
  ARROW_ASSIGN_OR_RAISE(auto table, command.table.Open());
  const TableInfo info = table->Describe();
  if (command.json) {
    PrintLine(InfoJson(info).dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    PrintInfo(info);
  }
  return arrow::Status::OK();
}

}  // namespace

void AddDescribe(CLI::App* app, Command* chosen) {
  auto command = std::make_shared<DescribeCommand>();
  CLI::App* describe =
      app->add_subcommand("describe", "Columns, partition specs, sort orders, properties");
  command->table.AddTo(describe);
  describe->add_flag("--json", command->json, "As one JSON object");
  describe->callback([=] { *chosen = [=] { return RunDescribe(*command); }; });
}

}  // namespace esker::cli
