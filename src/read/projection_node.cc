#include "read/projection_node.h"

#include <utility>

#include "arrow/array.h"
#include "arrow/array/util.h"
#include "arrow/buffer.h"
#include "arrow/compute/cast.h"
#include "arrow/compute/exec.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/bitmap_ops.h"
#include "arrow/util/checked_cast.h"

namespace esker::read_internal {
namespace {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;
using Kind = ProjectionNode::Kind;

arrow::Result<std::shared_ptr<arrow::Buffer>> NullBitsFromZero(const arrow::Array& array,
                                                               arrow::MemoryPool* pool) {
  if (array.null_bitmap() == nullptr || array.offset() == 0) return array.null_bitmap();
  return arrow::internal::CopyBitmap(pool, array.null_bitmap_data(), array.offset(),
                                     array.length());
}

arrow::Result<ArrayPtr> ApplyStruct(const ProjectionNode& node, const arrow::StructArray& decoded,
                                    arrow::MemoryPool* pool) {
  std::vector<std::shared_ptr<arrow::ArrayData>> members;
  for (size_t i = 0; i < node.children.size(); ++i) {
    ArrayPtr member;
    if (node.sources[i] < 0) {
      ARROW_ASSIGN_OR_RAISE(
          member, arrow::MakeArrayFromScalar(*node.children[i].constant, decoded.length(), pool));
    } else {
      if (node.sources[i] >= decoded.num_fields()) {
        return arrow::Status::Invalid("a struct was decoded with fewer members than it has");
      }
      ARROW_ASSIGN_OR_RAISE(
          member, ApplyProjection(node.children[i], decoded.field(node.sources[i]), pool));
    }
    members.push_back(member->data());
  }
  ARROW_ASSIGN_OR_RAISE(auto nulls, NullBitsFromZero(decoded, pool));
  return arrow::MakeArray(arrow::ArrayData::Make(node.type, decoded.length(), {std::move(nulls)},
                                                 std::move(members), decoded.null_count()));
}

// Lists of any layout with plain offsets.
arrow::Result<ArrayPtr> AsList(const ArrayPtr& decoded, arrow::MemoryPool* pool) {
  if (decoded->type_id() == arrow::Type::LIST) return decoded;
  arrow::compute::ExecContext context(pool);
  return arrow::compute::Cast(*decoded, arrow::list(decoded->type()->field(0)),
                              arrow::compute::CastOptions::Safe(), &context);
}

arrow::Result<ArrayPtr> ApplyList(const ProjectionNode& node, const ArrayPtr& decoded,
                                  arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr plain, AsList(decoded, pool));
  const auto& list = checked_cast<const arrow::ListArray&>(*plain);
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr values,
                        ApplyProjection(node.children[0], list.values(), pool));
  auto data = list.data()->Copy();
  data->type = node.type;
  data->child_data = {values->data()};
  return arrow::MakeArray(std::move(data));
}

arrow::Result<ArrayPtr> ApplyMap(const ProjectionNode& node, const arrow::MapArray& map,
                                 arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr keys, ApplyProjection(node.children[0], map.keys(), pool));
  ARROW_ASSIGN_OR_RAISE(const ArrayPtr items, ApplyProjection(node.children[1], map.items(), pool));
  auto entries = arrow::ArrayData::Make(node.type->field(0)->type(), keys->length(), {nullptr},
                                        {keys->data(), items->data()}, 0);
  auto data = map.data()->Copy();
  data->type = node.type;
  data->child_data = {std::move(entries)};
  return arrow::MakeArray(std::move(data));
}

}  // namespace

arrow::Result<ArrayPtr> ApplyProjection(const ProjectionNode& node, const ArrayPtr& decoded,
                                        arrow::MemoryPool* pool) {
  switch (node.kind) {
    case Kind::kConstant:
      return arrow::MakeArrayFromScalar(*node.constant, decoded->length(), pool);
    case Kind::kLeaf:
      return node.leaf->Apply(decoded, pool);
    case Kind::kStruct:
      return ApplyStruct(node, checked_cast<const arrow::StructArray&>(*decoded), pool);
    case Kind::kList:
      return ApplyList(node, decoded, pool);
    case Kind::kMap:
      return ApplyMap(node, checked_cast<const arrow::MapArray&>(*decoded), pool);
  }
  return arrow::Status::Invalid("unknown kind of column");
}

}  // namespace esker::read_internal
