// Storage: from a location, as the metadata records it, to a file that can be opened.
//
// Tables move. A table found somewhere else than its metadata says is read from where it was
// found: a location that starts with the recorded table location is taken below the found one,
// and `--map FROM=TO` replaces any other prefix. The longest matching prefix wins; a prefix
// matches whole path segments only. Beyond that, locations are opaque strings: '#', '?', '%' and
// spaces mean themselves (iceberg#10283).
//
//     recorded   file:/warehouse/db/t/data/a.parquet     rule  /warehouse/db/t = /copy/t
//     opened     /copy/t/data/a.parquet
//
// Manifests are untrusted. After mapping, a location must be of the same storage as the table
// itself: "file:/p", "file:///p" and "/p" are one local path; a scheme that the table's storage
// does not serve ("s3://…" named by a local table, or the other way round) is refused, and so is
// a ".." segment in a recorded location: it would lead out of the folder that a rule leads into.
// A rule's own TO may hold one, it comes from the user.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arrow/result.h"
#include "arrow/type_fwd.h"
#include "base/scan_counters.h"

namespace arrow::fs {
class FileSystem;
}
namespace arrow::io {
class RandomAccessFile;
}

namespace esker {

using PrefixMap = std::vector<std::pair<std::string, std::string>>;

/// The one local path that "/p", "file:/p", "file:///p" and "file://localhost/p" mean; any other
/// location as it is. The view is into `location`.
std::string_view LocalPathOf(std::string_view location);

/// "s3" of "s3://…", "file" of "file:/…"; empty for a plain path.
std::string_view SchemeOf(std::string_view location);

/// Immutable; may be used from several threads.
class Storage {
 public:
  /// `filesystem` serves paths without a scheme (null: the local file system). `map` holds
  /// (FROM, TO) pairs; TO is a path on `filesystem`. An empty TO leaves the rest without a leading
  /// slash, so that ("s3://", "") serves an object store; a rule with an empty FROM is no rule.
  Storage(std::shared_ptr<arrow::fs::FileSystem> filesystem, PrefixMap map);

  /// A copy with one more rule, tried after the longer ones.
  Storage WithRule(std::string from, std::string to) const;

  /// The path on filesystem() for a recorded location. UnsupportedError for a scheme that is not
  /// served; Invalid for an empty location, one with a NUL byte or a ".." segment.
  arrow::Result<std::string> Resolve(std::string_view location) const;

  /// Opens the file at a recorded location. The returned file counts its reads into `counters`
  /// (requests, bytes_read), if not null. IOError naming the location and the path that was tried.
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> Open(
      const std::string& location, std::shared_ptr<ScanCounters> counters = nullptr) const;

  /// The whole file as a buffer; Invalid if it is larger than `max_bytes`.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadAll(
      const std::string& location, int64_t max_bytes = int64_t{1} << 31,
      std::shared_ptr<ScanCounters> counters = nullptr) const;

  /// The same of a file that the user named, or the path catalog for them: unlike a recorded
  /// location it may have ".." segments.
  arrow::Result<std::shared_ptr<arrow::Buffer>> ReadNamed(const std::string& path,
                                                          int64_t max_bytes) const;

  const std::shared_ptr<arrow::fs::FileSystem>& filesystem() const { return filesystem_; }

 private:
  // The location with the first rule applied that matches; whether one did.
  std::pair<std::string, bool> Map(std::string_view location) const;
  // Resolve() without the check of ".." segments.
  arrow::Result<std::string> Served(std::string_view location) const;
  arrow::Result<std::shared_ptr<arrow::io::RandomAccessFile>> OpenAt(
      const std::string& path, const std::string& location) const;

  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
  PrefixMap map_;  // the longest FROM first, local ones as plain paths
};

}  // namespace esker
