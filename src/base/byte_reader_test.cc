#include "base/byte_reader.h"

#include <limits>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace esker {
namespace {

using std::string_view_literals::operator""sv;

TEST(ByteReaderTest, ReadsTheVarintsOfTheAvroSpecification) {
  // The table of the Avro specification, "Primitive Types".
  constexpr std::string_view bytes = "\x00\x01\x02\x03\x7f\x80\x01"sv;
  ByteReader reader(bytes);
  for (int64_t expected : {0, -1, 1, -2, -64, 64}) EXPECT_EQ(reader.ReadVarint(), expected);
  EXPECT_TRUE(reader.ok());
  EXPECT_TRUE(reader.at_end());
}

TEST(ByteReaderTest, ReadsTheExtremesOf64Bits) {
  constexpr std::string_view bytes =
      "\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
      "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv;
  ByteReader reader(bytes);
  EXPECT_EQ(reader.ReadVarint(), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(reader.ReadVarint(), std::numeric_limits<int64_t>::min());
  EXPECT_TRUE(reader.ok());
}

TEST(ByteReaderTest, RefusesVarintsThatAreTooLongOrCut) {
  ByteReader wide("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02"sv);
  EXPECT_EQ(wide.ReadVarint(), 0);
  EXPECT_EQ(wide.status().message(), "integer above 64 bits at byte 9");
  ByteReader cut("\x80\x80", 100);
  EXPECT_EQ(cut.ReadVarint(), 0);
  EXPECT_EQ(cut.status().message(), "data ends inside an integer at byte 102");
}

TEST(ByteReaderTest, RefusesIntegersAbove32Bits) {
  ByteReader largest("\xfe\xff\xff\xff\x0f"sv);
  EXPECT_EQ(largest.ReadInt32Varint(), std::numeric_limits<int32_t>::max());
  ByteReader above("\x80\x80\x80\x80\x10"sv);
  EXPECT_EQ(above.ReadInt32Varint(), 0);
  EXPECT_FALSE(above.ok());
}

TEST(ByteReaderTest, RefusesNegativeAndOversizedLengths) {
  ByteReader negative("\x01zz"sv);
  EXPECT_EQ(negative.ReadSizedBytes(), "");
  EXPECT_EQ(negative.status().message(), "negative length at byte 1");
  ByteReader huge("\x06zz"sv);
  EXPECT_EQ(huge.ReadSizedBytes(), "");
  EXPECT_EQ(huge.status().message(), "length above the bytes that are left at byte 1");
}

TEST(ByteReaderTest, ReadsFixedWidthsLittleEndian) {
  ByteReader reader("\x01\x02\x03\x04\x01\x00\x00\xc0\x3f\x02"sv);
  EXPECT_EQ(reader.ReadFixed<uint32_t>(), 0x04030201u);
  EXPECT_TRUE(reader.ReadBool());
  EXPECT_EQ(reader.ReadFixed<float>(), 1.5f);
  reader.ReadBool();
  EXPECT_FALSE(reader.ok());
}

TEST(ByteReaderTest, StaysFailedAndKeepsTheFirstReason) {
  ByteReader reader("abc"sv);
  reader.Skip(9);
  reader.Fail("something else");
  EXPECT_EQ(reader.ReadFixed<uint8_t>(), 0);
  EXPECT_EQ(reader.ReadVarint(), 0);
  EXPECT_TRUE(reader.at_end());
  EXPECT_EQ(reader.status().message(), "length above the bytes that are left at byte 0");
}

// Skipping works eight bytes at a time; it must land where reading one by one lands.
TEST(ByteReaderTest, SkippingVarintsEqualsReadingThem) {
  std::mt19937 random(7);
  std::string bytes;
  std::vector<size_t> ends = {0};
  for (int i = 0; i < 60; ++i) {
    for (unsigned extra = random() % 4; extra > 0; --extra) bytes += '\x85';
    bytes += static_cast<char>(random() % 0x80);
    ends.push_back(bytes.size());
  }
  for (size_t from = 0; from < ends.size(); ++from) {
    for (size_t to = from; to < ends.size(); ++to) {
      ByteReader reader(std::string_view(bytes).substr(ends[from]));
      reader.SkipVarints(static_cast<int64_t>(to - from));
      ASSERT_TRUE(reader.ok());
      ASSERT_EQ(reader.position(), static_cast<int64_t>(ends[to] - ends[from]));
    }
    ByteReader reader(std::string_view(bytes).substr(ends[from]));
    reader.SkipVarints(static_cast<int64_t>(ends.size() - from));
    EXPECT_FALSE(reader.ok());
  }
}

TEST(ByteReaderTest, SkipsPairsOfVarintAndBytes) {
  const std::string long_bytes = "\x02\x80\x02" + std::string(128, 'x');  // 128 bytes, key 1
  const std::string pairs =
      "\x02\x04zz" + long_bytes + std::string("\x01\x00", 2) + "\x80\x01\x02z";
  for (size_t size = 0; size <= pairs.size(); ++size) {
    const std::string bytes = pairs.substr(0, size);
    ByteReader reader(bytes);
    reader.SkipVarintBytesPairs(4);
    EXPECT_EQ(reader.ok(), size == pairs.size()) << size;
  }
  const std::string more = pairs + "rest";
  ByteReader reader(more);
  reader.SkipVarintBytesPairs(4);
  EXPECT_EQ(reader.position(), static_cast<int64_t>(pairs.size()));
  ByteReader negative("\x02\x03zz"sv);
  negative.SkipVarintBytesPairs(1);
  EXPECT_FALSE(negative.ok());
}

}  // namespace
}  // namespace esker
