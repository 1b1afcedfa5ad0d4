// Lazy merge: the window loop over open inputs and virtual heads.
//
// The plain way to merge k sorted files is to open them all, keep their heads in a tree and emit
// the smallest again and again. It needs k open files with a decoded batch each, though most files
// of a table do not meet any other at all; and it looks at one row at a time. Two changes:
//
// 1. *Virtual heads.* A file that is not open takes part with its lower corner. It is opened when
//    rows behind that corner are due, not earlier. Files that follow one another are then never
//    open together, and what a LIMIT does not reach is never opened.
// 2. *Windows.* Instead of asking for the next row, the loop asks how far it may go without
//    reading or opening anything (window.h), merges the keys up to there in one go
//    (merge_kernel.h), and only then takes those very rows of the other columns
//    (row_gather.h). No kernel ever meets the end of a batch.
//
// Terms: input i is *virtual* before it is opened, *open* while it has waiting rows, and gone
// afterwards. Virtual inputs are opened in the order in which they were given, and ties go to the
// earlier one. The *head* of an open input is the key of its first waiting row.
//
// Invariants, at the start of every window:
//
//   I1  Every open input has a waiting row: ended ones are closed before others are opened.
//   I2  open_ is in the order in which the inputs were given; all virtual ones come after them. A
//       place in it decides ties.
//   I3  bound(i), the smallest lower bound of the files from i on, never falls with i; so the next
//       virtual file stands for all of them, even if the caller's order or its corners are off.
//   I4  bound(next_) is not before the smallest head: whatever had to be opened has been.
//   I5  The smallest head is not before the last row emitted, or the merge ends with a
//       DisorderError. With I4 this is what makes a wrong lower corner an error and never a wrong
//       order; upper corners are not looked at, but for counting and for choosing what to spill.
//   I6  At most max_open files are open, and all that is open fits the budget; files over it have
//       been merged into runs on disk, which stand in open_ in their place (merge_pass.h).
//   I7  After an error, at the end, and when closed: nothing is open and nothing is held.
#include "merge/lazy_merge.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "merge/batch_joiner.h"
#include "merge/merge_pass.h"
#include "merge/nan_block.h"
#include "merge/open_input.h"
#include "merge/row_gather.h"
#include "merge/source_room.h"
#include "merge/window_merge.h"

namespace esker {
namespace {

/// The first window of a merge with a limit; the following ones double.
constexpr int64_t kFirstWindowRows = 1024;
/// Runs on disk that may be read at once, whatever max_open is: with fewer, merging runs with
/// runs would write rows more often than it saves handles.
constexpr size_t kLeastRuns = 16;
/// A row of a window is decoded, taken, gathered and joined to a batch.
constexpr int64_t kCopiesOfARow = 4;

/// Lower bounds of all inputs as keys, and for each which of its successors has the smallest.
class VirtualHeads {
 public:
  static arrow::Result<VirtualHeads> Make(const KeyEncoder& encoder,
                                          const std::vector<MergeInput>& inputs,
                                          arrow::MemoryPool* pool) {
    VirtualHeads heads;
    std::vector<KeyBatch> rows;
    for (const MergeInput& input : inputs) {
      ARROW_ASSIGN_OR_RAISE(KeyBatch row, encoder.EncodeLower(input.lower));
      rows.push_back(std::move(row));
    }
    ARROW_ASSIGN_OR_RAISE(heads.keys_, JoinKeys(KeyBatch{}, 0, 0, rows, pool));
    heads.smallest_from_.resize(inputs.size());
    for (size_t i = inputs.size(); i-- > 0;) {
      const bool last = i + 1 == inputs.size();
      const bool keeps = last || CompareKeys(heads.own(i), heads.bound(i + 1)) <= 0;
      heads.smallest_from_[i] = keeps ? i : heads.smallest_from_[i + 1];
    }
    return heads;
  }

  KeyRow own(size_t i) const { return {&keys_, static_cast<int64_t>(i)}; }
  KeyRow bound(size_t i) const { return own(smallest_from_[i]); }

 private:
  KeyBatch keys_;
  std::vector<size_t> smallest_from_;
};

class LazyMerge : public arrow::RecordBatchReader {
 public:
  LazyMerge(std::vector<MergeInput> inputs, MergeOptions options,
            std::unique_ptr<MergeContext> context, VirtualHeads heads)
      : inputs_(std::move(inputs)),
        options_(options),
        context_(std::move(context)),
        heads_(std::move(heads)),
        out_(options.batch_rows, context_->pool),
        window_rows_(options.limit < 0 ? options.window_rows
                                       : std::min(options.window_rows, kFirstWindowRows)),
        rows_left_(options.limit),
        giver_(options.budget, [this] { return SpillSome(); }) {}

  std::shared_ptr<arrow::Schema> schema() const override { return context_->schema; }

  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* out) override {
    *out = nullptr;
    ARROW_RETURN_NOT_OK(failed_);
    auto batch = NextBatch();
    if (!batch.ok()) return Fail(batch.status());
    *out = batch.MoveValueUnsafe();
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    if (failed_.ok()) failed_ = arrow::Status::Invalid("the reader was closed");
    LetGo();
    return arrow::Status::OK();
  }

 private:
  arrow::Result<std::shared_ptr<arrow::RecordBatch>> NextBatch() {
    while (true) {
      ARROW_ASSIGN_OR_RAISE(auto batch, out_.Pop(/*flush=*/finished_));
      if (batch != nullptr) {
        context_->counters->rows += batch->num_rows();
        ++context_->counters->batches;
        return batch;
      }
      if (finished_) return nullptr;
      ARROW_RETURN_NOT_OK(Step());
    }
  }

  /// One turn of the window loop.
  arrow::Status Step() {
    if (rows_left_ == 0) return Finish();
    ARROW_RETURN_NOT_OK(RefillOpen());
    ARROW_RETURN_NOT_OK(OpenDue());
    if (open_.empty()) return Finish();
    ARROW_RETURN_NOT_OK(CheckSmallestHead());
    const KeyRow next_corner = next_ < inputs_.size() ? heads_.bound(next_) : KeyRow();
    ARROW_ASSIGN_OR_RAISE(
        MergedWindow window,
        MergeWindow(open_, next_corner, {WindowRows(), rows_left_, false}, *context_));
    last_key_ = std::move(window.last_key);
    if (rows_left_ > 0) rows_left_ -= window.row_count;
    window_rows_ = std::min(options_.window_rows, 2 * window_rows_);
    const int64_t batch_rows = std::min(options_.batch_rows, WindowRows());
    out_.Narrow(batch_rows);
    const int64_t slice_rows = std::max<int64_t>(1, batch_rows / 2);
    ARROW_ASSIGN_OR_RAISE(auto pieces,
                          GatherRuns(context_->schema, window.rows, window.runs, slice_rows,
                                     context_->pool, context_->tasks.get()));
    for (auto& piece : pieces) out_.Push(std::move(piece));
    CloseEnded(&open_, context_->counters.get());
    return arrow::Status::OK();
  }

  arrow::Status RefillOpen() {
    const size_t files = CountOpen(OpenInput::Kind::kFile);
    ARROW_RETURN_NOT_OK(RefillInputs(WindowRows(), &open_, *context_));
    // Files that end by themselves say that the overlap is passing: spill less the next time.
    if (CountOpen(OpenInput::Kind::kFile) < files)
      group_size_ = std::max<size_t>(1, group_size_ / 2);
    return arrow::Status::OK();
  }

  /// Opens every virtual input whose bound is before the smallest head, or the next one with a row
  /// if nothing is open (I4).
  arrow::Status OpenDue() {
    while (next_ < inputs_.size()) {
      if (!open_.empty() && CompareKeys(heads_.bound(next_), SmallestHead()->head()) >= 0) break;
      if (options_.max_open > 0) ARROW_RETURN_NOT_OK(MakeRoom());
      ARROW_RETURN_NOT_OK(OpenNext());
    }
    return arrow::Status::OK();
  }

  arrow::Status OpenNext() {
    const size_t i = next_++;
    MergeInput input = std::move(inputs_[i]);
    OpenInput::Identity identity;
    identity.claim = std::move(input.claim);
    ARROW_ASSIGN_OR_RAISE(identity.upper, context_->encoder.EncodeUpper(input.upper));
    ARROW_ASSIGN_OR_RAISE(auto source, input.open());
    if (source == nullptr) return arrow::Status::Invalid("an input of the merge opened to nothing");
    ARROW_RETURN_NOT_OK(
        MakeRoomFor(*source, context_->budget.get(), " beside what it is merged with"));
    row_bytes_ = std::max(row_bytes_, source->memory().row_bytes);
    OpenInputs opened;
    opened.push_back(
        std::make_unique<OpenInput>(*context_, std::move(identity), std::move(source)));
    ARROW_RETURN_NOT_OK(RefillInputs(WindowRows() / (std::ssize(open_) + 1), &opened, *context_));
    const bool missed = std::any_of(opened.begin(), opened.end(), [&](const auto& one) {
      return CompareKeys(one->head(), heads_.own(i)) < 0;
    });
    if (missed) ++context_->counters->misses_before_lower;
    std::move(opened.begin(), opened.end(), std::back_inserter(open_));
    return arrow::Status::OK();
  }

  /// Spills until one more file may be opened (I6).
  arrow::Status MakeRoom() {
    const auto max_open = static_cast<size_t>(options_.max_open);
    while (CountOpen(OpenInput::Kind::kFile) >= max_open) {
      ARROW_RETURN_NOT_OK(SpillFiles());
      const size_t most_runs = std::max(kLeastRuns, max_open);
      if (CountOpen(OpenInput::Kind::kRun) > most_runs) {
        ARROW_RETURN_NOT_OK(ReplaceByRun(ChooseRuns(open_, most_runs / 2)));
      }
    }
    return arrow::Status::OK();
  }

  arrow::Status SpillFiles() {
    ARROW_RETURN_NOT_OK(ReplaceByRun(ChooseFiles(open_, group_size_)));
    group_size_ = std::min(2 * group_size_, static_cast<size_t>(options_.max_open));
    return arrow::Status::OK();
  }

  /// Gives memory back by merging open inputs to disk, if that is possible. Of many runs half are
  /// merged at a time, the smallest, so that no row is written too often.
  arrow::Result<bool> SpillSome() {
    const size_t runs = CountOpen(OpenInput::Kind::kRun);
    if (CountOpen(OpenInput::Kind::kFile) > 0) {
      ARROW_RETURN_NOT_OK(SpillFiles());
      return true;
    }
    if (runs < 2) return false;
    ARROW_RETURN_NOT_OK(ReplaceByRun(ChooseRuns(open_, std::max<size_t>(2, runs / 2))));
    return true;
  }

  /// Rows of a window: few at first with a limit, and no more than may be in memory at once.
  int64_t WindowRows() const {
    if (options_.window_bytes == 0) return window_rows_;
    const int64_t row_bytes = kCopiesOfARow * std::max<int64_t>(1, row_bytes_);
    return std::clamp<int64_t>(options_.window_bytes / row_bytes, 1, window_rows_);
  }

  arrow::Status ReplaceByRun(InputGroup place) {
    const auto begin = open_.begin() + static_cast<std::ptrdiff_t>(place.begin);
    const auto end = open_.begin() + static_cast<std::ptrdiff_t>(place.end);
    OpenInputs group(std::make_move_iterator(begin), std::make_move_iterator(end));
    const auto hole = open_.erase(begin, end);
    ARROW_ASSIGN_OR_RAISE(auto run, DrainToRun(std::move(group), *context_, WindowRows()));
    ARROW_RETURN_NOT_OK(run->Refill(1));
    open_.insert(hole, std::move(run));
    return arrow::Status::OK();
  }

  const OpenInput* SmallestHead() const {
    const OpenInput* smallest = nullptr;
    for (const auto& input : open_) {
      if (smallest == nullptr || CompareKeys(input->head(), smallest->head()) < 0) {
        smallest = input.get();
      }
    }
    return smallest;
  }

  arrow::Status CheckSmallestHead() const {
    if (last_key_.rows == 0) return arrow::Status::OK();
    const OpenInput* smallest = SmallestHead();
    const KeyRow last{&last_key_, 0};
    if (CompareKeys(smallest->head(), last) >= 0) return arrow::Status::OK();
    return smallest->HeadError("comes before " + context_->encoder.ToString(last) +
                               ", which is out already: it is outside the bounds that the "
                               "metadata gives for the file");
  }

  size_t CountOpen(OpenInput::Kind kind) const {
    return static_cast<size_t>(std::count_if(open_.begin(), open_.end(), [kind](const auto& input) {
      return input->identity().kind == kind;
    }));
  }

  arrow::Status Finish() {
    finished_ = true;
    CloseInputs();
    return arrow::Status::OK();
  }

  arrow::Status Fail(arrow::Status status) {
    failed_ = std::move(status);
    LetGo();
    return failed_;
  }

  void LetGo() {
    CloseInputs();
    out_.Clear();
  }

  void CloseInputs() {
    open_.clear();
    inputs_.clear();
    next_ = 0;
    last_key_ = KeyBatch{};
  }

  using OpenInputs = std::vector<std::unique_ptr<OpenInput>>;

  std::vector<MergeInput> inputs_;  // those from next_ on are virtual
  MergeOptions options_;
  std::unique_ptr<MergeContext> context_;
  VirtualHeads heads_;
  size_t next_ = 0;
  OpenInputs open_;
  KeyBatch last_key_;  // of the last row emitted; no rows before the first
  BatchJoiner out_;
  int64_t window_rows_;
  int64_t rows_left_;      // of the limit; below 0 for no limit
  int64_t row_bytes_ = 0;  // of the widest input so far, about
  size_t group_size_ = 1;  // files to spill when the cap is met the next time
  bool finished_ = false;
  arrow::Status failed_;
  // Asked while an input is being opened, which is when all that is open stands still (I6).
  MemoryGiver giver_;
};

arrow::Status CheckOptions(const MergeOptions& options) {
  if (options.batch_rows >= 1 && options.window_rows >= 1 && options.max_open >= 0) {
    return arrow::Status::OK();
  }
  return arrow::Status::Invalid("merge options out of range: batch_rows ", options.batch_rows,
                                ", window_rows ", options.window_rows, ", max_open ",
                                options.max_open);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeLazyMerge(
    std::vector<MergeInput> inputs, SortKeys keys, std::shared_ptr<arrow::Schema> schema,
    MergeOptions options, std::shared_ptr<ScanCounters> counters) {
  ARROW_RETURN_NOT_OK(CheckOptions(options));
  auto context = std::make_unique<MergeContext>();
  context->pool = options.pool == nullptr ? arrow::default_memory_pool() : options.pool;
  ARROW_ASSIGN_OR_RAISE(context->encoder, KeyEncoder::Make(keys, context->pool));
  context->schema = std::move(schema);
  if (options.budget != nullptr && options.max_open == 0) {
    options.max_open = std::numeric_limits<int32_t>::max();
  }
  context->keep_key_rows = options.max_open > 0;
  context->may_begin_with_nan = MayBeginWithNan(keys);
  context->spill = options.spill;
  context->budget = options.budget;
  context->tasks = options.tasks;
  context->counters = counters == nullptr ? std::make_shared<ScanCounters>() : std::move(counters);
  ARROW_ASSIGN_OR_RAISE(auto heads, VirtualHeads::Make(context->encoder, inputs, context->pool));
  return std::make_shared<LazyMerge>(std::move(inputs), std::move(options), std::move(context),
                                     std::move(heads));
}

}  // namespace esker
