#include "plan/delete_index.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/status.h"
#include "catalog/storage.h"

namespace esker {
namespace {

template <typename T>
void AppendBytes(const T& value, std::string* key) {
  key->append(reinterpret_cast<const char*>(&value), sizeof(value));
}

// Bytes that are equal for equal values, of one alternative and not null.
void AppendValue(const Value& value, std::string* key) {
  AppendBytes(static_cast<uint8_t>(value.index()), key);
  if (const auto* flag = std::get_if<bool>(&value)) {
    AppendBytes(*flag, key);
  } else if (const auto* integer = std::get_if<int64_t>(&value)) {
    AppendBytes(*integer, key);
  } else if (const auto* number = std::get_if<double>(&value)) {
    AppendBytes(std::isnan(*number) ? std::numeric_limits<double>::quiet_NaN() : *number, key);
  } else if (const auto* decimal = std::get_if<int128_t>(&value)) {
    AppendBytes(*decimal, key);
  } else if (const auto* bytes = std::get_if<std::string>(&value)) {
    AppendBytes(bytes->size(), key);
    key->append(*bytes);
  }
}

uint64_t FieldOfSpec(int32_t spec_id, int32_t field_id) {
  return uint64_t{static_cast<uint32_t>(spec_id)} << 32 | static_cast<uint32_t>(field_id);
}

// As in Java, a spec whose fields are all void (dropped ones, v1) partitions nothing.
bool IsUnpartitioned(const PartitionSpec& spec) {
  return std::all_of(spec.fields.begin(), spec.fields.end(), [](const PartitionField& field) {
    return field.transform.kind == Transform::Kind::kVoid;
  });
}

const std::string* Lower(const DataFile& file) {
  const ColumnStatistics* paths = file.FindColumn(kDeleteFilePathFieldId);
  return paths != nullptr && paths->lower_bound ? &*paths->lower_bound : nullptr;
}

const std::string* Upper(const DataFile& file) {
  const ColumnStatistics* paths = file.FindColumn(kDeleteFilePathFieldId);
  return paths != nullptr && paths->upper_bound ? &*paths->upper_bound : nullptr;
}

// The one data file that a position delete file holds rows of, or null if there may be several:
// equal bounds of the length that writers cut to may be two cut ones, which name no file.
const std::string* OnlyPath(const DataFile& file) {
  if (file.referenced_data_file) return &*file.referenced_data_file;
  const std::string* lower = Lower(file);
  const std::string* upper = Upper(file);
  const bool one = lower != nullptr && upper != nullptr && *lower == *upper;
  return one && lower->size() > kCutWidth ? lower : nullptr;
}

// At or above every path that the upper bound stands for, also where it was cut but not rounded
// up. No path has that byte, it is none of UTF-8.
std::string RoundedUp(const std::string& upper) { return upper + '\xff'; }

bool BySequence(const std::shared_ptr<const DeleteFile>& a,
                const std::shared_ptr<const DeleteFile>& b) {
  return a->sequence_number < b->sequence_number;
}

void Count(int64_t* examined, int64_t files = 1) {
  if (examined != nullptr) *examined += files;
}

// The field of that id in the newest schema that has it.
FieldPath FindField(const TableMetadata& metadata, int32_t field_id) {
  FieldPath path = metadata.current_schema().FindById(field_id);
  for (auto schema = metadata.schemas.rbegin(); path.empty() && schema != metadata.schemas.rend();
       ++schema) {
    path = schema->FindById(field_id);
  }
  return path;
}

// Facts of a column in a data file or of a key in a delete file. Whether the column is required now
// says nothing of what was written, and a partition value nothing of what the file itself stores.
ColumnFacts FactsOf(const DataFile& file, int32_t field_id, const Type& type, bool counts_trusted) {
  return FactsFromStatistics(file.FindColumn(field_id), type, /*required=*/false, file.record_count,
                             counts_trusted);
}

// Whether all values from `lower` on are above all up to `upper`. False where either is unknown, or
// `upper` may have been cut and not rounded up.
bool IsAbove(const Value& lower, const Value& upper) {
  if (IsNull(lower) || IsNull(upper) || lower.index() != upper.index()) return false;
  if (CompareValues(lower, upper) <= 0) return false;
  const auto* bytes = std::get_if<std::string>(&upper);
  return bytes == nullptr || bytes->size() < kCutWidth ||
         !std::get<std::string>(lower).starts_with(*bytes);
}

// Whether a row with facts `a` and a key with facts `b` can be equal in this column.
bool MayMeet(const ColumnFacts& a, const ColumnFacts& b) {
  if (a.may_hold_nulls && b.may_hold_nulls) return true;
  if (a.all_null || b.all_null) return false;
  if (a.may_hold_nan && b.may_hold_nan) return true;
  return !IsAbove(a.lower, b.upper) && !IsAbove(b.lower, a.upper);
}

arrow::Status CheckVector(const DataFile& file, int32_t format_version) {
  if (format_version < 3) {
    return arrow::Status::Invalid("deletion vector ", file.path, " in a table of format version ",
                                  format_version);
  }
  if (!file.referenced_data_file) {
    return arrow::Status::Invalid("deletion vector in ", file.path,
                                  " without a referenced data file");
  }
  if (!file.content_offset || !file.content_size_bytes) {
    return arrow::Status::Invalid("deletion vector for ", *file.referenced_data_file, " in ",
                                  file.path, " without content_offset or content_size_in_bytes");
  }
  return arrow::Status::OK();
}

}  // namespace

// Null is left out: it equals what a tuple lacks.
std::string PartitionKey(int32_t spec_id, const std::vector<std::pair<int32_t, Value>>& partition) {
  auto values = partition;
  std::sort(values.begin(), values.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::string key;
  AppendBytes(spec_id, &key);
  for (const auto& [field_id, value] : values) {
    if (IsNull(value)) continue;
    AppendBytes(field_id, &key);
    AppendValue(value, &key);
  }
  return key;
}

arrow::Result<DeleteIndex> DeleteIndex::Make(const TableMetadata& metadata,
                                             const std::vector<LiveFile>& files) {
  DeleteIndex index;
  for (const LiveFile& live : files) ARROW_RETURN_NOT_OK(index.Add(metadata, live));
  index.Sort();
  index.empty_ = files.empty();
  return index;
}

arrow::Status DeleteIndex::Add(const TableMetadata& metadata, const LiveFile& live) {
  auto file = std::make_shared<const DeleteFile>(
      DeleteFile{live.entry.file, live.entry.sequence_number, live.spec_id});
  const PartitionSpec* spec = metadata.FindSpec(live.spec_id);
  if (spec == nullptr) {
    return arrow::Status::Invalid("delete file ", file->file.path, " has partition spec ",
                                  live.spec_id, ", which the table's metadata does not define");
  }
  ARROW_RETURN_NOT_OK(NotePartitionTypes(*file));
  if (file->file.content == DataFile::Content::kPositionDeletes) {
    if (file->file.format != "PUFFIN") {
      AddPositionDelete(std::move(file));
      return arrow::Status::OK();
    }
    ARROW_RETURN_NOT_OK(CheckVector(file->file, metadata.format_version));
    return AddVector(std::move(file));
  }
  EqualityDelete equality{file, KeyColumnsOf(metadata, file->file)};
  auto& deletes = IsUnpartitioned(*spec)
                      ? equality_everywhere_
                      : equality_by_partition_[PartitionKey(live.spec_id, file->file.partition)];
  deletes.push_back(std::move(equality));
  return arrow::Status::OK();
}

std::vector<DeleteIndex::KeyColumn> DeleteIndex::KeyColumnsOf(const TableMetadata& metadata,
                                                              const DataFile& file) {
  std::vector<KeyColumn> columns;
  for (const int32_t id : file.equality_ids) {
    const FieldPath path = FindField(metadata, id);
    if (path.empty() || path.back()->type.is_nested()) continue;
    const Type& type = path.back()->type;
    const bool counts_trusted = path.size() == 1;  // see plan/file_facts.cc
    columns.push_back({id, type, counts_trusted, FactsOf(file, id, type, counts_trusted)});
  }
  return columns;
}

arrow::Status DeleteIndex::AddVector(DeletePtr file) {
  const std::string& path = *file->file.referenced_data_file;
  const auto [other, added] =
      vectors_by_local_path_.try_emplace(std::string(LocalPathOf(path)), file);
  if (!added) {
    return arrow::Status::Invalid("two deletion vectors for data file ", path, ": in ",
                                  other->second->file.path, " and in ", file->file.path);
  }
  vectors_.emplace(path, std::move(file));
  return arrow::Status::OK();
}

void DeleteIndex::AddPositionDelete(DeletePtr file) {
  if (const std::string* path = OnlyPath(file->file)) {
    by_path_[*path].push_back(std::move(file));
    return;
  }
  PositionDeletes& deletes = by_partition_[PartitionKey(file->spec_id, file->file.partition)];
  const std::string* lower = Lower(file->file);
  const std::string* upper = Upper(file->file);
  if (lower == nullptr || upper == nullptr) {
    deletes.anywhere.push_back(std::move(file));
  } else {
    std::string first = *lower;
    std::string last = RoundedUp(*upper);
    deletes.ranged.push_back({std::move(file), std::move(first), std::move(last)});
  }
}

// Tuples that differ in type cannot be told equal or unequal: then one of them is damaged.
arrow::Status DeleteIndex::NotePartitionTypes(const DeleteFile& file) {
  ARROW_RETURN_NOT_OK(CheckPartitionTypes(file.spec_id, file.file));
  DeletePtr owner;
  for (const auto& [field_id, value] : file.file.partition) {
    if (IsNull(value)) continue;
    const uint64_t field = FieldOfSpec(file.spec_id, field_id);
    if (partition_types_.contains(field)) continue;
    if (owner == nullptr) owner = std::make_shared<const DeleteFile>(file);
    partition_types_.emplace(field, std::make_pair(value.index(), owner));
  }
  return arrow::Status::OK();
}

arrow::Status DeleteIndex::CheckPartitionTypes(int32_t spec_id, const DataFile& file) const {
  for (const auto& [field_id, value] : file.partition) {
    if (IsNull(value)) continue;
    const auto known = partition_types_.find(FieldOfSpec(spec_id, field_id));
    if (known == partition_types_.end() || known->second.first == value.index()) continue;
    return arrow::Status::Invalid("partition field ", field_id, " of spec ", spec_id,
                                  " has values of different types in ", file.path, " and in ",
                                  known->second.second->file.path);
  }
  return arrow::Status::OK();
}

void DeleteIndex::Sort() {
  const auto by_sequence = [](const EqualityDelete& a, const EqualityDelete& b) {
    return BySequence(a.file, b.file);
  };
  std::stable_sort(equality_everywhere_.begin(), equality_everywhere_.end(), by_sequence);
  for (auto& [key, deletes] : equality_by_partition_) {
    std::stable_sort(deletes.begin(), deletes.end(), by_sequence);
  }
  for (auto& [path, deletes] : by_path_) {
    std::stable_sort(deletes.begin(), deletes.end(), BySequence);
  }
  for (auto& [key, deletes] : by_partition_) {
    std::stable_sort(deletes.anywhere.begin(), deletes.anywhere.end(), BySequence);
    auto& ranged = deletes.ranged;
    std::stable_sort(ranged.begin(), ranged.end(),
                     [](const auto& a, const auto& b) { return a.lower < b.lower; });
    for (size_t i = 1; i < ranged.size(); ++i) {
      ranged[i].max_upper = std::max(ranged[i].max_upper, ranged[i - 1].max_upper);
    }
  }
}

arrow::Status DeleteIndex::AddTo(FileTask* task, int64_t* examined) const {
  if (empty_) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(CheckPartitionTypes(task->spec_id, task->file));
  const std::string partition = PartitionKey(task->spec_id, task->file.partition);
  ARROW_RETURN_NOT_OK(FindVector(task, examined));
  // A vector holds all older position deletes of its file, which writers must see to.
  if (task->deletion_vector == nullptr) {
    ARROW_RETURN_NOT_OK(FindByPath(task, examined));
    FindByPartition(partition, task, examined);
  }
  ARROW_RETURN_NOT_OK(FindEqualityDeletes(equality_everywhere_, task, examined));
  const auto found = equality_by_partition_.find(partition);
  if (found == equality_by_partition_.end()) return arrow::Status::OK();
  return FindEqualityDeletes(found->second, task, examined);
}

arrow::Status DeleteIndex::CheckPartition(const DeleteFile& file, const FileTask& task) const {
  if (file.spec_id == task.spec_id && PartitionKey(file.spec_id, file.file.partition) ==
                                          PartitionKey(task.spec_id, task.file.partition)) {
    return arrow::Status::OK();
  }
  return arrow::Status::Invalid("delete file ", file.file.path, " names data file ", task.file.path,
                                " but is of another partition");
}

arrow::Status DeleteIndex::FindVector(FileTask* task, int64_t* examined) const {
  const auto found = vectors_.find(task->file.path);
  if (found == vectors_.end()) return arrow::Status::OK();
  Count(examined);
  if (found->second->sequence_number < task->sequence_number) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(CheckPartition(*found->second, *task));
  task->deletion_vector = found->second;
  return arrow::Status::OK();
}

arrow::Status DeleteIndex::FindByPath(FileTask* task, int64_t* examined) const {
  const auto found = by_path_.find(task->file.path);
  if (found == by_path_.end()) return arrow::Status::OK();
  for (const DeletePtr& file : found->second) {
    Count(examined);
    if (file->sequence_number < task->sequence_number) continue;
    ARROW_RETURN_NOT_OK(CheckPartition(*file, *task));
    task->position_deletes.push_back(file);
  }
  return arrow::Status::OK();
}

void DeleteIndex::FindByPartition(const std::string& partition, FileTask* task,
                                  int64_t* examined) const {
  const auto found = by_partition_.find(partition);
  if (found == by_partition_.end()) return;
  const auto& [anywhere, ranged] = found->second;
  auto file = std::partition_point(anywhere.begin(), anywhere.end(), [&](const DeletePtr& other) {
    return other->sequence_number < task->sequence_number;
  });
  Count(examined, anywhere.end() - file);
  task->position_deletes.insert(task->position_deletes.end(), file, anywhere.end());
  // From the last range that starts at or before the path back to where all have ended before it.
  const std::string& path = task->file.path;
  auto range = std::partition_point(ranged.begin(), ranged.end(),
                                    [&](const RangedDelete& other) { return other.lower <= path; });
  while (range != ranged.begin() && (--range)->max_upper >= path) {
    Count(examined);
    if (range->file->sequence_number < task->sequence_number) continue;
    if (RoundedUp(*Upper(range->file->file)) < path) continue;
    task->position_deletes.push_back(range->file);
  }
}

arrow::Status DeleteIndex::FindEqualityDeletes(const EqualityDeletes& deletes, FileTask* task,
                                               int64_t* examined) {
  const auto begin = std::partition_point(deletes.begin(), deletes.end(), [&](const auto& other) {
    return other.file->sequence_number <= task->sequence_number;
  });
  for (auto equality = begin; equality != deletes.end(); ++equality) {
    Count(examined);
    const DataFile& file = equality->file->file;
    if (file.equality_ids.empty()) {
      return arrow::Status::Invalid("equality delete file ", file.path,
                                    " without equality field ids");
    }
    const bool may_meet = std::all_of(
        equality->columns.begin(), equality->columns.end(), [&](const KeyColumn& column) {
          return MayMeet(FactsOf(task->file, column.field_id, column.type, column.counts_trusted),
                         column.deleted);
        });
    if (may_meet) task->equality_deletes.push_back(equality->file);
  }
  return arrow::Status::OK();
}

}  // namespace esker
