#include "format/gzip.h"

#include <zlib.h>

#include <gtest/gtest.h>

namespace esker {
namespace {

std::string Deflate(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Gzip, IsToldByItsMagic) {
  EXPECT_TRUE(IsGzip("\x1f\x8b"));
  EXPECT_FALSE(IsGzip("\x1f"));
  EXPECT_FALSE(IsGzip("{}"));
}

TEST(Gzip, InflatesWholeFiles) {
  for (const size_t size : {0, 1, 65536, 65537, 1000000}) {
    std::string text;
    for (size_t i = 0; i < size; ++i) text += static_cast<char>('a' + i * i % 23);
    EXPECT_EQ(*InflateGzip(Deflate(text), 1 << 20), text) << size;
  }
}

TEST(Gzip, SeveralMembersAndPadding) {
  const std::string file = Deflate("one ") + Deflate("two");
  EXPECT_EQ(*InflateGzip(file, 100), "one two");
  EXPECT_EQ(*InflateGzip(file + std::string(512, '\0'), 100), "one two");
  EXPECT_FALSE(InflateGzip(file + "x", 100).ok());
}

TEST(Gzip, LimitIsExact) {
  const std::string file = Deflate(std::string(1000, 'x'));
  EXPECT_TRUE(InflateGzip(file, 1000).ok());
  EXPECT_FALSE(InflateGzip(file, 999).ok());
}

TEST(Gzip, CutOrFlippedIsInvalid) {
  const std::string file = Deflate("a text that is long enough to be cut at many places");
  for (size_t length = 2; length < file.size(); ++length) {
    EXPECT_TRUE(InflateGzip(file.substr(0, length), 1000).status().IsInvalid()) << length;
  }
  std::string flipped = file;
  flipped[file.size() - 8] ^= 1;  // the checksum
  EXPECT_TRUE(InflateGzip(flipped, 1000).status().IsInvalid());
}

}  // namespace
}  // namespace esker
