// Decoding plans: which fields of an Avro record to read, and how to pass over the rest.
//
// Avro has no index: to reach a field, all before it must be walked. Most bytes of a manifest
// entry are maps of statistics that nobody asked for, so walking is what planning costs. A plan
// is made once per file from the writer's schema; it knows for each type whether its size is
// fixed, or whether it is nothing but varints, which ByteReader passes over eight bytes at a
// time. Passing over allocates nothing.
//
// Work and depth are bounded by the bytes, whatever the schema: types of size zero cost nothing,
// all others take at least a byte, and nesting stops at 64 levels.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "arrow/result.h"
#include "base/byte_reader.h"
#include "format/avro_schema.h"

namespace esker {

/// Passes over values of any type of one schema. Borrows the schema, which must outlive it.
class AvroSkipper {
 public:
  explicit AvroSkipper(const AvroSchema& schema);

  /// Passes over one value of type `node`; on damage the reader has failed.
  void Skip(AvroNodeIndex node, ByteReader* reader) const { SkipValue(node, reader, 0); }

  const AvroSchema& schema() const { return schema_; }

  /// The size of every value of that type in bytes, or -1 if it varies.
  int64_t fixed_size(AvroNodeIndex node) const { return shapes_[node].fixed_size; }

 private:
  struct Shape {
    int64_t fixed_size = -1;
    int32_t varints = 0;        // > 0: exactly so many varints, and nothing else
    bool varint_bytes = false;  // a varint and a sized byte string, and nothing else
  };

  Shape FindShape(AvroNodeIndex node, int depth, std::vector<bool>* done);
  Shape RecordShape(AvroNodeIndex node, int depth, std::vector<bool>* done);
  bool IsVarintAndBytes(const AvroNode& record) const;
  void SkipValue(AvroNodeIndex node, ByteReader* reader, int depth) const;
  void SkipRecord(AvroNodeIndex record, ByteReader* reader, int depth) const;
  void SkipUnion(const AvroNode& node, ByteReader* reader, int depth) const;
  void SkipItems(const AvroNode& node, ByteReader* reader, int depth) const;

  const AvroSchema& schema_;
  std::vector<Shape> shapes_;
  std::vector<std::vector<AvroNodeIndex>> members_;  // of records, those of size zero left out
};

/// A type with the null branch of its union taken off.
struct AvroOptional {
  AvroNodeIndex node = 0;   ///< the type that is not null
  int8_t null_branch = -1;  ///< 0 or 1: the union's branch that is null; -1: no union
};

/// Takes the union off ["null", T], [T, "null"] and [T]; other types are returned as they are.
/// Invalid for any other union: the spec allows none. A lone "null" is itself.
arrow::Result<AvroOptional> StripNull(const AvroSchema& schema, AvroNodeIndex node);

/// Reads the branch of an optional; true if a value follows. Fails the reader for a wrong branch.
inline bool ReadPresent(const AvroOptional& type, ByteReader* reader) {
  if (type.null_branch < 0) return true;
  const int64_t branch = reader->ReadVarint();
  if (branch != 0 && branch != 1) reader->Fail("union branch that does not exist");
  return branch != type.null_branch && reader->ok();
}

/// ReadBlockHead() where the count is not a plain one; `count` has been read.
int64_t ReadSizedBlockHead(int64_t count, int64_t min_item_bytes, ByteReader* reader,
                           int64_t* byte_size);

/// Reads the head of the next block of an array or map: the number of its items, 0 at the end.
/// A negative count says that a size in bytes follows; it is checked and given in `byte_size`,
/// else -1 is. `min_item_bytes` is 0 or 1; if 1, a count above
/// the bytes that are left fails the reader.
inline int64_t ReadBlockHead(ByteReader* reader, int64_t min_item_bytes, int64_t* byte_size) {
  *byte_size = -1;
  const int64_t count = reader->ReadVarint();
  if (count >= 0 && count * min_item_bytes <= reader->remaining()) return count;
  return ReadSizedBlockHead(count, min_item_bytes, reader, byte_size);
}

/// What a reader wants from a record. Kinds are a set: several may do.
struct AvroTarget {
  int32_t field_id = 0;
  std::string_view name;   ///< used for a field without id
  std::string_view alias;  ///< a second such name, or ""
  uint32_t kinds = 0;      ///< bits 1 << AvroKind
  uint8_t action = 0;      ///< given back in the step; not 0
};

constexpr uint32_t KindBit(AvroKind kind) { return uint32_t{1} << static_cast<int>(kind); }
inline constexpr uint32_t kAnyInteger = KindBit(AvroKind::kInt) | KindBit(AvroKind::kLong);
inline constexpr uint32_t kAnyBytes =
    KindBit(AvroKind::kBytes) | KindBit(AvroKind::kString) | KindBit(AvroKind::kFixed);

/// One field of a record in the order of the writer.
struct AvroStep {
  AvroNodeIndex whole = 0;  ///< the field's type, its union included: what to pass over
  uint8_t action = 0;       ///< 0: pass over
  AvroOptional type;        ///< set if there is an action
};

/// Matches the fields of the record `record` with `targets`: by id, or by name in a
/// record of which no field has an id (some writers leave them out). Of two fields for one target
/// the first is taken. Fields of size zero that nobody wants are left out. Errors: Invalid naming
/// the field if its type is none of the kinds that the target takes.
arrow::Result<std::vector<AvroStep>> PlanRecord(const AvroSkipper& skipper, AvroNodeIndex record,
                                                std::span<const AvroTarget> targets);

/// The step for that action, or null if the record has no such field.
const AvroStep* FindStep(std::span<const AvroStep> steps, uint8_t action);

}  // namespace esker
