#include "esker/version.h"

#include "arrow/config.h"
#include "fmt/format.h"

namespace esker {
namespace {

constexpr const char* kVersion = "0.1.0";

#if defined(__clang__)
constexpr const char* kCompiler = "clang++ " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

}  // namespace

std::string VersionText() {
  return fmt::format("esker {} (Arrow {}, {})", kVersion, arrow::GetBuildInfo().version_string,
                     kCompiler);
}

}  // namespace esker
