// Listings: aligned columns for people, for the commands that look around.
#pragma once

#include <cstdint>

#include <string>
#include <string_view>
#include <vector>

#include "arrow/status.h"

namespace esker::cli {

/// Prints rows under a header on standard output, columns as wide as their widest cell. Cells that
/// look like numbers go to the right.
void PrintListing(const std::vector<std::string>& header,
                  const std::vector<std::vector<std::string>>& rows);

/// "2026-01-31T12:00:00.123Z" of milliseconds since 1970.
std::string TimeText(int64_t timestamp_ms);

/// Prints text on standard output. A failure is kept for FinishPrinting().
void Print(std::string_view text);

/// Prints text and a line end.
void PrintLine(const std::string& text);

/// Ends what Print() began; IOError where some of it could not be written.
arrow::Status FinishPrinting();

}  // namespace esker::cli
