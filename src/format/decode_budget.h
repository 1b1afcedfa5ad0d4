// What the decoders of manifest lists and manifests share: a bound on what they build, and the
// place that goes into their errors.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "arrow/status.h"
#include "base/byte_reader.h"
#include "format/avro_file.h"

namespace esker {

/// Bounds the memory of decoded entries. A few bytes of a hostile file can stand for hundreds in
/// memory, so that the size of the file is no bound.
class DecodeBudget {
 public:
  explicit DecodeBudget(size_t max_bytes) : left_(max_bytes) {}

  /// Fails `reader` once more has been charged than there is. To be called as a value is read, not
  /// after its entry: one entry may be the whole file.
  void Charge(size_t bytes, ByteReader* reader) {
    if (bytes > left_) reader->Fail("more entries in one file than its bound on memory allows");
    left_ -= std::min(bytes, left_);
  }

 private:
  size_t left_;
};

/// `status` with the block that it happened in; its byte position counts in the inflated block.
inline arrow::Status InBlock(const arrow::Status& status, const AvroBlock& block) {
  if (status.ok()) return status;
  return status.WithMessage("in the Avro block at byte ", block.position,
                            ", inflated: ", status.message());
}

}  // namespace esker
