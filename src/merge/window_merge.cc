// Window merge: from waiting keys to taken rows.
#include "merge/window_merge.h"

#include <algorithm>
#include <cstddef>

#include "merge/window.h"

namespace esker {
namespace {

std::vector<WindowInput> WindowInputs(std::span<const std::unique_ptr<OpenInput>> inputs) {
  std::vector<WindowInput> window;
  window.reserve(inputs.size());
  for (const auto& input : inputs) window.push_back({input->span(), input->has_more()});
  return window;
}

void CountWindow(std::span<const KeySpan> spans, size_t runs, ScanCounters* counters) {
  int64_t rows = 0;
  int inputs = 0;
  for (const KeySpan& span : spans) {
    rows += span.rows();
    inputs += span.rows() > 0 ? 1 : 0;
  }
  counters->runs.fetch_add(static_cast<int64_t>(runs), std::memory_order_relaxed);
  if (inputs >= 2) counters->compared_rows.fetch_add(rows, std::memory_order_relaxed);
}

/// Cuts the list of runs after `rows` rows; returns how many rows are left in it.
int64_t CutRuns(int64_t rows, std::vector<RowRun>* runs) {
  int64_t count = 0;
  for (size_t i = 0; i < runs->size(); ++i) {
    RowRun& run = (*runs)[i];
    if (rows >= 0 && count + run.count >= rows) {
      run.count = rows - count;
      runs->resize(run.count > 0 ? i + 1 : i);
      return rows;
    }
    count += run.count;
  }
  return count;
}

}  // namespace

arrow::Result<MergedWindow> MergeWindow(std::span<const std::unique_ptr<OpenInput>> inputs,
                                        KeyRow next_corner, WindowLimits limits,
                                        const MergeContext& context) {
  const std::vector<KeySpan> spans =
      ChooseWindow(WindowInputs(inputs), next_corner, limits.window_rows);
  MergedWindow window;
  MergeSpans(spans, &window.runs);
  window.row_count = CutRuns(limits.take_rows, &window.runs);
  CountWindow(spans, window.runs.size(), context.counters.get());

  std::vector<int64_t> counts(inputs.size(), 0);
  for (const RowRun& run : window.runs) counts[run.span] += run.count;
  const uint32_t last = window.runs.back().span;
  const int64_t last_row = spans[last].begin + counts[last] - 1;
  ARROW_ASSIGN_OR_RAISE(window.last_key,
                        JoinKeys(*spans[last].keys, last_row, last_row + 1, {}, context.pool));

  window.rows.resize(inputs.size());
  window.keys.resize(inputs.size());
  ARROW_RETURN_NOT_OK(ForEach(context.tasks.get(), inputs.size(), [&](size_t i) {
    if (counts[i] == 0) return arrow::Status::OK();
    return inputs[i]->Take(counts[i], &window.rows[i],
                           limits.with_keys ? &window.keys[i] : nullptr);
  }));
  return window;
}

arrow::Status RefillInputs(int64_t window_rows, std::vector<std::unique_ptr<OpenInput>>* inputs,
                           const MergeContext& context) {
  // Half a share: with less the windows get short, with more keys are copied needlessly.
  const int64_t rows =
      std::max<int64_t>(1, window_rows / (2 * std::max<int64_t>(1, std::ssize(*inputs))));
  std::vector<arrow::Status> refilled(inputs->size());
  ARROW_UNUSED(ForEach(context.tasks.get(), inputs->size(),
                       [&](size_t i) { return refilled[i] = (*inputs)[i]->Refill(rows); }));
  auto next = refilled.begin();
  for (size_t i = 0; i < inputs->size(); ++i) {
    ARROW_RETURN_NOT_OK(*next++);
    ARROW_ASSIGN_OR_RAISE(std::unique_ptr<OpenInput> block, (*inputs)[i]->TakeNanBlock());
    if (block == nullptr) continue;
    inputs->insert(inputs->begin() + static_cast<std::ptrdiff_t>(i), std::move(block));
    ARROW_RETURN_NOT_OK((*inputs)[i]->Refill(rows));
    ++i;
  }
  CloseEnded(inputs, context.counters.get());
  return arrow::Status::OK();
}

void CloseEnded(std::vector<std::unique_ptr<OpenInput>>* inputs, ScanCounters* counters) {
  std::erase_if(*inputs, [counters](const std::unique_ptr<OpenInput>& input) {
    if (!input->ended()) return false;
    if (input->MissesUpper()) ++counters->misses_after_upper;
    return true;
  });
}

}  // namespace esker
