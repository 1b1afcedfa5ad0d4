#include "format/puffin.h"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "arrow/util/compression.h"
#include "base/status.h"
#include "format/deletion_vector.h"

namespace esker {
namespace {

std::string LittleEndian32(uint32_t value) {
  std::string text;
  for (int i = 0; i < 4; ++i) text += static_cast<char>(value >> (8 * i));
  return text;
}

std::string Puffin(const std::string& blobs, const std::string& footer, uint32_t flags = 0) {
  return "PFA1" + blobs + "PFA1" + footer + LittleEndian32(static_cast<uint32_t>(footer.size())) +
         LittleEndian32(flags) + "PFA1";
}

constexpr const char* kFooter = R"({"blobs": [
    {"type": "deletion-vector-v1", "fields": [2147483645], "snapshot-id": -1,
     "sequence-number": -1, "offset": 4, "length": 3,
     "properties": {"referenced-data-file": "a.parquet", "cardinality": "1"}},
    {"type": "other", "fields": [1, 2], "snapshot-id": 5, "sequence-number": 6, "offset": 7,
     "length": 1, "compression-codec": "zstd"}], "properties": {"created-by": "hand"}})";

TEST(PuffinTest, ReadsTheFooter) {
  const auto file = ParsePuffin(Puffin("abcd", kFooter));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  ASSERT_EQ(file->blobs.size(), 2u);
  const PuffinBlob& vector = file->blobs[0];
  EXPECT_EQ(vector.type, "deletion-vector-v1");
  EXPECT_EQ(vector.fields, std::vector<int32_t>{2147483645});
  EXPECT_EQ(vector.compression_codec, "");
  EXPECT_EQ(vector.properties.at("referenced-data-file"), "a.parquet");
  const PuffinBlob& other = file->blobs[1];
  EXPECT_EQ(other.snapshot_id, 5);
  EXPECT_EQ(other.sequence_number, 6);
  EXPECT_EQ(other.compression_codec, "zstd");
  EXPECT_EQ(file->properties.at("created-by"), "hand");
  EXPECT_EQ(file->FindBlob(7, 1), &other);
  EXPECT_EQ(file->FindBlob(7, 2), nullptr);
}

TEST(PuffinTest, ReadsACompressedFooter) {
  auto codec = *arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME);
  std::string text = kFooter;
  text += std::string(300000, ' ');  // above the first buffer
  const auto* input = reinterpret_cast<const uint8_t*>(text.data());
  const auto input_size = static_cast<int64_t>(text.size());
  std::string packed(codec->MaxCompressedLen(input_size, input), '\0');
  packed.resize(*codec->Compress(input_size, input, static_cast<int64_t>(packed.size()),
                                 reinterpret_cast<uint8_t*>(packed.data())));
  const auto file = ParsePuffin(Puffin("abcd", packed, 1));
  ASSERT_TRUE(file.ok()) << file.status().ToString();
  EXPECT_EQ(file->blobs.size(), 2u);
  packed.resize(packed.size() / 2);
  EXPECT_FALSE(ParsePuffin(Puffin("abcd", packed, 1)).ok());
}

TEST(PuffinTest, EveryCutIsRefused) {
  const std::string whole = Puffin("abcd", kFooter);
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(ParsePuffin(whole.substr(0, size)).status().IsInvalid()) << size;
  }
}

TEST(PuffinTest, RefusesBlobsOutsideOfTheFile) {
  for (const char* place : {R"("offset": 3, "length": 1)", R"("offset": 4, "length": 5)",
                            R"("offset": 4, "length": -1)", R"("offset": -9, "length": 1)",
                            R"("offset": 4, "length": 9223372036854775807)",
                            R"("offset": 9223372036854775807, "length": 9223372036854775807)"}) {
    const std::string footer = std::string(R"({"blobs": [{"type": "t", )") + place + "}]}";
    EXPECT_TRUE(ParsePuffin(Puffin("abcd", footer)).status().IsInvalid()) << place;
  }
}

TEST(PuffinTest, RefusesFootersOfTooManyLevels) {
  const auto read = [](size_t levels) {
    const std::string more = std::string(levels, '[') + std::string(levels, ']');
    return ParsePuffin(Puffin("", R"({"blobs": [], "properties": {}, "more": )" + more + "}"));
  };
  EXPECT_TRUE(read(100).ok()) << read(100).status();
  EXPECT_EQ(read(100'000).status().message(), "Puffin footer: JSON is nested too deeply");
}

TEST(PuffinTest, RefusesDamagedFooters) {
  for (const char* footer : {"", "{", "[]", "{}", R"({"blobs": 1})", R"({"blobs": [1]})",
                             R"({"blobs": [{"type": "t"}]})"}) {
    EXPECT_TRUE(ParsePuffin(Puffin("", footer)).status().IsInvalid()) << footer;
  }
  EXPECT_EQ(KindOf(ParsePuffin(Puffin("abcd", kFooter, 2)).status()), ErrorKind::kUnsupported);
}

class PuffinCorpusTest : public ::testing::Test {
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

TEST_F(PuffinCorpusTest, ReadsGoldenFiles) {
  const std::string folder = "iceberg-java/core_golden/org/apache/iceberg/puffin/v1/";
  EXPECT_EQ(ParsePuffin(File(folder + "empty-puffin-uncompressed.bin"))->blobs.size(), 0u);
  const PuffinFile plain = *ParsePuffin(File(folder + "sample-metric-data-uncompressed.bin"));
  ASSERT_EQ(plain.blobs.size(), 2u);
  EXPECT_EQ(plain.blobs[0].type, "some-blob");
  EXPECT_EQ(plain.blobs[0].compression_codec, "");
  EXPECT_EQ(plain.properties.at("created-by"), "Test 1234");
  const PuffinFile packed = *ParsePuffin(File(folder + "sample-metric-data-compressed-zstd.bin"));
  EXPECT_EQ(packed.blobs[1].compression_codec, "zstd");
}

TEST_F(PuffinCorpusTest, EveryBlobOfTheDeletionVectorFilesIsRead) {
  for (const auto& [name, blobs] :
       {std::pair{"single-blob-dv.puffin", 1u}, std::pair{"multi-blob-dv.puffin", 2u}}) {
    const std::string bytes = File(std::string("iceberg-go/deletes/") + name);
    const auto file = ParsePuffin(bytes);
    ASSERT_TRUE(file.ok()) << file.status().ToString();
    EXPECT_GE(file->blobs.size(), blobs) << name;
    for (const PuffinBlob& blob : file->blobs) {
      const auto set = ReadDeletionVector(bytes, blob.offset, blob.length);
      ASSERT_TRUE(set.ok()) << set.status().ToString();
      EXPECT_EQ(std::to_string(set->cardinality()), blob.properties.at("cardinality"));
    }
  }
}

}  // namespace
}  // namespace esker
