// Load room: memory for deletes while they are loaded, charged before it is taken.
//
// How much a delete file will take is estimated from its footer, and made sure of batch by batch as
// it is read: counts on disk may be wrong. What it takes in the end stays charged for as long as
// the deletes are there.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "arrow/status.h"
#include "base/memory_budget.h"

namespace esker {

class LoadRoom {
 public:
  /// Tells what else will have to be charged beside the deletes being loaded. Asked before a
  /// refusal only, so it may cost reading.
  using Beside = std::function<int64_t()>;

  /// No budget: everything fits.
  LoadRoom() = default;
  /// `budget` may be null. About `decode_bytes` of a delete file are decoded at once.
  LoadRoom(std::shared_ptr<MemoryBudget> budget, int64_t decode_bytes, Beside beside);

  /// A charge of nothing, to be resized.
  MemoryCharge Charge() const { return {budget_.get(), 0}; }

  /// Resizes `charge`, making room where it grows. UsageError where that is not to be had, with a
  /// budget that is enough if `in_the_end_bytes`, or `bytes`, are all that the charge will need.
  arrow::Status Resize(MemoryCharge* charge, int64_t bytes, int64_t in_the_end_bytes = 0) const;

  /// What all rows of a file will take, by what the first `rows` do; at most 2^50.
  static int64_t Extrapolate(int64_t bytes, int64_t rows, int64_t all_rows);

  int64_t decode_bytes() const { return decode_bytes_; }

 private:
  std::shared_ptr<MemoryBudget> budget_;
  int64_t decode_bytes_ = 32 << 20;
  Beside beside_;
};

}  // namespace esker
