// esker scan: rows of a table, in order, in one of many formats.
#include <unistd.h>

#include <sys/ioctl.h>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include "arrow/record_batch.h"
#include "arrow/util/io_util.h"
#include "command_line.h"
#include "esker/row_writer.h"
#include "sink.h"
#include "usage.h"

namespace esker::cli {
namespace {

struct ScanCommand {
  TableArguments table;
  ScanArguments scan;
  std::string format, output, stats;
};

// A line on a terminal, renewed now and then, from the first second on; nothing anywhere else.
class Progress {
 public:
  explicit Progress(bool wanted) : wanted_(wanted && isatty(STDERR_FILENO) != 0) {}
  ~Progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
  }
  void Add(int64_t rows) {
    rows_ += rows;
    if (!wanted_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::seconds(1)) return;
    last_ = now;
    shown_ = true;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(now - start_).count();
    std::fprintf(stderr, "\r%lld rows, %lld s\033[K", static_cast<long long>(rows_),
                 static_cast<long long>(seconds));
    std::fflush(stderr);
  }

 private:
  using Clock = std::chrono::steady_clock;
  bool wanted_;
  bool shown_ = false;
  int64_t rows_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_ = start_;
};

std::string Extension(const std::string& path) {
  const size_t dot = path.find_last_of("./");
  return dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot + 1);
}

arrow::Result<Format> FormatOf(const ScanCommand& command) {
  if (!command.format.empty()) {
    if (auto format = ParseFormat(command.format)) return *format;
    return Usage("--format: '" + command.format + "' is none of " + FormatNames());
  }
  if (command.output.empty()) return isatty(STDOUT_FILENO) ? Format::kTable : Format::kCsv;
  return ParseFormat(Extension(command.output)).value_or(Format::kCsv);
}

int32_t TerminalColumns() {
  winsize size = {};
  const bool known = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
  return known ? size.ws_col : 0;
}

arrow::Status WriteRows(arrow::RecordBatchReader* reader, RowWriter* writer, bool progress) {
  Progress line(progress);
  std::shared_ptr<arrow::RecordBatch> batch;
  while (true) {
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return writer->Finish();
    ARROW_RETURN_NOT_OK(writer->Write(*batch));
    line.Add(batch->num_rows());
  }
}

arrow::Status WriteStatistics(const ScanPlan& plan, const std::string& path) {
  if (path.empty()) return arrow::Status::OK();
  errno = 0;
  std::ofstream file(path);
  file << plan.statistics().ToJson() << '\n';
  file.close();
  if (file) return arrow::Status::OK();
  return arrow::internal::IOErrorFromErrno(errno, "cannot write ", path);
}

void PrintWarnings(const ScanPlan& plan) {
  for (const PlanWarning& warning : plan.warnings()) {
    std::fprintf(stderr, "esker: warning: %s\n", warning.text.c_str());
  }
}

arrow::Status RunScan(const ScanCommand& command) {
  ARROW_ASSIGN_OR_RAISE(const Format format, FormatOf(command));
  ARROW_ASSIGN_OR_RAISE(ScanRequest request, command.scan.Request());
  ARROW_ASSIGN_OR_RAISE(ScanOptions options, command.scan.Options());
  ARROW_ASSIGN_OR_RAISE(auto table, command.table.Open());
  ARROW_ASSIGN_OR_RAISE(auto plan, table->Plan(std::move(request), std::move(options)));
  PrintWarnings(*plan);
  ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read());
  ARROW_ASSIGN_OR_RAISE(auto sink, Sink::Make(command.output));
  const bool to_terminal = command.output.empty() && isatty(STDOUT_FILENO) != 0;
  ARROW_ASSIGN_OR_RAISE(auto writer, MakeRowWriter(format, plan->schema(), sink->stream(),
                                                   {to_terminal ? TerminalColumns() : 0}));
  const arrow::Status status =
      WriteRows(reader.get(), writer.get(), !to_terminal || format == Format::kNone);
  if (status.ok()) ARROW_RETURN_NOT_OK(sink->Keep());
  reader->Close().ok();
  const arrow::Status written = WriteStatistics(*plan, command.stats);
  return status.ok() ? written : status;
}

}  // namespace

void AddScan(CLI::App* app, Command* chosen) {
  auto command = std::make_shared<ScanCommand>();
  CLI::App* scan = app->add_subcommand("scan", "Rows of a table, in order");
  command->table.AddTo(scan);
  command->scan.AddRequestTo(scan);
  command->scan.AddReadingTo(scan);
  scan->add_option("--format", command->format,
                   FormatNames() + " (table on a terminal, csv when piped)");
  scan->add_option("-o,--output", command->output, "Write to FILE instead of standard output")
      ->type_name("FILE");
  scan->add_option("--stats", command->stats, "Write what the scan cost to FILE, as JSON")
      ->type_name("FILE");
  scan->callback([=] { *chosen = [=] { return RunScan(*command); }; });
}

}  // namespace esker::cli
