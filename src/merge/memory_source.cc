// Memory source: splitting batches into keys and rows.
#include "merge/memory_source.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "arrow/record_batch.h"
#include "arrow/type.h"

namespace esker {
namespace {

class BatchSource : public Source {
 public:
  BatchSource(NextBatch next, ColumnSplit split, std::shared_ptr<arrow::Schema> row_schema,
              RowPlace place, SourceMemory memory)
      : next_(std::move(next)),
        split_(split),
        row_schema_(std::move(row_schema)),
        place_(std::move(place)),
        memory_(memory) {}

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() override {
    ARROW_RETURN_NOT_OK(failed_);
    std::shared_ptr<arrow::RecordBatch> batch;
    do {
      if (next_ == nullptr) return nullptr;
      auto result = next_();
      if (!result.ok()) return failed_ = result.status();
      batch = result.MoveValueUnsafe();
      if (batch == nullptr) {
        // Nothing more will come: let go of what stands behind.
        next_ = nullptr;
        return nullptr;
      }
    } while (batch->num_rows() == 0);
    arrow::ArrayVector columns(batch->columns().begin() + split_.first_output,
                               batch->columns().end());
    waiting_.push_back(arrow::RecordBatch::Make(row_schema_, batch->num_rows(), columns));
    return KeyColumns(*batch, split_.key_columns);
  }

  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) override {
    ARROW_RETURN_NOT_OK(failed_);
    arrow::RecordBatchVector taken;
    while (rows > 0) {
      if (waiting_.empty()) return arrow::Status::Invalid("more rows taken than keys were given");
      auto& front = waiting_.front();
      const int64_t count = std::min(rows, front->num_rows());
      rows -= count;
      if (count == front->num_rows()) {
        taken.push_back(std::move(front));
        waiting_.pop_front();
      } else {
        taken.push_back(front->Slice(0, count));
        front = front->Slice(count);
      }
    }
    return taken;
  }

  RowPlace Place(int64_t) const override { return place_; }

  SourceMemory memory() const override { return memory_; }

 private:
  NextBatch next_;
  ColumnSplit split_;
  std::shared_ptr<arrow::Schema> row_schema_;
  RowPlace place_;
  SourceMemory memory_;
  arrow::Status failed_;
  std::deque<std::shared_ptr<arrow::RecordBatch>> waiting_;  // output columns, not yet taken
};

}  // namespace

std::unique_ptr<Source> MakeBatchSource(NextBatch next, ColumnSplit split,
                                        std::shared_ptr<arrow::Schema> row_schema, RowPlace place,
                                        SourceMemory memory) {
  return std::make_unique<BatchSource>(std::move(next), split, std::move(row_schema),
                                       std::move(place), memory);
}

std::shared_ptr<arrow::RecordBatch> KeyColumns(const arrow::RecordBatch& batch, int count) {
  const auto& fields = batch.schema()->fields();
  auto schema = arrow::schema({fields.begin(), fields.begin() + count});
  const auto& columns = batch.columns();
  return arrow::RecordBatch::Make(std::move(schema), batch.num_rows(),
                                  arrow::ArrayVector(columns.begin(), columns.begin() + count));
}

}  // namespace esker
