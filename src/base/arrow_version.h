// Arrow version check: is the Arrow library that was loaded the one Esker was compiled against?
//
// Only patch releases of Arrow share an ABI. With another libarrow on the library path (a second
// pyarrow, an upgraded system) calls would land in code of a different layout, so every program
// asks this before anything else of Arrow is used.
#pragma once

#include "arrow/type_fwd.h"

namespace esker {

/// A release of Arrow, without its patch number.
struct ArrowRelease {
  int major;
  int minor;
};

/// OK when the loaded Arrow has the major and minor version of the headers Esker was compiled
/// with, else Invalid with both versions in words. Touches no file; cheap; any thread.
arrow::Status CheckArrowVersion();

/// The same check for given releases: `compiled` from the headers, `loaded` from the library.
arrow::Status CheckArrowVersion(ArrowRelease compiled, ArrowRelease loaded);

}  // namespace esker
