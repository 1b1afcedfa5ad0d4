// Tests of spill files: what goes in comes out, and no name is ever left.
#include "merge/spill.h"

#include <fcntl.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "arrow/api.h"
#include "arrow/compute/api.h"
#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

class Spill : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              (std::string("esker-spill-test-") + test->name() + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool FolderIsEmpty() const { return std::filesystem::is_empty(folder_); }

  std::unique_ptr<SpillFile> Create(const std::shared_ptr<arrow::Schema>& schema) {
    return SpillFile::Create({folder_.string(), 0}, schema, arrow::default_memory_pool(), counters_)
        .ValueOrDie();
  }

  std::filesystem::path folder_;
  std::shared_ptr<ScanCounters> counters_ = std::make_shared<ScanCounters>();
};

arrow::Result<std::shared_ptr<arrow::Table>> ReadAll(const NextBatch& next,
                                                     const std::shared_ptr<arrow::Schema>& schema) {
  arrow::RecordBatchVector batches;
  while (true) {
    ARROW_ASSIGN_OR_RAISE(auto batch, next());
    if (batch == nullptr) return arrow::Table::FromRecordBatches(schema, batches);
    batches.push_back(std::move(batch));
  }
}

TEST_F(Spill, BatchesComeBackInOrderAndNothingHasAName) {
  auto random = testing::MakeRandom(1);
  SortKeys keys;
  for (const std::string& type : testing::KeyTypeNames()) keys.push_back(testing::MakeKey(type));
  arrow::RecordBatchVector written;
  for (int i = 0; i < 5; ++i) {
    written.push_back(testing::RandomInput(keys, {1000, 0, 10}, i, random).keys->Slice(i));
  }
  auto file = Create(written[0]->schema());
  EXPECT_TRUE(FolderIsEmpty()) << "unlinked from the start";
  for (const auto& batch : written) ASSERT_TRUE(file->Write(*batch).ok());
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_EQ(counters_->spilled_bytes, file->bytes());
  EXPECT_GT(file->bytes(), 1000);
  const NextBatch next = file->Read().ValueOrDie();
  file.reset();  // the reader stands alone
  const auto back = ReadAll(next, written[0]->schema()).ValueOrDie();
  const auto expected = arrow::Table::FromRecordBatches(written).ValueOrDie();
  EXPECT_TRUE(back->Equals(*expected, arrow::EqualOptions::Defaults().nans_equal(true)));
  EXPECT_TRUE(FolderIsEmpty());
}

TEST_F(Spill, NoNameIsEverMade) {
  // Where files cannot be made without a name, one comes and goes.
  const int unnamed = ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  const bool has_unnamed_files = unnamed >= 0;
  if (has_unnamed_files) ::close(unnamed);
  const int watch = ::inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
  ASSERT_GE(watch, 0);
  ASSERT_GE(::inotify_add_watch(watch, folder_.c_str(), IN_CREATE), 0);
  const auto column = testing::MakeColumn(testing::MakeKey("int").type, {Value(int64_t{7})});
  const auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}), 1, {column});
  auto file = Create(batch->schema());
  EXPECT_TRUE(FolderIsEmpty());
  ASSERT_TRUE(file->Write(*batch).ok());
  ASSERT_TRUE(file->Finish().ok());
  file.reset();
  char events[4096];
  EXPECT_EQ(::read(watch, events, sizeof(events)) < 0, has_unnamed_files);
  ::close(watch);
}

TEST_F(Spill, LargeBatchesAreCut) {
  const auto column = testing::MakeColumn(testing::MakeKey("long").type,
                                          std::vector<Value>(500000, Value(int64_t{7})));
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                              column->length(), {column});
  auto file = Create(batch->schema());
  ASSERT_TRUE(file->Write(*batch).ok());
  ASSERT_TRUE(file->Finish().ok());
  const NextBatch next = file->Read().ValueOrDie();
  int64_t rows = 0;
  while (auto part = next().ValueOrDie()) {
    EXPECT_LE(part->num_rows(), 140000);
    rows += part->num_rows();
  }
  EXPECT_EQ(rows, 500000);
}

TEST_F(Spill, DictionariesMayChangeFromBatchToBatch) {
  const auto dictionary = [](const std::vector<Value>& values) {
    const auto column = testing::MakeColumn(testing::MakeKey("string").type, values);
    return arrow::compute::DictionaryEncode(column).ValueOrDie().make_array();
  };
  arrow::RecordBatchVector written;
  for (const auto& column : {dictionary({std::string("a"), std::string("b")}),
                             dictionary({std::string("c"), Value()})}) {
    written.push_back(arrow::RecordBatch::Make(arrow::schema({arrow::field("k", column->type())}),
                                               column->length(), {column}));
  }
  auto file = Create(written[0]->schema());
  for (const auto& batch : written) ASSERT_TRUE(file->Write(*batch).ok());
  ASSERT_TRUE(file->Finish().ok());
  const NextBatch next = file->Read().ValueOrDie();
  for (const auto& batch : written) EXPECT_TRUE(next().ValueOrDie()->Equals(*batch));
}

TEST_F(Spill, MissingFolderIsNamed) {
  const auto schema = arrow::schema({arrow::field("k", arrow::int64())});
  const auto status = SpillFile::Create({(folder_ / "none").string(), 0}, schema,
                                        arrow::default_memory_pool(), counters_)
                          .status();
  EXPECT_TRUE(status.IsIOError());
  EXPECT_NE(status.message().find((folder_ / "none").string()), std::string::npos);
}

}  // namespace
}  // namespace esker
