#include "sink.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

#include "arrow/io/interfaces.h"
#include "arrow/util/io_util.h"

namespace esker::cli {
namespace {

// The name of the unfinished file where the signal handler finds it: a handler may touch no heap.
std::array<char, 4096> g_unfinished = {};

void RememberUnfinished(const std::string& path) {
  g_unfinished[0] = '\0';
  if (path.size() + 1 > g_unfinished.size()) return;
  std::memcpy(g_unfinished.data(), path.c_str(), path.size() + 1);
}

extern "C" void EndOnSignal(int signal) {
  if (g_unfinished[0] != '\0') unlink(g_unfinished.data());
  _exit(128 + signal);
}

bool IsSpecialFile(const std::string& path) {
  struct stat info;
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// Writes to a file descriptor, which it closes. Arrow's own stream asks a pipe for its position,
// which a pipe has not; this one counts.
class DescriptorStream : public arrow::io::OutputStream {
 public:
  DescriptorStream(int descriptor, std::string name)
      : descriptor_(descriptor), name_(std::move(name)) {}
  ~DescriptorStream() override { Close().ok(); }

  arrow::Status Write(const void* data, int64_t bytes) override {
    const char* next = static_cast<const char*>(data);
    for (int64_t left = bytes; left > 0;) {
      const ssize_t written = write(descriptor_, next, static_cast<size_t>(left));
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) return Failed();
      next += written;
      left -= written;
    }
    position_ += bytes;
    return arrow::Status::OK();
  }

  arrow::Status Close() override {
    if (closed()) return arrow::Status::OK();
    const int status = close(std::exchange(descriptor_, -1));
    return status == 0 ? arrow::Status::OK() : Failed();
  }

  arrow::Result<int64_t> Tell() const override { return position_; }
  bool closed() const override { return descriptor_ < 0; }

 private:
  arrow::Status Failed() const {
    return arrow::internal::IOErrorFromErrno(errno, "cannot write ", name_);
  }

  int descriptor_;
  std::string name_;
  int64_t position_ = 0;
};

arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenDescriptor(int descriptor,
                                                                       const std::string& name) {
  if (descriptor < 0) {
    return arrow::internal::IOErrorFromErrno(errno, "cannot write ", name);
  }
  return std::make_shared<DescriptorStream>(descriptor, name);
}

}  // namespace

arrow::Result<std::unique_ptr<Sink>> Sink::Make(std::string path) {
  std::unique_ptr<Sink> sink(new Sink);
  if (path.empty()) {
    ARROW_ASSIGN_OR_RAISE(sink->stream_, OpenDescriptor(dup(STDOUT_FILENO), "standard output"));
    return sink;
  }
  sink->path_ = std::move(path);
  if (IsSpecialFile(sink->path_)) {
    ARROW_ASSIGN_OR_RAISE(sink->stream_,
                          OpenDescriptor(open(sink->path_.c_str(), O_WRONLY), sink->path_));
    return sink;
  }
  const std::string unfinished = sink->path_ + ".unfinished-" + std::to_string(getpid());
  RememberUnfinished(unfinished);  // first: a signal may come right after the file is there
  const int descriptor = open(unfinished.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0) RememberUnfinished("");
  ARROW_ASSIGN_OR_RAISE(sink->stream_, OpenDescriptor(descriptor, sink->path_));
  sink->unfinished_ = unfinished;
  return sink;
}

Sink::~Sink() {
  if (stream_ != nullptr && !stream_->closed()) stream_->Abort().ok();
  if (unfinished_.empty()) return;
  unlink(unfinished_.c_str());
  RememberUnfinished("");
}

arrow::Status Sink::Keep() {
  ARROW_RETURN_NOT_OK(stream_->Close());
  if (unfinished_.empty()) return arrow::Status::OK();
  if (rename(unfinished_.c_str(), path_.c_str()) != 0) {
    return arrow::internal::IOErrorFromErrno(errno, "cannot write ", path_);
  }
  unfinished_.clear();
  RememberUnfinished("");
  return arrow::Status::OK();
}

bool IsClosedPipe(const arrow::Status& status) {
  return arrow::internal::ErrnoFromStatus(status) == EPIPE;
}

void HandleSignals() {
  struct sigaction action = {};
  action.sa_handler = EndOnSignal;
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaction(signal, &action, nullptr);
  // A closed pipe is an error of write(), which is told from others, not a death by signal.
  std::signal(SIGPIPE, SIG_IGN);
}

}  // namespace esker::cli
