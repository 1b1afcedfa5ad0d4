#include "testing/faulty_filesystem.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"

namespace esker::testing {

struct FaultState {
  // Counts one operation; an error if it is to fail. `*cut`, if given, tells a short read.
  arrow::Status Operation(const char* name, const std::string& path, bool* cut = nullptr) {
    std::this_thread::sleep_for(delay.load());
    const std::lock_guard lock(mutex);
    ++operations;
    if (fail_at == 0 || operations < fail_at) return arrow::Status::OK();
    if (operations > fail_at && fault != Fault::kFromThere) return arrow::Status::OK();
    if (fault == Fault::kShortRead) {
      if (cut != nullptr) *cut = hit = true;
      return arrow::Status::OK();
    }
    hit = true;
    return arrow::Status::IOError("planned fault at operation ", operations, ", ", name, " of ",
                                  path);
  }

  void Opened(const std::string& path) {
    const std::lock_guard lock(mutex);
    paths.push_back(path);
    peak_open = std::max(peak_open, ++open_now);
  }

  void Closed() {
    const std::lock_guard lock(mutex);
    --open_now;
  }

  std::atomic<std::chrono::microseconds> delay{std::chrono::microseconds(0)};
  mutable std::mutex mutex;
  int64_t operations = 0;
  int64_t fail_at = 0;
  Fault fault = Fault::kOnce;
  bool hit = false;
  std::vector<std::string> paths;
  int64_t open_now = 0;
  int64_t peak_open = 0;
};

namespace {

arrow::Status ReadOnly() { return arrow::Status::NotImplemented("a file system to read from"); }

class FaultyFile : public arrow::io::RandomAccessFile {
 public:
  FaultyFile(std::shared_ptr<arrow::io::RandomAccessFile> file, std::string path,
             std::shared_ptr<FaultState> state)
      : file_(std::move(file)), path_(std::move(path)), state_(std::move(state)) {
    state_->Opened(path_);
  }
  ~FaultyFile() override { Leave(); }

  arrow::Status Close() override {
    Leave();
    return file_->Close();
  }
  bool closed() const override { return file_->closed(); }
  arrow::Result<int64_t> Tell() const override { return file_->Tell(); }
  arrow::Status Seek(int64_t position) override { return file_->Seek(position); }
  arrow::Result<int64_t> GetSize() override { return file_->GetSize(); }

  arrow::Result<int64_t> Read(int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(bytes, Allowed("Read", bytes));
    return file_->Read(bytes, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> Read(int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(bytes, Allowed("Read", bytes));
    return file_->Read(bytes);
  }
  arrow::Result<int64_t> ReadAt(int64_t position, int64_t bytes, void* out) override {
    ARROW_ASSIGN_OR_RAISE(bytes, Allowed("ReadAt", bytes));
    return file_->ReadAt(position, bytes, out);
  }
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAt(int64_t position, int64_t bytes) override {
    ARROW_ASSIGN_OR_RAISE(bytes, Allowed("ReadAt", bytes));
    return file_->ReadAt(position, bytes);
  }

 private:
  arrow::Result<int64_t> Allowed(const char* name, int64_t bytes) {
    bool cut = false;
    ARROW_RETURN_NOT_OK(state_->Operation(name, path_, &cut));
    return cut ? bytes / 2 : bytes;
  }
  void Leave() {
    if (!std::exchange(left_, true)) state_->Closed();
  }

  std::shared_ptr<arrow::io::RandomAccessFile> file_;
  std::string path_;
  std::shared_ptr<FaultState> state_;
  bool left_ = false;
};

}  // namespace

FaultyFileSystem::FaultyFileSystem(std::shared_ptr<arrow::fs::FileSystem> base)
    : base_(std::move(base)), state_(std::make_shared<FaultState>()) {}

FaultyFileSystem::~FaultyFileSystem() = default;

void FaultyFileSystem::FailAt(int64_t operation, Fault fault) {
  const std::lock_guard lock(state_->mutex);
  state_->operations = 0;
  state_->fail_at = operation;
  state_->fault = fault;
  state_->hit = false;
  state_->paths.clear();
  state_->peak_open = state_->open_now;
}

void FaultyFileSystem::SlowDown(std::chrono::microseconds delay) { state_->delay = delay; }

int64_t FaultyFileSystem::operations() const {
  const std::lock_guard lock(state_->mutex);
  return state_->operations;
}

bool FaultyFileSystem::fault_hit() const {
  const std::lock_guard lock(state_->mutex);
  return state_->hit;
}

std::vector<std::string> FaultyFileSystem::opened() const {
  const std::lock_guard lock(state_->mutex);
  return state_->paths;
}

int64_t FaultyFileSystem::open_now() const {
  const std::lock_guard lock(state_->mutex);
  return state_->open_now;
}

int64_t FaultyFileSystem::peak_open() const {
  const std::lock_guard lock(state_->mutex);
  return state_->peak_open;
}

arrow::Result<arrow::fs::FileInfo> FaultyFileSystem::GetFileInfo(const std::string& path) {
  ARROW_RETURN_NOT_OK(state_->Operation("GetFileInfo", path));
  return base_->GetFileInfo(path);
}

arrow::Result<arrow::fs::FileInfoVector> FaultyFileSystem::GetFileInfo(
    const arrow::fs::FileSelector& select) {
  ARROW_RETURN_NOT_OK(state_->Operation("GetFileInfo", select.base_dir));
  return base_->GetFileInfo(select);
}

arrow::Result<std::shared_ptr<arrow::io::InputStream>> FaultyFileSystem::OpenInputStream(
    const std::string& path) {
  return OpenInputFile(path);
}

arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> FaultyFileSystem::OpenInputFile(
    const std::string& path) {
  ARROW_RETURN_NOT_OK(state_->Operation("OpenInputFile", path));
  ARROW_ASSIGN_OR_RAISE(auto file, base_->OpenInputFile(path));
  return std::make_shared<FaultyFile>(std::move(file), path, state_);
}

arrow::Status FaultyFileSystem::CreateDir(const std::string&, bool) { return ReadOnly(); }
arrow::Status FaultyFileSystem::DeleteDir(const std::string&) { return ReadOnly(); }
arrow::Status FaultyFileSystem::DeleteDirContents(const std::string&, bool) { return ReadOnly(); }
arrow::Status FaultyFileSystem::DeleteRootDirContents() { return ReadOnly(); }
arrow::Status FaultyFileSystem::DeleteFile(const std::string&) { return ReadOnly(); }
arrow::Status FaultyFileSystem::Move(const std::string&, const std::string&) { return ReadOnly(); }
arrow::Status FaultyFileSystem::CopyFile(const std::string&, const std::string&) {
  return ReadOnly();
}
arrow::Result<std::shared_ptr<arrow::io::OutputStream>> FaultyFileSystem::OpenOutputStream(
    const std::string&, const std::shared_ptr<const arrow::KeyValueMetadata>&) {
  return ReadOnly();
}
arrow::Result<std::shared_ptr<arrow::io::OutputStream>> FaultyFileSystem::OpenAppendStream(
    const std::string&, const std::shared_ptr<const arrow::KeyValueMetadata>&) {
  return ReadOnly();
}

}  // namespace esker::testing
