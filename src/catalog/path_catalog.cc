#include "catalog/path_catalog.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/filesystem/filesystem.h"
#include "arrow/filesystem/localfs.h"
#include "arrow/io/interfaces.h"
#include "base/ascii.h"
#include "base/status.h"
#include "catalog/storage.h"

namespace esker {
namespace {

// In the order of preference between two files of one version.
constexpr std::array<std::string_view, 4> kMetadataEndings = {
    ".metadata.json", ".gz.metadata.json", ".metadata.json.gz", ".gzip.metadata.json"};

constexpr int64_t kMaxHintBytes = 4096;

struct MetadataName {
  std::string name;
  int64_t version = -1;  ///< -1: the name holds none
  size_t ending = 0;     ///< in kMetadataEndings
  bool is_v = false;     ///< "v3", not "00003-…"
};

std::optional<int64_t> ParseNumber(std::string_view text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

// "v3" and "00003-anything" hold version 3.
int64_t VersionOf(std::string_view stem) {
  if (stem.starts_with('v')) return ParseNumber(stem.substr(1)).value_or(-1);
  const size_t dash = stem.find('-');
  if (dash == std::string_view::npos) return -1;
  return ParseNumber(stem.substr(0, dash)).value_or(-1);
}

// The longest ending counts: "v1.gz.metadata.json" ends in ".metadata.json" too.
std::optional<MetadataName> ParseMetadataName(std::string_view name) {
  std::optional<size_t> best;
  for (size_t i = 0; i < kMetadataEndings.size(); ++i) {
    if (!name.ends_with(kMetadataEndings[i])) continue;
    if (!best || kMetadataEndings[i].size() > kMetadataEndings[*best].size()) best = i;
  }
  if (!best) return std::nullopt;
  const std::string_view stem = name.substr(0, name.size() - kMetadataEndings[*best].size());
  return MetadataName{std::string(name), VersionOf(stem), *best, stem.starts_with('v')};
}

std::string ParentOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path == "." ? ".." : ".";
  const std::string_view last = std::string_view(path).substr(slash + 1);
  if (last == "." || last == "..") return path + "/..";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string_view BaseName(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

std::string Below(const std::string& folder, std::string_view name) {
  std::string path = folder;
  if (!path.ends_with('/')) path += '/';
  return path.append(name);
}

bool LooksLikeCatalogName(std::string_view table) {
  return table.find('.') != std::string_view::npos && table.find('/') == std::string_view::npos &&
         !table.starts_with('.') && !table.ends_with('.') && !table.ends_with(".json") &&
         !table.ends_with(".json.gz");
}

arrow::Status NoSuchTable(std::string_view table) {
  if (!LooksLikeCatalogName(table)) return NotFoundError("no such path: '", table, "'");
  return NotFoundError("no such path: '", table, "', and no catalog named '",
                       table.substr(0, table.find('.')), "' is configured");
}

/// The metadata files of one folder.
class MetadataFolder {
 public:
  MetadataFolder(arrow::fs::FileSystem* filesystem, std::string path)
      : filesystem_(filesystem), path_(std::move(path)) {}

  /// The current file's name; empty if the folder holds no metadata.
  arrow::Result<std::string> Current() {
    ARROW_ASSIGN_OR_RAISE(const std::string hint, ReadHint());
    return hint.empty() ? Highest() : Hinted(hint);
  }

 private:
  arrow::Result<bool> Exists(std::string_view name) const {
    ARROW_ASSIGN_OR_RAISE(const auto info, filesystem_->GetFileInfo(Below(path_, name)));
    return info.IsFile();
  }

  // The first line of the hint, empty if there is none. Where it is a path, its last segment
  // counts, so that a hint cannot lead out of the folder.
  arrow::Result<std::string> ReadHint() const {
    ARROW_ASSIGN_OR_RAISE(const bool there, Exists("version-hint.text"));
    if (!there) return std::string();
    ARROW_ASSIGN_OR_RAISE(const auto file,
                          filesystem_->OpenInputFile(Below(path_, "version-hint.text")));
    ARROW_ASSIGN_OR_RAISE(const auto bytes, file->ReadAt(0, kMaxHintBytes));
    std::string_view text(*bytes);
    text = TrimAscii(text);
    return std::string(BaseName(TrimAscii(text.substr(0, text.find('\n')))));
  }

  arrow::Result<std::string> Hinted(const std::string& hint) {
    const std::string_view digits = hint.starts_with('v') ? std::string_view(hint).substr(1) : hint;
    if (const auto version = ParseNumber(digits)) return FromVersion(*version, hint);
    std::string stem = hint;
    if (const auto parsed = ParseMetadataName(hint)) {
      ARROW_ASSIGN_OR_RAISE(const bool there, Exists(hint));
      if (there) return Newest(hint);
      stem.resize(hint.size() - kMetadataEndings[parsed->ending].size());
    }
    ARROW_ASSIGN_OR_RAISE(std::string name, WithStem(stem));
    return name.empty() ? arrow::Result<std::string>(HintNamesNothing(hint)) : Newest(name);
  }

  // A name with a version "v3" is followed to v4 and on, see the header.
  arrow::Result<std::string> Newest(std::string name) const {
    const auto parsed = ParseMetadataName(name);
    if (!parsed->is_v || parsed->version < 0) return name;
    for (int64_t version = parsed->version; version < std::numeric_limits<int64_t>::max();) {
      ARROW_ASSIGN_OR_RAISE(std::string newer, WithStem("v" + std::to_string(++version)));
      if (newer.empty()) break;
      name = std::move(newer);
    }
    return name;
  }

  arrow::Result<std::string> FromVersion(int64_t version, const std::string& hint) {
    ARROW_ASSIGN_OR_RAISE(std::string name, WithStem("v" + std::to_string(version)));
    if (!name.empty()) return Newest(std::move(name));
    ARROW_RETURN_NOT_OK(List());
    ARROW_ASSIGN_OR_RAISE(name, OnlyOf(version));
    return name.empty() ? arrow::Result<std::string>(HintNamesNothing(hint)) : name;
  }

  // The file with that stem and the first ending that exists; empty if none does.
  arrow::Result<std::string> WithStem(const std::string& stem) const {
    for (const std::string_view ending : kMetadataEndings) {
      std::string name = stem + std::string(ending);
      ARROW_ASSIGN_OR_RAISE(const bool there, Exists(name));
      if (there) return name;
    }
    return std::string();
  }

  arrow::Status HintNamesNothing(const std::string& hint) const {
    return NotFoundError("'", path_, "/version-hint.text' names '", hint,
                         "', and there is no such metadata file beside it");
  }

  arrow::Status List() {
    arrow::fs::FileSelector selector;
    selector.base_dir = path_;
    ARROW_ASSIGN_OR_RAISE(const auto infos, filesystem_->GetFileInfo(selector));
    for (const auto& info : infos) {
      if (!info.IsFile()) continue;
      if (auto name = ParseMetadataName(info.base_name())) files_.push_back(std::move(*name));
    }
    return arrow::Status::OK();
  }

  arrow::Result<std::string> Highest() {
    ARROW_RETURN_NOT_OK(List());
    int64_t highest = -1;
    for (const MetadataName& file : files_) highest = std::max(highest, file.version);
    return OnlyOf(highest);
  }

  // The file of that version. A folder whose only metadata file has no version gives that one.
  arrow::Result<std::string> OnlyOf(int64_t version) const {
    std::vector<const MetadataName*> found;
    for (const MetadataName& file : files_) {
      if (file.version == version) found.push_back(&file);
    }
    if (found.empty()) return std::string();
    std::sort(found.begin(), found.end(), [](const MetadataName* a, const MetadataName* b) {
      return std::tie(a->ending, a->name) < std::tie(b->ending, b->name);
    });
    // Two codecs of one version hold the same; two commits of one version do not.
    const bool same_commit = version >= 0 && std::all_of(found.begin(), found.end(),
                                                         [](auto* file) { return file->is_v; });
    if (found.size() == 1 || same_commit) return found.front()->name;
    return arrow::Status::Invalid("'", path_, "' holds ", found.size(),
                                  " metadata files that could be the current one, '",
                                  found[0]->name, "' and '", found[1]->name,
                                  "' among them; name the file instead of the folder");
  }

  arrow::fs::FileSystem* filesystem_;
  std::string path_;
  std::vector<MetadataName> files_;
};

}  // namespace

PathCatalog::PathCatalog(std::shared_ptr<arrow::fs::FileSystem> filesystem)
    : filesystem_(std::move(filesystem)) {
  if (filesystem_ == nullptr) filesystem_ = std::make_shared<arrow::fs::LocalFileSystem>();
}

arrow::Result<std::string> PathCatalog::CurrentMetadataFile(
    const std::string& metadata_folder) const {
  ARROW_ASSIGN_OR_RAISE(const auto info, filesystem_->GetFileInfo(metadata_folder));
  if (!info.IsDirectory()) return std::string();
  ARROW_ASSIGN_OR_RAISE(const std::string name,
                        MetadataFolder(filesystem_.get(), metadata_folder).Current());
  return name.empty() ? name : Below(metadata_folder, name);
}

arrow::Result<TableLocation> PathCatalog::Find(std::string_view table) const {
  if (table.empty() || table.find('\0') != std::string_view::npos) {
    return NotFoundError("a table needs a path");
  }
  std::string path(LocalPathOf(table));
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  if (!SchemeOf(path).empty()) {
    return UnsupportedError("table '", table, "': the storage '", SchemeOf(path),
                            "' is not served");
  }
  ARROW_ASSIGN_OR_RAISE(const auto info, filesystem_->GetFileInfo(path));
  if (info.type() == arrow::fs::FileType::NotFound) return NoSuchTable(table);
  if (info.IsFile()) {
    const std::string folder = ParentOf(path);
    return TableLocation{path, BaseName(folder) == "metadata" ? ParentOf(folder) : ""};
  }
  ARROW_ASSIGN_OR_RAISE(std::string file, CurrentMetadataFile(Below(path, "metadata")));
  if (!file.empty()) return TableLocation{std::move(file), path};
  ARROW_ASSIGN_OR_RAISE(file, CurrentMetadataFile(path));
  if (!file.empty()) return TableLocation{std::move(file), ParentOf(path)};
  return NotFoundError("no table metadata in '", table, "': neither the folder nor a folder ",
                       "'metadata' in it holds a *.metadata.json file");
}

}  // namespace esker
