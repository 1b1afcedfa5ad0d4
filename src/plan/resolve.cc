#include "plan/resolve.h"

#include <utility>

#include "base/status.h"

namespace esker {
namespace {

arrow::Status UnknownColumn(const std::string& name, const Schema& schema) {
  const std::string nearest = NearestName(name, schema.AllNames());
  const std::string hint = nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
  return UsageError("no column '", name, "' in the table", hint);
}

// Only struct members can be taken out of a row: a list has many elements, or none.
arrow::Status CheckPath(const FieldPath& path, const std::string& name) {
  for (size_t i = 0; i + 1 < path.size(); ++i) {
    if (path[i]->type.id != TypeId::kStruct) {
      return UsageError("column '", name, "' lies inside the ", path[i]->type.ToString(), " '",
                        path[i]->name, "' and cannot be taken alone");
    }
  }
  return arrow::Status::OK();
}

ColumnRequest MakeRequest(std::string name, const FieldPath& path) {
  ColumnRequest request{std::move(name), {}};
  for (const Field* field : path) request.path.push_back(*field);
  return request;
}

arrow::Result<SortKey> ResolveKey(const OrderKey& key, const Schema& schema) {
  const FieldPath path = schema.FindByName(key.column);
  if (path.empty()) return UnknownColumn(key.column, schema);
  ARROW_RETURN_NOT_OK(CheckPath(path, key.column));
  const Field& field = *path.back();
  if (field.type.id == TypeId::kFixed && !IsSortable(field.type)) {
    return UnsupportedError("cannot order by '", key.column, "': ", field.type.ToString(),
                            " is above the ", kMaxFixedKeyBytes, " bytes of a key");
  }
  if (!IsSortable(field.type)) {
    return UsageError("cannot order by '", key.column, "': type ", field.type.ToString(),
                      " cannot be a key");
  }
  return MakeKey(field, key.column, key.descending, key.nulls_first.value_or(!key.descending));
}

}  // namespace

SortKey MakeKey(const Field& field, std::string name, bool descending, bool nulls_first) {
  SortKey key;
  key.field_id = field.id;
  key.type = field.type;
  key.descending = descending;
  key.nulls_first = nulls_first;
  key.name = std::move(name);
  return key;
}

arrow::Result<SortKeys> ResolveKeys(const std::vector<OrderKey>& order, const Schema& schema) {
  SortKeys keys;
  for (const OrderKey& asked : order) {
    ARROW_ASSIGN_OR_RAISE(SortKey key, ResolveKey(asked, schema));
    for (const SortKey& before : keys) {
      if (before.field_id == key.field_id) {
        return UsageError("column '", asked.column, "' is named twice in the order");
      }
    }
    keys.push_back(std::move(key));
  }
  return keys;
}

arrow::Result<SortKey> ResolveKeyById(int32_t field_id, const Transform& transform,
                                      const Schema& schema) {
  const FieldPath path = schema.FindById(field_id);
  if (path.empty()) return UsageError("the table has no field ", field_id, " to order by");
  const std::string name = schema.NameOf(field_id);
  ARROW_RETURN_NOT_OK(CheckPath(path, name));
  SortKey key = MakeKey(*path.back(), name, /*descending=*/false, /*nulls_first=*/true);
  key.transform = transform;
  if (!IsSortable(key.type) || !IsSortable(TransformResultType(transform, key.type))) {
    return UsageError("cannot order by ", transform.text, "(", name, "): it has no order");
  }
  return key;
}

arrow::Result<ColumnRequest> ResolveColumn(const std::string& name, const Schema& schema) {
  const FieldPath path = schema.FindByName(name);
  if (!path.empty()) {
    ARROW_RETURN_NOT_OK(CheckPath(path, name));
    return MakeRequest(name, path);
  }
  if (auto metadata_column = MetadataColumn(name)) return ColumnRequest{name, {*metadata_column}};
  return UnknownColumn(name, schema);
}

std::vector<ColumnRequest> AllColumns(const Schema& schema) {
  std::vector<ColumnRequest> columns;
  for (const Field& field : schema.fields) columns.push_back({field.name, {field}});
  return columns;
}

ColumnRequest ColumnOfKey(const SortKey& key, const Schema& schema) {
  return MakeRequest(key.name, schema.FindById(key.field_id));
}

}  // namespace esker
