// Explain: a planned scan in words and as JSON (docs/explain.md has the names).
#pragma once

#include <string>
#include <vector>

#include "esker/scan.h"
#include "plan/planned_scan.h"

namespace esker {

/// A narrow tree for people (explain_text.cc): the table, the order and where it comes from, files,
/// chains, depth, sections and those that are merged in passes, how the files meet the order and
/// why, what checks a claim, pruning, warnings. Some fifty lines at most, however many files there
/// are. O(files).
std::string ExplainText(const PlannedScan& scan);

/// One JSON object (explain_json.cc), what `esker explain --json` prints. O(files).
std::string ExplainJson(const PlannedScan& scan);

/// "as it is", "reversed", "prefix sort", "sort".
std::string HowText(const ClaimMatch& match);

/// The files of the plan as callers see them, with decoded statistics of the columns asked for.
std::vector<FileScanTask> DescribeTasks(const PlannedScan& scan);

}  // namespace esker
