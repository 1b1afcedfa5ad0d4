// Selected pages: Arrow's reader of a file, with some pages of its column chunks left out.
//
// Arrow asks for one page after another and does not look where they come from. Here they come from
// the runs of a PageSelection, each read through a window of its own; the bytes between runs are
// not touched. What the index said of a page is held against the page itself: it has as many rows,
// and begins with one. So an index that lies ends in an error, not in rows of the wrong place.
#pragma once

#include <memory>

#include "parquet/file_reader.h"
#include "parquet/properties.h"
#include "read/page_selection.h"

namespace esker {

/// `contents`, opened with `properties`, for the selection's row groups in their order, with its
/// pages alone. `file` and `pages` must outlive the result. Throws Invalid, as Parquet does, for a
/// page that is not as its index says.
std::unique_ptr<parquet::ParquetFileReader::Contents> SelectPages(
    std::unique_ptr<parquet::ParquetFileReader::Contents> contents, const ParquetFile& file,
    PageSelection* pages);

}  // namespace esker
