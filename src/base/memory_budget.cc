#include "base/memory_budget.h"

#include "base/status.h"

namespace esker {

arrow::Result<bool> MemoryBudget::MakeRoom(int64_t bytes) {
  for (size_t asked = 0; !Fits(bytes);) {
    if (asked == givers_.size()) return false;
    ARROW_ASSIGN_OR_RAISE(const bool gave, givers_[asked]->give_());
    asked = gave ? 0 : asked + 1;
  }
  return true;
}

arrow::Status MemoryBudget::TooSmall(const std::string& do_what, int64_t enough_bytes) const {
  return UsageError("a memory budget (--memory) of ", bytes_, " bytes is too small to ", do_what,
                    ": give it ", enough_bytes, " bytes");
}

MemoryGiver::MemoryGiver(std::shared_ptr<MemoryBudget> budget, Give give)
    : budget_(std::move(budget)), give_(std::move(give)) {
  if (budget_ != nullptr) budget_->givers_.push_back(this);
}

MemoryGiver::~MemoryGiver() {
  if (budget_ != nullptr) std::erase(budget_->givers_, this);
}

}  // namespace esker
