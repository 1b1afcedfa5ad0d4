#include "plan/snapshot_choice.h"

#include <string>
#include <vector>

#include "arrow/scalar.h"
#include "arrow/type.h"
#include "base/status.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "format/civil_time.h"

namespace esker {
namespace {

std::shared_ptr<const Schema> Share(const Schema& schema) {
  return std::make_shared<const Schema>(schema);
}

// A snapshot that names no schema is from before there were several. One that names a schema that
// is not there cannot be read right: another one would give rows under the wrong names.
arrow::Result<std::shared_ptr<const Schema>> SchemaOf(const TableMetadata& metadata,
                                                      const Snapshot& snapshot) {
  if (!snapshot.schema_id) return Share(metadata.current_schema());
  const Schema* schema = metadata.FindSchema(*snapshot.schema_id);
  if (schema != nullptr) return Share(*schema);
  return arrow::Status::Invalid("snapshot ", snapshot.snapshot_id, " names schema ",
                                *snapshot.schema_id, ", which the table's metadata does not hold");
}

arrow::Result<int64_t> ParseTimeMs(const std::string& text) {
  // Finer than the milliseconds of snapshots, since people paste times from columns. Arrow takes a
  // zone offset only where the type has a zone, and none where it has not.
  for (const auto& type : {arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                           arrow::timestamp(arrow::TimeUnit::MICRO)}) {
    auto scalar = arrow::Scalar::Parse(type, text);
    if (!scalar.ok()) continue;
    return FloorDiv(static_cast<const arrow::TimestampScalar&>(**scalar).value, 1000);
  }
  if (const auto parsed = ParseTimestamp(text, TimeUnit::kNanos)) {
    return FloorDiv(parsed->units, 1'000'000);
  }
  return UsageError("'", text, "' is not a time; write it as 2026-01-31 or 2026-01-31T12:00:00Z");
}

arrow::Result<ChosenState> ById(const TableMetadata& metadata, int64_t snapshot_id) {
  const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id);
  if (snapshot != nullptr) {
    ARROW_ASSIGN_OR_RAISE(auto schema, SchemaOf(metadata, *snapshot));
    return ChosenState{snapshot, std::move(schema)};
  }
  return NotFoundError("no snapshot ", snapshot_id, " in the table; it has ",
                       metadata.snapshots.size(), " snapshots (esker snapshots lists them)");
}

// The log says what was current when, rollbacks included; snapshots alone only when they were made.
std::vector<SnapshotLogEntry> History(const TableMetadata& metadata) {
  if (!metadata.snapshot_log.empty()) return metadata.snapshot_log;
  std::vector<SnapshotLogEntry> history;
  for (const Snapshot& snapshot : metadata.snapshots) {
    history.push_back({snapshot.timestamp_ms, snapshot.snapshot_id});
  }
  return history;
}

arrow::Result<ChosenState> ByTime(const TableMetadata& metadata, const std::string& text) {
  ARROW_ASSIGN_OR_RAISE(const int64_t time_ms, ParseTimeMs(text));
  const SnapshotLogEntry* best = nullptr;
  const auto history = History(metadata);
  for (const SnapshotLogEntry& entry : history) {
    if (entry.timestamp_ms > time_ms) continue;
    if (best == nullptr || entry.timestamp_ms >= best->timestamp_ms) best = &entry;
  }
  if (best == nullptr) return NotFoundError("the table has no snapshot as old as ", text);
  return ById(metadata, best->snapshot_id);
}

std::vector<std::string> RefNames(const TableMetadata& metadata) {
  std::vector<std::string> names;
  for (const auto& [name, ref] : metadata.refs) names.push_back(name);
  return names;
}

arrow::Result<ChosenState> Current(const TableMetadata& metadata) {
  ChosenState state{nullptr, Share(metadata.current_schema())};
  if (!metadata.current_snapshot_id) return state;
  state.snapshot = metadata.FindSnapshot(*metadata.current_snapshot_id);
  if (state.snapshot == nullptr) {
    return arrow::Status::Invalid("the metadata names snapshot ", *metadata.current_snapshot_id,
                                  " as current but does not hold it");
  }
  return state;
}

arrow::Result<ChosenState> ByRef(const TableMetadata& metadata, const std::string& name) {
  const auto found = metadata.refs.find(name);
  if (found == metadata.refs.end()) {
    if (name == "main") return Current(metadata);
    return NotFoundError("no branch or tag '", name, "' in the table; it has ",
                         fmt::format("{}", fmt::join(RefNames(metadata), ", ")));
  }
  const Snapshot* snapshot = metadata.FindSnapshot(found->second.snapshot_id);
  if (snapshot == nullptr || found->second.is_tag) {
    return ById(metadata, found->second.snapshot_id);
  }
  return ChosenState{snapshot, Share(metadata.current_schema())};
}

}  // namespace

arrow::Result<ChosenState> ChooseState(const TableMetadata& metadata, const ScanRequest& request) {
  const int asked = int{request.snapshot_id.has_value()} + int{request.as_of.has_value()} +
                    int{request.ref.has_value()};
  if (asked > 1) return UsageError("only one of snapshot, as-of and ref can be given");
  if (request.snapshot_id) return ById(metadata, *request.snapshot_id);
  if (request.as_of) return ByTime(metadata, *request.as_of);
  if (request.ref) return ByRef(metadata, *request.ref);
  return Current(metadata);
}

arrow::Result<ChosenState> PinnedState(const TableMetadata& metadata,
                                       std::optional<int64_t> snapshot_id, int32_t schema_id) {
  const Schema* schema = metadata.FindSchema(schema_id);
  if (schema == nullptr) {
    return arrow::Status::Invalid("the table's metadata does not hold schema ", schema_id);
  }
  ChosenState state{nullptr, Share(*schema)};
  if (!snapshot_id) return state;
  state.snapshot = metadata.FindSnapshot(*snapshot_id);
  if (state.snapshot != nullptr) return state;
  return NotFoundError("no snapshot ", *snapshot_id, " in the table's metadata");
}

}  // namespace esker
