#include "read/vector_files.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "base/status.h"
#include "format/deletion_vector.h"
#include "format/puffin.h"

namespace esker {
namespace {

// A file up to this size is read at once.
constexpr int64_t kSmallBytes = 1 << 20;
// A vector in memory beside its bytes: most are one to one. Those of scattered rows take more,
// which shows when they are there.
constexpr int64_t kParsedGrowth = 2;
// A footer as JSON and as a list of blobs, beside its bytes.
constexpr int64_t kFooterGrowth = 16;

std::vector<std::pair<int64_t, int64_t>> VectorsOf(const PuffinFile& file) {
  std::vector<std::pair<int64_t, int64_t>> vectors;
  for (const PuffinBlob& blob : file.blobs) {
    if (IsVectorBlob(blob)) vectors.emplace_back(blob.offset, blob.length);
  }
  std::sort(vectors.begin(), vectors.end());
  return vectors;
}

arrow::Result<PuffinFile> ReadFooter(arrow::io::RandomAccessFile* file, int64_t size,
                                     const LoadRoom& room, MemoryCharge* charge) {
  ARROW_ASSIGN_OR_RAISE(const auto trailer,
                        file->ReadAt(size - kPuffinTrailerBytes, kPuffinTrailerBytes));
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, PuffinFooterBytes(std::string_view(*trailer), size));
  ARROW_RETURN_NOT_OK(room.Resize(charge, kFooterGrowth * bytes));
  ARROW_ASSIGN_OR_RAISE(const auto footer, file->ReadAt(size - bytes, bytes));
  if (footer->size() != bytes) return arrow::Status::IOError("a short read of a Puffin footer");
  return ParsePuffinFooter(std::string_view(*footer), size);
}

}  // namespace

VectorFiles::VectorFiles(std::shared_ptr<const Storage> storage,
                         std::shared_ptr<ScanCounters> counters)
    : storage_(std::move(storage)), counters_(std::move(counters)) {}

arrow::Result<PositionSet> VectorFiles::Read(const DataFile& vector, const LoadRoom& room,
                                             MemoryCharge* charge) {
  const auto named = [&](const arrow::Status& status) {
    return WithPlace(status, "deletion vector for " +
                                 vector.referenced_data_file.value_or("no file") + " in " +
                                 vector.path);
  };
  auto positions = ReadUnnamed(vector, room, charge);
  if (!positions.ok()) return named(positions.status());
  ARROW_RETURN_NOT_OK(named(room.Resize(charge, positions->memory_bytes())));
  const int64_t cardinality = positions->cardinality();
  if (cardinality == vector.record_count) return positions;
  return arrow::Status::Invalid("deletion vector for ", *vector.referenced_data_file, " in ",
                                vector.path, ": it has ", cardinality,
                                " positions, the manifest says ", vector.record_count);
}

arrow::Result<PositionSet> VectorFiles::ReadUnnamed(const DataFile& vector, const LoadRoom& room,
                                                    MemoryCharge* charge) {
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
    if (!container->is_read) return ReadFirst(vector, room, charge, container.get());
  }
  return ReadRange(vector, room, charge, *container);
}

arrow::Result<PositionSet> VectorFiles::ReadFirst(const DataFile& vector, const LoadRoom& room,
                                                  MemoryCharge* charge, Container* container) {
  ARROW_ASSIGN_OR_RAISE(const auto input, storage_->Open(vector.path, counters_));
  ARROW_ASSIGN_OR_RAISE(const int64_t size, input->GetSize());
  if (size > kSmallBytes) {
    ARROW_ASSIGN_OR_RAISE(const auto head, input->ReadAt(0, kPuffinTrailerBytes));
    if (LooksLikePuffin(std::string_view(*head))) {
      ARROW_ASSIGN_OR_RAISE(const PuffinFile puffin, ReadFooter(input.get(), size, room, charge));
      container->vectors = VectorsOf(puffin);
    }
    container->is_read = true;
    return ReadRange(vector, room, charge, *container);
  }
  ARROW_RETURN_NOT_OK(room.Resize(charge, (1 + kParsedGrowth) * size));
  ARROW_ASSIGN_OR_RAISE(const auto buffer, input->ReadAt(0, size));
  const std::string_view file = std::string_view(*buffer);
  ARROW_ASSIGN_OR_RAISE(
      auto positions, ReadDeletionVector(file, *vector.content_offset, *vector.content_size_bytes));
  if (LooksLikePuffin(file)) {
    ARROW_ASSIGN_OR_RAISE(const PuffinFile puffin, ParsePuffin(file));
    container->vectors = VectorsOf(puffin);
  }
  container->is_read = true;
  return positions;
}

arrow::Result<PositionSet> VectorFiles::ReadRange(const DataFile& vector, const LoadRoom& room,
                                                  MemoryCharge* charge,
                                                  const Container& container) {
  const int64_t offset = *vector.content_offset;
  const int64_t size = *vector.content_size_bytes;
  if (container.vectors && !std::binary_search(container.vectors->begin(), container.vectors->end(),
                                               std::pair(offset, size))) {
    return arrow::Status::Invalid("no uncompressed deletion vector at ", offset, " of ", size,
                                  " bytes in the Puffin file");
  }
  ARROW_ASSIGN_OR_RAISE(const auto file, storage_->Open(vector.path, counters_));
  ARROW_ASSIGN_OR_RAISE(const int64_t file_size, file->GetSize());
  if (offset < 0 || size < 0 || offset > file_size || size > file_size - offset) {
    return arrow::Status::Invalid("it lies outside of its file of ", file_size, " bytes");
  }
  ARROW_RETURN_NOT_OK(room.Resize(charge, (1 + kParsedGrowth) * size));
  ARROW_ASSIGN_OR_RAISE(const auto blob, file->ReadAt(offset, size));
  return ParseDeletionVector(std::string_view(*blob));
}

}  // namespace esker
