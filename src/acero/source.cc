#include <optional>
#include <utility>
#include <vector>

#include "acero/nan_check.h"
#include "acero/told_ordering.h"
#include "arrow/acero/options.h"
#include "arrow/record_batch.h"
#include "arrow/util/cancel.h"
#include "arrow/util/future.h"
#include "arrow/util/thread_pool.h"
#include "base/status.h"
#include "esker/acero.h"

namespace esker {
namespace {

using arrow::compute::ExecBatch;
using NextBatch = std::optional<ExecBatch>;  // nullopt: the end

// One scan of the plan. Used by one thread at a time: Acero asks for a batch when it has the last.
class Run {
 public:
  Run(std::shared_ptr<arrow::RecordBatchReader> reader, std::vector<int> without_nan)
      : reader_(std::move(reader)), without_nan_(std::move(without_nan)) {}

  // The reader goes at the end and at an error, and all files with it, however long Acero keeps
  // its plan. From then on there is only the end, or that error again.
  arrow::Result<NextBatch> Next(const arrow::StopToken& token) {
    if (reader_ == nullptr) return Last();
    arrow::Result<NextBatch> next = Read(token);
    if (next.ok() && next->has_value()) return next;
    failure_ = next.status();
    const arrow::Status closed = reader_->Close();
    if (failure_.ok()) failure_ = closed;
    reader_ = nullptr;
    return Last();
  }

 private:
  arrow::Result<NextBatch> Last() const {
    ARROW_RETURN_NOT_OK(failure_);
    return std::nullopt;
  }

  arrow::Result<NextBatch> Read(const arrow::StopToken& token) {
    ARROW_RETURN_NOT_OK(token.Poll());
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(reader_->ReadNext(&batch));
    if (batch == nullptr) return std::nullopt;
    ARROW_RETURN_NOT_OK(CheckWithoutNan(*batch, without_nan_));
    ExecBatch next(*batch);
    next.index = next_index_++;
    return next;
  }

  std::shared_ptr<arrow::RecordBatchReader> reader_;  // null: at the end, or failed
  std::vector<int> without_nan_;
  int64_t next_index_ = 0;
  arrow::Status failure_;
};

// Acero copies the generator of a declaration into every plan that it makes of it. A copy of one
// that has not begun begins a run of its own; a copy of one that has shares the run.
class BatchGenerator {
 public:
  BatchGenerator(std::shared_ptr<const ScanPlan> plan, std::vector<int> without_nan,
                 arrow::io::IOContext io_context)
      : plan_(std::move(plan)), without_nan_(std::move(without_nan)), io_context_(io_context) {}

  arrow::Future<NextBatch> operator()() { return arrow::DeferNotOk(Submit()); }

 private:
  arrow::Result<arrow::Future<NextBatch>> Submit() {
    if (run_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto reader, plan_->Read());
      run_ = std::make_shared<Run>(std::move(reader), without_nan_);
    }
    // The task lets go of the run before its future is done: whoever drops the generator then is
    // the last to hold it, and finds all files closed. So it asks the stop token itself, too.
    return io_context_.executor()->Submit([run = run_, token = io_context_.stop_token()]() mutable {
      return std::exchange(run, nullptr)->Next(token);
    });
  }

  std::shared_ptr<const ScanPlan> plan_;
  std::vector<int> without_nan_;
  arrow::io::IOContext io_context_;
  std::shared_ptr<Run> run_;
};

ToldOrdering TellOrderingOf(const ScanPlan& plan) {
  return TellOrdering(plan.order(), *plan.schema(), plan.files());
}

}  // namespace

arrow::compute::Ordering AceroOrdering(const ScanPlan& plan) {
  return TellOrderingOf(plan).ordering;
}

arrow::Result<arrow::acero::Declaration> MakeAceroSource(std::shared_ptr<const ScanPlan> plan,
                                                         arrow::io::IOContext io_context) {
  if (plan == nullptr) return UsageError("no plan to make a source of");
  ToldOrdering told = TellOrderingOf(*plan);
  auto schema = plan->schema();
  BatchGenerator generator(std::move(plan), std::move(told.without_nan), io_context);
  return arrow::acero::Declaration(
      "source", arrow::acero::SourceNodeOptions(std::move(schema), std::move(generator),
                                                std::move(told.ordering)));
}

}  // namespace esker
