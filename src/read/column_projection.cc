#include "read/column_projection.h"

#include <algorithm>
#include <utility>

#include "arrow/array.h"
#include "arrow/scalar.h"
#include "arrow/type.h"
#include "arrow/util/checked_cast.h"
#include "base/status.h"
#include "format/arrow_schema.h"
#include "read/leaf_conversion.h"
#include "read/missing_column.h"
#include "read/projection_node.h"

namespace esker {

using arrow::internal::checked_cast;
using ArrayPtr = std::shared_ptr<arrow::Array>;

namespace {

using read_internal::ProjectionNode;
using Kind = ProjectionNode::Kind;

bool IsListLike(arrow::Type::type id) {
  return id == arrow::Type::LIST || id == arrow::Type::LARGE_LIST ||
         id == arrow::Type::FIXED_SIZE_LIST || id == arrow::Type::LIST_VIEW ||
         id == arrow::Type::LARGE_LIST_VIEW;
}

arrow::Status Mismatch(const Field& field, const FileColumn& column) {
  return arrow::Status::Invalid("column '", field.name, "' (field id ", field.id, "): type ",
                                column.type->ToString(), " of the file cannot become ",
                                field.type.ToString());
}

int FirstLeaf(const FileColumn& column) {
  const FileColumn* node = &column;
  while (!node->children.empty()) node = &node->children.front();
  return node->leaf;
}

void AllLeaves(const FileColumn& column, std::vector<int>* leaves) {
  if (column.leaf >= 0) leaves->push_back(column.leaf);
  for (const FileColumn& child : column.children) AllLeaves(child, leaves);
}

class Planner {
 public:
  Planner(const FileSchema& schema, const FileTask& task) : schema_(schema), task_(task) {}

  arrow::Result<ProjectionNode> Plan(const Field& field, const FileColumn& column) {
    if (field.type.id == TypeId::kUnknown) return Constant(field);
    switch (field.type.id) {
      case TypeId::kStruct:
        return PlanStruct(field, column);
      case TypeId::kList:
        return PlanList(field, column);
      case TypeId::kMap:
        return PlanMap(field, column);
      default:
        return PlanLeaf(field, column);
    }
  }

  arrow::Result<ProjectionNode> Constant(const Field& field) {
    ProjectionNode node;
    ARROW_ASSIGN_OR_RAISE(node.type, ToArrowType(field.type));
    ARROW_ASSIGN_OR_RAISE(node.constant, MissingValue(field, task_));
    return node;
  }

  /// Where among `columns` the field is stored; -1: nowhere, or something else goes before it.
  int Find(const std::vector<FileColumn>& columns, const Field& field) const {
    if (field.type.id == TypeId::kUnknown) return -1;
    // Partition values go before the name mapping (spec: Column Projection).
    if (!schema_.has_field_ids && FindConstant(task_, field.id) != nullptr) return -1;
    return FindColumn(columns, field.id);
  }

  std::vector<int>& leaves() { return leaves_; }

 private:
  arrow::Result<ProjectionNode> Start(Kind kind, const Field& field, const FileColumn& column) {
    ProjectionNode node;
    node.kind = kind;
    node.file = &column;
    ARROW_ASSIGN_OR_RAISE(node.type, ToArrowType(field.type));
    return node;
  }

  arrow::Result<ProjectionNode> PlanLeaf(const Field& field, const FileColumn& column) {
    ARROW_ASSIGN_OR_RAISE(ProjectionNode node, Start(Kind::kLeaf, field, column));
    if (column.leaf < 0) return Mismatch(field, column);
    auto conversion = LeafConversion::Make(column.type, field.type, node.type);
    if (!conversion.ok()) return Mismatch(field, column);
    node.leaf = *std::move(conversion);
    leaves_.push_back(column.leaf);
    return node;
  }

  arrow::Result<ProjectionNode> PlanStruct(const Field& field, const FileColumn& column) {
    if (column.type->id() != arrow::Type::STRUCT) return Mismatch(field, column);
    ARROW_ASSIGN_OR_RAISE(ProjectionNode node, Start(Kind::kStruct, field, column));
    const size_t leaves_before = leaves_.size();
    for (const Field& member : *field.type.fields) {
      const int found = Find(column.children, member);
      node.stored.push_back(found < 0 ? nullptr : &column.children[found]);
      ARROW_ASSIGN_OR_RAISE(auto child,
                            found < 0 ? Constant(member) : Plan(member, column.children[found]));
      node.children.push_back(std::move(child));
    }
    KeepShape(column, leaves_before);
    return node;
  }

  arrow::Result<ProjectionNode> PlanList(const Field& field, const FileColumn& column) {
    if (!IsListLike(column.type->id())) return Mismatch(field, column);
    ARROW_ASSIGN_OR_RAISE(ProjectionNode node, Start(Kind::kList, field, column));
    const size_t leaves_before = leaves_.size();
    ARROW_ASSIGN_OR_RAISE(auto element, Plan(field.type.fields->front(), column.children[0]));
    node.children.push_back(std::move(element));
    KeepShape(column, leaves_before);
    return node;
  }

  arrow::Result<ProjectionNode> PlanMap(const Field& field, const FileColumn& column) {
    if (column.type->id() != arrow::Type::MAP || column.children.size() != 2) {
      return Mismatch(field, column);
    }
    ARROW_ASSIGN_OR_RAISE(ProjectionNode node, Start(Kind::kMap, field, column));
    for (size_t i = 0; i < 2; ++i) {
      const size_t leaves_before = leaves_.size();
      ARROW_ASSIGN_OR_RAISE(auto child, Plan((*field.type.fields)[i], column.children[i]));
      node.children.push_back(std::move(child));
      KeepShape(column.children[i], leaves_before);
    }
    AllLeaves(column.children[0], &leaves_);  // a map without its whole key is none
    return node;
  }

  // Nulls and lengths of a group are stored in its leaves: one must be read, though none is wanted.
  void KeepShape(const FileColumn& column, size_t leaves_before) {
    if (leaves_.size() == leaves_before) leaves_.push_back(FirstLeaf(column));
  }

  const FileSchema& schema_;
  const FileTask& task_;
  std::vector<int> leaves_;
};

void SortUnique(std::vector<int>* numbers) {
  std::sort(numbers->begin(), numbers->end());
  numbers->erase(std::unique(numbers->begin(), numbers->end()), numbers->end());
}

bool HoldsLeaf(const FileColumn& column, const std::vector<int>& leaves) {
  if (column.leaf >= 0) return std::binary_search(leaves.begin(), leaves.end(), column.leaf);
  return std::any_of(column.children.begin(), column.children.end(),
                     [&](const FileColumn& child) { return HoldsLeaf(child, leaves); });
}

// Where each member lies in the decoded struct, in which members without leaves are left out.
void LocateMembers(const std::vector<int>& leaves, ProjectionNode* node) {
  for (ProjectionNode& child : node->children) LocateMembers(leaves, &child);
  if (node->kind != Kind::kStruct) return;
  for (const FileColumn* stored : node->stored) {
    int source = stored == nullptr ? -1 : 0;
    for (const FileColumn& member : node->file->children) {
      if (&member == stored) break;
      if (stored != nullptr && HoldsLeaf(member, leaves)) ++source;
    }
    node->sources.push_back(source);
  }
}

void CollectInt96(const FileColumn& column, const std::vector<int>& leaves,
                  std::vector<int>* int96) {
  if (column.is_int96 && HoldsLeaf(column, leaves)) int96->push_back(column.leaf);
  for (const FileColumn& child : column.children) CollectInt96(child, leaves, int96);
}

// The first of `path`, each struct of it cut down to the member that is next.
Field CutToPath(const std::vector<Field>& path) {
  Field cut = path.back();
  for (size_t i = path.size() - 1; i-- > 0;) {
    Field parent = path[i];
    parent.type.fields = std::make_shared<const std::vector<Field>>(1, std::move(cut));
    cut = std::move(parent);
  }
  return cut;
}

arrow::Status CheckPath(const ColumnRequest& request) {
  if (request.path.empty()) {
    return arrow::Status::Invalid("column '", request.name, "' has no field");
  }
  for (size_t i = 0; i + 1 < request.path.size(); ++i) {
    if (request.path[i].type.id == TypeId::kStruct) continue;
    return arrow::Status::Invalid("column '", request.name, "' lies below '", request.path[i].name,
                                  "', which is no struct");
  }
  return arrow::Status::OK();
}

// A member of a constant struct; null where the struct is.
arrow::Result<std::shared_ptr<arrow::Scalar>> ConstantMember(std::shared_ptr<arrow::Scalar> value,
                                                             size_t depth) {
  for (size_t i = 0; i < depth; ++i) {
    const auto member = value->type->field(0)->type();
    if (!value->is_valid) {
      value = arrow::MakeNullScalar(member);
    } else {
      value = checked_cast<const arrow::StructScalar&>(*value).value[0];
    }
  }
  return value;
}

// The leaf below `depth` structs of one member each; null if it is none, or not stored.
const FileColumn* StoredLeaf(const ProjectionNode& root, size_t depth) {
  const ProjectionNode* node = &root;
  for (size_t i = 0; i < depth; ++i) node = &node->children[0];
  return node->kind == Kind::kLeaf ? node->file : nullptr;
}

}  // namespace

arrow::Result<ColumnProjection> ColumnProjection::Make(const ColumnRequest& request,
                                                       const FileSchema& schema,
                                                       const FileTask& task) {
  ARROW_RETURN_NOT_OK(CheckPath(request));
  ColumnProjection projection;
  projection.name_ = request.name;
  projection.depth_ = request.path.size() - 1;
  ARROW_ASSIGN_OR_RAISE(projection.type_, ToArrowType(request.field().type));
  projection.required_ = std::all_of(request.path.begin(), request.path.end(),
                                     [](const Field& field) { return field.required; }) &&
                         request.field().type.id != TypeId::kUnknown;

  const Field field = CutToPath(request.path);
  Planner planner(schema, task);
  projection.column_ = planner.Find(schema.columns, field);
  if (projection.column_ < 0) {
    if (!schema.is_resolvable() && field.type.id != TypeId::kUnknown &&
        FindConstant(task, field.id) == nullptr) {
      return UnsupportedError("column '", request.name,
                              "' cannot be found: the file has no field ids and the table no "
                              "name mapping (property schema.name-mapping.default)");
    }
    ARROW_ASSIGN_OR_RAISE(auto node, planner.Constant(field));
    ARROW_ASSIGN_OR_RAISE(projection.constant_,
                          ConstantMember(std::move(node.constant), projection.depth_));
    return projection;
  }
  const FileColumn& column = schema.columns[projection.column_];
  ARROW_ASSIGN_OR_RAISE(ProjectionNode root, planner.Plan(field, column));
  projection.leaves_ = std::move(planner.leaves());
  SortUnique(&projection.leaves_);
  LocateMembers(projection.leaves_, &root);
  std::vector<int> all;
  AllLeaves(column, &all);
  projection.is_whole_ = all.size() == projection.leaves_.size();
  CollectInt96(column, projection.leaves_, &projection.int96_leaves_);
  projection.stored_leaf_ = StoredLeaf(root, projection.depth_);
  projection.root_ = std::make_shared<const ProjectionNode>(std::move(root));
  return projection;
}

ColumnProjection ColumnProjection::Constant(std::string name,
                                            std::shared_ptr<arrow::Scalar> value) {
  ColumnProjection projection;
  projection.name_ = std::move(name);
  projection.type_ = value->type;
  projection.constant_ = std::move(value);
  return projection;
}

arrow::Result<ArrayPtr> ColumnProjection::Apply(const ArrayPtr& decoded,
                                                arrow::MemoryPool* pool) const {
  auto applied = read_internal::ApplyProjection(*root_, decoded, pool);
  if (!applied.ok()) return WithPlace(applied.status(), "column '" + name_ + "'");
  ArrayPtr values = *std::move(applied);
  for (size_t i = 0; i < depth_; ++i) {
    ARROW_ASSIGN_OR_RAISE(
        values, checked_cast<const arrow::StructArray&>(*values).GetFlattenedField(0, pool));
  }
  if (required_ && values->null_count() > 0) {
    return arrow::Status::Invalid("column '", name_, "' is required but holds a null");
  }
  return values;
}

}  // namespace esker
