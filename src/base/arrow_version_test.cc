// Tests of the Arrow version check.
#include "base/arrow_version.h"

#include <string>

#include <gtest/gtest.h>

#include "arrow/status.h"

namespace esker {
namespace {

TEST(ArrowVersion, LoadedLibraryFits) {
  EXPECT_TRUE(CheckArrowVersion().ok()) << CheckArrowVersion().ToString();
}

TEST(ArrowVersion, EqualMajorAndMinorFit) { EXPECT_TRUE(CheckArrowVersion({25, 0}, {25, 0}).ok()); }

TEST(ArrowVersion, AnotherMinorOrMajorIsInvalid) {
  EXPECT_TRUE(CheckArrowVersion({25, 0}, {25, 1}).IsInvalid());
  EXPECT_TRUE(CheckArrowVersion({25, 0}, {24, 0}).IsInvalid());
}

TEST(ArrowVersion, MessageNamesBoth) {
  std::string message = CheckArrowVersion({25, 0}, {24, 3}).message();
  EXPECT_NE(message.find("built for Arrow 25.0"), std::string::npos) << message;
  EXPECT_NE(message.find("Arrow 24.3 was loaded"), std::string::npos) << message;
}

}  // namespace
}  // namespace esker
