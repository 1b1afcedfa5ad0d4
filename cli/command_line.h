// Command line: the options that commands share, and what every command needs around it.
//
// Names of options are promises and stay. A command is a function from parsed options to a Status;
// main.cc turns the Status into words on standard error and an exit code.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"
#include "arrow/result.h"
#include "esker/options.h"
#include "esker/table.h"

namespace esker::cli {

/// TABLE and --map.
struct TableArguments {
  std::string table;
  std::vector<std::string> map;  ///< FROM=TO

  void AddTo(CLI::App* command);
  arrow::Result<std::shared_ptr<Table>> Open() const;
};

/// The options that say what to read and how, as texts, and what they mean.
struct ScanArguments {
  std::string order_by, order = "files", assume_order, where, columns;
  std::string as_of, ref, over_limit = "passes", on_disorder = "error";
  std::string memory;
  CLI::Option* columns_option = nullptr;
  CLI::Option* limit_option = nullptr;
  CLI::Option* snapshot_option = nullptr;
  CLI::Option* order_by_option = nullptr;
  int64_t limit = 0, snapshot = 0;
  ScanOptions options;

  /// Which state of the table: --snapshot, --as-of, --ref.
  void AddStateTo(CLI::App* command);
  /// --order-by, --order, --assume-order, --where, --columns, --limit and the above.
  void AddRequestTo(CLI::App* command);
  /// --max-merge-files, --over-limit, --memory and so on.
  void AddReadingTo(CLI::App* command);

  arrow::Result<ScanRequest> Request() const;
  arrow::Result<ScanOptions> Options() const;
};

/// A command that was chosen on the command line.
using Command = std::function<arrow::Status()>;

/// Each registers one command with its options; `*chosen` is set when it is the one to run.
void AddScan(CLI::App* app, Command* chosen);
void AddExplain(CLI::App* app, Command* chosen);
void AddFiles(CLI::App* app, Command* chosen);
void AddSnapshots(CLI::App* app, Command* chosen);
void AddDescribe(CLI::App* app, Command* chosen);

}  // namespace esker::cli
