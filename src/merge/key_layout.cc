// Key layout: kinds and widths of key types, and the packing of fixed-width keys.
#include "merge/key_layout.h"

#include "base/status.h"

namespace esker {
namespace {

struct Shape {
  KeyKind kind;
  int width;
};

arrow::Result<Shape> ShapeOf(const Type& type, const std::string& name) {
  switch (type.id) {
    case TypeId::kBoolean:
      return Shape{KeyKind::kBoolean, 1};
    case TypeId::kInt:
    case TypeId::kDate:
      return Shape{KeyKind::kInt32, 32};
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Shape{KeyKind::kInt64, 64};
    case TypeId::kFloat:
      return Shape{KeyKind::kFloat, 32};
    case TypeId::kDouble:
      return Shape{KeyKind::kDouble, 64};
    case TypeId::kDecimal:
      return Shape{KeyKind::kDecimal, 128};
    case TypeId::kUuid:
      return Shape{KeyKind::kFixed, 128};
    case TypeId::kFixed:
      return Shape{KeyKind::kFixed, 8 * type.length};
    case TypeId::kString:
    case TypeId::kBinary:
      return Shape{KeyKind::kBytes, 0};
    default:
      return UnsupportedError("column ", name, " of type ", type.ToString(), " cannot be a key");
  }
}

arrow::Result<KeyPart> MakePart(const SortKey& key) {
  KeyPart part;
  part.key = key;
  part.type = key.type;
  if (part.transformed()) {
    if (key.transform.kind == Transform::Kind::kUnknown) {
      return UnsupportedError("key ", key.name, ": cannot sort by transform ", key.transform.text);
    }
    part.type = TransformResultType(key.transform, key.type);
  }
  ARROW_ASSIGN_OR_RAISE(const Shape shape, ShapeOf(part.type, key.name));
  part.kind = shape.kind;
  part.width = shape.width;
  return part;
}

/// Words that hold all parts packed; 0 where one part or their sum is too wide.
int PackedWords(const std::vector<KeyPart>& parts) {
  int bits = 0;
  for (const KeyPart& part : parts) {
    if (part.kind == KeyKind::kBytes || part.width > 128 || part.width == 0) return 0;
    bits += part.width + 1;
  }
  if (bits > 64 * kMaxKeyWords) return 0;
  return bits <= 64 ? 1 : (bits + 63) / 64;
}

}  // namespace

arrow::Result<KeyLayout> MakeKeyLayout(const SortKeys& keys) {
  KeyLayout layout;
  for (const SortKey& key : keys) {
    ARROW_ASSIGN_OR_RAISE(KeyPart part, MakePart(key));
    layout.parts.push_back(std::move(part));
  }
  layout.words = PackedWords(layout.parts);
  // The last key ends at bit 0; each key in front of it lies above, its slot on top of its value.
  int bit = 0;
  for (auto part = layout.parts.rbegin(); part != layout.parts.rend(); ++part) {
    part->bit = bit;
    bit += part->width + 1;
  }
  return layout;
}

}  // namespace esker
