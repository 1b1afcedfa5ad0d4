#include "catalog/storage.h"

#include <algorithm>
#include <atomic>

#include "arrow/buffer.h"
#include "arrow/filesystem/filesystem.h"
#include "arrow/filesystem/localfs.h"
#include "arrow/io/interfaces.h"
#include "base/ascii.h"
#include "base/status.h"

namespace esker {
namespace {

bool StartsWithWord(std::string_view text, std::string_view word) {
  return EqualsIgnoringCase(text.substr(0, word.size()), word);
}

// A trailing slash says nothing, but for those of "/" and "s3://".
std::string_view WithoutTrailingSlash(std::string_view path) {
  while (path.size() > 1 && path.back() == '/' && !path.ends_with(":/") && !path.ends_with("://")) {
    path.remove_suffix(1);
  }
  return path;
}

// Whether `prefix` is `location` or a folder above it.
bool IsAtOrAbove(std::string_view prefix, std::string_view location) {
  if (!location.starts_with(prefix)) return false;
  return location.size() == prefix.size() || prefix.ends_with('/') ||
         location[prefix.size()] == '/';
}

std::string Join(std::string_view folder, std::string_view rest) {
  while (rest.starts_with('/')) rest.remove_prefix(1);
  if (folder.empty() || rest.empty()) return std::string(folder.empty() ? rest : folder);
  std::string joined(folder);
  if (!joined.ends_with('/')) joined += '/';
  return joined.append(rest);
}

bool HasParentSegment(std::string_view path) {
  for (size_t start = 0; start <= path.size();) {
    const size_t end = std::min(path.find('/', start), path.size());
    if (path.substr(start, end - start) == "..") return true;
    start = end + 1;
  }
  return false;
}

// Wrappers in tests have names of their own, so what cannot serve "file:" is listed, not what can.
bool IsObjectStore(const arrow::fs::FileSystem& filesystem) {
  const std::string name = filesystem.type_name();
  return name == "s3" || name == "gcs" || name == "abfs" || name == "hdfs";
}

PrefixMap Sorted(PrefixMap map) {
  std::erase_if(map, [](const auto& rule) { return rule.first.empty(); });
  std::stable_sort(map.begin(), map.end(),
                   [](const auto& a, const auto& b) { return a.first.size() > b.first.size(); });
  return map;
}

std::pair<std::string, std::string> CleanRule(std::string_view from, std::string_view to) {
  return {std::string(WithoutTrailingSlash(LocalPathOf(from))),
          std::string(WithoutTrailingSlash(LocalPathOf(to)))};
}

PrefixMap Cleaned(const PrefixMap& map) {
  PrefixMap cleaned;
  for (const auto& [from, to] : map) cleaned.push_back(CleanRule(from, to));
  return Sorted(std::move(cleaned));
}

/// A file that counts the reads that go through it.
///
/// Every read ends in one of the forms below: Arrow's asynchronous and batched reads call ReadAt()
/// unless they are overridden, and here they are not.
class CountingFile : public arrow::io::RandomAccessFile {
 public:
  CountingFile(std::shared_ptr<arrow::io::RandomAccessFile> file,
               std::shared_ptr<ScanCounters> counters)
      : file_(std::move(file)), counters_(std::move(counters)) {}

  arrow::Status Close() override { return file_->Close(); }
  arrow::Status Abort() override { return file_->Abort(); }
  bool closed() const override { return file_->closed(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }
  bool supports_zero_copy() const override { return file_->supports_zero_copy(); }
  const arrow::io::IOContext& io_context() const override { return file_->io_context(); }
  arrow::Status WillNeed(const std::vector<arrow::io::ReadRange>& ranges) override {
    return file_->WillNeed(ranges);
  }

  arrow::Result<int64_t> Read(int64_t size, void* out) override {
    return Counted(file_->Read(size, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t size) override {
    return Counted(file_->Read(size));
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, void* out) override {
    return Counted(file_->ReadAt(position, size, out));
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t size, bool allow_short_read,
                                void* out) override {
    return Counted(file_->ReadAt(position, size, allow_short_read, out));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t size) override {
    return Counted(file_->ReadAt(position, size));
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t size,
                                                       bool allow_short_read) override {
    return Counted(file_->ReadAt(position, size, allow_short_read));
  }

 private:
  static int64_t SizeOf(int64_t bytes) { return bytes; }
  static int64_t SizeOf(const std::shared_ptr<arrow::Buffer>& buffer) { return buffer->size(); }

  template <typename T>
  arrow::Result<T> Counted(arrow::Result<T> read) {
    counters_->requests.fetch_add(1, std::memory_order_relaxed);
    if (read.ok()) counters_->bytes_read.fetch_add(SizeOf(*read), std::memory_order_relaxed);
    return read;
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::shared_ptr<ScanCounters> counters_;
};

arrow::Result<std::shared_ptr<arrow::Buffer>> WholeFile(arrow::io::RandomAccessFile* file,
                                                        const std::string& location,
                                                        int64_t max_bytes) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  if (size > max_bytes) {
    return arrow::Status::Invalid("'", location, "' has ", size, " bytes, above the limit of ",
                                  max_bytes);
  }
  ARROW_ASSIGN_OR_RAISE(auto buffer, file->ReadAt(0, size));
  if (buffer->size() != size) {
    return arrow::Status::IOError("'", location, "' gave ", buffer->size(), " of its ", size,
                                  " bytes");
  }
  return buffer;
}

}  // namespace

std::string_view LocalPathOf(std::string_view location) {
  if (!StartsWithWord(location, "file:/")) return location;
  std::string_view path = location.substr(5);
  if (!path.starts_with("//")) return path;
  const std::string_view authority_and_path = path.substr(2);
  if (StartsWithWord(authority_and_path, "localhost/")) return authority_and_path.substr(9);
  return authority_and_path.starts_with('/') ? authority_and_path : location;
}

std::string_view SchemeOf(std::string_view location) {
  if (StartsWithWord(location, "file:/")) return location.substr(0, 4);
  const size_t end = location.find("://");
  if (end == std::string_view::npos || end == 0) return {};
  const std::string_view scheme = location.substr(0, end);
  const bool word = std::all_of(scheme.begin(), scheme.end(), [](char c) {
    return IsAsciiLetter(c) || IsAsciiDigit(c) || c == '+' || c == '-' || c == '.';
  });
  return word ? scheme : std::string_view();
}

Storage::Storage(std::shared_ptr<arrow::fs::FileSystem> filesystem, PrefixMap map)
    : filesystem_(std::move(filesystem)), map_(Cleaned(map)) {
  if (filesystem_ == nullptr) filesystem_ = std::make_shared<arrow::fs::LocalFileSystem>();
}

Storage Storage::WithRule(std::string from, std::string to) const {
  Storage copy = *this;
  copy.map_.push_back(CleanRule(from, to));
  copy.map_ = Sorted(std::move(copy.map_));
  return copy;
}

std::pair<std::string, bool> Storage::Map(std::string_view location) const {
  for (const auto& [from, to] : map_) {
    if (!IsAtOrAbove(from, location)) continue;
    return {Join(to, location.substr(from.size())), true};
  }
  return {std::string(location), false};
}

arrow::Result<std::string> Storage::Resolve(std::string_view location) const {
  if (HasParentSegment(location)) {
    return arrow::Status::Invalid("file location '", location,
                                  "' has a '..' segment, which could lead out of the table");
  }
  return Served(location);
}

arrow::Result<std::string> Storage::Served(std::string_view location) const {
  if (location.empty()) return arrow::Status::Invalid("an empty file location");
  if (location.find('\0') != std::string_view::npos) {
    return arrow::Status::Invalid("a file location with a NUL byte: '",
                                  location.substr(0, location.find('\0')), "…'");
  }
  auto [path, mapped] = Map(LocalPathOf(location));
  const bool local_uri = !mapped && SchemeOf(location) == "file" && IsObjectStore(*filesystem_);
  if (SchemeOf(path).empty() && !local_uri) return path;
  return UnsupportedError("file location '", location, "' is of the storage '",
                          SchemeOf(local_uri ? location : path),
                          "', which the table's own storage does not serve; --map FROM=TO gives "
                          "the place of a copy");
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Storage::Open(
    const std::string& location, std::shared_ptr<ScanCounters> counters) const {
  ARROW_ASSIGN_OR_RAISE(const std::string path, Resolve(location));
  ARROW_ASSIGN_OR_RAISE(auto file, OpenAt(path, location));
  if (counters == nullptr) return file;
  return std::make_shared<CountingFile>(std::move(file), std::move(counters));
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Storage::OpenAt(
    const std::string& path, const std::string& location) const {
  auto opened = filesystem_->OpenInputFile(path);
  if (opened.ok()) return opened;
  const arrow::Status& status = opened.status();
  return arrow::Status(arrow::StatusCode::IOError,
                       "cannot open '" + location + "'" +
                           (path == location ? "" : " at '" + path + "'") + ": " + status.message(),
                       status.detail());
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Storage::ReadAll(
    const std::string& location, int64_t max_bytes, std::shared_ptr<ScanCounters> counters) const {
  ARROW_ASSIGN_OR_RAISE(const auto file, Open(location, std::move(counters)));
  return WholeFile(file.get(), location, max_bytes);
}

arrow::Result<std::shared_ptr<arrow::Buffer>> Storage::ReadNamed(const std::string& path,
                                                                 int64_t max_bytes) const {
  ARROW_ASSIGN_OR_RAISE(const std::string served, Served(path));
  ARROW_ASSIGN_OR_RAISE(const auto file, OpenAt(served, path));
  return WholeFile(file.get(), path, max_bytes);
}

}  // namespace esker
