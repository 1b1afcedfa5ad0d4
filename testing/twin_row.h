// Rows for twins: one schema with a column of every type that can be compared, and values for it
// out of small pools with the odd extreme, so that equal values, edges, NaN, both zeros and nulls
// are common.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "format/type.h"
#include "format/value.h"
#include "testing/seed.h"

namespace esker::testing {

/// One column of every type that can be compared, ids from 11 upward, and "st.x" in a struct.
Schema TwinSchema();

/// The leaves of TwinSchema() in the order of a row: field and its name.
struct TwinColumn {
  Field field;
  std::string name;
};
std::vector<TwinColumn> TwinColumns();

using TwinRow = std::vector<Value>;

/// A value of the type, never null.
Value DrawValue(std::mt19937_64& random, const Type& type);

/// A row; about one value in six is null.
TwinRow DrawRow(std::mt19937_64& random);

int128_t PowerOfTen(int32_t exponent);

/// One of a few.
template <typename T>
const T& Pick(std::mt19937_64& random, const std::vector<T>& pool) {
  return pool[static_cast<size_t>(Draw(random, 0, static_cast<int64_t>(pool.size()) - 1))];
}

}  // namespace esker::testing
