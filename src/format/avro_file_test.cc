#include "format/avro_file.h"

#include <string>

#include <gtest/gtest.h>

#include "base/status.h"
#include "testing/avro_writer.h"

namespace esker {
namespace {

using testing::AvroBytes;
using testing::AvroContainer;
using testing::AvroLong;
using testing::AvroSync;

constexpr std::string_view kSchema = "\"long\"";

// All objects of a file of longs.
arrow::Result<std::vector<int64_t>> ReadLongs(std::string_view bytes) {
  ARROW_ASSIGN_OR_RAISE(AvroFile file, AvroFile::Open(bytes));
  std::vector<int64_t> values;
  for (;;) {
    ARROW_ASSIGN_OR_RAISE(const auto block, file.Next());
    if (!block) return values;
    ByteReader reader(block->bytes);
    for (int64_t i = 0; i < block->count && reader.ok(); ++i) values.push_back(reader.ReadVarint());
    ARROW_RETURN_NOT_OK(reader.status());
  }
}

TEST(AvroFileTest, ReadsEveryCodec) {
  for (const char* codec : {"", "null", "deflate", "snappy", "zstandard"}) {
    const std::string bytes = AvroContainer(
        kSchema, {{3, AvroLong(1) + AvroLong(-2) + AvroLong(3)}, {1, AvroLong(300)}}, codec);
    const auto values = ReadLongs(bytes);
    ASSERT_TRUE(values.ok()) << codec << ": " << values.status().ToString();
    EXPECT_EQ(*values, (std::vector<int64_t>{1, -2, 3, 300})) << codec;
  }
}

TEST(AvroFileTest, ReadsBlocksLargerThanTheFirstBuffer) {
  std::string objects;
  std::vector<int64_t> expected;
  for (int64_t i = 0; i < 200000; ++i) {
    expected.push_back(i * 7919);
    objects += AvroLong(i * 7919);
  }
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    const auto values = ReadLongs(AvroContainer(kSchema, {{200000, objects}}, codec));
    ASSERT_TRUE(values.ok()) << codec << ": " << values.status().ToString();
    EXPECT_EQ(*values, expected) << codec;
  }
}

TEST(AvroFileTest, GivesHeaderMetadata) {
  const std::string bytes = AvroContainer(kSchema, {}, "null", {{"format-version", "2"}});
  const AvroFile file = *AvroFile::Open(bytes);
  EXPECT_EQ(file.FindMetadata("format-version"), "2");
  EXPECT_EQ(file.FindMetadata("content"), std::nullopt);
  EXPECT_EQ(file.schema().node(file.schema().root).kind, AvroKind::kLong);
}

// Avro: a map block may give its size in bytes, with a negative count.
TEST(AvroFileTest, ReadsSizedMetadataBlocks) {
  const std::string pair = AvroBytes("avro.schema") + AvroBytes(kSchema);
  const std::string bytes = std::string("Obj\x01", 4) + AvroLong(-1) +
                            AvroLong(static_cast<int64_t>(pair.size())) + pair + AvroLong(0) +
                            AvroSync();
  EXPECT_EQ(*ReadLongs(bytes), std::vector<int64_t>{});
}

TEST(AvroFileTest, AFileWithoutBlocksIsEmpty) {
  EXPECT_EQ(*ReadLongs(AvroContainer(kSchema, {})), std::vector<int64_t>{});
  EXPECT_EQ(*ReadLongs(AvroContainer(kSchema, {{0, ""}, {1, AvroLong(5)}}, "deflate")),
            std::vector<int64_t>{5});
}

TEST(AvroFileTest, EveryCutIsRefused) {
  for (const char* codec : {"null", "deflate", "snappy", "zstandard"}) {
    const std::string whole = AvroContainer(kSchema, {{2, AvroLong(1) + AvroLong(1000)}}, codec);
    const std::string header = AvroContainer(kSchema, {}, codec);
    for (size_t size = 0; size < whole.size(); ++size) {
      if (size == header.size()) continue;  // a valid file without blocks
      const auto values = ReadLongs(std::string_view(whole).substr(0, size));
      EXPECT_TRUE(values.status().IsInvalid()) << codec << " cut at " << size;
    }
  }
}

TEST(AvroFileTest, RefusesAWrongSyncMarkerWithItsPlace) {
  std::string bytes = AvroContainer(kSchema, {{1, AvroLong(1)}});
  bytes.back() ^= 1;
  EXPECT_EQ(ReadLongs(bytes).status().message(),
            "Avro block at byte " + std::to_string(AvroContainer(kSchema, {}).size()) +
                " ends in a wrong sync marker");
}

TEST(AvroFileTest, RefusesUnknownCodecsAsUnsupported) {
  for (const char* codec : {"bzip2", "xz", "lz4", "Deflate"}) {
    const arrow::Status status = ReadLongs(AvroContainer(kSchema, {}, codec)).status();
    EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported) << codec;
    EXPECT_EQ(status.message(), "Avro codec '" + std::string(codec) + "'");
  }
}

TEST(AvroFileTest, RefusesHugeAndNegativeCounts) {
  for (const int64_t count : {int64_t{2}, int64_t{1} << 60, int64_t{-1}, INT64_MIN}) {
    const auto values = ReadLongs(AvroContainer(kSchema, {{count, AvroLong(1)}}));
    EXPECT_TRUE(values.status().IsInvalid()) << count;
  }
}

TEST(AvroFileTest, RefusesHugeAndNegativeSizes) {
  const std::string header = AvroContainer(kSchema, {});
  for (const int64_t size : {int64_t{1} << 60, int64_t{-1}, INT64_MIN, int64_t{100}}) {
    const std::string bytes = header + AvroLong(1) + AvroLong(size) + "x" + AvroSync();
    EXPECT_TRUE(ReadLongs(bytes).status().IsInvalid()) << size;
  }
}

TEST(AvroFileTest, ChecksSnappysChecksum) {
  std::string bytes = AvroContainer(kSchema, {{1, AvroLong(1)}}, "snappy");
  bytes[bytes.size() - AvroSync().size() - 1] ^= 1;
  EXPECT_NE(ReadLongs(bytes).status().message().find("wrong checksum"), std::string::npos);
}

// fastavro cuts zlib's header and one byte of its checksum off and leaves three behind.
TEST(AvroFileTest, IgnoresBytesAfterADeflateStream) {
  std::string block = AvroContainer(kSchema, {{1, AvroLong(77)}}, "deflate");
  const std::string header = AvroContainer(kSchema, {}, "deflate");
  const std::string_view rest = std::string_view(block).substr(header.size());
  ByteReader reader(rest);
  reader.ReadVarint();
  const std::string packed = std::string(reader.ReadSizedBytes()) + "abc";
  EXPECT_EQ(*ReadLongs(header + AvroLong(1) + AvroBytes(packed) + AvroSync()),
            std::vector<int64_t>{77});
}

TEST(AvroFileTest, RefusesWhatIsNoAvroFile) {
  for (const std::string bytes : {"", "Obj", "PAR1........", "Obj\x02zzzz"}) {
    EXPECT_TRUE(ReadLongs(bytes).status().IsInvalid()) << bytes;
  }
  const std::string no_schema = std::string("Obj\x01", 4) + AvroLong(0) + AvroSync();
  EXPECT_TRUE(ReadLongs(no_schema).status().IsInvalid());
}

// A few kilobytes that inflate to a gigabyte end at the limit, not in memory.
TEST(AvroInflaterTest, StopsAtTheLimit) {
  const std::string zeros(1 << 20, '\0');
  for (const char* codec : {"deflate", "snappy", "zstandard"}) {
    const std::string bytes = AvroContainer(kSchema, {{1, zeros}}, codec);
    ByteReader reader(std::string_view(bytes).substr(AvroContainer(kSchema, {}, codec).size()));
    reader.ReadVarint();
    const std::string_view packed = reader.ReadSizedBytes();
    AvroInflater roomy(*ParseAvroCodec(codec), 1 << 20);
    EXPECT_EQ(roomy.Inflate(packed).ValueOr(""), zeros) << codec;
    AvroInflater tight(*ParseAvroCodec(codec), (1 << 20) - 1);
    EXPECT_TRUE(tight.Inflate(packed).status().IsInvalid()) << codec;
  }
}

}  // namespace
}  // namespace esker
