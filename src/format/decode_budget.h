// What the decoders of manifest lists and manifests share: a bound on what they build, and the
// place that goes into their errors.
#pragma once

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
  /// Fails `reader` once more than 2 GiB have been charged.
  void Charge(size_t bytes, ByteReader* reader) {
    charged_ += bytes;
    if (charged_ > kMaxBytes) reader->Fail("more than 2 GiB of entries in one file");
  }

 private:
  static constexpr size_t kMaxBytes = size_t{2} << 30;
  size_t charged_ = 0;
};

/// `status` with the block that it happened in; its byte position counts in the inflated block.
inline arrow::Status InBlock(const arrow::Status& status, const AvroBlock& block) {
  if (status.ok()) return status;
  return status.WithMessage("in the Avro block at byte ", block.position,
                            ", inflated: ", status.message());
}

}  // namespace esker
