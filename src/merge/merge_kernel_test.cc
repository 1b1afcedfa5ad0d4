// Tests of the pure parts of a window: kernel, loser tree, safe bound, order check.
#include "merge/merge_kernel.h"

#include <algorithm>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "merge/key_encoder.h"
#include "merge/loser_tree.h"
#include "merge/order_check.h"
#include "merge/window.h"
#include "testing/random_keys.h"
#include "testing/reference_merge.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Draw;
using testing::MakeKey;

KeyBatch Keys(const std::vector<int64_t>& numbers) {
  std::vector<Value> values(numbers.begin(), numbers.end());
  const auto column = testing::MakeColumn(MakeKey("long").type, values);
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                              column->length(), {column});
  return KeyEncoder::Make({MakeKey("long")}, nullptr).ValueOrDie().Encode(*batch).ValueOrDie();
}

std::vector<RowRun> Merge(const std::vector<KeyBatch>& batches) {
  std::vector<KeySpan> spans;
  for (const KeyBatch& batch : batches) spans.push_back({&batch, 0, batch.rows});
  std::vector<RowRun> runs;
  MergeSpans(spans, &runs);
  return runs;
}

TEST(MergeKernel, DrawingOfTheHeader) {
  EXPECT_EQ(Merge({Keys({1, 1, 4}), Keys({2, 3, 4, 5})}),
            (std::vector<RowRun>{{0, 2}, {1, 2}, {0, 1}, {1, 2}}));
}

TEST(MergeKernel, EmptySpansAndNoSpans) {
  EXPECT_TRUE(Merge({}).empty());
  EXPECT_TRUE(Merge({Keys({}), Keys({})}).empty());
  EXPECT_EQ(Merge({Keys({}), Keys({1, 2}), Keys({})}), (std::vector<RowRun>{{1, 2}}));
}

TEST(MergeKernel, EqualKeysGoByInput) {
  EXPECT_EQ(Merge({Keys({5, 5, 5}), Keys({5, 5}), Keys({5})}),
            (std::vector<RowRun>{{0, 3}, {1, 2}, {2, 1}}));
}

/// The stable merge, one row at a time.
std::vector<RowRun> NaiveMerge(const std::vector<KeyBatch>& batches) {
  std::vector<int64_t> at(batches.size(), 0);
  std::vector<RowRun> runs;
  while (true) {
    int best = -1;
    for (size_t i = 0; i < batches.size(); ++i) {
      if (at[i] == batches[i].rows) continue;
      if (best < 0 || CompareKeys({&batches[i], at[i]}, {&batches[best], at[best]}) < 0) {
        best = static_cast<int>(i);
      }
    }
    if (best < 0) return runs;
    ++at[best];
    if (!runs.empty() && runs.back().span == static_cast<uint32_t>(best)) {
      ++runs.back().count;
    } else {
      runs.push_back({static_cast<uint32_t>(best), 1});
    }
  }
}

TEST(MergeKernel, AgreesWithTheNaiveMergeInEveryLayout) {
  for (int i = 0; i < 2000; ++i) {
    SCOPED_TRACE("seed " + std::to_string(testing::TestSeed()) + ", case " + std::to_string(i));
    auto random = testing::MakeRandom(70000 + i);
    SortKeys keys;
    const auto& names = testing::KeyTypeNames();
    for (int64_t k = Draw(random, 1, 3); k > 0; --k) {
      keys.push_back(MakeKey(names[Draw(random, 0, std::ssize(names) - 1)]));
    }
    const auto encoder = KeyEncoder::Make(keys, nullptr).ValueOrDie();
    std::vector<KeyBatch> batches;
    for (int64_t n = Draw(random, 1, 9); n > 0; --n) {
      const testing::KeyShape shape{Draw(random, 0, 80), static_cast<size_t>(Draw(random, 0, 4)),
                                    testing::Chance(random, 50) ? 0 : 20};
      const auto input =
          testing::ReferenceSort(keys, testing::RandomInput(keys, shape, 0, random)).ValueOrDie();
      batches.push_back(encoder.Encode(*input.keys).ValueOrDie());
    }
    ASSERT_EQ(Merge(batches), NaiveMerge(batches));
  }
}

TEST(LoserTree, WinnerAndRunnerUpOfEverySize) {
  for (uint32_t inputs = 2; inputs < 40; ++inputs) {
    auto random = testing::MakeRandom(inputs);
    std::vector<int64_t> heads(inputs);
    for (auto& head : heads) head = Draw(random, 0, 20);
    const auto less = [&](uint32_t a, uint32_t b) {
      return heads[a] != heads[b] ? heads[a] < heads[b] : a < b;
    };
    LoserTree tree(inputs, less);
    for (int step = 0; step < 200; ++step) {
      std::vector<uint32_t> order(inputs);
      for (uint32_t i = 0; i < inputs; ++i) order[i] = i;
      std::sort(order.begin(), order.end(), less);
      ASSERT_EQ(tree.winner(), order[0]);
      ASSERT_EQ(tree.RunnerUp(), order[1]);
      heads[tree.winner()] += Draw(random, 0, 5);
      tree.Replay();
    }
  }
}

// Windows.

struct Window {
  std::vector<KeyBatch> batches;
  std::vector<bool> has_more;

  std::vector<int64_t> Choose(const KeyBatch* corner, int64_t max_rows) const {
    std::vector<WindowInput> inputs;
    for (size_t i = 0; i < batches.size(); ++i) {
      inputs.push_back({{&batches[i], 0, batches[i].rows}, has_more[i]});
    }
    const KeyRow next = corner == nullptr ? KeyRow() : KeyRow{corner, 0};
    std::vector<int64_t> counts;
    for (const KeySpan& span : ChooseWindow(inputs, next, max_rows)) counts.push_back(span.rows());
    return counts;
  }
};

TEST(Window, DrawingOfTheHeader) {
  const Window window{{Keys({1, 3, 5, 7, 9}), Keys({4, 4, 6})}, {true, true}};
  const KeyBatch corner = Keys({8});
  EXPECT_EQ(window.Choose(&corner, 1000), (std::vector<int64_t>{3, 3}));
}

TEST(Window, TiesWithTheBoundGoByInput) {
  const Window window{{Keys({1, 6, 6}), Keys({4, 6}), Keys({6, 7})}, {false, true, false}};
  EXPECT_EQ(window.Choose(nullptr, 1000), (std::vector<int64_t>{3, 2, 0}));
}

TEST(Window, RowsEqualToTheNextCornerAreInside) {
  const Window window{{Keys({1, 6, 6, 7})}, {false}};
  const KeyBatch corner = Keys({6});
  EXPECT_EQ(window.Choose(&corner, 1000), (std::vector<int64_t>{3}));
}

TEST(Window, OneKeyInAllRowsMakesProgressWithinTheLimit) {
  const Window window{{Keys(std::vector<int64_t>(100, 5)), Keys(std::vector<int64_t>(100, 5))},
                      {true, true}};
  EXPECT_EQ(window.Choose(nullptr, 1000), (std::vector<int64_t>{100, 0}));
  EXPECT_EQ(window.Choose(nullptr, 10), (std::vector<int64_t>{10, 0}));
}

TEST(Window, IsSafeAndWithinTheLimitOnRandomInputs) {
  for (int i = 0; i < 2000; ++i) {
    auto random = testing::MakeRandom(90000 + i);
    Window window;
    for (int64_t n = Draw(random, 1, 6); n > 0; --n) {
      std::vector<int64_t> numbers(Draw(random, 1, 50));
      for (auto& number : numbers) number = Draw(random, 0, 30);
      std::sort(numbers.begin(), numbers.end());
      window.batches.push_back(Keys(numbers));
      window.has_more.push_back(testing::Chance(random, 50));
    }
    const int64_t max_rows = Draw(random, 1, 60);
    const auto counts = window.Choose(nullptr, max_rows);
    int64_t total = 0;
    for (const int64_t count : counts) total += count;
    ASSERT_GE(total, 1);
    ASSERT_LE(total, std::max(max_rows, std::ssize(counts)));
    // No row left behind may come before a row inside, by (key, input).
    for (size_t a = 0; a < counts.size(); ++a) {
      for (size_t b = 0; b < counts.size(); ++b) {
        if (counts[a] == 0) continue;
        const KeyRow inside{&window.batches[a], counts[a] - 1};
        if (counts[b] < window.batches[b].rows) {
          const auto order = CompareKeys({&window.batches[b], counts[b]}, inside);
          ASSERT_TRUE(order > 0 || (order == 0 && b >= a));
        } else if (window.has_more[b]) {
          const auto order = CompareKeys({&window.batches[b], counts[b] - 1}, inside);
          ASSERT_TRUE(order > 0 || (order == 0 && b >= a));
        }
      }
    }
  }
}

// Order check.

TEST(OrderCheck, FindsEachPlantedInversionInEveryLayout) {
  for (const char* type : {"int", "long", "decimal(9,2)", "string"}) {
    const SortKeys keys{MakeKey(type), MakeKey("uuid")};
    for (const bool two : {false, true}) {
      const SortKeys used(keys.begin(), keys.begin() + (two ? 2 : 1));
      auto random = testing::MakeRandom(5);
      const auto encoder = KeyEncoder::Make(used, nullptr).ValueOrDie();
      const auto input =
          testing::ReferenceSort(used, testing::RandomInput(used, {40, 0, 5}, 0, random))
              .ValueOrDie();
      const KeyBatch sorted = encoder.Encode(*input.keys).ValueOrDie();
      EXPECT_EQ(FindInversion(sorted), -1);
      for (int64_t cut = 1; cut < 40; ++cut) {
        // The second part first: an inversion where it ends, unless all keys there are equal.
        const KeyBatch end =
            JoinKeys(sorted, cut, 40, {}, arrow::default_memory_pool()).ValueOrDie();
        const KeyBatch begin =
            JoinKeys(sorted, 0, cut, {}, arrow::default_memory_pool()).ValueOrDie();
        const KeyBatch turned =
            JoinKeys(end, 0, 40 - cut, {&begin, 1}, arrow::default_memory_pool()).ValueOrDie();
        const bool inverted = CompareKeys({&sorted, 0}, {&sorted, 39}) < 0;
        EXPECT_EQ(FindInversion(turned), inverted ? 40 - cut : -1);
      }
    }
  }
}

TEST(OrderCheck, LooksPastItsStride) {
  std::vector<int64_t> numbers(10000);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int64_t>(i);
  for (const int64_t at : {1, 4096, 4097, 8192, 9999}) {
    std::vector<int64_t> broken = numbers;
    broken[at] = -1;
    EXPECT_EQ(FindInversion(Keys(broken)), at);
  }
}

TEST(OrderCheck, ChangesAreStartsOfStretches) {
  EXPECT_EQ(FindChanges(Keys({1, 1, 2, 2, 2, 5})), (std::vector<int64_t>{2, 5}));
  EXPECT_TRUE(FindChanges(Keys({7, 7})).empty());
  EXPECT_TRUE(FindChanges(Keys({})).empty());
}

}  // namespace
}  // namespace esker
