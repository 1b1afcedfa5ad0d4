// Leaf conversion: values of a primitive column as a file stores them to those of its type now.
//
// A file keeps the type of the day it was written, and writers differ in encodings: an old file
// has int where the table says long now, Hive wrote milliseconds, pandas nanoseconds, some write
// strings without saying so. What is allowed is decided once per file, from the types; what
// depends on values (a number that does not fit) is found while converting.
//
//     type now               read from
//     int, long              integers of the same or a lesser width, any sign (values are checked)
//     double                 double, float
//     decimal(P, S)          decimal of any width with scale S (values are checked against P)
//     timestamp*             timestamps of any unit, zoned or not: the wall clock is kept as it is
//     timestamp, _ns         date, too
//     time                   times of any unit
//     string, binary         byte arrays, whether or not they are marked as text
//
// A finer unit is rounded towards minus infinity; a coarser one is an error where it overflows.
#pragma once

#include <cstdint>
#include <memory>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "format/type.h"

namespace esker {

class LeafConversion {
 public:
  /// The conversion from `from`, as Arrow decodes the file, to the column type `to`, which
  /// ToArrowType() gives as `out`. TypeError, without names, where there is none.
  static arrow::Result<LeafConversion> Make(const std::shared_ptr<arrow::DataType>& from,
                                            const Type& to, std::shared_ptr<arrow::DataType> out);

  /// `values` in the type of the column. O(1) where only the name of the type changes. Invalid if
  /// a value does not fit.
  arrow::Result<std::shared_ptr<arrow::Array>> Apply(const std::shared_ptr<arrow::Array>& values,
                                                     arrow::MemoryPool* pool) const;

 private:
  enum class Step { kNone, kRelabel, kCast, kScale };

  std::shared_ptr<arrow::DataType> dense_;  // decoded to first, of a dictionary for one; else null
  Step step_ = Step::kNone;
  int64_t multiplier_ = 1;
  int64_t divisor_ = 1;
  std::shared_ptr<arrow::DataType> out_;
};

/// `value` in other units: times `multiplier` or, rounded towards minus infinity, by `divisor`.
/// False if it overflows.
bool ScaleUnits(int64_t value, int64_t multiplier, int64_t divisor, int64_t* scaled);

/// The scale factors from days or times of `from` to the units of `to`; both 1 where there is
/// nothing to scale.
struct UnitRatio {
  int64_t multiplier = 1;
  int64_t divisor = 1;
};
UnitRatio RatioOfUnits(const arrow::DataType& from, const arrow::DataType& to);

}  // namespace esker
