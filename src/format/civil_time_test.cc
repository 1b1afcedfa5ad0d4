#include "format/civil_time.h"

#include <gtest/gtest.h>

namespace esker {
namespace {

// The twin: counts days one by one with nothing but the rule of leap years.
TEST(CivilTime, EveryDayOfEightHundredYears) {
  const auto is_leap = [](int64_t y) { return (y % 4 == 0 && y % 100 != 0) || y % 400 == 0; };
  CivilDate date{1499, 7, 22};
  int64_t days = DaysFromCivil(date);
  ASSERT_EQ(days, -171827);
  for (int i = 0; i < 292'194; ++i) {
    const CivilDate found = CivilFromDays(days);
    ASSERT_EQ(found.year, date.year);
    ASSERT_EQ(found.month, date.month);
    ASSERT_EQ(found.day, date.day);
    ASSERT_EQ(DaysFromCivil(date), days);
    if (days == 0) {
      ASSERT_EQ(FormatDate(days), "1970-01-01");
    }
    constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const int length = date.month == 2 && is_leap(date.year) ? 29 : kDays[date.month - 1];
    ++days;
    if (++date.day > length) date = {date.year + (date.month == 12), date.month % 12 + 1, 1};
  }
}

// Numbers from GNU date.
TEST(CivilTime, KnownDates) {
  EXPECT_EQ(FormatDate(0), "1970-01-01");
  EXPECT_EQ(FormatDate(-1), "1969-12-31");
  EXPECT_EQ(FormatDate(17486), "2017-11-16");
  EXPECT_EQ(FormatDate(11016), "2000-02-29");
  EXPECT_EQ(FormatDate(2932896), "9999-12-31");
  EXPECT_EQ(FormatDate(2932897), "+10000-01-01");
  EXPECT_EQ(FormatDate(-719528), "0000-01-01");
  EXPECT_EQ(FormatDate(-719529), "-0001-12-31");
  EXPECT_EQ(FormatDate(INT32_MAX), "+5881580-07-11");
  EXPECT_EQ(FormatDate(INT64_MIN), "-9223372036854775808");
}

TEST(CivilTime, DatesRoundTripAtTheEnds) {
  for (const int64_t days : {int64_t{INT32_MIN}, int64_t{INT32_MAX}, int64_t{-719529}}) {
    EXPECT_EQ(ParseDate(FormatDate(days)), days);
  }
}

TEST(CivilTime, TimesAndTimestamps) {
  EXPECT_EQ(FormatTimeOfDay(81'068'123'456, TimeUnit::kMicros), "22:31:08.123456");
  EXPECT_EQ(FormatTimeOfDay(0, TimeUnit::kMicros), "00:00:00");
  EXPECT_EQ(FormatTimeOfDay(-1, TimeUnit::kMicros), "-1");
  EXPECT_EQ(FormatTimestamp(1'510'871'468'000'000, TimeUnit::kMicros), "2017-11-16T22:31:08");
  EXPECT_EQ(FormatTimestamp(-1, TimeUnit::kMicros), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(FormatTimestamp(INT64_MIN, TimeUnit::kNanos), "1677-09-21T00:12:43.145224192");
  EXPECT_EQ(FormatTimestamp(INT64_MAX, TimeUnit::kNanos), "2262-04-11T23:47:16.854775807");
}

TEST(CivilTime, ParsesTimestamps) {
  const auto units = [](std::string_view text, TimeUnit unit = TimeUnit::kMicros) {
    const auto parsed = ParseTimestamp(text, unit);
    return parsed ? parsed->units : -12345;
  };
  EXPECT_EQ(units("2017-11-16T22:31:08"), 1'510'871'468'000'000);
  EXPECT_EQ(units("2017-11-16 14:31:08.000001-08:00"), 1'510'871'468'000'001);
  EXPECT_EQ(units("2017-11-16T22:31Z"), 1'510'871'460'000'000);
  EXPECT_EQ(units("1677-09-21T00:12:43.145224192", TimeUnit::kNanos), INT64_MIN);
  EXPECT_EQ(units("2262-04-11T23:47:16.854775807", TimeUnit::kNanos), INT64_MAX);
  EXPECT_FALSE(ParseTimestamp("2262-04-11T23:47:16.854775808", TimeUnit::kNanos));
  EXPECT_FALSE(ParseTimestamp("1677-09-21T00:12:43.145224191", TimeUnit::kNanos));
  EXPECT_TRUE(ParseTimestamp("2017-11-16T22:31:08+00:00", TimeUnit::kMicros)->has_offset);
  EXPECT_FALSE(ParseTimestamp("2017-11-16T22:31:08", TimeUnit::kMicros)->has_offset);
}

TEST(CivilTime, RefusesWhatIsNoTime) {
  for (const char* text : {"", "2017", "2017-13-01", "2017-02-29", "2017-00-01", "2017-01-00",
                           "17-01-01", "2017-1-01", "2017-01-01x", "99999999-01-01"}) {
    EXPECT_FALSE(ParseDate(text)) << text;
  }
  EXPECT_EQ(ParseDate("2016-02-29"), 16860);
  for (const char* text :
       {"24:00:00", "12:60:00", "12:00:60", "12", "12:00:00.", "12:00:00.1234567", "12:00:00Z"}) {
    EXPECT_FALSE(ParseTimeOfDay(text, TimeUnit::kMicros)) << text;
  }
  EXPECT_EQ(ParseTimeOfDay("00:00:00.1", TimeUnit::kMicros), 100'000);
  EXPECT_EQ(ParseTimeOfDay("00:00:00.123456000", TimeUnit::kMicros), 123'456);
  for (const char* text : {"2017-11-16", "2017-11-16T", "2017-11-16T22:31:08+0000",
                           "2017-11-16T22:31:08ZZ", "2017-11-16X22:31:08"}) {
    EXPECT_FALSE(ParseTimestamp(text, TimeUnit::kMicros)) << text;
  }
}

}  // namespace
}  // namespace esker
