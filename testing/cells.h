// Cells: single values in plain C++, for tests that must not share code with what they test.
//
// A cell holds the value of any primitive Iceberg type. Rows of cells are what the naive twin
// filters, deletes and sorts; arrays are made from cells and turned into cells again.
//
//     boolean, integers, date, time, timestamps    int64_t
//     float, double                                double
//     decimal                                      arrow::Decimal128
//     string, binary, fixed, uuid                  std::string
//     null                                         std::monostate
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "arrow/type_fwd.h"
#include "arrow/util/decimal.h"

namespace esker::testing {

using Cell = std::variant<std::monostate, int64_t, double, arrow::Decimal128, std::string>;
using Row = std::vector<Cell>;

bool IsNullCell(const Cell& cell);
bool IsNanCell(const Cell& cell);

/// The Arrow type of a primitive Iceberg type as the spec writes it: "long", "decimal(9,2)".
std::shared_ptr<arrow::DataType> ArrowTypeOf(std::string_view iceberg_type);

/// The value at that row; one of a nested type is its text. Requires 0 <= row < length.
Cell CellOf(const arrow::Array& array, int64_t row);

/// An array of these values. Requires cells of the kind that the type has.
std::shared_ptr<arrow::Array> ArrayOf(const std::shared_ptr<arrow::DataType>& type,
                                      const std::vector<Cell>& cells);

/// Below 0, 0, above 0, as Esker orders values: NaN of any sign last, zeros equal, bytes unsigned.
/// Requires two cells of one kind that are not null.
int CompareCells(const Cell& a, const Cell& b);
/// The same in the spec's total order of floats: -NaN, -inf … -0, 0 … inf, NaN.
int CompareCellsTotal(const Cell& a, const Cell& b);

/// Whether the values are the same: -0 and 0 are not, NaN and NaN are, null and null are.
bool SameCell(const Cell& a, const Cell& b);
/// A strict weak order of rows that agrees with SameCell(), for multisets.
bool RowLess(const Row& a, const Row& b);

std::string CellText(const Cell& cell);
std::string RowText(const Row& row);

/// The bytes of a bound (spec: appendix D) of a primitive Iceberg type. Requires no null.
std::string CellBoundBytes(std::string_view iceberg_type, const Cell& cell);

}  // namespace esker::testing
