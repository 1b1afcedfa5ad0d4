// Cut choice: one curve for each key.
//
// Terms: the *curve* of a key is the number of rows before each place of its scale. It is made of
// *steps*, the places where a file begins or ends; in between it is a straight line. A file that
// begins and ends with the same value makes the curve *jump*. A step where a file begins has a
// *rank*, the half-rank of that corner, and is a place where a cut costs nothing.
#include "order/cut_choice.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "format/transform.h"
#include "order/key_scale.h"
#include "order/key_slice.h"

namespace esker {
namespace {

using Kind = HalfRank::Kind;

// Places of null slots, outside the scale of the values.
constexpr double kNullFirstPlace = -1;
constexpr double kNullLastPlace = 2;
// How far from where it is wanted a cut between two files is taken rather than one inside a file.
constexpr double kToleranceOfPart = 1.0 / 8;
// Stretches that are narrower are points as far as a double can tell.
constexpr double kLeastWidth = 1e-9;
// Parts of fewer rows than this share of all are rounding.
constexpr double kLeastShare = 1e-9;

bool IsNullSlot(const HalfRank& rank) {
  return rank.kind == Kind::kNullFirst || rank.kind == Kind::kNullLast;
}

// A value that can be placed. NaN is above all numbers, as an open end is.
bool IsPlaced(const HalfRank& rank) { return rank.kind == Kind::kValue && !IsNan(rank.value); }

// The rank as one that a cut may have; null if it is none. Bounds of fixed bytes may be cut short.
std::optional<HalfRank> RankOfCut(const SortKey& key, HalfRank rank) {
  if (IsNullSlot(rank)) return rank;
  if (!IsPlaced(rank)) return std::nullopt;
  const Type type = TransformResultType(key.transform, key.type);
  if (auto* bytes = std::get_if<std::string>(&rank.value); bytes && type.id == TypeId::kFixed) {
    bytes->resize(static_cast<size_t>(type.length), '\0');
  }
  if (!IsWholeValue(rank.value, type)) return std::nullopt;
  return rank;
}

// The rows of one file between two places.
struct Stretch {
  double begin = 0;
  double end = 0;
  double rows = 0;
  const HalfRank* rank = nullptr;  // of the begin, if a cut can be there
  const WeighedRange* file = nullptr;
  bool is_point = false;  // one value, or nulls alone
};

struct Step {
  double place = 0;
  double before = 0;  // rows before the place
  double after = 0;   // and with those at it
  const HalfRank* rank = nullptr;
  std::vector<const WeighedRange*> points;  // files that lie at this place as a whole
};

// The best of the cuts that were looked at for one target.
class BestCut {
 public:
  explicit BestCut(double target) : target_(target) {}

  double target() const { return target_; }

  /// The cheapest wins; of equals the first, so look at short corners first.
  void Consider(double cost, Corner key, double rows_before) {
    if (best_ && cost >= cost_) return;
    best_ = Cut{std::move(key), rows_before};
    cost_ = cost;
  }
  void Consider(Corner key, double rows_before) {
    Consider(std::abs(rows_before - target_), std::move(key), rows_before);
  }

  std::optional<Cut> Take() { return std::move(best_); }

 private:
  double target_;
  double cost_ = 0;
  std::optional<Cut> best_;
};

// The curve of one key, over files that are equal in all keys before it.
class Curve {
 public:
  /// `prefix` is what they are equal in; `rows_before` of all files come before these.
  Curve(std::span<const SortKey> keys, Corner prefix,
        const std::vector<const WeighedRange*>& files, double rows_before)
      : keys_(keys), prefix_(std::move(prefix)) {
    MakeScale(files);
    MakeSteps(StretchesOf(files), rows_before);
  }

  void Search(double tolerance, BestCut* best) {
    ConsiderRanks(best);
    const auto step = std::partition_point(
        steps_.begin(), steps_.end(),
        [&](const Step& each) { return each.after < best->target(); });
    if (step == steps_.end()) return;
    if (step->before < best->target()) {
      SearchJump(*step, tolerance, best);
    } else if (step != steps_.begin()) {
      ConsiderBetween(*(step - 1), *step, tolerance, best);
    }
  }

 private:
  const SortKey& key() const { return keys_[prefix_.size()]; }

  Corner CutAt(HalfRank rank) const {
    Corner cut = prefix_;
    cut.push_back(std::move(rank));
    return cut;
  }

  void MakeScale(const std::vector<const WeighedRange*>& files) {
    const Value* least = nullptr;
    const Value* greatest = nullptr;
    for (const WeighedRange* file : files) {
      for (const Corner* corner : {&file->range->lower, &file->range->upper}) {
        const HalfRank& rank = (*corner)[prefix_.size()];
        if (!IsPlaced(rank)) continue;
        if (least == nullptr || CompareValues(rank.value, *least) < 0) least = &rank.value;
        if (greatest == nullptr || CompareValues(rank.value, *greatest) > 0) greatest = &rank.value;
      }
    }
    if (least != nullptr) scale_.emplace(key(), *least, *greatest);
  }

  std::vector<Stretch> StretchesOf(const std::vector<const WeighedRange*>& files) const {
    std::vector<Stretch> stretches;
    for (const WeighedRange* file : files) {
      const HalfRank& lower = file->range->lower[prefix_.size()];
      const HalfRank& upper = file->range->upper[prefix_.size()];
      Stretch stretch;
      stretch.rows = static_cast<double>(file->rows);
      stretch.file = file;
      stretch.is_point = CompareHalfRanks(key(), lower, upper) == 0 &&
                         (IsPlaced(lower) || IsNullSlot(lower));
      if (IsPlaced(lower) || stretch.is_point) stretch.rank = &lower;
      stretch.begin = stretch.is_point && IsNullSlot(lower) ? NullPlace() : BeginOf(lower);
      stretch.end = stretch.is_point ? stretch.begin : std::max(stretch.begin, EndOf(upper));
      stretches.push_back(stretch);
    }
    return stretches;
  }

  double NullPlace() const { return key().nulls_first ? kNullFirstPlace : kNullLastPlace; }
  double BeginOf(const HalfRank& rank) const {
    return IsPlaced(rank) ? scale_->BeginOf(rank.value) : 0;
  }
  double EndOf(const HalfRank& rank) const {
    return IsPlaced(rank) ? scale_->EndOf(rank.value) : scale_ ? 1 : 0;
  }

  // Sweeps over the places where stretches begin and end.
  void MakeSteps(const std::vector<Stretch>& stretches, double rows) {
    struct Change {
      double jump = 0;
      double slope = 0;  // rows that a whole unit of the line gets more
      const HalfRank* rank = nullptr;
      std::vector<const WeighedRange*> points;
    };
    std::map<double, Change> changes;
    for (const Stretch& stretch : stretches) {
      Change& change = changes[stretch.begin];
      if (change.rank == nullptr) change.rank = stretch.rank;
      if (stretch.end - stretch.begin > kLeastWidth) {
        const double slope = stretch.rows / (stretch.end - stretch.begin);
        change.slope += slope;
        changes[stretch.end].slope -= slope;
      } else {
        change.jump += stretch.rows;
        if (stretch.is_point) change.points.push_back(stretch.file);
      }
    }
    double slope = 0;
    double place = 0;
    for (auto& [at, change] : changes) {
      if (!steps_.empty()) rows += std::max(0.0, slope) * (at - place);
      steps_.push_back({at, rows, rows + change.jump, change.rank, std::move(change.points)});
      rows += change.jump;
      slope += change.slope;
      place = at;
    }
  }

  // The cuts between files on both sides of the target.
  void ConsiderRanks(BestCut* best) const {
    const auto is_begin = [](const Step& step) { return step.rank != nullptr; };
    const auto middle = std::partition_point(
        steps_.begin(), steps_.end(),
        [&](const Step& each) { return each.before < best->target(); });
    const auto after = std::find_if(middle, steps_.end(), is_begin);
    if (after != steps_.end()) ConsiderStep(*after, best);
    const auto before = std::find_if(std::make_reverse_iterator(middle), steps_.rend(), is_begin);
    if (before != steps_.rend()) ConsiderStep(*before, best);
  }

  void ConsiderStep(const Step& step, BestCut* best) const {
    if (auto rank = RankOfCut(key(), *step.rank)) best->Consider(CutAt(*rank), step.before);
  }

  // A value on the line between two steps.
  void ConsiderBetween(const Step& from, const Step& to, double tolerance, BestCut* best) const {
    if (!scale_ || to.before <= from.after) return;
    const double slope = (to.before - from.after) / (to.place - from.place);
    const Value value = scale_->ValueAt(from.place + (best->target() - from.after) / slope);
    const auto rank = RankOfCut(key(), {Kind::kValue, value});
    if (!rank) return;
    const double place = std::clamp(scale_->BeginOf(rank->value), from.place, to.place);
    const double rows = from.after + slope * (place - from.place);
    best->Consider(std::max(tolerance, std::abs(rows - best->target())), CutAt(*rank), rows);
  }

  // The target lies among files that are equal in this key, too.
  void SearchJump(const Step& step, double tolerance, BestCut* best) {
    if (step.points.empty() || step.rank == nullptr || prefix_.size() + 1 == keys_.size()) return;
    auto rank = RankOfCut(key(), *step.rank);
    if (!rank) return;
    auto& curve = jumps_[&step];
    if (curve == nullptr) {
      curve = std::make_unique<Curve>(keys_, CutAt(*std::move(rank)), step.points, step.before);
    }
    curve->Search(tolerance, best);
  }

  std::span<const SortKey> keys_;
  Corner prefix_;
  std::optional<KeyScale> scale_;  // none: no value is known
  std::vector<Step> steps_;        // by place
  std::map<const Step*, std::unique_ptr<Curve>> jumps_;
};

}  // namespace

std::vector<Cut> ChooseCuts(std::span<const SortKey> keys, std::span<const WeighedRange> files,
                            int32_t parts) {
  std::vector<Cut> cuts;
  std::vector<const WeighedRange*> all;
  double total = 0;
  for (const WeighedRange& file : files) {
    all.push_back(&file);
    total += static_cast<double>(file.rows);
  }
  if (keys.empty() || total <= 0) return cuts;
  if (total < parts) parts = static_cast<int32_t>(total);
  Curve curve(keys, {}, all, 0);
  const double least = total * kLeastShare;
  for (int32_t i = 1; i < parts; ++i) {
    BestCut best(total * i / parts);
    curve.Search(kToleranceOfPart * total / parts, &best);
    auto cut = best.Take();
    if (!cut || cut->rows_before < least || cut->rows_before > total - least) continue;
    const bool rises = cuts.empty() || (cut->rows_before > cuts.back().rows_before + least &&
                                        CompareCuts(keys, cuts.back().key, cut->key) < 0);
    if (rises) cuts.push_back(*std::move(cut));
  }
  return cuts;
}

}  // namespace esker
