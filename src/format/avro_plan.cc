#include "format/avro_plan.h"

#include <limits>

#include "arrow/status.h"

namespace esker {
namespace {

constexpr int kMaxDepth = 64;
// Above it a size no longer fits anything that Esker reads, so that sums cannot overflow.
constexpr int64_t kMaxFixedSize = int64_t{1} << 40;
constexpr int32_t kMaxVarints = 1 << 20;

}  // namespace

AvroSkipper::AvroSkipper(const AvroSchema& schema) : schema_(schema), shapes_(schema.nodes.size()) {
  std::vector<bool> done(schema.nodes.size());
  for (AvroNodeIndex node = 0; node < schema.nodes.size(); ++node) FindShape(node, 0, &done);
  members_.resize(schema.nodes.size());
  for (AvroNodeIndex node = 0; node < schema.nodes.size(); ++node) {
    for (const AvroField& field : schema.node(node).fields) {
      if (shapes_[field.type].fixed_size != 0) members_[node].push_back(field.type);
    }
  }
}

// A type that contains itself is met again before it is done; it then counts as varying, which
// is right whatever it holds: a fixed shape is only a short cut.
AvroSkipper::Shape AvroSkipper::FindShape(AvroNodeIndex node, int depth, std::vector<bool>* done) {
  if ((*done)[node] || depth > kMaxDepth) return shapes_[node];
  (*done)[node] = true;
  switch (schema_.node(node).kind) {
    case AvroKind::kNull:
      return shapes_[node] = {0, 0, false};
    case AvroKind::kBoolean:
      return shapes_[node] = {1, 0, false};
    case AvroKind::kInt:
    case AvroKind::kLong:
    case AvroKind::kEnum:
      return shapes_[node] = {-1, 1, false};
    case AvroKind::kFloat:
      return shapes_[node] = {4, 0, false};
    case AvroKind::kDouble:
      return shapes_[node] = {8, 0, false};
    case AvroKind::kFixed:
      return shapes_[node] = {schema_.node(node).size, 0, false};
    case AvroKind::kRecord:
      return shapes_[node] = RecordShape(node, depth, done);
    default:
      return shapes_[node];
  }
}

AvroSkipper::Shape AvroSkipper::RecordShape(AvroNodeIndex node, int depth,
                                            std::vector<bool>* done) {
  Shape sum{0, 0, false};
  bool all_varints = true;
  for (const AvroField& field : schema_.node(node).fields) {
    const Shape shape = FindShape(field.type, depth + 1, done);
    const bool fixed = sum.fixed_size >= 0 && shape.fixed_size >= 0;
    sum.fixed_size = fixed ? sum.fixed_size + shape.fixed_size : -1;
    if (sum.fixed_size > kMaxFixedSize) sum.fixed_size = kMaxFixedSize;
    all_varints = all_varints && (shape.varints > 0 || shape.fixed_size == 0);
    sum.varints += shape.varints;
    if (sum.varints > kMaxVarints) all_varints = false;
    if (!all_varints) sum.varints = 0;
  }
  sum.varint_bytes = IsVarintAndBytes(schema_.node(node));
  return sum;
}

bool AvroSkipper::IsVarintAndBytes(const AvroNode& record) const {
  if (record.fields.size() != 2) return false;
  const AvroKind first = schema_.node(record.fields[0].type).kind;
  const AvroKind second = schema_.node(record.fields[1].type).kind;
  return (first == AvroKind::kInt || first == AvroKind::kLong) &&
         (second == AvroKind::kBytes || second == AvroKind::kString);
}

void AvroSkipper::SkipValue(AvroNodeIndex index, ByteReader* reader, int depth) const {
  const Shape& shape = shapes_[index];
  if (shape.fixed_size >= 0) return reader->Skip(shape.fixed_size);
  if (shape.varints > 0) return reader->SkipVarints(shape.varints);
  if (depth > kMaxDepth) return reader->Fail("value nested too deeply");
  const AvroNode& node = schema_.node(index);
  switch (node.kind) {
    case AvroKind::kBytes:
    case AvroKind::kString:
      reader->ReadSizedBytes();
      return;
    case AvroKind::kRecord:
      return SkipRecord(index, reader, depth);
    case AvroKind::kUnion:
      return SkipUnion(node, reader, depth);
    default:
      return SkipItems(node, reader, depth);
  }
}

void AvroSkipper::SkipRecord(AvroNodeIndex record, ByteReader* reader, int depth) const {
  for (const AvroNodeIndex member : members_[record]) {
    if (!reader->ok()) return;
    SkipValue(member, reader, depth + 1);
  }
}

void AvroSkipper::SkipUnion(const AvroNode& node, ByteReader* reader, int depth) const {
  const uint64_t branch = static_cast<uint64_t>(reader->ReadVarint());
  if (branch >= node.children.size()) return reader->Fail("union branch that does not exist");
  if (reader->ok()) SkipValue(node.children[branch], reader, depth + 1);
}

void AvroSkipper::SkipItems(const AvroNode& node, ByteReader* reader, int depth) const {
  const AvroNodeIndex item = node.children[0];
  const bool has_key = node.kind == AvroKind::kMap;
  const Shape& shape = shapes_[item];
  const int64_t min_item_bytes = has_key || shape.fixed_size != 0 ? 1 : 0;
  int64_t byte_size = -1;
  while (int64_t count = ReadBlockHead(reader, min_item_bytes, &byte_size)) {
    if (byte_size >= 0) {
      reader->Skip(byte_size);
    } else if (!has_key && shape.fixed_size >= 0) {
      // count is at most the bytes that are left, so the product is checked by division
      const bool fits = shape.fixed_size == 0 || count <= reader->remaining() / shape.fixed_size;
      reader->Skip(fits ? count * shape.fixed_size : std::numeric_limits<int64_t>::max());
    } else if (!has_key && shape.varints > 0) {
      reader->SkipVarints(count * shape.varints);
    } else if (!has_key && shape.varint_bytes) {
      reader->SkipVarintBytesPairs(count);
    } else {
      for (; count > 0 && reader->ok(); --count) {
        if (has_key) reader->ReadSizedBytes();
        SkipValue(item, reader, depth + 1);
      }
    }
  }
}

int64_t ReadSizedBlockHead(int64_t count, int64_t min_item_bytes, ByteReader* reader,
                           int64_t* byte_size) {
  if (count < 0) {
    if (count == std::numeric_limits<int64_t>::min()) reader->Fail("count out of range");
    count = reader->ok() ? -count : 0;
    *byte_size = reader->ReadVarint();
    if (*byte_size < 0 || *byte_size > reader->remaining()) reader->Fail("block size out of range");
  }
  if (min_item_bytes > 0 && count > reader->remaining()) reader->Fail("more items than bytes");
  return reader->ok() ? count : 0;
}

arrow::Result<AvroOptional> StripNull(const AvroSchema& schema, AvroNodeIndex node) {
  if (schema.node(node).kind != AvroKind::kUnion) return AvroOptional{node, -1};
  const auto& branches = schema.node(node).children;
  const auto is_null = [&](size_t i) { return schema.node(branches[i]).kind == AvroKind::kNull; };
  if (branches.size() == 2 && is_null(0) != is_null(1)) {
    const int8_t null_branch = is_null(0) ? 0 : 1;
    const AvroNodeIndex value = branches[1 - null_branch];
    if (schema.node(value).kind != AvroKind::kUnion) return AvroOptional{value, null_branch};
  }
  return arrow::Status::Invalid("a union other than of null and one type");
}

namespace {

bool NamesMatch(const AvroTarget& target, const AvroField& field) {
  return field.name == target.name || (!target.alias.empty() && field.name == target.alias);
}

const AvroTarget* FindTarget(std::span<const AvroTarget> targets, const AvroField& field,
                             bool record_has_ids) {
  for (const AvroTarget& target : targets) {
    if (field.field_id ? target.field_id == *field.field_id
                       : !record_has_ids && NamesMatch(target, field)) {
      return &target;
    }
  }
  return nullptr;
}

// Sets the action and the type of `step`.
arrow::Status PlanField(const AvroSchema& schema, const AvroField& field, const AvroTarget& target,
                        AvroStep* step) {
  const auto type = StripNull(schema, field.type);
  if (!type.ok()) {
    return arrow::Status::Invalid("field '", field.name, "' has ", type.status().message());
  }
  const AvroKind kind = schema.node(type->node).kind;
  if ((target.kinds & KindBit(kind)) == 0) {
    return arrow::Status::Invalid("field '", field.name, "' has the unexpected Avro type ",
                                  AvroKindName(kind));
  }
  step->type = *type;
  step->action = target.action;
  return arrow::Status::OK();
}

}  // namespace

arrow::Result<std::vector<AvroStep>> PlanRecord(const AvroSkipper& skipper, AvroNodeIndex record,
                                                std::span<const AvroTarget> targets) {
  const AvroSchema& schema = skipper.schema();
  const AvroNode& node = schema.node(record);
  if (node.kind != AvroKind::kRecord) {
    return arrow::Status::Invalid("expected an Avro record, found ", AvroKindName(node.kind));
  }
  bool has_ids = false;
  for (const AvroField& field : node.fields) has_ids = has_ids || field.field_id.has_value();
  std::vector<AvroStep> steps;
  for (const AvroField& field : node.fields) {
    AvroStep step;
    step.whole = field.type;
    const AvroTarget* target = FindTarget(targets, field, has_ids);
    if (target != nullptr && FindStep(steps, target->action) == nullptr) {
      ARROW_RETURN_NOT_OK(PlanField(schema, field, *target, &step));
    }
    if (step.action != 0 || skipper.fixed_size(field.type) != 0) steps.push_back(step);
  }
  return steps;
}

const AvroStep* FindStep(std::span<const AvroStep> steps, uint8_t action) {
  for (const AvroStep& step : steps) {
    if (step.action == action) return &step;
  }
  return nullptr;
}

}  // namespace esker
