#include "format/type.h"

#include <algorithm>
#include <charconv>
#include <span>

#include "base/ascii.h"

namespace esker {
namespace {

struct NamedType {
  std::string_view name;
  TypeId id;
};

// Types without parameters. Geometry and geography may stand without theirs.
constexpr NamedType kPlainTypes[] = {
    {"boolean", TypeId::kBoolean},
    {"int", TypeId::kInt},
    {"long", TypeId::kLong},
    {"float", TypeId::kFloat},
    {"double", TypeId::kDouble},
    {"date", TypeId::kDate},
    {"time", TypeId::kTime},
    {"timestamp", TypeId::kTimestamp},
    {"timestamptz", TypeId::kTimestampTz},
    {"timestamp_ns", TypeId::kTimestampNs},
    {"timestamptz_ns", TypeId::kTimestampTzNs},
    {"string", TypeId::kString},
    {"uuid", TypeId::kUuid},
    {"binary", TypeId::kBinary},
    {"unknown", TypeId::kUnknown},
    {"variant", TypeId::kVariant},
    {"geometry", TypeId::kGeometry},
    {"geography", TypeId::kGeography},
};

std::optional<int32_t> ParseNumber(std::string_view text) {
  text = TrimAscii(text);
  int32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// "decimal(9,2)" is name "decimal", parameters "9,2"; none if the brackets are not those given.
struct Parameterised {
  std::string_view name;
  std::string_view parameters;
};

std::optional<Parameterised> SplitParameters(std::string_view text, char open, char close) {
  const size_t start = text.find(open);
  if (start == std::string_view::npos || text.back() != close) return std::nullopt;
  return Parameterised{TrimAscii(text.substr(0, start)),
                       text.substr(start + 1, text.size() - start - 2)};
}

std::optional<Type> ParseDecimal(std::string_view text) {
  const auto parts = SplitParameters(text, '(', ')');
  if (!parts || parts->name != "decimal") return std::nullopt;
  const size_t comma = parts->parameters.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto precision = ParseNumber(parts->parameters.substr(0, comma));
  const auto scale = ParseNumber(parts->parameters.substr(comma + 1));
  if (!precision || !scale) return std::nullopt;
  if (*precision < 1 || *precision > 38 || *scale < 0 || *scale > *precision) return std::nullopt;
  Type type;
  type.id = TypeId::kDecimal;
  type.precision = *precision;
  type.scale = *scale;
  return type;
}

std::optional<Type> ParseFixed(std::string_view text) {
  const auto parts = SplitParameters(text, '[', ']');
  if (!parts || parts->name != "fixed") return std::nullopt;
  const auto length = ParseNumber(parts->parameters);
  if (!length || *length < 1) return std::nullopt;
  Type type;
  type.id = TypeId::kFixed;
  type.length = *length;
  return type;
}

std::optional<Type> ParsePlain(std::string_view text) {
  const auto parts = SplitParameters(text, '(', ')');
  const std::string_view name = parts ? parts->name : text;
  for (const NamedType& plain : kPlainTypes) {
    if (plain.name != name) continue;
    const bool is_geo = plain.id == TypeId::kGeometry || plain.id == TypeId::kGeography;
    if (parts && !is_geo) return std::nullopt;
    Type type;
    type.id = plain.id;
    return type;
  }
  return std::nullopt;
}

std::string_view PlainName(TypeId id) {
  const auto* found = std::find_if(std::begin(kPlainTypes), std::end(kPlainTypes),
                                   [id](const NamedType& plain) { return plain.id == id; });
  return found == std::end(kPlainTypes) ? "" : found->name;
}

std::string StructToString(const std::vector<Field>& fields) {
  std::string text = "struct<";
  for (const Field& field : fields) {
    if (&field != &fields.front()) text += ", ";
    text += std::to_string(field.id) + ": " + field.name + ": ";
    text += (field.required ? "required " : "optional ") + field.type.ToString();
  }
  return text + ">";
}

std::span<const Field> ChildrenOf(const Type& type) {
  if (type.fields == nullptr) return {};
  return *type.fields;
}

// Depth-first search; `path` is extended to the field found, else left as it was.
bool FindId(std::span<const Field> fields, int32_t id, FieldPath* path) {
  for (const Field& field : fields) {
    path->push_back(&field);
    if (field.id == id || FindId(ChildrenOf(field.type), id, path)) return true;
    path->pop_back();
  }
  return false;
}

// A whole name wins over a dotted path, level by level, since names may hold dots themselves.
bool FindName(std::span<const Field> fields, std::string_view name, FieldPath* path) {
  for (const Field& field : fields) {
    if (field.name != name) continue;
    path->push_back(&field);
    return true;
  }
  for (const Field& field : fields) {
    const size_t dot = field.name.size();
    if (name.size() <= dot || name[dot] != '.' || !name.starts_with(field.name)) continue;
    path->push_back(&field);
    if (FindName(ChildrenOf(field.type), name.substr(dot + 1), path)) return true;
    path->pop_back();
  }
  return false;
}

// Nobody types longer names, and a hostile schema could give each of its fields megabytes of
// prefix.
constexpr size_t kLongestSuggestion = 1000;

void CollectNames(std::span<const Field> fields, const std::string& prefix,
                  std::vector<std::string>* names) {
  for (const Field& field : fields) {
    if (prefix.size() + field.name.size() > kLongestSuggestion) continue;
    const std::string name = prefix + field.name;
    names->push_back(name);
    CollectNames(ChildrenOf(field.type), name + ".", names);
  }
}

// Letters changed, left out, put in, or swapped with their neighbour, the commonest slip (optimal
// string alignment). O(|a| |b|): callers keep both short.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> two_before, before(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) before[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = before[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({changed, before[j] + 1, row[j - 1] + 1});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], two_before[j - 2] + 1);
    }
    two_before = before;
    before = row;
  }
  return before[b.size()];
}

}  // namespace

bool Type::operator==(const Type& other) const {
  if (id != other.id || precision != other.precision || scale != other.scale ||
      length != other.length || text != other.text) {
    return false;
  }
  const auto mine = ChildrenOf(*this);
  const auto theirs = ChildrenOf(other);
  return std::equal(mine.begin(), mine.end(), theirs.begin(), theirs.end());
}

bool Field::operator==(const Field& other) const {
  return id == other.id && name == other.name && required == other.required && type == other.type &&
         initial_default == other.initial_default && write_default == other.write_default &&
         doc == other.doc;
}

std::string Type::ToString() const {
  const auto children = ChildrenOf(*this);
  switch (id) {
    case TypeId::kDecimal:
      return "decimal(" + std::to_string(precision) + ", " + std::to_string(scale) + ")";
    case TypeId::kFixed:
      return "fixed[" + std::to_string(length) + "]";
    case TypeId::kStruct:
      return fields == nullptr ? "struct<>" : StructToString(*fields);
    case TypeId::kList:
      return "list<" + (children.empty() ? "" : children[0].type.ToString()) + ">";
    case TypeId::kMap:
      if (children.size() < 2) return "map<>";
      return "map<" + children[0].type.ToString() + ", " + children[1].type.ToString() + ">";
    default:
      return text.empty() ? std::string(PlainName(id)) : text;
  }
}

FieldPath Schema::FindById(int32_t field_id) const {
  FieldPath path;
  FindId(fields, field_id, &path);
  return path;
}

FieldPath Schema::FindByName(std::string_view name) const {
  FieldPath path;
  FindName(fields, name, &path);
  return path;
}

std::string Schema::NameOf(int32_t field_id) const {
  std::string name;
  for (const Field* field : FindById(field_id)) {
    if (!name.empty()) name += '.';
    name += field->name;
  }
  return name;
}

std::vector<std::string> Schema::AllNames() const {
  std::vector<std::string> names;
  CollectNames(fields, "", &names);
  return names;
}

arrow::Result<Type> ParsePrimitiveType(std::string_view text) {
  const std::string lower = AsciiLower(TrimAscii(text));
  if (!lower.empty()) {
    for (auto* parse : {ParsePlain, ParseDecimal, ParseFixed}) {
      std::optional<Type> type = parse(lower);
      if (!type) continue;
      if (type->id == TypeId::kGeometry || type->id == TypeId::kGeography) {
        type->text = TrimAscii(text);
      }
      return *std::move(type);
    }
  }
  return arrow::Status::Invalid("unknown type '", text.substr(0, 100), "'");
}

std::string NearestName(std::string_view name, const std::vector<std::string>& candidates) {
  constexpr size_t kLongest = 100;  // names beyond this are not typed by hand
  if (name.empty() || name.size() > kLongest) return "";
  const std::string wanted = AsciiLower(name);
  // A third of the letters wrong is still a slip of the keyboard; more is another word.
  size_t nearest = std::max<size_t>(1, name.size() / 3) + 1;
  std::string found;
  for (const std::string& candidate : candidates) {
    if (candidate.size() > kLongest) continue;
    const size_t distance = EditDistance(wanted, AsciiLower(candidate));
    if (distance >= nearest) continue;
    nearest = distance;
    found = candidate;
  }
  return found;
}

}  // namespace esker
