// The partition tuple of manifest entries (spec: Data File Fields, 102 partition).
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "base/byte_reader.h"
#include "format/avro_plan.h"
#include "format/avro_schema.h"
#include "format/value.h"

namespace esker {

/// Decodes partition tuples by the Avro types of the manifest, as manifest.h says for
/// ReadManifest(). Does not keep the schema.
class PartitionTupleReader {
 public:
  /// `record` is the type of the tuple. Field ids come from the Avro schema; where it has none,
  /// from `partition_spec` (the JSON list in the header of the manifest) by position, and where
  /// that says nothing, they are 1000, 1001, … as v1 counts them.
  /// Errors: Invalid for a member of nested type.
  static arrow::Result<PartitionTupleReader> Make(const AvroSchema& schema, AvroNodeIndex record,
                                                  std::string_view partition_spec);

  /// Reads one tuple; on damage the reader has failed.
  void Read(ByteReader* reader, std::vector<std::pair<int32_t, Value>>* tuple) const;

 private:
  struct Member {
    int32_t field_id = 0;
    AvroKind kind = AvroKind::kNull;
    bool decimal = false;
    int64_t size = 0;  // kFixed
    AvroOptional type;
  };

  static void ReadValue(const Member& member, ByteReader* reader, Value* value);

  std::vector<Member> members_;
};

}  // namespace esker
