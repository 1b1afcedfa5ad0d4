#include "testing/random_table.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "arrow/table.h"
#include "testing/random_values.h"
#include "testing/seed.h"

namespace esker::testing {
namespace {

constexpr int32_t kSeqId = 100;
constexpr int32_t kDroppedId = 77;

// ---- the table ----

class Drawing {
 public:
  Drawing(std::mt19937_64& random, Lie lie) : random_(random), lie_(lie) {}

  RandomTable Run() {
    DrawChances();
    DrawColumns();
    DrawOrders();
    DrawSpecs();
    const int64_t files = Chance(random_, 10) ? Draw(random_, 0, 1) : Draw(random_, 2, 7);
    for (int64_t i = 0; i < files; ++i) drafts_.push_back(DrawFile());
    if (lie_ == Lie::kRows) LieAboutRows();
    for (Draft& draft : drafts_) AddFile(draft);
    if (lie_ == Lie::kBounds) LieAboutBounds();
    AddDeletes();
    return std::move(table_);
  }

 private:
  struct Column {
    std::string old_type;  // "" if it never changed
    int null_percent = 0;
    bool added_later = false;
    Cell default_value;
  };
  struct Draft {
    RecipeFile file;
    std::vector<Row> rows;
    std::vector<bool> old_types;  // by column
    std::vector<bool> missing;
    bool total_order = false;  // floats in the spec's order
  };

  // Which features this table has at all, and how often.
  void DrawChances() {
    const auto chance = [&] {
      return Chance(random_, 50) ? 0 : static_cast<int>(Draw(random_, 5, 95));
    };
    unsorted_ = chance();
    odd_claims_ = chance() / 3;
    bad_statistics_ = chance();
    deletes_ = chance();
    narrow_ = static_cast<int>(Draw(random_, 0, 100));
    tiny_ = chance() / 3;
    old_files_ = chance();
    table_.recipe.format_version = static_cast<int>(Draw(random_, 2, 3));
    table_.recipe.files_a_manifest = Draw(random_, 1, 4);
  }

  void DrawColumns() {
    static const std::vector<std::string> kTypes = {
        "boolean",   "int",          "int",           "long",          "long",           "float",
        "double",    "decimal(9,2)", "decimal(38,3)", "decimal(18,2)", "date",           "time",
        "timestamp", "timestamp",    "timestamptz",   "timestamp_ns",  "timestamptz_ns", "string",
        "string",    "binary",       "fixed[4]",      "uuid"};
    const int64_t count = Draw(random_, 1, 4);
    for (int64_t i = 1; i <= count; ++i) {
      RecipeColumn column{static_cast<int32_t>(i), "c" + std::to_string(i), Pick(random_, kTypes),
                          false, ""};
      Column extra;
      if (Chance(random_, 60)) extra.old_type = OldTypeOf(column.type);
      if (column.type.starts_with("timestamp") &&
          (column.type.ends_with("_ns") || extra.old_type == "date")) {
        table_.recipe.format_version = 3;
      }
      AddColumn(std::move(column), std::move(extra));
    }
    AddColumn({kSeqId, "seq", "long", true, ""}, {});
  }

  void AddColumn(RecipeColumn column, Column extra) {
    std::vector<Cell> pool = PoolOf(column.type, extra.old_type);
    std::sort(pool.begin(), pool.end(),
              [](const Cell& a, const Cell& b) { return CompareCellsTotal(a, b) < 0; });
    if (column.id != kSeqId) {
      column.required = Chance(random_, 25);
      if (!column.required) extra.null_percent = Pick(random_, std::vector<int>{0, 0, 10, 50, 95});
      extra.added_later = !column.required && Chance(random_, 15);
      const bool simple = column.type == "int" || column.type == "long";
      if (extra.added_later && simple && table_.recipe.format_version == 3 && Chance(random_, 50)) {
        extra.default_value = Pick(random_, PoolOf("int", ""));
        column.initial_default = JsonOf(extra.default_value);
      }
    }
    table_.recipe.columns.push_back(std::move(column));
    table_.pools.push_back(std::move(pool));
    columns_.push_back(std::move(extra));
  }

  RecipeOrderField DrawOrderField(int32_t id) {
    return {id, Chance(random_, 40), Chance(random_, 50), "identity"};
  }

  RecipeOrder DrawOrder(int32_t id, std::vector<RecipeOrderField> start) {
    std::vector<int32_t> ids;
    for (size_t c = 0; c + 1 < table_.recipe.columns.size(); ++c) {
      const int32_t column = table_.recipe.columns[c].id;
      const bool taken = std::any_of(start.begin(), start.end(),
                                     [&](const auto& field) { return field.source_id == column; });
      if (!taken) ids.push_back(column);
    }
    std::shuffle(ids.begin(), ids.end(), random_);
    const int64_t more = Draw(random_, start.empty() ? 1 : 0, 2);
    for (size_t i = 0; i < ids.size() && i < static_cast<size_t>(more); ++i) {
      start.push_back(DrawOrderField(ids[i]));
    }
    return {id, std::move(start)};
  }

  void DrawOrders() {
    auto& orders = table_.recipe.sort_orders;
    orders.push_back(DrawOrder(1, {}));
    orders.push_back(DrawOrder(2, {orders[0].fields[0]}));
    orders.push_back(DrawOrder(3, {}));
    orders.push_back(orders[0]);  // the same order under another id
    orders.back().id = 4;
    orders.push_back(DrawOddOrder(5, orders[0]));
    table_.recipe.default_sort_order_id = static_cast<int32_t>(Draw(random_, 0, 3));
  }

  // An order with a field in front, or after the first, that is no plain column.
  RecipeOrder DrawOddOrder(int32_t id, RecipeOrder order) {
    RecipeOrderField odd = order.fields[0];
    const std::string& type = table_.recipe.Column(odd.source_id).type;
    switch (Draw(random_, 0, 3)) {
      case 0:
        odd.transform = type.starts_with("timestamp") || type == "date" ? "day" : "void";
        if (type == "int" || type == "long" || type == "string") odd.transform = "truncate[2]";
        order.fields.insert(order.fields.begin(), odd);
        break;
      case 1:
        odd.transform = Chance(random_, 50) ? "bucket[4]" : "zorder";
        order.fields.insert(order.fields.begin(), odd);
        break;
      case 2:
        odd.transform = "bucket[xyz]";
        order.fields.insert(order.fields.begin() + 1, odd);
        break;
      default:
        odd.source_id = kDroppedId;
        order.fields.insert(order.fields.begin() + 1, odd);
    }
    order.id = id;
    return order;
  }

  void DrawSpecs() {
    table_.recipe.specs.push_back({0, {}});
    if (!Chance(random_, 25)) return;
    const int64_t c = Draw(random_, 0, static_cast<int64_t>(columns_.size()) - 2);
    if (!columns_[c].old_type.empty() || columns_[c].added_later) return;
    const RecipeColumn& column = table_.recipe.columns[c];
    table_.recipe.specs.push_back({1, {{column.id, 1000, column.name, "identity"}}});
    partition_column_ = c;
    mixed_specs_ = Chance(random_, 30);
    partition_stored_ = Chance(random_, 60);
  }

  // ---- files ----

  int32_t DrawClaim(std::optional<int32_t>* id) {
    if (Chance(random_, unsorted_)) {
      *id = Pick(random_, std::vector<std::optional<int32_t>>{{}, 0, 99});
    } else if (Chance(random_, odd_claims_)) {
      *id = static_cast<int32_t>(Draw(random_, 2, 5));
    } else {
      *id = Chance(random_, 15) ? 4 : 1;
    }
    return id->value_or(0);
  }

  Draft DrawFile() {
    Draft draft;
    DrawClaim(&draft.file.sort_order_id);
    const bool old = Chance(random_, old_files_);
    for (const Column& column : columns_) {
      draft.old_types.push_back(old && !column.old_type.empty());
      draft.missing.push_back(old && column.added_later);
    }
    draft.total_order = Chance(random_, 50);
    draft.file.sequence_number = Draw(random_, 1, 3);
    draft.file.row_group_rows = Pick(random_, std::vector<int64_t>{1, 3, 7, 7, 1 << 20, 1 << 20});
    draft.file.dictionary = Chance(random_, 50);
    draft.file.page_rows = Pick(random_, std::vector<int64_t>{0, 1, 2, 3});
    draft.file.bloom_filters = Chance(random_, 30);
    if (partition_column_ && !(mixed_specs_ && Chance(random_, 50))) DrawPartition(&draft);
    DrawRows(&draft);
    SortByClaim(&draft);
    return draft;
  }

  void DrawPartition(Draft* draft) {
    const size_t c = *partition_column_;
    draft->file.spec_id = 1;
    const bool null = columns_[c].null_percent > 0 && Chance(random_, 20);
    draft->file.partition = {null ? Cell{} : Pick(random_, table_.pools[c])};
    // A NaN of one partition value can be of either sign: take one that is written and read alike.
    if (IsNanCell(draft->file.partition[0])) draft->file.partition = {Cell{1.0}};
    draft->missing[c] = !partition_stored_;
  }

  void DrawRows(Draft* draft) {
    const int64_t count = Chance(random_, tiny_) ? Draw(random_, 0, 2) : Draw(random_, 3, 30);
    std::vector<std::pair<int64_t, int64_t>> windows;
    std::vector<int> nulls;
    for (size_t c = 0; c < columns_.size(); ++c) {
      windows.push_back(DrawWindow(table_.pools[c].size()));
      nulls.push_back(columns_[c].null_percent == 0 ? 0
                      : Chance(random_, 20)         ? 0
                      : Chance(random_, 10)         ? 100
                                                    : columns_[c].null_percent);
    }
    for (int64_t i = 0; i < count; ++i) {
      Row row;
      for (size_t c = 0; c + 1 < columns_.size(); ++c) {
        row.push_back(DrawCell(*draft, c, windows[c], nulls[c]));
        table_.has_nan |= IsNanCell(row.back());
      }
      row.push_back(next_seq_++);
      draft->rows.push_back(std::move(row));
    }
  }

  std::pair<int64_t, int64_t> DrawWindow(size_t size) {
    const auto last = static_cast<int64_t>(size) - 1;
    if (!Chance(random_, narrow_)) return {0, last};
    const int64_t first = Draw(random_, 0, last);
    return {first, std::min(last, first + Draw(random_, 0, 2))};
  }

  Cell DrawCell(const Draft& draft, size_t c, std::pair<int64_t, int64_t> window, int nulls) {
    if (draft.file.spec_id == 1 && c == *partition_column_) return draft.file.partition[0];
    if (draft.missing[c]) return columns_[c].default_value;
    if (Chance(random_, nulls)) return {};
    const RecipeColumn& column = table_.recipe.columns[c];
    for (int attempt = 0;; ++attempt) {
      const bool anywhere = attempt > 3;  // no value of the window fits the old type
      const Cell& cell = anywhere ? Pick(random_, table_.pools[c])
                                  : table_.pools[c][Draw(random_, window.first, window.second)];
      if (!draft.old_types[c] || FitsOld(cell, column.type, columns_[c].old_type)) return cell;
    }
  }

  const RecipeOrder* OrderOf(const RecipeFile& file) const {
    for (const RecipeOrder& order : table_.recipe.sort_orders) {
      if (order.id == file.sort_order_id.value_or(0)) return &order;
    }
    return nullptr;
  }

  size_t IndexOf(int32_t id) const {
    for (size_t c = 0; c < columns_.size(); ++c) {
      if (table_.recipe.columns[c].id == id) return c;
    }
    return columns_.size();
  }

  // The fields of the order that can be obeyed by comparing columns: up to the first that cannot.
  std::vector<RecipeOrderField> ObeyedFields(const RecipeOrder& order,
                                             const std::vector<Row>& rows) const {
    std::vector<RecipeOrderField> obeyed;
    for (const RecipeOrderField& field : order.fields) {
      const bool follows = field.transform.starts_with("truncate") || field.transform == "day";
      if (field.transform == "void" || follows) continue;  // its own column comes next
      if (field.source_id == kDroppedId) break;
      if (field.transform == "identity") {
        obeyed.push_back(field);
      } else if (!IsConstant(rows, IndexOf(field.source_id))) {
        break;  // whatever a transform does, it maps one value to one value
      }
    }
    return obeyed;
  }

  static bool IsConstant(const std::vector<Row>& rows, size_t column) {
    return std::all_of(rows.begin(), rows.end(),
                       [&](const Row& row) { return SameCell(row[column], rows[0][column]); });
  }

  bool ClaimedBefore(const Row& a, const Row& b, const std::vector<RecipeOrderField>& fields,
                     bool total_order) const {
    for (const RecipeOrderField& field : fields) {
      const Cell& left = a[IndexOf(field.source_id)];
      const Cell& right = b[IndexOf(field.source_id)];
      if (IsNullCell(left) || IsNullCell(right)) {
        if (IsNullCell(left) == IsNullCell(right)) continue;
        return IsNullCell(left) == field.nulls_first;
      }
      const int order = total_order ? CompareCellsTotal(left, right) : CompareCells(left, right);
      if (order != 0) return field.descending ? order > 0 : order < 0;
    }
    return false;
  }

  void SortByClaim(Draft* draft) const {
    const RecipeOrder* order = OrderOf(draft->file);
    if (order == nullptr) return;
    const auto fields = ObeyedFields(*order, draft->rows);
    std::stable_sort(draft->rows.begin(), draft->rows.end(), [&](const Row& a, const Row& b) {
      return ClaimedBefore(a, b, fields, draft->total_order);
    });
  }

  void AddFile(Draft& draft) {
    std::vector<WrittenColumn> columns;
    for (size_t c = 0; c < columns_.size(); ++c) {
      const RecipeColumn& column = table_.recipe.columns[c];
      if (draft.missing[c]) continue;
      columns.push_back(
          {column.id, column.name, draft.old_types[c] ? columns_[c].old_type : column.type});
    }
    std::vector<Row> written;
    for (const Row& row : draft.rows) {
      Row stored;
      for (size_t c = 0; c < columns_.size(); ++c) {
        if (draft.missing[c]) continue;
        const RecipeColumn& column = table_.recipe.columns[c];
        stored.push_back(draft.old_types[c] ? AsOld(row[c], column.type, columns_[c].old_type)
                                            : row[c]);
      }
      written.push_back(std::move(stored));
    }
    draft.file.rows = TableOf(columns, written);
    draft.file.statistics = TrueStatistics(columns, written);
    for (const WrittenColumn& column : columns) {
      if (Chance(random_, bad_statistics_)) {
        LoosenStatistics(random_, column, &draft.file.statistics[column.id]);
      };
    }
    char name[64];
    std::snprintf(name, sizeof(name), "%s/data/%02d-%03d.parquet", kTableLocation,
                  static_cast<int>(Draw(random_, 0, 99)), static_cast<int>(table_.files.size()));
    draft.file.path = name;
    const size_t rows = draft.rows.size();
    table_.files.push_back(
        {table_.recipe.files.size(), std::move(draft.rows), std::vector<bool>(rows)});
    table_.recipe.files.push_back(std::move(draft.file));
  }

  // ---- lies ----

  void LieAboutRows() {
    std::vector<Draft*> claiming;
    for (Draft& draft : drafts_) {
      if (draft.rows.size() >= 2 && OrderOf(draft.file) != nullptr) claiming.push_back(&draft);
    }
    if (claiming.empty()) return;
    Draft& draft = *Pick(random_, claiming);
    const auto last = static_cast<int64_t>(draft.rows.size()) - 1;
    switch (Draw(random_, 0, 2)) {
      case 0:
        std::swap(draft.rows[Draw(random_, 0, last)], draft.rows[Draw(random_, 0, last)]);
        break;
      case 1:  // sorted per batch only
        std::rotate(draft.rows.begin(), draft.rows.begin() + Draw(random_, 1, last),
                    draft.rows.end());
        break;
      default:
        std::shuffle(draft.rows.begin(), draft.rows.end(), random_);
    }
    table_.lie = Lie::kRows;
  }

  void LieAboutBounds() {
    const int32_t id = table_.recipe.sort_orders[0].fields[0].source_id;
    const std::string& type = table_.recipe.Column(id).type;
    const std::vector<Cell>& pool = table_.pools[IndexOf(id)];
    std::vector<RecipeFile*> files;
    for (RecipeFile& file : table_.recipe.files) {
      if (file.rows->num_rows() > 0 && file.statistics.contains(id)) files.push_back(&file);
    }
    if (files.empty()) return;
    RecipeStatistics& statistics = Pick(random_, files)->statistics[id];
    Cell value = Pick(random_, pool);
    if (IsNanCell(value)) value = Cell{1.0};
    switch (Draw(random_, 0, 3)) {
      case 0:
        statistics.lower = CellBoundBytes(type, value);
        break;
      case 1:
        statistics.upper = CellBoundBytes(type, value);
        break;
      case 2:
        statistics.lower = statistics.upper = CellBoundBytes(type, value);
        break;
      default:
        statistics.null_count = 0;
        statistics.nan_count = 0;
    }
    table_.lie = Lie::kBounds;
  }

  // ---- deletes ----

  void AddDeletes() {
    for (RandomFile& file : table_.files) {
      if (!file.rows.empty() && Chance(random_, deletes_ / 2)) DeletePositions(&file);
    }
    // Which equality deletes concern a file is told by its statistics: false ones may hide some.
    if (lie_ != Lie::kBounds && Chance(random_, deletes_ / 2)) DeleteEqual();
  }

  void DeletePositions(RandomFile* file) {
    std::vector<int64_t> positions;
    const int percent = Pick(random_, std::vector<int>{5, 30, 90, 100});
    for (size_t i = 0; i < file->rows.size(); ++i) {
      if (!Chance(random_, percent)) continue;
      positions.push_back(static_cast<int64_t>(i));
      file->deleted[i] = true;
    }
    if (positions.empty()) return;
    const RecipeFile& data = table_.recipe.files[file->recipe_file];
    const bool vector = table_.recipe.format_version == 3 && Chance(random_, 50);
    RecipeFile deletes =
        vector ? DeletionVectorOf(data.path, positions) : PositionDeletesOf(data.path, positions);
    deletes.sequence_number = data.sequence_number + Draw(random_, 0, 1);
    deletes.spec_id = data.spec_id;
    deletes.partition = data.partition;
    if (vector) deletes.path = data.path + ".puffin";
    table_.recipe.files.push_back(std::move(deletes));
  }

  void DeleteEqual() {
    const auto last = static_cast<int64_t>(columns_.size()) - 1;
    std::vector<size_t> chosen = {static_cast<size_t>(Draw(random_, 0, last))};
    const auto other = static_cast<size_t>(Draw(random_, 0, last));
    if (Chance(random_, 30) && other != chosen[0]) chosen.push_back(other);
    std::vector<WrittenColumn> columns;
    for (const size_t c : chosen) {
      const RecipeColumn& column = table_.recipe.columns[c];
      columns.push_back({column.id, column.name, column.type});
    }
    std::vector<Row> victims;
    for (const RandomFile& file : table_.files) {
      if (file.rows.empty() || !Chance(random_, 50)) continue;
      const Row& row = Pick(random_, file.rows);
      Row victim;
      for (const size_t c : chosen) victim.push_back(row[c]);
      victims.push_back(std::move(victim));
    }
    if (victims.empty()) return;
    RecipeFile deletes = EqualityDeletesOf(columns, victims, Draw(random_, 1, 4));
    for (RandomFile& file : table_.files) {
      if (table_.recipe.files[file.recipe_file].sequence_number >= deletes.sequence_number)
        continue;
      for (size_t i = 0; i < file.rows.size(); ++i) {
        if (IsVictim(file.rows[i], chosen, victims)) file.deleted[i] = true;
      }
    }
    table_.recipe.files.push_back(std::move(deletes));
  }

  static bool IsVictim(const Row& row, const std::vector<size_t>& chosen,
                       const std::vector<Row>& victims) {
    return std::any_of(victims.begin(), victims.end(), [&](const Row& victim) {
      for (size_t i = 0; i < chosen.size(); ++i) {
        if (!SameCell(row[chosen[i]], victim[i])) return false;
      }
      return true;
    });
  }

  std::mt19937_64& random_;
  Lie lie_;
  RandomTable table_;
  std::vector<Column> columns_;
  std::vector<Draft> drafts_;
  std::optional<size_t> partition_column_;
  bool mixed_specs_ = false;
  bool partition_stored_ = true;
  int unsorted_ = 0, odd_claims_ = 0, bad_statistics_ = 0, deletes_ = 0;
  int narrow_ = 0, tiny_ = 0, old_files_ = 0;
  int64_t next_seq_ = 0;
};

}  // namespace

std::vector<Row> RandomTable::LiveRows() const {
  std::vector<Row> rows;
  for (const RandomFile& file : files) {
    for (size_t i = 0; i < file.rows.size(); ++i) {
      if (!file.deleted[i]) rows.push_back(file.rows[i]);
    }
  }
  return rows;
}

RandomTable DrawTable(std::mt19937_64& random, Lie lie) { return Drawing(random, lie).Run(); }

bool IsPlainOrder(const RecipeOrder& order) {
  return std::all_of(order.fields.begin(), order.fields.end(), [](const auto& field) {
    return field.transform == "identity" && field.source_id != kDroppedId;
  });
}

}  // namespace esker::testing
