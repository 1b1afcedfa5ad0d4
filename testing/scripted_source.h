// Scripted source: a Source over rows in memory that counts, cuts and fails as a test says.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "arrow/result.h"
#include "base/scan_counters.h"
#include "read/source.h"
#include "testing/reference_merge.h"

namespace esker::testing {

/// How a source behaves.
struct SourceScript {
  int64_t key_batch_rows = 1000;  ///< rows of a key batch
  int64_t row_batch_rows = 1000;  ///< most rows of a batch that Take() gives
  int64_t fail_at = -1;           ///< the call (of NextKeys or Take, from 0) that fails
  std::string file = "file";
  int32_t row_group_rows = 1000;  ///< for Place()
};

/// Gives the rows of `input` as they are, sorted or not. Counts itself in `counters` (null: not)
/// as an open file for as long as it lives.
std::unique_ptr<Source> MakeScriptedSource(ReferenceInput input, SourceScript script,
                                           std::shared_ptr<ScanCounters> counters);

/// As MergeInput::open wants it.
std::function<arrow::Result<std::unique_ptr<Source>>()> OpenScripted(
    ReferenceInput input, SourceScript script, std::shared_ptr<ScanCounters> counters);

}  // namespace esker::testing
