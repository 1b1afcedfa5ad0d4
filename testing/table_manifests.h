// Manifests, manifest lists and deletion vectors of a table recipe, as bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "testing/table_builder.h"

namespace esker::testing {

inline constexpr int64_t kRecipeSnapshotId = 4242;
inline constexpr int64_t kRecipeSequenceNumber = 100;  ///< of the snapshot

/// What writing a file has told about it.
struct WrittenFile {
  int64_t size = 0;
  int64_t record_count = 0;
  int64_t blob_size = 0;  ///< of a deletion vector, which begins at byte 4
};

/// Files of one manifest, borrowed from a recipe.
struct RecipeManifest {
  int32_t spec_id = 0;
  bool deletes = false;
  std::vector<const RecipeFile*> files;
  std::vector<WrittenFile> written;  ///< of the same files
  std::string path = {};
  int64_t length = 0;
};

std::string ManifestBytes(const TableRecipe& recipe, const RecipeManifest& manifest);

/// With true summaries of the partition values.
std::string ManifestListBytes(const TableRecipe& recipe,
                              const std::vector<RecipeManifest>& manifests);

/// Ascending positions below 65536, at most 4096 of them.
std::string DeletionVectorBlob(const std::vector<int64_t>& positions);
/// A Puffin file with that one blob.
std::string PuffinOf(const std::string& blob, const std::string& data_path);

}  // namespace esker::testing
