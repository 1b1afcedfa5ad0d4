#include "api/scan_reader.h"

#include <unistd.h>

#include <algorithm>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "merge/concat.h"
#include "merge/disorder.h"
#include "merge/lazy_merge.h"
#include "merge/run_sorter.h"
#include "merge/slice_source.h"
#include "merge/source_room.h"
#include "read/file_source.h"

namespace esker {
namespace {

using OpenSource = std::function<arrow::Result<std::unique_ptr<Source>>()>;

// What the open functions of all inputs share; kept alive by each of them.
struct ScanParts {
  std::shared_ptr<const PlannedScan> scan;
  std::shared_ptr<MemoryBudget> budget;
  ReadContext context;
  SpillOptions spill;
  int64_t most_sorter_bytes = 0;
};

// How many leading keys the rows of the file can be taken to obey. A caller that would rather have
// a lying file sorted than an error has every claim checked by its keys before a row goes out.
arrow::Result<size_t> SatisfiedKeys(const ScanParts& parts, const PlannedFile& file) {
  const PlannedScan& scan = *parts.scan;
  const size_t claimed = file.match.how == HowToRead::kPrefixSort ? file.match.satisfied
                         : file.match.how == HowToRead::kSort     ? 0
                                                                  : scan.keys.size();
  if (scan.options.on_disorder == OnDisorder::kError || claimed == 0) return claimed;
  ARROW_ASSIGN_OR_RAISE(auto source, OpenFileSource(parts.context, file.task, file.match.reversed));
  ARROW_RETURN_NOT_OK(MakeRoomFor(*source, parts.budget.get()));
  const MemoryCharge charge(parts.budget.get(), source->memory().held_bytes);
  ARROW_ASSIGN_OR_RAISE(const bool honest,
                        IsInOrder(source.get(), scan.keys, claimed, parts.context.pool));
  return honest ? claimed : 0;
}

// A sorter's equal share, or more if it then need not spill: better few sorters at once, and the
// others as sorted runs on disk, than many that spill each row twice.
int64_t SorterBytes(const ScanParts& parts, const PlannedFile& file, int64_t row_bytes) {
  constexpr int64_t kCopies = 4;  // rows read, their keys, rows sorted, and a margin
  int64_t wanted = 0;
  if (__builtin_mul_overflow(file.task.file.record_count, kCopies * row_bytes, &wanted)) {
    wanted = std::numeric_limits<int64_t>::max();
  }
  return std::max(parts.spill.memory_bytes, std::min(wanted, parts.most_sorter_bytes));
}

// `slice`: what a split wants of the file; null: all of it.
arrow::Result<std::unique_ptr<Source>> OpenOrdered(const ScanParts& parts, const PlannedFile& file,
                                                   std::shared_ptr<FileSlice> slice) {
  const PlannedScan& scan = *parts.scan;
  ARROW_ASSIGN_OR_RAISE(const size_t satisfied, SatisfiedKeys(parts, file));
  ReadContext context = parts.context;
  if (slice != nullptr) slice->any_order = satisfied == 0;
  context.slice = std::move(slice);
  ARROW_ASSIGN_OR_RAISE(auto source, OpenFileSource(context, file.task, file.match.reversed));
  if (satisfied == scan.keys.size()) return source;
  SpillOptions spill = parts.spill;
  spill.memory_bytes = SorterBytes(parts, file, source->memory().row_bytes);
  return MakeSortedSource(std::move(source), scan.keys, satisfied, scan.rows->output_schema,
                          std::move(spill), context.pool, context.counters,
                          context.slice == nullptr ? KeySlice{} : context.slice->slice);
}

// What a split wants of the file. A side on which the file should not reach beyond the slice is
// read to its end all the same: a row out there would be in no split, and must be found.
arrow::Result<std::unique_ptr<Source>> OpenSliced(const ScanParts& parts, const PlannedFile& file) {
  const PlannedScan& scan = *parts.scan;
  const KeySlice& slice = scan.split->slice;
  const SlicePlace place = PlaceInSlice(scan.keys, slice, file.range);
  auto wanted = std::make_shared<FileSlice>();
  wanted->keys = scan.keys;
  wanted->reversed = file.match.reversed;
  if (!place.begins) wanted->slice.lower = slice.lower;
  if (!place.ends) wanted->slice.upper = slice.upper;
  ARROW_ASSIGN_OR_RAISE(auto source, OpenOrdered(parts, file, std::move(wanted)));
  return MakeSliceSource(std::move(source), scan.keys, slice, {place, file.range},
                         parts.context.pool);
}

arrow::Result<std::unique_ptr<Source>> OpenPlanned(const ScanParts& parts,
                                                   const PlannedFile& file) {
  if (parts.scan->keys.empty()) return OpenFileSource(parts.context, file.task, false);
  if (parts.scan->split != nullptr) return OpenSliced(parts, file);
  return OpenOrdered(parts, file, nullptr);
}

OpenSource Opener(std::shared_ptr<const ScanParts> parts, const PlannedFile& file) {
  return [parts = std::move(parts), &file] { return OpenPlanned(*parts, file); };
}

int64_t MemoryBytes(const ScanOptions& options) {
  if (options.memory_bytes > 0) return options.memory_bytes;
  return int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGE_SIZE) / 2;
}

// How many files are open at once, at most.
int64_t FilesAtOnce(const PlannedScan& scan) {
  if (scan.keys.empty()) return 1;
  const auto cap = static_cast<uint32_t>(scan.options.max_merge_files);
  return std::clamp(scan.layout.max_depth, 1U, cap);
}

// Sorters that are at work at once share half of the budget.
int64_t SorterShare(const PlannedScan& scan, int64_t budget_bytes) {
  const auto sorters = std::count_if(scan.files.begin(), scan.files.end(), [](const auto& file) {
    return file.match.how == HowToRead::kSort || file.match.how == HowToRead::kPrefixSort;
  });
  const bool any_may_sort = scan.options.on_disorder == OnDisorder::kSort;
  const int64_t at_once =
      any_may_sort ? FilesAtOnce(scan) : std::clamp<int64_t>(sorters, 1, FilesAtOnce(scan));
  return std::max<int64_t>(budget_bytes / 2 / at_once, 1);
}

// Small parts under a small budget: there may be as many runs on disk as files are open.
SpillOptions SpillWithin(const PlannedScan& scan, int64_t budget_bytes) {
  constexpr int64_t kLeastPart = 16 << 10;
  constexpr int64_t kMostPart = 1 << 20;
  SpillOptions spill;
  spill.directory = scan.options.spill_dir;
  spill.memory_bytes = SorterShare(scan, budget_bytes);
  spill.part_bytes = std::clamp(budget_bytes / 256, kLeastPart, kMostPart);
  return spill;
}

// A sixteenth of its share for what a file decodes at once: there are pages, windows on the file
// and rows that wait besides.
int64_t DecodeBytes(const PlannedScan& scan, int64_t budget_bytes) {
  constexpr int64_t kLeast = 4 << 10;
  constexpr int64_t kMost = 32 << 20;
  return std::clamp(budget_bytes / (16 * FilesAtOnce(scan)), kLeast, kMost);
}

std::shared_ptr<const ScanParts> MakeParts(std::shared_ptr<const PlannedScan> scan,
                                           std::shared_ptr<const Storage> storage,
                                           std::shared_ptr<ScanCounters> counters,
                                           arrow::MemoryPool* pool,
                                           std::shared_ptr<TaskPool> tasks) {
  auto parts = std::make_shared<ScanParts>();
  parts->context.storage = storage;
  parts->context.request = scan->rows;
  parts->context.delete_schema = scan->delete_schema;
  const int64_t budget_bytes = MemoryBytes(scan->options);
  parts->budget = std::make_shared<MemoryBudget>(budget_bytes);
  parts->context.decode_bytes = DecodeBytes(*scan, budget_bytes);
  parts->context.deletes =
      std::make_shared<DeleteCache>(storage, scan->delete_schema, scan->rows->name_mapping,
                                    counters, pool, parts->budget, parts->context.decode_bytes);
  parts->context.counters = std::move(counters);
  parts->context.pool = pool;
  parts->context.tasks = std::move(tasks);
  // Under a limit, or of a file of which a split takes a part, rows ahead may be rows for nothing.
  parts->context.read_ahead = !scan->request.limit.has_value() && scan->split == nullptr;
  parts->spill = SpillWithin(*scan, budget_bytes);
  parts->most_sorter_bytes = budget_bytes / 8;
  parts->scan = std::move(scan);
  return parts;
}

// Columns that are decoded side by side hold more at once than one after another: a small budget is
// better spent on inputs.
int ThreadsOf(const ScanOptions& options) {
  constexpr unsigned kMost = 16;  // columns and inputs of a window seldom keep more of them busy
  constexpr int64_t kBytesForOne = 32 << 20;
  const int64_t asked = options.threads > 0
                            ? options.threads
                            : std::clamp(std::thread::hardware_concurrency(), 1U, kMost);
  return static_cast<int>(std::clamp<int64_t>(MemoryBytes(options) / kBytesForOne, 1, asked));
}

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeUnordered(
    const std::shared_ptr<const ScanParts>& parts, std::shared_ptr<ScanCounters> counters) {
  std::vector<OpenSource> inputs;
  for (const PlannedFile& file : parts->scan->files) inputs.push_back(Opener(parts, file));
  return MakeConcat(std::move(inputs), parts->scan->rows->output_schema,
                    parts->scan->request.limit.value_or(-1), std::move(counters), parts->budget);
}

}  // namespace

arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> MakeScanReader(
    std::shared_ptr<const PlannedScan> scan, std::shared_ptr<const Storage> storage,
    std::shared_ptr<ScanCounters> counters, arrow::MemoryPool* pool) {
  ARROW_ASSIGN_OR_RAISE(auto tasks, TaskPool::Make(ThreadsOf(scan->options)));
  const auto parts = MakeParts(std::move(scan), std::move(storage), counters, pool, tasks);
  const PlannedScan& planned = *parts->scan;
  if (planned.keys.empty()) return MakeUnordered(parts, std::move(counters));
  std::vector<MergeInput> inputs;
  inputs.reserve(planned.files.size());
  for (const PlannedFile& file : planned.files) {
    inputs.push_back({file.range.lower, file.range.upper, Opener(parts, file), file.claim_text});
  }
  MergeOptions options;
  options.batch_rows = planned.options.batch_rows;
  options.limit = planned.request.limit.value_or(-1);
  options.max_open = planned.options.max_merge_files;
  options.budget = parts->budget;
  options.window_bytes = std::max<int64_t>(options.budget->window_bytes(), 1);
  options.spill = parts->spill;
  options.pool = pool;
  options.tasks = std::move(tasks);
  return MakeLazyMerge(std::move(inputs), planned.keys, planned.rows->output_schema, options,
                       std::move(counters));
}

}  // namespace esker
