// The source that gives rows in the order of the file.
//
// Two streams run over the same row groups: the eager one ahead, the lazy one behind it, which
// passes over what was not selected. Where that is row groups as a whole, it is opened anew after
// them, so that a filter which the statistics could not help still saves their pages.

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
  explicit ForwardSource(OpenedFile opened) : BlockSource(std::move(opened)) {}

 protected:
  arrow::Result<std::optional<RowBlock>> NextBlock() override {
    while (eager_row_ < map().rows()) {
      if (eager_ == nullptr) {
        ARROW_ASSIGN_OR_RAISE(eager_, OpenStream(0, opened().columns->eager));
      }
      const int64_t rows = std::min(opened().decode_rows, map().rows() - eager_row_);
      ARROW_ASSIGN_OR_RAISE(RowBlock block, DecodeBlock(eager_.get(), eager_row_, rows));
      eager_row_ += rows;
      if (block.selection.length == 0) continue;
      ARROW_RETURN_NOT_OK(Compact(&block));
      return block;
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

  std::unique_ptr<ColumnStream> eager_;
  std::unique_ptr<ColumnStream> lazy_;
  int64_t eager_row_ = 0;  // stream row at which each stands
  int64_t lazy_row_ = 0;
};

}  // namespace

std::unique_ptr<Source> MakeForwardSource(OpenedFile opened) {
  return std::make_unique<ForwardSource>(std::move(opened));
}

}  // namespace esker
