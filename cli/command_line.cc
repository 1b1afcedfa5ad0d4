#include "command_line.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

#include "esker/error.h"
#include "esker/order_text.h"
#include "usage.h"

namespace esker::cli {
namespace {

// Splits a list at commas; names with commas stand in double quotes. Spaces around a name say
// nothing, inside it they are part of it.
arrow::Result<std::vector<std::string>> SplitColumns(const std::string& text) {
  std::vector<std::string> names;
  std::string name, spaces;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (!quoted && std::isspace(static_cast<unsigned char>(c)) != 0) {
      if (!name.empty()) spaces += c;
      continue;
    }
    if (c != ',' || quoted) name += spaces;
    spaces.clear();
    if (c == '"' && quoted && i + 1 < text.size() && text[i + 1] == '"') {
      name += text[++i];
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      names.push_back(std::exchange(name, ""));
    } else {
      name += c;
    }
  }
  names.push_back(name);
  if (quoted) return Usage("--columns: the quote does not end: " + text);
  for (const std::string& one : names) {
    if (one.empty()) return Usage("--columns: a name is empty: '" + text + "'");
  }
  return names;
}

template <typename Choice>
arrow::Result<Choice> Choose(const std::string& option, const std::string& word,
                             const std::map<std::string, Choice>& choices) {
  const auto found = choices.find(word);
  if (found != choices.end()) return found->second;
  std::string names;
  for (const auto& [name, value] : choices) names += (names.empty() ? "" : ", ") + name;
  return Usage(option + ": '" + word + "' is none of " + names);
}

// "512MB", "2GiB", "1000000": units of 1024, as memory is counted.
arrow::Result<int64_t> ParseSize(const std::string& text) {
  double number = 0;
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  std::string unit(end, text.data() + text.size());
  std::erase_if(unit, [](unsigned char c) { return std::isspace(c) != 0; });
  for (char& c : unit) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  static const std::map<std::string, int> kShifts = {
      {"", 0},     {"B", 0},  {"K", 10},  {"KB", 10},  {"KIB", 10}, {"M", 20},  {"MB", 20},
      {"MIB", 20}, {"G", 30}, {"GB", 30}, {"GIB", 30}, {"T", 40},   {"TB", 40}, {"TIB", 40}};
  const auto shift = kShifts.find(unit);
  const double bytes =
      shift == kShifts.end() ? -1 : number * static_cast<double>(1LL << shift->second);
  if (end == text.data() || !(bytes >= 1 && bytes <= 9e18)) {  // not a number, neither
    return Usage("--memory: '" + text + "' is not a size; write it as 512MB or 2GB");
  }
  return static_cast<int64_t>(bytes);
}

// An absolute path, or a location with a scheme.
bool IsWholeLocation(std::string_view text) {
  if (text.starts_with('/')) return true;
  const size_t colon = text.find(':');
  return colon != 0 && colon != text.npos && text.substr(colon).starts_with(":/") &&
         std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(colon),
                     [](unsigned char c) { return std::isalnum(c) || c == '+' || c == '-'; });
}

// The '=' of FROM=TO. Either side may hold another ("/ts=1"), so it is the first that a whole
// location comes after; the last where none does.
size_t FindMapSign(std::string_view rule) {
  for (size_t sign = rule.find('='); sign != rule.npos; sign = rule.find('=', sign + 1)) {
    if (IsWholeLocation(rule.substr(sign + 1))) return sign;
  }
  return rule.rfind('=');
}

}  // namespace

void TableArguments::AddTo(CLI::App* command) {
  command->add_option("TABLE", table, "A *.metadata.json file or a table folder")->required();
  command
      ->add_option("--map", map,
                   "FROM=TO: read locations that start with FROM below TO (split at the first '=' "
                   "before an absolute path or a scheme)")
      ->take_all()
      ->expected(1);
}

arrow::Result<std::shared_ptr<Table>> TableArguments::Open() const {
  OpenOptions options;
  for (const std::string& rule : map) {
    const size_t sign = FindMapSign(rule);
    if (sign == std::string::npos || sign == 0) {
      return Usage("--map: '" + rule + "' is not of the form FROM=TO");
    }
    options.map.emplace_back(rule.substr(0, sign), rule.substr(sign + 1));
  }
  return Table::Open(table, std::move(options));
}

void ScanArguments::AddStateTo(CLI::App* command) {
  snapshot_option =
      command->add_option("--snapshot", snapshot, "Read this snapshot")->type_name("ID");
  command->add_option("--as-of", as_of, "Read what was current at this time")->type_name("TIME");
  command->add_option("--ref", ref, "Read this branch or tag")->type_name("NAME");
}

void ScanArguments::AddRequestTo(CLI::App* command) {
  order_by_option =
      command->add_option("--order-by", order_by, "Order of the rows: 'ts desc nulls last, id'");
  command->add_option("--order", order,
                      "Order without --order-by: files (what all files share), table, none");
  command->add_option("--assume-order", assume_order,
                      "Take files without an order id to be in this order; verified");
  command->add_option("--where", where, "Filter: \"level = 3 and ts >= '2026-01-01'\"");
  columns_option = command->add_option("--columns", columns, "Columns out, in this order: a,b.c");
  limit_option = command->add_option("--limit", limit, "First N rows in the order")->type_name("N");
  AddStateTo(command);
}

void ScanArguments::AddReadingTo(CLI::App* command) {
  command->add_option("--max-merge-files", options.max_merge_files, "Most files open at once")
      ->capture_default_str();
  command
      ->add_option("--over-limit", over_limit, "Deeper overlap than that: passes, unordered, error")
      ->capture_default_str();
  command
      ->add_option("--on-disorder", on_disorder, "A file breaks the order it claims: error, sort")
      ->capture_default_str();
  command
      ->add_option("--max-planned-files", options.max_planned_files,
                   "Most data files that planning may list")
      ->capture_default_str();
  command
      ->add_option("--memory", memory,
                   "Budget for open files, deletes, sorting: 512MB (half of the machine's)")
      ->type_name("SIZE");
  command->add_option("--spill-dir", options.spill_dir, "Where what does not fit goes")
      ->type_name("DIR");
  command->add_option("--threads", options.threads, "Threads that read (one for each processor)")
      ->type_name("N");
  command->add_option("--batch-rows", options.batch_rows, "Rows of a batch")->capture_default_str();
}

arrow::Result<ScanRequest> ScanArguments::Request() const {
  ScanRequest request;
  if (order_by_option != nullptr && order_by_option->count() > 0) {
    ARROW_ASSIGN_OR_RAISE(request.order_by, ParseOrder(order_by));
  }
  ARROW_ASSIGN_OR_RAISE(request.order, Choose<OrderFrom>("--order", order,
                                                         {{"files", OrderFrom::kFiles},
                                                          {"table", OrderFrom::kTable},
                                                          {"none", OrderFrom::kNone}}));
  if (!assume_order.empty()) {
    ARROW_ASSIGN_OR_RAISE(request.assume_order, ParseOrder(assume_order));
  }
  request.where = where;
  if (columns_option != nullptr && columns_option->count() > 0) {
    ARROW_ASSIGN_OR_RAISE(request.columns, SplitColumns(columns));
  }
  if (limit_option != nullptr && limit_option->count() > 0) request.limit = limit;
  if (snapshot_option != nullptr && snapshot_option->count() > 0) request.snapshot_id = snapshot;
  if (!as_of.empty()) request.as_of = as_of;
  if (!ref.empty()) request.ref = ref;
  return request;
}

arrow::Result<ScanOptions> ScanArguments::Options() const {
  ScanOptions result = options;
  ARROW_ASSIGN_OR_RAISE(result.over_limit, Choose<OverLimit>("--over-limit", over_limit,
                                                             {{"passes", OverLimit::kPasses},
                                                              {"unordered", OverLimit::kUnordered},
                                                              {"error", OverLimit::kError}}));
  ARROW_ASSIGN_OR_RAISE(result.on_disorder, Choose<OnDisorder>("--on-disorder", on_disorder,
                                                               {{"error", OnDisorder::kError},
                                                                {"sort", OnDisorder::kSort}}));
  if (!memory.empty()) {
    ARROW_ASSIGN_OR_RAISE(result.memory_bytes, ParseSize(memory));
  }
  return result;
}

}  // namespace esker::cli
