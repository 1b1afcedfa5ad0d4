// Fuzz target: position delete files. Whatever the bytes, reading ends in a set or a Status.
//
// A file that is read must give the same positions again, narrowed down to each of its paths.

#include <cstdint>
#include <cstdlib>
#include <memory>

#include "arrow/buffer.h"
#include "arrow/io/memory.h"
#include "arrow/memory_pool.h"
#include "read/position_deletes.h"

namespace {

constexpr int64_t kMaxBytes = int64_t{256} << 20;

arrow::Result<esker::PositionsByPath> Read(const uint8_t* data, size_t size,
                                           const std::optional<std::string>& only_path) {
  arrow::CappedMemoryPool pool(arrow::default_memory_pool(), kMaxBytes);
  auto buffer = std::make_shared<arrow::Buffer>(data, static_cast<int64_t>(size));
  return esker::ReadPositionDeletes(std::make_shared<arrow::io::BufferReader>(buffer), only_path,
                                    &pool);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto deletes = Read(data, size, std::nullopt);
  if (!deletes.ok()) return 0;
  size_t paths = 0;
  for (const auto& [path, positions] : *deletes) {
    const auto one = Read(data, size, path);
    if (!one.ok() || one->size() != 1 || !(*one->at(path) == *positions)) std::abort();
    if (++paths == 8) break;
  }
  return 0;
}
