// Split spec: one part of a scan with nothing left to choose.
//
// Whoever reads a split plans the scan anew from the pinned metadata file, so a spec holds all that
// a plan depends on, names resolved to ids, and what is its own: the slice of the keys, or without
// an order a stretch of the files in reading order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "esker/options.h"
#include "format/transform.h"
#include "order/key_slice.h"
#include "order/sort_key.h"

namespace esker {

struct PlannedScan;

/// A sort key as it is written down; the schema adds type and name.
struct PinnedKey {
  int32_t field_id = 0;
  Transform transform;
  bool descending = false;
  bool nulls_first = true;

  bool operator==(const PinnedKey&) const = default;
};

/// Stretch of the planned files in reading order.
struct FileStretch {
  int64_t begin = 0;
  int64_t end = 0;    ///< one past the last
  int64_t total = 0;  ///< files of the whole scan

  bool operator==(const FileStretch&) const = default;
};

struct SplitSpec {
  std::string metadata_file;
  std::string table_folder;  ///< where the table was found; "" where its metadata says it is
  std::optional<int64_t> snapshot_id;  ///< none: a table without snapshots
  int32_t schema_id = 0;

  int32_t number = 0;  ///< from 0, in key order
  int32_t count = 1;
  int64_t estimated_rows = 0;

  std::vector<PinnedKey> keys;  ///< what the files lie in the order of; empty: the manifests'
  bool ordered = false;         ///< rows come in the order of `keys`; else `files` says which part
  std::vector<PinnedKey> assume_order;
  std::string where;
  std::optional<std::vector<std::string>> columns;

  // Options that decide which rows go where, so all splits of a scan must share them.
  OnDisorder on_disorder = OnDisorder::kError;
  bool use_bounds = true;
  bool prune_manifests = true;
  bool prune_files = true;

  KeySlice slice;     ///< ordered only
  FileStretch files;  ///< otherwise
};

/// Cuts a planned scan into at most `parts` splits, numbered in order; at least one. Reads nothing.
/// UsageError where `parts` is not in 1 to 1,000,000, for a scan with a limit, and for a scan that
/// is a split itself. Cost: see ChooseCuts().
arrow::Result<std::vector<SplitSpec>> MakeSplits(const PlannedScan& scan, int32_t parts);

/// The keys with types and names of `schema`. UsageError for a key that the schema does not have
/// or that cannot be one.
arrow::Result<SortKeys> ResolvePinnedKeys(const std::vector<PinnedKey>& keys,
                                          const Schema& schema);

/// UsageError unless the slice fits the keys: no cut is longer than they are, every rank is a null
/// slot or a whole value of its key, and the lower cut is before the upper one.
arrow::Status CheckSlice(const KeySlice& slice, const SortKeys& keys);

/// The request and the options that the spec pins; all else of `options` stays.
ScanRequest PinnedRequest(const SplitSpec& spec);
ScanOptions PinnedOptions(const SplitSpec& spec, ScanOptions options);

}  // namespace esker
