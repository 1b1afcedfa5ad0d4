#include "read/parquet_footer.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/memory.h"
#include "base/status.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"

namespace esker {
namespace {

std::string Varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes.push_back(static_cast<char>(value | 0x80));
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

// A schema element by hand: field 3 repetition (required), 4 name, 5 number of children.
std::string Group(int children) {
  return "\x35" + Varint(0) + "\x18\x01g" + "\x15" + Varint(2 * children) + std::string(1, '\0');
}

std::string Leaf() {
  return "\x15" + Varint(2) + "\x25" + Varint(0) + "\x18\x01l" + std::string(1, '\0');
}

// The schema of that many levels below its root, as field `head` of the footer.
std::string Schema(const std::string& head, int levels) {
  std::string bytes = head + "\xFC" + Varint(levels + 1);
  for (int i = 0; i < levels; ++i) bytes += Group(1);
  return bytes + Leaf();
}

// Field 1 version, 2 schema, 3 no rows, 4 no row groups.
std::string Footer(int levels) {
  return "\x15" + Varint(2) + Schema("\x19", levels) + "\x16" + Varint(0) + "\x19\x0C" +
         std::string(1, '\0');
}

arrow::Status Open(const std::string& footer, const std::string& magic = "PAR1") {
  std::string file = "PAR1" + footer;
  const auto size = static_cast<uint32_t>(footer.size());
  file.append(reinterpret_cast<const char*>(&size), sizeof(size));
  auto input = std::make_shared<arrow::io::BufferReader>(
      arrow::Buffer::FromString(std::move(file += magic)));
  return OpenParquet(input, parquet::default_reader_properties()).status();
}

void ExpectRefused(const arrow::Status& status, const std::string& words) {
  EXPECT_TRUE(status.IsInvalid()) << status;
  EXPECT_NE(status.message().find(words), std::string::npos) << status;
}

TEST(ParquetFooter, SchemasOfBoundedDepthAreOpened) {
  for (const int levels : {1, 2, 199, 200}) {
    const arrow::Status status = Open(Footer(levels));
    EXPECT_TRUE(status.ok()) << levels << ": " << status;
  }
}

TEST(ParquetFooter, DeeperSchemasAreRefused) {
  for (const int levels : {201, 1000, 30'000, 1'000'000}) {
    ExpectRefused(Open(Footer(levels)), "the Parquet schema has more than 200 levels");
  }
}

TEST(ParquetFooter, ManySiblingsAreNoDepth) {
  std::string footer = "\x15" + Varint(2) + "\x19\xFC" + Varint(2001) + Group(1000);
  for (int i = 0; i < 1000; ++i) footer += Group(1) + Leaf();
  footer += "\x16" + Varint(0) + "\x19\x0C" + std::string(1, '\0');
  const arrow::Status status = Open(footer);
  EXPECT_TRUE(status.ok()) << status;
}

TEST(ParquetFooter, TheLastSchemaCounts) {
  std::string footer = Footer(1);
  footer.pop_back();
  // Field 2 once more, its id written out.
  footer += Schema(std::string("\x09") + Varint(4), 30'000) + std::string(1, '\0');
  ExpectRefused(Open(footer), "the Parquet schema has more than 200 levels");
}

// The library reads structures where a list claims to have numbers: what a walk by the list's own
// word takes for the end of a number begins another schema.
TEST(ParquetFooter, ListsThatMisnameTheirItemsAreRefused) {
  std::string footer = "\x15" + Varint(2) + Schema("\x19", 1) + "\x16" + Varint(0) + "\x19\x0C";
  footer += std::string("\x19\x18") + Varint(1) + "x";  // field 5: one item, called binary
  footer += std::string(1, '\0');
  ExpectRefused(Open(footer), "in the Parquet footer: list with items of a wrong type");
}

TEST(ParquetFooter, NestingOfUnknownFieldsIsBounded) {
  std::string footer = Footer(1);
  footer.pop_back();
  footer += std::string("\x0C") + Varint(200);         // field 100, a structure
  for (int i = 0; i < 100'000; ++i) footer += "\x1C";  // of a structure of a structure
  ExpectRefused(Open(footer), "in the Parquet footer: too many levels");
}

TEST(ParquetFooter, EveryCutIsAnError) {
  const std::string footer = Footer(3);
  for (size_t size = 0; size < footer.size(); ++size) {
    EXPECT_FALSE(Open(footer.substr(0, size)).ok()) << size;
  }
}

TEST(ParquetFooter, EncryptedFootersAreUnsupported) {
  const arrow::Status status = Open(Footer(1), "PARE");
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported) << status;
  EXPECT_EQ(status.message(), "the Parquet file is encrypted");
}

TEST(ParquetFooter, EncryptedStreamsAreUnsupported) {
  const auto file = [](const std::string& bytes) {
    return std::make_shared<arrow::io::BufferReader>(arrow::Buffer::FromString(bytes));
  };
  const auto open = [&](const std::string& bytes) {
    return OpenParquet(file(bytes), parquet::default_reader_properties()).status();
  };
  const arrow::Status status = open("AGS1" + std::string(100'000, 'x'));
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported) << status;
  EXPECT_EQ(KindOf(open("AGS2" + std::string(100'000, 'x'))), ErrorKind::kFailure);
  EXPECT_EQ(KindOf(open("AGS")), ErrorKind::kFailure);
}

}  // namespace
}  // namespace esker
