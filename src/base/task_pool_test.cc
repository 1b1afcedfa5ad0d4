#include "base/task_pool.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "testing/process_threads.h"

namespace esker {
namespace {

using testing::ProcessThreads;
using testing::ProcessThreadsDownTo;

// A door that opens when so many have come to it; who waits for others that never come gives up.
class Door {
 public:
  explicit Door(int needed) : missing_(needed) {}

  void Come() {
    const std::lock_guard lock(mutex_);
    --missing_;
    opened_.notify_all();
  }
  bool Wait() {
    std::unique_lock lock(mutex_);
    return opened_.wait_for(lock, std::chrono::seconds(60), [&] { return missing_ <= 0; });
  }
  bool ComeAndWait() {
    Come();
    return Wait();
  }

 private:
  std::mutex mutex_;
  std::condition_variable opened_;
  int missing_;
};

std::shared_ptr<TaskPool> MakePool(int threads) { return TaskPool::Make(threads).ValueOrDie(); }

arrow::Status Failure(size_t turn) {
  return arrow::Status::IOError("turn " + std::to_string(turn));
}

TEST(TaskPool, EachTurnRunsOnce) {
  for (const int threads : {1, 2, 4}) {
    const auto pool = MakePool(threads);
    for (const size_t count : {0, 1, 2, 3, 4, 5, 100}) {
      std::vector<std::atomic<int>> runs(count);
      const arrow::Status status = ForEach(pool.get(), count, [&](size_t i) {
        ++runs[i];
        return arrow::Status::OK();
      });
      ASSERT_TRUE(status.ok()) << status.ToString();
      for (const auto& each : runs) EXPECT_EQ(each, 1) << threads << " threads, " << count;
    }
  }
}

TEST(TaskPool, OneThreadIsTheCallingOne) {
  EXPECT_EQ(MakePool(1), nullptr);
  ASSERT_TRUE(ForEach(nullptr, 5, [caller = std::this_thread::get_id()](size_t) {
                EXPECT_EQ(std::this_thread::get_id(), caller);
                return arrow::Status::OK();
              }).ok());
}

TEST(TaskPool, ThreadsStartWithTheFirstLoopAndEndWithThePool) {
  const int64_t before = ProcessThreads();
  auto pool = MakePool(3);
  EXPECT_EQ(ProcessThreads(), before);
  Door all(3);
  ASSERT_TRUE(ForEach(pool.get(), 3, [&](size_t) {
                EXPECT_TRUE(all.ComeAndWait()) << "turns do not run at the same time";
                return arrow::Status::OK();
              }).ok());
  EXPECT_EQ(ProcessThreads(), before + 2);
  pool.reset();
  EXPECT_EQ(ProcessThreadsDownTo(before), before);
}

// Turn 2 fails only when turn 5 has: the error of turn 2 comes out all the same.
TEST(TaskPool, OfSeveralErrorsTheFirstInOrderCounts) {
  const auto pool = MakePool(6);
  Door begun(6);
  Door failed(1);
  const arrow::Status status = ForEach(pool.get(), 6, [&](size_t i) {
    EXPECT_TRUE(begun.ComeAndWait());
    if (i == 5) {
      failed.Come();
      return Failure(i);
    }
    EXPECT_TRUE(failed.Wait());
    if (i == 4) std::this_thread::sleep_for(std::chrono::milliseconds(50));  // after turn 2
    return i == 2 || i == 4 ? Failure(i) : arrow::Status::OK();
  });
  EXPECT_EQ(status.message(), "turn 2");
}

TEST(TaskPool, WithoutAPoolALoopEndsAtTheFirstError) {
  std::vector<size_t> begun;
  const arrow::Status status = ForEach(nullptr, 9, [&](size_t i) {
    begun.push_back(i);
    return i >= 3 ? Failure(i) : arrow::Status::OK();
  });
  EXPECT_EQ(status.message(), "turn 3");
  EXPECT_EQ(begun, (std::vector<size_t>{0, 1, 2, 3}));
}

TEST(TaskPool, WhatATurnThrowsIsThrownWhenAllAreDone) {
  const auto pool = MakePool(3);
  for (const size_t thrower : {0, 1, 2}) {
    Door all(3);
    std::atomic<int> done{0};
    const auto loop = [&] {
      return ForEach(pool.get(), 3, [&](size_t i) -> arrow::Status {
        EXPECT_TRUE(all.ComeAndWait());
        if (i == thrower) throw std::out_of_range("turn " + std::to_string(i));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++done;
        return arrow::Status::OK();
      });
    };
    EXPECT_THROW((void)loop(), std::out_of_range);
    EXPECT_EQ(done, 2);
  }
}

TEST(TaskPool, TheCallingThreadDoesAllWhereOthersAreBusy) {
  const auto pool = MakePool(2);
  Door busy(1);
  Door release(1);
  TaskLoop blocker(*pool, 1, 1, [&](size_t) {
    busy.Come();
    EXPECT_TRUE(release.Wait());
    return arrow::Status::OK();
  });
  ASSERT_TRUE(busy.Wait());
  std::set<std::thread::id> threads;
  std::vector<size_t> begun;
  const arrow::Status status = ForEach(pool.get(), 10, [&](size_t i) {
    threads.insert(std::this_thread::get_id());
    begun.push_back(i);
    return i == 3 ? Failure(i) : arrow::Status::OK();
  });
  EXPECT_EQ(status.message(), "turn 3");
  EXPECT_EQ(begun, (std::vector<size_t>{0, 1, 2, 3}));
  EXPECT_EQ(threads, std::set<std::thread::id>{std::this_thread::get_id()});
  release.Come();
  EXPECT_TRUE(blocker.Join().ok());
}

// A thread is free again as soon as its loop has ended: else the next loop would do without it.
TEST(TaskPool, ThreadsAreFreeForTheNextLoop) {
  const auto pool = MakePool(3);
  for (int round = 0; round < 200; ++round) {
    Door all(3);
    ASSERT_TRUE(ForEach(pool.get(), 3, [&](size_t) {
                  EXPECT_TRUE(all.ComeAndWait());
                  return arrow::Status::OK();
                }).ok());
    // And where they may be too late to help.
    ASSERT_TRUE(ForEach(pool.get(), 3, [](size_t) { return arrow::Status::OK(); }).ok());
  }
}

TEST(TaskPool, LoopsMayStandWithinTurns) {
  for (const int threads : {2, 3, 8}) {
    const auto pool = MakePool(threads);
    std::atomic<int> turns{0};
    const arrow::Status status = ForEach(pool.get(), 8, [&](size_t i) {
      return ForEach(pool.get(), 8, [&, i](size_t j) {
        return ForEach(pool.get(), 3, [&, i, j](size_t k) {
          ++turns;
          return i == 7 && j == 7 && k == 2 ? Failure(i) : arrow::Status::OK();
        });
      });
    });
    EXPECT_EQ(status.message(), "turn 7");
    EXPECT_EQ(turns, 8 * 8 * 3);
  }
}

TEST(TaskPool, ALoopRunsByItselfUntilItIsJoined) {
  const auto pool = MakePool(2);
  Door done(1);
  const auto caller = std::this_thread::get_id();
  TaskLoop loop(*pool, 1, 1, [&](size_t) {
    EXPECT_NE(std::this_thread::get_id(), caller);
    done.Come();
    return Failure(0);
  });
  ASSERT_TRUE(done.Wait());
  EXPECT_EQ(loop.Join().message(), "turn 0");
}

// Dropped, a loop waits for the turn that runs and begins no other. What turns borrow is gone then.
TEST(TaskPool, ADroppedLoopWaitsForWhatRunsAndBeginsNothing) {
  const auto pool = MakePool(2);
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  {
    Door running(1);
    const TaskLoop loop(*pool, 100, 1, [&](size_t) {
      ++begun;
      running.Come();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      ++ended;
      return arrow::Status::OK();
    });
    ASSERT_TRUE(running.Wait());
  }
  EXPECT_EQ(begun, ended);
  EXPECT_LT(begun, 100);
  const int at_the_end = begun;
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_EQ(begun, at_the_end);
}

// Loops so short that threads often come too late for them, of which nothing may be touched then.
TEST(TaskPool, ThreadsThatComeTooLateTouchNothing) {
  const auto pool = MakePool(4);
  int64_t sum = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<int64_t> values(3, -1);
    if (round % 2 == 0) {
      TaskLoop dropped(*pool, values.size(), 3, [&](size_t i) {
        values[i] = 0;
        return arrow::Status::OK();
      });
    }
    ASSERT_TRUE(ForEach(pool.get(), values.size(), [&](size_t i) {
                  values[i] = static_cast<int64_t>(i);
                  return arrow::Status::OK();
                }).ok());
    for (const int64_t value : values) sum += value;
  }
  EXPECT_EQ(sum, 3 * 2000);
}

}  // namespace
}  // namespace esker
