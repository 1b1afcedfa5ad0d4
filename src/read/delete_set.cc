#include "read/delete_set.h"

#include <algorithm>
#include <list>
#include <optional>
#include <span>
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

/// Positions with what they are charged.
struct ChargedPositions {
  MemoryCharge charge;
  PositionSet positions;
};

/// A set of positions that keeps all that it belongs to.
template <typename Owner>
std::shared_ptr<const PositionSet> PartOf(const std::shared_ptr<Owner>& owner,
                                          const PositionSet& positions) {
  return {owner, &positions};
}

int64_t Clamped(int64_t count) { return std::clamp<int64_t>(count, 0, int64_t{1} << 40); }

// Out of the manifest: for the number in a refusal, where the file itself has not been looked at.
int64_t BytesByManifest(const DeleteFile& delete_file) {
  constexpr int64_t kLeastBytes = 128 << 10;
  constexpr int64_t kKeyBytes = 60;  // slot and header
  constexpr int64_t kPositionBytes = 8;
  const DataFile& file = delete_file.file;
  const int64_t rows = Clamped(file.record_count);
  if (file.content_size_bytes) return kLeastBytes + 3 * Clamped(*file.content_size_bytes);
  if (file.equality_ids.empty()) return kLeastBytes + rows * kPositionBytes;
  return kLeastBytes + rows * kKeyBytes + 4 * Clamped(file.file_size_bytes);
}

int64_t BytesByManifest(std::span<const DeleteFile* const> files) {
  int64_t bytes = 0;
  for (const DeleteFile* file : files) bytes += BytesByManifest(*file);
  return bytes;
}

}  // namespace

struct DeleteCache::Impl {
  /// A position delete file, read by whoever comes first while the others wait.
  struct PositionFile {
    std::mutex mutex;
    MemoryCharge charge;
    std::optional<arrow::Result<PositionsByPath>> positions;
  };

  /// A set that several data files may need.
  struct SharedSet {
    std::string name;
    std::shared_ptr<void> set;
  };

  std::shared_ptr<MemoryBudget> budget;  // outlives all that is charged
  std::shared_ptr<const Storage> storage;
  std::shared_ptr<const Schema> schema;
  NameMapping name_mapping;
  std::shared_ptr<ScanCounters> counters;
  arrow::MemoryPool* pool;
  int64_t decode_bytes;
  VectorFiles vectors;

  std::mutex mutex;             // guards the next two, not what they point to
  std::list<SharedSet> shared;  // the one used longest ago first
  std::unordered_map<std::string, std::list<SharedSet>::iterator> by_name;
  MemoryGiver giver;

  Impl(std::shared_ptr<const Storage> storage_in, std::shared_ptr<const Schema> schema_in,
       NameMapping mapping, std::shared_ptr<ScanCounters> counters_in, arrow::MemoryPool* pool_in,
       std::shared_ptr<MemoryBudget> budget_in, int64_t decode_bytes_in)
      : budget(std::move(budget_in)),
        storage(std::move(storage_in)),
        schema(std::move(schema_in)),
        name_mapping(std::move(mapping)),
        counters(std::move(counters_in)),
        pool(pool_in != nullptr ? pool_in : arrow::default_memory_pool()),
        decode_bytes(decode_bytes_in),
        vectors(storage, counters),
        giver(budget, [this] { return DropIdle(); }) {}

  /// The set of that name, which is now the one used last; made where there is none.
  template <typename Set, typename Make>
  arrow::Result<std::shared_ptr<Set>> FindOrMake(const std::string& name, Make make) {
    const std::lock_guard lock(mutex);
    const auto found = by_name.find(name);
    if (found != by_name.end()) {
      shared.splice(shared.end(), shared, found->second);
      return std::static_pointer_cast<Set>(found->second->set);
    }
    ARROW_ASSIGN_OR_RAISE(std::shared_ptr<Set> set, make());
    by_name[name] = shared.insert(shared.end(), {name, set});
    return set;
  }

  /// Lets go of the set that nobody has used for longest, if there is one that nobody uses now.
  bool DropIdle() {
    const std::lock_guard lock(mutex);
    const auto idle = std::find_if(shared.begin(), shared.end(),
                                   [](const SharedSet& one) { return one.set.use_count() == 1; });
    if (idle == shared.end()) return false;
    by_name.erase(idle->name);
    shared.erase(idle);
    return true;
  }

  arrow::Result<PositionsByPath> ReadPositions(const DeleteFile& file, const LoadRoom& room,
                                               MemoryCharge* charge) {
    ARROW_RETURN_NOT_OK(CheckIsParquet(file));
    ARROW_ASSIGN_OR_RAISE(auto input, storage->Open(file.file.path, counters));
    auto read =
        ReadPositionDeletes(std::move(input), file.file.referenced_data_file, pool, room, charge);
    if (read.ok()) return read;
    return WithPlace(read.status(), "position delete file " + file.file.path);
  }

  static std::string NameOfPositions(const DeleteFile& file) { return "P" + file.file.path; }

  static std::string NameOfGroup(const DeleteFile& file) {
    std::string name = "E";
    for (const int32_t id : SortedIds(file.file.equality_ids)) name += std::to_string(id) + ",";
    return name + ":" + PartitionKey(file.spec_id, file.file.partition);
  }

  // The file's positions in that data file; null if there are none. They keep the whole file.
  arrow::Result<std::shared_ptr<const PositionSet>> PositionsOf(const DeleteFile& file,
                                                                const std::string& path,
                                                                const LoadRoom& room) {
    std::shared_ptr<PositionFile> read;
    if (file.file.referenced_data_file) {
      read = std::make_shared<PositionFile>();
    } else {
      ARROW_ASSIGN_OR_RAISE(
          read, FindOrMake<PositionFile>(NameOfPositions(file), []() -> PositionFileResult {
            return std::make_shared<PositionFile>();
          }));
    }
    const std::lock_guard lock(read->mutex);
    if (!read->positions) {
      read->charge = room.Charge();
      read->positions = ReadPositions(file, room, &read->charge);
    }
    ARROW_RETURN_NOT_OK(read->positions->status());
    const auto found = (*read->positions)->find(path);
    if (found == (*read->positions)->end()) return nullptr;
    return PartOf(read, *found->second);
  }
  using PositionFileResult = arrow::Result<std::shared_ptr<PositionFile>>;

  // Several sets as one; the first is taken as it is.
  static arrow::Status Unite(std::shared_ptr<const PositionSet> more, const LoadRoom& room,
                             std::shared_ptr<const PositionSet>* all) {
    if (more == nullptr) return arrow::Status::OK();
    if (*all == nullptr) {
      *all = std::move(more);
      return arrow::Status::OK();
    }
    auto united = std::make_shared<ChargedPositions>();
    united->charge = room.Charge();
    ARROW_RETURN_NOT_OK(
        room.Resize(&united->charge, (*all)->memory_bytes() + more->memory_bytes()));
    united->positions = **all;
    united->positions.Union(*more);
    united->charge.Resize(united->positions.memory_bytes());
    *all = PartOf(united, united->positions);
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<const PositionSet>> VectorOf(const DeleteFile& file,
                                                             const LoadRoom& room) {
    auto vector = std::make_shared<ChargedPositions>();
    vector->charge = room.Charge();
    ARROW_ASSIGN_OR_RAISE(vector->positions, vectors.Read(file.file, room, &vector->charge));
    if (vector->positions.empty()) return nullptr;
    return PartOf(vector, vector->positions);
  }

  arrow::Result<std::shared_ptr<EqualityKeys>> GroupOf(const DeleteFile& file) {
    const auto make = [&]() -> arrow::Result<std::shared_ptr<EqualityKeys>> {
      auto made = EqualityKeys::Make(SortedIds(file.file.equality_ids), *schema, pool);
      if (made.ok()) return made;
      return WithPlace(made.status(), "equality delete file " + file.file.path);
    };
    return FindOrMake<EqualityKeys>(NameOfGroup(file), make);
  }

  arrow::Status LoadEquality(const DeleteFile& file, const LoadRoom& room,
                             std::vector<std::shared_ptr<EqualityKeys>>* groups) {
    ARROW_RETURN_NOT_OK(CheckIsParquet(file));
    ARROW_ASSIGN_OR_RAISE(auto group, GroupOf(file));
    ARROW_RETURN_NOT_OK(group->Add(file, *storage, name_mapping, counters, room));
    if (std::find(groups->begin(), groups->end(), group) == groups->end()) {
      groups->push_back(std::move(group));
    }
    return arrow::Status::OK();
  }

  arrow::Result<DeleteSet> Load(const FileTask& task, const LoadRoom::Beside& beside) {
    std::vector<const DeleteFile*> files;
    for (const auto& file : task.position_deletes) files.push_back(file.get());
    if (task.deletion_vector != nullptr) files.push_back(task.deletion_vector.get());
    const size_t equality_begin = files.size();
    for (const auto& file : task.equality_deletes) files.push_back(file.get());

    size_t next = 0;
    const LoadRoom room(budget, decode_bytes, [&] {
      return (beside ? beside() : 0) + BytesByManifest(std::span(files).subspan(next));
    });
    DeleteSet deletes;
    std::vector<std::shared_ptr<EqualityKeys>> groups;
    while (next < files.size()) {
      const DeleteFile& file = *files[next++];
      if (next > equality_begin) {
        ARROW_RETURN_NOT_OK(LoadEquality(file, room, &groups));
        continue;
      }
      const bool is_vector = &file == task.deletion_vector.get();
      ARROW_ASSIGN_OR_RAISE(auto positions, is_vector ? VectorOf(file, room)
                                                      : PositionsOf(file, task.file.path, room));
      ARROW_RETURN_NOT_OK(Unite(std::move(positions), room, &deletes.positions));
    }
    for (auto& group : groups) {
      deletes.equality.push_back(
          std::make_shared<YoungerKeys>(std::move(group), task.sequence_number));
    }
    return deletes;
  }
};

DeleteCache::DeleteCache(std::shared_ptr<const Storage> storage,
                         std::shared_ptr<const Schema> schema, NameMapping name_mapping,
                         std::shared_ptr<ScanCounters> counters, arrow::MemoryPool* pool,
                         std::shared_ptr<MemoryBudget> budget, int64_t decode_bytes)
    : impl_(std::make_unique<Impl>(std::move(storage), std::move(schema), std::move(name_mapping),
                                   std::move(counters), pool, std::move(budget), decode_bytes)) {}

DeleteCache::~DeleteCache() = default;

arrow::Result<DeleteSet> DeleteCache::Load(const FileTask& task, const LoadRoom::Beside& beside) {
  return impl_->Load(task, beside);
}

}  // namespace esker
