#include "plan/explain.h"

#include "arrow/scalar.h"
#include "format/arrow_schema.h"

namespace esker {
namespace {

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

std::vector<FileScanTask> DescribeTasks(const PlannedScan& scan) {
  std::vector<FileScanTask> tasks;
  tasks.reserve(scan.files.size());
  const bool ordered = !scan.keys.empty();
  for (size_t i = 0; i < scan.files.size(); ++i) {
    const PlannedFile& file = scan.files[i];
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
    }
    if (ordered && i < scan.within_limit().size()) {
      task.chain = static_cast<int32_t>(file.chain);
      task.section = static_cast<int32_t>(file.section);
    }
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace esker
