// Memory budget: what the open inputs of one scan may take, charged before it is taken.
//
// What a file will need is estimated from its footer (read/read_cost.h) before any of its rows is
// decoded. So the merge knows beforehand that one input more would be too much, and makes room by
// merging others to disk instead of finding out when memory has run dry. The budget counts
// estimates and not allocations: batches that a caller keeps do not make a scan spill.
//
// What is charged need not stay: idle delete sets can be loaded again, open inputs be merged to
// disk. Those who hold such things are *givers*, and are asked in turn when something does not fit.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/status.h"

namespace esker {

class MemoryGiver;

/// One budget in bytes, in two parts: three quarters for inputs, which are charged, and a quarter
/// for the window that is being merged, which is kept small enough instead. Not thread safe: only
/// the thread that merges opens and closes inputs. Outlives its charges.
class MemoryBudget {
 public:
  /// `bytes` at least 1.
  explicit MemoryBudget(int64_t bytes) : bytes_(bytes) {}
  MemoryBudget(const MemoryBudget&) = delete;
  MemoryBudget& operator=(const MemoryBudget&) = delete;

  int64_t bytes() const { return bytes_; }
  int64_t window_bytes() const { return bytes_ / 4; }
  int64_t input_bytes() const { return bytes_ - window_bytes(); }
  int64_t charged() const { return charged_; }
  bool Fits(int64_t bytes) const { return bytes <= input_bytes() - charged_; }

  /// Asks the givers until `bytes` fit: the earliest first, and from the start after each that
  /// gave. False if they have nothing left to give. Errors: those of the givers.
  arrow::Result<bool> MakeRoom(int64_t bytes);

  /// UsageError: the budget is too small to `do_what`, and `enough_bytes` are not.
  arrow::Status TooSmall(const std::string& do_what, int64_t enough_bytes) const;

  /// The least budget under which inputs could be charged with `input_bytes`.
  static int64_t BytesFor(int64_t input_bytes) { return input_bytes + (input_bytes + 2) / 3; }

 private:
  friend class MemoryCharge;
  friend class MemoryGiver;
  int64_t bytes_;
  int64_t charged_ = 0;
  std::vector<MemoryGiver*> givers_;
};

/// One who holds charged memory and can do without some of it; asked until it is destroyed.
class MemoryGiver {
 public:
  /// Lets some memory go; false if there is none that could go now. Must not ask for room itself.
  using Give = std::function<arrow::Result<bool>()>;

  /// Without a budget nobody will ask.
  MemoryGiver(std::shared_ptr<MemoryBudget> budget, Give give);
  MemoryGiver(const MemoryGiver&) = delete;
  MemoryGiver& operator=(const MemoryGiver&) = delete;
  ~MemoryGiver();

 private:
  friend class MemoryBudget;
  std::shared_ptr<MemoryBudget> budget_;
  Give give_;
};

/// A charge on a budget, until it is destroyed. May exceed the budget: who must not, asks Fits().
class MemoryCharge {
 public:
  MemoryCharge() = default;
  MemoryCharge(MemoryBudget* budget, int64_t bytes) : budget_(budget), bytes_(bytes) {
    if (budget_ != nullptr) budget_->charged_ += bytes_;
  }
  MemoryCharge(MemoryCharge&& other) noexcept
      : budget_(std::exchange(other.budget_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  MemoryCharge& operator=(MemoryCharge&& other) noexcept {
    std::swap(budget_, other.budget_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~MemoryCharge() {
    if (budget_ != nullptr) budget_->charged_ -= bytes_;
  }

  int64_t bytes() const { return bytes_; }

  /// Charges that much from now on. Without a budget, nothing but bytes() changes.
  void Resize(int64_t bytes) {
    if (budget_ != nullptr) budget_->charged_ += bytes - bytes_;
    bytes_ = bytes;
  }

 private:
  MemoryBudget* budget_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace esker
