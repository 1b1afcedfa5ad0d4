// Notation of keys, column facts and claims, for case files under testdata/order.
//
// A case file is a list of cases, with an empty line between them. A case is a list of lines
// "word: text"; the first is "case: its name". Lines that begin with # are comments.
//
//     columns   a int, b string required                field ids 1, 2, 3 ... in that order
//     keys      a asc nulls first, day(ts) desc nulls last
//     facts     a 1..5 nulls 0; b ?..'x' ; c = 3; d = null; bucket[4](e) = 2
//
// Of facts, "?" is an absent bound, 'text' a string, hex(00ff) bytes as they are, anything else a
// number of the column's type; "nulls" and "nans" are counts, absent if not there; "=" is a
// constant; a column that is not named has no statistics. A malformed case throws
// std::invalid_argument: the test that reads it fails.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "format/column_facts.h"
#include "format/table_metadata.h"
#include "order/sort_key.h"

namespace esker::testing {

struct Case {
  std::string name;
  std::string place;                                         // file and line
  std::vector<std::pair<std::string, std::string>> entries;  // word, text

  /// The text of that word; "" if there is none.
  std::string Find(std::string_view word) const;
};

/// The cases of testdata/order/`name`.
std::vector<Case> ReadCases(std::string_view name);

/// `text` cut at every `separator`, blanks around the parts removed. Empty for an empty text.
std::vector<std::string> Split(std::string_view text, std::string_view separator);

/// Columns as fields of a schema; their ids count from 1.
Schema ParseColumns(std::string_view text);

/// Fields of a sort order. A column "?7" is the field id 7, whether the schema has it or not;
/// "bucket[4](a+b)" is a transform of two columns.
std::vector<SortField> ParseSortFields(std::string_view text, const Schema& schema);

/// The same as keys of R.
SortKeys ParseKeys(std::string_view text, const Schema& schema);

/// Facts by field id, of every column, through FactsFromStatistics() and FactsOfConstant().
std::map<int32_t, ColumnFacts> ParseFacts(std::string_view text, const Schema& schema,
                                          int64_t record_count);

/// The bytes of a bound as the spec writes them (appendix D). Of numbers and strings.
std::string BoundBytes(const Type& type, std::string_view text);

}  // namespace esker::testing
