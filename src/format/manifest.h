// Manifest lists and manifests (spec: Manifests, Manifest Lists), read by projection.
//
// A manifest entry carries maps of statistics for every column; planning wants those of a few.
// So the caller names the fields it wants, and all else is skipped byte by byte, not allocated.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "format/table_metadata.h"
#include "format/value.h"

namespace esker {

/// One field of a partition summary in the manifest list. Bounds stay as bytes.
struct FieldSummary {
  bool contains_null = true;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower_bound;
  std::optional<std::string> upper_bound;
};

/// One line of a manifest list (spec table "manifest_file").
struct ManifestFile {
  enum class Content { kData = 0, kDeletes = 1 };
  std::string path;
  int64_t length = 0;
  std::optional<int32_t> partition_spec_id;  ///< none: there is no list to say it (v1)
  Content content = Content::kData;
  int64_t sequence_number = 0;  ///< 0 where absent (v1)
  int64_t added_snapshot_id = 0;
  std::optional<int32_t> added_files_count;
  std::optional<int32_t> existing_files_count;
  std::vector<FieldSummary> partitions;  ///< in the order of the spec's fields; may be empty
  std::optional<int64_t> first_row_id;
};

/// Statistics of one column of one file, as the manifest has them. Absent is unknown.
struct ColumnStatistics {
  int32_t field_id = 0;
  std::optional<int64_t> value_count;
  std::optional<int64_t> null_count;
  std::optional<int64_t> nan_count;
  std::optional<std::string> lower_bound;  ///< bytes, DecodeBound() reads them
  std::optional<std::string> upper_bound;
};

/// A data or delete file (spec table "data_file").
struct DataFile {
  enum class Content { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
  Content content = Content::kData;
  std::string path;    ///< as recorded: an opaque string
  std::string format;  ///< upper case: "PARQUET", "ORC", "AVRO", "PUFFIN"
  /// Partition values by partition field id (1000 …), as the tuple stores them.
  std::vector<std::pair<int32_t, Value>> partition;
  int64_t record_count = 0;
  int64_t file_size_bytes = 0;
  /// Of the fields asked for that the entry mentions; sorted by field id.
  std::vector<ColumnStatistics> columns;
  std::vector<int64_t> split_offsets;  ///< empty where the recorded list cannot be right
  std::vector<int32_t> equality_ids;
  std::optional<int32_t> sort_order_id;
  std::optional<int64_t> first_row_id;
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size_bytes;

  /// The statistics of that column, or null. O(log columns).
  const ColumnStatistics* FindColumn(int32_t field_id) const;
};

struct ManifestEntry {
  enum class Status { kExisting = 0, kAdded = 1, kDeleted = 2 };
  Status status = Status::kAdded;
  int64_t snapshot_id = 0;
  int64_t sequence_number = 0;  ///< data sequence number, inherited where the entry has none
  std::optional<int64_t> file_sequence_number;
  DataFile file;
};

/// Most bytes of memory that the entries of one file may take.
inline constexpr size_t kMaxManifestMemory = size_t{2} << 30;

/// What to keep of each manifest entry.
struct ManifestProjection {
  /// Keep the statistics of these fields (sorted, without duplicates); all others are skipped.
  std::span<const int32_t> statistics_field_ids;
  bool all_statistics = false;   ///< keep every column's instead
  bool deleted_entries = false;  ///< give entries of status kDeleted too
  size_t max_bytes = kMaxManifestMemory;
};

/// Reads a manifest list (an Avro file, given whole). Fields absent in old versions take the
/// spec's defaults. Works with or without Avro field ids (then by the spec's names).
/// Errors: Invalid with byte position, also where path, length or partition spec are missing or a
/// count is negative; UnsupportedError for an unknown codec. Memory is bounded by the inflated
/// block (at most 256 MiB each) and what is returned (at most some `max_bytes`).
arrow::Result<std::vector<ManifestFile>> ReadManifestList(std::string_view bytes,
                                                          size_t max_bytes = kMaxManifestMemory);

/// Reads a manifest, given whole. `source` is its line in the list, from which sequence number,
/// snapshot id and first row ids are inherited (spec: Sequence Number Inheritance, First Row ID
/// Inheritance). An entry's content decides what it is, not the list's (iceberg-rust#212).
/// Entries without the field `content` are data; Invalid if list or header say they are deletes.
/// Errors, also: Invalid for an entry without path, format, record count or size, an unknown
/// status or content, a negative number, an existing entry without sequence number above v1, a
/// partition spec in the header that is not that of `source`;
/// UnsupportedError for format version 4. Bounds on memory are those of ReadManifestList().
///
/// Partition values are decoded by the Avro types of the manifest itself: integers of any width
/// and logical type as int64_t, float and double as double, decimal as int128_t, all other bytes
/// as std::string. A date stays days, also where the column is a timestamp by now: MayBeDays().
arrow::Result<std::vector<ManifestEntry>> ReadManifest(std::string_view bytes,
                                                       const ManifestFile& source,
                                                       const ManifestProjection& projection);

/// The partition spec that the manifest's header says it is of; nullopt if it does not say, as in
/// v1 it need not. Errors: Invalid for damage.
arrow::Result<std::optional<int32_t>> ReadManifestSpecId(std::string_view bytes);

}  // namespace esker
