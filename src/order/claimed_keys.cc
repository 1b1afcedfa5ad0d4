// Sort orders as keys of R: CommonOrder() and KeysOfSortOrder() of claim.h.
#include <algorithm>
#include <utility>

#include "base/status.h"
#include "order/claim.h"

namespace esker {
namespace {

using Kind = Transform::Kind;

bool IsSame(const SortField& a, const SortField& b) {
  return a.source_ids == b.source_ids && a.transform == b.transform &&
         a.descending == b.descending && a.nulls_first == b.nulls_first;
}

bool HasSameFields(const Claim& a, const Claim& b) {
  return std::equal(a.fields.begin(), a.fields.end(), b.fields.begin(), b.fields.end(),
                    [](const SortField& x, const SortField& y) { return IsSame(x, y); });
}

// As SkipTransforms() of claim.cc, of fields whose columns nothing is known about.
size_t SkipTransforms(std::span<const SortField> fields, size_t begin) {
  const SortField& first = fields[begin];
  for (size_t i = begin; i < fields.size(); ++i) {
    const SortField& field = fields[i];
    if (field.source_ids != first.source_ids || field.source_ids.size() != 1 ||
        field.descending != first.descending || field.nulls_first != first.nulls_first ||
        !field.transform.preserves_order()) {
      return begin;
    }
    if (field.transform.is_identity()) return i;
  }
  return begin;
}

// The fields without what adds nothing: void, and order-preserving transforms before their column.
std::vector<SortField> Simplified(std::span<const SortField> fields) {
  std::vector<SortField> simple;
  for (size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].transform.kind == Kind::kVoid) continue;
    i = SkipTransforms(fields, i);
    simple.push_back(fields[i]);
  }
  return simple;
}

// A member of structs can be a key; what is inside a list or a map has no single value in a row.
bool IsInsideStructsOnly(const FieldPath& path) {
  return std::all_of(path.begin(), path.end() - 1,
                     [](const Field* field) { return field->type.id == TypeId::kStruct; });
}

arrow::Result<SortKey> KeyOf(const SortField& field, const Schema& schema) {
  if (field.source_ids.size() != 1) {
    return UnsupportedError("sort order: transform ", field.transform.text, " takes ",
                            field.source_ids.size(), " columns");
  }
  const int32_t field_id = field.source_ids[0];
  const FieldPath path = schema.FindById(field_id);
  if (path.empty()) {
    return UnsupportedError("sort order: the column with field id ", field_id, " no longer exists");
  }
  const std::string name = schema.NameOf(field_id);
  if (field.transform.kind == Kind::kUnknown) {
    return UnsupportedError("sort order: unknown transform ", field.transform.text, " of ", name);
  }
  const Type& type = path.back()->type;
  if (!IsSortable(type) || !IsInsideStructsOnly(path)) {
    return UnsupportedError("sort order: ", name, " of type ", type.ToString(), " cannot be a key");
  }
  return SortKey{field_id, type, field.descending, field.nulls_first, field.transform, name};
}

SortKeys PlainColumns(const Claim& claim, const Schema& schema) {
  SortKeys keys;
  for (const SortField& field : Simplified(claim.fields)) {
    if (!field.transform.is_identity()) break;
    auto key = KeyOf(field, schema);
    if (!key.ok()) break;
    keys.push_back(*std::move(key));
  }
  return keys;
}

void KeepCommonPrefix(const SortKeys& other, SortKeys* keys) {
  const auto [end, other_end] =
      std::mismatch(keys->begin(), keys->end(), other.begin(), other.end());
  keys->erase(end, keys->end());
}

}  // namespace

SortKeys CommonOrder(std::span<const Claim> claims, const Schema& schema) {
  SortKeys common;
  const Claim* last = nullptr;
  for (const Claim& claim : claims) {
    if (claim.source == ClaimSource::kNone) return {};
    if (claim.source == ClaimSource::kSingleRow) continue;
    // A table has many files and few orders: look at each order once where they come in a row.
    if (last != nullptr && HasSameFields(*last, claim)) continue;
    SortKeys keys = PlainColumns(claim, schema);
    if (last == nullptr) {
      common = std::move(keys);
    } else {
      KeepCommonPrefix(keys, &common);
    }
    last = &claim;
  }
  return common;
}

arrow::Result<SortKeys> KeysOfSortOrder(const SortOrder& order, const Schema& schema) {
  SortKeys keys;
  for (const SortField& field : Simplified(order.fields)) {
    ARROW_ASSIGN_OR_RAISE(SortKey key, KeyOf(field, schema));
    keys.push_back(std::move(key));
  }
  return keys;
}

}  // namespace esker
