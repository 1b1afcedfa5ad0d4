// Explain as one JSON object, for programs.
#include "nlohmann/json.hpp"
#include "plan/explain.h"

namespace esker {
namespace {

using Json = nlohmann::ordered_json;

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

struct ClaimCounts {
  int64_t whole = 0, prefix = 0, reversed = 0, constant = 0, none = 0;
};

ClaimCounts CountClaims(const PlannedScan& scan) {
  ClaimCounts counts;
  if (scan.keys.empty()) return counts;
  for (const PlannedFile& file : scan.within_limit()) {
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

Json SplitJson(const PlannedScan& scan) {
  const SplitSpec& split = *scan.split;
  const auto cut = [&](const Corner& corner) {
    return corner.empty() ? Json() : Json(ToString(scan.keys, corner));
  };
  return {{"number", split.number},
          {"count", split.count},
          {"from", cut(split.slice.lower)},
          {"before", cut(split.slice.upper)}};
}

Json ReadsJson(const PlannedScan& scan) {
  Json reads = Json::array();
  const bool ordered = !scan.keys.empty();
  for (size_t i = 0; i < scan.files.size(); ++i) {
    const PlannedFile& file = scan.files[i];
    const bool laid_out = ordered && i < scan.within_limit().size();
    Json read = {{"file", file.task.file.path},
                 {"rows", file.task.file.record_count},
                 {"chain", laid_out ? Json(file.chain) : Json()},
                 {"section", laid_out ? Json(file.section) : Json()},
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

}  // namespace

std::string ExplainJson(const PlannedScan& scan) {
  const ClaimCounts claims = CountClaims(scan);
  Json json;
  json["table"] = TableJson(scan);
  json["order"] = {{"asked", OrderJson(scan.asked)},
                   {"told", OrderJson(scan.told)},
                   {"from", OriginText(scan.origin)}};
  if (scan.split != nullptr) json["split"] = SplitJson(scan);
  json["files"] = {{"listed", scan.pruning.listed},
                   {"pruned", scan.pruning.files_by_partition + scan.pruning.files_by_bounds},
                   {"planned", scan.files.size()},
                   {"beyond_limit", scan.beyond_limit},
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
  json["pruning"] = {{"manifests_read", scan.pruning.manifests_read},
                     {"manifests_skipped", scan.pruning.manifests_skipped},
                     {"files_by_partition", scan.pruning.files_by_partition},
                     {"files_by_bounds", scan.pruning.files_by_bounds}};
  json["residual"] = scan.rows->filter ? Json(scan.rows->filter->ToString()) : Json();
  json["warnings"] = WarningsJson(scan);
  // Paths and bounds may hold bytes that are no UTF-8; replaced rather than thrown at.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace esker
