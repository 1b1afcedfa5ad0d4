#include "read/key_set.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "arrow/memory_pool.h"
#include "arrow/status.h"

namespace esker {
namespace {

TEST(KeySetTest, KeepsTheGreatestSequenceNumber) {
  KeySet keys(arrow::default_memory_pool());
  EXPECT_EQ(keys.Find("a"), KeySet::kAbsent);
  ASSERT_TRUE(keys.Insert("a", 5).ok());
  ASSERT_TRUE(keys.Insert("a", 7).ok());
  ASSERT_TRUE(keys.Insert("a", 6).ok());
  ASSERT_TRUE(keys.Insert("", 1).ok());
  EXPECT_EQ(keys.Find("a"), 7);
  EXPECT_EQ(keys.Find(""), 1);
  EXPECT_EQ(keys.Find("b"), KeySet::kAbsent);
  EXPECT_EQ(keys.size(), 2);
}

TEST(KeySetTest, AgreesWithAMap) {
  KeySet keys(arrow::default_memory_pool());
  std::map<std::string, int64_t> twin;
  for (int i = 0; i < 20000; ++i) {
    // Short and long ones, with NUL bytes; one larger than a chunk. 7919 is prime: keys repeat.
    std::string key = std::to_string((i * 7919) % 9973);
    if (i % 3 == 0) key.append(1, '\0').append(i % 50, 'x');
    if (i == 10000) key.append(100000, 'y');
    const int64_t sequence = (i * 31) % 101;
    ASSERT_TRUE(keys.Insert(key, sequence).ok());
    const auto [entry, added] = twin.try_emplace(key, sequence);
    if (!added) entry->second = std::max(entry->second, sequence);
  }
  EXPECT_EQ(keys.size(), static_cast<int64_t>(twin.size()));
  for (const auto& [key, sequence] : twin) {
    ASSERT_EQ(keys.Find(key), sequence);
    ASSERT_EQ(keys.Find(key + "!"), KeySet::kAbsent);
  }
}

TEST(KeySetTest, ACappedPoolGivesAnErrorAndKeepsTheSet) {
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  arrow::CappedMemoryPool pool(arrow::default_memory_pool(), before + (300 << 10));
  {
    KeySet keys(&pool);
    int64_t inserted = 0;
    arrow::Status status;
    while (status.ok() && inserted < 1'000'000) {
      status = keys.Insert("key " + std::to_string(inserted), inserted);
      if (status.ok()) ++inserted;
    }
    EXPECT_TRUE(status.IsOutOfMemory());
    EXPECT_EQ(keys.size(), inserted);
    EXPECT_GT(inserted, 1000);
    for (int64_t i = 0; i < inserted; ++i) {
      ASSERT_EQ(keys.Find("key " + std::to_string(i)), i);
    }
    EXPECT_EQ(keys.Find("key " + std::to_string(inserted)), KeySet::kAbsent);
  }
  EXPECT_EQ(arrow::default_memory_pool()->bytes_allocated(), before);
}

// What is told beforehand is enough while keys are added, and not much more than they take.
TEST(KeySetTest, MemoryIsToldBeforehand) {
  for (const int64_t more : {1, 42, 43, 1000, 30000}) {
    SCOPED_TRACE(more);
    arrow::ProxyMemoryPool pool(arrow::default_memory_pool());
    KeySet keys(&pool);
    int64_t told = 0;
    for (int round = 0; round < 3; ++round) {
      told = keys.MemoryBytesWith(more, more * 8);
      for (int64_t i = 0; i < more; ++i) {
        const int64_t number = round * more + i;
        const std::string key(reinterpret_cast<const char*>(&number), sizeof(number));
        ASSERT_TRUE(keys.Insert(key, 1).ok());
        ASSERT_LE(pool.max_memory(), told);
      }
      ASSERT_EQ(keys.memory_bytes(), pool.bytes_allocated());
    }
    EXPECT_LE(told, 2 * keys.memory_bytes() + (64 << 10));
  }
}

}  // namespace
}  // namespace esker
