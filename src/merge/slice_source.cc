#include "merge/slice_source.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "base/status.h"
#include "merge/key_batch.h"
#include "merge/key_encoder.h"
#include "merge/nan_block.h"
#include "merge/row_gather.h"

namespace esker {
namespace {

/// Rows [begin, end) of a batch.
struct RowSpan {
  int64_t begin = 0;
  int64_t end = 0;

  bool empty() const { return begin >= end; }
};

class SliceSource : public Source {
 public:
  SliceSource(std::unique_ptr<Source> input, SortKeys keys, KeySlice slice, SlicedFile file,
              KeyEncoder encoder, arrow::MemoryPool* pool)
      : input_(std::move(input)),
        keys_(std::move(keys)),
        slice_(std::move(slice)),
        file_(std::move(file)),
        encoder_(std::move(encoder)),
        pool_(pool),
        front_(MayBeginWithNan(keys_), keys_[0].nulls_first) {}

  arrow::Status EncodeCuts() {
    if (!slice_.lower.empty()) {
      ARROW_ASSIGN_OR_RAISE(lower_, encoder_.EncodeLower(slice_.lower));
    }
    if (!slice_.upper.empty()) {
      ARROW_ASSIGN_OR_RAISE(upper_, encoder_.EncodeLower(slice_.upper));
    }
    inside_ = slice_.lower.empty();
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() override {
    ARROW_RETURN_NOT_OK(failed_);
    auto keys = Next();
    if (!keys.ok()) failed_ = keys.status();
    return keys;
  }

  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) override {
    ARROW_RETURN_NOT_OK(failed_);
    arrow::RecordBatchVector taken;
    while (rows > 0) {
      ARROW_RETURN_NOT_OK(SkipTo(InputRow(taken_)));
      const int64_t count = std::min(rows, EndOfStretch(taken_) - taken_);
      ARROW_ASSIGN_OR_RAISE(auto batches, input_->Take(count));
      taken.insert(taken.end(), batches.begin(), batches.end());
      taken_ += count;
      input_taken_ += count;
      rows -= count;
    }
    return taken;
  }

  RowPlace Place(int64_t row) const override { return input_->Place(InputRow(row)); }
  SourceMemory memory() const override { return input_->memory(); }

 private:
  // Own rows from `first` on are those of the input with `skipped` more in front.
  struct Stretch {
    int64_t first;
    int64_t skipped;
  };

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Next() {
    while (!at_end_) {
      ARROW_ASSIGN_OR_RAISE(const auto keys, input_->NextKeys());
      if (keys == nullptr) break;
      ARROW_ASSIGN_OR_RAISE(const auto spans, InsideOf(*keys));
      input_given_ += keys->num_rows();
      arrow::RecordBatchVector pieces;
      for (const RowSpan& span : spans) {
        if (!span.empty()) pieces.push_back(keys->Slice(span.begin, span.end - span.begin));
      }
      if (!pieces.empty()) return JoinBatches(pieces, pool_);
    }
    at_end_ = true;
    return nullptr;
  }

  // The rows of the batch that are inside, in order; counts them as given.
  arrow::Result<std::vector<RowSpan>> InsideOf(const arrow::RecordBatch& keys) {
    const int64_t rows = keys.num_rows();
    const NanFront::Block block = front_.Find(*keys.column(0));
    if (inside_ && block.begin == block.end) {
      ARROW_ASSIGN_OR_RAISE(const bool ends, ReachesUpper(keys));
      if (!ends) return std::vector<RowSpan>{Give({0, rows})};
    }
    ARROW_ASSIGN_OR_RAISE(const KeyBatch batch, encoder_.Encode(keys));
    std::vector<RowSpan> spans;
    ARROW_RETURN_NOT_OK(CutSorted(batch, {0, block.begin}, &spans));
    if (block.begin < block.end) ARROW_RETURN_NOT_OK(CutBlock(batch, block, &spans));
    ARROW_RETURN_NOT_OK(CutSorted(batch, {block.end, rows}, &spans));
    return spans;
  }

  // Where the last row is inside, so are all, or the batch is not in order: its reader will see.
  arrow::Result<bool> ReachesUpper(const arrow::RecordBatch& keys) const {
    if (upper_.rows == 0) return false;
    ARROW_ASSIGN_OR_RAISE(const KeyBatch last, encoder_.Encode(*keys.Slice(keys.num_rows() - 1)));
    return IsAfter({&last, 0});
  }

  bool IsBefore(KeyRow row) const { return lower_.rows > 0 && CompareKeys(row, {&lower_, 0}) < 0; }
  bool IsAfter(KeyRow row) const { return upper_.rows > 0 && CompareKeys(row, {&upper_, 0}) >= 0; }

  // One row after the other: a binary search would trust an order that nobody has verified.
  arrow::Status CutSorted(const KeyBatch& batch, RowSpan span, std::vector<RowSpan>* spans) {
    if (at_end_) return arrow::Status::OK();
    int64_t row = span.begin;
    if (!inside_) {
      while (row < span.end && IsBefore({&batch, row})) ++row;
      if (row > span.begin && file_.place.begins) return Outside({&batch, span.begin}, true);
      inside_ = row < span.end;
    }
    const int64_t begin = row;
    while (row < span.end && !IsAfter({&batch, row})) ++row;
    if (begin < row) spans->push_back(Give({begin, row}));
    at_end_ = row < span.end;
    return at_end_ && file_.place.ends ? Outside({&batch, row}, false) : arrow::Status::OK();
  }

  // NaN rows in front are one key as far as a cut is concerned, and say nothing of where we are.
  arrow::Status CutBlock(const KeyBatch& batch, NanFront::Block block,
                         std::vector<RowSpan>* spans) {
    const KeyRow first{&batch, block.begin};
    if (IsBefore(first)) {
      return file_.place.begins ? Outside(first, true) : arrow::Status::OK();
    }
    if (IsAfter(first)) return file_.place.ends ? Outside(first, false) : arrow::Status::OK();
    spans->push_back(Give({block.begin, block.end}));
    return arrow::Status::OK();
  }

  // Notes that those rows of the batch at hand are given.
  RowSpan Give(RowSpan span) {
    const int64_t skipped = input_given_ + span.begin - given_;
    if (stretches_.empty() || stretches_.back().skipped != skipped) {
      stretches_.push_back({given_, skipped});
    }
    given_ += span.end - span.begin;
    return span;
  }

  size_t StretchOf(int64_t row) const {
    size_t i = stretches_.size();
    while (i > 1 && stretches_[i - 1].first > row) --i;
    return i - 1;
  }
  int64_t InputRow(int64_t row) const {
    return stretches_.empty() ? row : row + stretches_[StretchOf(row)].skipped;
  }
  int64_t EndOfStretch(int64_t row) const {
    const size_t next = StretchOf(row) + 1;
    return next < stretches_.size() ? stretches_[next].first : given_;
  }

  arrow::Status SkipTo(int64_t input_row) {
    if (input_row == input_taken_) return arrow::Status::OK();
    ARROW_RETURN_NOT_OK(input_->Skip(input_row - input_taken_));
    input_taken_ = input_row;
    return arrow::Status::OK();
  }

  arrow::Status Outside(KeyRow row, bool is_before) const {
    const RowPlace place = input_->Place(input_given_ + row.row);
    std::string where = place.file;
    if (place.row_group >= 0) where += ", row group " + std::to_string(place.row_group);
    if (place.row >= 0) where += ", row " + std::to_string(place.row);
    const Corner& corner = is_before ? file_.range.lower : file_.range.upper;
    return DisorderError(where, ": key ", encoder_.ToString(row), " is outside the bounds of the ",
                         "file: the metadata says that no row of it comes ",
                         is_before ? "before " : "after ", esker::ToString(keys_, corner),
                         ", so the split that should hold the row does not read the file");
  }

  std::unique_ptr<Source> input_;
  const SortKeys keys_;
  const KeySlice slice_;
  const SlicedFile file_;
  const KeyEncoder encoder_;
  arrow::MemoryPool* pool_;
  NanFront front_;
  KeyBatch lower_;  // one row each; none: that end is open
  KeyBatch upper_;

  bool inside_ = false;  // a row has been seen that is not before the slice
  bool at_end_ = false;
  std::vector<Stretch> stretches_;  // a few: cuts and blocks make them
  int64_t given_ = 0;               // own rows
  int64_t taken_ = 0;
  int64_t input_given_ = 0;  // rows of the input before the batch at hand
  int64_t input_taken_ = 0;
  arrow::Status failed_;
};

}  // namespace

arrow::Result<std::unique_ptr<Source>> MakeSliceSource(std::unique_ptr<Source> input, SortKeys keys,
                                                       KeySlice slice, SlicedFile file,
                                                       arrow::MemoryPool* pool) {
  if (pool == nullptr) pool = arrow::default_memory_pool();
  ARROW_ASSIGN_OR_RAISE(auto encoder, KeyEncoder::Make(keys, pool));
  auto source = std::make_unique<SliceSource>(std::move(input), std::move(keys), std::move(slice),
                                              std::move(file), std::move(encoder), pool);
  ARROW_RETURN_NOT_OK(source->EncodeCuts());
  return source;
}

}  // namespace esker
