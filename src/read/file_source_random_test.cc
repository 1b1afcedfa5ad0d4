// Random scans of random files against the plain arrays that were written.

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/compute/api_vector.h"
#include "parquet/properties.h"
#include "testing/file_scan.h"
#include "testing/seed.h"

namespace esker {
namespace {

using testing::Chance;
using testing::Draw;
using testing::FileField;
using testing::FileScan;
using testing::MakeField;
using testing::StructOf;
using testing::WriteFile;

template <typename Builder, typename MakeValue>
std::shared_ptr<arrow::Array> Build(Builder builder, int64_t rows, int null_percent,
                                    std::mt19937_64& random, MakeValue make) {
  for (int64_t i = 0; i < rows; ++i) {
    const bool is_null = Chance(random, null_percent);
    EXPECT_TRUE((is_null ? builder.AppendNull() : builder.Append(make(i))).ok());
  }
  return builder.Finish().ValueOrDie();
}

std::shared_ptr<arrow::Array> BuildLists(int64_t rows, int null_percent, std::mt19937_64& random) {
  const auto values = std::make_shared<arrow::Int32Builder>();
  arrow::ListBuilder builder(arrow::default_memory_pool(), values,
                             arrow::list(FileField(8, "element", arrow::int32())));
  for (int64_t i = 0; i < rows; ++i) {
    const bool is_null = Chance(random, null_percent);
    EXPECT_TRUE((is_null ? builder.AppendNull() : builder.Append()).ok());
    for (int64_t n = is_null ? 0 : Draw(random, 0, 4); n > 0; --n) {
      EXPECT_TRUE(
          (Chance(random, 10) ? values->AppendNull() : values->Append(static_cast<int32_t>(i)))
              .ok());
    }
  }
  return builder.Finish().ValueOrDie();
}

// Columns: 1 k long (row number), 2 t string, 3 s struct<4 x int, 5 y string>, 6 d double, 7 l
// list<8 int>.
struct RandomFile {
  arrow::ArrayVector columns;
  FileTask task;
  int64_t rows = 0;
};

RandomFile WriteRandomFile(const std::string& path, std::mt19937_64& random) {
  RandomFile file;
  file.rows = Chance(random, 10) ? 0 : Draw(random, 1, 3000);
  const int nulls = Chance(random, 50) ? 0 : static_cast<int>(Draw(random, 1, 100));
  const auto text = [&](int64_t) { return std::to_string(Draw(random, 0, 20)); };
  const auto k = Build(arrow::Int64Builder(), file.rows, 0, random, [](int64_t i) { return i; });
  const auto t = Build(arrow::StringBuilder(), file.rows, nulls, random, text);
  const auto x = Build(arrow::Int32Builder(), file.rows, nulls, random,
                       [&](int64_t) { return static_cast<int32_t>(Draw(random, -5, 5)); });
  const auto y = Build(arrow::StringBuilder(), file.rows, nulls, random, text);
  const arrow::FieldVector members = {FileField(4, "x", arrow::int32()),
                                      FileField(5, "y", arrow::utf8())};
  const auto s = arrow::StructArray::Make({x, y}, members).ValueOrDie();
  const auto d = Build(arrow::DoubleBuilder(), file.rows, nulls, random,
                       [&](int64_t) { return static_cast<double>(Draw(random, 0, 9)) / 2; });
  const auto l = BuildLists(file.rows, nulls, random);
  file.columns = {k, t, s, d, l};
  parquet::WriterProperties::Builder properties;
  properties.data_pagesize(Draw(random, 16, 4096))->write_batch_size(Draw(random, 1, 500));
  if (Chance(random, 50)) properties.max_rows_per_page(Draw(random, 1, 300));
  if (Chance(random, 20)) properties.disable_write_page_index();
  for (const char* path : {"k", "t", "s.x", "s.y", "d", "l.list.element"}) {
    if (Chance(random, 10)) properties.disable_write_page_index(path);
    if (Chance(random, 20)) properties.disable_dictionary(path);
    if (Chance(random, 30)) properties.enable_bloom_filter(path, {});
  }
  if (Chance(random, 50)) properties.disable_dictionary();
  if (Chance(random, 50)) properties.data_page_version(parquet::ParquetDataPageVersion::V2);
  const int64_t group_rows = Chance(random, 20) ? Draw(random, 1, 40) : Draw(random, 100, 4000);
  file.task = WriteFile(path,
                        {FileField(1, "k", arrow::int64(), false), FileField(2, "t", t->type()),
                         FileField(3, "s", s->type()), FileField(6, "d", d->type()),
                         FileField(7, "l", l->type())},
                        file.columns, std::max(group_rows, file.rows / 60 + 1), properties.build())
                  .ValueOrDie();
  return file;
}

std::vector<std::string> SomeOf(std::vector<std::string> names, std::mt19937_64& random) {
  std::shuffle(names.begin(), names.end(), random);
  names.resize(Draw(random, 0, static_cast<int64_t>(names.size())));
  return names;
}

// Adds one predicate to the filter, and takes the rows away that it does not keep.
void AddPredicate(const RandomFile& file, FileScan* scan, std::vector<int64_t>* rows,
                  std::mt19937_64& random) {
  if (!scan->filter.empty()) scan->filter += " and ";
  const auto& t = static_cast<const arrow::StringArray&>(*file.columns[1]);
  const auto& s = static_cast<const arrow::StructArray&>(*file.columns[2]);
  const auto& x = static_cast<const arrow::Int32Array&>(*s.field(0));
  const int64_t low = Draw(random, 0, file.rows);
  const int64_t high = Draw(random, low, file.rows);
  const std::string text = std::to_string(Draw(random, 0, 25));
  const auto number = static_cast<int32_t>(Draw(random, -6, 6));
  switch (Draw(random, 0, 4)) {
    case 0:
      scan->filter += "k >= " + std::to_string(low) + " and k < " + std::to_string(high);
      std::erase_if(*rows, [&](int64_t row) { return row < low || row >= high; });
      return;
    case 1:
      scan->filter += "k in (" + std::to_string(low) + ", " + std::to_string(high) + ")";
      std::erase_if(*rows, [&](int64_t row) { return row != low && row != high; });
      return;
    case 2:
      scan->filter += "(k < " + std::to_string(low) + " or t = '" + text + "')";
      std::erase_if(*rows, [&](int64_t row) {
        return row >= low && (t.IsNull(row) || t.GetView(row) != text);
      });
      return;
    case 3:
      scan->filter += "s.x = " + std::to_string(number);
      std::erase_if(*rows, [&](int64_t row) { return x.IsNull(row) || x.Value(row) != number; });
      return;
    default:
      scan->filter += "t is null";
      std::erase_if(*rows, [&](int64_t row) { return !t.IsNull(row); });
  }
}

// The rows that should be left, by position, in the order to come.
std::vector<int64_t> ChooseRows(const RandomFile& file, FileScan* scan, std::mt19937_64& random) {
  std::vector<int64_t> rows(file.rows);
  std::iota(rows.begin(), rows.end(), 0);
  scan->prune_row_groups = Chance(random, 70);
  scan->prune_pages = Chance(random, 80);
  scan->use_bloom_filters = Chance(random, 70);
  scan->use_dictionaries = Chance(random, 70);
  for (int percent = 70; Chance(random, percent); percent = 30) {
    AddPredicate(file, scan, &rows, random);
  }
  if (Chance(random, 50)) {
    auto deleted = std::make_shared<PositionSet>();
    const int percent = static_cast<int>(Draw(random, 0, 100));
    for (int64_t row = 0; row < file.rows; ++row) {
      if (Chance(random, percent)) deleted->Add(row);
    }
    std::erase_if(rows, [&](int64_t row) { return deleted->Contains(row); });
    scan->deletes.positions = deleted;
  }
  scan->reversed = Chance(random, 50);
  if (scan->reversed) std::reverse(rows.begin(), rows.end());
  return rows;
}

std::shared_ptr<arrow::Array> Expected(const RandomFile& file, const std::string& name,
                                       const std::vector<int64_t>& rows) {
  arrow::Int64Builder indices;
  EXPECT_TRUE(indices.AppendValues(rows).ok());
  const auto taken = indices.Finish().ValueOrDie();
  if (name == "_pos") return taken;
  const auto& s = static_cast<const arrow::StructArray&>(*file.columns[2]);
  const auto column = name == "k"     ? file.columns[0]
                      : name == "t"   ? file.columns[1]
                      : name == "s"   ? file.columns[2]
                      : name == "s.x" ? s.field(0)
                      : name == "s.y" ? s.field(1)
                      : name == "l"   ? file.columns[4]
                                      : file.columns[3];
  return arrow::compute::Take(*column, *taken).ValueOrDie();
}

TEST(FileSourceRandomTest, AgreesWithTheArraysThatWereWritten) {
  auto random = testing::MakeRandom(41);
  const testing::TemporaryFolder folder;
  int64_t pages_skipped = 0;
  for (int run = 0; run < 200; ++run) {
    SCOPED_TRACE(::testing::Message() << "run " << run << " of seed " << testing::TestSeed());
    const RandomFile file = WriteRandomFile(folder.File("f.parquet"), random);
    FileScan scan;
    scan.schema = {
        MakeField(1, "k", "long", true), MakeField(2, "t", "string"),
        MakeField(3, "s", StructOf({MakeField(4, "x", "int"), MakeField(5, "y", "string")})),
        MakeField(6, "d", "double"),
        MakeField(7, "l", testing::ListOf(MakeField(8, "element", "int")))};
    scan.keys = SomeOf({"k", "t", "s.x", "s.y", "d", "_pos"}, random);
    scan.output = SomeOf({"k", "t", "s", "s.x", "s.y", "d", "l", "_pos"}, random);
    const int64_t batch_sizes[] = {1, 2, 7, 100, 16384};
    scan.batch_rows = batch_sizes[Draw(random, file.rows > 500 ? 2 : 0, 4)];
    scan.threads = Chance(random, 50) ? 1 : static_cast<int>(Draw(random, 2, 4));
    const std::vector<int64_t> expected = ChooseRows(file, &scan, random);
    const auto rows = scan.Read(file.task, static_cast<int>(Draw(random, 1, 4)),
                                Chance(random, 30) ? Draw(random, 1, 20) : 1 << 30);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ((*rows)->num_rows(), static_cast<int64_t>(expected.size()));
    for (size_t i = 0; i < scan.output.size(); ++i) {
      const auto column = (*rows)->column(static_cast<int>(i));
      ASSERT_TRUE(column->Equals(*Expected(file, scan.output[i], expected))) << scan.output[i];
    }
    pages_skipped += scan.counters->pages_skipped;
  }
  EXPECT_GT(pages_skipped, 500);
}

}  // namespace
}  // namespace esker
