#include "testing/scene.h"

#include <algorithm>
#include <utility>

#include "arrow/filesystem/mockfs.h"
#include "arrow/record_batch.h"
#include "arrow/util/logging.h"
#include "esker/error.h"
#include "esker/order_text.h"

namespace esker::testing {

std::vector<RecipeOrderField> OrderFieldsOf(const std::vector<RecipeColumn>& columns,
                                            std::string_view order) {
  std::vector<RecipeOrderField> fields;
  for (const OrderKey& key : ParseOrder(order).ValueOrDie()) {
    const auto column = std::find_if(columns.begin(), columns.end(),
                                     [&](const auto& each) { return each.name == key.column; });
    ARROW_CHECK(column != columns.end()) << "no column " << key.column;
    fields.push_back(
        {column->id, key.descending, key.nulls_first.value_or(!key.descending), "identity"});
  }
  return fields;
}

Scene::Scene(std::vector<RecipeColumn> columns, std::string_view order) {
  recipe.columns = std::move(columns);
  if (!order.empty()) recipe.sort_orders.push_back({1, OrderFieldsOf(recipe.columns, order)});
}

RecipeFile& Scene::Add(std::string_view json, std::optional<int32_t> sort_order_id) {
  return Add(DataFileOf(recipe, json, sort_order_id));
}

RecipeFile& Scene::Add(RecipeFile file) {
  Changed();
  recipe.files.push_back(std::move(file));
  return recipe.files.back();
}

std::string Scene::Fail(const arrow::Status& status) {
  static const char* const kNames[] = {"failure", "usage", "disorder", "not found", "unsupported"};
  error_ = status.ToString();
  return kNames[static_cast<int>(KindOf(status))];
}

std::shared_ptr<ScanPlan> Scene::Plan(std::string_view order_by) {
  plan_ = nullptr;
  if (filesystem_ == nullptr) {
    filesystem_ = std::make_shared<FaultyFileSystem>(WriteTable(recipe));
  }
  OpenOptions open;
  open.filesystem = filesystem_;
  auto table = Table::Open(kTableLocation, open);
  if (!table.ok()) {
    Fail(table.status());
    return nullptr;
  }
  ScanRequest asked = request;
  if (!order_by.empty()) asked.order_by = ParseOrder(order_by).ValueOrDie();
  auto plan = (*table)->Plan(asked, options);
  if (!plan.ok()) {
    Fail(plan.status());
    return nullptr;
  }
  return plan_ = *plan;
}

std::string Scene::Rows(std::string_view order_by) {
  return Plan(order_by) == nullptr ? error_ : ReadAll(*plan_);
}

std::string Scene::ReadAll(const ScanPlan& plan) {
  auto reader = plan.Read();
  if (!reader.ok()) return Fail(reader.status());
  std::string text;
  for (;;) {
    std::shared_ptr<arrow::RecordBatch> batch;
    const arrow::Status status = (*reader)->ReadNext(&batch);
    if (!status.ok()) return Fail(status);
    if (batch == nullptr) return text;
    const arrow::Status valid = batch->ValidateFull();
    if (!valid.ok()) return "an invalid batch: " + valid.ToString();
    for (const Row& row : RowsOf(*batch)) text += (text.empty() ? "" : " ") + RowText(row);
  }
}

std::string Scene::SplitRows(int32_t parts, std::string_view order_by) {
  split_plans_.clear();
  if (Plan(order_by) == nullptr) return error_;
  const auto splits = plan_->Split(parts);
  if (!splits.ok()) return Fail(splits.status());
  std::string text;
  for (const ScanSplit& split : *splits) {
    if (!text.empty() || split.number() > 0) text += " / ";
    error_.clear();
    text += ReadSplit(split);
    if (!error_.empty()) break;
  }
  return text;
}

std::string Scene::ReadSplit(const ScanSplit& split) {
  const auto again = ScanSplit::FromText(split.ToText());
  if (!again.ok()) return Fail(again.status());
  OpenOptions open;
  open.filesystem = filesystem_;
  const auto plan = again->Open(open, options);
  if (!plan.ok()) return Fail(plan.status());
  split_plans_.push_back(*plan);
  return ReadAll(**plan);
}

std::string Scene::How(std::string_view path_part) const {
  for (const FileScanTask& task : plan_->files()) {
    if (task.path.find(path_part) != std::string::npos) return task.how;
  }
  return "not planned";
}

std::string Scene::Told() const {
  std::string text;
  for (const ResolvedKey& key : plan_->order()) {
    text += (text.empty() ? "" : ", ") + key.column + (key.descending ? " desc" : " asc") +
            (key.nulls_first ? " nulls first" : " nulls last");
  }
  return text;
}

}  // namespace esker::testing
