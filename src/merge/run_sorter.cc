// Run sorter: chunks of whole stretches, sorted in memory or as runs.
//
// Terms: a *stretch* is a series of rows that are equal in the first `satisfied` keys (all rows of
// the file if that is 0). Stretches are in order already, so a *chunk* of whole stretches may be
// sorted at once by all keys; sorting many small stretches one by one would come to the same. A
// stretch that is larger than the budget is cut into *runs*, each sorted on its own, kept in
// memory while they fit and on disk beyond, and merged in the end.
//
//     rows      1 1 1 2 2 | 2 2 3 3        prefixes of two batches
//     chunk     '-----' '-----' ...        stretch 2 is whole once 3 is seen; 3 waits for more
#include "merge/run_sorter.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/array/array_primitive.h"
#include "arrow/array/builder_primitive.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/byte_size.h"
#include "base/status.h"
#include "merge/key_encoder.h"
#include "merge/lazy_merge.h"
#include "merge/memory_source.h"
#include "merge/order_check.h"
#include "merge/row_gather.h"
#include "merge/slice_filter.h"
#include "merge/sort_rows.h"

namespace esker {
namespace {

/// Rows of whole stretches that make a chunk: enough that sorting and picking pay.
constexpr int64_t kChunkRows = 65536;
/// Rows of a batch of the sorted source.
constexpr int64_t kBatchRows = 16384;
/// The largest run, whatever the budget: row numbers and string offsets must fit 31 bits.
constexpr int64_t kLargestRunBytes = int64_t{1} << 30;
constexpr int64_t kLargestRunRows = int64_t{1} << 28;
/// Runs that are merged at once, if the budget allows; more are merged in passes.
constexpr int32_t kMostOpenRuns = 64;
/// The least that it allows.
constexpr int32_t kLeastOpenRuns = 4;
/// So many runs on disk are merged to one as soon as they are there: a run keeps a file open.
constexpr size_t kRunsOfALevel = 64;

/// Gives `batch` in slices.
NextBatch SliceBatch(std::shared_ptr<arrow::RecordBatch> batch) {
  return [batch = std::move(batch),
          row = int64_t{0}]() mutable -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    if (batch == nullptr) return nullptr;
    auto slice = batch->Slice(row, kBatchRows);
    row += slice->num_rows();
    if (row == batch->num_rows()) batch.reset();
    return slice;
  };
}

int64_t CountRows(const arrow::RecordBatchVector& batches) {
  int64_t rows = 0;
  for (const auto& batch : batches) rows += batch->num_rows();
  return rows;
}

class SortedSource : public Source {
 public:
  SortedSource(std::unique_ptr<Source> input, SortKeys keys, size_t satisfied, KeyEncoder encoder,
               KeyEncoder prefix_encoder, SliceFilter filter,
               std::shared_ptr<arrow::Schema> output_schema, SpillOptions spill,
               arrow::MemoryPool* pool, std::shared_ptr<ScanCounters> counters)
      : input_(std::move(input)),
        keys_(std::move(keys)),
        satisfied_(satisfied),
        encoder_(std::move(encoder)),
        prefix_encoder_(std::move(prefix_encoder)),
        filter_(std::move(filter)),
        output_schema_(std::move(output_schema)),
        spill_(std::move(spill)),
        pool_(pool),
        counters_(std::move(counters)) {
    memory_ = input_->memory();
    memory_.held_bytes += spill_.memory_bytes;
    file_ = input_->Place(0).file;
    const int key_columns = static_cast<int>(keys_.size());
    rows_ = MakeBatchSource([this] { return NextSorted(); }, {key_columns, key_columns},
                            output_schema_, RowPlace());
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextKeys() override {
    ARROW_RETURN_NOT_OK(failed_);
    auto keys = rows_->NextKeys();
    if (!keys.ok()) {
      failed_ = keys.status();
      LetGo();
    }
    return keys;
  }

  arrow::Result<arrow::RecordBatchVector> Take(int64_t rows) override {
    ARROW_RETURN_NOT_OK(failed_);
    return rows_->Take(rows);
  }

  // Read while the sorter fills up, the input costs what it costs, and the sorter its budget.
  SourceMemory memory() const override { return memory_; }

  // Where a row stood before it was sorted is not kept.
  RowPlace Place(int64_t) const override { return {file_, -1, -1}; }

 private:
  static constexpr int kInMemory = -1;

  struct Run {
    NextBatch next;
    int level;  // kInMemory, or on disk: how many times its rows have been merged
  };

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextSorted() {
    while (true) {
      if (sorted_ != nullptr) {
        ARROW_ASSIGN_OR_RAISE(auto batch, sorted_());
        if (batch != nullptr) return batch;
        EndChunk();
      }
      if (input_ == nullptr && buffer_.empty()) return nullptr;
      ARROW_RETURN_NOT_OK(FillChunk());
      if (whole_rows_ > 0 || !runs_.empty()) ARROW_RETURN_NOT_OK(SortChunk());
    }
  }

  /// Reads until the buffer begins with a chunk of whole stretches.
  arrow::Status FillChunk() {
    while (input_ != nullptr) {
      ARROW_RETURN_NOT_OK(ReadBatch());
      const bool full = !buffer_.empty() &&
                        (buffer_bytes_ >= RunBytes() || CountRows(buffer_) >= kLargestRunRows);
      if (whole_rows_ > 0 && (full || !runs_.empty() || whole_rows_ >= kChunkRows)) break;
      if (full && input_ != nullptr) ARROW_RETURN_NOT_OK(AddRun(std::exchange(buffer_, {})));
    }
    return arrow::Status::OK();
  }

  /// Adds one batch of the input to the buffer, or closes the input at its end.
  arrow::Status ReadBatch() {
    ARROW_ASSIGN_OR_RAISE(auto keys, input_->NextKeys());
    if (keys == nullptr) {
      EndInput();
      return arrow::Status::OK();
    }
    std::optional<std::vector<int32_t>> inside;  // none: all
    if (!filter_.takes_all()) {
      ARROW_ASSIGN_OR_RAISE(const KeyBatch batch, encoder_.Encode(*keys));
      inside = filter_.RowsInside(batch);
      if (std::ssize(*inside) == keys->num_rows()) inside.reset();
    }
    ARROW_RETURN_NOT_OK(FindStretches(*keys, inside));
    given_ += keys->num_rows();
    if (inside.has_value()) {
      ARROW_RETURN_NOT_OK(BufferSome(*keys, *inside));
    } else {
      ARROW_RETURN_NOT_OK(Buffer(keys, nullptr));
    }
    if (last_prefix_.rows > 0 && filter_.IsPast({&last_prefix_, 0})) EndInput();
    return arrow::Status::OK();
  }

  void EndInput() {
    whole_rows_ = CountRows(buffer_);
    input_.reset();
  }

  /// Adds the rows of `keys`, the next of the input, at those indices; null: all of them.
  arrow::Status Buffer(const std::shared_ptr<arrow::RecordBatch>& keys,
                       const std::shared_ptr<arrow::Int32Array>& picked) {
    ARROW_ASSIGN_OR_RAISE(const auto rows, input_->Take(keys->num_rows()));
    if (CountRows(rows) != keys->num_rows()) {
      return arrow::Status::Invalid("a source gave ", CountRows(rows), " rows for ",
                                    keys->num_rows(), " keys");
    }
    if (schema_ == nullptr) {
      arrow::FieldVector fields = keys->schema()->fields();
      for (const auto& field : output_schema_->fields()) fields.push_back(field);
      schema_ = arrow::schema(std::move(fields));
    }
    arrow::RecordBatchVector zipped = ZipBatches({keys}, rows, schema_);
    if (picked != nullptr) {
      ARROW_ASSIGN_OR_RAISE(auto joined, JoinBatches(zipped, pool_));
      ARROW_ASSIGN_OR_RAISE(joined, TakeRows(*joined, *picked, pool_));
      zipped = {std::move(joined)};
    }
    for (auto& batch : zipped) {
      ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*batch));
      buffer_bytes_ += bytes;
      buffer_.push_back(std::move(batch));
    }
    return arrow::Status::OK();
  }

  /// The same for the rows that are inside the slice. What is in front of the first and behind the
  /// last one is not even decoded.
  arrow::Status BufferSome(const arrow::RecordBatch& keys, const std::vector<int32_t>& inside) {
    if (inside.empty()) return input_->Skip(keys.num_rows());
    const int64_t begin = inside.front();
    const int64_t rows = inside.back() + 1 - begin;
    arrow::Int32Builder picked(pool_);
    for (const int32_t row : inside) {
      ARROW_RETURN_NOT_OK(picked.Append(static_cast<int32_t>(row - begin)));
    }
    std::shared_ptr<arrow::Int32Array> indices;
    if (std::ssize(inside) < rows) ARROW_RETURN_NOT_OK(picked.Finish(&indices));
    ARROW_RETURN_NOT_OK(input_->Skip(begin));
    ARROW_RETURN_NOT_OK(Buffer(keys.Slice(begin, rows), indices));
    return input_->Skip(keys.num_rows() - begin - rows);
  }

  /// Verifies the prefix of the next batch and notes where its last stretch begins, among the rows
  /// that are inside the slice (none: all).
  arrow::Status FindStretches(const arrow::RecordBatch& keys,
                              const std::optional<std::vector<int32_t>>& inside) {
    if (satisfied_ == 0) return arrow::Status::OK();
    const auto columns = KeyColumns(keys, static_cast<int>(satisfied_));
    ARROW_ASSIGN_OR_RAISE(const KeyBatch batch, prefix_encoder_.Encode(*columns));
    const KeyRow first{&batch, 0};
    const KeyRow last{&last_prefix_, 0};
    const bool follows = last_prefix_.rows > 0;
    if (follows && CompareKeys(first, last) < 0) return Inversion(last, first, given_);
    if (const int64_t row = FindInversion(batch); row >= 0) {
      return Inversion({&batch, row - 1}, {&batch, row}, given_ + row);
    }
    const int64_t buffered = CountRows(buffer_);
    const std::vector<int64_t> changes = FindChanges(batch);
    if (!changes.empty()) {
      whole_rows_ = buffered + changes.back();
      if (inside.has_value()) {
        whole_rows_ = buffered + (std::lower_bound(inside->begin(), inside->end(), changes.back()) -
                                  inside->begin());
      }
    } else if (follows && CompareKeys(first, last) != 0) {
      whole_rows_ = buffered;
    }
    ARROW_ASSIGN_OR_RAISE(last_prefix_, JoinKeys(batch, batch.rows - 1, batch.rows, {}, pool_));
    return arrow::Status::OK();
  }

  arrow::Status Inversion(KeyRow before, KeyRow row, int64_t number) const {
    const RowPlace place = input_->Place(number);
    return DisorderError(place.file, ", row group ", place.row_group, ", row ", place.row, ": key ",
                         prefix_encoder_.ToString(row), " comes after ",
                         prefix_encoder_.ToString(before),
                         ", which breaks the order that the file claims for its first ", satisfied_,
                         satisfied_ == 1 ? " key" : " keys");
  }

  /// Sorts the whole stretches at the front of the buffer; the rest waits for the next chunk.
  arrow::Status SortChunk() {
    arrow::RecordBatchVector chunk = TakeWhole();
    if (runs_.empty()) {
      ARROW_ASSIGN_OR_RAISE(auto sorted, SortBatches(chunk, encoder_, pool_));
      sorted_ = SliceBatch(std::move(sorted));
      return arrow::Status::OK();
    }
    if (!chunk.empty()) ARROW_RETURN_NOT_OK(AddRun(std::move(chunk)));
    merge_counters_ = std::make_shared<ScanCounters>();
    ARROW_ASSIGN_OR_RAISE(const auto merged, MergeRuns(std::exchange(runs_, {}), merge_counters_));
    sorted_ = [merged]() { return merged->Next(); };
    return arrow::Status::OK();
  }

  /// Takes the first whole_rows_ rows out of the buffer.
  arrow::RecordBatchVector TakeWhole() {
    arrow::RecordBatchVector whole;
    arrow::RecordBatchVector rest;
    for (auto& batch : buffer_) {
      const int64_t rows = std::min(whole_rows_, batch->num_rows());
      whole_rows_ -= rows;
      if (rows > 0) whole.push_back(batch->Slice(0, rows));
      if (rows < batch->num_rows()) rest.push_back(batch->Slice(rows));
    }
    buffer_ = std::move(rest);
    CountBuffer();
    return whole;
  }

  void CountBuffer() {
    buffer_bytes_ = 0;
    for (const auto& batch : buffer_) {
      buffer_bytes_ += arrow::util::ReferencedBufferSize(*batch).ValueOr(0);
    }
  }

  /// Sorts `batches` as one run, which stays in memory if the budget allows.
  arrow::Status AddRun(arrow::RecordBatchVector batches) {
    ARROW_ASSIGN_OR_RAISE(auto sorted, SortBatches(batches, encoder_, pool_));
    batches.clear();
    CountBuffer();
    ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(*sorted));
    const bool all_in_memory = runs_.empty() || runs_.back().level == kInMemory;
    const bool fits =
        spill_.memory_bytes == 0 || memory_run_bytes_ + bytes <= spill_.memory_bytes / 2;
    if (all_in_memory && fits) {
      memory_run_bytes_ += bytes;
      runs_.push_back({SliceBatch(std::move(sorted)), kInMemory});
      return arrow::Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto file, SpillFile::Create(spill_, schema_, pool_, counters_));
    ARROW_RETURN_NOT_OK(file->Write(*sorted));
    sorted.reset();
    ARROW_RETURN_NOT_OK(KeepRun(file.get(), 0));
    return MergeFullLevels();
  }

  /// Adds what was written to `file` to the runs.
  arrow::Status KeepRun(SpillFile* file, int level) {
    ARROW_RETURN_NOT_OK(file->Finish());
    ARROW_ASSIGN_OR_RAISE(NextBatch next, file->Read());
    runs_.push_back({std::move(next), level});
    return arrow::Status::OK();
  }

  /// Counts in levels: kRunsOfALevel runs of one become one of the next, so that there are few
  /// runs at any time and a row is written once for each level.
  arrow::Status MergeFullLevels() {
    while (runs_.size() >= kRunsOfALevel) {
      const auto begin = runs_.end() - kRunsOfALevel;
      const int level = runs_.back().level;
      if (level == kInMemory || begin->level != level) break;
      std::vector<Run> full(std::make_move_iterator(begin), std::make_move_iterator(runs_.end()));
      runs_.erase(begin, runs_.end());
      const auto counters = std::make_shared<ScanCounters>();
      ARROW_ASSIGN_OR_RAISE(const auto merged, MergeRuns(std::move(full), counters));
      ARROW_ASSIGN_OR_RAISE(auto file, SpillFile::Create(spill_, schema_, pool_, counters));
      while (true) {
        ARROW_ASSIGN_OR_RAISE(const auto batch, merged->Next());
        if (batch == nullptr) break;
        ARROW_RETURN_NOT_OK(file->Write(*batch));
      }
      ARROW_RETURN_NOT_OK(KeepRun(file.get(), level + 1));
      CountSpilled(*counters);
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MergeRuns(
      std::vector<Run> runs, std::shared_ptr<ScanCounters> counters) const {
    const int key_columns = static_cast<int>(keys_.size());
    // The runs have their half of the budget; this is for the window.
    const SourceMemory memory{0, memory_.row_bytes};
    std::vector<MergeInput> inputs;
    for (Run& run : runs) {
      MergeInput input;
      input.claim = "sorted run";
      input.open = [next = std::move(run.next), key_columns, memory, schema = schema_,
                    file = file_]() mutable -> arrow::Result<std::unique_ptr<Source>> {
        return MakeBatchSource(std::move(next), {key_columns, 0}, schema, {file, -1, -1}, memory);
      };
      inputs.push_back(std::move(input));
    }
    MergeOptions options;
    options.batch_rows = kBatchRows;
    options.max_open = OpenRuns();
    options.spill = spill_;
    options.pool = pool_;
    options.window_bytes = spill_.memory_bytes / 4;
    return MakeLazyMerge(std::move(inputs), keys_, schema_, options, std::move(counters));
  }

  void EndChunk() {
    sorted_ = nullptr;
    memory_run_bytes_ = 0;
    if (merge_counters_ != nullptr) CountSpilled(*merge_counters_);
    merge_counters_.reset();
  }

  /// Merges of runs are counted apart: their rows are not rows of the scan, its own merge counts
  /// those.
  void CountSpilled(const ScanCounters& counters) const {
    if (counters_ != nullptr) counters_->spilled_bytes += counters.spilled_bytes;
  }

  /// Bytes of a run: sorting holds the rows twice, and their keys.
  int64_t RunBytes() const {
    if (spill_.memory_bytes == 0) return kLargestRunBytes;
    return std::min(kLargestRunBytes, spill_.memory_bytes / 3);
  }

  /// Half of the budget is for runs that are read back, a part of each compressed and one not.
  int32_t OpenRuns() const {
    if (spill_.memory_bytes == 0) return kMostOpenRuns;
    const int64_t runs = spill_.memory_bytes / (4 * spill_.part_bytes);
    return static_cast<int32_t>(std::clamp<int64_t>(runs, kLeastOpenRuns, kMostOpenRuns));
  }

  void LetGo() {
    input_.reset();
    buffer_.clear();
    runs_.clear();
    sorted_ = nullptr;
  }

  std::unique_ptr<Source> input_;  // null at its end
  SourceMemory memory_;
  const SortKeys keys_;
  const size_t satisfied_;
  const KeyEncoder encoder_;
  const KeyEncoder prefix_encoder_;
  const SliceFilter filter_;
  const std::shared_ptr<arrow::Schema> output_schema_;
  const SpillOptions spill_;
  arrow::MemoryPool* pool_;
  std::shared_ptr<ScanCounters> counters_;

  std::unique_ptr<Source> rows_;           // splits what NextSorted() gives
  std::shared_ptr<arrow::Schema> schema_;  // key and output columns side by side
  std::string file_;
  int64_t given_ = 0;                // rows read
  KeyBatch last_prefix_;             // of the last row read; no rows before the first
  arrow::RecordBatchVector buffer_;  // rows read and not sorted
  int64_t buffer_bytes_ = 0;
  int64_t whole_rows_ = 0;        // rows of the buffer that are in whole stretches
  std::vector<Run> runs_;         // of the stretch at hand, in the order of its rows
  int64_t memory_run_bytes_ = 0;  // of those that are in memory
  NextBatch sorted_;              // gives the chunk at hand; null between chunks
  std::shared_ptr<ScanCounters> merge_counters_;
  arrow::Status failed_;
};

}  // namespace

arrow::Result<std::unique_ptr<Source>> MakeSortedSource(
    std::unique_ptr<Source> input, SortKeys keys, size_t satisfied,
    std::shared_ptr<arrow::Schema> output_schema, SpillOptions spill, arrow::MemoryPool* pool,
    std::shared_ptr<ScanCounters> counters, const KeySlice& slice) {
  // Already in order: the merge verifies it.
  if (satisfied >= keys.size()) return input;
  if (pool == nullptr) pool = arrow::default_memory_pool();
  ARROW_ASSIGN_OR_RAISE(auto encoder, KeyEncoder::Make(keys, pool));
  const SortKeys prefix(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(satisfied));
  ARROW_ASSIGN_OR_RAISE(auto prefix_encoder, KeyEncoder::Make(prefix, pool));
  ARROW_ASSIGN_OR_RAISE(auto filter, SliceFilter::Make(slice, satisfied, encoder, prefix_encoder));
  return std::make_unique<SortedSource>(
      std::move(input), std::move(keys), satisfied, std::move(encoder), std::move(prefix_encoder),
      std::move(filter), std::move(output_schema), std::move(spill), pool, std::move(counters));
}

}  // namespace esker
