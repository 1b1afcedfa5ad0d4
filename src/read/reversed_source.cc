// The source that gives the rows of a file last to first.
//
// Parquet can only be decoded forwards. So a row group is decoded in *pieces*, the last one first,
// each by the pages that hold it, and a piece in blocks, which are given last to first with their
// selections turned around:
//
//     row group     |                | piece 3     | piece 2  | piece 1 |
//     blocks        |                |     |    |  |    |   | |  |  | | |
//     given                                                     3  2 1
//
// The first pieces are small, so that whoever wants but the last rows pays for little more, and
// each is larger than the one before, up to a size that is worth its reading (read_cost.h). Lazy
// columns are decoded likewise, some blocks of one piece at a time.
//
// Pages are found by offset indexes. Where a row group lacks a good one, it is one piece.

#include <algorithm>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "arrow/array.h"
#include "read/block_source.h"
#include "read/page_selection.h"

namespace esker {
namespace {

// Rows of the first piece, block and stretch of lazy columns, and how fast they grow.
constexpr int64_t kFirstRows = 1024;
constexpr int64_t kGrowth = 8;

/// A size that begins small and grows up to a most.
class GrowingRows {
 public:
  explicit GrowingRows(int64_t most) : most_(std::max<int64_t>(most, 1)) {}

  int64_t most() const { return most_; }
  int64_t Next() {
    const int64_t rows = std::min(next_, most_);
    next_ = rows < most_ ? rows * kGrowth : most_;
    return rows;
  }

 private:
  int64_t most_;
  int64_t next_ = kFirstRows;
};

class ReversedSource final : public BlockSource {
 public:
  explicit ReversedSource(OpenedFile opened_file)
      : BlockSource(std::move(opened_file)),
        rows_left_(map().rows()),
        lazy_group_(map().groups()),
        piece_rows_(opened().piece_rows.eager),
        lazy_rows_(opened().piece_rows.lazy),
        block_rows_(opened().decode_rows) {}

 protected:
  arrow::Result<std::optional<RowBlock>> NextBlock() override {
    while (ready_.empty() && rows_left_ > 0) {
      ForgetPieces();
      ARROW_RETURN_NOT_OK(CutPiece());
      ARROW_RETURN_NOT_OK(DecodePiece(pieces_.back()));
    }
    if (ready_.empty()) return std::nullopt;
    RowBlock block = std::move(ready_.front());
    ready_.pop_front();
    return block;
  }

  arrow::Result<arrow::ArrayVector> TakeLazy(RowBlock* block, int64_t rows) override {
    const std::vector<int>& lazy = opened().columns->lazy;
    if (block->columns[lazy[0]] == nullptr) {
      ForgetPieces();
      ARROW_RETURN_NOT_OK(DecodeLazyOf(pieces_.front()));
    }
    arrow::ArrayVector columns(opened().columns->columns.size());
    for (const int index : lazy) columns[index] = block->columns[index]->Slice(block->taken, rows);
    return columns;
  }

 private:
  /// Rows [begin, end) of the stream, all of one row group.
  struct Piece {
    size_t group;
    int64_t begin;
    int64_t end;
    std::shared_ptr<const RowGroupPages> pages;  // null: it is all of the group
  };

  arrow::Status CutPiece() {
    const size_t group = map().GroupOf(rows_left_ - 1);
    if (rows_left_ == map().end(group)) ARROW_RETURN_NOT_OK(EnterGroup(group));
    const int64_t begin = pages_ == nullptr ? map().start(group) : BeginOfPiece(group);
    pieces_.push_back({group, begin, rows_left_, pages_});
    rows_left_ = begin;
    return arrow::Status::OK();
  }

  arrow::Status EnterGroup(size_t group) {
    pages_ = opened().last_pages;
    if (pages_ == nullptr) return arrow::Status::OK();
    if (pages_->row_group != map().index(group)) {
      ARROW_ASSIGN_OR_RAISE(pages_,
                            ReadRowGroupPages(*file(), *opened().columns, map().index(group)));
    }
    if (pages_ == nullptr) return arrow::Status::OK();
    return CountSkipped(group, opened().columns->eager, *pages_);
  }

  // Pieces share pages, so what none of them reads is counted for the group.
  arrow::Status CountSkipped(size_t group, const std::vector<int>& columns,
                             const RowGroupPages& pages) {
    const auto leaves = SharedLeaves(opened().columns->ProjectionsOf(columns));
    return PageSelection(file(), map().SpansOf(group, group + 1), leaves, &pages).CountSkipped();
  }

  // A piece begins where all eager columns begin a page, if that makes it neither smaller than half
  // of the most nor larger than that.
  int64_t BeginOfPiece(size_t group) {
    const int64_t wanted = piece_rows_.Next();
    const int64_t most = piece_rows_.most();
    const int64_t start = map().start(group);
    const int64_t begin = std::max(start, rows_left_ - wanted);
    if (begin == start) return start;
    const int64_t first_row = file()->row_groups()[map().index(group)].first_row;
    const std::vector<int64_t>& borders = pages_->eager_borders;
    const auto next =
        std::upper_bound(borders.begin(), borders.end(), map().PositionOf(begin) - first_row);
    const int64_t before = map().RowAt(first_row + *std::prev(next));
    if (before >= std::max(start, rows_left_ - most)) return before;
    const int64_t behind = map().RowAt(first_row + *next);
    return behind <= rows_left_ - most / 2 ? behind : begin;
  }

  // Blocks are cut from the end of the piece, and decoded from its start.
  arrow::Status DecodePiece(const Piece& piece) {
    std::vector<int64_t> ends;
    for (int64_t end = piece.end; end > piece.begin; end -= block_rows_.Next()) ends.push_back(end);
    ARROW_ASSIGN_OR_RAISE(const auto stream,
                          OpenStream(piece, piece.begin, piece.end, opened().columns->eager));
    for (int64_t row = piece.begin; !ends.empty(); ends.pop_back()) {
      ARROW_ASSIGN_OR_RAISE(RowBlock block, DecodeBlock(stream.get(), row, ends.back() - row));
      row = ends.back();
      if (block.selection.length == 0) continue;
      ARROW_ASSIGN_OR_RAISE(block.selection, block.selection.Reversed(pool()));
      ARROW_RETURN_NOT_OK(Compact(&block));
      ready_.push_front(std::move(block));
    }
    return arrow::Status::OK();
  }

  // Lets go of the pieces of which no block has rows to give.
  void ForgetPieces() {
    const int64_t row = !blocks().empty() ? blocks().front().first_stream_row
                        : !ready_.empty() ? ready_.front().first_stream_row
                                          : rows_left_ - 1;
    while (!pieces_.empty() && pieces_.front().begin > row) pieces_.pop_front();
  }

  int64_t FirstRowOf(const RowBlock& block) const {
    return block.first_stream_row + block.selection.index(block.selection.length - 1);
  }
  int64_t EndRowOf(const RowBlock& block) const {
    return block.first_stream_row + block.selection.index(0) + 1;
  }

  // The next blocks of the piece to be taken, as the file has them: those that NextKeys() has given
  // and then those that are ready, until they have enough rows.
  std::vector<RowBlock*> LazyBlocksOf(const Piece& piece) {
    const int64_t most_rows = piece.pages == nullptr ? map().rows() : lazy_rows_.Next();
    std::vector<RowBlock*> found;
    int64_t rows = 0;
    for (std::deque<RowBlock>* from : {&blocks(), &ready_}) {
      for (RowBlock& block : *from) {
        if (block.first_stream_row < piece.begin || rows >= most_rows) break;
        rows += EndRowOf(block) - FirstRowOf(block);
        found.push_back(&block);
      }
    }
    std::reverse(found.begin(), found.end());
    return found;
  }

  arrow::Status DecodeLazyOf(const Piece& piece) {
    const std::vector<int>& lazy = opened().columns->lazy;
    if (piece.pages != nullptr && std::exchange(lazy_group_, piece.group) != piece.group) {
      ARROW_RETURN_NOT_OK(CountSkipped(piece.group, lazy, *piece.pages));
    }
    const std::vector<RowBlock*> blocks = LazyBlocksOf(piece);
    int64_t row = piece.pages == nullptr ? piece.begin : FirstRowOf(*blocks.front());
    const int64_t end = piece.pages == nullptr ? piece.end : EndRowOf(*blocks.back());
    ARROW_ASSIGN_OR_RAISE(const auto stream, OpenStream(piece, row, end, lazy));
    for (RowBlock* block : blocks) {
      const int64_t block_begin = FirstRowOf(*block);
      const int64_t block_end = EndRowOf(*block);
      ARROW_RETURN_NOT_OK(stream->Skip(block_begin - row));
      ARROW_ASSIGN_OR_RAISE(
          auto columns, DecodeLazy(stream.get(), block_begin, block_end - block_begin, *block, 0,
                                   block->selection.length));
      for (const int index : lazy) block->columns[index] = std::move(columns[index]);
      row = block_end;
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::unique_ptr<ColumnStream>> OpenStream(const Piece& piece, int64_t begin,
                                                          int64_t end,
                                                          const std::vector<int>& columns) {
    return ColumnStream::Make(file(), map().SpansOfRows(begin, end),
                              opened().columns->ProjectionsOf(columns), opened().decode_rows,
                              piece.pages.get());
  }

  int64_t rows_left_;                           // of the stream, of which nothing was decoded
  std::shared_ptr<const RowGroupPages> pages_;  // of the row group of the last of these
  std::deque<Piece> pieces_;    // whose blocks are not all taken, in the order to give them
  std::deque<RowBlock> ready_;  // decoded and not yet given, in the order to give them
  size_t lazy_group_;           // whose lazy columns were decoded last
  GrowingRows piece_rows_;
  GrowingRows lazy_rows_;
  GrowingRows block_rows_;
};

}  // namespace

std::unique_ptr<Source> MakeReversedSource(OpenedFile opened) {
  return std::make_unique<ReversedSource>(std::move(opened));
}

}  // namespace esker
