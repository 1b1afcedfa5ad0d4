#include "api/scan_plan.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

#include "api/scan_reader.h"
#include "api/scan_split.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "base/counting_pool.h"
#include "nlohmann/json.hpp"
#include "plan/explain.h"

namespace esker {
namespace {

using Clock = std::chrono::steady_clock;

int64_t MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - start).count();
}

// One run of a plan: what its reader counts. Outlives the reader, so that statistics can be asked
// for afterwards.
struct Run {
  explicit Run(arrow::MemoryPool* base) : pool(CountingPool::Make(base)) {}
  CountingPoolPtr pool;
  std::shared_ptr<ScanCounters> counters = std::make_shared<ScanCounters>();
  Clock::time_point start = Clock::now();
  std::atomic<int64_t> first_batch_ms{0};
  std::atomic<int64_t> total_ms{0};
};

// Times the reader below, and keeps the run alive for as long as there is a reader.
class TimedReader : public arrow::RecordBatchReader {
 public:
  TimedReader(std::shared_ptr<arrow::RecordBatchReader> reader, std::shared_ptr<Run> run)
      : run_(std::move(run)), reader_(std::move(reader)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return reader_->schema(); }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    const arrow::Status status = reader_->ReadNext(batch);
    const int64_t now = MillisecondsSince(run_->start);
    if (!first_) run_->first_batch_ms = now;
    first_ = true;
    run_->total_ms = now;
    return status;
  }

  arrow::Status Close() override { return reader_->Close(); }

 private:
  std::shared_ptr<Run> run_;
  std::shared_ptr<arrow::RecordBatchReader> reader_;
  bool first_ = false;
};

class PlanView : public ScanPlan {
 public:
  PlanView(std::shared_ptr<const PlannedScan> scan, std::shared_ptr<const Storage> storage,
           std::vector<FileScanTask> files)
      : scan_(std::move(scan)), storage_(std::move(storage)), files_(std::move(files)) {}

  const std::shared_ptr<arrow::Schema>& schema() const override {
    return scan_->rows->output_schema;
  }
  const std::vector<ResolvedKey>& order_asked() const override { return scan_->asked; }
  const std::vector<ResolvedKey>& order() const override { return scan_->told; }
  const std::vector<FileScanTask>& files() const override { return files_; }
  int32_t chains() const override { return static_cast<int32_t>(scan_->layout.chains.size()); }
  int32_t max_depth() const override { return static_cast<int32_t>(scan_->layout.max_depth); }
  const std::vector<PlanWarning>& warnings() const override { return scan_->warnings; }
  std::string Explain() const override { return ExplainText(*scan_); }
  std::string ExplainJson() const override { return esker::ExplainJson(*scan_); }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read() const override {
    arrow::MemoryPool* base =
        scan_->options.pool != nullptr ? scan_->options.pool : arrow::default_memory_pool();
    auto run = std::make_shared<Run>(base);
    ARROW_ASSIGN_OR_RAISE(auto reader,
                          MakeScanReader(scan_, storage_, run->counters, run->pool.get()));
    {
      const std::lock_guard lock(mutex_);
      last_run_ = run;
    }
    return std::make_shared<TimedReader>(std::move(reader), std::move(run));
  }

  arrow::Result<std::vector<ScanSplit>> Split(int32_t parts) const override {
    return SplitScan(*scan_, *storage_, parts);
  }

  ScanStatistics statistics() const override {
    const std::lock_guard lock(mutex_);
    ScanStatistics statistics;
    statistics.planning_ms = scan_->planning_ms;
    if (last_run_ != nullptr) Fill(*last_run_, &statistics);
    return statistics;
  }

 private:
  static void Fill(const Run& run, ScanStatistics* out) {
    const ScanCounters& counters = *run.counters;
    out->rows = counters.rows;
    out->batches = counters.batches;
    out->files_opened = counters.files_opened;
    out->peak_open_files = counters.peak_open_files;
    out->row_groups_read = counters.row_groups_read;
    out->row_groups_skipped = counters.row_groups_skipped;
    out->pages_skipped = counters.pages_skipped;
    out->requests = counters.requests;
    out->bytes_read = counters.bytes_read;
    out->peak_memory_bytes = run.pool->max_memory();
    out->spilled_bytes = counters.spilled_bytes;
    out->runs = counters.runs;
    out->compared_rows = counters.compared_rows;
    out->first_batch_ms = run.first_batch_ms;
    out->total_ms = run.total_ms;
    out->misses_before_lower = counters.misses_before_lower;
    out->misses_after_upper = counters.misses_after_upper;
  }

  std::shared_ptr<const PlannedScan> scan_;
  std::shared_ptr<const Storage> storage_;
  std::vector<FileScanTask> files_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Run> last_run_;
};

}  // namespace

std::string ScanStatistics::ToJson() const {
  const nlohmann::ordered_json json = {
      {"rows", rows},
      {"batches", batches},
      {"files_opened", files_opened},
      {"peak_open_files", peak_open_files},
      {"row_groups_read", row_groups_read},
      {"row_groups_skipped", row_groups_skipped},
      {"pages_skipped", pages_skipped},
      {"requests", requests},
      {"bytes_read", bytes_read},
      {"peak_memory_bytes", peak_memory_bytes},
      {"spilled_bytes", spilled_bytes},
      {"runs", runs},
      {"compared_rows", compared_rows},
      {"planning_ms", planning_ms},
      {"first_batch_ms", first_batch_ms},
      {"total_ms", total_ms},
      {"misses", {{"before_lower", misses_before_lower}, {"after_upper", misses_after_upper}}},
  };
  return json.dump(2);
}

std::shared_ptr<ScanPlan> MakeScanPlan(std::shared_ptr<const PlannedScan> scan,
                                       std::shared_ptr<const Storage> storage) {
  auto files = DescribeTasks(*scan);
  return std::make_shared<PlanView>(std::move(scan), std::move(storage), std::move(files));
}

}  // namespace esker
