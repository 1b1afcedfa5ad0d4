#include "read/block_source.h"

#include <algorithm>
#include <utility>

#include "arrow/array.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "base/status.h"

namespace esker {
namespace {

std::shared_ptr<arrow::Schema> KeySchema(const OpenedFile& opened) {
  arrow::FieldVector fields;
  for (size_t i = 0; i < opened.columns->keys.size(); ++i) {
    const ScanColumn& column = opened.columns->columns[opened.columns->keys[i]];
    fields.push_back(arrow::field(opened.request->keys[i].name, column.projection.type()));
  }
  return arrow::schema(std::move(fields));
}

}  // namespace

BlockSource::BlockSource(OpenedFile opened)
    : opened_(std::move(opened)), map_(opened_.row_groups), key_schema_(KeySchema(opened_)) {}

BlockSource::~BlockSource() = default;

// After an error a source stays failed; the file is named once.
template <typename T>
arrow::Result<T> BlockSource::KeepError(arrow::Result<T> result) {
  if (result.ok()) return result;
  failure_ = WithPlace(result.status(), opened_.task.file.path);
  return failure_;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BlockSource::NextKeys() {
  ARROW_RETURN_NOT_OK(failure_);
  return KeepError(NextKeysUnchecked());
}

arrow::Result<arrow::RecordBatchVector> BlockSource::Take(int64_t rows) {
  ARROW_RETURN_NOT_OK(failure_);
  return KeepError(TakeUnchecked(rows));
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BlockSource::NextKeysUnchecked() {
  ARROW_ASSIGN_OR_RAISE(std::optional<RowBlock> next, NextBlock());
  if (!next.has_value()) return nullptr;
  RowBlock& block = blocks_.emplace_back(*std::move(next));
  block.first_row = rows_given_;
  rows_given_ += block.selection.length;
  arrow::ArrayVector keys;
  for (const int index : opened_.columns->keys) keys.push_back(block.columns[index]);
  return arrow::RecordBatch::Make(key_schema_, block.selection.length, std::move(keys));
}

arrow::Status BlockSource::Skip(int64_t rows) {
  ARROW_RETURN_NOT_OK(failure_);
  ARROW_RETURN_NOT_OK(CheckGiven(rows));
  while (rows > 0) {
    const int64_t count = std::min(rows, blocks_.front().left());
    CountTaken(count);
    rows -= count;
  }
  return arrow::Status::OK();
}

arrow::Status BlockSource::CheckGiven(int64_t rows) const {
  if (rows >= 0 && rows <= rows_given_ - rows_taken_) return arrow::Status::OK();
  return arrow::Status::Invalid("cannot take ", rows, " rows of ", rows_given_ - rows_taken_);
}

void BlockSource::CountTaken(int64_t rows) {
  RowBlock& block = blocks_.front();
  rows_taken_ += rows;
  block.taken += rows;
  last_taken_ = Place(rows_taken_ - 1);
  if (block.left() == 0) blocks_.pop_front();
}

arrow::Result<arrow::RecordBatchVector> BlockSource::TakeUnchecked(int64_t rows) {
  ARROW_RETURN_NOT_OK(CheckGiven(rows));
  arrow::RecordBatchVector batches;
  for (int64_t left = rows; left > 0;) {
    RowBlock& block = blocks_.front();
    const int64_t count = std::min(left, block.left());
    ARROW_ASSIGN_OR_RAISE(auto batch, TakeFrom(&block, count));
    batches.push_back(std::move(batch));
    left -= count;
    CountTaken(count);
  }
  return batches;
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> BlockSource::TakeFrom(RowBlock* block,
                                                                         int64_t rows) {
  arrow::ArrayVector lazy;
  if (!opened_.columns->lazy.empty()) {
    ARROW_ASSIGN_OR_RAISE(lazy, TakeLazy(block, rows));
  }
  arrow::ArrayVector output;
  for (const int index : opened_.columns->output) {
    const auto& eager = block->columns[index];
    output.push_back(eager != nullptr ? eager->Slice(block->taken, rows) : lazy[index]);
  }
  return arrow::RecordBatch::Make(opened_.request->output_schema, rows, std::move(output));
}

RowPlace BlockSource::Place(int64_t row) const {
  RowPlace place;
  place.file = opened_.task.file.path;
  for (const RowBlock& block : blocks_) {
    const int64_t i = row - block.first_row;
    if (i < 0 || i >= block.selection.length) continue;
    const int64_t stream_row = block.first_stream_row + block.selection.index(i);
    place.row_group = map_.index(map_.GroupOf(stream_row));
    place.row = map_.PositionOf(stream_row);
    return place;
  }
  return row == rows_taken_ - 1 ? last_taken_ : place;
}

bool BlockSource::HasPositions(std::span<const int> indices) const {
  return std::any_of(indices.begin(), indices.end(), [&](int index) {
    return opened_.columns->columns[index].lineage != ScanColumn::Lineage::kNone;
  });
}

arrow::Result<arrow::ArrayVector> BlockSource::Decode(ColumnStream* stream,
                                                      std::span<const int> indices, int64_t rows,
                                                      std::span<const int64_t> positions) {
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector decoded, stream->Next(rows));
  arrow::ArrayVector columns(opened_.columns->columns.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const ScanColumn& column = opened_.columns->columns[indices[i]];
    ARROW_ASSIGN_OR_RAISE(columns[indices[i]], FinishColumn(column, std::move(decoded[i]),
                                                            positions, opened_.task, pool()));
  }
  return columns;
}

arrow::Result<RowBlock> BlockSource::DecodeBlock(ColumnStream* stream, int64_t first_stream_row,
                                                 int64_t rows) {
  RowBlock block;
  block.first_stream_row = first_stream_row;
  std::vector<int64_t> positions;
  if (opened_.deletes.positions != nullptr || HasPositions(opened_.columns->eager)) {
    positions = map_.PositionsOf(first_stream_row, rows);
  }
  ARROW_ASSIGN_OR_RAISE(block.columns, Decode(stream, opened_.columns->eager, rows, positions));
  const auto& filter = opened_.request->filter;
  ARROW_ASSIGN_OR_RAISE(
      block.selection, SelectRows(rows, positions, block.columns, *opened_.columns, opened_.deletes,
                                  filter.has_value() ? &*filter : nullptr, pool()));
  return block;
}

arrow::Status BlockSource::Compact(RowBlock* block) const {
  if (block->selection.indices == nullptr) return arrow::Status::OK();
  for (auto& column : block->columns) {
    if (column == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(
        column, TakeSelected(column, block->selection, 0, block->selection.length, 0, pool()));
  }
  return arrow::Status::OK();
}

arrow::Result<arrow::ArrayVector> BlockSource::DecodeLazy(ColumnStream* stream,
                                                          int64_t first_stream_row, int64_t rows,
                                                          const RowBlock& block, int64_t from,
                                                          int64_t count) {
  std::vector<int64_t> positions;
  if (HasPositions(opened_.columns->lazy)) positions = map_.PositionsOf(first_stream_row, rows);
  ARROW_ASSIGN_OR_RAISE(arrow::ArrayVector columns,
                        Decode(stream, opened_.columns->lazy, rows, positions));
  for (auto& column : columns) {
    if (column == nullptr) continue;
    ARROW_ASSIGN_OR_RAISE(column, TakeSelected(column, block.selection, from, count,
                                               first_stream_row - block.first_stream_row, pool()));
  }
  return columns;
}

}  // namespace esker
