// esker files: every live file of a table: what it holds, what it claims, where it lies.
#include <memory>
#include <string>
#include <utility>

#include "arrow/scalar.h"
#include "command_line.h"
#include "listing.h"
#include "nlohmann/json.hpp"

namespace esker::cli {
namespace {

using Json = nlohmann::ordered_json;

struct FilesCommand {
  TableArguments table;
  ScanArguments scan;
  bool json = false;
};

std::string BoundText(const std::shared_ptr<arrow::Scalar>& bound) {
  return bound == nullptr ? "?" : bound->ToString();
}

template <typename Number>
Json OrNull(const std::optional<Number>& number) {
  return number ? Json(*number) : Json();
}

Json ColumnJson(const ColumnStatisticsView& column) {
  return {{"column", column.column},
          {"field_id", column.field_id},
          {"lower", column.lower_bound == nullptr ? Json() : Json(BoundText(column.lower_bound))},
          {"upper", column.upper_bound == nullptr ? Json() : Json(BoundText(column.upper_bound))},
          {"value_count", OrNull(column.value_count)},
          {"null_count", OrNull(column.null_count)},
          {"nan_count", OrNull(column.nan_count)}};
}

Json FileJson(const FileScanTask& file) {
  Json columns = Json::array();
  for (const ColumnStatisticsView& column : file.columns) columns.push_back(ColumnJson(column));
  Json partition = Json::object();
  for (const auto& [name, value] : file.partition) partition[name] = value;
  return {{"path", file.path},
          {"format", file.format},
          {"rows", file.record_count},
          {"bytes", file.file_size_bytes},
          {"data_sequence_number", file.data_sequence_number},
          {"spec_id", file.spec_id},
          {"partition", partition},
          {"sort_order_id", OrNull(file.sort_order_id)},
          {"claim", file.claim},
          {"bounds", columns},
          {"deletes",
           {{"position", file.position_delete_files},
            {"equality", file.equality_delete_files},
            {"vector", file.has_deletion_vector}}}};
}

std::string BoundsText(const FileScanTask& file) {
  std::string text;
  for (const ColumnStatisticsView& column : file.columns) {
    text += (text.empty() ? "" : ", ") + column.column + " " + BoundText(column.lower_bound) +
            " .. " + BoundText(column.upper_bound);
  }
  return text;
}

std::string DeletesText(const FileScanTask& file) {
  std::string text;
  auto add = [&](int32_t count, const std::string& noun) {
    if (count > 0) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + noun;
  };
  add(file.position_delete_files, "position");
  add(file.equality_delete_files, "equality");
  add(file.has_deletion_vector ? 1 : 0, "vector");
  return text;
}

void PrintFiles(const std::vector<FileScanTask>& files) {
  std::vector<std::vector<std::string>> rows;
  for (const FileScanTask& file : files) {
    rows.push_back({file.path, std::to_string(file.record_count),
                    std::to_string(file.file_size_bytes), file.claim, DeletesText(file),
                    BoundsText(file)});
  }
  PrintListing({"path", "rows", "bytes", "claim", "deletes", "bounds"}, rows);
}

arrow::Status RunFiles(const FilesCommand& command) {
  ARROW_ASSIGN_OR_RAISE(ScanRequest request, command.scan.Request());
  ARROW_ASSIGN_OR_RAISE(ScanOptions options, command.scan.Options());
  ARROW_ASSIGN_OR_RAISE(auto table, command.table.Open());
  ARROW_ASSIGN_OR_RAISE(auto plan, table->Plan(std::move(request), std::move(options)));
  if (!command.json) {
    PrintFiles(plan->files());
    return arrow::Status::OK();
  }
  Json list = Json::array();
  for (const FileScanTask& file : plan->files()) list.push_back(FileJson(file));
  PrintLine(list.dump(2, ' ', false, Json::error_handler_t::replace));
  return arrow::Status::OK();
}

}  // namespace

void AddFiles(CLI::App* app, Command* chosen) {
  auto command = std::make_shared<FilesCommand>();
  CLI::App* files = app->add_subcommand("files", "Every live file: what it holds and claims");
  command->table.AddTo(files);
  command->scan.AddRequestTo(files);
  command->scan.AddReadingTo(files);
  files->add_flag("--json", command->json, "As a JSON array");
  files->callback([=] { *chosen = [=] { return RunFiles(*command); }; });
}

}  // namespace esker::cli
