// Window: the safe bound, and the rows at or before it.
#include "merge/window.h"

#include <algorithm>
#include <cstddef>

namespace esker {
namespace {

constexpr size_t kBehindAllInputs = static_cast<size_t>(-1);

/// Inside are: of `input` the rows up to this very one, of inputs before it those with keys up to
/// this key, of inputs behind it those with smaller keys.
struct Bound {
  KeyRow key;
  size_t input = kBehindAllInputs;
};

void Tighten(Bound* bound, KeyRow key, size_t input) {
  if (bound->key.empty()) {
    *bound = {key, input};
    return;
  }
  const auto order = CompareKeys(key, bound->key);
  if (order < 0 || (order == 0 && input <= bound->input)) *bound = {key, input};
}

std::vector<KeySpan> Cut(std::span<const WindowInput> inputs, const Bound& bound) {
  std::vector<KeySpan> spans;
  spans.reserve(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    KeySpan span = inputs[i].decoded;
    if (i == bound.input) {
      span.end = bound.key.row + 1;
    } else if (!bound.key.empty()) {
      span.end = FindBound(*span.keys, span.begin, span.end, bound.key, i < bound.input);
    }
    spans.push_back(span);
  }
  return spans;
}

int64_t TotalRows(std::span<const KeySpan> spans) {
  int64_t rows = 0;
  for (const KeySpan& span : spans) rows += span.rows();
  return rows;
}

/// The bound of a smaller window: no input that is in it gives more than `share` rows.
Bound ShareBound(std::span<const KeySpan> spans, Bound bound, int64_t share) {
  for (size_t i = 0; i < spans.size(); ++i) {
    if (spans[i].rows() > share) Tighten(&bound, {spans[i].keys, spans[i].begin + share - 1}, i);
  }
  return bound;
}

/// Makes a window of more than `max_rows` smaller. Equal shares are safe but, where one input
/// gives nearly all rows, far too small: so shares double as long as the window still fits.
std::vector<KeySpan> Shrink(std::span<const WindowInput> inputs, const Bound& bound,
                            const std::vector<KeySpan>& whole, int64_t max_rows) {
  const auto inside = std::count_if(whole.begin(), whole.end(),
                                    [](const KeySpan& span) { return span.rows() > 0; });
  int64_t share = std::max<int64_t>(1, max_rows / inside);
  std::vector<KeySpan> best = Cut(inputs, ShareBound(whole, bound, share));
  while (TotalRows(best) < max_rows) {
    share *= 2;
    std::vector<KeySpan> larger = Cut(inputs, ShareBound(whole, bound, share));
    if (TotalRows(larger) > max_rows) break;
    best = std::move(larger);
  }
  return best;
}

}  // namespace

std::vector<KeySpan> ChooseWindow(std::span<const WindowInput> inputs, KeyRow next_corner,
                                  int64_t max_rows) {
  Bound bound;
  if (!next_corner.empty()) bound.key = next_corner;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const KeySpan& rows = inputs[i].decoded;
    if (inputs[i].has_more) Tighten(&bound, {rows.keys, rows.end - 1}, i);
  }
  std::vector<KeySpan> spans = Cut(inputs, bound);
  if (TotalRows(spans) <= max_rows) return spans;
  return Shrink(inputs, bound, spans, max_rows);
}

}  // namespace esker
