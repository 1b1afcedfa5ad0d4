// Literals against columns: where does a literal stand among the values its column can hold?
//
// A literal need not be a value of its column: no int is 2.5, none is 3000000000, no date is noon.
// Comparisons stay exact all the same if the literal is known to lie just after some value, or
// beyond all of them:
//
//     column   literal        place        so that "column < literal" is
//     int      3              kAt 3        column < 3
//     int      2.5            kAfter 2     column <= 2
//     int      3000000000     kAboveAll    column is not null
//
// Numbers are rounded to the nearest float or double for such columns ("d = 0.1" should find what
// was written as 0.1); beyond the largest one they lie between it and infinity.
#pragma once

#include <string_view>

#include "arrow/result.h"
#include "expr/parse.h"
#include "format/type.h"
#include "format/value.h"

namespace esker::expr_internal {

struct Fit {
  enum class Place { kAt, kAfter, kBelowAll, kAboveAll, kNan };
  Place place = Place::kAt;
  Value value;  ///< kAt: the literal. kAfter: the largest value of the column that is below it.
};

/// Places `literal` (not null) among the values of `type`. UsageError, without place, where they
/// do not go together ("'abc' is not a date"). O(bytes).
arrow::Result<Fit> FitLiteral(const Literal& literal, const Type& type);

}  // namespace esker::expr_internal
