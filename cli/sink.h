// Sink: where the rows of `esker scan` go.
//
// With -o a file of another name is written beside the wanted one and takes its place when all is
// done, so that a failure, an interrupt or a full disk never leaves half a file behind. What is no
// regular file (a pipe, /dev/null) is written straight. Without -o rows go to standard output.
#pragma once

#include <memory>
#include <string>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace arrow::io {
class OutputStream;
}

namespace esker::cli {

class Sink {
 public:
  /// `path` "" for standard output. IOError where the file cannot be made.
  static arrow::Result<std::unique_ptr<Sink>> Make(std::string path);
  /// Removes what was not kept.
  ~Sink();

  arrow::io::OutputStream* stream() { return stream_.get(); }
  /// Closes the stream and gives the file its name.
  arrow::Status Keep();

 private:
  Sink() = default;
  std::shared_ptr<arrow::io::OutputStream> stream_;
  std::string path_;
  std::string unfinished_;  ///< "" where nothing is to be renamed or removed
};

/// Has the reader of standard output gone away (`| head`)? Then there is nothing left to do.
bool IsClosedPipe(const arrow::Status& status);

/// On an interrupt or a request to end: removes the unfinished file, ends with 128 + signal.
/// Safe at any moment: spilled data lies in files without names.
void HandleSignals();

}  // namespace esker::cli
