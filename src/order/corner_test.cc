#include "order/corner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "testing/order_notation.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Case;
using testing::Chance;
using testing::Draw;
using Kind = HalfRank::Kind;

TEST(CornerTest, Cases) {
  const auto cases = testing::ReadCases("corners.txt");
  ASSERT_GE(cases.size(), 40u);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.place + ": " + test.name);
    const Schema schema = testing::ParseColumns(test.Find("columns"));
    const SortKeys keys = testing::ParseKeys(test.Find("keys"), schema);
    const auto facts = testing::ParseFacts(test.Find("facts"), schema, /*record_count=*/10);
    std::vector<ColumnFacts> of_keys;
    for (const SortKey& key : keys) of_keys.push_back(facts.at(key.field_id));
    const KeyRange range = MakeKeyRange(keys, of_keys);
    EXPECT_EQ(ToString(keys, range.lower) + " to " + ToString(keys, range.upper),
              test.Find("expect"));
    EXPECT_TRUE(CompareCorners(keys, range.lower, range.upper) <= 0);
  }
}

TEST(CornerTest, HalfRanksInOutputOrder) {
  SortKey key;
  key.type = ParsePrimitiveType("int").ValueOrDie();
  std::vector<HalfRank> ranks = {{Kind::kNullFirst, {}},      {Kind::kBeforeValues, {}},
                                 {Kind::kValue, int64_t{-5}}, {Kind::kValue, int64_t{7}},
                                 {Kind::kAfterValues, {}},    {Kind::kNullLast, {}}};
  for (const bool descending : {false, true}) {
    key.descending = descending;
    for (size_t i = 0; i < ranks.size(); ++i) {
      for (size_t j = 0; j < ranks.size(); ++j) {
        EXPECT_EQ(CompareHalfRanks(key, ranks[i], ranks[j]), i <=> j);
      }
    }
    std::swap(ranks[2], ranks[3]);
  }
}

// Facts of another type than the key's (a partition value that was not widened) say nothing.
TEST(CornerTest, ValueOfAnotherTypeIsNoBound) {
  const Schema schema = testing::ParseColumns("a int");
  const SortKeys keys = testing::ParseKeys("a asc nulls first", schema);
  const std::vector<ColumnFacts> facts = {FactsOfConstant(Value(std::string("x")))};
  const KeyRange range = MakeKeyRange(keys, facts);
  EXPECT_EQ(ToString(keys, range.lower), "(-inf)");
  EXPECT_EQ(ToString(keys, range.upper), "(+inf)");
}

// Whoever makes the facts: corners never cross.
TEST(CornerTest, FactsThatCrossAreNoBounds) {
  const Schema schema = testing::ParseColumns("a int");
  ColumnFacts crossed;
  crossed.lower = int64_t{5};
  crossed.upper = int64_t{1};
  crossed.may_hold_nulls = false;
  for (const char* order : {"a asc nulls first", "a desc nulls last"}) {
    const SortKeys keys = testing::ParseKeys(order, schema);
    const KeyRange range = MakeKeyRange(keys, std::vector<ColumnFacts>{crossed});
    EXPECT_EQ(ToString(keys, range.lower), "(-inf)") << order;
    EXPECT_EQ(ToString(keys, range.upper), "(+inf)") << order;
  }
}

TEST(CornerTest, NanPartitionValueIsAPoint) {
  const Schema schema = testing::ParseColumns("a double");
  const SortKeys keys = testing::ParseKeys("a desc nulls first", schema);
  const std::vector<ColumnFacts> facts = {FactsOfConstant(Value(std::nan("")))};
  const KeyRange range = MakeKeyRange(keys, facts);
  EXPECT_TRUE(CompareCorners(keys, range.lower, range.upper) == 0);
  EXPECT_EQ(range.lower[0].kind, Kind::kValue);
}

// ---- soundness: no row lies outside, whatever the statistics leave out or widen ----

struct Column {
  std::string type;
  std::vector<std::string> transforms;  // that the type takes
  std::vector<Value> values;
};

const std::vector<Column>& Columns() {
  static const double kInf = std::numeric_limits<double>::infinity();
  static const double kNan = std::numeric_limits<double>::quiet_NaN();
  static const auto kLeast = std::numeric_limits<int64_t>::min();
  static const auto kMost = std::numeric_limits<int64_t>::max();
  static const std::vector<std::string> kTimes = {"identity", "year", "month", "day", "hour"};
  static const std::vector<Column> kColumns = {
      {"boolean", {"identity", "void"}, {false, true}},
      {"long",
       {"identity", "truncate[10]", "bucket[4]", "void", "zorder"},
       {int64_t{0}, int64_t{-1}, int64_t{9}, int64_t{-11}, kLeast, kLeast + 5, kMost}},
      {"double", {"identity"}, {kNan, -kNan, kInf, -kInf, 0.0, -0.0, 1.5, -2.5}},
      {"decimal(9,2)",
       {"identity", "truncate[50]", "bucket[4]"},
       {int128_t{0}, int128_t{-128}, int128_t{127}, int128_t{128}, int128_t{-99999}}},
      {"timestamp",
       kTimes,
       {int64_t{0}, int64_t{-1}, int64_t{86399999999}, int64_t{86400000000},
        int64_t{-2208988800000000}, int64_t{1700000000000000}}},
      {"date",
       {"identity", "year", "month", "day"},
       {int64_t{0}, int64_t{-1}, int64_t{364}, int64_t{365}, int64_t{-25567}}},
      {"string",
       {"identity", "truncate[1]", "truncate[3]", "bucket[4]"},
       {std::string(), std::string("a"), std::string("abcd"), std::string("\xc3\xa9t\xc3\xa9"),
        std::string("a\xe2\x82\xac\xe2\x82\xac"), std::string("\xf0\x9f\x98\x80x"),
        std::string("\xf4\x8f\xbf\xbf"), std::string("ab\xc3\xbf")}},
      {"binary",
       {"identity", "truncate[2]"},
       {std::string(), std::string("\0", 1), std::string("\xff\xff\xff"), std::string("\x80z")}},
      {"uuid",
       {"identity", "bucket[4]"},
       {std::string(16, '\0'), std::string(16, '\x7f'), std::string(16, '\x80'),
        std::string(16, '\xff')}},
  };
  return kColumns;
}

// The bound as the spec writes it (appendix D).
std::string Encode(const Column& column, const Value& value) {
  if (const auto* bytes = std::get_if<std::string>(&value)) return *bytes;
  if (const auto* flag = std::get_if<bool>(&value)) return std::string(1, *flag ? '\1' : '\0');
  std::string bytes;
  if (const auto* decimal = std::get_if<int128_t>(&value)) {
    for (int shift = 120; shift >= 0; shift -= 8) {
      bytes += static_cast<char>(static_cast<uint8_t>(*decimal >> shift & 0xFF));
    }
    return bytes;
  }
  const auto* number = std::get_if<double>(&value);
  const auto bits = number != nullptr ? std::bit_cast<uint64_t>(*number)
                                      : static_cast<uint64_t>(std::get<int64_t>(value));
  const int width = column.type == "date" ? 4 : 8;
  for (int i = 0; i < width; ++i) bytes += static_cast<char>(bits >> (8 * i) & 0xFF);
  return bytes;
}

// Esker's order of values, written down a second time: -1, 0 or 1.
int CompareNaively(const Value& a, const Value& b) {
  if (const auto* x = std::get_if<double>(&a)) {
    const double y = std::get<double>(b);
    if (std::isnan(*x) || std::isnan(y)) return int{std::isnan(*x)} - int{std::isnan(y)};
    return int{*x > y} - int{*x < y};
  }
  return int{a > b} - int{a < b};  // of std::variant; strings by unsigned bytes
}

bool IsBound(const Value& value) {
  const auto* number = std::get_if<double>(&value);
  return !IsNull(value) && !(number != nullptr && std::isnan(*number));
}

// Cuts a byte bound short. A lower one stays true; the last byte of an upper one is raised.
std::string Cut(std::mt19937_64& random, std::string bytes, bool is_upper) {
  const size_t length = static_cast<size_t>(Draw(random, 1, 4));
  if (bytes.size() <= length) return bytes;
  bytes.resize(length);
  if (!is_upper) return bytes;
  while (!bytes.empty() && bytes.back() == '\xff') bytes.pop_back();
  if (!bytes.empty()) bytes.back() = static_cast<char>(static_cast<uint8_t>(bytes.back()) + 1);
  return bytes;
}

// True statistics, of which parts are missing, cut short or loose.
ColumnStatistics DrawStatistics(std::mt19937_64& random, const Column& column,
                                const std::vector<Value>& rows) {
  ColumnStatistics statistics;
  const auto nulls = std::count_if(rows.begin(), rows.end(), IsNull);
  const auto nans = std::count_if(rows.begin(), rows.end(), IsNan);
  if (Chance(random, 70)) statistics.null_count = nulls;
  if (Chance(random, 70)) statistics.nan_count = nans;
  if (Chance(random, 50)) statistics.value_count = static_cast<int64_t>(rows.size());
  std::vector<Value> bounded;
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(bounded), IsBound);
  if (bounded.empty()) return statistics;
  // A value that is not in the file makes a bound loose.
  if (Chance(random, 30)) {
    const Value& more = column.values[Draw(random, 0, std::ssize(column.values) - 1)];
    if (IsBound(more)) bounded.push_back(more);
  }
  const auto [least, greatest] =
      std::minmax_element(bounded.begin(), bounded.end(),
                          [](const Value& a, const Value& b) { return CompareNaively(a, b) < 0; });
  const bool is_cut = (column.type == "string" || column.type == "binary") && Chance(random, 50);
  std::string lower = Encode(column, *least);
  std::string upper = Encode(column, *greatest);
  if (is_cut) {
    lower = Cut(random, lower, false);
    upper = Cut(random, upper, true);
  }
  if (Chance(random, 80)) statistics.lower_bound = lower;
  // An upper bound of greatest bytes cannot be raised: then there is none.
  const bool has_upper = !is_cut || upper >= Encode(column, *greatest);
  if (has_upper && Chance(random, 80)) statistics.upper_bound = upper;
  // Inverted pairs count as unknown; of one bound alone, or an equal pair, no reader can tell.
  if (lower != upper && !lower.empty() && !upper.empty() && statistics.lower_bound.has_value() &&
      statistics.upper_bound.has_value() && Chance(random, 5)) {
    std::swap(statistics.lower_bound, statistics.upper_bound);
  }
  return statistics;
}

std::vector<Value> DrawRows(std::mt19937_64& random, const Column& column) {
  std::vector<Value> rows(Draw(random, 1, 4));
  const int null_percent = Chance(random, 40) ? 0 : static_cast<int>(Draw(random, 1, 100));
  for (Value& row : rows) {
    if (Chance(random, null_percent)) continue;
    row = column.values[Draw(random, 0, std::ssize(column.values) - 1)];
  }
  return rows;
}

// -1 or 1 if the key of a row lies before or after a half-rank, 0 if at it.
int Compare(const SortKey& key, const Value& row, const HalfRank& rank) {
  const int null_place = key.nulls_first ? -2 : 2;
  const int row_place = IsNull(row) ? null_place : 0;
  const int rank_place = static_cast<int>(rank.kind) - static_cast<int>(Kind::kValue);
  if (row_place != rank_place) return row_place < rank_place ? -1 : 1;
  if (row_place != 0) return 0;
  return key.descending ? CompareNaively(rank.value, row) : CompareNaively(row, rank.value);
}

struct Drawn {
  SortKey key;
  std::vector<Value> rows;  // transformed
  ColumnFacts facts;
};

Drawn DrawColumn(std::mt19937_64& random) {
  const Column& column = Columns()[Draw(random, 0, std::ssize(Columns()) - 1)];
  Drawn drawn;
  drawn.key.type = ParsePrimitiveType(column.type).ValueOrDie();
  drawn.key.descending = Chance(random, 50);
  drawn.key.nulls_first = Chance(random, 50);
  if (Chance(random, 50)) {
    drawn.key.transform =
        ParseTransform(column.transforms[Draw(random, 0, std::ssize(column.transforms) - 1)]);
  }
  auto rows = DrawRows(random, column);
  if (Chance(random, 15)) {
    std::fill(rows.begin(), rows.end(), rows[0]);
    drawn.facts = FactsOfConstant(rows[0]);
  } else {
    const auto statistics = DrawStatistics(random, column, rows);
    const bool required = std::none_of(rows.begin(), rows.end(), IsNull) && Chance(random, 50);
    drawn.facts =
        FactsFromStatistics(Chance(random, 95) ? &statistics : nullptr, drawn.key.type, required,
                            static_cast<int64_t>(rows.size()), Chance(random, 90));
  }
  for (const Value& row : rows) {
    // Where a transform has no result (out of range, unknown), the row has no key: it is an error.
    auto mapped = ApplyTransform(drawn.key.transform, drawn.key.type, row);
    if (mapped.ok()) drawn.rows.push_back(*std::move(mapped));
  }
  return drawn;
}

TEST(CornerTest, EveryRowLiesWithin) {
  auto random = testing::MakeRandom(7);
  int tight = 0;
  for (int round = 0; round < 40000; ++round) {
    std::vector<Drawn> columns(Draw(random, 1, 2));
    SortKeys keys;
    std::vector<ColumnFacts> facts;
    for (Drawn& column : columns) {
      column = DrawColumn(random);
      keys.push_back(column.key);
      facts.push_back(column.facts);
    }
    const KeyRange range = MakeKeyRange(keys, facts);
    ASSERT_TRUE(CompareCorners(keys, range.lower, range.upper) <= 0);
    for (size_t i = 0; i < columns.size(); ++i) {
      for (const Value& row : columns[i].rows) {
        const Type type = TransformResultType(keys[i].transform, keys[i].type);
        ASSERT_LE(Compare(keys[i], row, range.upper[i]), 0)
            << round << ": " << ValueToString(row, type) << " after " << ToString(keys, range.upper)
            << " of " << keys[i].transform.text;
        ASSERT_GE(Compare(keys[i], row, range.lower[i]), 0)
            << round << ": " << ValueToString(row, type) << " before "
            << ToString(keys, range.lower) << " of " << keys[i].transform.text;
      }
      if (range.lower[i].kind == Kind::kValue && range.upper[i].kind == Kind::kValue) ++tight;
    }
  }
  EXPECT_GT(tight, 5000);  // or the test says little
}

}  // namespace
}  // namespace esker
