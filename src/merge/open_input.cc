// Open input: reading ahead, verifying and taking rows of one source.
#include "merge/open_input.h"

#include <utility>
#include <vector>

#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "base/status.h"
#include "merge/nan_block.h"
#include "merge/order_check.h"

namespace esker {
namespace {

std::string ToString(const RowPlace& place) {
  std::string text = place.file;
  if (place.row_group >= 0) text += ", row group " + std::to_string(place.row_group);
  if (place.row >= 0) text += ", row " + std::to_string(place.row);
  return text;
}

}  // namespace

OpenInput::OpenInput(const MergeContext& context, Identity identity, std::unique_ptr<Source> source)
    : context_(context),
      identity_(std::move(identity)),
      source_(std::move(source)),
      charge_(context.budget.get(), source_->memory().held_bytes) {
  keys_.words = context.encoder.layout().words;
  if (identity_.kind != Kind::kFile || !context.may_begin_with_nan) return;
  const bool nulls_first = context.encoder.layout().parts[0].key.nulls_first;
  auto wrapped = std::make_unique<NanBlockSource>(std::move(source_), nulls_first, context.schema,
                                                  context.spill, context.pool, context.counters);
  nan_source_ = wrapped.get();
  source_ = std::move(wrapped);
}

OpenInput::~OpenInput() = default;

arrow::Result<std::unique_ptr<OpenInput>> OpenInput::TakeNanBlock() {
  if (nan_source_ == nullptr) return nullptr;
  ARROW_ASSIGN_OR_RAISE(auto block, nan_source_->TakeBlock());
  if (block == nullptr) return nullptr;
  Identity identity{Kind::kBlock, identity_.claim, {}, 0};
  return std::make_unique<OpenInput>(context_, std::move(identity), std::move(block));
}

arrow::Status OpenInput::Refill(int64_t rows) {
  std::vector<KeyBatch> parts;
  int64_t waiting = this->rows();
  while (waiting < rows && !at_end_) {
    KeyBatch keys;
    ARROW_RETURN_NOT_OK(Read(&keys));
    if (at_end_) break;
    waiting += keys.rows;
    parts.push_back(std::move(keys));
  }
  if (parts.empty()) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(keys_, JoinKeys(keys_, begin_, keys_.rows, parts, context_.pool));
  begin_ = 0;
  return arrow::Status::OK();
}

arrow::Status OpenInput::Read(KeyBatch* keys) {
  ARROW_ASSIGN_OR_RAISE(auto columns, source_->NextKeys());
  if (columns == nullptr) {
    at_end_ = true;
    return arrow::Status::OK();
  }
  if (columns->num_rows() == 0) return arrow::Status::Invalid("a source gave an empty key batch");
  ARROW_ASSIGN_OR_RAISE(*keys, context_.encoder.Encode(*columns));
  ARROW_RETURN_NOT_OK(Verify(*keys));
  given_ += keys->rows;
  ARROW_ASSIGN_OR_RAISE(last_key_, JoinKeys(*keys, keys->rows - 1, keys->rows, {}, context_.pool));
  if (context_.keep_key_rows) key_rows_.push_back(std::move(columns));
  return arrow::Status::OK();
}

arrow::Status OpenInput::Verify(const KeyBatch& keys) const {
  const KeyRow first{&keys, 0};
  if (last_key_.rows > 0) {
    const KeyRow last{&last_key_, 0};
    if (CompareKeys(first, last) < 0) return Inversion(last, first, given_);
  }
  const int64_t row = FindInversion(keys);
  if (row < 0) return arrow::Status::OK();
  return Inversion({&keys, row - 1}, {&keys, row}, given_ + row);
}

arrow::Status OpenInput::Inversion(KeyRow before, KeyRow row, int64_t row_number) const {
  return DisorderError(ToString(source_->Place(row_number)), ": key ",
                       context_.encoder.ToString(row), " comes after ",
                       context_.encoder.ToString(before),
                       ", which breaks the order that the file claims (", identity_.claim, ")");
}

arrow::Status OpenInput::HeadError(const std::string& what) const {
  const RowPlace place = source_->Place(given_ - rows());
  return DisorderError(ToString(place), ": key ", context_.encoder.ToString(head()), " ", what,
                       " (order claimed: ", identity_.claim, ")");
}

arrow::Status OpenInput::Take(int64_t count, arrow::RecordBatchVector* rows,
                              arrow::RecordBatchVector* keys) {
  ARROW_ASSIGN_OR_RAISE(*rows, source_->Take(count));
  ARROW_RETURN_NOT_OK(CheckTaken(*rows, count));
  begin_ += count;
  if (!context_.keep_key_rows) return arrow::Status::OK();
  arrow::RecordBatchVector taken = TakeKeyRows(count);
  if (keys != nullptr) *keys = std::move(taken);
  return arrow::Status::OK();
}

arrow::Status OpenInput::CheckTaken(const arrow::RecordBatchVector& batches, int64_t count) const {
  int64_t rows = 0;
  for (const auto& batch : batches) {
    rows += batch->num_rows();
    if (batch->schema() == context_.schema) continue;
    if (!batch->schema()->Equals(*context_.schema, /*check_metadata=*/false)) {
      return arrow::Status::Invalid("a source gave columns ", batch->schema()->ToString(),
                                    " instead of ", context_.schema->ToString());
    }
  }
  if (rows == count) return arrow::Status::OK();
  return arrow::Status::Invalid("a source gave ", rows, " rows instead of ", count);
}

arrow::RecordBatchVector OpenInput::TakeKeyRows(int64_t count) {
  arrow::RecordBatchVector taken;
  while (count > 0) {
    auto& front = key_rows_.front();
    if (front->num_rows() <= count) {
      count -= front->num_rows();
      taken.push_back(std::move(front));
      key_rows_.pop_front();
    } else {
      taken.push_back(front->Slice(0, count));
      front = front->Slice(count);
      count = 0;
    }
  }
  return taken;
}

bool OpenInput::MissesUpper() const {
  if (identity_.upper.rows == 0 || last_key_.rows == 0) return false;
  return CompareKeys({&last_key_, 0}, {&identity_.upper, 0}) > 0;
}

}  // namespace esker
