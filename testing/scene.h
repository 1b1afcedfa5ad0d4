// Scene: a few words for tests that build a small table and look at what a scan of it gives.
//
//     Scene scene({{1, "k", "long"}}, "k");
//     scene.Add("[[1], [3]]");
//     scene.Add("[[2], [4]]");
//     EXPECT_EQ(scene.Rows("k desc"), "4 3 2 1");
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "esker/table.h"
#include "testing/faulty_filesystem.h"
#include "testing/table_builder.h"

namespace esker::testing {

class Scene {
 public:
  /// `order` is sort order 1 of the table, as ParseOrder() reads it; "" for none.
  explicit Scene(std::vector<RecipeColumn> columns, std::string_view order = "");

  TableRecipe recipe;
  ScanOptions options;
  ScanRequest request;  ///< what Rows() asks for besides the order

  /// Adds a data file of those rows that claims sort order 1 (or another, or none). The reference
  /// is good until the next Add().
  RecipeFile& Add(std::string_view json, std::optional<int32_t> sort_order_id = 1);
  RecipeFile& Add(RecipeFile file);
  RecipeStatistics& Statistics(int32_t field_id) {
    return recipe.files.back().statistics[field_id];
  }

  /// The rows of a scan in that order ("" for request.order): cells joined by "|", rows by " ". Of
  /// an error, what stands for its kind: "failure", "usage", "disorder", "not found" or
  /// "unsupported", with its text kept in error().
  std::string Rows(std::string_view order_by = "");
  const std::string& error() const { return error_; }

  /// The same scan read as at most that many splits, each through its text and on its own: their
  /// rows, with " / " between two splits.
  std::string SplitRows(int32_t parts, std::string_view order_by = "");
  /// What SplitRows() planned and read, split by split; the last one may have failed.
  const std::vector<std::shared_ptr<ScanPlan>>& split_plans() const { return split_plans_; }

  /// Plans without reading. Null, and error() tells why, if that fails.
  std::shared_ptr<ScanPlan> Plan(std::string_view order_by = "");
  /// Of the last Plan() or Rows(): how many chains, how deep.
  int32_t chains() const { return plan_->chains(); }
  int32_t depth() const { return plan_->max_depth(); }
  const ScanPlan& plan() const { return *plan_; }
  ScanStatistics statistics() const { return plan_->statistics(); }
  /// How the file with that text in its path is read: "as it is", "sort" …
  std::string How(std::string_view path_part) const;
  /// The order told, as "k desc nulls last, v asc nulls first".
  std::string Told() const;

  /// Writes the table again at the next scan; needed after a change of the recipe.
  void Changed() { filesystem_ = nullptr; }
  FaultyFileSystem& filesystem() { return *filesystem_; }

 private:
  std::string Fail(const arrow::Status& status);
  std::string ReadAll(const ScanPlan& plan);
  std::string ReadSplit(const ScanSplit& split);

  std::shared_ptr<FaultyFileSystem> filesystem_;
  std::shared_ptr<ScanPlan> plan_;
  std::vector<std::shared_ptr<ScanPlan>> split_plans_;
  std::string error_;
};

/// Sort order fields of such a text over those columns.
std::vector<RecipeOrderField> OrderFieldsOf(const std::vector<RecipeColumn>& columns,
                                            std::string_view order);

}  // namespace esker::testing
