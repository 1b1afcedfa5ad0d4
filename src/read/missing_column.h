// Missing columns: what stands in for a column that a data file does not store.
//
// In this order (spec: Column Projection): the value of an identity partition field, the column's
// initial default, null. Never its write default. A struct that is missing as a whole is null,
// whatever its members' defaults, unless its own default is the empty struct or one of its members
// is a partition value: then it is a struct of what stands in for its members.
#pragma once

#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/type.h"
#include "plan/file_facts.h"
#include "plan/file_task.h"

namespace esker {

/// The value that `field` has in every row of a file that lacks it, of the type that
/// ToArrowType() gives. `task` holds the partition values. Invalid, naming the field, if it is
/// required and nothing stands in for it, or if its default does not fit its type.
arrow::Result<std::shared_ptr<arrow::Scalar>> MissingValue(const Field& field,
                                                           const FileTask& task);

}  // namespace esker
