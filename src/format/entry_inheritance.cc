#include "format/entry_inheritance.h"

namespace esker {

EntryInheritance::EntryInheritance(const ManifestFile& source, bool is_v1)
    : snapshot_id_(source.added_snapshot_id),
      sequence_number_(source.sequence_number),
      all_zero_(is_v1 || source.sequence_number == 0),
      next_row_id_(source.first_row_id) {}

void EntryInheritance::Apply(bool has_snapshot_id, bool has_sequence_number, ByteReader* reader,
                             ManifestEntry* entry) {
  const bool added = entry->status == ManifestEntry::Status::kAdded;
  if (!has_snapshot_id) entry->snapshot_id = snapshot_id_;
  if (!has_sequence_number) {
    if (entry->status == ManifestEntry::Status::kExisting && !all_zero_) {
      reader->Fail("existing file without sequence number");
    }
    entry->sequence_number = added ? sequence_number_ : 0;
  }
  if (!entry->file_sequence_number && (added || sequence_number_ == 0)) {
    entry->file_sequence_number = sequence_number_;
  }
  ApplyRowId(reader, entry);
}

void EntryInheritance::ApplyRowId(ByteReader* reader, ManifestEntry* entry) {
  DataFile& file = entry->file;
  if (file.content != DataFile::Content::kData ||
      entry->status == ManifestEntry::Status::kDeleted) {
    return;
  }
  const bool inherits = !file.first_row_id;
  if (inherits) file.first_row_id = next_row_id_;
  if (!file.first_row_id) return;
  int64_t end = 0;
  if (__builtin_add_overflow(*file.first_row_id, file.record_count, &end)) {
    return reader->Fail("row ids above 64 bits");
  }
  if (inherits) next_row_id_ = end;
}

}  // namespace esker
