#include "testing/random_scan.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "testing/random_values.h"
#include "testing/seed.h"

namespace esker::testing {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "''" : std::string(1, c);
  return quoted + "'";
}

std::string Hex(const std::string& bytes) {
  std::string text = "X'";
  for (const char c : bytes) {
    char digits[4];
    std::snprintf(digits, sizeof(digits), "%02x", static_cast<uint8_t>(c));
    text += digits;
  }
  return text + "'";
}

int ScaleOf(const std::string& type) { return std::stoi(type.substr(type.find(',') + 1)); }

// The value as a literal of the filter language, where this test knows how to write one.
std::optional<std::string> LiteralOf(const std::string& type, const Cell& cell) {
  if (IsNullCell(cell) || IsNanCell(cell)) return std::nullopt;
  if (type == "int" || type == "long") return CellText(cell);
  if (type == "boolean") return std::get<int64_t>(cell) != 0 ? "true" : "false";
  if (type == "string") return Quoted(std::get<std::string>(cell));
  if (type == "binary" || type.starts_with("fixed")) return Hex(std::get<std::string>(cell));
  if (type.starts_with("decimal")) {
    return std::get<arrow::Decimal128>(cell).ToString(ScaleOf(type));
  }
  if (type == "float" || type == "double") {
    const double number = std::get<double>(cell);
    if (!std::isfinite(number) || std::abs(number) < 1e-100) return std::nullopt;
    char text[40];
    std::snprintf(text, sizeof(text), "%.17g", number);
    return text;
  }
  return std::nullopt;
}

bool Holds(const std::string& op, int order) {
  if (op == "=") return order == 0;
  if (op == "<>") return order != 0;
  if (op == "<") return order < 0;
  if (op == "<=") return order <= 0;
  if (op == ">") return order > 0;
  return order >= 0;
}

struct Predicate {
  std::string text;
  std::function<bool(const Row&)> keep;
};

Predicate DrawPredicate(std::mt19937_64& random, const RandomTable& table) {
  const auto columns = static_cast<int64_t>(table.recipe.columns.size());
  const size_t c = Draw(random, 0, columns - 1);
  const RecipeColumn& column = table.recipe.columns[c];
  const bool is_seq = c + 1 == table.recipe.columns.size();
  const Cell value = is_seq ? Cell{Draw(random, 0, 60)} : Pick(random, table.pools[c]);
  const auto literal = LiteralOf(column.type, value);
  if (!literal || Chance(random, 15)) {
    const bool negated = Chance(random, 50);
    return {column.name + (negated ? " is not null" : " is null"),
            [c, negated](const Row& row) { return IsNullCell(row[c]) != negated; }};
  }
  static const std::vector<std::string> kOps = {"=", "<>", "<", "<=", ">", ">="};
  const std::string op = Pick(random, kOps);
  return {column.name + " " + op + " " + *literal, [=](const Row& row) {
            return !IsNullCell(row[c]) && Holds(op, CompareCells(row[c], value));
          }};
}

Predicate DrawFilterOf(std::mt19937_64& random, const RandomTable& table) {
  Predicate first = DrawPredicate(random, table);
  if (Chance(random, 60)) return first;
  Predicate second = DrawPredicate(random, table);
  const bool both = Chance(random, 50);
  return {first.text + (both ? " and " : " or ") + second.text, [=](const Row& row) {
            return both ? first.keep(row) && second.keep(row) : first.keep(row) || second.keep(row);
          }};
}

OrderKey KeyOf(const RandomTable& table, const RecipeOrderField& field, bool backwards) {
  OrderKey key;
  key.column = table.recipe.Column(field.source_id).name;
  key.descending = field.descending != backwards;
  key.nulls_first = field.nulls_first != backwards;
  return key;
}

// An order that files claim, its start, or the same backwards.
std::vector<OrderKey> DrawClaimedOrder(std::mt19937_64& random, const RandomTable& table) {
  const auto& orders = table.recipe.sort_orders;
  const RecipeOrder& order = orders[Chance(random, 70) ? 0 : Draw(random, 0, 2)];
  const bool backwards = Chance(random, 40);
  std::vector<OrderKey> keys;
  const auto fields = static_cast<int64_t>(order.fields.size());
  const int64_t count = Chance(random, 60) ? fields : Draw(random, 1, fields);
  for (int64_t i = 0; i < count; ++i) keys.push_back(KeyOf(table, order.fields[i], backwards));
  return keys;
}

// Any other columns, sometimes after the start of a claimed order.
std::vector<OrderKey> DrawOrderBy(std::mt19937_64& random, const RandomTable& table) {
  std::vector<OrderKey> keys;
  if (Chance(random, 70)) keys = DrawClaimedOrder(random, table);
  if (!keys.empty() && Chance(random, 60)) return keys;
  const int64_t more = Draw(random, 1, 2);
  for (int64_t i = 0; i < more; ++i) {
    OrderKey key;
    key.column = Pick(random, table.recipe.columns).name;
    key.descending = Chance(random, 50);
    if (Chance(random, 70)) key.nulls_first = Chance(random, 50);
    const bool taken = std::any_of(keys.begin(), keys.end(), [&](const OrderKey& other) {
      return other.column == key.column;
    });
    if (!taken && keys.size() < 3) keys.push_back(std::move(key));
  }
  return keys;
}

void DrawColumns(std::mt19937_64& random, const RandomTable& table, RandomScan* scan) {
  for (size_t c = 0; c < table.recipe.columns.size(); ++c) scan->output.push_back(c);
  if (Chance(random, 50)) return;
  std::shuffle(scan->output.begin(), scan->output.end(), random);
  scan->output.resize(Draw(random, 1, static_cast<int64_t>(scan->output.size())));
  const size_t seq = table.recipe.columns.size() - 1;
  const bool has_seq =
      std::find(scan->output.begin(), scan->output.end(), seq) != scan->output.end();
  if (!has_seq && Chance(random, 80)) scan->output.push_back(seq);
  scan->request.columns.emplace();
  for (const size_t c : scan->output) {
    scan->request.columns->push_back(table.recipe.columns[c].name);
  }
}

ScanOptions DrawOptions(std::mt19937_64& random) {
  ScanOptions options;
  options.max_merge_files = Pick(random, std::vector<int32_t>{2, 2, 3, 64, 64});
  options.batch_rows = Pick(random, std::vector<int64_t>{1, 2, 7, 16384, 16384});
  options.memory_bytes = Pick(random, std::vector<int64_t>{0, 0, 1, 4096, 1 << 20});
  options.prune_manifests = Chance(random, 80);
  options.prune_files = Chance(random, 80);
  options.prune_row_groups = Chance(random, 80);
  options.prune_pages = Chance(random, 80);
  options.use_bloom_filters = Chance(random, 80);
  options.use_dictionaries = Chance(random, 80);
  options.use_bounds = Chance(random, 85);
  if (Chance(random, 15)) options.over_limit = OverLimit::kUnordered;
  if (Chance(random, 10)) options.over_limit = OverLimit::kError;
  if (Chance(random, 40)) options.on_disorder = OnDisorder::kSort;
  options.threads = Pick(random, std::vector<int32_t>{1, 2, 4});
  return options;
}

}  // namespace

std::string RandomScan::Describe() const {
  std::string text = "scan";
  for (const OrderKey& key : request.order_by) {
    text += " by " + key.column + (key.descending ? " desc" : " asc");
    if (key.nulls_first) text += *key.nulls_first ? " nulls first" : " nulls last";
  }
  if (request.order_by.empty()) {
    const char* const froms[] = {"files", "table", "none"};
    text += std::string(" order from ") + froms[static_cast<int>(request.order)];
  }
  text += " columns";
  if (!request.columns) text += " all";
  for (const auto& name : request.columns.value_or(std::vector<std::string>{})) text += " " + name;
  if (!request.where.empty()) text += " where " + request.where;
  if (request.limit) text += " limit " + std::to_string(*request.limit);
  if (splits > 0) text += " splits " + std::to_string(splits);
  return text + "; cap " + std::to_string(options.max_merge_files) + " over " +
         std::to_string(static_cast<int>(options.over_limit)) + " disorder " +
         std::to_string(static_cast<int>(options.on_disorder)) + " batch " +
         std::to_string(options.batch_rows) + " memory " + std::to_string(options.memory_bytes) +
         " manifests/files/groups/bounds " + std::to_string(options.prune_manifests) +
         std::to_string(options.prune_files) + std::to_string(options.prune_row_groups) +
         std::to_string(options.use_bounds) + " pages/bloom/dictionaries " +
         std::to_string(options.prune_pages) + std::to_string(options.use_bloom_filters) +
         std::to_string(options.use_dictionaries) + " threads " + std::to_string(options.threads);
}

RandomScan DrawScan(std::mt19937_64& random, const RandomTable& table) {
  RandomScan scan;
  scan.keep = [](const Row&) { return true; };
  if (Chance(random, 75)) {
    scan.request.order_by = DrawOrderBy(random, table);
  } else {
    const RecipeOrder* by_default = nullptr;
    for (const RecipeOrder& order : table.recipe.sort_orders) {
      if (order.id == table.recipe.default_sort_order_id) by_default = &order;
    }
    scan.request.order = Chance(random, 20) ? OrderFrom::kNone : OrderFrom::kFiles;
    if (by_default != nullptr && IsPlainOrder(*by_default) && Chance(random, 40)) {
      scan.request.order = OrderFrom::kTable;
    }
  }
  DrawColumns(random, table, &scan);
  // A false bound makes a filter drop files that it should not: nothing can be expected then.
  if (Chance(random, 35) && table.lie != Lie::kBounds) {
    Predicate filter = DrawFilterOf(random, table);
    scan.request.where = filter.text;
    scan.keep = filter.keep;
  }
  if (Chance(random, 30)) {
    scan.request.limit = Pick(random, std::vector<int64_t>{0, 1, 2, 6, 7, 8, 30, 1000});
  }
  scan.options = DrawOptions(random);
  if (!scan.request.limit && Chance(random, 50)) {
    scan.splits = static_cast<int32_t>(Draw(random, 1, 6));
  }
  return scan;
}

}  // namespace esker::testing
