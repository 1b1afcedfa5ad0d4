#include "base/counting_pool.h"

namespace esker {

void CountingPoolRelease::operator()(CountingPool* pool) const { pool->DropHold(); }

CountingPoolPtr CountingPool::Make(arrow::MemoryPool* base) {
  return CountingPoolPtr(new CountingPool(base));
}

void CountingPool::DropHold() {
  if (holds_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

arrow::Status CountingPool::Allocate(int64_t size, int64_t alignment, uint8_t** out) {
  ARROW_RETURN_NOT_OK(base_->Allocate(size, alignment, out));
  holds_.fetch_add(1, std::memory_order_relaxed);
  stats_.DidAllocateBytes(size);
  return arrow::Status::OK();
}

arrow::Status CountingPool::Reallocate(int64_t old_size, int64_t new_size, int64_t alignment,
                                       uint8_t** ptr) {
  ARROW_RETURN_NOT_OK(base_->Reallocate(old_size, new_size, alignment, ptr));
  stats_.DidReallocateBytes(old_size, new_size);
  return arrow::Status::OK();
}

void CountingPool::Free(uint8_t* buffer, int64_t size, int64_t alignment) {
  base_->Free(buffer, size, alignment);
  stats_.DidFreeBytes(size);
  DropHold();  // last: it may destroy this
}

int64_t CountingPool::bytes_allocated() const { return stats_.bytes_allocated(); }
int64_t CountingPool::max_memory() const { return stats_.max_memory(); }
int64_t CountingPool::total_bytes_allocated() const { return stats_.total_bytes_allocated(); }
int64_t CountingPool::num_allocations() const { return stats_.num_allocations(); }
std::string CountingPool::backend_name() const { return base_->backend_name(); }

}  // namespace esker
