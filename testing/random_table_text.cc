// The text of a random table, for failure reports.
#include <optional>
#include <string>

#include "arrow/table.h"
#include "arrow/type.h"
#include "testing/random_table.h"

namespace esker::testing {
namespace {

std::string HexText(const std::optional<std::string>& bytes) {
  if (!bytes) return "?";
  std::string text = "x";
  for (const char c : *bytes) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<uint8_t>(c));
    text += digits;
  }
  return text;
}

std::string CountText(const std::optional<int64_t>& count) {
  return count ? std::to_string(*count) : "?";
}

std::string DescribeFile(const RecipeFile& file) {
  std::string text = "  " + file.path.substr(file.path.rfind('/') + 1);
  const char* const kinds[] = {"", " position deletes", " equality deletes", " vector"};
  text += kinds[static_cast<int>(file.content)];
  text += " seq " + std::to_string(file.sequence_number) + " order " +
          (file.sort_order_id ? std::to_string(*file.sort_order_id) : "absent") + " groups of " +
          std::to_string(file.row_group_rows) + " pages of " + std::to_string(file.page_rows);
  for (const Cell& value : file.partition) text += " partition " + CellText(value);
  text += "\n";
  if (file.rows != nullptr) {
    text += "    stored";
    for (const auto& field : file.rows->schema()->fields()) text += " " + field->ToString();
    text += "\n";
  }
  for (const auto& [id, statistics] : file.statistics) {
    text += "    " + std::to_string(id) + ": " + HexText(statistics.lower) + ".." +
            HexText(statistics.upper) + " nulls " + CountText(statistics.null_count) + " nans " +
            CountText(statistics.nan_count) + "\n";
  }
  return text;
}

}  // namespace

std::string RandomTable::Describe() const {
  std::string text = "v" + std::to_string(recipe.format_version);
  for (const RecipeColumn& column : recipe.columns) {
    text += ", " + column.name + " " + column.type + (column.required ? " required" : "");
  }
  for (const RecipeOrder& order : recipe.sort_orders) {
    text += "\n  order " + std::to_string(order.id) + ":";
    for (const RecipeOrderField& field : order.fields) {
      text += " " + field.transform + "(" + std::to_string(field.source_id) + ")" +
              (field.descending ? " desc" : " asc") +
              (field.nulls_first ? " nulls first" : " nulls last");
    }
  }
  text += "\n";
  for (const RecipeFile& file : recipe.files) text += DescribeFile(file);
  for (const RandomFile& file : files) {
    text += "  rows of " + recipe.files[file.recipe_file].path + ":\n";
    for (size_t i = 0; i < file.rows.size(); ++i) {
      text += "    " + RowText(file.rows[i]) + (file.deleted[i] ? "  deleted" : "") + "\n";
    }
  }
  return text;
}

}  // namespace esker::testing
