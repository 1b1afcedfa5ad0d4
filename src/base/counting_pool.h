// Counting pool: counts the memory of one scan, and lives as long as that memory does.
//
// Record batches outlive the reader that made them, and each of their buffers goes back to the pool
// that it came from. So the pool belongs to its owner *and* to all that was allocated from it: it
// destroys itself when the owner has let go and nothing is left.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "arrow/memory_pool.h"

namespace esker {

class CountingPool;

/// Lets go of a pool; it is destroyed now or when its last allocation is freed.
struct CountingPoolRelease {
  void operator()(CountingPool* pool) const;
};
using CountingPoolPtr = std::unique_ptr<CountingPool, CountingPoolRelease>;

/// Passes all requests on to `base`, which must outlive every allocation. Thread safe if `base` is.
class CountingPool : public arrow::MemoryPool {
 public:
  static CountingPoolPtr Make(arrow::MemoryPool* base);

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override;
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** ptr) override;
  void Free(uint8_t* buffer, int64_t size, int64_t alignment) override;

  int64_t bytes_allocated() const override;
  int64_t max_memory() const override;  ///< greatest bytes_allocated() so far
  int64_t total_bytes_allocated() const override;
  int64_t num_allocations() const override;
  std::string backend_name() const override;

 private:
  friend struct CountingPoolRelease;
  explicit CountingPool(arrow::MemoryPool* base) : base_(base) {}
  ~CountingPool() override = default;

  void DropHold();

  arrow::MemoryPool* base_;
  arrow::internal::MemoryPoolStats stats_;
  std::atomic<int64_t> holds_{1};  // the owner and every live allocation
};

}  // namespace esker
