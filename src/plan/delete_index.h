// Delete index: which delete files concern a data file (spec: Scan Planning).
//
//     delete              concerns a data file of                              and sequence number
//     deletion vector     the path it names, same partition                    <= its own
//     position deletes    the same partition (and the path, where known),      <= its own
//                         unless a deletion vector concerns the file
//     equality deletes    the same partition; any, if unpartitioned            <  its own
//
// "Same partition" is the same spec id and the same values; null equals null, floats are equal by
// their bits with every NaN alike (spec, note 3 of Scan Planning). Paths are compared as recorded.
//
// Files times deletes is what planning must not cost: deletes are found by path, by partition and
// by the range of the paths they hold, so a look-up costs what it finds.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "format/column_facts.h"
#include "format/table_metadata.h"
#include "plan/file_task.h"
#include "plan/live_files.h"

namespace esker {

/// Reserved field ids of position delete files (spec: Position Delete Files). Planning narrows
/// position deletes down by the bounds of the first, so delete manifests are to be read with its
/// statistics.
inline constexpr int32_t kDeleteFilePathFieldId = 2147483546;
inline constexpr int32_t kDeletePosFieldId = 2147483545;

/// Bytes that are equal exactly if the spec ids and the partition tuples are.
std::string PartitionKey(int32_t spec_id, const std::vector<std::pair<int32_t, Value>>& partition);

/// Immutable once made; may be used from several threads. Owns what it needs.
class DeleteIndex {
 public:
  /// Indexes the live entries of delete manifests. O(n log n).
  ///
  /// Invalid, naming the delete file: a deletion vector in a table below format version 3, without
  /// a referenced data file, offset or size, or a second one for the same data file; a partition
  /// spec that `metadata` lacks.
  static arrow::Result<DeleteIndex> Make(const TableMetadata& metadata,
                                         const std::vector<LiveFile>& files);

  /// Adds to `task` the deletes that concern its file; its `file`, `sequence_number` and `spec_id`
  /// are set. Equality deletes whose keys cannot occur in the file, by the
  /// statistics of both, are left out. `examined` (may be null) grows by the number of delete
  /// files looked at.
  ///
  /// Invalid: a delete that names this very file but another partition (a damaged table, not a
  /// delete to pass over); partition values of different types; an equality delete without field
  /// ids.
  arrow::Status AddTo(FileTask* task, int64_t* examined = nullptr) const;

  bool empty() const { return empty_; }

 private:
  using DeletePtr = std::shared_ptr<const DeleteFile>;

  // A position delete file of which only the range of paths is known.
  struct RangedDelete {
    DeletePtr file;
    std::string lower;
    std::string max_upper;  // the greatest upper bound of this and all before it
  };
  struct PositionDeletes {
    std::vector<DeletePtr> anywhere;   // by sequence number
    std::vector<RangedDelete> ranged;  // by lower bound
  };
  struct KeyColumn {
    int32_t field_id = 0;
    Type type;
    bool counts_trusted = true;
    ColumnFacts deleted;
  };
  struct EqualityDelete {
    DeletePtr file;
    std::vector<KeyColumn> columns;  // those of the equality ids that some schema has
  };
  using EqualityDeletes = std::vector<EqualityDelete>;  // by sequence number

  DeleteIndex() = default;

  arrow::Status Add(const TableMetadata& metadata, const LiveFile& live);
  static std::vector<KeyColumn> KeyColumnsOf(const TableMetadata& metadata, const DataFile& file);
  arrow::Status AddVector(DeletePtr file);
  void AddPositionDelete(DeletePtr file);
  arrow::Status NotePartitionTypes(const DeleteFile& file);
  void Sort();

  arrow::Status CheckPartition(const DeleteFile& file, const FileTask& task) const;
  arrow::Status CheckPartitionTypes(int32_t spec_id, const DataFile& file) const;
  arrow::Status FindVector(FileTask* task, int64_t* examined) const;
  arrow::Status FindByPath(FileTask* task, int64_t* examined) const;
  void FindByPartition(const std::string& partition, FileTask* task, int64_t* examined) const;
  static arrow::Status FindEqualityDeletes(const EqualityDeletes& deletes, FileTask* task,
                                           int64_t* examined);

  bool empty_ = true;
  std::unordered_map<std::string, DeletePtr> vectors_;  // by path
  // By path without the scheme of local files: two spellings of one path are two vectors of it.
  std::unordered_map<std::string, DeletePtr> vectors_by_local_path_;
  std::unordered_map<std::string, std::vector<DeletePtr>> by_path_;
  std::unordered_map<std::string, PositionDeletes> by_partition_;
  std::unordered_map<std::string, EqualityDeletes> equality_by_partition_;
  EqualityDeletes equality_everywhere_;
  // The alternative of Value that the deletes have in a partition field, by spec and field id.
  std::unordered_map<uint64_t, std::pair<size_t, DeletePtr>> partition_types_;
};

}  // namespace esker
