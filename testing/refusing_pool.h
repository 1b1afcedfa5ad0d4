// Refusing pool: a memory pool that gives out memory until its N-th request, for tests.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "arrow/memory_pool.h"
#include "arrow/status.h"

namespace esker::testing {

/// Thread safe. Freed memory is counted back; bytes_allocated() is 0 when everything is returned.
class RefusingPool : public arrow::MemoryPool {
 public:
  /// Request number `request`, counted from 1 at this call, is refused; with `for_good` all later
  /// ones too. 0: none.
  void RefuseAt(int64_t request, bool for_good) {
    requests_ = 0;
    refuse_at_ = request;
    for_good_ = for_good;
  }
  /// Since the last RefuseAt().
  bool refused() const { return refuse_at_ != 0 && requests_ >= refuse_at_; }

  using MemoryPool::Allocate;
  using MemoryPool::Free;
  using MemoryPool::Reallocate;

  arrow::Status Allocate(int64_t size, int64_t alignment, uint8_t** out) override {
    ARROW_RETURN_NOT_OK(Request(size));
    return base_.Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                           uint8_t** memory) override {
    // Shrinking always works, in this pool as in real ones.
    if (new_size > old_size) ARROW_RETURN_NOT_OK(Request(new_size));
    return base_.Reallocate(old_size, new_size, alignment, memory);
  }
  void Free(uint8_t* memory, int64_t size, int64_t alignment) override {
    base_.Free(memory, size, alignment);
  }
  int64_t bytes_allocated() const override { return base_.bytes_allocated(); }
  int64_t max_memory() const override { return base_.max_memory(); }
  int64_t total_bytes_allocated() const override { return base_.total_bytes_allocated(); }
  int64_t num_allocations() const override { return base_.num_allocations(); }
  std::string backend_name() const override { return "refusing"; }

 private:
  arrow::Status Request(int64_t size) {
    const int64_t request = ++requests_;
    const int64_t refuse_at = refuse_at_;
    if (refuse_at == 0 || request < refuse_at || (request > refuse_at && !for_good_)) {
      return arrow::Status::OK();
    }
    return arrow::Status::OutOfMemory("planned refusal of request ", request, ", ", size, " bytes");
  }

  arrow::ProxyMemoryPool base_{arrow::default_memory_pool()};
  std::atomic<int64_t> requests_{0};
  std::atomic<int64_t> refuse_at_{0};
  std::atomic<bool> for_good_{false};
};

}  // namespace esker::testing
