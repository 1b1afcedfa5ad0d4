// Usage errors of the command itself, with the kind that makes the command end with 2.
#pragma once

#include <string>

#include "arrow/status.h"
#include "esker/error.h"

namespace esker::cli {

inline arrow::Status Usage(const std::string& message) {
  return MakeError(ErrorKind::kUsage, message);
}

}  // namespace esker::cli
