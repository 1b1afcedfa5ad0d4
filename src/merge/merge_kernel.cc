// Merge kernel: a loser tree that gallops where runs are long.
#include "merge/merge_kernel.h"

#include <algorithm>

#include "merge/gallop.h"
#include "merge/loser_tree.h"

namespace esker {
namespace {

/// Wins in a row after which a span is worth a gallop: fewer would cost random input a search
/// for nothing, more would crawl through long runs.
constexpr int64_t kWinsToGallop = 8;

void AppendRun(uint32_t span, int64_t count, std::vector<RowRun>* runs) {
  if (!runs->empty() && runs->back().span == span) {
    runs->back().count += count;
  } else {
    runs->push_back({span, count});
  }
}

template <typename View>
class Merger {
 public:
  Merger(std::span<const KeySpan> spans, std::vector<RowRun>* runs) : runs_(runs) {
    for (uint32_t i = 0; i < spans.size(); ++i) {
      if (spans[i].rows() == 0) continue;
      const View view(*spans[i].keys);
      lanes_.push_back({view, view[spans[i].begin], spans[i].begin, spans[i].end, i});
    }
  }

  void Run() {
    if (lanes_.empty()) return;
    if (lanes_.size() == 1) return Drain(0);
    LoserTree tree(static_cast<uint32_t>(lanes_.size()),
                   [this](uint32_t a, uint32_t b) { return Before(a, b); });
    size_t left = lanes_.size();
    int64_t wins = 0;
    uint32_t last = tree.winner();
    while (left > 1) {
      const uint32_t winner = tree.winner();
      wins = winner == last ? wins + 1 : 1;
      last = winner;
      const int64_t count = wins < kWinsToGallop ? 1 : CountRun(winner, tree.RunnerUp());
      if (!Advance(winner, count)) --left;
      tree.Replay();
    }
    Drain(tree.winner());
  }

 private:
  struct Lane {
    View view;
    decltype(std::declval<View>()[0]) head;  // the key at `row`, unless the lane has ended
    int64_t row;
    int64_t end;
    uint32_t span;
  };

  bool Before(uint32_t a, uint32_t b) const {
    const Lane& x = lanes_[a];
    const Lane& y = lanes_[b];
    if (x.row == x.end || y.row == y.end) return y.row == y.end && (x.row != x.end || a < b);
    if (x.head < y.head) return true;
    return a < b && !(y.head < x.head);
  }

  /// How many rows of lane `winner`, from its head on, come before the head of lane `other`.
  int64_t CountRun(uint32_t winner, uint32_t other) const {
    const Lane& lane = lanes_[winner];
    const auto& bound = lanes_[other].head;
    if (lanes_[other].row == lanes_[other].end) return lane.end - lane.row;
    const bool wins_ties = winner < other;
    // Of the head itself that is known: it is the winner.
    return Gallop(lane.row + 1, lane.end,
                  [&](int64_t row) {
                    const auto key = lane.view[row];
                    return key < bound || (wins_ties && !(bound < key));
                  }) -
           lane.row;
  }

  /// Emits `count` rows of a lane; false if it has ended.
  bool Advance(uint32_t number, int64_t count) {
    Lane& lane = lanes_[number];
    AppendRun(lane.span, count, runs_);
    lane.row += count;
    if (lane.row == lane.end) return false;
    lane.head = lane.view[lane.row];
    return true;
  }

  void Drain(uint32_t number) {
    const Lane& lane = lanes_[number];
    if (lane.row != lane.end) AppendRun(lane.span, lane.end - lane.row, runs_);
  }

  std::vector<Lane> lanes_;
  std::vector<RowRun>* runs_;
};

/// Do all keys of the window agree in all words but the last? Sorted spans are judged by their
/// ends. True for nearly every window of one 64-bit key: the first word is the null slot.
bool OnlyLastWordDiffers(std::span<const KeySpan> spans, int words) {
  const uint64_t* first = nullptr;
  for (const KeySpan& span : spans) {
    if (span.rows() == 0) continue;
    const auto* data = reinterpret_cast<const uint64_t*>(span.keys->data->data());
    const uint64_t* head = data + span.begin * words;
    const uint64_t* tail = data + (span.end - 1) * words;
    if (first == nullptr) first = head;
    if (!std::equal(head, head + words - 1, first)) return false;
    if (!std::equal(tail, tail + words - 1, first)) return false;
  }
  return true;
}

}  // namespace

void MergeSpans(std::span<const KeySpan> spans, std::vector<RowRun>* runs) {
  if (spans.empty()) return;
  const int words = spans[0].keys->words;
  if (words > 1 && OnlyLastWordDiffers(spans, words)) return Merger<WordView<1>>(spans, runs).Run();
  VisitViews(words,
             [&]<typename View>(std::type_identity<View>) { Merger<View>(spans, runs).Run(); });
}

}  // namespace esker
