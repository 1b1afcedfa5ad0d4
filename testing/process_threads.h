// How many threads this process has, to see that those of a scan come and go.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <thread>

namespace esker::testing {

inline int64_t ProcessThreads() {
  const std::filesystem::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads));
}

/// The number once it has come down to `expected`, or after a while. A thread that was joined is
/// listed a moment longer.
inline int64_t ProcessThreadsDownTo(int64_t expected) {
  for (int i = 0; i < 10000 && ProcessThreads() > expected; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return ProcessThreads();
}

}  // namespace esker::testing
