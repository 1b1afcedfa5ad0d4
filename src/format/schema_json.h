// Schemas out of JSON (spec: appendix C, Schemas).
#pragma once

#include <string_view>

#include "arrow/result.h"
#include "format/type.h"

namespace esker {

class JsonNode;

/// A schema object. `schema-id` is 0 where it is absent (v1). Unknown members are ignored.
/// Errors: Invalid with the JSON path for what is missing or wrong, an unknown type, a field id
/// that is used twice (ids are how columns are found) or that the spec reserves.
arrow::Result<Schema> ParseSchema(const JsonNode& node);

/// The same from text.
arrow::Result<Schema> ParseSchema(std::string_view json);

}  // namespace esker
