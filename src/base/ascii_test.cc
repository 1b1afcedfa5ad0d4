#include "base/ascii.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

TEST(Ascii, ClassesOfEveryByte) {
  const std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    EXPECT_EQ(IsAsciiLetter(c), letters.find(c) != std::string_view::npos) << byte;
    EXPECT_EQ(IsAsciiDigit(c), byte >= 48 && byte <= 57) << byte;
    EXPECT_EQ(IsAsciiSpace(c), byte == 32 || (byte >= 9 && byte <= 13)) << byte;
    const bool is_capital = byte >= 65 && byte <= 90;
    EXPECT_EQ(AsciiLower(c), is_capital ? static_cast<char>(byte + 32) : c) << byte;
  }
}

TEST(Ascii, Texts) {
  EXPECT_EQ(AsciiLower("Nulls \xC3\x84 9Z"), "nulls \xC3\x84 9z");
  EXPECT_TRUE(EqualsIgnoringCase("Bucket", "bUCKET"));
  EXPECT_FALSE(EqualsIgnoringCase("bucket", "bucke"));
  EXPECT_FALSE(EqualsIgnoringCase("[", "{"));  // 32 apart, as letters of two cases are
  EXPECT_EQ(TrimAscii("\t\r\n a b \v\f"), "a b");
  EXPECT_EQ(TrimAscii("\xA0x\x85"), "\xA0x\x85");
  EXPECT_EQ(TrimAscii("  "), "");
}

}  // namespace
}  // namespace esker
