// Claims: may this file be read in the order asked for, and how? (docs/order.md, 4.)
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "arrow/result.h"
#include "format/table_metadata.h"
#include "order/corner.h"
#include "order/sort_key.h"

namespace esker {

/// Where a claim comes from.
enum class ClaimSource { kNone, kAssumed, kSortOrderId, kSingleRow };

/// The order that a file is held to be in. Fields are those of a table's sort order; a field that
/// names no column that exists ends the claim.
struct Claim {
  ClaimSource source = ClaimSource::kNone;
  int32_t sort_order_id = 0;  ///< kSortOrderId
  std::vector<SortField> fields;
};

/// How the rows of a file come in the order asked for.
enum class HowToRead {
  kAsItIs,      ///< the whole order is satisfied
  kReversed,    ///< satisfied by reading the file backwards
  kPrefixSort,  ///< `satisfied` keys hold; rows of equal prefix are sorted among themselves
  kSort,        ///< nothing holds (or only constants): the file is sorted on its own
};

struct ClaimMatch {
  HowToRead how = HowToRead::kSort;
  size_t satisfied = 0;      ///< how many leading keys of R the file satisfies; 0 with kSort
  bool reversed = false;     ///< the claim is used backwards (also with kPrefixSort)
  bool by_constant = false;  ///< constant keys (or one row) alone satisfy all of R
  std::string reason;        ///< in words, where it is not as it is
};

/// The facts of a column by field id, as far as known. Of an id that the schema does not have (any
/// more) nothing is known: ColumnFacts{}, never "absent, so all null", for the file may well hold
/// the dropped column and be sorted by it.
using FactsOf = std::function<ColumnFacts(int32_t field_id)>;

/// Walks `asked` and the claimed fields side by side (docs/order.md, 4, rules 1 to 5), forwards
/// and backwards, and says which satisfies more; forwards wins a tie. `row_count` <= 1 satisfies
/// everything.
///
/// A floating key ends what the fields can satisfy unless its bounds exclude zero: a file in the
/// spec's order has -0.0 before 0.0, which are one key here, and begins the next key anew at 0.0.
/// O(keys + fields).
ClaimMatch MatchClaim(std::span<const SortKey> asked, const Claim& claim, const FactsOf& facts,
                      int64_t row_count);

/// The longest order that every claim satisfies as a prefix of its fields: what the files share
/// when no order was asked for (preserve_data_ordering). Stops before the first field that is not
/// a plain column of `schema`; an order-preserving transform right before its own column is left
/// out (day(ts), ts gives ts), and so is void. A single row is in every order and does not count.
/// Empty if `claims` is empty or one has no source. O(claims × fields).
SortKeys CommonOrder(std::span<const Claim> claims, const Schema& schema);

/// A sort order of the table as keys of R, void and what CommonOrder() leaves out left out too.
/// UnsupportedError naming the field for an unknown transform, several arguments, a column that no
/// longer exists, or one whose type is no key.
arrow::Result<SortKeys> KeysOfSortOrder(const SortOrder& order, const Schema& schema);

}  // namespace esker
