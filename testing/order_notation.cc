#include "testing/order_notation.h"

#include <bit>
#include <fstream>
#include <stdexcept>

#include "format/transform.h"

namespace esker::testing {
namespace {

[[noreturn]] void Malformed(std::string_view what, std::string_view text) {
  throw std::invalid_argument(std::string(what) + ": " + std::string(text));
}

std::string_view Trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Removes `end` from the end of the text, if it is there.
bool TakeEnd(std::string_view end, std::string_view* text) {
  if (!text->ends_with(end)) return false;
  *text = Trim(text->substr(0, text->size() - end.size()));
  return true;
}

const Field& FindField(const Schema& schema, std::string_view name) {
  const FieldPath path = schema.FindByName(name);
  if (path.empty()) Malformed("no such column", name);
  return *path.back();
}

int32_t FieldId(const Schema& schema, std::string_view name) {
  if (name.starts_with("?")) return std::stoi(std::string(name.substr(1)));
  return FindField(schema, name).id;
}

// "day(ts)" as transform and column.
std::pair<Transform, std::string> ParseTerm(std::string_view term) {
  const size_t open = term.find('(');
  if (open == std::string_view::npos) return {ParseTransform("identity"), std::string(term)};
  if (!term.ends_with(")")) Malformed("term", term);
  return {ParseTransform(term.substr(0, open)),
          std::string(term.substr(open + 1, term.size() - open - 2))};
}

SortField ParseSortField(std::string_view text, const Schema& schema) {
  SortField field;
  std::string_view rest = text;
  if (TakeEnd("nulls last", &rest)) {
    field.nulls_first = false;
  } else if (!TakeEnd("nulls first", &rest)) {
    Malformed("where do the nulls go", text);
  }
  field.descending = TakeEnd(" desc", &rest);
  if (!field.descending && !TakeEnd(" asc", &rest)) Malformed("direction", text);
  const auto [transform, columns] = ParseTerm(rest);
  field.transform = transform;
  for (const auto& column : Split(columns, "+")) {
    field.source_ids.push_back(FieldId(schema, column));
  }
  return field;
}

std::string LittleEndian(uint64_t bits, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  return bytes;
}

std::string FromHex(std::string_view digits) {
  std::string bytes;
  for (size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(digits.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

Value ParseConstant(const Type& type, std::string_view text) {
  if (text == "null") return Value{};
  if (text.starts_with("'")) return std::string(text.substr(1, text.size() - 2));
  if (text.starts_with("hex(")) return FromHex(text.substr(4, text.size() - 5));
  if (type.id == TypeId::kFloat || type.id == TypeId::kDouble) {
    return std::stod(std::string(text));
  }
  return Value(int64_t{std::stoll(std::string(text))});
}

// "1..5 nulls 0 nans 0"
ColumnStatistics ParseStatistics(std::string_view text, const Type& type) {
  ColumnStatistics statistics;
  const auto words = Split(text, " ");
  const auto bounds = Split(words.at(0), "..");
  if (bounds.size() != 2) Malformed("bounds", text);
  if (bounds[0] != "?") statistics.lower_bound = BoundBytes(type, bounds[0]);
  if (bounds[1] != "?") statistics.upper_bound = BoundBytes(type, bounds[1]);
  for (size_t i = 1; i + 1 < words.size(); i += 2) {
    const int64_t count = std::stoll(words[i + 1]);
    if (words[i] == "nulls") statistics.null_count = count;
    if (words[i] == "nans") statistics.nan_count = count;
    if (words[i] == "values") statistics.value_count = count;
  }
  return statistics;
}

// One fact: "a 1..5 nulls 0", "a = 3" or "bucket[4](a) = 2".
void ParseFact(std::string_view text, const Schema& schema, int64_t record_count,
               std::map<int32_t, ColumnFacts>* facts) {
  if (const size_t equals = text.find(" = "); equals != std::string_view::npos) {
    const auto [transform, name] = ParseTerm(Trim(text.substr(0, equals)));
    const Field& field = FindField(schema, name);
    const std::string_view value = Trim(text.substr(equals + 3));
    if (transform.is_identity()) {
      (*facts)[field.id] = FactsOfConstant(ParseConstant(field.type, value));
    } else {
      const Type type = TransformResultType(transform, field.type);
      (*facts)[field.id].partition_transforms.emplace_back(transform, ParseConstant(type, value));
    }
    return;
  }
  const size_t blank = text.find(' ');
  if (blank == std::string_view::npos) Malformed("fact", text);
  const Field& field = FindField(schema, text.substr(0, blank));
  const auto statistics = ParseStatistics(Trim(text.substr(blank)), field.type);
  (*facts)[field.id] = FactsFromStatistics(&statistics, field.type, field.required, record_count);
}

}  // namespace

std::string Case::Find(std::string_view word) const {
  for (const auto& [name, text] : entries) {
    if (name == word) return text;
  }
  return "";
}

std::vector<Case> ReadCases(std::string_view name) {
  std::ifstream file(std::string(ESKER_SOURCE_DIR) + "/testdata/order/" + std::string(name));
  if (!file) Malformed("cannot open the cases", name);
  std::vector<Case> cases;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    const std::string_view text = Trim(line);
    if (text.empty() || text.starts_with("#")) continue;
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) Malformed("line", text);
    const std::string word(Trim(text.substr(0, colon)));
    const std::string rest(Trim(text.substr(colon + 1)));
    if (word == "case") {
      cases.push_back({rest, std::string(name) + ":" + std::to_string(number), {}});
    }
    if (cases.empty()) Malformed("line before the first case", text);
    cases.back().entries.emplace_back(word, rest);
  }
  return cases;
}

std::vector<std::string> Split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  while (!Trim(text).empty()) {
    const size_t end = text.find(separator);
    const std::string_view part = Trim(text.substr(0, end));
    if (!part.empty()) parts.emplace_back(part);
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + separator.size());
  }
  return parts;
}

Schema ParseColumns(std::string_view text) {
  Schema schema;
  for (const auto& column : Split(text, ", ")) {
    const auto words = Split(column, " ");
    Field field;
    field.id = static_cast<int32_t>(schema.fields.size()) + 1;
    field.name = words.at(0);
    field.type = ParsePrimitiveType(words.at(1)).ValueOrDie();
    field.required = words.size() > 2 && words[2] == "required";
    schema.fields.push_back(std::move(field));
  }
  return schema;
}

std::vector<SortField> ParseSortFields(std::string_view text, const Schema& schema) {
  std::vector<SortField> fields;
  for (const auto& part : Split(text, ", ")) fields.push_back(ParseSortField(part, schema));
  return fields;
}

SortKeys ParseKeys(std::string_view text, const Schema& schema) {
  SortKeys keys;
  for (const SortField& field : ParseSortFields(text, schema)) {
    const Field& column = *schema.FindById(field.source_ids.at(0)).back();
    keys.push_back({column.id, column.type, field.descending, field.nulls_first, field.transform,
                    column.name});
  }
  return keys;
}

std::map<int32_t, ColumnFacts> ParseFacts(std::string_view text, const Schema& schema,
                                          int64_t record_count) {
  std::map<int32_t, ColumnFacts> facts;
  for (const Field& field : schema.fields) {
    facts[field.id] = FactsFromStatistics(nullptr, field.type, field.required, record_count);
  }
  for (const auto& fact : Split(text, ";")) ParseFact(fact, schema, record_count, &facts);
  return facts;
}

std::string BoundBytes(const Type& type, std::string_view text) {
  if (text.starts_with("hex(")) return FromHex(text.substr(4, text.size() - 5));
  if (text.starts_with("'")) return std::string(text.substr(1, text.size() - 2));
  const std::string number(text);
  switch (type.id) {
    case TypeId::kBoolean:
      return std::string(1, text == "true" ? '\1' : '\0');
    case TypeId::kInt:
    case TypeId::kDate:
      return LittleEndian(static_cast<uint64_t>(std::stoll(number)), 4);
    case TypeId::kFloat:
      return LittleEndian(std::bit_cast<uint32_t>(std::stof(number)), 4);
    case TypeId::kDouble:
      return LittleEndian(std::bit_cast<uint64_t>(std::stod(number)), 8);
    default:
      return LittleEndian(static_cast<uint64_t>(std::stoll(number)), 8);
  }
}

}  // namespace esker::testing
