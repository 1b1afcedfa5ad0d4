// Random values: pools that the cells of random tables are drawn from, and statistics of them that
// say less than they could.
//
// Pools are small and hold the edges of their type, so that equal values, both zeros, NaN of both
// signs, bytes above 0x7f and shared prefixes are common.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "testing/cells.h"
#include "testing/table_builder.h"

namespace esker::testing {

/// One of the values. Requires that there is one.
template <typename T>
const T& Pick(std::mt19937_64& random, const std::vector<T>& values) {
  return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(random)];
}

/// The type that a column may have been promoted from, "" if there is none.
std::string OldTypeOf(const std::string& type);

/// Values of `type`; never empty. Some of them fit `old_type`, "" for none.
std::vector<Cell> PoolOf(const std::string& type, const std::string& old_type);

/// Whether a value of `type` can have been written as `old_type`, and how.
bool FitsOld(const Cell& cell, const std::string& type, const std::string& old_type);
Cell AsOld(const Cell& cell, const std::string& type, const std::string& old_type);

/// A default in JSON, of an integer or a string.
std::string JsonOf(const Cell& cell);

/// Makes true statistics say less, or contradict themselves; never something false.
void LoosenStatistics(std::mt19937_64& random, const WrittenColumn& column,
                      RecipeStatistics* statistics);

}  // namespace esker::testing
