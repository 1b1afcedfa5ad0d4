// Random tables: recipes drawn from shaped chances, with their rows as the naive twin sees them.
//
// A drawn table has up to three sort orders and a few odd ones, files that claim one of them (and
// obey it), files that claim nothing, another order or an unknown one, old files with types from
// before a promotion, without columns that were added later, partitions, deletes of every kind,
// and statistics that are true, wide, one-sided, inverted or missing. Each table turns some of
// these off entirely and gives the others uneven chances.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "testing/cells.h"
#include "testing/table_builder.h"

namespace esker::testing {

/// What is wrong with a table.
enum class Lie {
  kNone,    ///< every claim and every statistic is true
  kRows,    ///< one file breaks the order it claims
  kBounds,  ///< one file's statistics are false
};

struct RandomFile {
  size_t recipe_file = 0;     ///< index in TableRecipe::files
  std::vector<Row> rows;      ///< in the file's order, as the columns are now, constants filled in
  std::vector<bool> deleted;  ///< of each row
};

struct RandomTable {
  TableRecipe recipe;
  std::vector<RandomFile> files;         ///< the data files
  std::vector<std::vector<Cell>> pools;  ///< of each column, what its values were drawn from
  bool has_nan = false;
  Lie lie = Lie::kNone;  ///< kNone, too, if there was nothing to lie about

  /// Rows that are not deleted, file after file.
  std::vector<Row> LiveRows() const;
  /// What a failure report needs: columns, orders, files with claims, statistics and rows.
  std::string Describe() const;
};

/// Every column's name is c1, c2 …; the last is `seq`, a long that is different in every row.
RandomTable DrawTable(std::mt19937_64& random, Lie lie = Lie::kNone);

/// Whether fields of a sort order mean something for every reader: plain columns only.
bool IsPlainOrder(const RecipeOrder& order);

}  // namespace esker::testing
