// The source that gives rows in the order of the file.
//
// Two streams run over the same row groups: the eager one ahead, the lazy one behind it, which
// passes over what was not selected. Where that is row groups as a whole, it is opened anew after
// them, so that a filter which the statistics could not help still saves their pages.
//
// The two streams share nothing that either changes, so the eager one may run ahead on a thread of
// its own: it makes the block after the one that was given, and waits there until that is asked
// for. Errors wait with it.

#include <algorithm>
#include <optional>
#include <utility>

#include "arrow/array.h"
#include "read/block_source.h"

namespace esker {
namespace {

// Fewer rows than this are decoded and dropped: opening a stream costs about as much.
constexpr int64_t kReopenRows = 1024;

class ForwardSource final : public BlockSource {
 public:
  explicit ForwardSource(OpenedFile opened)
      : BlockSource(std::move(opened)), reads_ahead_(ReadsAhead(this->opened())) {}

 protected:
  arrow::Result<std::optional<RowBlock>> NextBlock() override {
    while (ahead_ != nullptr || eager_row_ < map().rows()) {
      RowBlock block;
      if (ahead_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(block, DecodeNext());
      } else {
        ARROW_RETURN_NOT_OK(ahead_->Join());
        ahead_.reset();
        block = std::exchange(ahead_block_, {});
      }
      if (reads_ahead_ && eager_row_ < map().rows()) ReadAhead();
      if (block.selection.length > 0) return block;
    }
    eager_.reset();
    return std::nullopt;
  }

  arrow::Result<arrow::ArrayVector> TakeLazy(RowBlock* block, int64_t rows) override {
    const RowSelection& selection = block->selection;
    const int64_t begin = block->first_stream_row + selection.index(block->taken);
    const int64_t end = block->first_stream_row + selection.index(block->taken + rows - 1) + 1;
    ARROW_RETURN_NOT_OK(MoveLazyTo(begin));
    ARROW_ASSIGN_OR_RAISE(auto columns,
                          DecodeLazy(lazy_.get(), begin, end - begin, *block, block->taken, rows));
    lazy_row_ = end;
    return columns;
  }

 private:
  // Where eager columns are constants there is nothing to gain.
  static bool ReadsAhead(const OpenedFile& opened) {
    const auto& eager = opened.columns->eager;
    return opened.reads_ahead && std::any_of(eager.begin(), eager.end(), [&](int index) {
             return opened.columns->columns[index].projection.column() >= 0;
           });
  }

  void ReadAhead() {
    ahead_ = std::make_unique<TaskLoop>(
        *file()->tasks(), 1, 1, [this](size_t) { return DecodeNext().Value(&ahead_block_); });
  }

  // One block, even if none of its rows is left: that much is what a dropped source waits for.
  arrow::Result<RowBlock> DecodeNext() {
    if (eager_ == nullptr) {
      ARROW_ASSIGN_OR_RAISE(eager_, OpenStream(0, opened().columns->eager));
    }
    const int64_t rows = std::min(opened().decode_rows, map().rows() - eager_row_);
    ARROW_ASSIGN_OR_RAISE(RowBlock block, DecodeBlock(eager_.get(), eager_row_, rows));
    eager_row_ += rows;
    if (block.selection.length > 0) ARROW_RETURN_NOT_OK(Compact(&block));
    return block;
  }

  arrow::Status MoveLazyTo(int64_t row) {
    const size_t group = map().GroupOf(row);
    if (lazy_ == nullptr || map().start(group) - lazy_row_ >= kReopenRows) {
      ARROW_ASSIGN_OR_RAISE(lazy_, OpenStream(group, opened().columns->lazy));
      lazy_row_ = map().start(group);
    }
    ARROW_RETURN_NOT_OK(lazy_->Skip(row - lazy_row_));
    lazy_row_ = row;
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<ColumnStream>> OpenStream(size_t first_group,
                                                          const std::vector<int>& columns) {
    return ColumnStream::Make(file(), map().SpansOf(first_group, map().groups()),
                              opened().columns->ProjectionsOf(columns), opened().decode_rows);
  }

  const bool reads_ahead_;
  std::unique_ptr<ColumnStream> eager_;
  std::unique_ptr<ColumnStream> lazy_;
  int64_t eager_row_ = 0;  // stream row at which each stands
  int64_t lazy_row_ = 0;
  RowBlock ahead_block_;
  // Makes ahead_block_, and has the eager stream until it is joined. Last, so that it ends first.
  std::unique_ptr<TaskLoop> ahead_;
};

}  // namespace

std::unique_ptr<Source> MakeForwardSource(OpenedFile opened) {
  return std::make_unique<ForwardSource>(std::move(opened));
}

}  // namespace esker
