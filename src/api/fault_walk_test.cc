// Fault walk: operation N of the storage, or request N for memory, fails, for N = 1, 2, 3 … until
// a run gets through. After each fault: an error in words or the right rows, nothing left open, all
// memory given back, and a fresh scan that is right. And the lives of readers: dropped, closed,
// pulled after an error, interleaved, moved between threads.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <iostream>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/filesystem/mockfs.h"
#include "arrow/record_batch.h"
#include "esker/error.h"
#include "esker/table.h"
#include "testing/faulty_filesystem.h"
#include "testing/process_threads.h"
#include "testing/refusing_pool.h"
#include "testing/table_builder.h"

namespace esker::testing {
namespace {

const std::vector<WrittenColumn> kColumns = {{1, "k", "long"}, {2, "v", "string"}};

// A file with the keys first, first + step …
RecipeFile FileOfKeys(int64_t first, int64_t step, int64_t count, std::optional<int32_t> order) {
  std::vector<Row> rows;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t key = order ? first + i * step : first + (i * 7 % count) * step;
    rows.push_back({key, "value " + std::to_string(key)});
  }
  RecipeFile file = DataFileOf(kColumns, rows, order);
  file.row_group_rows = 5;
  return file;
}

// Two overlapping files, one after them, one without an order, and deletes of all three kinds.
TableRecipe Recipe() {
  TableRecipe recipe;
  recipe.format_version = 3;
  recipe.columns = {{1, "k", "long"}, {2, "v", "string"}};
  recipe.sort_orders = {{1, {{1, false, true, "identity"}}}};
  recipe.files = {FileOfKeys(0, 2, 20, 1), FileOfKeys(1, 2, 20, 1), FileOfKeys(100, 1, 12, 1),
                  FileOfKeys(3, 5, 15, {})};
  const auto path = [](const char* name) { return kTableLocation + std::string(name); };
  recipe.files[0].path = path("/data/a.parquet");
  recipe.files[1].path = path("/data/b.parquet");
  recipe.files.push_back(PositionDeletesOf(path("/data/a.parquet"), {0, 3, 19}));
  recipe.files.push_back(DeletionVectorOf(path("/data/b.parquet"), {1, 2}));
  recipe.files.push_back(EqualityDeletesOf({{1, "k", "long"}}, {{int64_t{9}}, {int64_t{105}}}));
  return recipe;
}

// The keys of those files without the deleted ones, worked out by hand from what Recipe() says.
std::multiset<int64_t> ExpectedKeys() {
  std::multiset<int64_t> keys;
  for (int64_t i = 0; i < 20; ++i) {
    if (i != 0 && i != 3 && i != 19) keys.insert(2 * i);
    if (i != 1 && i != 2) keys.insert(2 * i + 1);
  }
  for (int64_t i = 0; i < 12; ++i) keys.insert(100 + i);
  for (int64_t i = 0; i < 15; ++i) keys.insert(3 + 5 * i);
  keys.erase(9);
  keys.erase(105);
  return keys;
}

std::vector<int64_t> SortedKeys() {
  const std::multiset<int64_t> keys = ExpectedKeys();
  return {keys.begin(), keys.end()};
}

ScanRequest ByKey() {
  ScanRequest request;
  request.order_by = {{"k", false, {}}};
  request.where = "v <> 'nothing'";
  return request;
}

arrow::Status Append(const arrow::RecordBatch& batch, std::vector<int64_t>* keys) {
  for (const Row& row : RowsOf(batch)) keys->push_back(std::get<int64_t>(row[0]));
  return batch.ValidateFull();
}

arrow::Result<std::vector<int64_t>> Drain(arrow::RecordBatchReader* reader) {
  std::vector<int64_t> keys;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
    if (batch == nullptr) return keys;
    ARROW_RETURN_NOT_OK(Append(*batch, &keys));
  }
}

// By the number of threads that read.
class FaultWalk : public ::testing::TestWithParam<int32_t> {
 protected:
  FaultWalk() {
    TableRecipe recipe = Recipe();
    filesystem_ = std::make_shared<FaultyFileSystem>(WriteTable(recipe));
  }

  ScanOptions SmallOptions() {
    ScanOptions options;
    options.batch_rows = 8;
    options.threads = GetParam();
    options.pool = &pool_;
    return options;
  }

  arrow::Result<std::shared_ptr<ScanPlan>> Plan(ScanOptions options) {
    ARROW_ASSIGN_OR_RAISE(auto table, Table::Open(kTableLocation, {{}, filesystem_}));
    return table->Plan(ByKey(), options);
  }

  std::shared_ptr<ScanPlan> MustPlan() {
    auto plan = Plan(SmallOptions());
    EXPECT_TRUE(plan.ok()) << plan.status().ToString();
    return plan.ok() ? *plan : nullptr;
  }

  arrow::Result<std::vector<int64_t>> Scan() { return ScanWith(SmallOptions()); }

  arrow::Result<std::vector<int64_t>> ScanWith(ScanOptions options) {
    ARROW_ASSIGN_OR_RAISE(auto plan, Plan(options));
    ARROW_ASSIGN_OR_RAISE(auto reader, plan->Read());
    return Drain(reader.get());
  }

  void ExpectClean(const std::string& after) {
    EXPECT_EQ(filesystem_->open_now(), 0) << "files left open after " << after;
    EXPECT_EQ(pool_.bytes_allocated(), 0) << "memory left after " << after;
    EXPECT_EQ(ProcessThreadsDownTo(threads_before_), threads_before_) << "threads after " << after;
  }

  void ExpectFreshScanRight(const std::string& after) {
    filesystem_->FailAt(0);
    pool_.RefuseAt(0, false);
    const auto keys = Scan();
    ASSERT_TRUE(keys.ok()) << after << ": " << keys.status().ToString();
    EXPECT_EQ(*keys, SortedKeys()) << after;
    ExpectClean("a fresh scan after " + after);
  }

  // Fails operation 1, 2, 3 … and returns how many there were.
  int64_t WalkStorage(Fault fault, ScanOptions options) {
    for (int64_t n = 1; n < 100000; ++n) {
      filesystem_->FailAt(n, fault);
      const auto keys = ScanWith(options);
      if (!filesystem_->fault_hit() && filesystem_->operations() < n) {
        EXPECT_TRUE(keys.ok()) << keys.status().ToString();
        std::cout << n - 1 << " operations of the storage failed\n";
        return n - 1;
      }
      const std::string after = "operation " + std::to_string(n);
      ExpectOutcome(keys, after);
      ExpectClean(after);
      if (n % 7 == 1) ExpectFreshScanRight(after);
      if (HasFailure()) return n;
    }
    return -1;
  }

  void WalkMemory(bool for_good) {
    for (int64_t n = 1; n < 100000; ++n) {
      pool_.RefuseAt(n, for_good);
      const auto keys = Scan();
      if (!pool_.refused()) {
        EXPECT_TRUE(keys.ok()) << keys.status().ToString();
        EXPECT_GT(n, 20);
        std::cout << n - 1 << " requests for memory were refused\n";
        return;
      }
      const std::string after = "request " + std::to_string(n) + " for memory";
      ExpectOutcome(keys, after);
      if (!keys.ok()) {
        EXPECT_TRUE(keys.status().IsOutOfMemory()) << after << keys.status().ToString();
      }
      ExpectClean(after);
      if (n % 7 == 1) ExpectFreshScanRight(after);
      if (HasFailure()) return;
    }
  }

  static void ExpectOutcome(const arrow::Result<std::vector<int64_t>>& keys,
                            const std::string& after) {
    if (keys.ok()) {
      EXPECT_EQ(*keys, SortedKeys()) << "swallowed wrongly: " << after;
      return;
    }
    EXPECT_FALSE(keys.status().message().empty()) << after;
    EXPECT_EQ(KindOf(keys.status()), ErrorKind::kFailure) << after << keys.status().ToString();
  }

  const int64_t threads_before_ = ProcessThreads();
  std::shared_ptr<FaultyFileSystem> filesystem_;
  RefusingPool pool_;
};

INSTANTIATE_TEST_SUITE_P(Threads, FaultWalk, ::testing::Values(1, 4),
                         ::testing::PrintToStringParamName());

TEST_P(FaultWalk, TheTableIsReadRightWithoutFaults) {
  ExpectFreshScanRight("nothing");
  EXPECT_GT(filesystem_->operations(), 20);
}

TEST_P(FaultWalk, EachStorageOperationFailsOnce) {
  EXPECT_GT(WalkStorage(Fault::kOnce, SmallOptions()), 20);
}

TEST_P(FaultWalk, EachStorageOperationAndAllLaterOnesFail) {
  EXPECT_GT(WalkStorage(Fault::kFromThere, SmallOptions()), 20);
}

TEST_P(FaultWalk, EachReadIsCutShort) {
  EXPECT_GT(WalkStorage(Fault::kShortRead, SmallOptions()), 20);
}

TEST_P(FaultWalk, EachStorageOperationFailsWhileMergingInPasses) {
  ScanOptions options = SmallOptions();
  options.max_merge_files = 2;
  EXPECT_GT(WalkStorage(Fault::kOnce, options), 20);
}

TEST_P(FaultWalk, EachStorageOperationFailsWhileFilesAreCheckedFirst) {
  ScanOptions options = SmallOptions();
  options.on_disorder = OnDisorder::kSort;
  EXPECT_GT(WalkStorage(Fault::kOnce, options), 20);
}

TEST_P(FaultWalk, EachRequestForMemoryIsRefusedOnce) { WalkMemory(false); }

TEST_P(FaultWalk, EachRequestForMemoryAndAllLaterOnesAreRefused) { WalkMemory(true); }

TEST_P(FaultWalk, AFaultIsNamedWithItsFile) {
  filesystem_->FailAt(0);
  const auto plan = MustPlan();
  auto reader = *plan->Read();
  filesystem_->FailAt(1, Fault::kFromThere);
  const auto keys = Drain(reader.get());
  ASSERT_FALSE(keys.ok());
  EXPECT_NE(keys.status().message().find("planned fault"), std::string::npos);
  EXPECT_NE(keys.status().message().find("/data/"), std::string::npos) << keys.status().ToString();
}

TEST_P(FaultWalk, OneThreadIsTheCallingOneAndMoreGoWithTheReader) {
  filesystem_->FailAt(0);
  const auto plan = MustPlan();
  auto reader = *plan->Read();
  EXPECT_EQ(ProcessThreads(), threads_before_);
  int64_t most = 0;
  std::shared_ptr<arrow::RecordBatch> batch;
  do {
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    most = std::max(most, ProcessThreads() - threads_before_);
  } while (batch != nullptr);
  if (GetParam() == 1) {
    EXPECT_EQ(most, 0);
  } else {
    EXPECT_GT(most, 0);
    EXPECT_LT(most, GetParam());
  }
  reader.reset();
  ExpectClean("a scan");
}

TEST_P(FaultWalk, NothingIsOpenedBeforeTheFirstRead) {
  const auto plan = MustPlan();
  filesystem_->FailAt(0);
  const auto reader = *plan->Read();
  EXPECT_EQ(filesystem_->operations(), 0);
}

TEST_P(FaultWalk, AReaderDroppedAfterEachBatchLeavesNothing) {
  for (int pulls = 0; pulls < 12; ++pulls) {
    {
      const auto plan = MustPlan();
      const auto reader = *plan->Read();
      std::shared_ptr<arrow::RecordBatch> batch;
      for (int i = 0; i < pulls; ++i) ASSERT_TRUE(reader->ReadNext(&batch).ok());
    }
    ExpectClean(std::to_string(pulls) + " batches");
  }
}

TEST_P(FaultWalk, AReaderClosedHalfWayHoldsNothingOpenAndStaysClosed) {
  {
    const auto plan = MustPlan();
    const auto reader = *plan->Read();
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    ASSERT_NE(batch, nullptr);
    batch.reset();
    ASSERT_TRUE(reader->Close().ok());
    EXPECT_EQ(filesystem_->open_now(), 0) << "a closed reader holds files open";
    EXPECT_FALSE(reader->ReadNext(&batch).ok());
    EXPECT_TRUE(reader->Close().ok());
  }
  ExpectClean("a reader that was closed half-way");
}

TEST_P(FaultWalk, AReaderClosedBeforeItsFirstBatchOpensNothing) {
  const auto plan = MustPlan();
  filesystem_->FailAt(0);
  const auto reader = *plan->Read();
  ASSERT_TRUE(reader->Close().ok());
  EXPECT_EQ(filesystem_->operations(), 0);
}

TEST_P(FaultWalk, BatchesOutliveReaderPlanAndTable) {
  std::vector<std::shared_ptr<arrow::RecordBatch>> batches;
  {
    // The pool that the caller gave must outlive what was allocated from it; all else may go.
    const auto reader = *MustPlan()->Read();
    std::shared_ptr<arrow::RecordBatch> batch;
    while (reader->ReadNext(&batch).ok() && batch != nullptr) batches.push_back(batch);
  }
  EXPECT_EQ(filesystem_->open_now(), 0);
  std::vector<int64_t> keys;
  for (const auto& batch : batches) ASSERT_TRUE(Append(*batch, &keys).ok());
  EXPECT_EQ(keys, SortedKeys());
}

TEST_P(FaultWalk, AnErrorStays) {
  const auto plan = MustPlan();
  auto reader = *plan->Read();
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  filesystem_->FailAt(1, Fault::kFromThere);
  arrow::Status first;
  for (int i = 0; i < 50 && first.ok(); ++i) {
    batch.reset();
    first = reader->ReadNext(&batch);
    if (first.ok() && batch == nullptr) break;
  }
  ASSERT_FALSE(first.ok());
  filesystem_->FailAt(0);
  for (int i = 0; i < 3; ++i) {
    const arrow::Status again = reader->ReadNext(&batch);
    EXPECT_FALSE(again.ok()) << "pulled again, the reader went on";
  }
  EXPECT_EQ(filesystem_->open_now(), 0) << "a failed reader holds files open";
  reader.reset();
  ExpectFreshScanRight("an error that stays");
}

TEST_P(FaultWalk, TheEndStays) {
  const auto plan = MustPlan();
  const auto reader = *plan->Read();
  ASSERT_TRUE(Drain(reader.get()).ok());
  EXPECT_EQ(filesystem_->open_now(), 0) << "a finished reader holds files open";
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  EXPECT_EQ(batch, nullptr);
}

TEST_P(FaultWalk, TwoReadersOfOnePlanDoNotDisturbEachOther) {
  const auto plan = MustPlan();
  const auto left = *plan->Read();
  const auto right = *plan->Read();
  std::vector<int64_t> left_keys, right_keys;
  for (bool more = true; more;) {
    more = false;
    for (auto [reader, keys] : {std::pair{left.get(), &left_keys}, {right.get(), &right_keys}}) {
      std::shared_ptr<arrow::RecordBatch> batch;
      ASSERT_TRUE(reader->ReadNext(&batch).ok());
      if (batch == nullptr) continue;
      more = true;
      ASSERT_TRUE(Append(*batch, keys).ok());
    }
  }
  EXPECT_EQ(left_keys, SortedKeys());
  EXPECT_EQ(right_keys, SortedKeys());
}

TEST_P(FaultWalk, AReaderMayMoveToAnotherThread) {
  std::shared_ptr<arrow::RecordBatchReader> reader;
  std::vector<int64_t> keys;
  {
    const auto plan = MustPlan();
    reader = *plan->Read();
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    ASSERT_TRUE(Append(*batch, &keys).ok());
  }
  std::thread([&] {
    const auto rest = Drain(reader.get());
    if (rest.ok()) keys.insert(keys.end(), rest->begin(), rest->end());
    reader.reset();
  }).join();
  EXPECT_EQ(keys, SortedKeys());
  ExpectClean("a reader that moved");
}

// Storage so slow that whatever waits for it is caught waiting.
constexpr std::chrono::milliseconds kSlow(2);

TEST_P(FaultWalk, SlowReadsGiveTheSameRows) {
  filesystem_->SlowDown(kSlow);
  ScanOptions checked = SmallOptions();
  checked.on_disorder = OnDisorder::kSort;
  ScanOptions passes = SmallOptions();
  passes.max_merge_files = 2;
  for (const ScanOptions& options : {SmallOptions(), checked, passes}) {
    const auto keys = ScanWith(options);
    ASSERT_TRUE(keys.ok()) << keys.status().ToString();
    EXPECT_EQ(*keys, SortedKeys());
  }
  ExpectClean("slow reads");
}

// A thread reads, another one decides that it is enough: the one that reads closes at its next
// turn.
TEST_P(FaultWalk, ASlowScanIsCalledOffFromAnotherThread) {
  filesystem_->SlowDown(kSlow);
  const auto plan = MustPlan();
  std::atomic<int> batches{0};
  std::atomic<bool> enough{false};
  arrow::Status after_close;
  std::thread worker([&] {
    const auto reader = *plan->Read();
    std::shared_ptr<arrow::RecordBatch> batch;
    while (!enough && reader->ReadNext(&batch).ok() && batch != nullptr) ++batches;
    batch.reset();
    EXPECT_TRUE(reader->Close().ok());
    EXPECT_EQ(filesystem_->open_now(), 0) << "called off, the reader holds files open";
    after_close = reader->ReadNext(&batch);
  });
  while (batches == 0) std::this_thread::yield();
  enough = true;
  worker.join();
  EXPECT_FALSE(after_close.ok());
  ExpectClean("a slow scan that was called off");
  filesystem_->SlowDown(std::chrono::microseconds(0));
  ExpectFreshScanRight("a slow scan that was called off");
}

TEST_P(FaultWalk, ASlowReaderIsDroppedHalfWayOnAnotherThread) {
  filesystem_->SlowDown(kSlow);
  for (int pulls = 0; pulls < 4; ++pulls) {
    std::shared_ptr<arrow::RecordBatchReader> reader = *MustPlan()->Read();
    std::shared_ptr<arrow::RecordBatch> batch;
    for (int i = 0; i < pulls; ++i) ASSERT_TRUE(reader->ReadNext(&batch).ok());
    batch.reset();
    std::thread([reader = std::exchange(reader, nullptr)]() mutable { reader.reset(); }).join();
    ExpectClean("a slow reader dropped after " + std::to_string(pulls) + " batches");
  }
}

TEST_P(FaultWalk, ASlowReadThatFailsEndsTheScan) {
  filesystem_->SlowDown(kSlow);
  const auto plan = MustPlan();
  filesystem_->FailAt(9, Fault::kFromThere);
  const auto keys = Drain((*plan->Read()).get());
  ASSERT_TRUE(filesystem_->fault_hit());
  EXPECT_FALSE(keys.ok());
  ExpectClean("a slow read that failed");
}

TEST_P(FaultWalk, TwoThreadsScanOnePlan) {
  const auto plan = MustPlan();
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        auto reader = plan->Read();
        if (!reader.ok()) continue;
        const auto keys = Drain(reader->get());
        if (keys.ok() && *keys == SortedKeys()) ++right;
        (void)plan->statistics();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 20);
  ExpectClean("two threads");
}

TEST_P(FaultWalk, TwoThreadsPlanOneTable) {
  const auto table = *Table::Open(kTableLocation, {{}, filesystem_});
  std::atomic<int> right{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        const auto plan = table->Plan(ByKey(), SmallOptions());
        if (!plan.ok()) continue;
        const auto keys = Drain((*(*plan)->Read()).get());
        if (keys.ok() && *keys == SortedKeys()) ++right;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(right, 20);
}

}  // namespace
}  // namespace esker::testing
