// Tests of pruning by facts: never wrong on random rows with facts as loose as they come, and
// sharp where the facts allow it.
#include "expr/prune.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "expr/filter.h"
#include "format/column_facts.h"
#include "testing/filter_twin.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::TwinColumn;
using testing::TwinFilter;
using testing::TwinRow;
using Random = std::mt19937_64;

// The tightest facts that are true of a column.
ColumnFacts ExactFacts(const std::vector<TwinRow>& rows, size_t index) {
  ColumnFacts facts;
  facts.may_hold_nulls = false;
  facts.may_hold_nan = false;
  facts.all_null = true;
  for (const TwinRow& row : rows) {
    const Value& value = row[index];
    facts.all_null = facts.all_null && IsNull(value);
    if (IsNull(value)) {
      facts.may_hold_nulls = true;
    } else if (IsNan(value)) {
      facts.may_hold_nan = true;
    } else {
      if (IsNull(facts.lower) || CompareValues(value, facts.lower) < 0) facts.lower = value;
      if (IsNull(facts.upper) || CompareValues(value, facts.upper) > 0) facts.upper = value;
    }
  }
  return facts;
}

// Facts that are still true, but say less.
void Loosen(Random& random, const Type& type, ColumnFacts* facts) {
  if (Chance(random, 10)) facts->may_hold_nulls = true;
  if (Chance(random, 10)) facts->all_null = false;
  if (Chance(random, 10)) facts->may_hold_nan = true;
  if (Chance(random, 10)) facts->lower = {};
  if (Chance(random, 10)) facts->upper = {};
  if (Chance(random, 20) && !IsNull(facts->lower)) {
    const Value value = testing::DrawValue(random, type);
    if (!IsNan(value) && CompareValues(value, facts->lower) < 0) facts->lower = value;
  }
  if (Chance(random, 20) && !IsNull(facts->upper)) {
    const Value value = testing::DrawValue(random, type);
    if (!IsNan(value) && CompareValues(value, facts->upper) > 0) facts->upper = value;
  }
  // A lower bound cut to 16 bytes, within a character or not, and an upper one that was not even
  // rounded up.
  for (Value* bound : {&facts->lower, &facts->upper}) {
    auto* bytes = std::get_if<std::string>(bound);
    if (bytes != nullptr && type.id != TypeId::kUuid && Chance(random, 50)) {
      *bytes = bytes->substr(0, 16);
    }
  }
}

std::vector<TwinRow> DrawRows(Random& random) {
  std::vector<TwinRow> rows;
  for (int64_t n = testing::Draw(random, 1, 4); n > 0; --n) {
    rows.push_back(testing::DrawRow(random));
  }
  // Whole columns of one value or of nulls.
  for (size_t i = 0; i < rows[0].size(); ++i) {
    if (!Chance(random, 30)) continue;
    for (TwinRow& row : rows) row[i] = rows[0][i];
  }
  return rows;
}

TEST(PruneTest, NeverWrongOnTrueFacts) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(311);
  const std::vector<TwinColumn> columns = testing::TwinColumns();
  int pruned = 0;
  int certain = 0;
  for (int round = 0; round < 40000; ++round) {
    const TwinFilter twin =
        testing::DrawFilter(random, static_cast<int>(testing::Draw(random, 0, 2)));
    const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema());
    ASSERT_TRUE(filter.ok()) << filter.status().message();
    const std::vector<TwinRow> rows = DrawRows(random);
    std::vector<ColumnFacts> facts;
    for (size_t i = 0; i < columns.size(); ++i) {
      facts.push_back(ExactFacts(rows, i));
      Loosen(random, columns[i].field.type, &facts.back());
    }
    const auto lookup = [&](int32_t id) {
      return facts[static_cast<size_t>(id - columns[0].field.id)];
    };
    bool any = false;
    bool all = true;
    for (const TwinRow& row : rows) {
      const bool match = twin.test(row) == testing::Truth::kTrue;
      any = any || match;
      all = all && match;
    }
    const bool may = filter->MayMatch(lookup);
    const bool must = filter->MustMatch(lookup);
    ASSERT_TRUE(may || !any) << twin.text << "\nread as " << filter->ToString();
    ASSERT_TRUE(all || !must) << twin.text << "\nread as " << filter->ToString();
    pruned += may ? 0 : 1;
    certain += must ? 1 : 0;
  }
  // Not vacuous.
  EXPECT_GT(pruned, 10000);
  EXPECT_GT(certain, 3000);
}

// What a dictionary or a Bloom filter could say of the rows: their values and more, or nothing.
struct TwinProbe {
  std::vector<std::vector<Value>> values;  // by column
  std::vector<bool> is_known;

  TwinProbe(Random& random, const std::vector<TwinRow>& rows,
            const std::vector<TwinColumn>& columns) {
    for (size_t i = 0; i < columns.size(); ++i) {
      values.emplace_back();
      is_known.push_back(Chance(random, 80));
      for (const TwinRow& row : rows) {
        if (!IsNull(row[i])) values[i].push_back(row[i]);
      }
      const Type& type = columns[i].field.type;
      if (Chance(random, 20)) values[i].push_back(testing::DrawValue(random, type));
    }
  }

  bool MayEqual(size_t column, const Value& value) const {
    return std::any_of(values[column].begin(), values[column].end(), [&](const Value& each) {
      return CompareValues(each, value) == 0;
    });
  }
};

TEST(PruneTest, ProbesAreNeverWrong) {
  SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()));
  auto random = testing::MakeRandom(312);
  const std::vector<TwinColumn> columns = testing::TwinColumns();
  int pruned_by_values = 0;
  int pruned_by_equality = 0;
  for (int round = 0; round < 20000; ++round) {
    const TwinFilter twin =
        testing::DrawFilter(random, static_cast<int>(testing::Draw(random, 0, 2)));
    const auto filter = BoundFilter::Make(twin.text, testing::TwinSchema()).ValueOrDie();
    const std::vector<TwinRow> rows = DrawRows(random);
    const TwinProbe probe(random, rows, columns);
    const auto index = [&](int32_t id) { return static_cast<size_t>(id - columns[0].field.id); };
    const auto no_facts = [](int32_t) { return ColumnFacts{}; };
    BoundFilter::ValueProbe equal;
    equal.may_equal = [&](int32_t id, const Value& value) {
      return !probe.is_known[index(id)] || probe.MayEqual(index(id), value);
    };
    BoundFilter::ValueProbe values;
    values.all_values = [&](int32_t id) {
      return probe.is_known[index(id)] ? &probe.values[index(id)] : nullptr;
    };
    const bool any = std::any_of(rows.begin(), rows.end(), [&](const TwinRow& row) {
      return twin.test(row) == testing::Truth::kTrue;
    });
    const bool before = filter.MayMatch(no_facts);
    const bool by_equality = filter.MayMatch(no_facts, equal);
    const bool by_values = filter.MayMatch(no_facts, values);
    ASSERT_TRUE(by_equality || !any) << twin.text << "\nread as " << filter.ToString();
    ASSERT_TRUE(by_values || !any) << twin.text << "\nread as " << filter.ToString();
    pruned_by_equality += before && !by_equality ? 1 : 0;
    pruned_by_values += before && !by_values ? 1 : 0;
  }
  EXPECT_GT(pruned_by_equality, 500);
  EXPECT_GT(pruned_by_values, 3000);
}

// The values of column "k" that a probe is asked for which holds none, then the verdict.
std::string AskedFor(const std::string& text) {
  Schema schema;
  for (const char* name : {"k", "other", "ratio"}) {
    Field& field = schema.fields.emplace_back();
    field.id = static_cast<int32_t>(schema.fields.size());
    field.name = name;
    field.type = ParsePrimitiveType(field.id == 3 ? "double" : "long").ValueOrDie();
  }
  std::string asked;
  const auto may_equal = [&](int32_t id, const Value& value) {
    if (id != 2) asked += ValueToString(value, schema.fields[id - 1].type) + " ";
    return id == 2;
  };
  const auto filter = BoundFilter::Make(text, schema).ValueOrDie();
  const bool may = filter.MayMatch([](int32_t) { return ColumnFacts{}; }, {may_equal, nullptr});
  return asked + (may ? "may" : "no");
}

TEST(PruneTest, BloomFiltersAreAskedForWhatARowMustEqual) {
  EXPECT_EQ(AskedFor("k = 3 and other > 4"), "3 no");
  EXPECT_EQ(AskedFor("k in (1, 2)"), "1 2 no");
  EXPECT_EQ(AskedFor("k = 1 or k = 5"), "1 5 no");
  EXPECT_EQ(AskedFor("(k = 1 and other = 2) or k in (5, 6)"), "1 5 6 no");
  EXPECT_EQ(AskedFor("k = 1 or other = 5"), "1 may");
  EXPECT_EQ(AskedFor("not (k <> 1 or other = 5)"), "1 no");
  EXPECT_EQ(AskedFor("k > 1"), "may");
  EXPECT_EQ(AskedFor("k not in (1, 2)"), "may");
  EXPECT_EQ(AskedFor("k <> 1"), "may");
  EXPECT_EQ(AskedFor("other = 1"), "may");
  EXPECT_EQ(AskedFor("k = 1 or k is null"), "1 may");
  EXPECT_EQ(AskedFor("true"), "may");
  EXPECT_EQ(AskedFor("ratio = 1"), "1 no");
  EXPECT_EQ(AskedFor("ratio in (0, 1)"), "may");  // -0.0 has another hash
}

TEST(PruneTest, DictionariesAreTestedByAnyPredicate) {
  Schema schema;
  schema.fields.resize(1);
  schema.fields[0].id = 1;
  schema.fields[0].name = "k";
  schema.fields[0].type = ParsePrimitiveType("string").ValueOrDie();
  const std::vector<Value> values = {std::string("apple"), std::string("a much longer pear")};
  const auto may = [&](const std::string& text) {
    const auto all_values = [&](int32_t) { return &values; };
    return BoundFilter::Make(text, schema)
        .ValueOrDie()
        .MayMatch([](int32_t) { return ColumnFacts{}; }, {nullptr, all_values});
  };
  EXPECT_TRUE(may("k = 'apple'"));
  EXPECT_FALSE(may("k = 'appl'"));
  EXPECT_FALSE(may("k = 'a much longer pear tree'"));
  EXPECT_TRUE(may("k like '%pear'"));
  EXPECT_FALSE(may("k like '%plum%'"));
  EXPECT_FALSE(may("k > 'b'"));
  EXPECT_FALSE(may("k not in ('apple', 'a much longer pear')"));
  EXPECT_TRUE(may("k <> 'apple'"));
  EXPECT_TRUE(may("k is null"));
}

// "may", "must" or "no" for the one column "k" of the type.
std::string Verdict(const std::string& text, const std::string& type, const ColumnFacts& facts) {
  Schema schema;
  schema.fields.resize(1);
  schema.fields[0].id = 1;
  schema.fields[0].name = "k";
  schema.fields[0].type = ParsePrimitiveType(type).ValueOrDie();
  const auto filter = BoundFilter::Make(text, schema);
  if (!filter.ok()) return filter.status().message();
  const auto lookup = [&](int32_t) { return facts; };
  if (filter->MustMatch(lookup)) return "must";
  return filter->MayMatch(lookup) ? "may" : "no";
}

ColumnFacts Between(Value lower, Value upper) {
  ColumnFacts facts;
  facts.may_hold_nulls = false;
  facts.may_hold_nan = false;
  facts.lower = std::move(lower);
  facts.upper = std::move(upper);
  return facts;
}

TEST(PruneTest, Comparisons) {
  const ColumnFacts facts = Between(int64_t{3}, int64_t{7});
  EXPECT_EQ(Verdict("k < 3", "int", facts), "no");
  EXPECT_EQ(Verdict("k <= 3", "int", facts), "may");
  EXPECT_EQ(Verdict("k < 8", "int", facts), "must");
  EXPECT_EQ(Verdict("k <= 7", "int", facts), "must");
  EXPECT_EQ(Verdict("k > 7", "int", facts), "no");
  EXPECT_EQ(Verdict("k > 2.5", "int", facts), "must");
  EXPECT_EQ(Verdict("k >= 7", "int", facts), "may");
  EXPECT_EQ(Verdict("k = 2", "int", facts), "no");
  EXPECT_EQ(Verdict("k = 5", "int", facts), "may");
  EXPECT_EQ(Verdict("k <> 8", "int", facts), "must");
  EXPECT_EQ(Verdict("k in (1, 2, 8, 9)", "int", facts), "no");
  EXPECT_EQ(Verdict("k in (1, 7)", "int", facts), "may");
  EXPECT_EQ(Verdict("k not in (1, 2, 8)", "int", facts), "must");
  EXPECT_EQ(Verdict("k between 8 and 9", "int", facts), "no");
  EXPECT_EQ(Verdict("k not between 8 and 9", "int", facts), "must");
  EXPECT_EQ(Verdict("k < 3 or k > 7", "int", facts), "no");
  EXPECT_EQ(Verdict("k = 5 and k > 7", "int", facts), "no");
  EXPECT_EQ(Verdict("k < 3000000000", "int", facts), "must");
  EXPECT_EQ(Verdict("k = 3", "int", Between(int64_t{3}, int64_t{3})), "must");
  EXPECT_EQ(Verdict("k <> 3", "int", Between(int64_t{3}, int64_t{3})), "no");
  EXPECT_EQ(Verdict("k not in (3, 4)", "int", Between(int64_t{3}, int64_t{3})), "no");
}

// duckdb-iceberg#782, #359: an absent null count is no zero, and one null is not all null.
TEST(PruneTest, Nulls) {
  ColumnFacts some;
  some.lower = int64_t{1};
  some.upper = int64_t{1};
  EXPECT_EQ(Verdict("k is null", "int", some), "may");
  EXPECT_EQ(Verdict("k is not null", "int", some), "may");
  EXPECT_EQ(Verdict("k = 1", "int", some), "may");
  EXPECT_EQ(Verdict("k is null or k = 1", "int", some), "may");
  ColumnFacts all;
  all.all_null = true;
  EXPECT_EQ(Verdict("k is null", "int", all), "must");
  EXPECT_EQ(Verdict("k is not null", "int", all), "no");
  EXPECT_EQ(Verdict("k = 1", "int", all), "no");
  EXPECT_EQ(Verdict("k <> 1", "int", all), "no");
  EXPECT_EQ(Verdict("k not in (1, 2)", "int", all), "no");
  EXPECT_EQ(Verdict("k is not nan", "float", all), "must");
  EXPECT_EQ(Verdict("k is null", "int", Between(int64_t{1}, int64_t{2})), "no");
  EXPECT_EQ(Verdict("k is not null", "int", Between(int64_t{1}, int64_t{2})), "must");
  EXPECT_EQ(Verdict("k is null", "int", FactsOfConstant(Value())), "must");
}

// ClickHouse#118112, iceberg#9130: a NaN above the bounds.
TEST(PruneTest, Nan) {
  ColumnFacts facts = Between(3.0, 3.0);
  EXPECT_EQ(Verdict("k > 5", "float", facts), "no");
  EXPECT_EQ(Verdict("k = 3", "float", facts), "must");
  facts.may_hold_nan = true;
  EXPECT_EQ(Verdict("k > 5", "float", facts), "may");
  EXPECT_EQ(Verdict("k >= 5", "double", facts), "may");
  EXPECT_EQ(Verdict("k <> 3", "double", facts), "may");
  EXPECT_EQ(Verdict("k not in (3, 4)", "double", facts), "may");
  EXPECT_EQ(Verdict("k < 5", "double", facts), "may");
  EXPECT_EQ(Verdict("k < 3", "double", facts), "no");
  EXPECT_EQ(Verdict("k > 2", "double", facts), "must");
  EXPECT_EQ(Verdict("k = 3", "double", facts), "may");
  EXPECT_EQ(Verdict("k = 'NaN'", "double", facts), "may");
  EXPECT_EQ(Verdict("k is nan", "double", Between(3.0, 3.0)), "no");
  EXPECT_EQ(Verdict("k > 5", "double", FactsOfConstant(Value(std::nan("")))), "may");
  EXPECT_EQ(Verdict("k > 5", "double", FactsOfConstant(Value(3.0))), "no");
  // Only floats have NaN.
  ColumnFacts whole = Between(int64_t{3}, int64_t{3});
  whole.may_hold_nan = true;
  EXPECT_EQ(Verdict("k > 5", "int", whole), "no");
}

TEST(PruneTest, ContradictionsSayNothing) {
  EXPECT_EQ(Verdict("k = 5", "int", Between(int64_t{7}, int64_t{3})), "may");
  EXPECT_EQ(Verdict("k < 5", "int", Between(std::string("x"), std::string("y"))), "may");
  EXPECT_EQ(Verdict("k < 5", "double", Between(std::nan(""), std::nan(""))), "may");
  EXPECT_EQ(Verdict("k = 'abc'", "string", Between(int64_t{7}, int64_t{3})), "may");
}

TEST(PruneTest, Strings) {
  const ColumnFacts facts = Between(std::string("abc"), std::string("abf"));
  EXPECT_EQ(Verdict("k like 'ab%'", "string", facts), "must");
  EXPECT_EQ(Verdict("k like 'abd%'", "string", facts), "may");
  EXPECT_EQ(Verdict("k like 'abg%'", "string", facts), "no");
  EXPECT_EQ(Verdict("k like 'aa%'", "string", facts), "no");
  EXPECT_EQ(Verdict("k not like 'ab%'", "string", facts), "no");
  EXPECT_EQ(Verdict("k not like 'abc%'", "string", facts), "may");
  EXPECT_EQ(Verdict("k not like 'b%'", "string", facts), "must");
  EXPECT_EQ(Verdict("k like 'b%x'", "string", facts), "no");
  EXPECT_EQ(Verdict("k not like 'b%x'", "string", facts), "must");
  EXPECT_EQ(Verdict("k like 'ab%x'", "string", facts), "may");
  EXPECT_EQ(Verdict("k like '%'", "string", facts), "must");
  EXPECT_EQ(Verdict("k like 'a_c'", "string", Between(std::string("abc"), std::string("abc"))),
            "must");
  // duckdb-iceberg#1334: bounds cut inside a character are bytes like others.
  const ColumnFacts cut = Between(std::string("a\xE2"), std::string("a\xE3"));
  EXPECT_EQ(Verdict("k = 'a\xE2\x82\xAC'", "string", cut), "may");
  EXPECT_EQ(Verdict("k = 'b'", "string", cut), "no");
  // duckdb-iceberg#1048: an upper bound cut to 16 characters and not rounded up.
  const ColumnFacts unrounded = Between(std::string("a"), std::string("aaaaaaaaaaaaaaaa"));
  EXPECT_EQ(Verdict("k = 'aaaaaaaaaaaaaaaaz'", "string", unrounded), "may");
  EXPECT_EQ(Verdict("k > 'aaaaaaaaaaaaaaaaz'", "string", unrounded), "may");
  EXPECT_EQ(Verdict("k like 'aaaaaaaaaaaaaaaaz%'", "string", unrounded), "may");
  EXPECT_EQ(Verdict("k = 'aaaaaaaaaaaaaaab'", "string", unrounded), "no");
  EXPECT_EQ(Verdict("k like 'a%'", "string", unrounded), "must");
  const ColumnFacts one = Between(std::string("aaaaaaaaaaaaaaaa"), std::string("aaaaaaaaaaaaaaaa"));
  EXPECT_EQ(Verdict("k = 'aaaaaaaaaaaaaaaa'", "string", one), "may");
  EXPECT_EQ(Verdict("k <> 'aaaaaaaaaaaaaaaa'", "string", one), "may");
  EXPECT_EQ(Verdict("k = 'aaaaaaaaaaaaaaaa'", "string",
                    FactsOfConstant(Value(std::string("aaaaaaaaaaaaaaaa")))),
            "must");
}

TEST(PruneTest, ConstantsNeedNoFacts) {
  EXPECT_EQ(Verdict("true", "int", {}), "must");
  EXPECT_EQ(Verdict("false", "int", {}), "no");
  EXPECT_EQ(Verdict("null", "int", {}), "no");
  EXPECT_EQ(Verdict("k = null or true", "int", {}), "must");
}

// trinodb/trino#15408: a member of a struct has the name of a column; the id tells them apart.
TEST(PruneTest, StructMembersHaveTheirOwnFacts) {
  Schema schema;
  Field column;
  column.id = 1;
  column.name = "a";
  column.type.id = TypeId::kInt;
  Field member = column;
  member.id = 3;
  Field row;
  row.id = 2;
  row.name = "row";
  row.type.id = TypeId::kStruct;
  row.type.fields = std::make_shared<const std::vector<Field>>(1, member);
  schema.fields = {column, row};
  const auto filter = BoundFilter::Make("row.a = 5", schema).ValueOrDie();
  EXPECT_EQ(filter.field_ids(), std::vector<int32_t>{3});
  const auto facts = [](int32_t id) {
    return id == 3 ? Between(int64_t{4}, int64_t{6}) : Between(int64_t{0}, int64_t{1});
  };
  EXPECT_TRUE(filter.MayMatch(facts));
}

}  // namespace
}  // namespace esker
