// Iceberg types and values as Arrow's: what a scan gives out, and constants in its columns.
//
//     int long float double boolean   int32 int64 float double bool
//     decimal(P, S)                   decimal128(P, S)
//     date time                       date32 time64[us]
//     timestamp timestamptz           timestamp[us], timestamp[us, UTC]; the _ns types with ns
//     string binary fixed[n]          utf8 binary fixed_size_binary(n)
//     uuid                            fixed_size_binary(16), marked as the extension "arrow.uuid"
//     struct list map unknown         struct list map null
//
// Every Arrow field carries its Iceberg id as metadata "PARQUET:field_id", as Parquet readers and
// writers do. Variant, geometry and geography have no Arrow type here and are refused by name.
#pragma once

#include <memory>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/type.h"
#include "format/value.h"

namespace esker {

/// The metadata key of field ids.
inline constexpr std::string_view kFieldIdKey = "PARQUET:field_id";

/// Arrow's form of a type or of a schema, whose fields are nullable unless required.
/// UnsupportedError for variant, geometry and geography, naming the column; a bare type is named by
/// what it is.
arrow::Result<std::shared_ptr<arrow::DataType>> ToArrowType(const Type& type);
arrow::Result<std::shared_ptr<arrow::Schema>> ToArrowSchema(const Schema& schema);

/// A constant of the Arrow type of `type`; a null scalar for null, also of nested types. Invalid if
/// the value does not fit the type: other alternative, beyond 32 bits, wrong length, too many
/// digits. Float values are rounded to float.
arrow::Result<std::shared_ptr<arrow::Scalar>> ValueToScalar(const Value& value, const Type& type);

/// The value of a column in files from before it was added (spec: Default values): its
/// initial-default, a null scalar if it has none. A struct whose default is {} gets the defaults of
/// its members. Errors: Invalid for a default that does not fit, or for a required member without
/// one; UnsupportedError for a list, a map or a struct default that holds values itself, and for
/// types that have no Arrow form.
arrow::Result<std::shared_ptr<arrow::Scalar>> InitialDefault(const Field& field);

}  // namespace esker
