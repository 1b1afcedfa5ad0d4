// Faulty file system: wraps another one, counts what is done with it, and lets it fail on purpose.
//
//     auto faulty = std::make_shared<FaultyFileSystem>(memory);
//     faulty->FailAt(3);               // the third operation from now on gives an IOError
//     ... faulty->fault_hit() tells whether it came to that; faulty->open_now() what is still open
//
// Operations are GetFileInfo, opening a file, and each read. Closing a file is none: it cannot fail
// here. Thread safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrow/filesystem/filesystem.h"

namespace esker::testing {

enum class Fault {
  kOnce,       ///< that operation fails, later ones work
  kFromThere,  ///< that operation and all later ones fail
  kShortRead,  ///< that operation, if it is a read, gives half of the bytes it could
};

/// What wrapper and opened files share.
struct FaultState;

class FaultyFileSystem : public arrow::fs::FileSystem {
 public:
  explicit FaultyFileSystem(std::shared_ptr<arrow::fs::FileSystem> base);
  ~FaultyFileSystem() override;

  /// Operation number `operation`, counted from 1 at this call, goes wrong. 0: none.
  void FailAt(int64_t operation, Fault fault = Fault::kOnce);

  /// Every operation from now on takes so much longer, each waiting for itself alone.
  void SlowDown(std::chrono::microseconds delay);

  /// Since the last FailAt().
  int64_t operations() const;
  bool fault_hit() const;
  std::vector<std::string> opened() const;  ///< paths in the order in which they were opened

  int64_t open_now() const;
  int64_t peak_open() const;  ///< since the last FailAt()

  std::string type_name() const override { return "faulty"; }
  bool Equals(const FileSystem& other) const override { return this == &other; }

  using FileSystem::CreateDir;
  using FileSystem::DeleteDirContents;
  using FileSystem::GetFileInfo;
  using FileSystem::OpenAppendStream;
  using FileSystem::OpenInputFile;
  using FileSystem::OpenInputStream;
  using FileSystem::OpenOutputStream;

  arrow::Result<arrow::fs::FileInfo> GetFileInfo(const std::string& path) override;
  arrow::Result<arrow::fs::FileInfoVector> GetFileInfo(
      const arrow::fs::FileSelector& select) override;
  arrow::Result<std::shared_ptr<arrow::io::InputStream>> OpenInputStream(
      const std::string& path) override;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenInputFile(
      const std::string& path) override;

  // The rest is for writers, and refused: nothing that is under test writes.
  arrow::Status CreateDir(const std::string& path, bool recursive) override;
  arrow::Status DeleteDir(const std::string& path) override;
  arrow::Status DeleteDirContents(const std::string& path, bool missing_dir_ok) override;
  arrow::Status DeleteRootDirContents() override;
  arrow::Status DeleteFile(const std::string& path) override;
  arrow::Status Move(const std::string& src, const std::string& dest) override;
  arrow::Status CopyFile(const std::string& src, const std::string& dest) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenOutputStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override;
  arrow::Result<std::shared_ptr<arrow::io::OutputStream>> OpenAppendStream(
      const std::string& path,
      const std::shared_ptr<const arrow::KeyValueMetadata>& metadata) override;

 private:
  std::shared_ptr<arrow::fs::FileSystem> base_;
  std::shared_ptr<FaultState> state_;
};

}  // namespace esker::testing
