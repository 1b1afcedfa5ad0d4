#include "listing.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>

#include "arrow/util/io_util.h"

namespace esker::cli {
namespace {

int g_print_error = 0;  // errno of the first failure: a later one may say less

bool IsNumber(const std::string& cell) {
  return !cell.empty() && cell.find_first_not_of("-.0123456789") == std::string::npos;
}

void PrintCells(const std::vector<std::string>& cells, const std::vector<size_t>& widths) {
  std::string line;
  for (size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - cells[i].size(), ' ');
    line += i == 0 ? "" : "  ";
    line += IsNumber(cells[i]) ? padding + cells[i] : cells[i] + padding;
  }
  line.resize(line.find_last_not_of(' ') + 1);
  PrintLine(line);
}

}  // namespace

void PrintListing(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows) {
  std::vector<size_t> widths;
  for (const std::string& name : header) widths.push_back(name.size());
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  PrintCells(header, widths);
  for (const auto& row : rows) PrintCells(row, widths);
}

std::string TimeText(int64_t timestamp_ms) {
  std::time_t seconds = timestamp_ms / 1000 - (timestamp_ms % 1000 < 0 ? 1 : 0);
  std::tm parts = {};
  if (gmtime_r(&seconds, &parts) == nullptr) return std::to_string(timestamp_ms);
  char text[64];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &parts);
  char all[80];
  std::snprintf(all, sizeof(all), "%s.%03dZ", text,
                static_cast<int>((timestamp_ms % 1000 + 1000) % 1000));
  return all;
}

void Print(std::string_view text) {
  if (g_print_error != 0 || text.empty()) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) g_print_error = errno;
}

void PrintLine(const std::string& text) { Print(text + '\n'); }

arrow::Status FinishPrinting() {
  if (g_print_error == 0 && std::fflush(stdout) != 0) g_print_error = errno;
  if (g_print_error == 0) return arrow::Status::OK();
  return arrow::internal::IOErrorFromErrno(g_print_error, "cannot write standard output");
}

}  // namespace esker::cli
