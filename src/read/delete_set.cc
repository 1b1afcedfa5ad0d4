#include "read/delete_set.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "base/status.h"
#include "plan/delete_index.h"
#include "read/equality_keys.h"
#include "read/position_deletes.h"
#include "read/vector_files.h"

namespace esker {
namespace {

arrow::Status CheckIsParquet(const DeleteFile& file) {
  if (file.file.format == "PARQUET") return arrow::Status::OK();
  return UnsupportedError("delete file ", file.file.path, " is in ", file.file.format,
                          "; Esker reads delete files in Parquet and deletion vectors in Puffin");
}

/// Equality deletes as one data file sees them: the keys younger than it.
class YoungerKeys : public EqualityDeletes {
 public:
  YoungerKeys(std::shared_ptr<const EqualityKeys> keys, int64_t sequence_number)
      : keys_(std::move(keys)), sequence_number_(sequence_number) {}

  const std::vector<int32_t>& field_ids() const override { return keys_->field_ids(); }
  arrow::Status Apply(const arrow::RecordBatch& batch, uint8_t* keep) const override {
    return keys_->Apply(batch, sequence_number_, keep);
  }

 private:
  std::shared_ptr<const EqualityKeys> keys_;
  int64_t sequence_number_;
};

std::vector<int32_t> SortedIds(std::vector<int32_t> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

// Several sets as one; the only one as it is.
std::shared_ptr<const PositionSet> United(
    const std::vector<std::shared_ptr<const PositionSet>>& sets) {
  if (sets.size() <= 1) return sets.empty() ? nullptr : sets.front();
  auto all = std::make_shared<PositionSet>(*sets.front());
  for (size_t i = 1; i < sets.size(); ++i) all->Union(*sets[i]);
  return all;
}

}  // namespace

struct DeleteCache::Impl {
  /// A position delete file, read by whoever comes first while the others wait.
  struct PositionFile {
    std::mutex mutex;
    std::optional<arrow::Result<PositionsByPath>> positions;
  };

  std::shared_ptr<const Storage> storage;
  std::shared_ptr<const Schema> schema;
  NameMapping name_mapping;
  std::shared_ptr<ScanCounters> counters;
  arrow::MemoryPool* pool;
  VectorFiles vectors;

  std::mutex mutex;  // guards the two maps, not what they point to
  std::unordered_map<std::string, std::shared_ptr<PositionFile>> position_files;
  std::map<std::pair<std::vector<int32_t>, std::string>, std::shared_ptr<EqualityKeys>> groups;

  Impl(std::shared_ptr<const Storage> storage_in, std::shared_ptr<const Schema> schema_in,
       NameMapping mapping, std::shared_ptr<ScanCounters> counters_in, arrow::MemoryPool* pool_in)
      : storage(std::move(storage_in)),
        schema(std::move(schema_in)),
        name_mapping(std::move(mapping)),
        counters(std::move(counters_in)),
        pool(pool_in != nullptr ? pool_in : arrow::default_memory_pool()),
        vectors(storage, counters) {}

  arrow::Result<PositionsByPath> ReadPositions(const DeleteFile& file) {
    ARROW_RETURN_NOT_OK(CheckIsParquet(file));
    ARROW_ASSIGN_OR_RAISE(auto input, storage->Open(file.file.path, counters));
    auto read = ReadPositionDeletes(std::move(input), file.file.referenced_data_file, pool);
    if (read.ok()) return read;
    return WithPlace(read.status(), "position delete file " + file.file.path);
  }

  std::shared_ptr<PositionFile> FindPositionFile(const std::string& path) {
    const std::lock_guard lock(mutex);
    auto& file = position_files[path];
    if (file == nullptr) file = std::make_shared<PositionFile>();
    return file;
  }

  static std::shared_ptr<const PositionSet> Pick(const PositionsByPath& positions,
                                                 const std::string& path) {
    const auto found = positions.find(path);
    return found == positions.end() ? nullptr : found->second;
  }

  // The file's positions in that data file; null if there are none.
  arrow::Result<std::shared_ptr<const PositionSet>> PositionsOf(const DeleteFile& file,
                                                                const std::string& path) {
    if (file.file.referenced_data_file) {
      ARROW_ASSIGN_OR_RAISE(const auto positions, ReadPositions(file));
      return Pick(positions, path);
    }
    const auto cached = FindPositionFile(file.file.path);
    const std::lock_guard lock(cached->mutex);
    if (!cached->positions) cached->positions = ReadPositions(file);
    ARROW_RETURN_NOT_OK(cached->positions->status());
    return Pick(**cached->positions, path);
  }

  arrow::Status LoadPositions(const FileTask& task, DeleteSet* deletes) {
    std::vector<std::shared_ptr<const PositionSet>> sets;
    for (const auto& file : task.position_deletes) {
      ARROW_ASSIGN_OR_RAISE(auto positions, PositionsOf(*file, task.file.path));
      if (positions != nullptr) sets.push_back(std::move(positions));
    }
    if (task.deletion_vector != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto positions, vectors.Read(task.deletion_vector->file));
      if (!positions.empty()) {
        sets.push_back(std::make_shared<const PositionSet>(std::move(positions)));
      }
    }
    deletes->positions = United(sets);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<EqualityKeys>> GroupOf(const DeleteFile& file) {
    const std::pair key(SortedIds(file.file.equality_ids),
                        PartitionKey(file.spec_id, file.file.partition));
    const std::lock_guard lock(mutex);
    auto& group = groups[key];
    if (group != nullptr) return group;
    auto made = EqualityKeys::Make(key.first, *schema, pool);
    if (!made.ok()) {
      groups.erase(key);
      return WithPlace(made.status(), "equality delete file " + file.file.path);
    }
    group = *made;
    return group;
  }

  arrow::Status LoadEquality(const FileTask& task, DeleteSet* deletes) {
    std::vector<std::shared_ptr<EqualityKeys>> used;
    for (const auto& file : task.equality_deletes) {
      ARROW_RETURN_NOT_OK(CheckIsParquet(*file));
      ARROW_ASSIGN_OR_RAISE(auto group, GroupOf(*file));
      ARROW_RETURN_NOT_OK(group->Add(*file, *storage, name_mapping, counters));
      if (std::find(used.begin(), used.end(), group) == used.end()) used.push_back(group);
    }
    for (auto& group : used) {
      deletes->equality.push_back(
          std::make_shared<YoungerKeys>(std::move(group), task.sequence_number));
    }
    return arrow::Status::OK();
  }
};

DeleteCache::DeleteCache(std::shared_ptr<const Storage> storage,
                         std::shared_ptr<const Schema> schema, NameMapping name_mapping,
                         std::shared_ptr<ScanCounters> counters, arrow::MemoryPool* pool)
    : impl_(std::make_unique<Impl>(std::move(storage), std::move(schema), std::move(name_mapping),
                                   std::move(counters), pool)) {}

DeleteCache::~DeleteCache() = default;

arrow::Result<DeleteSet> DeleteCache::Load(const FileTask& task) {
  DeleteSet deletes;
  ARROW_RETURN_NOT_OK(impl_->LoadPositions(task, &deletes));
  ARROW_RETURN_NOT_OK(impl_->LoadEquality(task, &deletes));
  return deletes;
}

}  // namespace esker
