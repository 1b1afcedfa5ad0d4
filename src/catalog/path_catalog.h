// Path catalog: from what a user calls a table to the metadata file that describes it now.
//
// TABLE is a metadata file, a table folder, or the metadata folder itself. A folder's current
// metadata file is the one that version-hint.text names, else the highest version:
//
//     events/metadata/version-hint.text            "9"  (also "v9" and any file name, whole or not)
//     events/metadata/v9.metadata.json
//     events/metadata/v10.metadata.json            current: a commit is done when its file is
//     there,
//                                                  and the hint is written after it
//     events/metadata/00003-5c7e….metadata.json    the names of tables that live in a catalog
//
// So a hint is where to start, as the spec's File System Tables have it: from v9 on the versions
// are followed as long as the next one exists. Versions compare as numbers, v10 above v9
// (ClickHouse#55695). Where gzipped files say so in their names (".gz.metadata.json",
// ".metadata.json.gz", ".gzip.metadata.json") they are found too; their bytes decide later.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "arrow/result.h"
#include "arrow/type_fwd.h"

namespace arrow::fs {
class FileSystem;
}

namespace esker {

struct TableLocation {
  std::string metadata_file;
  /// Where the table was found: what the recorded table location is to be read as. Empty if the
  /// metadata file was named and does not lie in a folder called "metadata".
  std::string table_folder;
};

/// Finds tables by path. Immutable; may be used from several threads.
class PathCatalog {
 public:
  /// `filesystem` null: the local file system.
  explicit PathCatalog(std::shared_ptr<arrow::fs::FileSystem> filesystem);

  /// Finds `table`, a path or a "file:" location. A trailing slash says nothing.
  ///
  /// NotFoundError: no such path; no metadata in that folder; a hint that names no file there; a
  /// name with dots and no slash, since no catalog is configured. UnsupportedError: a scheme that
  /// is not served. Invalid: two files of the highest version and no hint between them. IOError.
  /// Cost: a few look-ups; lists the folder only if the hint is missing, empty or not enough.
  arrow::Result<TableLocation> Find(std::string_view table) const;

 private:
  arrow::Result<std::string> CurrentMetadataFile(const std::string& metadata_folder) const;

  std::shared_ptr<arrow::fs::FileSystem> filesystem_;
};

}  // namespace esker
