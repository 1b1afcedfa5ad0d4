// Tests of page indexes: facts of pages against the values that were written; damaged indexes.
#include "read/page_index.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/file.h"
#include "catalog/storage.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::FileField;
using testing::FileScan;
using testing::FromJson;
using testing::MakeField;
using testing::WriteFile;

std::shared_ptr<parquet::WriterProperties> PagesOf(int64_t rows) {
  return parquet::WriterProperties::Builder()
      .max_rows_per_page(rows)
      ->write_batch_size(1)
      ->disable_dictionary()
      ->build();
}

class PageIndexTest : public ::testing::Test {
 protected:
  // Page facts of the one column in the first row group; fails the test if there are none.
  PageFacts FactsOf(const std::shared_ptr<arrow::Array>& stored, const std::string& type,
                    const std::shared_ptr<parquet::WriterProperties>& properties,
                    bool nullable = true) {
    const FileTask task =
        WriteFile(folder_.File("f.parquet"), {FileField(1, "c", stored->type(), nullable)},
                  {stored}, 1 << 20, properties)
            .ValueOrDie();
    const auto file = Open(task);
    const ColumnRequest request = {"c", {MakeField(1, "c", type)}};
    const auto projection = ColumnProjection::Make(request, file->schema(), task).ValueOrDie();
    const auto column = FindStoredColumn(*file, request, projection);
    const std::vector<StoredColumn> columns = {*column};
    auto facts = ReadPageFacts(*file, file->row_groups()[0], columns).ValueOrDie();
    EXPECT_TRUE(facts[0].has_value());
    return facts[0].has_value() ? *facts[0] : PageFacts{};
  }

  static std::unique_ptr<ParquetFile> Open(const FileTask& task) {
    return ParquetFile::Open(Storage(nullptr, {}), task, NameMapping(), nullptr,
                             arrow::default_memory_pool())
        .ValueOrDie();
  }

  testing::TemporaryFolder folder_;
};

std::string Describe(const PageFacts& pages) {
  std::string text;
  for (size_t i = 0; i < pages.facts.size(); ++i) {
    const ColumnFacts& facts = pages.facts[i];
    text += std::to_string(pages.list.pages[i].first_row) + ":";
    if (facts.all_null) {
      text += "null ";
      continue;
    }
    const auto bound = [](const Value& value) {
      if (IsNull(value)) return std::string("?");
      if (const auto* text = std::get_if<std::string>(&value)) return *text;
      return std::to_string(std::get<int64_t>(value));
    };
    text += bound(facts.lower) + ".." + bound(facts.upper) + (facts.may_hold_nulls ? "n " : " ");
  }
  return text;
}

TEST_F(PageIndexTest, FactsOfPages) {
  const auto numbers = FromJson(arrow::int32(), "[3, 1, 2, null, null, null, -7, 7]");
  EXPECT_EQ(Describe(FactsOf(numbers, "long", PagesOf(2))), "0:1..3 2:2..2n 4:null 6:-7..7 ");
  EXPECT_EQ(Describe(FactsOf(numbers, "long", PagesOf(100))), "0:-7..7n ");
  const auto texts = FromJson(arrow::utf8(), R"(["b", "a", "c", "c", null, "d"])");
  EXPECT_EQ(Describe(FactsOf(texts, "string", PagesOf(2))), "0:a..b 2:c..c 4:d..dn ");
  const auto days = FromJson(arrow::date32(), "[1, 2, 3]");
  EXPECT_EQ(Describe(FactsOf(days, "timestamp", PagesOf(2))),
            "0:86400000000..172800000000 2:259200000000..259200000000 ");
}

TEST_F(PageIndexTest, RowsOfPagesEndWithTheRowGroup) {
  const auto numbers = FromJson(arrow::int64(), "[1, 2, 3, 4, 5]");
  const PageList list = FactsOf(numbers, "long", PagesOf(2)).list;
  ASSERT_EQ(list.pages.size(), 3U);
  EXPECT_EQ(list.end_row(0), 2);
  EXPECT_EQ(list.end_row(2), 5);
}

TEST_F(PageIndexTest, FilesWithoutIndexesHaveNone) {
  const auto numbers = FromJson(arrow::int64(), "[1, 2, 3]");
  const auto none = parquet::WriterProperties::Builder().disable_write_page_index()->build();
  const FileTask task = WriteFile(folder_.File("none.parquet"), {FileField(1, "c", arrow::int64())},
                                  {numbers}, 1 << 20, none)
                            .ValueOrDie();
  const auto file = Open(task);
  const int leaves[] = {0};
  EXPECT_FALSE(ReadPageLists(*file, file->row_groups()[0], leaves).ValueOrDie()[0].has_value());
}

TEST(PageListTest, PagesFillTheirChunkAndTheirRowsAscend) {
  const PageList good = {100, 30, {{120, 50, 0}, {170, 20, 10}, {190, 10, 25}}};
  EXPECT_TRUE(FitsChunk(good, 100));
  EXPECT_FALSE(FitsChunk(good, 99));
  EXPECT_FALSE(FitsChunk(good, 101));
  const auto with = [&](size_t page, PagePlace place) {
    PageList list = good;
    list.pages[page] = place;
    return FitsChunk(list, 100);
  };
  EXPECT_TRUE(with(0, {120, 50, 0}));
  EXPECT_FALSE(with(0, {90, 80, 0}));  // before the chunk
  EXPECT_FALSE(with(0, {120, 50, 1}));
  EXPECT_FALSE(with(1, {171, 19, 10}));  // a gap
  EXPECT_FALSE(with(1, {169, 21, 10}));
  EXPECT_FALSE(with(1, {170, 0, 10}));
  EXPECT_FALSE(with(1, {170, -1, 10}));
  EXPECT_FALSE(with(1, {170, INT64_MAX, 10}));
  EXPECT_FALSE(with(1, {170, 20, 0}));
  EXPECT_FALSE(with(1, {170, 20, 25}));
  EXPECT_FALSE(with(1, {170, 20, -1}));
  EXPECT_FALSE(with(2, {190, 10, 30}));  // no row of the row group
}

// Damage. A column k that is the row's position times ten, and others that follow from it, so that
// a row in the wrong place is seen.
class DamagedIndexTest : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 60;

  void SetUp() override {
    arrow::Int64Builder k;
    arrow::ListBuilder l(arrow::default_memory_pool(), std::make_shared<arrow::Int64Builder>(),
                         arrow::list(FileField(3, "element", arrow::int64())));
    auto* values = static_cast<arrow::Int64Builder*>(l.value_builder());
    for (int64_t i = 0; i < kRows; ++i) {
      ASSERT_TRUE(k.Append(10 * i).ok() && l.Append().ok());
      for (int64_t n = i % 3; n >= 0; --n) ASSERT_TRUE(values->Append(i).ok());
    }
    task_ = WriteFile(folder_.File("f.parquet"),
                      {FileField(1, "k", arrow::int64(), false), FileField(2, "l", l.type())},
                      {k.Finish().ValueOrDie(), l.Finish().ValueOrDie()}, kRows / 2, PagesOf(7))
                .ValueOrDie();
    const auto file = arrow::io::ReadableFile::Open(task_.file.path).ValueOrDie();
    bytes_ = file->ReadAt(0, file->GetSize().ValueOrDie()).ValueOrDie()->ToString();
  }

  // Reads the file with other bytes. An error, or rows each of which is in its place.
  arrow::Result<std::vector<int64_t>> ReadRows(const std::string& bytes, bool reversed,
                                               const std::string& filter = "k >= 150 and k < 420") {
    const auto out = arrow::io::FileOutputStream::Open(task_.file.path).ValueOrDie();
    EXPECT_TRUE(out->Write(bytes).ok() && out->Close().ok());
    FileScan scan;
    scan.schema = {MakeField(1, "k", "long", true),
                   MakeField(2, "l", testing::ListOf(MakeField(3, "element", "long")))};
    scan.keys = {"k"};
    scan.output = {"_pos", "k", "l"};
    scan.filter = filter;
    scan.reversed = reversed;
    scan.batch_rows = 2;  // backwards, pieces of 8 rows or a little more
    ARROW_ASSIGN_OR_RAISE(const auto rows, scan.Read(task_));
    const auto& pos = static_cast<const arrow::Int64Array&>(*rows->column(0));
    const auto& k = static_cast<const arrow::Int64Array&>(*rows->column(1));
    const auto& l = static_cast<const arrow::ListArray&>(*rows->column(2));
    std::vector<int64_t> found;
    for (int64_t i = 0; i < rows->num_rows(); ++i) {
      found.push_back(pos.Value(i));
      EXPECT_EQ(k.Value(i), 10 * pos.Value(i));
      const auto slice = l.value_slice(i);
      const auto& list = static_cast<const arrow::Int64Array&>(*slice);
      EXPECT_EQ(list.length(), pos.Value(i) % 3 + 1);
      for (int64_t j = 0; j < list.length(); ++j) EXPECT_EQ(list.Value(j), pos.Value(i));
    }
    if (reversed) std::reverse(found.begin(), found.end());
    return found;
  }

  // Where the indexes of that kind lie: [begin, end).
  std::pair<int64_t, int64_t> Region(bool offsets) {
    const auto file = ParquetFile::Open(Storage(nullptr, {}), task_, NameMapping(), nullptr,
                                        arrow::default_memory_pool())
                          .ValueOrDie();
    int64_t begin = INT64_MAX;
    int64_t end = 0;
    for (int group = 0; group < 2; ++group) {
      for (int leaf = 0; leaf < 2; ++leaf) {
        const auto chunk = file->metadata().RowGroup(group)->ColumnChunk(leaf);
        const auto at = offsets ? chunk->GetOffsetIndexLocation() : chunk->GetColumnIndexLocation();
        begin = std::min(begin, at->offset);
        end = std::max(end, at->offset + at->length);
      }
    }
    return {begin, end};
  }

  testing::TemporaryFolder folder_;
  FileTask task_;
  std::string bytes_;
};

std::vector<int64_t> Wanted() {
  std::vector<int64_t> rows;
  for (int64_t row = 15; row < 42; ++row) rows.push_back(row);
  return rows;
}

// Bits of offset indexes: all right rows, or an error in words.
TEST_F(DamagedIndexTest, OffsetsThatLieNeverMoveRows) {
  ASSERT_EQ(ReadRows(bytes_, false).ValueOrDie(), Wanted());
  const auto [begin, end] = Region(true);
  int failed = 0;
  for (int64_t at = begin; at < end; ++at) {
    for (const int mask : {1, 2, 4, 16, 64, 128, 255}) {
      std::string damaged = bytes_;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const auto rows = ReadRows(damaged, mask == 2);
      if (!rows.ok()) {
        EXPECT_NE(rows.status().message(), "");
        ++failed;
        continue;
      }
      ASSERT_EQ(*rows, Wanted()) << "byte " << at << " mask " << mask;
    }
  }
  EXPECT_GT(failed, 10);
}

// Backwards, all pages are found by offset indexes, without any filter.
TEST_F(DamagedIndexTest, OffsetsThatLieNeverMoveRowsReadBackwards) {
  std::vector<int64_t> all(kRows);
  std::iota(all.begin(), all.end(), 0);
  ASSERT_EQ(ReadRows(bytes_, true, "").ValueOrDie(), all);
  const auto [begin, end] = Region(true);
  int failed = 0;
  for (int64_t at = begin; at < end; ++at) {
    for (const int mask : {1, 2, 4, 16, 64, 128, 255}) {
      std::string damaged = bytes_;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const auto rows = ReadRows(damaged, true, "");
      if (!rows.ok()) {
        EXPECT_NE(rows.status().message(), "");
        ++failed;
        continue;
      }
      ASSERT_EQ(*rows, all) << "byte " << at << " mask " << mask;
    }
  }
  EXPECT_GT(failed, 10);
}

// Bits of column indexes: a false bound may lose rows, as any statistics may, but every row that
// comes out is right.
TEST_F(DamagedIndexTest, BoundsThatLieGiveNoRowTwiceOrInAnotherPlace) {
  const auto [begin, end] = Region(false);
  for (int64_t at = begin; at < end; ++at) {
    for (const int mask : {4, 128, 255}) {
      std::string damaged = bytes_;
      damaged[at] = static_cast<char>(damaged[at] ^ mask);
      const auto rows = ReadRows(damaged, mask == 4);
      ASSERT_TRUE(rows.ok()) << rows.status();
      const std::vector<int64_t> wanted = Wanted();
      ASSERT_TRUE(std::includes(wanted.begin(), wanted.end(), rows->begin(), rows->end()));
    }
  }
}

// A page that is said to be all null and to have no nulls is unknown. A list of booleans in
// thrift has a byte for each, 1 or 2; it is the first field of a column index.
TEST_F(DamagedIndexTest, NullPagesThatContradictTheirCountsAreRead) {
  const auto [begin, end] = Region(false);
  int flipped = 0;
  for (const char kind : {'\x51', '\x52'}) {
    const std::string flags = std::string("\x19") + kind + std::string(5, '\x02');
    size_t at = bytes_.find(flags, begin);
    for (; at < static_cast<size_t>(end); at = bytes_.find(flags, at + 1)) {
      for (size_t page = 0; page < 5; ++page) {
        std::string damaged = bytes_;
        damaged[at + 2 + page] = '\x01';
        ASSERT_EQ(ReadRows(damaged, false).ValueOrDie(), Wanted());
        ++flipped;
      }
    }
  }
  EXPECT_GE(flipped, 10);
}

}  // namespace
}  // namespace esker
