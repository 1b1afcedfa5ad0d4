#include "read/column_stream.h"

#include <algorithm>
#include <array>
#include <deque>
#include <numeric>
#include <utility>

#include "arrow/array.h"
#include "arrow/array/concatenate.h"
#include "arrow/array/util.h"
#include "arrow/chunked_array.h"
#include "arrow/record_batch.h"
#include "arrow/scalar.h"
#include "parquet/arrow/reader.h"
#include "parquet/column_reader.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/types.h"
#include "read/parquet_status.h"

namespace esker {
namespace {

using ArrayPtr = std::shared_ptr<arrow::Array>;

// Days that INT96 may name: microseconds since 1970 of later or earlier ones exceed 64 bits.
constexpr int64_t kJulianDayOf1970 = 2'440'588;
constexpr int64_t kMaxDays = INT64_MAX / 86'400'000'000 - 1;

bool IsInt96InRange(const parquet::Int96& value) {
  const int64_t days = static_cast<int64_t>(value.value[2]) - kJulianDayOf1970;
  const uint64_t nanos = static_cast<uint64_t>(value.value[1]) << 32 | value.value[0];
  return days <= kMaxDays && nanos <= 86'400'000'000'000;
}

arrow::Status CheckInt96Column(parquet::Int96Reader* reader) {
  constexpr int64_t kBatch = 1024;
  std::array<parquet::Int96, kBatch> values;
  std::array<int16_t, kBatch> definition_levels;
  std::array<int16_t, kBatch> repetition_levels;
  while (reader->HasNext()) {
    int64_t count = 0;
    const int64_t levels = reader->ReadBatch(kBatch, definition_levels.data(),
                                             repetition_levels.data(), values.data(), &count);
    if (!std::all_of(values.begin(), values.begin() + count, IsInt96InRange)) {
      return arrow::Status::Invalid("an INT96 timestamp lies beyond the range of microseconds");
    }
    if (levels == 0) break;
  }
  return arrow::Status::OK();
}

// What decoding a value of the leaf takes, about, beside what one of the cheapest takes.
int64_t CostOfValue(parquet::Type::type type) {
  return type == parquet::Type::BYTE_ARRAY             ? 4
         : type == parquet::Type::FIXED_LEN_BYTE_ARRAY ? 2
                                                       : 1;
}

std::vector<size_t> ByCost(const std::vector<const ColumnProjection*>& columns,
                           const parquet::FileMetaData& metadata) {
  std::vector<int64_t> costs;
  for (const ColumnProjection* each : columns) {
    int64_t cost = 0;
    for (const int leaf : each->leaves()) {
      cost += CostOfValue(metadata.schema()->Column(leaf)->physical_type());
    }
    costs.push_back(cost);
  }
  std::vector<size_t> order(columns.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  return order;
}

arrow::Result<ArrayPtr> OneArray(const arrow::ArrayVector& chunks, arrow::MemoryPool* pool) {
  if (chunks.size() == 1) return chunks[0];
  return arrow::Concatenate(chunks, pool);
}

}  // namespace

/// One column of the stream: here a constant, below what the file stores.
class ColumnStream::Column {
 public:
  Column(const ColumnProjection& projection, arrow::MemoryPool* pool)
      : projection_(projection), pool_(pool) {}
  virtual ~Column() = default;

  arrow::Result<ArrayPtr> Next(int64_t rows) {
    if (projection_.column() < 0) {
      return arrow::MakeArrayFromScalar(*projection_.constant(), rows, pool_);
    }
    arrow::ArrayVector parts;
    ARROW_RETURN_NOT_OK(Pull(rows, &parts));
    ARROW_ASSIGN_OR_RAISE(const ArrayPtr decoded, OneArray(parts, pool_));
    return projection_.Apply(decoded, pool_);
  }

  arrow::Status Skip(int64_t rows) { return Pull(rows, nullptr); }

  /// Of what is decoded from here on, only those rows are the stream's.
  void AddSteps(const PageSelection::Steps& steps) {
    if (projection_.column() < 0) return;
    for (const RowStep& step : steps.steps) {
      steps_.push_back({std::exchange(trailing_, 0) + step.drop, step.keep});
    }
    trailing_ += steps.rest;
    is_cut_ = true;
  }

 protected:
  /// Decodes the next rows and appends them to `parts`, or drops them if that is null.
  virtual arrow::Status Decode(int64_t, arrow::ArrayVector*) { return arrow::Status::OK(); }

  const ColumnProjection& projection() const { return projection_; }
  arrow::MemoryPool* pool() const { return pool_; }

  arrow::Status CheckRows(int64_t given, int64_t wanted) const {
    if (given == wanted) return arrow::Status::OK();
    return arrow::Status::Invalid("the pages of column '", projection_.name(), "' end ",
                                  wanted - given, " rows before the footer says they do");
  }

 private:
  arrow::Status Pull(int64_t rows, arrow::ArrayVector* parts) {
    if (!is_cut_) return Decode(rows, parts);
    while (rows > 0) {
      RowStep& step = steps_.front();
      if (step.drop > 0) ARROW_RETURN_NOT_OK(Decode(std::exchange(step.drop, 0), nullptr));
      const int64_t count = std::min(rows, step.keep);
      ARROW_RETURN_NOT_OK(Decode(count, parts));
      step.keep -= count;
      rows -= count;
      if (step.keep == 0) steps_.pop_front();
    }
    return arrow::Status::OK();
  }

  const ColumnProjection& projection_;
  arrow::MemoryPool* pool_;
  bool is_cut_ = false;  // else all that is decoded is the stream's
  std::deque<RowStep> steps_;
  int64_t trailing_ = 0;  // rows to drop after the last step
};

/// A column of which every leaf is wanted. Arrow gives exactly as many rows of it as asked for.
class ColumnStream::WholeColumn : public Column {
 public:
  WholeColumn(const ColumnProjection& projection, arrow::MemoryPool* pool,
              std::unique_ptr<parquet::arrow::ColumnReader> reader)
      : Column(projection, pool), reader_(std::move(reader)) {}

 protected:
  // What is passed over need not be held at once, so that is decoded in steps.
  arrow::Status Decode(int64_t rows, arrow::ArrayVector* parts) override {
    if (parts != nullptr) {
      ARROW_ASSIGN_OR_RAISE(const auto chunks, DecodeChunks(rows));
      parts->insert(parts->end(), chunks->chunks().begin(), chunks->chunks().end());
      return arrow::Status::OK();
    }
    while (rows > 0) {
      const int64_t step = std::min(rows, kSkipRows);
      ARROW_RETURN_NOT_OK(DecodeChunks(step));
      rows -= step;
    }
    return arrow::Status::OK();
  }

 private:
  static constexpr int64_t kSkipRows = 16384;

  arrow::Result<std::shared_ptr<arrow::ChunkedArray>> DecodeChunks(int64_t rows) {
    std::shared_ptr<arrow::ChunkedArray> chunks;
    ARROW_RETURN_NOT_OK(CatchParquet([&] { return reader_->NextBatch(rows, &chunks); }));
    ARROW_RETURN_NOT_OK(CheckRows(chunks == nullptr ? 0 : chunks->length(), rows));
    return chunks;
  }

  std::unique_ptr<parquet::arrow::ColumnReader> reader_;
};

/// A column of which some leaves are wanted. Only Arrow's record batch readers can leave leaves
/// out, and their batches have a size of their own, so that what is left of one is kept.
class ColumnStream::PartialColumn : public Column {
 public:
  PartialColumn(const ColumnProjection& projection, arrow::MemoryPool* pool,
                std::unique_ptr<arrow::RecordBatchReader> reader)
      : Column(projection, pool), reader_(std::move(reader)) {}

 protected:
  arrow::Status Decode(int64_t rows, arrow::ArrayVector* parts) override {
    int64_t left = rows;
    while (left > 0) {
      if (rest_ == nullptr || rest_->length() == 0) ARROW_RETURN_NOT_OK(Refill());
      ARROW_RETURN_NOT_OK(CheckRows(rest_ == nullptr ? rows - left : rows, rows));
      const int64_t step = std::min(left, rest_->length());
      if (parts != nullptr) parts->push_back(rest_->Slice(0, step));
      rest_ = rest_->Slice(step);
      left -= step;
    }
    return arrow::Status::OK();
  }

 private:
  arrow::Status Refill() {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(CatchParquet([&] { return reader_->ReadNext(&batch); }));
    rest_ = batch == nullptr ? nullptr : batch->column(0);
    return arrow::Status::OK();
  }

  std::unique_ptr<arrow::RecordBatchReader> reader_;
  ArrayPtr rest_;
};

ColumnStream::ColumnStream(std::vector<RowGroupSpan> spans) : map_(std::move(spans)) {}
ColumnStream::~ColumnStream() = default;

arrow::Result<std::unique_ptr<ColumnStream>> ColumnStream::Make(
    ParquetFile* file, std::vector<RowGroupSpan> spans,
    const std::vector<const ColumnProjection*>& columns, int64_t batch_rows,
    const RowGroupPages* pages) {
  std::unique_ptr<ColumnStream> stream(new ColumnStream(std::move(spans)));
  stream->file_ = file;
  stream->reads_pages_ = std::any_of(columns.begin(), columns.end(),
                                     [](const auto* column) { return column->column() >= 0; });
  if (stream->reads_pages_) ARROW_RETURN_NOT_OK(stream->OpenReader(columns, batch_rows, pages));
  for (const ColumnProjection* column : columns) ARROW_RETURN_NOT_OK(stream->AddColumn(*column));
  stream->by_cost_ = ByCost(columns, file->metadata());
  return stream;
}

arrow::Status ColumnStream::OpenReader(const std::vector<const ColumnProjection*>& columns,
                                       int64_t batch_rows, const RowGroupPages* pages) {
  const std::vector<RowGroupSpan> spans = map_.SpansOf(0, map_.groups());
  const bool takes_all = std::all_of(spans.begin(), spans.end(), [&](const RowGroupSpan& span) {
    return span.rows == file_->row_groups()[span.index].rows;
  });
  if (!takes_all) {
    pages_ = std::make_unique<PageSelection>(file_, spans, SharedLeaves(columns), pages);
  }
  std::vector<int> indices;
  for (size_t group = 0; group < map_.groups(); ++group) indices.push_back(map_.index(group));
  ARROW_ASSIGN_OR_RAISE(reader_, file_->MakeReader(indices, batch_rows, pages_.get()));
  return arrow::Status::OK();
}

arrow::Status ColumnStream::AddColumn(const ColumnProjection& projection) {
  arrow::MemoryPool* pool = file_->pool();
  if (projection.column() < 0) {
    columns_.push_back(std::make_unique<Column>(projection, pool));
    return arrow::Status::OK();
  }
  const auto& int96 = projection.int96_leaves();
  int96_leaves_.insert(int96_leaves_.end(), int96.begin(), int96.end());
  return CatchParquet([&]() -> arrow::Status {
    if (projection.is_whole()) {
      std::unique_ptr<parquet::arrow::ColumnReader> reader;
      ARROW_RETURN_NOT_OK(reader_->GetColumn(projection.column(), &reader));
      columns_.push_back(std::make_unique<WholeColumn>(projection, pool, std::move(reader)));
      return arrow::Status::OK();
    }
    std::vector<int> groups(map_.groups());
    std::iota(groups.begin(), groups.end(), 0);
    ARROW_ASSIGN_OR_RAISE(auto reader, reader_->GetRecordBatchReader(groups, projection.leaves()));
    columns_.push_back(std::make_unique<PartialColumn>(projection, pool, std::move(reader)));
    return arrow::Status::OK();
  });
}

arrow::Result<arrow::ArrayVector> ColumnStream::Next(int64_t rows) {
  ARROW_RETURN_NOT_OK(EnterRowGroups(position_ + rows));
  arrow::ArrayVector arrays(columns_.size());
  ARROW_RETURN_NOT_OK(
      ForEachColumn([&](size_t i) { return columns_[i]->Next(rows).Value(&arrays[i]); }));
  position_ += rows;
  return arrays;
}

arrow::Status ColumnStream::Skip(int64_t rows) {
  if (rows == 0) return arrow::Status::OK();
  ARROW_RETURN_NOT_OK(EnterRowGroups(position_ + rows));
  ARROW_RETURN_NOT_OK(ForEachColumn([&](size_t i) { return columns_[i]->Skip(rows); }));
  position_ += rows;
  return arrow::Status::OK();
}

// On several threads every column runs, whatever became of dearer ones: the first error counts.
arrow::Status ColumnStream::ForEachColumn(const std::function<arrow::Status(size_t)>& call) {
  if (file_->tasks() == nullptr) return ForEach(nullptr, columns_.size(), call);
  std::vector<arrow::Status> results(columns_.size());
  ARROW_RETURN_NOT_OK(ForEach(file_->tasks(), columns_.size(), [&](size_t i) {
    results[by_cost_[i]] = call(by_cost_[i]);
    return arrow::Status::OK();
  }));
  for (arrow::Status& result : results) ARROW_RETURN_NOT_OK(std::move(result));
  return arrow::Status::OK();
}

arrow::Status ColumnStream::EnterRowGroups(int64_t until_row) {
  if (!reads_pages_) return arrow::Status::OK();
  while (next_group_ < map_.groups() && map_.start(next_group_) < until_row) {
    ARROW_RETURN_NOT_OK(EnterRowGroup(next_group_++));
  }
  return arrow::Status::OK();
}

arrow::Status ColumnStream::EnterRowGroup(size_t group) {
  file_->CountRead(map_.index(group));
  if (pages_ != nullptr) {
    // Columns may be a batch ahead of the stream, but none is behind it.
    pages_->ForgetBefore(map_.GroupOf(position_));
    for (size_t i = 0; i < columns_.size(); ++i) {
      ARROW_ASSIGN_OR_RAISE(const auto steps, pages_->StepsOf(group, i));
      columns_[i]->AddSteps(steps);
    }
  }
  return CheckInt96(static_cast<int>(group));
}

// Arrow turns INT96 into microseconds without looking whether they fit, so the raw values are
// looked at first. Only files of old Hive, Impala and Spark have them.
arrow::Status ColumnStream::CheckInt96(int row_group) {
  for (const int leaf : int96_leaves_) {
    ARROW_RETURN_NOT_OK(CatchParquet([&]() -> arrow::Status {
      const auto group = reader_->parquet_reader()->RowGroup(row_group);
      const auto column = group->Column(leaf);
      auto* reader = dynamic_cast<parquet::Int96Reader*>(column.get());
      if (reader == nullptr) return arrow::Status::Invalid("leaf ", leaf, " is not INT96");
      return CheckInt96Column(reader);
    }));
  }
  return arrow::Status::OK();
}

}  // namespace esker
