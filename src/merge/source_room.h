// Source room: making room in the budget for a source that was opened and of which no row has been
// decoded.
#pragma once

#include <string>

#include "arrow/status.h"
#include "base/memory_budget.h"
#include "read/source.h"

namespace esker {

/// Makes room for what `source` says that it takes; charges nothing. `budget` may be null: then
/// everything fits. UsageError naming the file, and a budget for it and all that is charged beside
/// it; `beside` is put behind the file's name.
arrow::Status MakeRoomFor(const Source& source, MemoryBudget* budget,
                          const std::string& beside = "");

}  // namespace esker
