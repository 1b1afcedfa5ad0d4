// Parquet's exceptions as Status. The library throws where a file is damaged; Esker never does.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "arrow/status.h"
#include "parquet/exception.h"

namespace esker {

/// Calls `call`, which gives a Status, and turns what it throws into one: the Status that a
/// ParquetStatusException carries, Invalid for any other.
template <typename Call>
arrow::Status CatchParquet(Call&& call) {
  try {
    return std::forward<Call>(call)();
  } catch (const ::parquet::ParquetStatusException& e) {
    return e.status();
  } catch (const ::parquet::ParquetException& e) {
    return arrow::Status::Invalid(e.what());
  } catch (const std::bad_alloc&) {
    return arrow::Status::OutOfMemory("no memory while reading Parquet");
  } catch (const std::exception& e) {
    return arrow::Status::Invalid(e.what());
  }
}

}  // namespace esker
