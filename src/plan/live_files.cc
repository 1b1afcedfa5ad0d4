#include "plan/live_files.h"

#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "base/status.h"

namespace esker {
namespace {

// Manifests are a few MiB; a list of a million manifests is some 200.
constexpr int64_t kMaxManifestBytes = int64_t{1} << 30;

arrow::Result<std::vector<ManifestFile>> ReadList(const Snapshot& snapshot,
                                                  const Storage& storage) {
  auto list = [&]() -> arrow::Result<std::vector<ManifestFile>> {
    ARROW_ASSIGN_OR_RAISE(auto bytes, storage.ReadAll(snapshot.manifest_list, kMaxManifestBytes));
    return ReadManifestList(std::string_view(*bytes));
  }();
  if (!list.ok()) return WithPlace(list.status(), "manifest list " + snapshot.manifest_list);
  return list;
}

// A v1 snapshot may name its manifests itself. All it says of them is the path, so their specs are
// those of their own headers.
std::vector<ManifestFile> ListedInSnapshot(const Snapshot& snapshot) {
  std::vector<ManifestFile> list;
  for (const std::string& path : snapshot.manifests) {
    ManifestFile manifest;
    manifest.path = path;
    manifest.added_snapshot_id = snapshot.snapshot_id;
    list.push_back(std::move(manifest));
  }
  return list;
}

class Lister {
 public:
  Lister(const TableMetadata& metadata, const Storage& storage,
         const std::vector<int32_t>& statistics_field_ids, const BoundFilter* filter,
         const ScanOptions& options)
      : metadata_(metadata), storage_(storage), filter_(filter), options_(options) {
    projection_.statistics_field_ids = statistics_field_ids;
  }

  arrow::Status ReadAll(const std::vector<ManifestFile>& manifests) {
    for (const ManifestFile& manifest : manifests) {
      ARROW_ASSIGN_OR_RAISE(const bool skips, Skips(manifest));
      if (skips) {
        ++result_.manifests_skipped;
      } else {
        ARROW_RETURN_NOT_OK(Read(manifest));
      }
    }
    return arrow::Status::OK();
  }

  LiveFiles Take() { return std::move(result_); }

 private:
  arrow::Result<const PartitionSpec*> FindSpec(const ManifestFile& manifest,
                                               int32_t spec_id) const {
    const PartitionSpec* spec = metadata_.FindSpec(spec_id);
    if (spec != nullptr) return spec;
    return arrow::Status::Invalid("manifest ", manifest.path, " has partition spec ", spec_id,
                                  ", which the table's metadata does not define");
  }

  arrow::Result<bool> Skips(const ManifestFile& manifest) const {
    if (!manifest.partition_spec_id) return false;  // nor are there summaries to judge it by
    ARROW_ASSIGN_OR_RAISE(const auto* spec, FindSpec(manifest, *manifest.partition_spec_id));
    if (manifest.content == ManifestFile::Content::kDeletes) return false;
    if (manifest.added_files_count == 0 && manifest.existing_files_count == 0) return true;
    return filter_ != nullptr && options_.prune_manifests &&
           !filter_->MayMatchManifest(*spec, manifest.partitions);
  }

  // The spec of a manifest that no list tells of; 0 if it does not tell itself, as the reference
  // implementation takes it.
  static arrow::Result<int32_t> SpecIdOf(const ManifestFile& manifest, std::string_view bytes) {
    if (manifest.partition_spec_id) return *manifest.partition_spec_id;
    ARROW_ASSIGN_OR_RAISE(const auto recorded, ReadManifestSpecId(bytes));
    return recorded.value_or(0);
  }

  arrow::Status Read(const ManifestFile& manifest) {
    const auto bytes = storage_.ReadAll(manifest.path, kMaxManifestBytes);
    if (!bytes.ok()) return WithPlace(bytes.status(), "manifest " + manifest.path);
    ManifestProjection projection = projection_;
    // Deletes are matched to files by the bounds of their own columns (see DeleteIndex).
    projection.all_statistics = manifest.content == ManifestFile::Content::kDeletes;
    ++result_.manifests_read;
    auto entries = ReadManifest(std::string_view(**bytes), manifest, projection);
    if (!entries.ok()) return WithPlace(entries.status(), "manifest " + manifest.path);
    const auto spec_id = SpecIdOf(manifest, std::string_view(**bytes));
    if (!spec_id.ok()) return WithPlace(spec_id.status(), "manifest " + manifest.path);
    ARROW_ASSIGN_OR_RAISE(const PartitionSpec* spec, FindSpec(manifest, *spec_id));
    for (ManifestEntry& entry : *entries) {
      ARROW_RETURN_NOT_OK(Keep(std::move(entry), *spec));
    }
    return arrow::Status::OK();
  }

  arrow::Status Keep(ManifestEntry entry, const PartitionSpec& spec) {
    if (entry.file.content != DataFile::Content::kData) {
      result_.deletes.push_back({std::move(entry), spec.spec_id});
      return arrow::Status::OK();
    }
    if (++result_.listed > options_.max_planned_files) {
      return UsageError("the table has more than ", options_.max_planned_files,
                        " data files; max_planned_files (--max-planned-files) allows no more");
    }
    if (entry.file.record_count == 0) {
      ++result_.empty;
      return arrow::Status::OK();
    }
    if (filter_ != nullptr && options_.prune_files &&
        !filter_->MayMatchPartition(spec, entry.file.partition)) {
      ++result_.pruned_by_partition;
      return arrow::Status::OK();
    }
    result_.data.push_back({std::move(entry), spec.spec_id});
    return arrow::Status::OK();
  }

  const TableMetadata& metadata_;
  const Storage& storage_;
  const BoundFilter* filter_;
  const ScanOptions& options_;
  ManifestProjection projection_;
  LiveFiles result_;
};

}  // namespace

arrow::Result<LiveFiles> ListLiveFiles(const TableMetadata& metadata, const Snapshot& snapshot,
                                       const Storage& storage,
                                       const std::vector<int32_t>& statistics_field_ids,
                                       const BoundFilter* filter, const ScanOptions& options) {
  std::vector<ManifestFile> manifests = ListedInSnapshot(snapshot);
  if (!snapshot.manifest_list.empty()) {
    ARROW_ASSIGN_OR_RAISE(manifests, ReadList(snapshot, storage));
  }
  Lister lister(metadata, storage, statistics_field_ids, filter, options);
  ARROW_RETURN_NOT_OK(lister.ReadAll(manifests));
  return lister.Take();
}

}  // namespace esker
