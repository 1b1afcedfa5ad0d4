#include "order/chain.h"

#include <algorithm>
#include <queue>
#include <string>
#include <utility>

#include "order/packed_corners.h"

namespace esker {
namespace {

// A corner with its first word beside it, so that most comparisons touch nothing else.
struct Place {
  uint64_t head = 0;
  uint32_t file = 0;
};

Place LowerOf(const PackedCorners& corners, uint32_t file) {
  return {corners.head({file, false}), file};
}

std::vector<uint32_t> ReadingOrder(const PackedCorners& corners, size_t file_count) {
  std::vector<Place> places(file_count);
  for (uint32_t file = 0; file < file_count; ++file) places[file] = LowerOf(corners, file);
  std::sort(places.begin(), places.end(), [&](const Place& a, const Place& b) {
    if (a.head != b.head) return a.head < b.head;
    auto order = corners.Compare({a.file, false}, {b.file, false});
    // A point comes before the longer ranges that begin at it: they can follow it, it not them.
    if (order == 0) order = corners.Compare({a.file, true}, {b.file, true});
    return order != 0 ? order < 0 : a.file < b.file;
  });
  std::vector<uint32_t> files(file_count);
  std::transform(places.begin(), places.end(), files.begin(),
                 [](const Place& place) { return place.file; });
  return files;
}

// One sweep over the files in reading order. At the lower corner of each file, a chain is
//
//     busy   its last file ends after the corner: that file and this one overlap
//     free   it has ended; it may go on with this file
//
// Each file takes the free chain that ended first, or a new one if all are busy. Chains become
// free in the order in which they end, so the free ones need a queue only, the busy ones a heap.
// The busy ones are also the overlap at this corner: a chain is new only if that is greater than
// ever before, so no other assignment has fewer chains.
class Sweep {
 public:
  Sweep(const PackedCorners& corners, Layout* layout) : corners_(corners), layout_(*layout) {
    layout_.chain_of.resize(layout_.reading_order.size());
    layout_.section_of.resize(layout_.reading_order.size());
  }

  void Run() {
    for (uint32_t i = 0; i < layout_.reading_order.size(); ++i) Add(i);
    layout_.max_depth = static_cast<uint32_t>(layout_.chains.size());
  }

 private:
  struct Busy {
    Place upper;  // of the last file
    uint32_t chain = 0;
  };

  void Add(uint32_t i) {
    const Place lower = LowerOf(corners_, layout_.reading_order[i]);
    FreeEnded(lower);
    if (i == 0 || BeginsSection(lower)) layout_.sections.push_back({i, i, 0});
    Extend(TakeChain(), lower.file);
    Section& section = layout_.sections.back();
    section.end = i + 1;
    section.depth = std::max(section.depth, static_cast<uint32_t>(busy_.size()));
    layout_.section_of[lower.file] = static_cast<uint32_t>(layout_.sections.size()) - 1;
  }

  void FreeEnded(const Place& lower) {
    while (!busy_.empty() && !IsAfter(busy_.front().upper, lower)) {
      free_.push(busy_.front().chain);
      std::pop_heap(busy_.begin(), busy_.end(), EndsLater{this});
      busy_.pop_back();
    }
  }

  // If a chain is busy, the greatest upper corner so far is after this one. If none is, all have
  // ended; the corner may still touch the last end.
  bool BeginsSection(const Place& lower) const {
    if (!busy_.empty()) return false;
    return corners_.Compare({greatest_, true}, {lower.file, false}) < 0;
  }

  uint32_t TakeChain() {
    if (free_.empty()) {
      layout_.chains.emplace_back();
      return static_cast<uint32_t>(layout_.chains.size()) - 1;
    }
    const uint32_t chain = free_.front();
    free_.pop();
    return chain;
  }

  void Extend(uint32_t chain, uint32_t file) {
    const bool is_first = layout_.chains.size() == 1 && layout_.chains[0].empty();
    layout_.chains[chain].push_back(file);
    layout_.chain_of[file] = chain;
    busy_.push_back({{corners_.head({file, true}), file}, chain});
    std::push_heap(busy_.begin(), busy_.end(), EndsLater{this});
    if (is_first || corners_.Compare({greatest_, true}, {file, true}) < 0) greatest_ = file;
  }

  // Is the upper corner after the lower one?
  bool IsAfter(const Place& upper, const Place& lower) const {
    if (upper.head != lower.head) return upper.head > lower.head;
    return corners_.Compare({upper.file, true}, {lower.file, false}) > 0;
  }

  // Puts the chain that ends first on top of the heap; of several, the one with the least number.
  struct EndsLater {
    const Sweep* sweep;
    bool operator()(const Busy& a, const Busy& b) const {
      if (a.upper.head != b.upper.head) return a.upper.head > b.upper.head;
      const auto order = sweep->corners_.Compare({a.upper.file, true}, {b.upper.file, true});
      return order != 0 ? order > 0 : a.chain > b.chain;
    }
  };

  const PackedCorners& corners_;
  Layout& layout_;
  std::vector<Busy> busy_;  // a heap
  std::queue<uint32_t> free_;
  uint32_t greatest_ = 0;  // the file whose upper corner is the greatest so far
};

}  // namespace

Layout MakeLayout(std::span<const SortKey> keys, std::span<const KeyRange> files) {
  Layout layout;
  const PackedCorners corners(keys, files);
  layout.reading_order = ReadingOrder(corners, files.size());
  Sweep(corners, &layout).Run();
  return layout;
}

}  // namespace esker
