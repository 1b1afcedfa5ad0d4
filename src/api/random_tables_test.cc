// Random tables through the public API, against the naive twin (testing/scan_judge.h).
//
// ESKER_SEED sets the seed, ESKER_ROUNDS multiplies the number of tables, ESKER_TABLE runs just
// that one table of the seed. A failure prints all three things needed to see it again.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "arrow/filesystem/mockfs.h"
#include "testing/faulty_filesystem.h"
#include "testing/random_scan.h"
#include "testing/random_table.h"
#include "testing/scan_judge.h"

namespace esker::testing {
namespace {

constexpr int kTables = 1000;
constexpr int kScansPerTable = 2;
constexpr int kFailuresShown = 3;

int64_t FromEnvironment(const char* name, int64_t otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::strtoll(text, nullptr, 10);
}

// Every table has a generator of its own, so that it can be drawn again alone.
std::mt19937_64 GeneratorOf(uint64_t seed, int64_t table) {
  std::seed_seq words{seed & 0xffffffff, seed >> 32, static_cast<uint64_t>(table)};
  return std::mt19937_64(words);
}

std::string RunTable(uint64_t seed, int64_t number, Lie lie, JudgeCounts* counts) {
  std::mt19937_64 random = GeneratorOf(seed, number);
  RandomTable table = DrawTable(random, lie);
  const auto filesystem = std::make_shared<FaultyFileSystem>(WriteTable(table.recipe));
  for (int i = 0; i < kScansPerTable; ++i) {
    const RandomScan scan = DrawScan(random, table);
    const std::string wrong = JudgeScan(table, scan, filesystem, counts);
    if (!wrong.empty()) return wrong + scan.Describe() + "\n" + table.Describe();
  }
  return "";
}

void RunTables(Lie lie, int64_t tables) {
  const auto seed = static_cast<uint64_t>(FromEnvironment("ESKER_SEED", 20240601));
  const int64_t only = FromEnvironment("ESKER_TABLE", -1);
  tables *= FromEnvironment("ESKER_ROUNDS", 1);
  std::cout << "ESKER_SEED=" << seed << ", " << tables << " tables\n";
  int failures = 0;
  JudgeCounts counts;
  for (int64_t number = 0; number < tables && failures < kFailuresShown; ++number) {
    if (only >= 0 && number != only) continue;
    const std::string wrong = RunTable(seed, number, lie, &counts);
    if (wrong.empty()) continue;
    ++failures;
    ADD_FAILURE() << "ESKER_SEED=" << seed << " ESKER_TABLE=" << number << ": " << wrong;
  }
  std::cout << counts.splits << " splits read, " << counts.refused_splits << " refused\n";
  if (only < 0) {
    EXPECT_GT(counts.splits, tables / 4);
  }
}

// A judge that never complains proves nothing: here the twin is changed behind Esker's back.
TEST(RandomTablesTest, TheJudgeSeesWhatIsWrong) {
  int judged = 0;
  for (int64_t number = 0; number < 100 && judged < 20; ++number) {
    std::mt19937_64 random = GeneratorOf(1, number);
    RandomTable table = DrawTable(random);
    const auto filesystem = std::make_shared<FaultyFileSystem>(WriteTable(table.recipe));
    if (table.files.empty() || table.LiveRows().empty()) continue;
    RandomScan scan;
    scan.keep = [](const Row&) { return true; };
    for (size_t c = 0; c < table.recipe.columns.size(); ++c) scan.output.push_back(c);
    scan.options.on_disorder = OnDisorder::kSort;
    const auto file = std::find_if(table.files.begin(), table.files.end(), [](const auto& each) {
      return std::find(each.deleted.begin(), each.deleted.end(), false) != each.deleted.end();
    });
    const auto row = std::find(file->deleted.begin(), file->deleted.end(), false);
    *row = true;  // a row too many comes out
    EXPECT_NE(JudgeScan(table, scan, filesystem), "") << "table " << number;
    *row = false;
    Cell& seq = file->rows[row - file->deleted.begin()].back();
    seq = std::get<int64_t>(seq) + 1000;  // a row comes out that is not there
    EXPECT_NE(JudgeScan(table, scan, filesystem), "") << "table " << number;
    ++judged;
  }
  EXPECT_EQ(judged, 20);
}

TEST(RandomTablesTest, HonestTablesGiveTheRowsOfTheTwin) { RunTables(Lie::kNone, kTables); }

TEST(RandomTablesTest, FilesThatBreakTheirOrderNeverDisorderAScan) {
  RunTables(Lie::kRows, kTables / 2);
}

TEST(RandomTablesTest, FalseStatisticsNeverDisorderAScan) { RunTables(Lie::kBounds, kTables / 2); }

}  // namespace
}  // namespace esker::testing
