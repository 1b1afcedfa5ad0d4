// Stored column: values of a primitive column as a file writes them, to facts and values of the
// column as the table has it now, and back again to what a Bloom filter was told.
//
// Statistics, page indexes and dictionaries hold values in the plain encoding of the file's
// physical type. A file keeps the type of the day it was written (leaf_conversion.h), so an int of
// four bytes may be a value of a long column, and a count of milliseconds one of microseconds.
// What cannot be turned around exactly is unknown, never guessed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "arrow/type_fwd.h"
#include "format/column_facts.h"
#include "format/type.h"
#include "format/value.h"
#include "plan/row_request.h"
#include "read/column_projection.h"
#include "read/file_schema.h"
#include "read/parquet_file.h"

namespace parquet {
class ColumnDescriptor;
class EncodedStatistics;
}  // namespace parquet

namespace esker {

/// Borrows the schema of the file, the request and the projection.
struct StoredColumn {
  const FileColumn& leaf;
  const parquet::ColumnDescriptor& descriptor;
  const Type& type;                   ///< now
  const arrow::DataType& arrow_type;  ///< now
};

/// The column of the file that holds the requested one, if that is a primitive below nothing but
/// structs. INT96 has no order, so that nothing is to be known of it.
std::optional<StoredColumn> FindStoredColumn(const ParquetFile& file, const ColumnRequest& request,
                                             const ColumnProjection& projection);

/// What statistics (null: none) tell of `rows` rows that have `values` values, nulls included.
/// Bounds of uuid, of unsigned integers and of decimals in byte arrays are unknown. May throw what
/// Parquet throws.
ColumnFacts FactsOfStored(const parquet::EncodedStatistics* statistics, int64_t values,
                          int64_t rows, const StoredColumn& column);

/// The column's value for one that the file stores in those plain bytes; nullopt for NaN, unsigned
/// integers and decimals in byte arrays.
std::optional<Value> ValueOfStored(const std::string& bytes, const StoredColumn& column);

/// The hash under which a Bloom filter of the file has that value of the column. nullopt where it
/// may have been written in more than one way (zeros, decimals in byte arrays, finer units), or in
/// none.
std::optional<uint64_t> BloomHashOf(const Value& value, const StoredColumn& column);

}  // namespace esker
