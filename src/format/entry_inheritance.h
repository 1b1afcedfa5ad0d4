// What a manifest entry takes from its manifest where it says nothing itself (spec: Manifest
// Entry Fields, Sequence Number Inheritance, First Row ID Inheritance).
//
// Entries of added files are written before their snapshot is committed, so they cannot know its
// numbers; the line of the manifest in the manifest list does.
#pragma once

#include <cstdint>
#include <optional>

#include "base/byte_reader.h"
#include "format/manifest.h"

namespace esker {

/// Applied to the entries of one manifest in their order: row ids count on from file to file.
class EntryInheritance {
 public:
  /// `is_v1`: the entries have no field for sequence numbers and the header says version 1 or
  /// nothing. Does not keep `source`.
  EntryInheritance(const ManifestFile& source, bool is_v1);

  /// Fills what `entry` lacks: `has_snapshot_id` and `has_sequence_number` say what it has.
  ///
  /// Only added files inherit a sequence number. In v1, and in a manifest of sequence number 0,
  /// all numbers are 0; elsewhere an existing file without one fails `reader`. A deleted file then
  /// gets 0: it is only information. Row ids go to data files that are not deleted, as the
  /// reference implementation does it.
  void Apply(bool has_snapshot_id, bool has_sequence_number, ByteReader* reader,
             ManifestEntry* entry);

 private:
  void ApplyRowId(ByteReader* reader, ManifestEntry* entry);

  int64_t snapshot_id_;
  int64_t sequence_number_;
  bool all_zero_;
  std::optional<int64_t> next_row_id_;
};

}  // namespace esker
