// Arrow version check: compares the version macros of the headers with the library's own answer.
#include "base/arrow_version.h"

#include "arrow/config.h"
#include "arrow/status.h"

namespace esker {

arrow::Status CheckArrowVersion() {
  const arrow::BuildInfo& info = arrow::GetBuildInfo();
  return CheckArrowVersion({ARROW_VERSION_MAJOR, ARROW_VERSION_MINOR},
                           {info.version_major, info.version_minor});
}

arrow::Status CheckArrowVersion(ArrowRelease compiled, ArrowRelease loaded) {
  if (compiled.major == loaded.major && compiled.minor == loaded.minor) return arrow::Status::OK();
  return arrow::Status::Invalid("Esker was built for Arrow ", compiled.major, ".", compiled.minor,
                                " but Arrow ", loaded.major, ".", loaded.minor,
                                " was loaded; only patch releases fit each other");
}

}  // namespace esker
