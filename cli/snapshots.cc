// esker snapshots: the states that a table has been in.
#include <memory>
#include <string>

#include "command_line.h"
#include "listing.h"
#include "nlohmann/json.hpp"

namespace esker::cli {
namespace {

using Json = nlohmann::ordered_json;

struct SnapshotsCommand {
  TableArguments table;
  bool json = false;
};

Json SnapshotJson(const SnapshotInfo& info) {
  return {{"snapshot_id", info.snapshot_id},
          {"parent_snapshot_id", info.parent_snapshot_id ? Json(*info.parent_snapshot_id) : Json()},
          {"sequence_number", info.sequence_number},
          {"timestamp", TimeText(info.timestamp_ms)},
          {"timestamp_ms", info.timestamp_ms},
          {"operation", info.operation},
          {"current", info.is_current},
          {"refs", info.refs},
          {"summary", info.summary}};
}

std::string RefsText(const SnapshotInfo& info) {
  std::string text = info.is_current ? "current" : "";
  for (const std::string& ref : info.refs) text += (text.empty() ? "" : ", ") + ref;
  return text;
}

std::string FromSummary(const SnapshotInfo& info, const std::string& key) {
  const auto found = info.summary.find(key);
  return found == info.summary.end() ? "" : found->second;
}

arrow::Status RunSnapshots(const SnapshotsCommand& command) {
  ARROW_ASSIGN_OR_RAISE(auto table, command.table.Open());
  Json list = Json::array();
  std::vector<std::vector<std::string>> rows;
  for (const SnapshotInfo& info : table->Snapshots()) {
    list.push_back(SnapshotJson(info));
    rows.push_back({std::to_string(info.snapshot_id), TimeText(info.timestamp_ms), info.operation,
                    FromSummary(info, "added-records"), FromSummary(info, "total-records"),
                    RefsText(info)});
  }
  if (command.json) {
    PrintLine(list.dump(2, ' ', false, Json::error_handler_t::replace));
  } else {
    PrintListing({"snapshot", "time", "operation", "added", "total", "refs"}, rows);
  }
  return arrow::Status::OK();
}

}  // namespace

void AddSnapshots(CLI::App* app, Command* chosen) {
  auto command = std::make_shared<SnapshotsCommand>();
  CLI::App* snapshots = app->add_subcommand("snapshots", "The states that a table has been in");
  command->table.AddTo(snapshots);
  snapshots->add_flag("--json", command->json, "As a JSON array");
  snapshots->callback([=] { *chosen = [=] { return RunSnapshots(*command); }; });
}

}  // namespace esker::cli
