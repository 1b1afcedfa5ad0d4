#include "plan/explain.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "arrow/scalar.h"
#include "fmt/format.h"
#include "format/arrow_schema.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

using Json = nlohmann::ordered_json;

// How many files of each kind the tree lists by name before it only counts them.
constexpr size_t kFilesShown = 5;

const char* OriginText(OrderOrigin origin) {
  switch (origin) {
    case OrderOrigin::kRequest:
      return "request";
    case OrderOrigin::kFiles:
      return "files";
    case OrderOrigin::kTable:
      return "table";
    case OrderOrigin::kNone:
      break;
  }
  return "none";
}

const char* OriginInWords(OrderOrigin origin) {
  switch (origin) {
    case OrderOrigin::kRequest:
      return "asked for";
    case OrderOrigin::kFiles:
      return "shared by all files";
    case OrderOrigin::kTable:
      return "the table's default";
    case OrderOrigin::kNone:
      break;
  }
  return "";
}

struct ClaimCounts {
  int64_t whole = 0, prefix = 0, reversed = 0, constant = 0, none = 0;
};

ClaimCounts CountClaims(const PlannedScan& scan) {
  ClaimCounts counts;
  if (scan.keys.empty()) return counts;
  for (const PlannedFile& file : scan.files) {
    switch (file.match.how) {
      case HowToRead::kAsItIs:
        ++(file.match.by_constant ? counts.constant : counts.whole);
        break;
      case HowToRead::kReversed:
        ++counts.reversed;
        break;
      case HowToRead::kPrefixSort:
        ++counts.prefix;
        break;
      case HowToRead::kSort:
        ++counts.none;
        break;
    }
  }
  return counts;
}

// Passes over the deepest section: every pass merges up to the cap into one.
int64_t PassesOf(const PlannedScan& scan) {
  if (scan.keys.empty()) return 0;
  int64_t depth = scan.layout.max_depth;
  const int64_t cap = scan.options.max_merge_files;
  int64_t passes = 0;
  for (; depth > cap; ++passes) depth = (depth + cap - 1) / cap;
  return passes;
}

Json OrderJson(const std::vector<ResolvedKey>& keys) {
  Json list = Json::array();
  for (const ResolvedKey& key : keys) {
    list.push_back({{"column", key.column},
                    {"field_id", key.field_id},
                    {"direction", key.descending ? "desc" : "asc"},
                    {"nulls", key.nulls_first ? "first" : "last"}});
  }
  return list;
}

Json TableJson(const PlannedScan& scan) {
  const TableMetadata& metadata = *scan.metadata;
  Json table = {{"location", metadata.location},
                {"metadata_file", scan.metadata_file},
                {"format_version", metadata.format_version},
                {"uuid", metadata.table_uuid}};
  table["snapshot_id"] = scan.snapshot == nullptr ? Json() : Json(scan.snapshot->snapshot_id);
  table["schema_id"] = scan.rows->schema->schema_id;
  return table;
}

Json ReadsJson(const PlannedScan& scan) {
  Json reads = Json::array();
  const bool ordered = !scan.keys.empty();
  for (const PlannedFile& file : scan.files) {
    Json read = {{"file", file.task.file.path},
                 {"rows", file.task.file.record_count},
                 {"chain", ordered ? Json(file.chain) : Json()},
                 {"section", ordered ? Json(file.section) : Json()},
                 {"claim", file.claim_text},
                 {"how", ordered ? HowText(file.match) : "as it is"},
                 {"lower", ordered ? Json(ToString(scan.keys, file.range.lower)) : Json()},
                 {"upper", ordered ? Json(ToString(scan.keys, file.range.upper)) : Json()}};
    if (!file.match.reason.empty()) read["reason"] = file.match.reason;
    reads.push_back(std::move(read));
  }
  return reads;
}

Json WarningsJson(const PlannedScan& scan) {
  Json list = Json::array();
  for (const PlanWarning& warning : scan.warnings) {
    Json entry = {{"code", warning.code}, {"text", warning.text}};
    if (!warning.file.empty()) entry["file"] = warning.file;
    list.push_back(std::move(entry));
  }
  return list;
}

std::string FileName(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string OrderInWords(const std::vector<ResolvedKey>& keys) {
  std::string text;
  for (const ResolvedKey& key : keys) {
    text += fmt::format("{}{} {} nulls {}", text.empty() ? "" : ", ", key.column,
                        key.descending ? "desc" : "asc", key.nulls_first ? "first" : "last");
  }
  return text.empty() ? "none" : text;
}

std::string Plural(int64_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// The tree: lines of equal depth hang under the line before them.
class Tree {
 public:
  void Add(int depth, const std::string& text) {
    text_ += depth == 0 ? text : std::string(2 * depth - 2, ' ') + "- " + text;
    text_ += '\n';
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
};

void AddTable(const PlannedScan& scan, Tree* tree) {
  tree->Add(0, scan.table_location);
  tree->Add(1, fmt::format("format v{}, {}", scan.metadata->format_version,
                           scan.snapshot == nullptr
                               ? std::string("no snapshot: empty")
                               : fmt::format("snapshot {}", scan.snapshot->snapshot_id)));
}

// Why there is no order: what the files claim, most common first.
void AddClaims(const PlannedScan& scan, Tree* tree) {
  std::map<std::string, int64_t> counts;
  for (const PlannedFile& file : scan.files) ++counts[file.claim_text];
  std::vector<std::pair<std::string, int64_t>> claims(counts.begin(), counts.end());
  std::stable_sort(claims.begin(), claims.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  if (claims.size() > kFilesShown) claims.resize(kFilesShown);
  for (const auto& [claim, count] : claims) {
    tree->Add(2, fmt::format("{}: claim {}", Plural(count, "file"), claim));
  }
}

void AddOrder(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty()) {
    const bool wanted = scan.asked.empty() && scan.request.order == OrderFrom::kFiles;
    tree->Add(1, wanted ? "order: none, the files share none; they are read one after another"
                        : "order: none; files are read one after another");
    if (wanted) AddClaims(scan, tree);
    return;
  }
  tree->Add(1, fmt::format("order: {} ({})", ToString(scan.keys), OriginInWords(scan.origin)));
  if (scan.told.size() != scan.keys.size()) {
    tree->Add(2, "told upward: " + OrderInWords(scan.told) +
                     " (a key that is not among the columns ends it)");
  }
}

void AddFiles(const PlannedScan& scan, Tree* tree) {
  int64_t rows = 0;
  for (const PlannedFile& file : scan.files) rows += file.task.file.record_count;
  const auto planned = static_cast<int64_t>(scan.files.size());
  tree->Add(1, fmt::format("{}, {}", Plural(planned, "file"), Plural(rows, "row")));
  const PruningCounts& pruning = scan.pruning;
  if (pruning.empty > 0) tree->Add(2, Plural(pruning.empty, "empty file") + " left out");
  if (pruning.manifests_skipped + pruning.files_by_partition + pruning.files_by_bounds > 0) {
    tree->Add(2, fmt::format("left out by the filter: {}, {} by partition, {} by bounds",
                             Plural(pruning.manifests_skipped, "manifest"),
                             Plural(pruning.files_by_partition, "file"),
                             Plural(pruning.files_by_bounds, "file")));
  }
  if (pruning.delete_files > 0) tree->Add(2, Plural(pruning.delete_files, "delete file"));
}

void AddLayout(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty() || scan.files.empty()) return;
  const uint32_t depth = scan.layout.max_depth;
  tree->Add(
      1, fmt::format("{}, {}: {}", Plural(static_cast<int64_t>(scan.layout.chains.size()), "chain"),
                     Plural(static_cast<int64_t>(scan.layout.sections.size()), "section"),
                     depth == 1 ? std::string("no file overlaps another, nothing is merged")
                                : fmt::format("at most {} files overlap at one key", depth)));
  const int64_t passes = PassesOf(scan);
  if (passes > 0) {
    tree->Add(2, fmt::format("deeper than max_merge_files ({}): {} with spilling",
                             scan.options.max_merge_files, Plural(passes, "extra pass")));
  }
}

void AddReads(const PlannedScan& scan, Tree* tree) {
  if (scan.keys.empty()) return;
  std::map<std::string, std::vector<const PlannedFile*>> groups;
  for (const PlannedFile& file : scan.files) groups[HowText(file.match)].push_back(&file);
  for (const auto& [how, files] : groups) {
    tree->Add(1, fmt::format("{}: {}", how, Plural(static_cast<int64_t>(files.size()), "file")));
    if (how == "as it is") continue;
    for (size_t i = 0; i < std::min(files.size(), kFilesShown); ++i) {
      tree->Add(2, fmt::format("{}: claims {}; {}", FileName(files[i]->task.file.path),
                               files[i]->claim_text, files[i]->match.reason));
    }
    if (files.size() > kFilesShown) {
      tree->Add(2, fmt::format("and {} more", files.size() - kFilesShown));
    }
  }
}

// A bound as a scalar; null for what no value of the type is. Statistics never make a table
// unreadable. Bounds of `fixed` may be cut shorter than the type is wide, so they come as binary.
std::shared_ptr<arrow::Scalar> BoundScalar(const std::optional<std::string>& bytes,
                                           const Type& type) {
  const Value value = bytes ? DecodeBound(*bytes, type) : Value();
  if (IsNull(value)) return nullptr;
  if (type.id == TypeId::kFixed) {
    return std::make_shared<arrow::BinaryScalar>(std::get<std::string>(value));
  }
  return ValueToScalar(value, type).ValueOr(nullptr);
}

ColumnStatisticsView ViewOf(const ColumnStatistics& statistics, const Schema& schema) {
  ColumnStatisticsView view;
  view.field_id = statistics.field_id;
  view.column = schema.NameOf(statistics.field_id);
  view.value_count = statistics.value_count;
  view.null_count = statistics.null_count;
  view.nan_count = statistics.nan_count;
  const FieldPath path = schema.FindById(statistics.field_id);
  if (path.empty()) return view;
  view.lower_bound = BoundScalar(statistics.lower_bound, path.back()->type);
  view.upper_bound = BoundScalar(statistics.upper_bound, path.back()->type);
  return view;
}

std::vector<std::pair<std::string, std::string>> PartitionInWords(const PlannedScan& scan,
                                                                  const PlannedFile& file) {
  std::vector<std::pair<std::string, std::string>> words;
  const PartitionSpec* spec = scan.metadata->FindSpec(file.task.spec_id);
  for (const PartitionField& field : spec->fields) {
    for (const auto& [id, value] : file.task.file.partition) {
      if (id != field.field_id || field.source_ids.empty()) continue;
      const FieldPath source = scan.rows->schema->FindById(field.source_ids[0]);
      const Type type =
          source.empty() ? Type{} : TransformResultType(field.transform, source.back()->type);
      words.emplace_back(field.name, ValueToString(value, type));
    }
  }
  return words;
}

}  // namespace

std::string HowText(const ClaimMatch& match) {
  switch (match.how) {
    case HowToRead::kAsItIs:
      return "as it is";
    case HowToRead::kReversed:
      return "reversed";
    case HowToRead::kPrefixSort:
      return "prefix sort";
    case HowToRead::kSort:
      break;
  }
  return "sort";
}

std::string ExplainText(const PlannedScan& scan) {
  Tree tree;
  AddTable(scan, &tree);
  AddOrder(scan, &tree);
  AddFiles(scan, &tree);
  AddLayout(scan, &tree);
  AddReads(scan, &tree);
  if (scan.rows->filter) tree.Add(1, "rows are tested for: " + scan.rows->filter->ToString());
  for (const PlanWarning& warning : scan.warnings) {
    tree.Add(1, "warning: " + warning.text);
  }
  return tree.Take();
}

std::string ExplainJson(const PlannedScan& scan) {
  const ClaimCounts claims = CountClaims(scan);
  Json json;
  json["table"] = TableJson(scan);
  json["order"] = {{"asked", OrderJson(scan.asked)},
                   {"told", OrderJson(scan.told)},
                   {"from", OriginText(scan.origin)}};
  json["files"] = {{"listed", scan.pruning.listed},
                   {"pruned", scan.pruning.files_by_partition + scan.pruning.files_by_bounds},
                   {"planned", scan.files.size()},
                   {"empty", scan.pruning.empty},
                   {"deletes", scan.pruning.delete_files}};
  json["claims"] = {{"whole", claims.whole},
                    {"prefix", claims.prefix},
                    {"reversed", claims.reversed},
                    {"constant", claims.constant},
                    {"none", claims.none}};
  json["chains"] = scan.layout.chains.size();
  json["max_depth"] = scan.layout.max_depth;
  json["sections"] = scan.layout.sections.size();
  json["max_merge_files"] = scan.options.max_merge_files;
  json["passes"] = PassesOf(scan);
  json["reads"] = ReadsJson(scan);
  json["pruning"] = {{"manifests_skipped", scan.pruning.manifests_skipped},
                     {"files_by_partition", scan.pruning.files_by_partition},
                     {"files_by_bounds", scan.pruning.files_by_bounds}};
  json["residual"] = scan.rows->filter ? Json(scan.rows->filter->ToString()) : Json();
  json["warnings"] = WarningsJson(scan);
  // Paths and bounds may hold bytes that are no UTF-8; replaced rather than thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

std::vector<FileScanTask> DescribeTasks(const PlannedScan& scan) {
  std::vector<FileScanTask> tasks;
  tasks.reserve(scan.files.size());
  const bool ordered = !scan.keys.empty();
  for (const PlannedFile& file : scan.files) {
    const DataFile& data = file.task.file;
    FileScanTask task;
    task.path = data.path;
    task.format = data.format;
    task.record_count = data.record_count;
    task.file_size_bytes = data.file_size_bytes;
    task.data_sequence_number = file.task.sequence_number;
    task.spec_id = file.task.spec_id;
    task.partition = PartitionInWords(scan, file);
    task.sort_order_id = data.sort_order_id;
    task.position_delete_files = static_cast<int32_t>(file.task.position_deletes.size());
    task.equality_delete_files = static_cast<int32_t>(file.task.equality_deletes.size());
    task.has_deletion_vector = file.task.deletion_vector != nullptr;
    for (const ColumnStatistics& statistics : data.columns) {
      task.columns.push_back(ViewOf(statistics, *scan.rows->schema));
    }
    task.claim = file.claim_text;
    if (ordered) {
      task.how = HowText(file.match);
      task.reason = file.match.reason;
      task.lower = ToString(scan.keys, file.range.lower);
      task.upper = ToString(scan.keys, file.range.upper);
      task.chain = static_cast<int32_t>(file.chain);
      task.section = static_cast<int32_t>(file.section);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace esker
