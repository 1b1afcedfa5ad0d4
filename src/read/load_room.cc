#include "read/load_room.h"

#include <algorithm>
#include <utility>

namespace esker {

LoadRoom::LoadRoom(std::shared_ptr<MemoryBudget> budget, int64_t decode_bytes, Beside beside)
    : budget_(std::move(budget)), decode_bytes_(decode_bytes), beside_(std::move(beside)) {}

arrow::Status LoadRoom::Resize(MemoryCharge* charge, int64_t bytes,
                               int64_t in_the_end_bytes) const {
  const int64_t more = bytes - charge->bytes();
  if (budget_ != nullptr && more > 0) {
    ARROW_ASSIGN_OR_RAISE(const bool fits, budget_->MakeRoom(more));
    if (!fits) {
      const int64_t others = budget_->charged() - charge->bytes();
      const int64_t needed = others + std::max(bytes, in_the_end_bytes) + (beside_ ? beside_() : 0);
      // Sorters may take half of a budget, and the window has its quarter.
      return budget_->TooSmall("hold these deletes", 4 * needed);
    }
  }
  charge->Resize(bytes);
  return arrow::Status::OK();
}

int64_t LoadRoom::Extrapolate(int64_t bytes, int64_t rows, int64_t all_rows) {
  const double each = static_cast<double>(bytes) / static_cast<double>(std::max<int64_t>(rows, 1));
  return static_cast<int64_t>(std::min(each * static_cast<double>(all_rows), 0x1p50));
}

}  // namespace esker
