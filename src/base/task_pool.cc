#include "base/task_pool.h"

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>

#include "arrow/util/thread_pool.h"

namespace esker {

arrow::Result<std::shared_ptr<TaskPool>> TaskPool::Make(int threads) {
  if (threads == 1) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto pool, arrow::internal::ThreadPool::Make(threads - 1));
  return std::shared_ptr<TaskPool>(new TaskPool(threads - 1, std::move(pool)));
}

TaskPool::TaskPool(int helpers, std::shared_ptr<arrow::internal::ThreadPool> pool)
    : free_(helpers), pool_(std::move(pool)) {}

// What waits in the queue has come too late for its loop.
TaskPool::~TaskPool() { ARROW_UNUSED(pool_->Shutdown(/*wait=*/false)); }

struct TaskLoop::State {
  State(TaskPool& pool, size_t count, Turn turn)
      : pool(pool), turn(std::move(turn)), end(count) {}

  // Does turns until none is left to begin.
  void Work(std::unique_lock<std::mutex>& lock) {
    while (next < end) {
      const size_t i = next++;
      ++running;
      lock.unlock();
      arrow::Status status;
      std::exception_ptr exception;
      try {
        status = turn(i);
      } catch (...) {
        exception = std::current_exception();
      }
      lock.lock();
      --running;
      // Turns that began before the one that ended the loop may fail as well: the first counts.
      if (i < end && (!status.ok() || exception != nullptr)) {
        end = i;
        failure = std::move(status);
        thrown = std::move(exception);
      }
    }
  }

  // What a thread of the pool does. It is free again before the loop can end.
  void Help() {
    std::unique_lock lock(mutex);
    if (asked == 0) return;  // too late: the loop has ended
    Work(lock);
    --asked;
    ++pool.free_;
    if (running == 0) idle.notify_all();
  }

  // Waits for the turns that are running, and frees the threads that have not come.
  void Finish(std::unique_lock<std::mutex>& lock) {
    idle.wait(lock, [&] { return running == 0; });
    pool.free_ += std::exchange(asked, 0);
  }

  TaskPool& pool;
  const Turn turn;
  std::mutex mutex;
  std::condition_variable idle;
  // From here on under the mutex.
  size_t next = 0;     // first turn that has not begun
  size_t end;          // of the turns to do
  size_t running = 0;  // turns
  int asked = 0;       // threads of the pool that have not finished
  arrow::Status failure;
  std::exception_ptr thrown;
};

TaskLoop::TaskLoop(TaskPool& pool, size_t count, size_t helpers, Turn turn)
    : state_(std::make_shared<State>(pool, count, std::move(turn))) {
  for (size_t i = 0; i < helpers; ++i) {
    int free = pool.free_.load();
    while (free > 0 && !pool.free_.compare_exchange_weak(free, free - 1)) {
    }
    if (free <= 0) return;
    {
      const std::lock_guard lock(state_->mutex);
      ++state_->asked;
    }
    // Where no thread can be started, the calling one does it all, and frees this one at the end.
    try {
      if (!pool.pool_->Spawn([state = state_] { state->Help(); }).ok()) return;
    } catch (const std::exception&) {
      return;
    }
  }
}

TaskLoop::~TaskLoop() {
  std::unique_lock lock(state_->mutex);
  state_->end = std::min(state_->end, state_->next);
  state_->Finish(lock);
}

arrow::Status TaskLoop::Join() {
  std::unique_lock lock(state_->mutex);
  state_->Work(lock);
  state_->Finish(lock);
  if (state_->thrown != nullptr) std::rethrow_exception(state_->thrown);
  return state_->failure;
}

arrow::Status ForEach(TaskPool* pool, size_t count, const TaskLoop::Turn& turn) {
  if (pool != nullptr && count > 1) return TaskLoop(*pool, count, count - 1, turn).Join();
  for (size_t i = 0; i < count; ++i) ARROW_RETURN_NOT_OK(turn(i));
  return arrow::Status::OK();
}

}  // namespace esker
