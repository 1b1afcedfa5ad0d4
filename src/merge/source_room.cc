#include "merge/source_room.h"

namespace esker {

arrow::Status MakeRoomFor(const Source& source, MemoryBudget* budget, const std::string& beside) {
  if (budget == nullptr) return arrow::Status::OK();
  const int64_t bytes = source.memory().held_bytes;
  ARROW_ASSIGN_OR_RAISE(const bool fits, budget->MakeRoom(bytes));
  if (fits) return arrow::Status::OK();
  // Twice what is missing: sorters, and rows decoded at once, take a share of what they are given.
  const int64_t enough = 2 * MemoryBudget::BytesFor(budget->charged() + bytes);
  return budget->TooSmall("read " + source.Place(0).file + beside, enough);
}

}  // namespace esker
