// Error kinds: what a caller (and the exit code of the command) can tell apart.
//
// Everything in Esker returns arrow::Status or arrow::Result. Arrow's codes say what went wrong
// technically; the kind, carried as a StatusDetail, says whose fault it is. A Status without our
// detail is a plain failure: I/O, a damaged table, no memory.
//
//     kind          exit   Arrow code       example
//     kFailure        1    any              cut Parquet file, missing data file
//     kUsage          2    Invalid          unknown column, bad filter, bad option value
//     kDisorder       3    Invalid          a file breaks the order that it claims
//     kNotFound       4    KeyError         no such table, snapshot, ref or catalog
//     kUnsupported    5    NotImplemented   a feature of the table that Esker does not read
#pragma once

#include <string>

#include "arrow/type_fwd.h"

namespace esker {

enum class ErrorKind { kFailure, kUsage, kDisorder, kNotFound, kUnsupported };

/// The kind that `status` carries; kFailure for a Status made by Arrow itself. Requires !ok().
ErrorKind KindOf(const arrow::Status& status);

/// A Status of that kind, with the Arrow code of the table above. kFailure gives Invalid.
arrow::Status MakeError(ErrorKind kind, std::string message);

}  // namespace esker
