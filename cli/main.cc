// esker: reads Apache Iceberg tables in their sort order, without sorting them.
//
// The command line itself: commands, help, exit codes (README.md). Data goes to standard output,
// all else to standard error.
#include <cstdio>
#include <cstring>
#include <exception>
#include <string>

#include "CLI/CLI.hpp"
#include "arrow/util/io_util.h"
#include "command_line.h"
#include "esker/error.h"
#include "esker/version.h"
#include "listing.h"
#include "sink.h"
#include "usage.h"

namespace esker::cli {
namespace {

constexpr int kUsageExit = 2;

int ExitCodeOf(const arrow::Status& status) {
  switch (KindOf(status)) {
    case ErrorKind::kUsage:
      return kUsageExit;
    case ErrorKind::kDisorder:
      return 3;
    case ErrorKind::kNotFound:
      return 4;
    case ErrorKind::kUnsupported:
      return 5;
    case ErrorKind::kFailure:
      break;
  }
  return 1;
}

// What the system said stands beside the message of a status, not in it: "No space left on device".
std::string TextOf(const arrow::Status& status) {
  const int error = arrow::internal::ErrnoFromStatus(status);
  return error == 0 ? status.message() : status.message() + ": " + std::strerror(error);
}

int Report(const arrow::Status& status) {
  if (status.ok() || IsClosedPipe(status)) return 0;
  std::fprintf(stderr, "esker: %s\n", TextOf(status).c_str());
  return ExitCodeOf(status);
}

// The parser itself would only say that a command is missing.
arrow::Status CheckCommand(const std::string& name, const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return arrow::Status::OK();
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return Usage("no command '" + name + "'; there are " + names);
}

// An empty value is a variable that was never set, and would read another state of the table or
// none of its rows.
arrow::Status CheckValues(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& value : option->results()) {
      if (value.empty()) return Usage(option->get_name() + ": the value is empty");
    }
  }
  return arrow::Status::OK();
}

int Run(int argc, char** argv) {
  CLI::App app("Reads Apache Iceberg tables in their sort order, without sorting them.", "esker");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  app.set_help_flag("-h,--help", "Print this help");
  Command chosen;
  AddScan(&app, &chosen);
  AddExplain(&app, &chosen);
  AddFiles(&app, &chosen);
  AddSnapshots(&app, &chosen);
  AddDescribe(&app, &chosen);
  if (argc > 1 && argv[1][0] != '-') {
    const arrow::Status known = CheckCommand(argv[1], app);
    if (!known.ok()) return Report(known);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == static_cast<int>(CLI::ExitCodes::Success);
    return asked ? app.exit(error) : (app.exit(error), kUsageExit);
  }
  const arrow::Status given = CheckValues(*app.get_subcommands().front());
  if (!given.ok()) return Report(given);
  const arrow::Status status = chosen();
  return Report(status.ok() ? FinishPrinting() : status);
}

}  // namespace
}  // namespace esker::cli

int main(int argc, char** argv) {
  esker::cli::HandleSignals();
  try {
    return esker::cli::Run(argc, argv);
  } catch (const std::exception& error) {
    // Nothing of ours throws; what a library throws past its borders ends here, in words.
    std::fprintf(stderr, "esker: %s\n", error.what());
    return 1;
  }
}
