// Tests of Bloom filters: filters that Arrow wrote, asked by Arrow and by us; damaged ones.
#include "read/bloom_filter.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/memory.h"
#include "parquet/bloom_filter.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;

struct Written {
  parquet::BlockSplitBloomFilter filter;
  std::string bytes;
};

std::unique_ptr<Written> WriteFilter(uint32_t bitset_bytes, const std::vector<uint64_t>& hashes) {
  auto written = std::make_unique<Written>();
  written->filter.Init(bitset_bytes);
  for (const uint64_t hash : hashes) written->filter.InsertHash(hash);
  const auto sink = arrow::io::BufferOutputStream::Create().ValueOrDie();
  written->filter.WriteTo(sink.get());
  written->bytes = sink->Finish().ValueOrDie()->ToString();
  return written;
}

arrow::Result<std::optional<BloomFilter>> OpenAt(const std::string& bytes, int64_t offset,
                                                 std::optional<int64_t> length = std::nullopt) {
  auto file = std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  return BloomFilter::Open(std::move(file), offset, length);
}

TEST(BloomFilterTest, AnswersAsArrowDoes) {
  auto random = testing::MakeRandom(501);
  int held = 0;
  int absent = 0;
  for (const uint32_t bitset_bytes : {32, 64, 1024, 16384, 1 << 20}) {
    std::vector<uint64_t> hashes;
    for (int i = 0; i < 200; ++i) hashes.push_back(random());
    const auto written = WriteFilter(bitset_bytes, hashes);
    const int64_t before = Draw(random, 0, 50);
    const std::string bytes = std::string(before, 'x') + written->bytes;
    const auto length =
        Chance(random, 50) ? std::optional<int64_t>(written->bytes.size()) : std::nullopt;
    const auto filter = OpenAt(bytes, before, length).ValueOrDie();
    ASSERT_TRUE(filter.has_value()) << bitset_bytes;
    for (const uint64_t hash : hashes) ASSERT_TRUE(filter->MayHold(hash).ValueOrDie());
    for (int i = 0; i < 1000; ++i) {
      const uint64_t hash = random();
      const bool expected = written->filter.FindHash(hash);
      ASSERT_EQ(filter->MayHold(hash).ValueOrDie(), expected) << bitset_bytes << " " << hash;
      (expected ? held : absent) += 1;
    }
  }
  EXPECT_GT(held, 500);
  EXPECT_GT(absent, 1500);
}

TEST(BloomFilterTest, HeadersThatDoNotFitAreNoFilters) {
  const std::string bytes = WriteFilter(1024, {1, 2, 3})->bytes;
  EXPECT_TRUE(OpenAt(bytes, 0)->has_value());
  EXPECT_TRUE(OpenAt(bytes, 0, bytes.size())->has_value());
  EXPECT_FALSE(OpenAt(bytes, 0, bytes.size() - 1)->has_value());
  EXPECT_FALSE(OpenAt(bytes.substr(0, bytes.size() - 1), 0)->has_value());
  EXPECT_FALSE(OpenAt(bytes, 1)->has_value());
  for (const int64_t offset :
       {INT64_MIN, int64_t{-1}, static_cast<int64_t>(bytes.size()), INT64_MAX}) {
    EXPECT_FALSE(OpenAt(bytes, offset)->has_value()) << offset;
  }
  EXPECT_FALSE(OpenAt(bytes, 0, -5)->has_value());
  EXPECT_FALSE(OpenAt(bytes, 0, 0)->has_value());
}

TEST(BloomFilterTest, DamagedHeadersNeverCrash) {
  const std::string bytes = WriteFilter(64, {1, 2, 3})->bytes;
  const size_t header = bytes.size() - 64;
  int still_read = 0;
  for (size_t at = 0; at < header; ++at) {
    for (int value = 0; value < 256; ++value) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      const auto filter = OpenAt(damaged, 0);
      ASSERT_TRUE(filter.ok());
      if (!filter->has_value()) continue;
      still_read += damaged == bytes ? 0 : 1;
      ASSERT_TRUE((*filter)->MayHold(~uint64_t{0}).ok());
    }
    ASSERT_TRUE(OpenAt(bytes.substr(0, at), 0).ok());
  }
  // Only the size has another good value: half of it.
  EXPECT_LE(still_read, 2);
}

}  // namespace
}  // namespace esker
