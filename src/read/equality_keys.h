// Equality keys: the deleted keys of all equality delete files of one group, as one set.
//
// A group is the delete files with the same field ids and the same partition. Which of them concern
// a data file is then a matter of sequence numbers alone (plan/delete_index.h), and the set keeps
// those (key_set.h). Files are added when the first data file needs them.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/name_mapping.h"
#include "format/type.h"
#include "read/delete_set.h"
#include "read/key_set.h"
#include "read/load_room.h"
#include "read/row_key.h"

namespace esker {

/// Thread safe: files may be added while others apply the set. Errors do not name the file.
class EqualityKeys {
 public:
  /// `field_ids` sorted, without duplicates. Invalid for an id that `schema` lacks or that is a
  /// struct, list or map or lies in a list or map; UnsupportedError for a type that Arrow cannot
  /// carry.
  static arrow::Result<std::shared_ptr<EqualityKeys>> Make(std::vector<int32_t> field_ids,
                                                           const Schema& schema,
                                                           arrow::MemoryPool* pool);

  /// Adds the keys of a delete file, once: a file that was added is not read again. A failure, a
  /// refusal of `room` too, is final for the group. The keys stay charged as long as the group is.
  arrow::Status Add(const DeleteFile& file, const Storage& storage, const NameMapping& mapping,
                    std::shared_ptr<ScanCounters> counters, const LoadRoom& room);

  /// EqualityDeletes::Apply() for a data file of that data sequence number.
  arrow::Status Apply(const arrow::RecordBatch& batch, int64_t sequence_number,
                      uint8_t* keep) const;

  const std::vector<int32_t>& field_ids() const { return field_ids_; }
  int64_t size() const;

 private:
  EqualityKeys(std::vector<int32_t> field_ids, arrow::MemoryPool* pool);
  arrow::Status Read(const DeleteFile& file, const Storage& storage, const NameMapping& mapping,
                     std::shared_ptr<ScanCounters> counters, const LoadRoom& room);
  arrow::Status Insert(const RowKeyEncoder& encoder, int64_t rows, int64_t sequence_number);

  std::vector<int32_t> field_ids_;
  std::vector<std::vector<Field>> paths_;  // of those ids
  std::vector<std::shared_ptr<arrow::DataType>> types_;
  arrow::MemoryPool* pool_;

  std::mutex add_mutex_;         // one file is added at a time; guards the next three
  std::set<std::string> added_;  // paths
  MemoryCharge charge_;
  arrow::Status failure_;
  mutable std::shared_mutex mutex_;  // guards keys_
  KeySet keys_;
};

}  // namespace esker
