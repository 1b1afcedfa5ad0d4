// Vector files: the Puffin files that hold deletion vectors, many data files' in one.
//
// A small Puffin file is read whole when its first vector is wanted, and where its vectors lie is
// kept; of the others only their own bytes are read then. So a file with a thousand vectors costs
// twice its size, not a thousand times. Of a large one its footer is read instead.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "base/scan_counters.h"
#include "catalog/storage.h"
#include "format/manifest.h"
#include "format/position_set.h"
#include "read/load_room.h"

namespace arrow::io {
class RandomAccessFile;
}

namespace esker {

/// Thread safe, but for the budget of a room.
class VectorFiles {
 public:
  VectorFiles(std::shared_ptr<const Storage> storage, std::shared_ptr<ScanCounters> counters);

  /// The positions of a deletion vector as its manifest entry describes it. Errors name file and
  /// data file. Invalid: not a vector, not where the entry says, damaged, another cardinality than
  /// the entry's record_count; IOError; UnsupportedError; a refusal of `room`. `charge` is resized
  /// along, and at last to what the positions take.
  arrow::Result<PositionSet> Read(const DataFile& vector, const LoadRoom& room,
                                  MemoryCharge* charge);

 private:
  struct Container {
    std::mutex mutex;  // guards the rest until is_read; then nothing changes any more
    bool is_read = false;
    // Offset and size of the uncompressed vectors; none: bare ones without a Puffin container.
    std::optional<std::vector<std::pair<int64_t, int64_t>>> vectors;
  };

  arrow::Result<PositionSet> ReadUnnamed(const DataFile& vector, const LoadRoom& room,
                                         MemoryCharge* charge);
  arrow::Result<PositionSet> ReadFirst(const DataFile& vector, const LoadRoom& room,
                                       MemoryCharge* charge, Container* container);
  arrow::Result<PositionSet> ReadRange(const DataFile& vector, const LoadRoom& room,
                                       MemoryCharge* charge, const Container& container);

  std::shared_ptr<const Storage> storage_;
  std::shared_ptr<ScanCounters> counters_;
  std::mutex mutex_;
  std::unordered_map<std::string, std::shared_ptr<Container>> containers_;  // by path
};

}  // namespace esker
