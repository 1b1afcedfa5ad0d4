// The lazy merge against its naive twin: every small case, then shaped random ones.
#include "merge/lazy_merge.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/scripted_source.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::MakeKey;
using testing::ReferenceInput;
using testing::SourceScript;

/// One merge to be tried: inputs with their corners, sorted by (lower, upper).
struct Case {
  SortKeys keys;
  std::vector<ReferenceInput> inputs;
  std::vector<KeyRange> ranges;
  SourceScript script;
  MergeOptions options;
};

void SortInputs(Case* c) {
  std::vector<size_t> order(c->inputs.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const auto lower = CompareCorners(c->keys, c->ranges[a].lower, c->ranges[b].lower);
    if (lower != 0) return lower < 0;
    return CompareCorners(c->keys, c->ranges[a].upper, c->ranges[b].upper) < 0;
  });
  Case sorted = *c;
  for (size_t i = 0; i < order.size(); ++i) {
    sorted.inputs[i] = c->inputs[order[i]];
    sorted.ranges[i] = c->ranges[order[i]];
  }
  *c = std::move(sorted);
}

/// Most inputs that one key touches: what may be open together, and no more.
int64_t Depth(const Case& c) {
  int64_t depth = 0;
  for (const KeyRange& at : c.ranges) {
    int64_t touching = 0;
    for (const KeyRange& other : c.ranges) {
      touching += CompareCorners(c.keys, other.lower, at.lower) <= 0 &&
                  CompareCorners(c.keys, at.lower, other.upper) <= 0;
    }
    depth = std::max(depth, touching);
  }
  return depth;
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Open(
    const Case& c, const std::shared_ptr<ScanCounters>& counters) {
  std::vector<MergeInput> inputs;
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    inputs.push_back({c.ranges[i].lower, c.ranges[i].upper,
                      testing::OpenScripted(c.inputs[i], c.script, counters), "test"});
  }
  return MakeLazyMerge(std::move(inputs), c.keys, c.inputs[0].rows->schema(), c.options, counters);
}

/// Runs a case and compares row by row; says what happened.
void ExpectSameAsTwin(const Case& c, ScanCounters* seen = nullptr) {
  auto counters = std::make_shared<ScanCounters>();
  const auto expected = testing::ReferenceMerge(c.keys, c.inputs, c.options.limit).ValueOrDie();
  {
    auto reader = Open(c, counters).ValueOrDie();
    int64_t at = 0;
    while (true) {
      auto batch = reader->Next();
      ASSERT_TRUE(batch.ok()) << batch.status().ToString();
      if (*batch == nullptr) break;
      ASSERT_GT((*batch)->num_rows(), 0);
      ASSERT_LE((*batch)->num_rows(), c.options.batch_rows);
      ASSERT_TRUE((*batch)->Equals(*expected->Slice(at, (*batch)->num_rows())))
          << ToString(c.keys) << " at row " << at << ", expected " << expected->ToString()
          << " got " << (*batch)->ToString();
      at += (*batch)->num_rows();
    }
    ASSERT_EQ(at, expected->num_rows()) << ToString(c.keys);
    ASSERT_EQ(counters->open_files, 0);
    ASSERT_EQ(counters->rows, at);
  }
  if (c.options.max_open > 0) {
    ASSERT_LE(counters->peak_open_files, c.options.max_open);
  }
  if (seen != nullptr) seen->peak_open_files = counters->peak_open_files.load();
}

// Every small case.

/// All sorted lists of up to two of the `count` key tuples.
std::vector<std::vector<int>> SmallFiles(int count) {
  std::vector<std::vector<int>> files{{}};
  for (int a = 0; a < count; ++a) {
    files.push_back({a});
    for (int b = a; b < count; ++b) files.push_back({a, b});
  }
  return files;
}

/// Key columns of a file from places in the list of key tuples.
ReferenceInput FileOf(const SortKeys& keys, const std::vector<std::vector<Value>>& tuples,
                      const std::vector<int>& places, int64_t number) {
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  for (size_t k = 0; k < keys.size(); ++k) {
    std::vector<Value> values;
    for (const int place : places) values.push_back(tuples[place][k]);
    columns.push_back(testing::MakeColumn(keys[k].type, values));
    fields.push_back(arrow::field("k", columns.back()->type()));
  }
  std::vector<Value> numbers(places.size(), Value(number));
  std::vector<Value> rows;
  for (size_t i = 0; i < places.size(); ++i) rows.emplace_back(static_cast<int64_t>(i));
  const Type whole = MakeKey("long").type;
  ReferenceInput file;
  const auto count = static_cast<int64_t>(places.size());
  file.keys = arrow::RecordBatch::Make(arrow::schema(fields), count, columns);
  file.rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("input", arrow::int64()), arrow::field("row", arrow::int64())}),
      count, {testing::MakeColumn(whole, numbers), testing::MakeColumn(whole, rows)});
  return file;
}

/// Runs all pairs and triples of small files over `tuples`, which are in order of the keys.
int TryAllFiles(const SortKeys& keys, const std::vector<std::vector<Value>>& tuples) {
  const auto files = SmallFiles(static_cast<int>(tuples.size()));
  std::vector<std::vector<ReferenceInput>> made(3);
  for (int64_t n = 0; n < 3; ++n) {
    for (const auto& file : files) made[n].push_back(FileOf(keys, tuples, file, n));
  }
  int cases = 0;
  const int count = static_cast<int>(files.size());
  for (int a = 0; a < count; ++a) {
    for (int b = 0; b < count; ++b) {
      for (int c = 0; c < count; ++c) {
        Case small{keys, {made[0][a], made[1][b], made[2][c]}, {}, {}, {}};
        for (const auto& input : small.inputs) {
          small.ranges.push_back(testing::ExactRange(keys, *input.keys));
        }
        SortInputs(&small);
        small.script.key_batch_rows = 1 + cases % 2;
        small.options.max_open = cases % 3;
        ++cases;
        ScanCounters seen;
        ExpectSameAsTwin(small, &seen);
        if (::testing::Test::HasFatalFailure()) return cases;
      }
    }
  }
  return cases;
}

/// Tuples in the order of the keys, so that ascending places are sorted files.
void SortTuples(const SortKeys& keys, std::vector<std::vector<Value>>* tuples) {
  std::vector<int> places;
  for (size_t i = 0; i < tuples->size(); ++i) places.push_back(static_cast<int>(i));
  const ReferenceInput all = FileOf(keys, *tuples, places, 0);
  const auto sorted = testing::ReferenceSort(keys, all).ValueOrDie();
  const auto& rows = static_cast<const arrow::Int64Array&>(*sorted.rows->column(1));
  std::vector<std::vector<Value>> result;
  for (int64_t i = 0; i < rows.length(); ++i) result.push_back((*tuples)[rows.Value(i)]);
  *tuples = std::move(result);
}

class EverySmallCase : public ::testing::TestWithParam<std::tuple<std::string, bool, bool>> {};

TEST_P(EverySmallCase, OneKey) {
  const auto& [type, descending, nulls_first] = GetParam();
  const SortKeys keys{MakeKey(type, descending, nulls_first)};
  const auto pool = testing::PoolOf(keys[0].type, 2);
  std::vector<std::vector<Value>> tuples{{pool[0]}, {pool[1]}, {Value()}};
  SortTuples(keys, &tuples);
  EXPECT_EQ(TryAllFiles(keys, tuples), 1000);
}

TEST_P(EverySmallCase, TwoKeys) {
  const auto& [type, descending, nulls_first] = GetParam();
  const SortKeys keys{MakeKey("int", nulls_first, descending),
                      MakeKey(type, descending, nulls_first)};
  const auto pool = testing::PoolOf(keys[1].type, 2);
  std::vector<std::vector<Value>> tuples{
      {int64_t{1}, pool[0]}, {int64_t{1}, Value()}, {Value(), pool[1]}};
  SortTuples(keys, &tuples);
  EXPECT_EQ(TryAllFiles(keys, tuples), 1000);
}

INSTANTIATE_TEST_SUITE_P(AllOptions, EverySmallCase,
                         ::testing::Combine(::testing::Values("int", "long", "string"),
                                            ::testing::Bool(), ::testing::Bool()));

// Shaped random cases.

/// Widens or drops a lower corner, as manifests do: truncated, one-sided, missing.
void WidenLower(const SortKeys& keys, Corner* lower, std::mt19937_64& random) {
  for (size_t k = 0; k < lower->size(); ++k) {
    HalfRank& rank = (*lower)[k];
    if (!Chance(random, 30)) continue;
    if (rank.kind == HalfRank::Kind::kValue && Chance(random, 50) && !keys[k].descending) {
      if (auto* bytes = std::get_if<std::string>(&rank.value);
          bytes != nullptr && !bytes->empty()) {
        bytes->pop_back();
        continue;
      }
    }
    const bool nulls_first = keys[k].nulls_first && rank.kind != HalfRank::Kind::kValue;
    rank = {nulls_first || Chance(random, 30) ? HalfRank::Kind::kNullFirst
                                              : HalfRank::Kind::kBeforeValues,
            {}};
  }
  if (Chance(random, 10)) lower->clear();
}

Corner EmptyLower(const SortKeys& keys) {
  return Corner(keys.size(), {HalfRank::Kind::kNullFirst, {}});
}

SortKeys RandomKeys(std::mt19937_64& random) {
  SortKeys keys;
  const auto& names = testing::KeyTypeNames();
  const int64_t count = Chance(random, 60) ? 1 : Draw(random, 0, 3);
  for (int64_t k = 0; k < count; ++k) {
    keys.push_back(MakeKey(names[Draw(random, 0, std::ssize(names) - 1)], Chance(random, 50),
                           Chance(random, 50)));
  }
  return keys;
}

int64_t Pick(std::mt19937_64& random, std::initializer_list<int64_t> choices) {
  return *(choices.begin() + Draw(random, 0, std::ssize(choices) - 1));
}

Case RandomCase(std::mt19937_64& random) {
  Case c;
  c.keys = RandomKeys(random);
  // Whole runs with some feature off or extreme find more than even odds.
  const bool widen = Chance(random, 50);
  const bool ranged = Chance(random, 50);
  const testing::KeyShape shape{0, static_cast<size_t>(Pick(random, {0, 0, 1, 2, 3})),
                                static_cast<int>(Pick(random, {0, 0, 10, 60, 100}))};
  const int64_t files = Pick(random, {1, 2, 3, 5, 8, 13});
  const int64_t most_rows = Pick(random, {1, 3, 10, 40, 200});
  for (int64_t i = 0; i < files; ++i) {
    testing::KeyShape file = shape;
    file.rows = Chance(random, 10) ? 0 : Draw(random, 1, most_rows);
    if (ranged && Chance(random, 70)) file.distinct = 2;
    auto input = testing::RandomInput(c.keys, file, i, random);
    c.inputs.push_back(testing::ReferenceSort(c.keys, input).ValueOrDie());
    c.ranges.push_back(testing::ExactRange(c.keys, *c.inputs.back().keys));
    if (c.ranges.back().lower.size() < c.keys.size()) c.ranges.back().lower = EmptyLower(c.keys);
    if (widen) WidenLower(c.keys, &c.ranges.back().lower, random);
  }
  c.script.key_batch_rows = Pick(random, {1, 2, 7, 1000});
  c.script.row_batch_rows = Pick(random, {1, 2, 7, 1000});
  c.options.batch_rows = Pick(random, {1, 2, 7, 16384});
  c.options.window_rows = Pick(random, {1, 2, 3, 16, 100, 65536});
  if (Chance(random, 40)) c.options.limit = Pick(random, {0, 1, 2, 6, 7, 8, 50, 100000});
  c.options.max_open = static_cast<int32_t>(Pick(random, {0, 0, 1, 2, 3, 7}));
  return c;
}

/// Files by their lower corners where all are given; else left as they come.
void SortIfWhole(Case* c) {
  for (auto& range : c->ranges) {
    if (range.lower.size() != c->keys.size()) range.lower = EmptyLower(c->keys);
    if (range.upper.size() != c->keys.size()) {
      range.upper = Corner(c->keys.size(), {HalfRank::Kind::kNullLast, {}});
    }
  }
  SortInputs(c);
}

TEST(LazyMergeRandom, AgreesWithTheTwin) {
  for (int i = 0; i < 10000; ++i) {
    auto random = testing::MakeRandom(1000 + i);
    Case c = RandomCase(random);
    if (Chance(random, 90)) SortIfWhole(&c);
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(ExpectSameAsTwin(c));
  }
}

TEST(LazyMergeRandom, OpensNoMoreThanTheDepth) {
  for (int i = 0; i < 500; ++i) {
    auto random = testing::MakeRandom(50000 + i);
    Case c = RandomCase(random);
    if (c.keys.empty()) continue;
    c.options.max_open = 0;
    for (size_t n = 0; n < c.inputs.size(); ++n) {
      c.ranges[n] = testing::ExactRange(c.keys, *c.inputs[n].keys);
    }
    SortIfWhole(&c);
    ScanCounters seen;
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    ASSERT_NO_FATAL_FAILURE(ExpectSameAsTwin(c, &seen));
    ASSERT_LE(seen.peak_open_files, Depth(c));
  }
}

}  // namespace
}  // namespace esker
