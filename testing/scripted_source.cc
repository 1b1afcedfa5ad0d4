// Scripted source: slices of two batches.
#include "testing/scripted_source.h"

#include <algorithm>
#include <utility>

#include "arrow/record_batch.h"

namespace esker::testing {
namespace {

class ScriptedSource : public Source {
 public:
  ScriptedSource(ReferenceInput input, SourceScript script, std::shared_ptr<ScanCounters> counters)
      : input_(std::move(input)), script_(std::move(script)), counters_(std::move(counters)) {
    if (counters_ != nullptr) counters_->CountOpen();
  }
  ~ScriptedSource() override {
    if (counters_ != nullptr) counters_->CountClose();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() override {
    ARROW_RETURN_NOT_OK(CountCall());
    const int64_t rows = std::min(script_.key_batch_rows, input_.keys->num_rows() - given_);
    if (rows == 0) return nullptr;
    auto keys = input_.keys->Slice(given_, rows);
    given_ += rows;
    return keys;
  }

  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) override {
    ARROW_RETURN_NOT_OK(CountCall());
    if (taken_ + rows > given_) return arrow::Status::Invalid("rows taken before their keys");
    arrow::RecordBatchVector taken;
    while (rows > 0) {
      const int64_t count = std::min(rows, script_.row_batch_rows);
      taken.push_back(input_.rows->Slice(taken_, count));
      taken_ += count;
      rows -= count;
    }
    return taken;
  }

  RowPlace Place(int64_t row) const override {
    return {script_.file, static_cast<int32_t>(row / script_.row_group_rows), row};
  }

 private:
  arrow::Status CountCall() {
    if (calls_++ == script_.fail_at) failed_ = arrow::Status::IOError(script_.file, ": planned");
    return failed_;
  }

  ReferenceInput input_;
  SourceScript script_;
  std::shared_ptr<ScanCounters> counters_;
  int64_t calls_ = 0;
  int64_t given_ = 0;
  int64_t taken_ = 0;
  arrow::Status failed_;
};

}  // namespace

std::unique_ptr<Source> MakeScriptedSource(ReferenceInput input, SourceScript script,
                                           std::shared_ptr<ScanCounters> counters) {
  return std::make_unique<ScriptedSource>(std::move(input), std::move(script), std::move(counters));
}

std::function<arrow::Result<std::unique_ptr<Source>>()> OpenScripted(
    ReferenceInput input, SourceScript script, std::shared_ptr<ScanCounters> counters) {
  return [input = std::move(input), script = std::move(script),
          counters = std::move(counters)]() -> arrow::Result<std::unique_ptr<Source>> {
    return MakeScriptedSource(input, script, counters);
  };
}

}  // namespace esker::testing
