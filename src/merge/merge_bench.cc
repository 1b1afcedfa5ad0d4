// Benchmarks of the merge alone: sources are in memory, so that what is timed is keys, kernels and
// gathering, not decoding. Each prints a hash of its ordered rows.
//
// Run merge_bench --benchmark_filter=merge-random; --benchmark_min_time=0.01 is the small version.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "benchmark/benchmark.h"
#include "merge/lazy_merge.h"
#include "testing/random_keys.h"
#include "testing/scripted_source.h"

namespace esker {
namespace {

constexpr int64_t kRows = 4'000'000;

struct Workload {
  SortKeys keys{testing::MakeKey("timestamp", false, true)};
  std::vector<testing::ReferenceInput> files;
};

std::shared_ptr<arrow::Array> Int64s(const std::vector<int64_t>& numbers,
                                     const std::shared_ptr<arrow::DataType>& type) {
  arrow::Int64Builder builder;
  if (!builder.AppendValues(numbers).ok()) return nullptr;
  return builder.Finish().ValueOrDie()->View(type).ValueOrDie();
}

testing::ReferenceInput FileOf(std::vector<int64_t> times, int64_t first_row) {
  std::sort(times.begin(), times.end());
  std::vector<int64_t> numbers(times.size());
  arrow::DoubleBuilder reals;
  for (size_t i = 0; i < times.size(); ++i) {
    numbers[i] = first_row + static_cast<int64_t>(i);
    if (!reals.Append(static_cast<double>(i)).ok()) return {};
  }
  const auto ts = Int64s(times, arrow::timestamp(arrow::TimeUnit::MICRO));
  const auto id = Int64s(numbers, arrow::int64());
  const auto rows = static_cast<int64_t>(times.size());
  testing::ReferenceInput file;
  file.keys = arrow::RecordBatch::Make(arrow::schema({arrow::field("ts", ts->type())}), rows, {ts});
  file.rows = arrow::RecordBatch::Make(
      arrow::schema({arrow::field("ts", ts->type()), arrow::field("id", arrow::int64()),
                     arrow::field("v", arrow::float64())}),
      rows, {ts, id, reals.Finish().ValueOrDie()});
  return file;
}

/// `files` files; in each the times are drawn from everything, or from a range of its own.
Workload MakeWorkload(int64_t files, bool disjoint) {
  std::mt19937_64 random(7);
  constexpr int64_t kYear = int64_t{365} * 86400 * 1000000;
  Workload load;
  for (int64_t i = 0; i < files; ++i) {
    const int64_t width = disjoint ? kYear / files : kYear;
    std::uniform_int_distribution<int64_t> draw(0, width - 1);
    std::vector<int64_t> times(kRows / files);
    for (auto& time : times) time = draw(random) + (disjoint ? i * width : 0);
    load.files.push_back(FileOf(std::move(times), i * (kRows / files)));
  }
  return load;
}

/// FNV over the ids in order.
uint64_t HashBatch(const arrow::RecordBatch& batch, uint64_t hash) {
  const auto& ids = static_cast<const arrow::Int64Array&>(*batch.column(1));
  for (int64_t i = 0; i < ids.length(); ++i) {
    hash = (hash ^ static_cast<uint64_t>(ids.Value(i))) * 1099511628211ull;
  }
  return hash;
}

std::shared_ptr<arrow::RecordBatchReader> Open(const Workload& load,
                                               const std::shared_ptr<ScanCounters>& counters) {
  std::vector<MergeInput> inputs;
  for (const auto& file : load.files) {
    const KeyRange range = testing::ExactRange(load.keys, *file.keys);
    inputs.push_back(
        {range.lower, range.upper,
         testing::OpenScripted(file, {.key_batch_rows = 16384, .row_batch_rows = 16384}, counters),
         "bench"});
  }
  return MakeLazyMerge(std::move(inputs), load.keys, load.files[0].rows->schema(), {}, counters)
      .ValueOrDie();
}

void RunMerge(benchmark::State& state, int64_t files, bool disjoint) {
  const Workload load = MakeWorkload(files, disjoint);
  auto counters = std::make_shared<ScanCounters>();
  uint64_t hash = 0;
  for (auto _ : state) {
    counters = std::make_shared<ScanCounters>();
    const auto reader = Open(load, counters);
    hash = 14695981039346656037ull;
    while (auto batch = reader->Next().ValueOrDie()) {
      state.PauseTiming();
      hash = HashBatch(*batch, hash);
      state.ResumeTiming();
    }
  }
  state.SetItemsProcessed(state.iterations() * kRows);
  state.counters["runs"] = static_cast<double>(counters->runs);
  state.counters["peak_open"] = static_cast<double>(counters->peak_open_files);
  state.SetLabel("hash " + std::to_string(hash));
}

const bool kRegistered = [] {
  for (const int64_t files : {2, 8, 64, 512}) {
    benchmark::RegisterBenchmark(("merge-random-" + std::to_string(files)).c_str(), RunMerge, files,
                                 false)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("chain-disjoint-64", RunMerge, int64_t{64}, true)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace esker
