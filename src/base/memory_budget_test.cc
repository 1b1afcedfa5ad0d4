#include "base/memory_budget.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/status.h"

namespace esker {
namespace {

TEST(MemoryBudget, ThreeQuartersAreForInputs) {
  MemoryBudget budget(1000);
  EXPECT_TRUE(budget.Fits(750));
  EXPECT_FALSE(budget.Fits(751));
  EXPECT_EQ(MemoryBudget::BytesFor(750), 1000);
}

TEST(MemoryBudget, AChargeIsResizedAndEndsWithItsOwner) {
  MemoryBudget budget(1000);
  {
    MemoryCharge charge(&budget, 100);
    charge.Resize(300);
    MemoryCharge other = std::move(charge);
    EXPECT_EQ(budget.charged(), 300);
    other.Resize(50);
    EXPECT_EQ(budget.charged(), 50);
  }
  EXPECT_EQ(budget.charged(), 0);
}

// The second giver is asked only when the first has nothing left, and frees what the first may
// give.
TEST(MemoryBudget, GiversAreAskedInTurn) {
  auto budget = std::make_shared<MemoryBudget>(1000);
  MemoryCharge idle(budget.get(), 100);
  MemoryCharge busy(budget.get(), 600);
  std::string asked;
  const MemoryGiver first(budget, [&] {
    asked += "1";
    const bool gives = idle.bytes() > 0;
    idle.Resize(0);
    return gives;
  });
  auto second = std::make_unique<MemoryGiver>(budget, [&] {
    asked += "2";
    const bool gives = busy.bytes() > 0;
    if (gives) {
      busy.Resize(0);
      idle.Resize(300);
    }
    return gives;
  });
  EXPECT_TRUE(*budget->MakeRoom(50));
  EXPECT_EQ(asked, "");
  EXPECT_TRUE(*budget->MakeRoom(150));
  EXPECT_EQ(asked, "1");
  EXPECT_TRUE(*budget->MakeRoom(750));
  EXPECT_EQ(asked, "1121");
  EXPECT_FALSE(*budget->MakeRoom(751));
  EXPECT_EQ(asked, "112112");
  second = nullptr;
  EXPECT_FALSE(*budget->MakeRoom(751));
  EXPECT_EQ(asked, "1121121");
}

TEST(MemoryBudget, ARefusalNamesANumber) {
  const arrow::Status status = MemoryBudget(1000).TooSmall("read a", 4711);
  EXPECT_EQ(KindOf(status), ErrorKind::kUsage);
  EXPECT_EQ(status.message(),
            "a memory budget (--memory) of 1000 bytes is too small to read a: give it 4711 bytes");
}

}  // namespace
}  // namespace esker
