#include "order/claim.h"

#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cmath>
#include <limits>
#include <optional>

#include "base/status.h"
#include "testing/order_notation.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Case;
using testing::Chance;
using testing::Draw;

// ---- cases as text ----

std::string Describe(const ClaimMatch& match) {
  if (match.by_constant) return "constants";
  const std::string prefix = "prefix " + std::to_string(match.satisfied);
  switch (match.how) {
    case HowToRead::kAsItIs:
      return "as it is";
    case HowToRead::kReversed:
      return "reversed";
    case HowToRead::kPrefixSort:
      return prefix + (match.reversed ? " reversed" : "");
    default:
      return match.satisfied == 0 && !match.reversed ? "sort" : "sort, yet " + prefix;
  }
}

ClaimMatch MatchOf(const Case& test) {
  const Schema schema = testing::ParseColumns(test.Find("columns"));
  const std::string rows = test.Find("rows");
  const int64_t row_count = rows.empty() ? 10 : std::stoll(rows);
  const auto facts = testing::ParseFacts(test.Find("facts"), schema, row_count);
  Claim claim;
  if (test.Find("claim") != "none") {
    claim.source = ClaimSource::kSortOrderId;
    claim.fields = testing::ParseSortFields(test.Find("claim"), schema);
  }
  const auto facts_of = [&](int32_t field_id) {
    const auto found = facts.find(field_id);
    return found == facts.end() ? ColumnFacts{} : found->second;
  };
  return MatchClaim(testing::ParseKeys(test.Find("asked"), schema), claim, facts_of, row_count);
}

TEST(ClaimTest, Cases) {
  const auto cases = testing::ReadCases("claims.txt");
  ASSERT_GE(cases.size(), 50u);
  for (const Case& test : cases) {
    SCOPED_TRACE(test.place + ": " + test.name);
    const ClaimMatch match = MatchOf(test);
    EXPECT_EQ(Describe(match), test.Find("expect"));
    EXPECT_NE(match.reason.find(test.Find("reason")), std::string::npos) << match.reason;
    EXPECT_EQ(match.reason.empty(), match.how == HowToRead::kAsItIs);
  }
}

// ---- the naive twin: every file of a small world ----
//
// Rows have two columns of {null, 0, 1, 2}. A file is in order exactly if its neighbours are, so
// every file is judged by judging every pair of rows that may be neighbours in it: those that obey
// the claim, and what is known of the file's columns.

using Cell = std::optional<int>;
using Row = std::array<Cell, 2>;

constexpr std::array<Cell, 4> kCells = {std::nullopt, 0, 1, 2};
constexpr size_t kRowCount = 16;
using Pairs = std::bitset<kRowCount * kRowCount>;

Row RowAt(size_t index) { return {kCells[index / 4], kCells[index % 4]}; }

enum class Map { kIdentity, kTruncate, kBucket, kVoid, kUnknown };
constexpr std::array<const char*, 5> kMapNames = {"identity", "truncate[2]", "bucket[2]", "void",
                                                  "zorder"};

struct Term {
  int column = 0;
  Map map = Map::kIdentity;
  bool descending = false;
  bool nulls_first = true;
};

Cell Apply(Map map, const Cell& cell) {
  if (!cell.has_value() || map == Map::kVoid) return std::nullopt;
  switch (map) {
    case Map::kTruncate:
      return *cell / 2 * 2;
    case Map::kBucket:
      return *cell == 1 ? 0 : 1;
    case Map::kUnknown:
      return (*cell + 2) % 3;
    default:
      return cell;
  }
}

int Compare(const Term& term, const Row& x, const Row& y) {
  const Cell a = Apply(term.map, x[term.column]);
  const Cell b = Apply(term.map, y[term.column]);
  if (!a.has_value() || !b.has_value()) {
    if (a.has_value() == b.has_value()) return 0;
    return a.has_value() != term.nulls_first ? -1 : 1;
  }
  const int order = *a < *b ? -1 : *a > *b ? 1 : 0;
  return term.descending ? -order : order;
}

// The pairs of which the first may stand right before the second.
Pairs InOrder(std::span<const Term> terms, bool backwards = false) {
  Pairs pairs;
  for (size_t i = 0; i < kRowCount; ++i) {
    for (size_t j = 0; j < kRowCount; ++j) {
      int order = 0;
      for (size_t t = 0; t < terms.size() && order == 0; ++t) {
        order = Compare(terms[t], RowAt(i), RowAt(j));
      }
      pairs[i * kRowCount + j] = backwards ? order >= 0 : order <= 0;
    }
  }
  return pairs;
}

// What is known of a column, and the cells that two rows may have then.
enum class Known { kNothing, kNoNulls, kConstant, kAllNull, kUpToOne, kOneBucket };
constexpr std::array<Known, 6> kEveryKnown = {Known::kNothing, Known::kNoNulls, Known::kConstant,
                                              Known::kAllNull, Known::kUpToOne, Known::kOneBucket};

ColumnFacts FactsWhere(Known known) {
  ColumnFacts facts;
  facts.may_hold_nan = false;
  if (known == Known::kAllNull) return FactsOfConstant(Value{});
  if (known == Known::kConstant) facts.constant = true;
  if (known == Known::kNoNulls || known == Known::kUpToOne) facts.may_hold_nulls = false;
  if (known == Known::kUpToOne) {
    facts.lower = int64_t{0};
    facts.upper = int64_t{1};
  }
  if (known == Known::kOneBucket) {
    facts.partition_transforms.emplace_back(ParseTransform("bucket[2]"), int64_t{1});
  }
  return facts;
}

bool Allows(Known known, const Cell& a, const Cell& b) {
  switch (known) {
    case Known::kNoNulls:
      return a.has_value() && b.has_value();
    case Known::kConstant:
      return a == b;
    case Known::kAllNull:
      return !a.has_value() && !b.has_value();
    case Known::kUpToOne:
      return a.has_value() && b.has_value() && *a <= 1 && *b <= 1;
    case Known::kOneBucket:
      return Apply(Map::kBucket, a) == Cell(1) && Apply(Map::kBucket, b) == Cell(1);
    default:
      return true;
  }
}

Pairs Allowed(const std::array<Known, 2>& known) {
  Pairs pairs;
  for (size_t i = 0; i < kRowCount; ++i) {
    for (size_t j = 0; j < kRowCount; ++j) {
      const Row x = RowAt(i);
      const Row y = RowAt(j);
      pairs[i * kRowCount + j] = Allows(known[0], x[0], y[0]) && Allows(known[1], x[1], y[1]);
    }
  }
  return pairs;
}

SortKeys KeysOf(std::span<const Term> terms) {
  SortKeys keys;
  for (const Term& term : terms) {
    keys.push_back({term.column, ParsePrimitiveType("int").ValueOrDie(), term.descending,
                    term.nulls_first, ParseTransform(kMapNames[static_cast<size_t>(term.map)]),
                    term.column == 0 ? "a" : "b"});
  }
  return keys;
}

Claim ClaimOf(std::span<const Term> terms) {
  Claim claim{ClaimSource::kSortOrderId, 1, {}};
  for (const Term& term : terms) {
    claim.fields.push_back({{term.column},
                            ParseTransform(kMapNames[static_cast<size_t>(term.map)]),
                            term.descending,
                            term.nulls_first});
  }
  return claim;
}

std::string ToText(std::span<const Term> terms) { return ToString(KeysOf(terms)); }

// An order with the pairs that each of its prefixes allows, read forwards and backwards.
struct Asked {
  std::vector<Term> terms;
  SortKeys keys;
  std::array<std::vector<Pairs>, 2> in_order;  // [backwards][number of keys]
};

Asked MakeAsked(std::vector<Term> terms) {
  Asked asked;
  asked.keys = KeysOf(terms);
  for (size_t i = 0; i <= terms.size(); ++i) {
    const std::span<const Term> prefix(terms.data(), i);
    for (const bool backwards : {false, true}) {
      asked.in_order[backwards].push_back(InOrder(prefix, backwards));
    }
  }
  asked.terms = std::move(terms);
  return asked;
}

// The most keys on which each file of those pairs is in order.
size_t MostKeys(const Asked& asked, bool backwards, const Pairs& files) {
  size_t most = 0;
  for (size_t i = 0; i < asked.in_order[backwards].size(); ++i) {
    if ((files & ~asked.in_order[backwards][i]).none()) most = i;
  }
  return most;
}

struct World {
  std::array<Known, 2> known = {};
  std::array<ColumnFacts, 2> facts;
  Pairs allowed;

  FactsOf facts_of() const {
    return [this](int32_t field_id) { return facts[field_id]; };
  }
};

std::vector<World> EveryWorld() {
  std::vector<World> worlds;
  for (const Known a : kEveryKnown) {
    for (const Known b : kEveryKnown) {
      worlds.push_back({{a, b}, {FactsWhere(a), FactsWhere(b)}, Allowed({a, b})});
    }
  }
  return worlds;
}

// Sound: every file that obeys the claim and the facts is in order as the match says.
::testing::AssertionResult IsSound(const Asked& asked, const ClaimMatch& match,
                                   const Pairs& files) {
  if ((files & ~asked.in_order[match.reversed][match.satisfied]).none()) {
    return ::testing::AssertionSuccess();
  }
  return ::testing::AssertionFailure() << Describe(match) << " of " << ToText(asked.terms);
}

std::vector<Term> EveryTerm(std::span<const Map> maps) {
  std::vector<Term> terms;
  for (const int column : {0, 1}) {
    for (const Map map : maps) {
      for (const bool descending : {false, true}) {
        for (const bool nulls_first : {false, true}) {
          terms.push_back({column, map, descending, nulls_first});
        }
      }
    }
  }
  return terms;
}

std::vector<std::vector<Term>> UpToTwo(std::span<const Term> terms) {
  std::vector<std::vector<Term>> lists = {{}};
  for (const Term& first : terms) {
    lists.push_back({first});
    for (const Term& second : terms) lists.push_back({first, second});
  }
  return lists;
}

// Every order of up to two columns against every claim of up to two of them, truncated or not.
TEST(ClaimTest, EverySmallWorldIsSound) {
  constexpr std::array<Map, 2> kMaps = {Map::kIdentity, Map::kTruncate};
  const auto columns = EveryTerm({kMaps.data(), 1});
  const auto worlds = EveryWorld();
  std::vector<Asked> orders;
  for (auto& terms : UpToTwo(columns)) orders.push_back(MakeAsked(terms));
  for (const auto& terms : UpToTwo(EveryTerm(kMaps))) {
    const Pairs claimed = InOrder(terms);
    const Claim claim = ClaimOf(terms);
    for (const World& world : worlds) {
      const Pairs files = claimed & world.allowed;
      for (const Asked& asked : orders) {
        const auto match = MatchClaim(asked.keys, claim, world.facts_of(), 3);
        ASSERT_TRUE(IsSound(asked, match, files)) << " claimed " << ToText(terms);
      }
    }
  }
}

// Where only plain, distinct columns are claimed and asked for, nothing is missed either.
TEST(ClaimTest, PlainColumnsAreComplete) {
  constexpr std::array<Map, 1> kMaps = {Map::kIdentity};
  const auto lists = UpToTwo(EveryTerm(kMaps));
  const auto has_distinct = [](const std::vector<Term>& terms) {
    return terms.size() < 2 || terms[0].column != terms[1].column;
  };
  for (const auto& claimed : lists) {
    if (!has_distinct(claimed)) continue;
    for (const auto& terms : lists) {
      if (!has_distinct(terms)) continue;
      const Asked asked = MakeAsked(terms);
      for (const World& world : EveryWorld()) {
        // One bucket or two values of a column make more than the rules see, e.g. {0, 2}.
        if (world.known[0] == Known::kOneBucket || world.known[1] == Known::kOneBucket) continue;
        const Pairs files = InOrder(claimed) & world.allowed;
        const size_t most = std::max(MostKeys(asked, false, files), MostKeys(asked, true, files));
        const auto match = MatchClaim(asked.keys, ClaimOf(claimed), world.facts_of(), 3);
        // Constants alone do not make a prefix: then the file is sorted on its own.
        const bool is_only_constant =
            match.how == HowToRead::kSort && MostKeys(asked, false, world.allowed) >= most;
        ASSERT_TRUE(match.satisfied == most || is_only_constant)
            << Describe(match) << " of " << ToText(terms) << " claimed " << ToText(claimed);
      }
    }
  }
}

std::vector<Term> DrawTerms(std::mt19937_64& random, int64_t most, int map_percent) {
  std::vector<Term> terms(Draw(random, 0, most));
  for (Term& term : terms) {
    term.column = static_cast<int>(Draw(random, 0, 1));
    if (Chance(random, map_percent)) term.map = static_cast<Map>(Draw(random, 0, 4));
    term.descending = Chance(random, 50);
    term.nulls_first = Chance(random, 50);
  }
  return terms;
}

// A claim that is near to what is asked, so that much of it matches.
std::vector<Term> DrawNear(std::mt19937_64& random, std::vector<Term> terms) {
  const bool backwards = Chance(random, 30);
  std::vector<Term> near;
  for (Term term : terms) {
    if (backwards) term.descending = !term.descending;
    if (backwards != Chance(random, 10)) term.nulls_first = !term.nulls_first;
    if (Chance(random, 30)) {
      Term before = term;
      before.map = static_cast<Map>(Draw(random, 0, 4));
      near.push_back(before);
    }
    if (!Chance(random, 10)) near.push_back(term);
  }
  return near;
}

TEST(ClaimTest, RandomClaimsAreSound) {
  auto random = testing::MakeRandom(3);
  const auto worlds = EveryWorld();
  int matched = 0;
  for (int round = 0; round < 20000; ++round) {
    auto asked_terms = DrawTerms(random, 3, 30);
    // An unknown transform cannot be asked for.
    for (Term& term : asked_terms) {
      if (term.map == Map::kUnknown) term.map = Map::kIdentity;
    }
    const Asked asked = MakeAsked(asked_terms);
    const auto terms =
        Chance(random, 70) ? DrawNear(random, asked.terms) : DrawTerms(random, 4, 50);
    const World& world = worlds[Draw(random, 0, static_cast<int64_t>(worlds.size()) - 1)];
    const Pairs files = InOrder(terms) & world.allowed;
    const auto match = MatchClaim(asked.keys, ClaimOf(terms), world.facts_of(), 3);
    ASSERT_TRUE(IsSound(asked, match, files)) << " claimed " << ToText(terms);
    if (match.how != HowToRead::kSort) ++matched;
  }
  EXPECT_GT(matched, 5000);  // or the test says little
}

// ---- floats: a writer may keep -0.0 before 0.0, Esker takes them as one ----

struct FloatRow {
  double a = 0;
  int b = 0;
};

int CompareInts(int a, int b) { return a < b ? -1 : a > b ? 1 : 0; }

int CompareDoubles(double a, double b, bool signed_zeros) {
  if (std::isnan(a) || std::isnan(b)) return CompareInts(std::isnan(a), std::isnan(b));
  if (a != b) return a < b ? -1 : 1;
  return signed_zeros ? CompareInts(std::signbit(b), std::signbit(a)) : 0;
}

TEST(ClaimTest, FloatsOfBothWritersAreSound) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<FloatRow> rows;
  for (const double a : {-1.0, -0.0, 0.0, 1.0, nan}) rows.insert(rows.end(), {{a, 0}, {a, 1}});
  const Schema schema = testing::ParseColumns("a double required, b int required");
  const SortKeys asked = testing::ParseKeys("a asc nulls first, b asc nulls first", schema);
  const Claim claim = ClaimOf(std::vector<Term>{{1}, {2}});
  for (const auto& [text, least] :
       std::vector<std::pair<std::string, double>>{{"", -1},
                                                   {"a 0.5..?", 0.5},
                                                   {"a -1.0..1.0 nans 0", -1},
                                                   {"a 0.5..1.0 nans 0", 0.5},
                                                   {"a 0.0..1.0 nans 0", 0}}) {
    const auto facts = testing::ParseFacts(text, schema, 3);
    const auto match = MatchClaim(asked, claim, [&facts](int32_t id) { return facts.at(id); }, 3);
    const bool may_hold_nan = text.find("nans 0") == std::string::npos;
    ASSERT_EQ(match.satisfied, may_hold_nan ? 0u : least > 0 ? 2u : 1u) << text;
    for (const bool signed_zeros : {false, true}) {
      for (const FloatRow& x : rows) {
        for (const FloatRow& y : rows) {
          if (x.a < least || y.a < least) continue;
          if (!may_hold_nan && (std::isnan(x.a) || std::isnan(y.a))) continue;
          const int claimed = CompareDoubles(x.a, y.a, signed_zeros);
          if (claimed > 0 || (claimed == 0 && x.b > y.b)) continue;
          const int order = CompareDoubles(x.a, y.a, /*signed_zeros=*/false);
          const bool is_sorted = order < 0 || (order == 0 && (match.satisfied < 2 || x.b <= y.b));
          ASSERT_TRUE(is_sorted) << text << ": " << x.a << " " << x.b << ", " << y.a << " " << y.b;
        }
      }
    }
  }
}

// ---- orders of tables ----

class OrderTest : public ::testing::Test {
 protected:
  Claim Claimed(std::string_view text, ClaimSource source = ClaimSource::kSortOrderId) const {
    return {source, 1, testing::ParseSortFields(text, schema_)};
  }
  std::string Common(const std::vector<Claim>& claims) const {
    return ToString(CommonOrder(claims, schema_));
  }
  arrow::Result<SortKeys> KeysOf(std::string_view text) const {
    return KeysOfSortOrder({1, testing::ParseSortFields(text, schema_)}, schema_);
  }

  Schema schema_ = testing::ParseColumns("a int, b int, ts timestamp, s string");
};

TEST_F(OrderTest, CommonPrefix) {
  const std::string ab = "a asc nulls first, b desc nulls last";
  EXPECT_EQ(Common({Claimed(ab), Claimed(ab)}), ab);
  EXPECT_EQ(Common({Claimed(ab), Claimed("a asc nulls first")}), "a asc nulls first");
  EXPECT_EQ(Common({Claimed(ab), Claimed("a asc nulls first, b asc nulls last")}),
            "a asc nulls first");
  EXPECT_EQ(Common({Claimed(ab), Claimed("a asc nulls last")}), "");
  EXPECT_EQ(Common({Claimed(ab), Claimed("b asc nulls first"), Claimed(ab)}), "");
  EXPECT_EQ(Common({}), "");
}

TEST_F(OrderTest, OneFileWithoutAClaimEndsIt) {
  const Claim whole = Claimed("a asc nulls first");
  EXPECT_EQ(Common({whole, Claim{}}), "");
  EXPECT_EQ(Common({whole, Claim{ClaimSource::kSingleRow, 0, {}}}), "a asc nulls first");
  EXPECT_EQ(Common({Claim{ClaimSource::kSingleRow, 0, {}}}), "");
}

TEST_F(OrderTest, WhatEndsACommonOrder) {
  EXPECT_EQ(Common({Claimed("a asc nulls first, ?77 asc nulls first, b asc nulls first")}),
            "a asc nulls first");
  EXPECT_EQ(Common({Claimed("a asc nulls first, bucket[4](b) asc nulls first")}),
            "a asc nulls first");
  EXPECT_EQ(Common({Claimed("day(ts) asc nulls first, a asc nulls first")}), "");
  EXPECT_EQ(Common({Claimed("zorder(a) asc nulls first")}), "");
  EXPECT_EQ(Common({Claimed("bucket[4](a+b) asc nulls first")}), "");
}

TEST_F(OrderTest, WhatIsLeftOutOfACommonOrder) {
  EXPECT_EQ(Common({Claimed("day(ts) asc nulls first, ts asc nulls first"),
                    Claimed("void(a) asc nulls first, ts asc nulls first")}),
            "ts asc nulls first");
  EXPECT_EQ(Common({Claimed("day(ts) desc nulls first, ts asc nulls first")}), "");
}

TEST_F(OrderTest, KeysOfASortOrder) {
  const auto keys = KeysOf("bucket[4](a) asc nulls first, day(ts) desc nulls last").ValueOrDie();
  EXPECT_EQ(ToString(keys), "bucket[4](a) asc nulls first, day(ts) desc nulls last");
  EXPECT_EQ(keys[0].field_id, 1);
  EXPECT_EQ(keys[1].type.id, TypeId::kTimestamp);
  EXPECT_EQ(ToString(KeysOf("day(ts) desc nulls last, ts desc nulls last").ValueOrDie()),
            "ts desc nulls last");
  EXPECT_EQ(ToString(KeysOf("void(?77) asc nulls first, s asc nulls first").ValueOrDie()),
            "s asc nulls first");
}

TEST_F(OrderTest, OrdersThatCannotBeComputed) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"zorder(a) asc nulls first", "unknown transform zorder of a"},
      {"bucket[4](a+b) asc nulls first", "bucket[4] takes 2 columns"},
      {"a asc nulls first, ?77 asc nulls first", "field id 77 no longer exists"}};
  for (const auto& [order, message] : cases) {
    const auto status = KeysOf(order).status();
    ASSERT_FALSE(status.ok()) << order;
    EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
    EXPECT_NE(status.message().find(message), std::string::npos) << status.message();
  }
}

// A member of a struct is a key, a list or what is in it is none.
TEST_F(OrderTest, NestedColumns) {
  Field member{10, "x", false, ParsePrimitiveType("int").ValueOrDie(), {}, {}, ""};
  Field in_list{11, "element", false, ParsePrimitiveType("int").ValueOrDie(), {}, {}, ""};
  Type of_struct;
  of_struct.id = TypeId::kStruct;
  of_struct.fields = std::make_shared<const std::vector<Field>>(std::vector<Field>{member});
  Type of_list;
  of_list.id = TypeId::kList;
  of_list.fields = std::make_shared<const std::vector<Field>>(std::vector<Field>{in_list});
  schema_.fields.push_back({20, "st", false, of_struct, {}, {}, ""});
  schema_.fields.push_back({21, "l", false, of_list, {}, {}, ""});
  EXPECT_EQ(ToString(KeysOf("?10 asc nulls first").ValueOrDie()), "st.x asc nulls first");
  for (const char* order : {"?11 asc nulls first", "?20 asc nulls first", "?21 asc nulls first"}) {
    EXPECT_EQ(KindOf(KeysOf(order).status()), ErrorKind::kUnsupported) << order;
    EXPECT_EQ(Common({Claimed(order)}), "");
  }
}

}  // namespace
}  // namespace esker
