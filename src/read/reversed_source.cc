// The source that gives the rows of a file last to first.
//
// Parquet can only be decoded forwards, so a row group is decoded as a whole, in blocks, and the
// blocks are given last to first, each with its selection turned around. One row group's eager
// columns are in memory at a time, and its lazy ones from its first taken row to its last.

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "arrow/array.h"
#include "read/block_source.h"

namespace esker {
namespace {

class ReversedSource final : public BlockSource {
 public:
  explicit ReversedSource(OpenedFile opened)
      : BlockSource(std::move(opened)), groups_left_(map().groups()) {}

 protected:
  arrow::Result<std::optional<RowBlock>> NextBlock() override {
    while (ready_.empty() && groups_left_ > 0) ARROW_RETURN_NOT_OK(DecodeGroup(--groups_left_));
    if (ready_.empty()) return std::nullopt;
    RowBlock block = std::move(ready_.front());
    ready_.pop_front();
    return block;
  }

  arrow::Result<arrow::ArrayVector> TakeLazy(RowBlock* block, int64_t rows) override {
    const std::vector<int>& lazy = opened().columns->lazy;
    if (block->columns[lazy[0]] == nullptr) {
      ARROW_RETURN_NOT_OK(DecodeLazyGroup(map().GroupOf(block->first_stream_row)));
    }
    arrow::ArrayVector columns(opened().columns->columns.size());
    for (const int index : lazy) columns[index] = block->columns[index]->Slice(block->taken, rows);
    return columns;
  }

 private:
  arrow::Status DecodeGroup(size_t group) {
    ARROW_ASSIGN_OR_RAISE(const auto stream, OpenStream(group, opened().columns->eager));
    const int64_t end = map().end(group);
    for (int64_t row = map().start(group); row < end;) {
      const int64_t rows = std::min(opened().decode_rows, end - row);
      ARROW_ASSIGN_OR_RAISE(RowBlock block, DecodeBlock(stream.get(), row, rows));
      row += rows;
      if (block.selection.length == 0) continue;
      ARROW_ASSIGN_OR_RAISE(block.selection, block.selection.Reversed(pool()));
      ARROW_RETURN_NOT_OK(Compact(&block));
      ready_.push_front(std::move(block));
    }
    return arrow::Status::OK();
  }

  // All blocks of the group that still have rows to give, first to last as the file has them: those
  // that are ready (the front ones of the file) and then those that NextKeys() has given.
  std::vector<RowBlock*> BlocksOf(size_t group) {
    std::vector<RowBlock*> found;
    const auto collect = [&](std::deque<RowBlock>& from) {
      for (auto block = from.rbegin(); block != from.rend(); ++block) {
        if (map().GroupOf(block->first_stream_row) == group) found.push_back(&*block);
      }
    };
    collect(ready_);
    collect(blocks());
    return found;
  }

  arrow::Status DecodeLazyGroup(size_t group) {
    ARROW_ASSIGN_OR_RAISE(const auto stream, OpenStream(group, opened().columns->lazy));
    int64_t row = map().start(group);
    for (RowBlock* block : BlocksOf(group)) {
      const RowSelection& selection = block->selection;
      const int64_t begin = block->first_stream_row + selection.index(selection.length - 1);
      const int64_t end = block->first_stream_row + selection.index(0) + 1;
      ARROW_RETURN_NOT_OK(stream->Skip(begin - row));
      ARROW_ASSIGN_OR_RAISE(
          auto columns, DecodeLazy(stream.get(), begin, end - begin, *block, 0, selection.length));
      for (const int index : opened().columns->lazy) block->columns[index] = columns[index];
      row = end;
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<ColumnStream>> OpenStream(size_t group,
                                                          const std::vector<int>& columns) {
    return ColumnStream::Make(file(), map().SpansOf(group, group + 1),
                              opened().columns->ProjectionsOf(columns), opened().decode_rows);
  }

  size_t groups_left_;          // row groups of which nothing was decoded
  std::deque<RowBlock> ready_;  // decoded and not yet given, in the order to give them
};

}  // namespace

std::unique_ptr<Source> MakeReversedSource(OpenedFile opened) {
  return std::make_unique<ReversedSource>(std::move(opened));
}

}  // namespace esker
