#include "api/scan_split.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "api/open_table.h"
#include "arrow/filesystem/filesystem.h"
#include "plan/split_spec.h"
#include "plan/split_text.h"

namespace esker {
namespace {

// Another process may stand in another folder.
void MakeAbsolute(std::string* location) {
  const std::string path(LocalPathOf(*location));
  if (path.empty() || !SchemeOf(path).empty()) return;
  std::error_code error;
  const auto absolute = std::filesystem::absolute(path, error);
  if (!error) *location = absolute.string();
}

}  // namespace

arrow::Result<std::vector<ScanSplit>> SplitScan(const PlannedScan& scan, const Storage& storage,
                                                int32_t parts) {
  ARROW_ASSIGN_OR_RAISE(std::vector<SplitSpec> specs, MakeSplits(scan, parts));
  const bool is_local = storage.filesystem()->type_name() == "local";
  std::vector<ScanSplit> splits;
  for (SplitSpec& spec : specs) {
    if (is_local) {
      MakeAbsolute(&spec.metadata_file);
      MakeAbsolute(&spec.table_folder);
    }
    splits.emplace_back(std::make_shared<const SplitSpec>(std::move(spec)));
  }
  return splits;
}

ScanSplit::ScanSplit(std::shared_ptr<const SplitSpec> spec) : spec_(std::move(spec)) {}

arrow::Result<ScanSplit> ScanSplit::FromText(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(SplitSpec spec, SplitFromText(text));
  return ScanSplit(std::make_shared<const SplitSpec>(std::move(spec)));
}

std::string ScanSplit::ToText() const { return SplitToText(*spec_); }
int32_t ScanSplit::number() const { return spec_->number; }
int32_t ScanSplit::count() const { return spec_->count; }
int64_t ScanSplit::estimated_rows() const { return spec_->estimated_rows; }

arrow::Result<std::shared_ptr<ScanPlan>> ScanSplit::Open(OpenOptions open, ScanOptions scan) const {
  ARROW_ASSIGN_OR_RAISE(const OpenedTable table,
                        OpenTableAt({spec_->metadata_file, spec_->table_folder}, std::move(open)));
  return PlanOf(table, PinnedRequest(*spec_), PinnedOptions(*spec_, std::move(scan)), spec_);
}

}  // namespace esker
