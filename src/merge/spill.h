// Spill: batches that do not fit into memory, in a file that nobody can see.
//
// A spill file never has a name (on a file system that cannot do that, it loses it as soon as it is
// there): whatever ends the process, a signal included, nothing is left behind. Batches go in once
// and come out once, in the same order, as a compressed Arrow IPC stream.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"
#include "merge/memory_source.h"

namespace esker {

/// Where sorters and merge passes put what does not fit into memory.
struct SpillOptions {
  std::string directory{};       ///< "" for the system's temporary folder
  int64_t memory_bytes = 0;      ///< budget of one sorter; 0 for no limit
  int64_t part_bytes = 1 << 20;  ///< about what is written, and read back, at once
};

/// Writes one spill file and turns into a reader of it. The file is gone when neither is left.
class SpillFile {
 public:
  /// Creates the file. IOError naming the folder if that fails.
  static arrow::Result<std::unique_ptr<SpillFile>> Create(const SpillOptions& options,
                                                          std::shared_ptr<arrow::Schema> schema,
                                                          arrow::MemoryPool* pool,
                                                          std::shared_ptr<ScanCounters> counters);
  ~SpillFile();

  /// Appends a batch of the schema given, cut into parts of about part_bytes at most, so that a
  /// reader holds no more. IOError naming the folder, such as for a full disk.
  arrow::Status Write(const arrow::RecordBatch& batch);

  /// Ends writing; counts the bytes. To be called once, after the last Write().
  arrow::Status Finish();

  int64_t bytes() const { return bytes_; }  ///< on disk, after Finish()
  /// What reading takes, after Finish(): the largest part by average size, compressed and not.
  SourceMemory read_memory() const;

  /// The batches in the order in which they were written. Takes over the file: call it last.
  arrow::Result<NextBatch> Read();

 private:
  struct Impl;
  explicit SpillFile(std::unique_ptr<Impl> impl);

  std::unique_ptr<Impl> impl_;
  int64_t bytes_ = 0;
  int64_t largest_part_ = 0;  // uncompressed, as are the others
  int64_t plain_bytes_ = 0;
  int64_t rows_ = 0;
};

}  // namespace esker
