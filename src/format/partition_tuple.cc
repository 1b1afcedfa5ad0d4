#include "format/partition_tuple.h"

#include <limits>
#include <optional>

#include "arrow/status.h"
#include "format/json_node.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;  // spec: Partition Specs, v1
constexpr uint32_t kNested = KindBit(AvroKind::kRecord) | KindBit(AvroKind::kArray) |
                             KindBit(AvroKind::kMap) | KindBit(AvroKind::kUnion) |
                             KindBit(AvroKind::kEnum);

// The field ids in the order of the spec; none where an element has no id.
std::vector<std::optional<int32_t>> FieldIdsOf(std::string_view partition_spec) {
  std::vector<std::optional<int32_t>> ids;
  const auto json = ParseJson(partition_spec);
  if (!json.ok() || !json->is_array()) return ids;
  for (const auto& field : *json) {
    auto& id = ids.emplace_back();
    if (!field.is_object()) continue;
    const auto it = field.find("field-id");
    if (it == field.end() || !it->is_number_integer()) continue;
    const int64_t value = it->get<int64_t>();
    if (value >= 0 && value <= std::numeric_limits<int32_t>::max())
      id = static_cast<int32_t>(value);
  }
  return ids;
}

// Big-endian two's complement of any length; bytes above 16 may only repeat the sign.
int128_t ReadDecimal(std::string_view bytes, ByteReader* reader) {
  if (bytes.empty()) {
    reader->Fail("decimal without bytes");
    return 0;
  }
  const bool negative = static_cast<int8_t>(bytes[0]) < 0;
  for (; bytes.size() > 16; bytes.remove_prefix(1)) {
    if (static_cast<int8_t>(bytes[0]) != (negative ? -1 : 0)) {
      reader->Fail("decimal above 128 bits");
      return 0;
    }
  }
  if ((static_cast<int8_t>(bytes[0]) < 0) != negative) reader->Fail("decimal above 128 bits");
  __extension__ typedef unsigned __int128 Unsigned128;
  Unsigned128 value = negative ? ~Unsigned128{0} : Unsigned128{0};
  for (const char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return static_cast<int128_t>(value);
}

}  // namespace

arrow::Result<PartitionTupleReader> PartitionTupleReader::Make(const AvroSchema& schema,
                                                               AvroNodeIndex record,
                                                               std::string_view partition_spec) {
  PartitionTupleReader made;
  std::vector<std::optional<int32_t>> spec_ids;
  const auto& fields = schema.node(record).fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    const auto type = StripNull(schema, fields[i].type);
    if (!type.ok() || (KindBit(schema.node(type->node).kind) & kNested)) {
      return arrow::Status::Invalid("partition field '", fields[i].name,
                                    "' has no primitive Avro type");
    }
    const AvroNode& node = schema.node(type->node);
    Member member{0, node.kind, node.logical_type == "decimal", node.size, *type};
    if (!fields[i].field_id && spec_ids.empty()) spec_ids = FieldIdsOf(partition_spec);
    const auto spec_id = i < spec_ids.size() ? spec_ids[i] : std::nullopt;
    member.field_id = fields[i].field_id.value_or(
        spec_id.value_or(kFirstPartitionFieldId + static_cast<int32_t>(i)));
    made.members_.push_back(member);
  }
  return made;
}

void PartitionTupleReader::Read(ByteReader* reader,
                                std::vector<std::pair<int32_t, Value>>* tuple) const {
  tuple->reserve(members_.size());
  for (const Member& member : members_) {
    auto& [field_id, value] = tuple->emplace_back();
    field_id = member.field_id;
    if (ReadPresent(member.type, reader)) ReadValue(member, reader, &value);
  }
}

void PartitionTupleReader::ReadValue(const Member& member, ByteReader* reader, Value* value) {
  switch (member.kind) {
    case AvroKind::kBoolean:
      value->emplace<bool>(reader->ReadBool());
      return;
    case AvroKind::kInt:
    case AvroKind::kLong:
      value->emplace<int64_t>(reader->ReadVarint());
      return;
    case AvroKind::kFloat:
      value->emplace<double>(reader->ReadFixed<float>());
      return;
    case AvroKind::kDouble:
      value->emplace<double>(reader->ReadFixed<double>());
      return;
    case AvroKind::kNull:
      return;
    default:
      break;
  }
  const std::string_view bytes =
      member.kind == AvroKind::kFixed ? reader->ReadBytes(member.size) : reader->ReadSizedBytes();
  if (member.decimal) {
    value->emplace<int128_t>(ReadDecimal(bytes, reader));
  } else {
    value->emplace<std::string>(bytes);
  }
}

}  // namespace esker
