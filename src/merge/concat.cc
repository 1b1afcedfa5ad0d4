#include "merge/concat.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <utility>

#include "arrow/record_batch.h"
#include "merge/source_room.h"

namespace esker {
namespace {

using OpenSource = std::function<arrow::Result<std::unique_ptr<Source>>()>;

class ConcatReader : public arrow::RecordBatchReader {
 public:
  ConcatReader(std::vector<OpenSource> inputs, std::shared_ptr<arrow::Schema> schema, int64_t limit,
               std::shared_ptr<ScanCounters> counters, std::shared_ptr<MemoryBudget> budget)
      : budget_(std::move(budget)),
        inputs_(std::move(inputs)),
        schema_(std::move(schema)),
        left_(limit < 0 ? std::numeric_limits<int64_t>::max() : limit),
        counters_(std::move(counters)) {}

  std::shared_ptr<arrow::Schema> schema() const override { return schema_; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (!failed_.ok()) return failed_;
    failed_ = Next(batch);
    if (!failed_.ok()) Release();
    return failed_;
  }

  arrow::Status Close() override {
    Release();
    return arrow::Status::OK();
  }

 private:
  arrow::Status Next(std::shared_ptr<arrow::RecordBatch>* batch) {
    while (ready_.empty()) {
      if (left_ == 0) Release();
      if (left_ == 0 || (current_ == nullptr && next_ == inputs_.size())) {
        *batch = nullptr;
        return arrow::Status::OK();
      }
      ARROW_RETURN_NOT_OK(Fill());
    }
    *batch = std::move(ready_.front());
    ready_.pop_front();
    counters_->rows += (*batch)->num_rows();
    ++counters_->batches;
    return arrow::Status::OK();
  }

  arrow::Status Fill() {
    if (current_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(current_, inputs_[next_]());
      inputs_[next_++] = nullptr;
      ARROW_RETURN_NOT_OK(MakeRoomFor(*current_, budget_.get()));
      charge_ = MemoryCharge(budget_.get(), current_->memory().held_bytes);
    }
    ARROW_ASSIGN_OR_RAISE(auto keys, current_->NextKeys());
    if (keys == nullptr) {
      CloseCurrent();
      return arrow::Status::OK();
    }
    const int64_t rows = std::min(keys->num_rows(), left_);
    ARROW_ASSIGN_OR_RAISE(auto batches, current_->Take(rows));
    left_ -= rows;
    ready_.insert(ready_.end(), batches.begin(), batches.end());
    return arrow::Status::OK();
  }

  void CloseCurrent() {
    current_.reset();
    charge_ = MemoryCharge();
  }

  void Release() {
    CloseCurrent();
    ready_.clear();
    inputs_.clear();
    next_ = 0;
  }

  std::shared_ptr<MemoryBudget> budget_;  // outlives all that is charged
  std::vector<OpenSource> inputs_;
  size_t next_ = 0;
  MemoryCharge charge_;  // of current_
  std::unique_ptr<Source> current_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> ready_;
  std::shared_ptr<arrow::Schema> schema_;
  int64_t left_;
  std::shared_ptr<ScanCounters> counters_;
  arrow::Status failed_;
};

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeConcat(
    std::vector<OpenSource> inputs, std::shared_ptr<arrow::Schema> schema, int64_t limit,
    std::shared_ptr<ScanCounters> counters, std::shared_ptr<MemoryBudget> budget) {
  return std::make_shared<ConcatReader>(std::move(inputs), std::move(schema), limit,
                                        std::move(counters), std::move(budget));
}

}  // namespace esker
