// Gzip (RFC 1952), which metadata files may be packed in (spec: Appendix C, Table Metadata).
//
// Writers name such files in three different ways, so a reader looks at the first bytes instead.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "arrow/result.h"

namespace esker {

/// Whether `bytes` start as a gzip file does.
bool IsGzip(std::string_view bytes);

/// Inflates a whole gzip file, which may have several members one after another. Zero bytes after
/// the last member are padding. Invalid if it is cut, damaged (length and checksum are compared),
/// followed by something else, or if it inflates to more than `max_bytes`; memory stays within
/// twice that.
arrow::Result<std::string> InflateGzip(std::string_view bytes, size_t max_bytes);

}  // namespace esker
