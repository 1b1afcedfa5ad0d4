// Explain: a planned scan in words and as JSON (names in CLI.md / docs/explain.md stay).
#pragma once

#include <string>
#include <vector>

#include "esker/scan.h"
#include "plan/planned_scan.h"

namespace esker {

/// A narrow tree for people: the table, the order and where it comes from, files, chains, depth,
/// sections, how the files meet the order with the reason in words, pruning, warnings.
std::string ExplainText(const PlannedScan& scan);

/// One JSON object, the `esker explain --json` of CLI.md.
std::string ExplainJson(const PlannedScan& scan);

/// "as it is", "reversed", "prefix sort", "sort".
std::string HowText(const ClaimMatch& match);

/// The files of the plan as callers see them, with decoded statistics of the columns asked for.
std::vector<FileScanTask> DescribeTasks(const PlannedScan& scan);

}  // namespace esker
