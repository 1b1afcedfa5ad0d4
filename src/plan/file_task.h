// FileTask: one data file of a scan with everything that reading it needs besides the request.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "format/manifest.h"
#include "format/transform.h"
#include "format/value.h"

namespace esker {

/// A delete file as planned. Shared by the data files that it may concern.
struct DeleteFile {
  DataFile file;
  int64_t sequence_number = 0;  ///< data sequence number
  int32_t spec_id = 0;
};

struct FileTask {
  DataFile file;
  int64_t sequence_number = 0;  ///< data sequence number, for _last_updated_sequence_number
  int32_t spec_id = 0;

  /// Identity partition values by *source* field id, as the manifest has them: they fit the
  /// column's type now, but those of a timestamp may be days (MayBeDays()). They stand in for
  /// columns that the file does not store (spec: Column Projection).
  std::vector<std::pair<int32_t, Value>> constants;

  /// What other transforms of a column are in every row, by *source* field id: a file of one day is
  /// constant in day(ts).
  std::vector<std::pair<int32_t, std::pair<Transform, Value>>> transforms;

  /// Deletes that apply to this file by sequence number, partition and path (spec: Scan Planning).
  std::vector<std::shared_ptr<const DeleteFile>> position_deletes;
  std::vector<std::shared_ptr<const DeleteFile>> equality_deletes;
  std::shared_ptr<const DeleteFile> deletion_vector;

  bool has_deletes() const {
    return !position_deletes.empty() || !equality_deletes.empty() || deletion_vector != nullptr;
  }
};

}  // namespace esker
