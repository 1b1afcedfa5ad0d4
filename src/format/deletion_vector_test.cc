#include "format/deletion_vector.h"

#include <zlib.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace esker {
namespace {

std::string LittleEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string BigEndian32(uint32_t value) {
  std::string text = LittleEndian(value, 4);
  return {text.rbegin(), text.rend()};
}

// Puts length, magic and checksum around serialised bitmaps (Puffin specification).
std::string WrapBitmaps(const std::string& bitmaps) {
  const std::string body = "\xd1\xd3\x39\x64" + bitmaps;
  const auto checksum =
      crc32(0, reinterpret_cast<const Bytef*>(body.data()), static_cast<uInt>(body.size()));
  return BigEndian32(static_cast<uint32_t>(body.size())) + body +
         BigEndian32(static_cast<uint32_t>(checksum));
}

// A Roaring bitmap of one container without runs.
std::string OneArray(const std::vector<uint16_t>& values, int cardinality_off = 0) {
  std::string text = LittleEndian(12346, 4) + LittleEndian(1, 4) + LittleEndian(0, 2) +
                     LittleEndian(values.size() - 1 + cardinality_off, 2) + LittleEndian(16, 4);
  for (const uint16_t value : values) text += LittleEndian(value, 2);
  return text;
}

// A Roaring bitmap of one container of runs, (start, length - 1) each.
std::string OneRunContainer(const std::vector<std::pair<int, int>>& runs, int cardinality) {
  std::string text = LittleEndian(12347, 4) + '\x01' + LittleEndian(0, 2) +
                     LittleEndian(cardinality - 1, 2) + LittleEndian(runs.size(), 2);
  for (const auto& [start, length] : runs) {
    text += LittleEndian(start, 2) + LittleEndian(length, 2);
  }
  return text;
}

std::string OneBitset(int first_bits, int cardinality) {
  std::string bits(8192, '\0');
  for (int i = 0; i < first_bits; ++i) bits[i / 8] = static_cast<char>(bits[i / 8] | 1 << (i % 8));
  return LittleEndian(12346, 4) + LittleEndian(1, 4) + LittleEndian(0, 2) +
         LittleEndian(cardinality - 1, 2) + LittleEndian(16, 4) + bits;
}

// One bitmap for the upper half `key`.
std::string Bitmaps(const std::string& bitmap, uint32_t key = 0) {
  return LittleEndian(1, 8) + LittleEndian(key, 4) + bitmap;
}

std::vector<int64_t> PositionsOf(const PositionSet& set) {
  std::vector<int64_t> positions;
  set.AppendRange(0, INT64_MAX, &positions);
  return positions;
}

std::vector<int64_t> Parse(const std::string& bitmaps) {
  const auto set = ParseDeletionVector(WrapBitmaps(bitmaps));
  EXPECT_TRUE(set.ok()) << set.status().ToString();
  return set.ok() ? PositionsOf(*set) : std::vector<int64_t>{-1};
}

void ExpectRefused(const std::string& bitmaps, const std::string& why) {
  const arrow::Status status = ParseDeletionVector(WrapBitmaps(bitmaps)).status();
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_NE(status.message().find(why), std::string::npos) << status.ToString();
}

TEST(DeletionVectorTest, ReadsEveryKindOfContainer) {
  EXPECT_EQ(Parse(LittleEndian(0, 8)), std::vector<int64_t>{});
  EXPECT_EQ(Parse(Bitmaps(OneArray({3, 9}))), (std::vector<int64_t>{3, 9}));
  EXPECT_EQ(Parse(Bitmaps(OneRunContainer({{5, 1}, {65534, 1}}, 4))),
            (std::vector<int64_t>{5, 6, 65534, 65535}));
  EXPECT_EQ(Parse(Bitmaps(OneBitset(5000, 5000))).size(), 5000u);
  EXPECT_EQ(Parse(Bitmaps(OneArray({1}), 2)), (std::vector<int64_t>{(int64_t{2} << 32) + 1}));
}

TEST(DeletionVectorTest, RefusesDamageAroundTheBitmaps) {
  const std::string good = WrapBitmaps(Bitmaps(OneArray({3})));
  ASSERT_TRUE(ParseDeletionVector(good).ok());
  for (size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_TRUE(ParseDeletionVector(bad).status().IsInvalid()) << "byte " << i;
    EXPECT_TRUE(ParseDeletionVector(good.substr(0, i)).status().IsInvalid()) << "cut at " << i;
  }
  EXPECT_TRUE(ParseDeletionVector(good + "x").status().IsInvalid());
}

// With a right checksum, so that only the layout can tell.
TEST(DeletionVectorTest, RefusesBitmapsThatContradictThemselves) {
  ExpectRefused(Bitmaps(OneArray({9, 3})), "not ascending");
  ExpectRefused(Bitmaps(OneArray({3, 3})), "not ascending");
  ExpectRefused(Bitmaps(OneArray({3, 9}, 1)), "length above");
  ExpectRefused(Bitmaps(OneArray({3, 9}, -1)), "after the last bitmap");
  ExpectRefused(Bitmaps(OneBitset(5000, 5001)), "wrong number of bits");
  ExpectRefused(Bitmaps(OneRunContainer({{5, 3}, {6, 0}}, 5)), "overlap");
  ExpectRefused(Bitmaps(OneRunContainer({{65535, 1}}, 2)), "overlap");
  ExpectRefused(Bitmaps(OneRunContainer({{5, 3}}, 3)), "wrong cardinality");
  ExpectRefused(Bitmaps(OneRunContainer({}, 1)), "wrong cardinality");
  ExpectRefused(Bitmaps(LittleEndian(99, 4)), "no Roaring bitmap");
  ExpectRefused(Bitmaps(LittleEndian(12346, 4) + LittleEndian(70000, 4)), "too many containers");
}

TEST(DeletionVectorTest, RefusesBadKeysAndCounts) {
  const std::string bitmap = OneArray({1});
  ExpectRefused(Bitmaps(bitmap, 0x80000000u), "key too large");
  const std::string twice = LittleEndian(2, 8) + LittleEndian(1, 4) + bitmap;
  ExpectRefused(twice + LittleEndian(1, 4) + bitmap, "not ascending");
  ExpectRefused(twice + LittleEndian(0, 4) + bitmap, "not ascending");
  ExpectRefused(twice, "length above");
  ExpectRefused(LittleEndian(UINT64_MAX, 8), "length above");
  ExpectRefused(Bitmaps(bitmap) + "x", "after the last bitmap");
}

TEST(DeletionVectorTest, RefusesRangesOutsideOfTheFile) {
  const std::string blob = WrapBitmaps(Bitmaps(OneArray({3})));
  const int64_t size = static_cast<int64_t>(blob.size());
  EXPECT_EQ(PositionsOf(*ReadDeletionVector("xy" + blob, 2, size)), std::vector<int64_t>{3});
  for (const auto& [offset, length] : std::vector<std::pair<int64_t, int64_t>>{
           {3, size}, {-1, size}, {2, -1}, {size + 3, 0}, {2, INT64_MAX}, {INT64_MAX, INT64_MAX}}) {
    EXPECT_TRUE(ReadDeletionVector("xy" + blob, offset, length).status().IsInvalid());
  }
}

// Files that others wrote. What they hold is stated by their own tests.
class DeletionVectorCorpusTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* tables = std::getenv("ESKER_TABLES");
    if (tables == nullptr) GTEST_SKIP() << "ESKER_TABLES does not name the folder of real tables";
    tables_ = tables;
  }

  std::string File(const std::string& path) const {
    std::ifstream stream(tables_ + "/" + path, std::ios::binary);
    EXPECT_TRUE(stream.good()) << path;
    std::ostringstream text;
    text << stream.rdbuf();
    return text.str();
  }

  std::string tables_;
};

constexpr const char* kGoFiles = "iceberg-go/deletes/";
constexpr const char* kJavaFiles = "iceberg-java/core_golden/org/apache/iceberg/deletes/";

TEST_F(DeletionVectorCorpusTest, ReadsGoldenIndexes) {
  for (const std::string folder : {kGoFiles, kJavaFiles}) {
    const auto read = [&](const std::string& name) {
      auto set = ParseDeletionVector(File(folder + name + "-position-index.bin"));
      EXPECT_TRUE(set.ok()) << name << set.status().ToString();
      return set.ok() ? PositionsOf(*set) : std::vector<int64_t>{-1};
    };
    EXPECT_EQ(read("empty"), std::vector<int64_t>{});
    EXPECT_EQ(read("small-alternating-values"), (std::vector<int64_t>{1, 3, 5, 7, 9}));
    EXPECT_EQ(read("small-and-large-values"),
              (std::vector<int64_t>{100, 101, 2147483747, 2147483748}));
    std::vector<int64_t> expected;
    const auto add = [&](int64_t bitmap, int64_t container, int64_t from, int64_t to) {
      for (int64_t i = from; i < to; ++i)
        expected.push_back((bitmap << 32) + container * 65536 + i);
    };
    add(0, 0, 5, 6);
    add(0, 0, 7, 8);
    add(0, 1, 1, 1000);
    add(0, 2, 1, 65535);
    add(1, 0, 10, 11);
    add(1, 0, 20, 21);
    add(1, 1, 10, 500);
    add(1, 2, 1, 65535);
    EXPECT_EQ(read("all-container-types"), expected);
  }
}

TEST_F(DeletionVectorCorpusTest, ReadsGoldenBitmaps) {
  for (const std::string folder : {kGoFiles, kJavaFiles}) {
    EXPECT_EQ(Parse(File(folder + "64mapempty.bin")), std::vector<int64_t>{});
    EXPECT_GT(Parse(File(folder + "64map32bitvals.bin")).size(), 5u);
    const auto spread = Parse(File(folder + "64mapspreadvals.bin"));
    EXPECT_GT(spread.back(), int64_t{1} << 32);
    // Keys above 2^31, which Iceberg's positions cannot have.
    ExpectRefused(File(folder + "64maphighvals.bin"), "key too large");
  }
}

TEST_F(DeletionVectorCorpusTest, ReadsABareBlob) {
  const std::string file =
      File("duckdb-iceberg/legacy_bare_deletion_vector/data/legacy-bare-deletion-vector.puffin");
  const auto set = ReadDeletionVector(file, 0, 42);
  ASSERT_TRUE(set.ok()) << set.status().ToString();
  EXPECT_EQ(PositionsOf(*set), std::vector<int64_t>{1});  // three rows stored, two live
}

TEST_F(DeletionVectorCorpusTest, APuffinFileMustHaveTheBlobThere) {
  const std::string file = File("iceberg-go/deletes/single-blob-dv.puffin");
  EXPECT_TRUE(ReadDeletionVector(file, 5, 20).status().IsInvalid());
}

}  // namespace
}  // namespace esker
