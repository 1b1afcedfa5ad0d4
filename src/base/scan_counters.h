// Counters of one scan: what was opened, read, merged and spilled. The numbers of `--stats`.
//
// Counts are asserted in tests where times cannot be, so they are exact. Atomics, because columns
// are read on several threads; relaxed order is enough for counting.
#pragma once

#include <atomic>
#include <cstdint>

namespace esker {

struct ScanCounters {
  std::atomic<int64_t> rows{0};     ///< rows out
  std::atomic<int64_t> batches{0};  ///< batches out
  std::atomic<int64_t> files_opened{0};
  std::atomic<int64_t> open_files{0};
  std::atomic<int64_t> peak_open_files{0};
  std::atomic<int64_t> row_groups_read{0};
  std::atomic<int64_t> row_groups_skipped{0};
  std::atomic<int64_t> pages_skipped{0};  ///< data pages left out of row groups that were read
  std::atomic<int64_t> requests{0};       ///< read calls on storage, data and delete files
  std::atomic<int64_t> bytes_read{0};     ///< by those calls
  std::atomic<int64_t> spilled_bytes{0};
  std::atomic<int64_t> runs{0};           ///< stretches of rows taken from one input at once
  std::atomic<int64_t> compared_rows{0};  ///< rows that took part in a merge of two or more inputs
  std::atomic<int64_t> misses_before_lower{0};  ///< files whose first row came before their bound
  std::atomic<int64_t> misses_after_upper{0};   ///< files whose last row came after their bound

  /// Counts a file as open until CountClose(). Keeps the peak.
  void CountOpen() {
    files_opened.fetch_add(1, std::memory_order_relaxed);
    const int64_t now = open_files.fetch_add(1, std::memory_order_relaxed) + 1;
    int64_t peak = peak_open_files.load(std::memory_order_relaxed);
    while (now > peak && !peak_open_files.compare_exchange_weak(peak, now)) {
    }
  }
  void CountClose() { open_files.fetch_sub(1, std::memory_order_relaxed); }
};

}  // namespace esker
