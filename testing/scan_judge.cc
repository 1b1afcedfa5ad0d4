#include "testing/scan_judge.h"

#include <algorithm>
#include <map>
#include <utility>

#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "esker/error.h"

namespace esker::testing {
namespace {

size_t ColumnIndex(const RandomTable& table, int32_t field_id) {
  for (size_t c = 0; c < table.recipe.columns.size(); ++c) {
    if (table.recipe.columns[c].id == field_id) return c;
  }
  return table.recipe.columns.size();
}

std::vector<TwinKey> TwinKeysOf(const RandomTable& table, const std::vector<ResolvedKey>& order) {
  std::vector<TwinKey> keys;
  for (const ResolvedKey& key : order) {
    keys.push_back({ColumnIndex(table, key.field_id), key.descending, key.nulls_first});
  }
  return keys;
}

// What the request says, independent of what the plan makes of it.
std::vector<TwinKey> RequestedKeys(const RandomTable& table, const ScanRequest& request) {
  std::vector<TwinKey> keys;
  for (const OrderKey& key : request.order_by) {
    size_t c = 0;
    while (table.recipe.columns[c].name != key.column) ++c;
    keys.push_back({c, key.descending, key.nulls_first.value_or(!key.descending)});
  }
  return keys;
}

bool SameKeys(const std::vector<TwinKey>& a, const std::vector<TwinKey>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const auto& x, const auto& y) {
    return x.column == y.column && x.descending == y.descending && x.nulls_first == y.nulls_first;
  });
}

Row Projected(const Row& row, const std::vector<size_t>& columns) {
  Row projected;
  for (const size_t c : columns) projected.push_back(row[c]);
  return projected;
}

// Everything that one scan is judged by.
class Judge {
 public:
  Judge(const RandomTable& table, const RandomScan& scan,
        std::shared_ptr<FaultyFileSystem> filesystem, JudgeCounts* counts)
      : table_(table), scan_(scan), filesystem_(std::move(filesystem)), counts_(counts) {}

  /// What an error named as the memory that the scan takes; 0 if none did.
  int64_t needed_memory() const { return needed_memory_; }

  std::string Run() {
    std::string wrong = OpenAndPlan();
    if (wrong.empty() && plan_ != nullptr) wrong = CheckPlan();
    if (wrong.empty() && plan_ != nullptr) wrong = ReadRows();
    if (wrong.empty() && plan_ != nullptr && !refused_) wrong = CheckRows();
    const bool too_little_memory = needed_memory_ > 0;
    if (wrong.empty() && plan_ != nullptr && scan_.splits > 0 && !too_little_memory) {
      wrong = CheckSplits();
    }
    const std::string explain = plan_ == nullptr || wrong.empty() ? "" : plan_->Explain();
    plan_ = nullptr;
    opened_ = nullptr;
    if (wrong.empty()) wrong = CheckLeftovers();
    return wrong.empty() ? "" : wrong + "\n" + explain;
  }

 private:
  bool lied() const { return table_.lie != Lie::kNone; }

  std::string OpenAndPlan() {
    OpenOptions options;
    options.filesystem = filesystem_;
    auto opened = Table::Open(kTableLocation, options);
    if (!opened.ok()) return "open: " + opened.status().ToString();
    opened_ = *opened;
    ScanOptions scan_options = scan_.options;
    scan_options.pool = &pool_;
    auto plan = opened_->Plan(scan_.request, scan_options);
    if (plan.ok()) {
      plan_ = *plan;
      return "";
    }
    const bool over_limit = scan_.options.over_limit == OverLimit::kError &&
                            KindOf(plan.status()) == ErrorKind::kUsage &&
                            plan.status().message().find("max_merge_files") != std::string::npos;
    return over_limit ? "" : "plan: " + plan.status().ToString();
  }

  std::string CheckPlan() {
    asked_ = TwinKeysOf(table_, plan_->order_asked());
    told_ = TwinKeysOf(table_, plan_->order());
    const bool gave_up = scan_.options.over_limit == OverLimit::kUnordered &&
                         std::any_of(plan_->warnings().begin(), plan_->warnings().end(),
                                     [](const auto& each) { return each.code == "over-limit"; });
    if (gave_up) {
      if (!told_.empty()) return "an order is told that was given up";
      asked_.clear();
      return "";
    }
    if (!scan_.request.order_by.empty() &&
        !SameKeys(asked_, RequestedKeys(table_, scan_.request))) {
      return "order_asked() is not the order asked for";
    }
    if (scan_.request.order == OrderFrom::kNone && scan_.request.order_by.empty() &&
        !asked_.empty()) {
      return "an order although none was wanted";
    }
    std::vector<TwinKey> visible = asked_;
    for (size_t i = 0; i < visible.size(); ++i) {
      if (Position(visible[i].column) == scan_.output.size()) visible.resize(i);
    }
    if (!SameKeys(told_, visible)) return "order() is not the visible start of the order asked for";
    return "";
  }

  // Where that column comes out; output.size() if it does not.
  size_t Position(size_t column) const {
    return std::find(scan_.output.begin(), scan_.output.end(), column) - scan_.output.begin();
  }

  std::string ReadRows() {
    auto reader = plan_->Read();
    if (!reader.ok()) return "read: " + reader.status().ToString();
    for (;;) {
      std::shared_ptr<arrow::RecordBatch> batch;
      const arrow::Status status = (*reader)->ReadNext(&batch);
      if (!status.ok()) return JudgeError(status, reader->get());
      if (batch == nullptr) break;
      if (const std::string wrong = CheckBatch(*batch); !wrong.empty()) return wrong;
      for (Row& row : RowsOf(*batch)) rows_.push_back(std::move(row));
    }
    if (plan_->statistics().rows != static_cast<int64_t>(rows_.size())) {
      return "statistics().rows is " + std::to_string(plan_->statistics().rows) + " of " +
             std::to_string(rows_.size());
    }
    return CheckOpenFiles();
  }

  // A refusal is right where something lies; then it must stay.
  std::string JudgeError(const arrow::Status& status, arrow::RecordBatchReader* reader) {
    if (NamesMemory(status)) {
      refused_ = true;
      return "";
    }
    if (!lied() || KindOf(status) != ErrorKind::kDisorder) return "error: " + status.ToString();
    if (table_.lie == Lie::kRows && scan_.options.on_disorder == OnDisorder::kSort) {
      return "an error although on_disorder is kSort: " + status.ToString();
    }
    std::shared_ptr<arrow::RecordBatch> batch;
    if (reader->ReadNext(&batch).ok()) return "the reader goes on after an error";
    refused_ = true;
    return CheckAdjacent();
  }

  std::string CheckBatch(const arrow::RecordBatch& batch) {
    if (batch.num_rows() == 0) return "an empty batch";
    if (batch.num_rows() > scan_.options.batch_rows) {
      return "a batch of " + std::to_string(batch.num_rows()) + " rows";
    }
    if (!batch.schema()->Equals(*plan_->schema())) return "a batch of another schema";
    const arrow::Status valid = batch.ValidateFull();
    return valid.ok() ? "" : "an invalid batch: " + valid.ToString();
  }

  std::string CheckOpenFiles() {
    const int64_t peak = plan_->statistics().peak_open_files;
    if (!asked_.empty() && peak > scan_.options.max_merge_files) {
      return "peak_open_files is " + std::to_string(peak);
    }
    return "";
  }

  // Splits of a scan that came out must give the same rows again; an error is right where
  // something lies, as it is for the scan.
  std::string CheckSplits() {
    const auto splits = plan_->Split(scan_.splits);
    if (!splits.ok()) return "split: " + splits.status().ToString();
    if (splits->empty() || std::ssize(*splits) > scan_.splits) {
      return std::to_string(splits->size()) + " splits instead of " + std::to_string(scan_.splits);
    }
    const std::vector<Row> whole = std::move(rows_);
    rows_.clear();
    int64_t estimated = 0;
    for (const ScanSplit& split : *splits) {
      const arrow::Status status = ReadSplit(split);
      if (!status.ok()) return JudgeSplitError(status);
      estimated += split.estimated_rows();
      if (splits->size() > 1) ++counts_->splits;
    }
    // A false lower bound may let equal keys of two files come out the other way round.
    std::string wrong = lied() ? CheckRows() : CheckSameRows(whole);
    int64_t planned = 0;
    for (const FileScanTask& task : plan_->files()) planned += task.record_count;
    if (wrong.empty() && estimated != planned) wrong = "estimates do not add up";
    return wrong.empty() ? "" : "as splits: " + wrong;
  }

  arrow::Status ReadSplit(const ScanSplit& split) {
    ARROW_ASSIGN_OR_RAISE(const ScanSplit again, ScanSplit::FromText(split.ToText()));
    OpenOptions options;
    options.filesystem = filesystem_;
    ScanOptions scan_options = scan_.options;
    scan_options.pool = &pool_;
    ARROW_ASSIGN_OR_RAISE(const auto plan, again.Open(options, scan_options));
    if (!plan->schema()->Equals(*plan_->schema())) return arrow::Status::Invalid("another schema");
    if (!SameKeys(TwinKeysOf(table_, plan->order()), told_)) {
      return arrow::Status::Invalid("another order is told");
    }
    ARROW_ASSIGN_OR_RAISE(const auto reader, plan->Read());
    for (;;) {
      ARROW_ASSIGN_OR_RAISE(const auto batch, reader->Next());
      if (batch == nullptr) break;
      for (Row& row : RowsOf(*batch)) rows_.push_back(std::move(row));
    }
    if (!asked_.empty() && plan->statistics().peak_open_files > scan_.options.max_merge_files) {
      return arrow::Status::Invalid("too many files open");
    }
    return arrow::Status::OK();
  }

  std::string JudgeSplitError(const arrow::Status& status) {
    if (NamesMemory(status)) return "";
    if (!lied() || KindOf(status) != ErrorKind::kDisorder) return "split: " + status.ToString();
    if (table_.lie == Lie::kRows && scan_.options.on_disorder == OnDisorder::kSort) {
      return "an error of a split although on_disorder is kSort: " + status.ToString();
    }
    ++counts_->refused_splits;
    return "";
  }

  std::string CheckSameRows(const std::vector<Row>& whole) const {
    const bool same =
        std::equal(whole.begin(), whole.end(), rows_.begin(), rows_.end(),
                   [](const Row& a, const Row& b) { return !RowLess(a, b) && !RowLess(b, a); });
    if (same) return "";
    std::string text = "other rows than the scan\n  scan:";
    for (const Row& row : whole) text += "\n    " + RowText(row);
    text += "\n  splits:";
    for (const Row& row : rows_) text += "\n    " + RowText(row);
    return text;
  }

  std::string CheckRows() {
    std::vector<Row> live = table_.LiveRows();
    std::erase_if(live, [&](const Row& row) { return !scan_.keep(row); });
    std::stable_sort(live.begin(), live.end(),
                     [&](const Row& a, const Row& b) { return CompareRows(a, b, asked_) < 0; });
    const size_t limit =
        scan_.request.limit ? static_cast<size_t>(*scan_.request.limit) : live.size();
    const size_t expected = std::min(limit, live.size());
    if (rows_.size() != expected) {
      return std::to_string(rows_.size()) + " rows instead of " + std::to_string(expected) +
             Sample(live);
    }
    if (std::string wrong = CheckAdjacent(); !wrong.empty()) return wrong;
    if (std::string wrong = CheckMultiset(live); !wrong.empty()) return wrong;
    if (std::string wrong = CheckKeys(live); !wrong.empty()) return wrong;
    return CheckTies();
  }

  std::string Sample(const std::vector<Row>& live) const {
    std::string text = "\n  expected:";
    for (const Row& row : live) text += "\n    " + RowText(Projected(row, scan_.output));
    text += "\n  got:";
    for (const Row& row : rows_) text += "\n    " + RowText(row);
    return text;
  }

  std::string CheckAdjacent() const {
    std::vector<TwinKey> keys = told_;
    for (TwinKey& key : keys) key.column = Position(key.column);
    for (size_t i = 1; i < rows_.size(); ++i) {
      if (CompareRows(rows_[i - 1], rows_[i], keys) > 0) {
        return "row " + std::to_string(i) + " (" + RowText(rows_[i]) +
               ") is before its predecessor (" + RowText(rows_[i - 1]) + ")";
      }
    }
    return CheckHiddenKeys();
  }

  // Through `seq` a row that came out is found among the twin's rows, with all of its keys.
  std::string CheckHiddenKeys() const {
    const size_t seq = Position(table_.recipe.columns.size() - 1);
    if (seq == scan_.output.size()) return "";
    std::map<int64_t, const Row*> by_seq;
    for (const RandomFile& file : table_.files) {
      for (const Row& row : file.rows) by_seq[std::get<int64_t>(row.back())] = &row;
    }
    const Row* before = nullptr;
    for (size_t i = 0; i < rows_.size(); ++i) {
      const auto found = by_seq.find(std::get<int64_t>(rows_[i][seq]));
      if (found == by_seq.end()) return "a row that is in no file: " + RowText(rows_[i]);
      const Row* row = found->second;
      if (before != nullptr && CompareRows(*before, *row, asked_) > 0) {
        return "row " + std::to_string(i) + ", whole (" + RowText(*row) +
               "), is before its predecessor (" + RowText(*before) + ")";
      }
      before = row;
    }
    return "";
  }

  // All rows, or with a limit: rows that exist, none too often.
  std::string CheckMultiset(const std::vector<Row>& live) const {
    std::vector<Row> expected;
    for (const Row& row : live) expected.push_back(Projected(row, scan_.output));
    std::vector<Row> got = rows_;
    std::sort(expected.begin(), expected.end(), RowLess);
    std::sort(got.begin(), got.end(), RowLess);
    if (std::includes(expected.begin(), expected.end(), got.begin(), got.end(), RowLess)) return "";
    return "rows that should not be there" + Sample(live);
  }

  // The keys that come out, in order, are those of the sorted twin. With a limit a false bound can
  // hide a file for good, and so can a broken order a row: what is behind the limit is never read,
  // unless all of it is checked first.
  std::string CheckKeys(const std::vector<Row>& live) const {
    const bool checked_first =
        table_.lie == Lie::kRows && scan_.options.on_disorder == OnDisorder::kSort;
    if (lied() && !checked_first && scan_.request.limit) return "";
    std::vector<TwinKey> keys = told_;
    for (TwinKey& key : keys) key.column = Position(key.column);
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (CompareRows(Projected(live[i], scan_.output), rows_[i], keys) != 0) {
        return "row " + std::to_string(i) + " has other keys than expected" + Sample(live);
      }
    }
    return "";
  }

  // Ties between files go by the plan's numbering, within a file by its order. Not looked at where
  // a file is read in another way than forwards or backwards throughout.
  std::string CheckTies() const {
    if (table_.has_nan || asked_.empty() || lied()) return "";
    std::vector<Row> ordered;
    for (const FileScanTask& task : plan_->files()) {
      if (task.how == "prefix sort") return "";
      std::vector<Row> rows = LiveRowsOf(task.path);
      if (task.how == "reversed") std::reverse(rows.begin(), rows.end());
      for (Row& row : rows) ordered.push_back(std::move(row));
    }
    std::erase_if(ordered, [&](const Row& row) { return !scan_.keep(row); });
    std::stable_sort(ordered.begin(), ordered.end(),
                     [&](const Row& a, const Row& b) { return CompareRows(a, b, asked_) < 0; });
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row expected = Projected(ordered[i], scan_.output);
      if (RowLess(expected, rows_[i]) || RowLess(rows_[i], expected)) {
        return "ties are not stable at row " + std::to_string(i) + ": " + RowText(rows_[i]) +
               Sample(ordered);
      }
    }
    return "";
  }

  std::vector<Row> LiveRowsOf(const std::string& path) const {
    std::vector<Row> rows;
    for (const RandomFile& file : table_.files) {
      if (table_.recipe.files[file.recipe_file].path != path) continue;
      for (size_t i = 0; i < file.rows.size(); ++i) {
        if (!file.deleted[i]) rows.push_back(file.rows[i]);
      }
    }
    return rows;
  }

  std::string CheckLeftovers() const {
    if (filesystem_->open_now() != 0) {
      return std::to_string(filesystem_->open_now()) + " files left open";
    }
    if (pool_.bytes_allocated() != 0) {
      return std::to_string(pool_.bytes_allocated()) + " bytes left in the pool";
    }
    return "";
  }

  // Does it say "... give it 4711 bytes", more than there are? Keeps the number.
  bool NamesMemory(const arrow::Status& status) {
    static const std::string kBefore = ": give it ";
    const std::string& message = status.message();
    const size_t place = message.find(kBefore);
    if (KindOf(status) != ErrorKind::kUsage || place == std::string::npos) return false;
    needed_memory_ = std::atoll(message.c_str() + place + kBefore.size());
    return needed_memory_ > scan_.options.memory_bytes;
  }

  const RandomTable& table_;
  const RandomScan& scan_;
  std::shared_ptr<FaultyFileSystem> filesystem_;
  JudgeCounts* counts_;
  arrow::ProxyMemoryPool pool_{arrow::default_memory_pool()};
  std::shared_ptr<Table> opened_;
  std::shared_ptr<ScanPlan> plan_;
  std::vector<TwinKey> asked_;
  std::vector<TwinKey> told_;
  std::vector<Row> rows_;
  bool refused_ = false;
  int64_t needed_memory_ = 0;
};

}  // namespace

int CompareRows(const Row& a, const Row& b, const std::vector<TwinKey>& keys) {
  for (const TwinKey& key : keys) {
    const Cell& left = a[key.column];
    const Cell& right = b[key.column];
    if (IsNullCell(left) || IsNullCell(right)) {
      if (IsNullCell(left) && IsNullCell(right)) continue;
      return IsNullCell(left) == key.nulls_first ? -1 : 1;
    }
    // NaN is last among values in ascending order, so first in descending order.
    const int order = CompareCells(left, right);
    if (order != 0) return key.descending ? -order : order;
  }
  return 0;
}

std::string JudgeScan(const RandomTable& table, const RandomScan& scan,
                      const std::shared_ptr<FaultyFileSystem>& filesystem, JudgeCounts* counts) {
  // A budget that is too small is refused with one that is not, or with a step towards it.
  constexpr int kSteps = 10;
  RandomScan funded = scan;
  JudgeCounts unseen;
  for (int step = 0; step < kSteps; ++step) {
    Judge judge(table, funded, filesystem, counts == nullptr ? &unseen : counts);
    const std::string wrong = judge.Run();
    if (!wrong.empty() || judge.needed_memory() == 0) return wrong;
    funded.options.memory_bytes = judge.needed_memory();
  }
  return "no budget that an error names is enough";
}

}  // namespace esker::testing
