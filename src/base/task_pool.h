// Task pool: the threads of one scan, and loops whose turns run on them.
//
// What is slow in a scan comes in pieces that know nothing of each other: the columns of a batch,
// the inputs of a window. So parallel work here is a loop: so many turns, of which the calling
// thread does what no other one has begun.
//
//     calling thread    ForEach ── turn 0 ── turn 2 ── (all done) ── goes on
//     thread of pool        └───── turn 1 ── turn 3 ┘
//
// Nothing outlives its loop: Join() and the destructor come back when no turn is running and none
// will begin, so that turns may borrow what their caller owns. The calling thread never waits for
// a turn that nobody has begun, so loops may stand within turns; and where no thread is free, or
// none could be started, a loop takes longer and ends the same. A lock is taken for a turn, never
// for a row.
//
// Without a pool (a null TaskPool) a loop is an ordinary one on the calling thread.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>

#include "arrow/result.h"
#include "arrow/status.h"

namespace arrow::internal {
class ThreadPool;
}

namespace esker {

class TaskPool {
 public:
  /// For `threads` threads in all, the calling one among them: null for one. Each of the others is
  /// started when there is work for it. Requires threads >= 1.
  static arrow::Result<std::shared_ptr<TaskPool>> Make(int threads);
  /// Joins the threads. Must not be called on one of them, nor before the last loop has ended.
  ~TaskPool();

 private:
  friend class TaskLoop;
  TaskPool(int helpers, std::shared_ptr<arrow::internal::ThreadPool> pool);

  std::atomic<int> free_;  // threads that no loop has asked for
  std::shared_ptr<arrow::internal::ThreadPool> pool_;
};

/// Turns 0 to count - 1 of `turn`, each on one thread, begun in that order.
///
/// An error ends the loop: no turn after it begins. The error that comes out is that of the first
/// turn that failed, as if the turns had run one after another.
class TaskLoop {
 public:
  using Turn = std::function<arrow::Status(size_t)>;

  /// At most `helpers` free threads of the pool begin at once. `pool`, and what `turn` borrows,
  /// must outlive this.
  TaskLoop(TaskPool& pool, size_t count, size_t helpers, Turn turn);
  /// Turns that have not begun never do.
  ~TaskLoop();
  TaskLoop(const TaskLoop&) = delete;
  TaskLoop& operator=(const TaskLoop&) = delete;

  /// Takes part, and returns when all turns are done. What a turn threw is thrown here.
  arrow::Status Join();

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with threads that come too late
};

/// The loop on the calling thread and free ones of `pool`; without a pool an ordinary loop.
arrow::Status ForEach(TaskPool* pool, size_t count, const TaskLoop::Turn& turn);

}  // namespace esker
