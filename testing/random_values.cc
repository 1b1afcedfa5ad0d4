#include "testing/random_values.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "testing/seed.h"

namespace esker::testing {
namespace {

constexpr int64_t kDayMicros = 86'400'000'000;

std::vector<Cell> Integers(std::vector<int64_t> numbers) {
  return std::vector<Cell>(numbers.begin(), numbers.end());
}

std::vector<Cell> Texts(std::vector<std::string> texts) {
  return std::vector<Cell>(texts.begin(), texts.end());
}

std::vector<Cell> Decimals(int precision) {
  std::vector<Cell> cells;
  for (const int64_t number : {0, 1, 127, 128, 255, 256, 32767, 32768, 8388608, 999999999}) {
    cells.emplace_back(arrow::Decimal128(number));
    cells.emplace_back(arrow::Decimal128(-number - 1 > -999999999 ? -number - 1 : -number));
  }
  if (precision == 38) {
    const arrow::Decimal128 most("99999999999999999999999999999999999999");
    cells.emplace_back(most);
    cells.emplace_back(-most);
    cells.emplace_back(arrow::Decimal128(int64_t{1}, uint64_t{0}));
  }
  return cells;
}

std::vector<Cell> Reals(bool narrow) {
  const double nan = std::nan("");
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Cell> cells = {-infinity, -2.5, -1.0, -0.0, 0.0,      0.5,
                             1.0,       1.5,  2.0,  3.0,  infinity, nan};
  cells.emplace_back(std::copysign(nan, -1.0));
  if (!narrow) cells.insert(cells.end(), {0.1, 1e300, -1e300, 5e-324});
  return cells;
}

bool IsTimestampOfDate(const std::string& type, const std::string& old_type) {
  return old_type == "date" && type.starts_with("timestamp");
}

int64_t DayOf(const std::string& type) {
  return type.ends_with("_ns") ? kDayMicros * 1000 : kDayMicros;
}

void Widen(const std::string& type, RecipeStatistics* statistics) {
  if (!statistics->lower || !statistics->upper) return;
  if (type == "string" || type == "binary") {
    if (statistics->lower->size() > 1) statistics->lower->resize(1);
    if (!statistics->upper->empty() && static_cast<uint8_t>(statistics->upper->front()) < 0xff) {
      statistics->upper = std::string(1, static_cast<char>(statistics->upper->front() + 1));
    }
    return;
  }
  if (type == "uuid" || type.starts_with("fixed") || type == "boolean") return;
  const std::vector<Cell> pool = PoolOf(type, "");
  const auto [least, most] =
      std::minmax_element(pool.begin(), pool.end(), [](const Cell& a, const Cell& b) {
        if (IsNanCell(a) || IsNanCell(b)) return false;
        return CompareCells(a, b) < 0;
      });
  if (IsNanCell(*least) || IsNanCell(*most) || type == "float" || type == "double") return;
  statistics->lower = CellBoundBytes(type, *least);
  statistics->upper = CellBoundBytes(type, *most);
}

}  // namespace

std::string OldTypeOf(const std::string& type) {
  if (type == "long") return "int";
  if (type == "double") return "float";
  if (type == "decimal(18,2)") return "decimal(9,2)";
  if (type == "timestamp" || type == "timestamp_ns") return "date";
  return "";
}

// Values of the type; those of a promoted column fit its old type or are told apart by FitsOld().
std::vector<Cell> PoolOf(const std::string& type, const std::string& old_type) {
  const auto least = std::numeric_limits<int64_t>::min();
  const auto most = std::numeric_limits<int64_t>::max();
  if (type == "boolean") return Integers({0, 1});
  if (type == "int") return Integers({INT32_MIN, -100, -3, -1, 0, 1, 2, 3, 5, 8, 100, INT32_MAX});
  if (type == "long") {
    return Integers({least, -5'000'000'000, INT32_MIN, -3, -1, 0, 1, 2, 3, 8, 5'000'000'000, most});
  }
  if (type == "date") return Integers({-719162, -365, -2, -1, 0, 1, 2, 365, 20000});
  if (type == "time") return Integers({0, 1, 59'999'999, 3'600'000'000, 86'399'999'999});
  if (type.starts_with("timestamp")) {
    const int64_t day = type.ends_with("_ns") ? kDayMicros * 1000 : kDayMicros;
    return Integers({-30000 * day, -day, -day - 1, -1, 0, 1, day, day + 1, 2 * day, 20000 * day});
  }
  if (type == "float") return Reals(true);
  if (type == "double") return Reals(old_type == "float");
  if (type.starts_with("decimal(38")) return Decimals(38);
  if (type.starts_with("decimal")) return Decimals(9);
  if (type == "string") {
    return Texts({"", "a", "aa", "ab", "b", "it's", "z", "prefix of sixteen 1",
                  "prefix of sixteen 2", "prefix of sixteen", "\xc3\xa9", "\xef\xbf\xbd",
                  "\xf0\x90\x80\x80"});
  }
  if (type == "binary") {
    return Texts({"", std::string(1, '\0'), std::string(2, '\0'), "a", "\x7f", "\x80", "\xff",
                  "\xff\xff", std::string(20, '\xff')});
  }
  const size_t width = type == "uuid" ? 16 : 4;
  std::vector<Cell> cells;
  for (const char c : {'\0', '\1', 'a', '\x7f', '\x80', '\xff'}) {
    cells.emplace_back(std::string(width, c));
    cells.emplace_back(std::string(1, c) + std::string(width - 1, 'm'));
  }
  return cells;
}

bool FitsOld(const Cell& cell, const std::string& type, const std::string& old_type) {
  if (IsNullCell(cell)) return true;
  if (old_type == "int") {
    return std::get<int64_t>(cell) >= INT32_MIN && std::get<int64_t>(cell) <= INT32_MAX;
  }
  if (IsTimestampOfDate(type, old_type)) return std::get<int64_t>(cell) % DayOf(type) == 0;
  if (old_type.starts_with("decimal(9")) {
    const auto number = std::get<arrow::Decimal128>(cell);
    return number <= arrow::Decimal128(999999999) && number >= arrow::Decimal128(-999999999);
  }
  return true;
}

Cell AsOld(const Cell& cell, const std::string& type, const std::string& old_type) {
  if (IsNullCell(cell) || !IsTimestampOfDate(type, old_type)) return cell;
  return std::get<int64_t>(cell) / DayOf(type);
}

std::string JsonOf(const Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) return "\"" + *text + "\"";
  return CellText(cell);
}

void LoosenStatistics(std::mt19937_64& random, const WrittenColumn& column,
                      RecipeStatistics* statistics) {
  if (Chance(random, 40)) statistics->null_count.reset();
  if (Chance(random, 40)) statistics->nan_count.reset();
  if (Chance(random, 40)) statistics->value_count.reset();
  switch (Draw(random, 0, 5)) {
    case 0:
      statistics->lower.reset();
      break;
    case 1:
      statistics->upper.reset();
      break;
    case 2:
      *statistics = {};
      break;
    case 3:
      Widen(column.type, statistics);
      break;
    case 4:
      if (statistics->lower != statistics->upper && column.type != "string" &&
          column.type != "binary") {
        std::swap(statistics->lower, statistics->upper);
        // Zeros are equal, one way round is no more inverted than the other.
      }
      break;
    default:
      if (column.type == "int" || column.type == "long" || column.type == "double") {
        statistics->lower = Chance(random, 50) ? "" : "abc";
      }
  }
}

}  // namespace esker::testing
