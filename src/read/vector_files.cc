#include "read/vector_files.h"

#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "base/status.h"
#include "format/deletion_vector.h"

namespace esker {

VectorFiles::VectorFiles(std::shared_ptr<const Storage> storage,
                         std::shared_ptr<ScanCounters> counters)
    : storage_(std::move(storage)), counters_(std::move(counters)) {}

arrow::Result<PositionSet> VectorFiles::Read(const DataFile& vector) {
  auto positions = ReadUnnamed(vector);
  if (!positions.ok()) {
    return WithPlace(positions.status(), "deletion vector for " +
                                             vector.referenced_data_file.value_or("no file") +
                                             " in " + vector.path);
  }
  const int64_t cardinality = positions->cardinality();
  if (cardinality == vector.record_count) return positions;
  return arrow::Status::Invalid("deletion vector for ", *vector.referenced_data_file, " in ",
                                vector.path, ": it has ", cardinality,
                                " positions, the manifest says ", vector.record_count);
}

arrow::Result<PositionSet> VectorFiles::ReadUnnamed(const DataFile& vector) {
  if (vector.format != "PUFFIN") {
    return arrow::Status::Invalid("a deletion vector in a file of format ", vector.format);
  }
  if (!vector.referenced_data_file || !vector.content_offset || !vector.content_size_bytes) {
    return arrow::Status::Invalid(
        "no referenced_data_file, content_offset or content_size_in_bytes");
  }
  std::shared_ptr<Container> container;
  {
    const std::lock_guard lock(mutex_);
    auto& known = containers_[vector.path];
    if (known == nullptr) known = std::make_shared<Container>();
    container = known;
  }
  {
    const std::lock_guard lock(container->mutex);
    if (!container->is_read) return ReadFirst(vector, container.get());
  }
  return ReadRange(vector, *container);
}

arrow::Result<PositionSet> VectorFiles::ReadFirst(const DataFile& vector, Container* container) {
  ARROW_ASSIGN_OR_RAISE(const auto buffer,
                        storage_->ReadAll(vector.path, int64_t{1} << 31, counters_));
  const std::string_view file(*buffer);
  ARROW_ASSIGN_OR_RAISE(
      auto positions, ReadDeletionVector(file, *vector.content_offset, *vector.content_size_bytes));
  if (LooksLikePuffin(file)) {
    ARROW_ASSIGN_OR_RAISE(container->puffin, ParsePuffin(file));
  }
  container->is_read = true;
  return positions;
}

arrow::Result<PositionSet> VectorFiles::ReadRange(const DataFile& vector,
                                                  const Container& container) {
  const int64_t offset = *vector.content_offset;
  const int64_t size = *vector.content_size_bytes;
  if (container.puffin) {
    ARROW_RETURN_NOT_OK(CheckVectorBlob(*container.puffin, offset, size));
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, storage_->Open(vector.path, counters_));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, file->GetSize());
  if (offset < 0 || size < 0 || offset > file_size || size > file_size - offset) {
    return arrow::Status::Invalid("it lies outside of its file of ", file_size, " bytes");
  }
  ARROW_ASSIGN_OR_RAISE(const auto blob, file->ReadAt(offset, size));
  return ParseDeletionVector(std::string_view(*blob));
}

}  // namespace esker
