// Writes manifests for tests and benchmarks, in the shapes that the spec and real writers know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace esker::testing {

/// A map of the manifest: field id to count, or field id to bound.
using CountMap = std::vector<std::pair<int32_t, int64_t>>;
using BoundMap = std::vector<std::pair<int32_t, std::string>>;

struct WrittenEntry {
  int64_t status = 1;
  std::optional<int64_t> snapshot_id;
  std::optional<int64_t> sequence_number;
  std::optional<int64_t> file_sequence_number;
  int64_t content = 0;
  std::string path = "data/a.parquet";
  std::string format = "PARQUET";
  std::optional<int64_t> day;  ///< the one partition value, an int
  /// Encoded values in place of `day`, for the columns of ManifestShape::partition.
  std::vector<std::optional<std::string>> partition;
  int64_t record_count = 10;
  int64_t file_size = 1000;
  std::optional<CountMap> column_sizes;
  std::optional<CountMap> value_counts;
  std::optional<CountMap> null_counts;
  std::optional<CountMap> nan_counts;
  std::optional<BoundMap> lower_bounds;
  std::optional<BoundMap> upper_bounds;
  std::optional<std::string> key_metadata;
  std::optional<std::vector<int64_t>> split_offsets;
  std::optional<std::vector<int64_t>> equality_ids;
  std::optional<int64_t> sort_order_id;
  std::optional<int64_t> first_row_id;
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;
  std::optional<int64_t> content_size;
};

struct WrittenPartitionColumn {
  std::string name;
  int32_t id = 1000;
  std::string avro_type;  ///< JSON
};

struct ManifestShape {
  std::string codec = "null";
  std::string format_version = "2";  ///< "" leaves the header key out
  bool ids = true;                   ///< write field ids into the Avro schema
  bool v1 = false;            ///< no content and sequence numbers; block_size_in_bytes is there
  bool sized_blocks = false;  ///< lists with negative counts and their size in bytes
  bool everything_optional = false;  ///< unions and wrapped types everywhere, as BigQuery writes
  /// The partition tuple; unset: the one column `day`.
  std::optional<std::vector<WrittenPartitionColumn>> partition;
  std::string header_content;  ///< header key "content", "" leaves it out
  std::string header_spec_id;  ///< header key "partition-spec-id", "" leaves it out
  int64_t entries_a_block = 1000;
};

/// The manifest as bytes of an Avro file, in blocks.
std::string WriteManifest(const std::vector<WrittenEntry>& entries,
                          const ManifestShape& shape = {});

}  // namespace esker::testing
