// Fuzzes DecodeBound() over all types, and what is done with a bound: it compares equal to itself,
// prints, is a value of its type, and goes through every transform.
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

#include "arrow/result.h"
#include "arrow/status.h"
#include "format/arrow_schema.h"
#include "format/transform.h"
#include "format/value.h"

namespace {

constexpr const char* kTypes[] = {
    "boolean",  "int",       "long",          "float",       "double",       "decimal(38, 10)",
    "date",     "time",      "timestamp",     "timestamptz", "timestamp_ns", "timestamptz_ns",
    "string",   "uuid",      "fixed[5]",      "binary",      "unknown",      "variant",
    "geometry", "geography", "decimal(5, 0)",
};
constexpr const char* kTransforms[] = {"identity", "bucket[7]", "truncate[3]", "year", "month",
                                       "day",      "hour",      "void",        "x"};

void Use(const esker::Value& value, const esker::Type& type, bool may_be_nan = false) {
  (void)esker::ValueToString(value, type);
  (void)esker::ValueToScalar(value, type).ok();
  for (const char* transform : kTransforms) {
    (void)esker::ApplyTransform(esker::ParseTransform(transform), type, value).ok();
  }
  if (esker::IsNull(value)) return;
  const bool is_sound = esker::FitsType(value, type) && (may_be_nan || !esker::IsNan(value)) &&
                        esker::CompareValues(value, value) == std::weak_ordering::equivalent;
  if (!is_sound) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* name : kTypes) {
    const esker::Type type = esker::ParsePrimitiveType(name).ValueOrDie();
    Use(esker::DecodeBound(bytes, type), type);
  }
  // As the JSON of a default too, of one type at a time: what is no JSON is slow to refuse.
  const esker::Type type = esker::ParsePrimitiveType(kTypes[size % std::size(kTypes)]).ValueOrDie();
  const auto value = esker::ParseJsonValue(bytes, type);
  if (value.ok()) Use(*value, type, true);
  return 0;
}
