#include "format/decimal_text.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

constexpr int128_t kLeast = int128_t{1} << 127;

TEST(FormatDecimal, AllDigitsOfTheScale) {
  EXPECT_EQ(FormatDecimal(1420, 2), "14.20");
  EXPECT_EQ(FormatDecimal(-5, 2), "-0.05");
  EXPECT_EQ(FormatDecimal(0, 0), "0");
  EXPECT_EQ(FormatDecimal(0, 3), "0.000");
  EXPECT_EQ(FormatDecimal(-128, 0), "-128");
  EXPECT_EQ(FormatDecimal(kLeast, 0), "-170141183460469231731687303715884105728");
  EXPECT_EQ(FormatDecimal(1, 38), "0.00000000000000000000000000000000000001");
}

TEST(ParseDecimal, NeverRounds) {
  EXPECT_TRUE(ParseDecimal("14.20", 9, 2) == int128_t{1420});
  EXPECT_TRUE(ParseDecimal("14.2", 9, 2) == int128_t{1420});
  EXPECT_TRUE(ParseDecimal("14.200", 9, 2) == int128_t{1420});
  EXPECT_TRUE(ParseDecimal("-.5", 9, 2) == int128_t{-50});
  EXPECT_TRUE(ParseDecimal("2E+3", 9, 2) == int128_t{200000});
  EXPECT_TRUE(ParseDecimal("250e-2", 9, 2) == int128_t{250});
  EXPECT_TRUE(ParseDecimal("0e999", 9, 2) == int128_t{0});
  EXPECT_FALSE(ParseDecimal("14.201", 9, 2));
  EXPECT_FALSE(ParseDecimal("10000000.00", 9, 2));
  EXPECT_TRUE(ParseDecimal("9999999.99", 9, 2));
}

TEST(ParseDecimal, FullWidth) {
  const std::string nines(38, '9');
  EXPECT_EQ(FormatDecimal(*ParseDecimal("-" + nines, 38, 0), 0), "-" + nines);
  EXPECT_FALSE(ParseDecimal("1" + std::string(38, '0'), 38, 0));
  EXPECT_FALSE(ParseDecimal(std::string(5000, '9'), 38, 0));
}

TEST(ParseDecimal, RefusesWhatIsNoNumber) {
  for (const char* text : {"", "-", ".", "1..2", "1.2.3", "x", "1e", "1e+", "1e99999999999", "--1",
                           "1 ", "NaN", "1e1001", "1e+-3"}) {
    EXPECT_FALSE(ParseDecimal(text, 38, 2)) << text;
  }
}

}  // namespace
}  // namespace esker
