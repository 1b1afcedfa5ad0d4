// Fuzzes filters over a schema with a column of every type: any text gives a filter or a
// UsageError. What parses is printed, and what is printed must be read back as the same filter;
// pruning by absent, absurd and constant facts must keep its promises to itself.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/status.h"
#include "expr/filter.h"

namespace {

constexpr const char* kTypes[] = {
    "boolean",         "int",     "long",          "float",          "double",
    "decimal(38, 10)", "date",    "time",          "timestamp",      "timestamptz",
    "timestamp_ns",    "string",  "uuid",          "fixed[2]",       "binary",
    "unknown",         "variant", "decimal(5, 0)", "timestamptz_ns",
};
constexpr const char* kTransforms[] = {"identity", "bucket[7]", "truncate[3]", "year", "month",
                                       "day",      "hour",      "void",        "x"};

// Columns a, b, c … and struct s with member a.
esker::Schema MakeSchema() {
  esker::Schema schema;
  for (const char* type : kTypes) {
    esker::Field field;
    field.id = static_cast<int32_t>(schema.fields.size()) + 1;
    field.name = std::string(1, static_cast<char>('a' + schema.fields.size()));
    field.type = esker::ParsePrimitiveType(type).ValueOrDie();
    schema.fields.push_back(field);
  }
  esker::Field member = schema.fields[1];
  member.id = 100;
  esker::Field parent;
  parent.id = 101;
  parent.name = "x";
  parent.type.id = esker::TypeId::kStruct;
  parent.type.fields = std::make_shared<const std::vector<esker::Field>>(1, member);
  schema.fields.push_back(parent);
  return schema;
}

void Require(bool condition) {
  if (!condition) __builtin_trap();
}

void Prune(const esker::BoundFilter& filter, const esker::ColumnFacts& facts) {
  const auto lookup = [&](int32_t) { return facts; };
  const bool may = filter.MayMatch(lookup);
  const bool must = filter.MustMatch(lookup);
  Require(may || !must);
}

// A dictionary of the one value that all rows hold.
void PruneByValue(const esker::BoundFilter& filter, const esker::Value& value) {
  const esker::ColumnFacts facts = esker::FactsOfConstant(value);
  const auto lookup = [&](int32_t) { return facts; };
  const std::vector<esker::Value> values(esker::IsNull(value) ? 0 : 1, value);
  esker::BoundFilter::ValueProbe probe;
  probe.all_values = [&](int32_t) { return &values; };
  Require(filter.MayMatch(lookup, probe) || !filter.MustMatch(lookup));
}

void PrunePartitions(const esker::BoundFilter& filter, const esker::Value& value) {
  for (const char* transform : kTransforms) {
    esker::PartitionSpec spec;
    std::vector<std::pair<int32_t, esker::Value>> partition;
    for (const int32_t id : filter.field_ids()) {
      esker::PartitionField field;
      field.source_ids = {id};
      field.field_id = 1000 + id;
      field.transform = esker::ParseTransform(transform);
      spec.fields.push_back(field);
      partition.emplace_back(field.field_id, value);
    }
    (void)filter.MayMatchPartition(spec, partition);
    std::vector<esker::FieldSummary> summaries(spec.fields.size());
    for (esker::FieldSummary& summary : summaries) {
      summary.lower_bound = summary.upper_bound = std::string(8, '\x7F');
    }
    (void)filter.MayMatchManifest(spec, summaries);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const esker::Schema schema = MakeSchema();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto filter = esker::BoundFilter::Make(text, schema);
  if (!filter.ok()) {
    Require(esker::KindOf(filter.status()) == esker::ErrorKind::kUsage);
    return 0;
  }
  const std::string printed = filter->ToString();
  const auto again = esker::BoundFilter::Make(printed, schema);
  Require(again.ok() && again->ToString() == printed);
  Prune(*filter, {});
  for (const esker::Value& value :
       {esker::Value(), esker::Value(INT64_MIN), esker::Value(INT64_MAX), esker::Value(0.0),
        esker::Value(true), esker::Value(std::string("\xFF\xFF")),
        esker::Value(esker::int128_t{-1})}) {
    Prune(*filter, esker::FactsOfConstant(value));
    PruneByValue(*filter, value);
    PrunePartitions(*filter, value);
  }
  return 0;
}
