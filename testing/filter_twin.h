// Naive twin of filters: random filters that know their own meaning, row by row.
//
// A drawn filter is a text together with a function from a row to true, false or null, put together
// side by side, so that the twin shares neither parser, binding nor evaluation with expr/. Columns
// and rows are those of twin_row.h.
#pragma once

#include <functional>
#include <random>
#include <string>

#include "testing/twin_row.h"

namespace esker::testing {

enum class Truth { kFalse, kNull, kTrue };

struct TwinFilter {
  std::string text;
  std::function<Truth(const TwinRow&)> test;
};

/// A filter nested at most `depth` levels deep.
TwinFilter DrawFilter(std::mt19937_64& random, int depth);

/// Whether a text fits a LIKE pattern, by the definition of LIKE.
bool TwinLike(const std::string& pattern, const std::string& text);

}  // namespace esker::testing
