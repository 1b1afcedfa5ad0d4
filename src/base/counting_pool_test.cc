#include "base/counting_pool.h"

#include <gtest/gtest.h>

#include "arrow/buffer.h"

namespace esker {
namespace {

TEST(CountingPool, CountsWhatIsAllocatedFromIt) {
  const CountingPoolPtr pool = CountingPool::Make(arrow::default_memory_pool());
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  auto first = arrow::AllocateResizableBuffer(1000, pool.get()).ValueOrDie();
  EXPECT_EQ(pool->bytes_allocated(), 1024);  // Arrow rounds up to 64
  ASSERT_TRUE(first->Resize(5000).ok());
  EXPECT_EQ(pool->bytes_allocated(), 5056);
  EXPECT_EQ(arrow::default_memory_pool()->bytes_allocated() - before, 5056);
  first.reset();
  EXPECT_EQ(pool->bytes_allocated(), 0);
  EXPECT_EQ(pool->max_memory(), 5056);
}

TEST(CountingPool, OutlivesItsOwnerForWhatIsLeft) {
  CountingPoolPtr pool = CountingPool::Make(arrow::default_memory_pool());
  std::shared_ptr<arrow::Buffer> left = arrow::AllocateBuffer(100, pool.get()).ValueOrDie();
  std::shared_ptr<arrow::Buffer> empty = arrow::AllocateBuffer(0, pool.get()).ValueOrDie();
  pool.reset();
  left->mutable_data()[0] = 1;
  left.reset();  // the sanitizers would tell if the pool were gone
  empty.reset();
}

}  // namespace
}  // namespace esker
