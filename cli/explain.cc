// esker explain: the plan of a scan: order, files, chains, depth, sections, reasons.
#include <memory>
#include <utility>

#include "arrow/record_batch.h"
#include "command_line.h"
#include "listing.h"

namespace esker::cli {
namespace {

struct ExplainCommand {
  TableArguments table;
  ScanArguments scan;
  bool json = false;
  bool analyze = false;
};

arrow::Status ReadEverything(const ScanPlan& plan) {
  ARROW_ASSIGN_OR_RAISE(auto reader, plan.Read());
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
  } while (batch != nullptr);
  return reader->Close();
}

arrow::Status RunExplain(const ExplainCommand& command) {
  ARROW_ASSIGN_OR_RAISE(ScanRequest request, command.scan.Request());
  ARROW_ASSIGN_OR_RAISE(ScanOptions options, command.scan.Options());
  ARROW_ASSIGN_OR_RAISE(auto table, command.table.Open());
  ARROW_ASSIGN_OR_RAISE(auto plan, table->Plan(std::move(request), std::move(options)));
  Print(command.json ? plan->ExplainJson() + "\n" : plan->Explain());
  if (!command.analyze) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(ReadEverything(*plan));
  PrintLine(plan->statistics().ToJson());
  return arrow::Status::OK();
}

}  // namespace

void AddExplain(CLI::App* app, Command* chosen) {
  auto command = std::make_shared<ExplainCommand>();
  CLI::App* explain = app->add_subcommand("explain", "The plan of a scan, and why it is so");
  command->table.AddTo(explain);
  command->scan.AddRequestTo(explain);
  command->scan.AddReadingTo(explain);
  explain->add_flag("--json", command->json, "As one JSON object");
  explain->add_flag("--analyze", command->analyze, "Read everything too, and say what it cost");
  explain->callback([=] { *chosen = [=] { return RunExplain(*command); }; });
}

}  // namespace esker::cli
