// Versions: of Esker, of the Arrow that it runs on, of the compiler that built it.
#pragma once

#include <string>

namespace esker {

/// "esker 0.1.0 (Arrow 25.0.1, g++ 12.2.0)". The Arrow version is that of the loaded library.
std::string VersionText();

}  // namespace esker
