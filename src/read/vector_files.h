// Vector files: the Puffin files that hold deletion vectors, many data files' in one.
//
// A Puffin file is read whole when its first vector is wanted, and its footer kept; of the others
// only their own bytes are read then. So a file with a thousand vectors costs twice its size, not a
// thousand times.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "arrow/result.h"
#include "base/scan_counters.h"
#include "catalog/storage.h"
#include "format/manifest.h"
#include "format/position_set.h"
#include "format/puffin.h"

namespace esker {

/// Thread safe.
class VectorFiles {
 public:
  VectorFiles(std::shared_ptr<const Storage> storage, std::shared_ptr<ScanCounters> counters);

  /// The positions of a deletion vector as its manifest entry describes it. Errors name file and
  /// data file. Invalid: not a vector, not where the entry says, damaged, another cardinality than
  /// the entry's record_count; IOError; UnsupportedError.
  arrow::Result<PositionSet> Read(const DataFile& vector);

 private:
  struct Container {
    std::mutex mutex;  // guards the rest until is_read; then nothing changes any more
    bool is_read = false;
    std::optional<PuffinFile> puffin;  // none: bare vectors without a Puffin container
  };

  arrow::Result<PositionSet> ReadUnnamed(const DataFile& vector);
  arrow::Result<PositionSet> ReadFirst(const DataFile& vector, Container* container);
  arrow::Result<PositionSet> ReadRange(const DataFile& vector, const Container& container);

  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<ScanCounters> counters_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Container>> containers_;  // by path
};

}  // namespace esker
