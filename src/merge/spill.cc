// Spill: unnamed temporary files of Arrow IPC streams.
#include "merge/spill.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "arrow/io/file.h"
#include "arrow/ipc/options.h"
#include "arrow/ipc/reader.h"
#include "arrow/ipc/writer.h"
#include "arrow/record_batch.h"
#include "arrow/util/byte_size.h"
#include "arrow/util/compression.h"
#include "base/status.h"

namespace esker {
namespace {

/// A file descriptor that is closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }

  int get() const { return fd_; }
  int release() { return std::exchange(fd_, -1); }

 private:
  int fd_;
};

arrow::Status ErrnoError(const std::string& where, const char* what) {
  return arrow::Status::IOError(where, ": ", what, ": ", std::strerror(errno));
}

arrow::Result<std::string> FolderOf(const SpillOptions& options) {
  if (!options.directory.empty()) return options.directory;
  std::error_code error;
  const auto folder = std::filesystem::temp_directory_path(error);
  if (error) return arrow::Status::IOError("no temporary folder to spill to: ", error.message());
  return folder.string();
}

/// A new file in `folder` that never had a name, so that nothing can leave it behind; or, where the
/// file system cannot make one, a file that lost its name at once.
arrow::Result<int> OpenUnnamed(const std::string& folder) {
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
  if (unnamed >= 0) return unnamed;
  std::string path = folder + "/esker-spill-XXXXXX";
  const int fd = ::mkostemp(path.data(), O_CLOEXEC);
  if (fd < 0) return ErrnoError(folder, "cannot create a spill file");
  if (::unlink(path.c_str()) != 0) {
    ::close(fd);
    return ErrnoError(path, "cannot unlink the spill file");
  }
  return fd;
}

arrow::Result<arrow::ipc::IpcWriteOptions> WriteOptions(arrow::MemoryPool* pool) {
  auto options = arrow::ipc::IpcWriteOptions::Defaults();
  options.memory_pool = pool;
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(options.codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
  return options;
}

// Types and fields without metadata, at any depth. Arrow's IPC reader makes extension arrays of
// what field metadata calls one (arrow.uuid), while all that we compute with is storage.
std::shared_ptr<arrow::Field> WithoutMetadata(const arrow::Field& field);

std::shared_ptr<arrow::DataType> WithoutMetadata(const std::shared_ptr<arrow::DataType>& type) {
  switch (type->id()) {
    case arrow::Type::STRUCT: {
      arrow::FieldVector members;
      for (const auto& member : type->fields()) members.push_back(WithoutMetadata(*member));
      return arrow::struct_(std::move(members));
    }
    case arrow::Type::LIST:
      return arrow::list(WithoutMetadata(*type->field(0)));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(*type);
      return std::make_shared<arrow::MapType>(
          WithoutMetadata(*map.key_field()), WithoutMetadata(*map.item_field()), map.keys_sorted());
    }
    default:
      return type;
  }
}

std::shared_ptr<arrow::Field> WithoutMetadata(const arrow::Field& field) {
  return arrow::field(field.name(), WithoutMetadata(field.type()), field.nullable());
}

std::shared_ptr<arrow::Schema> WithoutMetadata(const arrow::Schema& schema) {
  arrow::FieldVector fields;
  for (const auto& field : schema.fields()) fields.push_back(WithoutMetadata(*field));
  return arrow::schema(std::move(fields));
}

}  // namespace

struct SpillFile::Impl {
  Impl(int fd, std::string folder_name, int64_t part_size, arrow::MemoryPool* memory_pool,
       std::shared_ptr<ScanCounters> scan_counters)
      : file(fd),
        folder(std::move(folder_name)),
        part_bytes(part_size),
        pool(memory_pool),
        counters(std::move(scan_counters)) {}

  Descriptor file;
  std::string folder;
  int64_t part_bytes;
  std::shared_ptr<arrow::Schema> schema;  // of the batches that go in and come out
  arrow::MemoryPool* pool;
  std::shared_ptr<ScanCounters> counters;
  std::shared_ptr<arrow::io::FileOutputStream> stream;
  std::shared_ptr<arrow::ipc::RecordBatchWriter> writer;

  arrow::Status Place(const arrow::Status& status) const {
    return WithPlace(status, "spill file in " + folder);
  }

  // Arrow takes a descriptor over once it has opened it, and not before.
  arrow::Status OpenStream() {
    Descriptor copy(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
    if (copy.get() < 0) return ErrnoError(folder, "cannot reopen the spill file");
    ARROW_ASSIGN_OR_RAISE(stream, arrow::io::FileOutputStream::Open(copy.get()));
    copy.release();
    return arrow::Status::OK();
  }
};

SpillFile::SpillFile(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

SpillFile::~SpillFile() = default;

arrow::Result<std::unique_ptr<SpillFile>> SpillFile::Create(
    const SpillOptions& options, std::shared_ptr<arrow::Schema> schema, arrow::MemoryPool* pool,
    std::shared_ptr<ScanCounters> counters) {
  ARROW_ASSIGN_OR_RAISE(const std::string folder, FolderOf(options));
  ARROW_ASSIGN_OR_RAISE(const int fd, OpenUnnamed(folder));
  auto impl = std::make_unique<Impl>(fd, folder, options.part_bytes, pool, std::move(counters));
  ARROW_RETURN_NOT_OK(impl->OpenStream());
  ARROW_ASSIGN_OR_RAISE(const auto write_options, WriteOptions(pool));
  ARROW_ASSIGN_OR_RAISE(impl->writer, arrow::ipc::MakeStreamWriter(
                                          impl->stream, WithoutMetadata(*schema), write_options));
  impl->schema = std::move(schema);
  return std::unique_ptr<SpillFile>(new SpillFile(std::move(impl)));
}

arrow::Status SpillFile::Write(const arrow::RecordBatch& batch) {
  if (batch.num_rows() == 0) return arrow::Status::OK();
  ARROW_ASSIGN_OR_RAISE(const int64_t bytes, arrow::util::ReferencedBufferSize(batch));
  const int64_t parts = std::clamp<int64_t>(bytes / impl_->part_bytes + 1, 1, batch.num_rows());
  const int64_t rows = (batch.num_rows() + parts - 1) / parts;
  rows_ += batch.num_rows();
  plain_bytes_ += bytes;
  largest_part_ = std::max(largest_part_, bytes / parts);
  for (int64_t begin = 0; begin < batch.num_rows(); begin += rows) {
    ARROW_RETURN_NOT_OK(impl_->Place(impl_->writer->WriteRecordBatch(*batch.Slice(begin, rows))));
  }
  return arrow::Status::OK();
}

arrow::Status SpillFile::Finish() {
  ARROW_RETURN_NOT_OK(impl_->Place(impl_->writer->Close()));
  ARROW_ASSIGN_OR_RAISE(bytes_, impl_->stream->Tell());
  ARROW_RETURN_NOT_OK(impl_->Place(impl_->stream->Close()));
  impl_->writer.reset();
  impl_->stream.reset();
  if (impl_->counters != nullptr) impl_->counters->spilled_bytes += bytes_;
  return arrow::Status::OK();
}

SourceMemory SpillFile::read_memory() const {
  return {2 * largest_part_, plain_bytes_ / std::max<int64_t>(rows_, 1) + 1};
}

arrow::Result<NextBatch> SpillFile::Read() {
  if (::lseek(impl_->file.get(), 0, SEEK_SET) != 0) {
    return ErrnoError(impl_->folder, "cannot rewind the spill file");
  }
  ARROW_ASSIGN_OR_RAISE(auto file, arrow::io::ReadableFile::Open(impl_->file.get(), impl_->pool));
  impl_->file.release();
  auto options = arrow::ipc::IpcReadOptions::Defaults();
  options.memory_pool = impl_->pool;
  options.use_threads = false;
  ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(
                                         std::shared_ptr<arrow::io::InputStream>(file), options));
  return NextBatch([reader, schema = impl_->schema,
                    place = "spill file in " +
                            impl_->folder]() -> arrow::Result<std::shared_ptr<arrow::RecordBatch>> {
    std::shared_ptr<arrow::RecordBatch> batch;
    ARROW_RETURN_NOT_OK(WithPlace(reader->ReadNext(&batch), place));
    if (batch == nullptr) return batch;
    return arrow::RecordBatch::Make(schema, batch->num_rows(), batch->columns());
  });
}

}  // namespace esker
