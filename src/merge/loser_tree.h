// Loser tree: which of k sorted inputs has the smallest head, in log2(k) comparisons a step.
//
// A tournament whose inner nodes keep the loser of their match; the winner of all stands on top.
// When the winner's input moves on, only the matches on its way up are played again. The second
// best has lost to the winner itself, so it is found on that way too.
//
//                 winner: 2
//                 [1] lost here                input   0   1   2   3
//            [0]            [3]                head    7   4   3   9
//           0   1          2   3
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace esker {

/// `Less(a, b)` says whether input a's head is before input b's; it must be a strict total order
/// (break ties by input number) and put inputs that have ended last. Borrowed state behind it is
/// changed by the caller between calls.
template <typename Less>
class LoserTree {
 public:
  /// Plays all matches. Requires inputs >= 1. O(inputs).
  LoserTree(uint32_t inputs, Less less) : less_(std::move(less)), nodes_(inputs) {
    if (inputs > 1) {
      winner_ = Play(1);
    }
  }

  uint32_t winner() const { return winner_; }

  /// To be called when the head of winner() has changed. O(log inputs).
  void Replay() {
    uint32_t best = winner_;
    for (uint32_t node = ParentOfLeaf(winner_); node > 0; node /= 2) {
      if (less_(nodes_[node], best)) std::swap(nodes_[node], best);
    }
    winner_ = best;
  }

  /// The input that wins when the winner is left out. Requires inputs >= 2. O(log inputs).
  uint32_t RunnerUp() const {
    uint32_t node = ParentOfLeaf(winner_);
    uint32_t best = nodes_[node];
    for (node /= 2; node > 0; node /= 2) {
      if (less_(nodes_[node], best)) best = nodes_[node];
    }
    return best;
  }

 private:
  // Leaves are numbered inputs .. 2 * inputs - 1 in the usual heap numbering, the root is 1.
  uint32_t ParentOfLeaf(uint32_t input) const {
    return (input + static_cast<uint32_t>(nodes_.size())) / 2;
  }

  uint32_t Play(uint32_t node) {
    const auto inputs = static_cast<uint32_t>(nodes_.size());
    if (node >= inputs) return node - inputs;
    uint32_t a = Play(2 * node);
    uint32_t b = Play(2 * node + 1);
    if (less_(b, a)) std::swap(a, b);
    nodes_[node] = b;
    return a;
  }

  Less less_;
  std::vector<uint32_t> nodes_;  // [0] is unused
  uint32_t winner_ = 0;
};

}  // namespace esker
