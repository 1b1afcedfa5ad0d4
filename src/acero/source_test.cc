// Plans through real Acero: what its nodes make of the order that they are told, how little they
// pull for it, and the lives of a source: stopped, dropped, failed, used twice, used by many.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "arrow/acero/options.h"
#include "arrow/array.h"
#include "arrow/compute/api.h"
#include "arrow/record_batch.h"
#include "arrow/table.h"
#include "arrow/util/cancel.h"
#include "arrow/util/thread_pool.h"
#include "esker/acero.h"
#include "esker/error.h"
#include "nlohmann/json.hpp"
#include "testing/random_values.h"
#include "testing/scene.h"

namespace esker::testing {
namespace {

namespace ac = arrow::acero;
namespace cp = arrow::compute;

using ac::Declaration;

// `batch_rows` of the scene make Acero's batches small, so that there are many to pull.
constexpr int64_t kBatchRows = 10;

const std::vector<WrittenColumn> kColumns = {{1, "k", "long"}, {2, "v", "long"}};

// Keys first, first + step …; the value is ten times the key. A row group is a batch.
RecipeFile FileOfKeys(int64_t first, int64_t step, int64_t count) {
  std::vector<Row> rows;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back({first + i * step, 10 * (first + i * step)});
  }
  RecipeFile file = DataFileOf(kColumns, rows, 1);
  file.row_group_rows = kBatchRows;
  return file;
}

// 40 files of 50 rows, one after the other: keys 0 to 1999.
Scene Series() {
  Scene scene({{1, "k", "long"}, {2, "v", "long"}}, "k");
  for (int64_t file = 0; file < 40; ++file) scene.Add(FileOfKeys(50 * file, 1, 50));
  scene.options.batch_rows = kBatchRows;
  return scene;
}

// One file that takes many reads.
Scene LongFile() {
  Scene scene({{1, "k", "long"}, {2, "v", "long"}}, "k");
  scene.Add(FileOfKeys(0, 1, 100'000)).row_group_rows = 1000;
  return scene;
}

Declaration MustMake(std::shared_ptr<const ScanPlan> plan) {
  auto source = MakeAceroSource(std::move(plan));
  EXPECT_TRUE(source.ok()) << source.status();
  return *source;
}

template <typename Options>
Declaration Then(Declaration input, const std::string& factory, Options options) {
  return Declaration::Sequence({std::move(input), {factory, std::move(options)}});
}

std::vector<Row> RowsOfTable(const arrow::Result<std::shared_ptr<arrow::Table>>& table) {
  EXPECT_TRUE(table.ok()) << table.status();
  return table.ok() ? RowsOf(**table) : std::vector<Row>{};
}

std::vector<Row> RowsFrom(const Declaration& declaration, bool use_threads = false) {
  return RowsOfTable(ac::DeclarationToTable(declaration, use_threads));
}

std::string Text(const std::vector<Row>& rows) {
  std::string text;
  for (const Row& row : rows) text += (text.empty() ? "" : " ") + RowText(row);
  return text;
}

// Arrow's own sort, which is stable, leaves rows alone that are in order already.
bool ArrowSortLeavesAlone(const arrow::Table& rows, const cp::Ordering& ordering) {
  const auto indices = cp::SortIndices(arrow::Datum(rows.Slice(0)), cp::SortOptions(ordering));
  EXPECT_TRUE(indices.ok()) << indices.status();
  if (!indices.ok()) return false;
  const auto& sorted = static_cast<const arrow::UInt64Array&>(**indices);
  for (int64_t i = 0; i < sorted.length(); ++i) {
    if (sorted.Value(i) != static_cast<uint64_t>(i)) return false;
  }
  return true;
}

// A plan of one column, of so many batches of one row, each after a pause. Knows on which threads
// they were read and how many readers there are.
class CountedPlan : public ScanPlan {
 public:
  explicit CountedPlan(int64_t batches, int pause_ms = 0)
      : batches_(batches), pause_ms_(pause_ms) {}

  const std::shared_ptr<arrow::Schema>& schema() const override { return schema_; }
  const std::vector<ResolvedKey>& order_asked() const override { return order_; }
  const std::vector<ResolvedKey>& order() const override { return order_; }
  const std::vector<FileScanTask>& files() const override { return files_; }
  int32_t chains() const override { return 0; }
  int32_t max_depth() const override { return 0; }
  const std::vector<PlanWarning>& warnings() const override { return warnings_; }
  std::string Explain() const override { return ""; }
  std::string ExplainJson() const override { return "{}"; }
  ScanStatistics statistics() const override { return {}; }
  arrow::Result<std::vector<ScanSplit>> Split(int32_t) const override {
    return arrow::Status::NotImplemented("a counted plan is not split");
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatchReader>> Read() const override {
    return std::make_shared<Reader>(this);
  }

  std::set<std::thread::id> threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
  }
  int readers() const { return readers_; }
  int64_t batches_read() const { return batches_read_; }

 private:
  class Reader : public arrow::RecordBatchReader {
   public:
    explicit Reader(const CountedPlan* plan) : plan_(plan) { ++plan_->readers_; }
    ~Reader() override { --plan_->readers_; }
    std::shared_ptr<arrow::Schema> schema() const override { return plan_->schema_; }
    arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
      std::this_thread::sleep_for(std::chrono::milliseconds(plan_->pause_ms_));
      ++plan_->batches_read_;
      const std::lock_guard lock(plan_->mutex_);
      plan_->threads_.insert(std::this_thread::get_id());
      *batch = ++count_ > plan_->batches_
                   ? nullptr
                   : arrow::RecordBatch::Make(plan_->schema_, 1,
                                              {ArrayOf(arrow::int64(), {Cell(count_)})});
      return arrow::Status::OK();
    }

   private:
    const CountedPlan* plan_;
    int64_t count_ = 0;
  };

  int64_t batches_;
  int pause_ms_;
  std::shared_ptr<arrow::Schema> schema_ = arrow::schema({arrow::field("k", arrow::int64())});
  std::vector<ResolvedKey> order_ = {{"k", 1, false, true}};
  std::vector<FileScanTask> files_;
  std::vector<PlanWarning> warnings_;
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
  mutable std::atomic<int> readers_{0};
  mutable std::atomic<int64_t> batches_read_{0};
};

constexpr int64_t kEndless = std::numeric_limits<int64_t>::max();

// Whether nothing is left. Threads of Acero may hold its plan for a moment after its last call.
bool NothingLeft(const std::function<int64_t()>& count) {
  for (int i = 0; i < 20'000 && count() != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return count() == 0;
}

bool AllClosed(Scene& scene) {
  return NothingLeft([&] { return scene.filesystem().open_now(); });
}

class AceroSource : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(cp::Initialize().ok()); }
};

// ---- fetch ---------------------------------------------------------------------------------

TEST_F(AceroSource, FetchGivesTheFirstRows) {
  Scene scene = Series();
  const auto plan = scene.Plan("k");
  const auto source = Then(MustMake(plan), "fetch", ac::FetchNodeOptions(0, 5));
  EXPECT_EQ(Text(RowsFrom(source)), "0|0 1|10 2|20 3|30 4|40");
  EXPECT_TRUE(AllClosed(scene));
}

TEST_F(AceroSource, FetchWithAnOffset) {
  Scene scene = Series();
  const auto plan = scene.Plan("k desc");
  const auto source = Then(MustMake(plan), "fetch", ac::FetchNodeOptions(123, 3));
  EXPECT_EQ(Text(RowsFrom(source)), "1876|18760 1875|18750 1874|18740");
  EXPECT_GE(plan->statistics().batches, 13);
  EXPECT_TRUE(AllClosed(scene));
}

TEST_F(AceroSource, FetchBehindAFilter) {
  Scene scene = Series();
  const auto plan = scene.Plan("k");
  const auto odd =
      cp::equal(cp::call("bit_wise_and", {cp::field_ref("k"), cp::literal(int64_t{1})}),
                cp::literal(int64_t{1}));
  const auto source = Then(Then(MustMake(plan), "filter", ac::FilterNodeOptions(odd)), "fetch",
                           ac::FetchNodeOptions(10, 3));
  EXPECT_EQ(Text(RowsFrom(source)), "21|210 23|230 25|250");
  EXPECT_GE(plan->statistics().batches, 3);
  EXPECT_TRUE(AllClosed(scene));
}

TEST_F(AceroSource, FetchOnThreadsGivesTheSameRows) {
  Scene scene = Series();
  for (const int64_t offset : {0, 9, 10, 995, 1995, 2000}) {
    const auto source = Then(MustMake(scene.Plan("k")), "fetch", ac::FetchNodeOptions(offset, 20));
    std::vector<Row> expected;
    for (int64_t k = offset; k < std::min<int64_t>(offset + 20, 2000); ++k) {
      expected.push_back({k, 10 * k});
    }
    EXPECT_EQ(Text(RowsFrom(source, /*use_threads=*/true)), Text(expected)) << offset;
    EXPECT_TRUE(AllClosed(scene));
  }
}

TEST_F(AceroSource, FetchIsRefusedWhereNoOrderIsPromised) {
  Scene scene = Series();
  scene.request.order = OrderFrom::kNone;
  const auto plan = scene.Plan();
  EXPECT_TRUE(AceroOrdering(*plan).is_unordered());
  const auto source = MustMake(plan);
  EXPECT_EQ(RowsFrom(source).size(), 2000U);
  const auto refused = ac::DeclarationToTable(Then(source, "fetch", ac::FetchNodeOptions(0, 5)));
  ASSERT_FALSE(refused.ok());
  EXPECT_NE(refused.status().message().find("no meaningful ordering"), std::string::npos)
      << refused.status();
}

TEST_F(AceroSource, FetchTakesTheFirstRowsOfAnOrderThatHasNoNameInArrow) {
  Scene scene({{1, "x", "double"}}, "x");
  scene.Add(DataFileOf({{1, "x", "double"}}, {{std::nan("")}, {1.5}, {-3.0}}, {}));
  scene.Add(DataFileOf({{1, "x", "double"}}, {{2.5}, {std::monostate{}}, {-2.0}}, {}));
  const auto plan = scene.Plan("x asc nulls first");
  EXPECT_TRUE(AceroOrdering(*plan).is_implicit());
  const auto source = Then(MustMake(plan), "fetch", ac::FetchNodeOptions(1, 3));
  EXPECT_EQ(Text(RowsFrom(source)), "-3 -2 1.5");
}

// ---- aggregate and asofjoin ----------------------------------------------------------------

TEST_F(AceroSource, SegmentsAlongTheOrderAreTheGroups) {
  Scene scene({{1, "k", "long"}, {2, "v", "long"}}, "k");
  std::map<int64_t, int64_t> sums;  // worked out here, by key
  for (int64_t file = 0; file < 9; ++file) {
    std::vector<Row> rows;
    for (int64_t i = 0; i < 60; ++i) {
      const int64_t key = file * 3 + i / 7;  // files overlap, keys repeat in several of them
      rows.push_back({key, file * 100 + i});
      sums[key] += file * 100 + i;
    }
    scene.Add(DataFileOf(kColumns, rows, 1));
  }
  scene.options.batch_rows = kBatchRows;
  const auto source = Then(MustMake(scene.Plan("k")), "aggregate",
                           ac::AggregateNodeOptions({{"sum", nullptr, "v", "total"}}, {}, {"k"}));
  std::vector<Row> expected;
  for (const auto& [key, sum] : sums) expected.push_back({key, sum});
  EXPECT_EQ(Text(RowsFrom(source)), Text(expected));
}

// What docs/acero.md warns of. If this fails, Arrow has mended it.
TEST_F(AceroSource, SegmentsTellTheZerosApart) {
  Scene scene({{1, "x", "double"}, {2, "v", "long"}});
  scene.Add(DataFileOf({{1, "x", "double"}, {2, "v", "long"}},
                       {{0.0, int64_t{1}}, {-0.0, int64_t{2}}, {0.0, int64_t{4}}}, {}));
  const auto plan = scene.Plan("x asc nulls last, v");
  EXPECT_EQ(AceroOrdering(*plan).sort_keys().size(), 2U);
  const auto source = Then(MustMake(plan), "aggregate",
                           ac::AggregateNodeOptions({{"sum", nullptr, "v", "total"}}, {}, {"x"}));
  EXPECT_EQ(RowsFrom(source).size(), 3U);
}

TEST_F(AceroSource, AsOfJoinNeedsNoSort) {
  Scene left({{1, "k", "long"}, {2, "v", "long"}}, "k");
  Scene right({{1, "k", "long"}, {2, "w", "long"}}, "k");
  std::vector<int64_t> left_keys, right_keys;
  for (int64_t file = 0; file < 6; ++file) {
    left.Add(FileOfKeys(file * 40, 3, 30));
    for (int64_t i = 0; i < 30; ++i) left_keys.push_back(file * 40 + 3 * i);
    std::vector<Row> rows;
    for (int64_t i = 0; i < 25; ++i) {
      const int64_t key = 7 * (6 * i + file) + 2;  // all different
      right_keys.push_back(key);
      rows.push_back({key, -key});
    }
    right.Add(DataFileOf({{1, "k", "long"}, {2, "w", "long"}}, rows, 1));
  }
  left.options.batch_rows = right.options.batch_rows = kBatchRows;
  constexpr int64_t kBack = 4;
  const Declaration join("asofjoin", {MustMake(left.Plan("k")), MustMake(right.Plan("k"))},
                         ac::AsofJoinNodeOptions({{"k", {}}, {"k", {}}}, -kBack));
  std::sort(left_keys.begin(), left_keys.end());
  std::vector<Row>
      expected;  // the naive twin: looks at every key on the right for each on the left
  for (const int64_t key : left_keys) {
    Cell found;
    for (int64_t back = kBack; back >= 0; --back) {
      if (std::count(right_keys.begin(), right_keys.end(), key - back) > 0) found = back - key;
    }
    expected.push_back({key, 10 * key, found});
  }
  for (const bool use_threads : {false, true}) {
    EXPECT_EQ(Text(RowsFrom(join, use_threads)), Text(expected)) << use_threads;
  }
  EXPECT_TRUE(AllClosed(left) && AllClosed(right));
}

// ---- what is told is true --------------------------------------------------------------------

// Every value of the type's pool twice, nulls besides, in two files that know no order; a second
// key decides ties. NaN only if asked for.
Scene SceneOf(const std::string& type, bool with_nan) {
  const std::vector<WrittenColumn> columns = {{1, "k", type}, {2, "id", "long"}};
  Scene scene({{1, "k", type}, {2, "id", "long"}});
  std::vector<Cell> cells = PoolOf(type, "");
  std::erase_if(cells, [&](const Cell& cell) { return !with_nan && IsNanCell(cell); });
  cells.resize(cells.size() + 2);
  std::mt19937_64 random(7);
  for (int64_t file = 0; file < 2; ++file) {
    std::shuffle(cells.begin(), cells.end(), random);
    std::vector<Row> rows;
    for (const Cell& cell : cells) {
      rows.push_back({cell, static_cast<int64_t>(rows.size()) * 2 + file});
    }
    scene.Add(DataFileOf(columns, rows, {}));
  }
  scene.options.batch_rows = 3;
  return scene;
}

const char* const kTypes[] = {"boolean",       "int",
                              "long",          "float",
                              "double",        "decimal(9,2)",
                              "decimal(18,2)", "decimal(38,10)",
                              "date",          "time",
                              "timestamp",     "timestamptz",
                              "timestamp_ns",  "timestamptz_ns",
                              "string",        "binary",
                              "fixed[4]",      "uuid"};

const char* const kPlaces[] = {"asc nulls first", "asc nulls last", "desc nulls first",
                               "desc nulls last"};

TEST_F(AceroSource, ArrowsComparatorAcceptsEveryKeyThatIsTold) {
  for (const std::string type : kTypes) {
    for (const std::string place : kPlaces) {
      const std::string what = type + " " + place;
      Scene scene = SceneOf(type, /*with_nan=*/false);
      const auto plan = scene.Plan("k " + place + ", id");
      ASSERT_NE(plan, nullptr) << what << scene.error();
      const cp::Ordering ordering = AceroOrdering(*plan);
      EXPECT_EQ(ordering.sort_keys().size(), 2U) << what;
      const auto table = ac::DeclarationToTable(MustMake(plan));
      ASSERT_TRUE(table.ok()) << what << table.status();
      EXPECT_GT((*table)->num_rows(), 7) << what;
      EXPECT_TRUE(ArrowSortLeavesAlone(**table, ordering)) << what << ordering.ToString();
    }
  }
}

// The other way round too: what is not told of a float with NaN would have been wrong.
TEST_F(AceroSource, NanIsToldOnlyWhereItStandsAlike) {
  for (const std::string type : {"float", "double"}) {
    for (const std::string place : kPlaces) {
      const std::string what = type + " " + place;
      Scene scene = SceneOf(type, /*with_nan=*/true);
      const auto plan = scene.Plan("k " + place + ", id");
      ASSERT_NE(plan, nullptr) << what << scene.error();
      const cp::Ordering ordering = AceroOrdering(*plan);
      const auto table = ac::DeclarationToTable(MustMake(plan));
      ASSERT_TRUE(table.ok()) << what << table.status();
      const bool alike = place == "asc nulls last" || place == "desc nulls first";
      EXPECT_EQ(ordering.sort_keys().size(), alike ? 2U : 0U) << what;
      if (alike) {
        EXPECT_TRUE(ArrowSortLeavesAlone(**table, ordering)) << what << ordering.ToString();
        continue;
      }
      EXPECT_TRUE(ordering.is_implicit()) << what;
      const bool first = place == "asc nulls first";
      const cp::SortKey untold("k", first ? cp::SortOrder::Ascending : cp::SortOrder::Descending,
                               first ? cp::NullPlacement::AtStart : cp::NullPlacement::AtEnd);
      EXPECT_FALSE(ArrowSortLeavesAlone(**table, cp::Ordering({untold}))) << what;
    }
  }
}

TEST_F(AceroSource, NanThatTheStatisticsDenyIsAnError) {
  for (const std::string type : {"float", "double"}) {
    Scene scene({{1, "k", "long"}, {2, "x", type}});
    scene.Add(DataFileOf({{1, "k", "long"}, {2, "x", type}},
                         {{int64_t{1}, 1.0}, {int64_t{2}, std::nan("")}, {int64_t{3}, 2.0}}, {}));
    scene.Statistics(2).nan_count = 0;
    const auto denied = ac::DeclarationToTable(MustMake(scene.Plan("k, x asc nulls first")));
    ASSERT_FALSE(denied.ok());
    EXPECT_EQ(KindOf(denied.status()), ErrorKind::kDisorder) << denied.status();
    EXPECT_NE(denied.status().message().find("column x holds NaN"), std::string::npos);
    // Where NaN may stand, nobody minds it.
    EXPECT_EQ(RowsFrom(MustMake(scene.Plan("k, x asc nulls last"))).size(), 3U);
    EXPECT_TRUE(AllClosed(scene));
  }
}

TEST_F(AceroSource, HiddenKeysAndNamesOfTwoColumnsEndWhatIsTold) {
  Scene scene = Series();
  const auto ordering_of = [&](std::vector<std::string> columns) {
    scene.request.columns = std::move(columns);
    const auto plan = scene.Plan("k, v");
    EXPECT_EQ(RowsFrom(MustMake(plan)).size(), 2000U);
    return AceroOrdering(*plan);
  };
  EXPECT_EQ(ordering_of({"v", "k"}).sort_keys().size(), 2U);
  EXPECT_EQ(ordering_of({"k"}).sort_keys().size(), 1U);
  EXPECT_TRUE(ordering_of({"v"}).is_unordered());
  EXPECT_EQ(ordering_of({"v", "k", "v"}).sort_keys().size(), 1U);
  EXPECT_TRUE(ordering_of({"k", "k", "v"}).is_implicit());
}

// ---- the life of a source --------------------------------------------------------------------

std::shared_ptr<ac::SourceNodeOptions> OptionsOf(const Declaration& source) {
  return std::static_pointer_cast<ac::SourceNodeOptions>(source.options);
}

TEST_F(AceroSource, BatchesAreNumberedAndTheEndStays) {
  Scene scene = Series();
  const auto source = MustMake(scene.Plan("k"));
  auto generator = OptionsOf(source)->generator;
  int64_t rows = 0;
  for (int64_t index = 0;; ++index) {
    const auto batch = generator().result();
    ASSERT_TRUE(batch.ok()) << batch.status();
    if (!batch->has_value()) break;
    EXPECT_EQ((*batch)->index, index);
    rows += (*batch)->length;
  }
  EXPECT_EQ(rows, 2000);
  EXPECT_EQ(scene.filesystem().open_now(), 0);
  const auto after = generator().result();
  ASSERT_TRUE(after.ok());
  EXPECT_FALSE(after->has_value());
}

TEST_F(AceroSource, TheReaderGoesAtTheEndHoweverLongTheSourceStays) {
  const auto plan = std::make_shared<CountedPlan>(2);
  auto generator = OptionsOf(MustMake(plan))->generator;
  EXPECT_EQ(plan->readers(), 0);
  for (const int readers : {1, 1, 0}) {
    ASSERT_TRUE(generator().result().ok());
    EXPECT_EQ(plan->readers(), readers);
  }
}

TEST_F(AceroSource, NothingIsReadBeforeThePlanRuns) {
  Scene scene = Series();
  const auto plan = scene.Plan("k");
  scene.filesystem().FailAt(0);
  const auto source = MustMake(plan);
  ASSERT_TRUE(ac::DeclarationToSchema(source).ok());
  ASSERT_TRUE(ac::DeclarationToString(source).ok());
  EXPECT_EQ(scene.filesystem().operations(), 0);
}

TEST_F(AceroSource, EveryUseOfADeclarationIsAScanOfItsOwn) {
  Scene scene = Series();
  const auto source = MustMake(scene.Plan("k"));
  const std::string first = Text(RowsFrom(source));
  EXPECT_EQ(Text(RowsFrom(source)), first);
  const auto five = Then(source, "fetch", ac::FetchNodeOptions(0, 5));
  EXPECT_EQ(RowsFrom(five).size(), 5U);
  EXPECT_EQ(Text(RowsFrom(source)), first);
}

TEST_F(AceroSource, ManyPlansOfOneDeclarationRunAtOnce) {
  Scene scene = Series();
  const auto source = MustMake(scene.Plan("k"));
  const std::string expected = Text(RowsFrom(source));
  std::vector<std::string> texts(12);  // more than there are I/O threads
  std::vector<std::thread> threads;
  for (std::string& text : texts) {
    threads.emplace_back([&text, source] { text = Text(RowsFrom(source, /*use_threads=*/true)); });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& text : texts) EXPECT_EQ(text, expected);
  EXPECT_TRUE(AllClosed(scene));
}

TEST_F(AceroSource, OnePlanTakesManySources) {
  std::vector<Scene> scenes;
  std::vector<Declaration::Input> inputs;
  for (int i = 0; i < 12; ++i) scenes.push_back(Series());
  for (Scene& scene : scenes) inputs.emplace_back(MustMake(scene.Plan("k")));
  const Declaration all("union", std::move(inputs), ac::ExecNodeOptions());
  EXPECT_EQ(RowsFrom(all, /*use_threads=*/true).size(), 24000U);
}

// A serial reader of Acero's that is dropped reads to the end first; so it is closed here.
TEST_F(AceroSource, AReaderClosedOrDroppedHalfWayEndsTheScan) {
  for (const auto& [use_threads, close] : {std::pair{false, true}, {true, true}, {true, false}}) {
    const auto plan = std::make_shared<CountedPlan>(kEndless);
    auto reader = ac::DeclarationToReader(MustMake(plan), use_threads);
    ASSERT_TRUE(reader.ok()) << reader.status();
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE((*reader)->ReadNext(&batch).ok());
    ASSERT_EQ(batch->num_rows(), 1);
    EXPECT_EQ(plan->readers(), 1);
    if (close) {
      EXPECT_TRUE((*reader)->Close().ok());
    }
    reader->reset();
    EXPECT_TRUE(NothingLeft([&] { return plan->readers(); })) << use_threads << close;
  }
}

// How far Acero runs ahead of its queue is a race between reads and its threads: reads that take
// their time, as those of files do, lose it.
TEST_F(AceroSource, FetchEndsAScanWithoutEndSoonAfterItsRows) {
  for (const bool use_threads : {false, true}) {
    for (const bool filtered : {false, true}) {
      const auto plan = std::make_shared<CountedPlan>(kEndless, /*pause_ms=*/5);
      Declaration source = MustMake(plan);
      if (filtered) {
        const auto late = cp::greater(cp::field_ref("k"), cp::literal(int64_t{2}));
        source = Then(source, "filter", ac::FilterNodeOptions(late));
      }
      source = Then(source, "fetch", ac::FetchNodeOptions(3, 2));
      EXPECT_EQ(Text(RowsFrom(source, use_threads)), filtered ? "6 7" : "4 5");
      EXPECT_TRUE(NothingLeft([&] { return plan->readers(); }));
      EXPECT_LE(plan->batches_read(), 60) << use_threads << filtered;
    }
  }
}

TEST_F(AceroSource, AGeneratorDroppedHalfWayClosesAllFiles) {
  Scene scene = LongFile();
  auto generator = OptionsOf(MustMake(scene.Plan("k")))->generator;
  ASSERT_TRUE(generator().result().ok());
  EXPECT_GT(scene.filesystem().open_now(), 0);
  generator = {};
  EXPECT_EQ(scene.filesystem().open_now(), 0);
}

TEST_F(AceroSource, AStopTokenEndsIt) {
  Scene scene = LongFile();
  arrow::StopSource stop;
  const auto source =
      MakeAceroSource(scene.Plan("k"), arrow::io::IOContext(stop.token())).ValueOrDie();
  auto generator = OptionsOf(source)->generator;
  ASSERT_TRUE(generator().result().ok());
  EXPECT_GT(scene.filesystem().open_now(), 0);
  stop.RequestStop();
  const auto stopped = generator().result();
  EXPECT_TRUE(stopped.status().IsCancelled()) << stopped.status();
  EXPECT_EQ(scene.filesystem().open_now(), 0);
  const auto table = ac::DeclarationToTable(source);
  EXPECT_TRUE(table.status().IsCancelled()) << table.status();
}

TEST_F(AceroSource, AnErrorInTheMiddleComesOutAsItIs) {
  Scene scene({{1, "k", "long"}, {2, "v", "long"}}, "k");
  scene.Add(FileOfKeys(0, 1, 50));
  scene.Add(DataFileOf(
      kColumns, {{int64_t{60}, int64_t{0}}, {int64_t{90}, int64_t{0}}, {int64_t{70}, int64_t{0}}},
      1));
  scene.options.batch_rows = kBatchRows;
  EXPECT_EQ(scene.Rows("k"), "disorder");
  const auto plan = scene.Plan("k");
  const auto failed = ac::DeclarationToTable(MustMake(plan));
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(KindOf(failed.status()), ErrorKind::kDisorder);
  EXPECT_EQ(scene.Rows("k"), "disorder");
  EXPECT_EQ(failed.status().ToString(), scene.error());
  EXPECT_TRUE(AllClosed(scene));
}

TEST_F(AceroSource, AFailureOfTheStorageComesOutAtAnyPoint) {
  Scene scene = Series();
  const auto plan = scene.Plan("k");
  scene.filesystem().FailAt(0);
  ASSERT_EQ(RowsFrom(MustMake(plan)).size(), 2000U);
  const int64_t operations = scene.filesystem().operations();
  ASSERT_GT(operations, 40);
  for (int64_t fault = 1; fault <= operations; fault += 7) {
    scene.filesystem().FailAt(fault);
    const auto failed = ac::DeclarationToTable(MustMake(plan), /*use_threads=*/fault % 2 == 0);
    ASSERT_TRUE(scene.filesystem().fault_hit());
    EXPECT_FALSE(failed.ok()) << fault;
    EXPECT_TRUE(AllClosed(scene)) << fault;
  }
}

TEST_F(AceroSource, AFailedSourceStaysFailed) {
  Scene scene = Series();
  const auto plan = scene.Plan("k");
  auto generator = OptionsOf(MustMake(plan))->generator;
  ASSERT_TRUE(generator().result().ok());
  scene.filesystem().FailAt(1);
  arrow::Status first;
  while (first.ok()) first = generator().result().status();
  EXPECT_EQ(generator().result().status(), first);
  EXPECT_EQ(scene.filesystem().open_now(), 0);
}

TEST_F(AceroSource, NoPlanIsAUsageError) {
  const auto source = MakeAceroSource(nullptr);
  ASSERT_FALSE(source.ok());
  EXPECT_EQ(KindOf(source.status()), ErrorKind::kUsage);
}

TEST_F(AceroSource, ReadsOnTheExecutorOfItsContextAndNowhereElse) {
  const auto pool = arrow::internal::ThreadPool::Make(1).ValueOrDie();
  const auto thread = pool->Submit([] { return std::this_thread::get_id(); })->result();
  for (const bool use_threads : {false, true}) {
    const auto plan = std::make_shared<CountedPlan>(5);
    const auto source = MakeAceroSource(plan, arrow::io::IOContext(pool.get())).ValueOrDie();
    EXPECT_EQ(Text(RowsFrom(source, use_threads)), "1 2 3 4 5");
    EXPECT_EQ(plan->threads(), std::set<std::thread::id>{*thread});
  }
}

// ---- tables that Spark wrote -----------------------------------------------------------------

nlohmann::json JsonFile(const std::string& path) {
  std::ifstream file(path);
  return nlohmann::json::parse(file);
}

TEST_F(AceroSource, SparkTablesComeInTheOrderThatIsTold) {
  const std::string folder = ESKER_SOURCE_DIR "/testdata/spark/";
  std::map<std::string, int> told;
  const nlohmann::json index = JsonFile(folder + "index.json");
  for (const auto& entry : index["cases"]) {
    const std::string name = entry["case"];
    if (!entry["honest"].get<bool>()) continue;
    const auto table = Table::Open(folder + name);
    ASSERT_TRUE(table.ok()) << name << table.status();
    ScanRequest request;
    request.order = OrderFrom::kTable;
    const auto plan = (*table)->Plan(request);
    if (!plan.ok()) {
      // No default order, an order that cannot be computed, or files that are no Parquet.
      EXPECT_TRUE(KindOf(plan.status()) == ErrorKind::kUnsupported ||
                  KindOf(plan.status()) == ErrorKind::kUsage)
          << name << plan.status();
      continue;
    }
    const cp::Ordering ordering = AceroOrdering(**plan);
    const auto rows = ac::DeclarationToTable(MustMake(*plan));
    ASSERT_TRUE(rows.ok()) << name << rows.status();
    EXPECT_EQ((*rows)->num_rows(), entry["row_count"].get<int64_t>()) << name;
    ++told[ordering.is_unordered() ? "unordered" : ordering.is_implicit() ? "implicit" : "keys"];
    if (ordering.sort_keys().empty()) continue;
    EXPECT_TRUE(ArrowSortLeavesAlone(**rows, ordering)) << name << ordering.ToString();
  }
  EXPECT_GE(told["keys"], 80);
  EXPECT_GE(told["implicit"], 1);  // key_double holds NaN and has its nulls first
}

}  // namespace
}  // namespace esker::testing
