// Making errors of a kind (esker/error.h) and saying where they happened.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "arrow/status.h"
#include "esker/error.h"

namespace esker {

/// MakeError with the message put together from `args` as arrow::Status::Invalid(args...) does.
template <typename... Args>
arrow::Status UsageError(Args&&... args) {
  return MakeError(ErrorKind::kUsage,
                   arrow::Status::Invalid(std::forward<Args>(args)...).message());
}
template <typename... Args>
arrow::Status DisorderError(Args&&... args) {
  return MakeError(ErrorKind::kDisorder,
                   arrow::Status::Invalid(std::forward<Args>(args)...).message());
}
template <typename... Args>
arrow::Status NotFoundError(Args&&... args) {
  return MakeError(ErrorKind::kNotFound,
                   arrow::Status::Invalid(std::forward<Args>(args)...).message());
}
template <typename... Args>
arrow::Status UnsupportedError(Args&&... args) {
  return MakeError(ErrorKind::kUnsupported,
                   arrow::Status::Invalid(std::forward<Args>(args)...).message());
}

/// `status` with "`where`: " put before its message, once: a message that already starts so is
/// left alone. Keeps code and kind. An ok status is returned as it is.
arrow::Status WithPlace(const arrow::Status& status, std::string_view where);

}  // namespace esker
