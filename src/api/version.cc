#include "esker/version.h"

#include "arrow/config.h"
#include "fmt/format.h"

namespace esker {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

std::string VersionText() {
  return fmt::format("esker {} (Arrow {}, {})", ESKER_VERSION, arrow::GetBuildInfo().version_string,
                     kCompiler);
}

}  // namespace esker
