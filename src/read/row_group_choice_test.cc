#include "read/row_group_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <string>

#include "arrow/api.h"
#include "catalog/storage.h"
#include "parquet/properties.h"
#include "read/row_group_slice.h"
#include "testing/file_scan.h"

namespace esker {
namespace {

using testing::FileField;
using testing::FromJson;
using testing::MakeField;
using testing::WriteFile;

class RowGroupChoiceTest : public ::testing::Test {
 protected:
  // Facts of the first row group of a file of that one column, read as `type`.
  ColumnFacts FactsOf(const std::shared_ptr<arrow::Array>& stored, const std::string& type,
                      std::shared_ptr<parquet::WriterProperties> properties = nullptr) {
    return FactsOf(Write(stored, std::move(properties)), type);
  }

  FileTask Write(const std::shared_ptr<arrow::Array>& stored,
                 std::shared_ptr<parquet::WriterProperties> properties = nullptr,
                 int64_t group_rows = 1 << 20) {
    return WriteFile(folder_.File("f.parquet"), {FileField(1, "c", stored->type())}, {stored},
                     group_rows, std::move(properties))
        .ValueOrDie();
  }

  static std::unique_ptr<ParquetFile> Open(const FileTask& task) {
    return ParquetFile::Open(Storage(nullptr, {}), task, NameMapping(), nullptr,
                             arrow::default_memory_pool())
        .ValueOrDie();
  }

  static ColumnFacts FactsOf(const FileTask& task, const std::string& type,
                             UpperBounds uppers = UpperBounds::kMayBePrefix) {
    const auto file = Open(task);
    const ColumnRequest request = {"c", {MakeField(1, "c", type)}};
    const auto projection = ColumnProjection::Make(request, file->schema(), task).ValueOrDie();
    return RowGroupFacts(*file, file->row_groups()[0], {&request, &projection}, task, uppers)
        .ValueOrDie();
  }

  static void ExpectBounds(const ColumnFacts& facts, const Value& lower, const Value& upper) {
    EXPECT_EQ(facts.lower, lower);
    EXPECT_EQ(facts.upper, upper);
  }

  testing::TemporaryFolder folder_;
};

Value Long(int64_t value) { return Value{value}; }

TEST_F(RowGroupChoiceTest, BoundsAreThoseOfTheColumnsTypeNow) {
  ExpectBounds(FactsOf(FromJson(arrow::int32(), "[-7, null, 3]"), "long"), Long(-7), Long(3));
  ExpectBounds(FactsOf(FromJson(arrow::date32(), "[-1, 2]"), "date"), Long(-1), Long(2));
  ExpectBounds(FactsOf(FromJson(arrow::date32(), "[-1, 2]"), "timestamp"), Long(-86400000000),
               Long(172800000000));
  const auto milli = arrow::timestamp(arrow::TimeUnit::MILLI);
  ExpectBounds(FactsOf(FromJson(milli, "[-1, 2]"), "timestamp"), Long(-1000), Long(2000));
  const auto nano = arrow::timestamp(arrow::TimeUnit::NANO);
  ExpectBounds(FactsOf(FromJson(nano, "[-1, 2999]"), "timestamp"), Long(-1), Long(2));
  ExpectBounds(FactsOf(FromJson(arrow::float32(), "[-0.5, 2]"), "double"), Value{-0.5}, Value{2.0});
  ExpectBounds(FactsOf(FromJson(arrow::utf8(), R"(["b", "a"])"), "string"), Value{std::string("a")},
               Value{std::string("b")});
}

TEST_F(RowGroupChoiceTest, DecimalsInEveryWidth) {
  // iceberg-go#1876: integers are little-endian, fixed bytes big-endian.
  const auto integers =
      parquet::WriterProperties::Builder().enable_store_decimal_as_integer()->build();
  for (const int precision : {4, 12, 38}) {
    const auto stored = FromJson(arrow::decimal128(precision, 2), R"(["-1.28", "5.12"])");
    for (const auto& properties : {integers, parquet::default_writer_properties()}) {
      ExpectBounds(FactsOf(stored, "decimal(38, 2)", properties), Value{int128_t{-128}},
                   Value{int128_t{512}});
    }
  }
}

TEST_F(RowGroupChoiceTest, NullCounts) {
  EXPECT_FALSE(FactsOf(FromJson(arrow::int32(), "[1, 2]"), "int").may_hold_nulls);
  EXPECT_TRUE(FactsOf(FromJson(arrow::int32(), "[1, null]"), "int").may_hold_nulls);
  EXPECT_TRUE(FactsOf(FromJson(arrow::int32(), "[null, null]"), "int").all_null);
}

TEST_F(RowGroupChoiceTest, NanMayHideInFloats) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  arrow::DoubleBuilder builder;
  ASSERT_TRUE(builder.AppendValues({1.0, nan, 2.0}).ok());
  const ColumnFacts facts = FactsOf(builder.Finish().ValueOrDie(), "double");
  EXPECT_TRUE(facts.may_hold_nan);
  EXPECT_FALSE(facts.constant);
}

TEST_F(RowGroupChoiceTest, NothingIsKnownWithoutStatistics) {
  const auto none = parquet::WriterProperties::Builder().disable_statistics()->build();
  const ColumnFacts facts = FactsOf(FromJson(arrow::int32(), "[1, 1]"), "int", none);
  EXPECT_TRUE(facts.may_hold_nulls);
  EXPECT_TRUE(IsNull(facts.lower));
  EXPECT_TRUE(IsNull(facts.upper));
  EXPECT_FALSE(facts.constant);
}

enum class Exactness { kSaid, kDenied, kNotSaid };

// Arrow's writer says of bounds that they are exact: two flags behind the least value. Makes the
// file deny it of the upper one, or say nothing.
void ChangeExactness(const std::string& path, const std::string& least, Exactness exactness) {
  std::ifstream in(path, std::ios::binary);
  std::string file{std::istreambuf_iterator<char>(in), {}};
  const size_t flags = file.rfind(least) + least.size();
  ASSERT_EQ(file.substr(flags, 3), std::string("\x11\x11\0", 3));
  if (exactness == Exactness::kDenied) file[flags] = '\x12';
  if (exactness == Exactness::kNotSaid) {
    uint32_t footer_bytes = 0;
    std::memcpy(&footer_bytes, file.data() + file.size() - 8, sizeof(footer_bytes));
    footer_bytes -= 2;
    std::memcpy(file.data() + file.size() - 8, &footer_bytes, sizeof(footer_bytes));
    file.erase(flags, 2);
  }
  std::ofstream(path, std::ios::binary) << file;
}

TEST_F(RowGroupChoiceTest, UpperBoundsThatMayBeCutAreNotSure) {
  for (const size_t width : {3, 15, 16, 40}) {
    const std::string least(width, 'p');
    const std::string most(width, 'q');
    for (const auto exactness : {Exactness::kSaid, Exactness::kDenied, Exactness::kNotSaid}) {
      const FileTask task = Write(FromJson(arrow::utf8(), "[\"" + least + "\", \"" + most + "\"]"));
      ChangeExactness(task.file.path, least, exactness);
      ExpectBounds(FactsOf(task, "string"), Value{least}, Value{most});
      const bool sure =
          exactness == Exactness::kSaid || (exactness == Exactness::kNotSaid && width < 16);
      ExpectBounds(FactsOf(task, "string", UpperBounds::kSure), Value{least},
                   sure ? Value{most} : Value{});
    }
  }
}

// Of the row groups p to q and r to s, the first may have rows behind r if "q…" was cut.
TEST_F(RowGroupChoiceTest, ASliceKeepsRowGroupsWhoseUpperBoundMayBeCut) {
  const auto word = [](char c) { return std::string(16, c); };
  const std::string json = "[\"" + word('p') + "\", \"" + word('q') + "\", \"" + word('r') +
                           "\", \"" + word('s') + "\"]";
  SortKey key;
  key.field_id = 1;
  key.type = MakeField(1, "c", "string").type;
  for (const auto exactness : {Exactness::kSaid, Exactness::kDenied, Exactness::kNotSaid}) {
    const FileTask task = Write(FromJson(arrow::utf8(), json), nullptr, 2);
    ChangeExactness(task.file.path, word('p'), exactness);
    const auto file = Open(task);
    const ColumnRequest request = {"c", {MakeField(1, "c", "string")}};
    const auto projection = ColumnProjection::Make(request, file->schema(), task).ValueOrDie();
    FileSlice slice{{key}, {{{HalfRank::Kind::kValue, Value{word('r')}}}, {}}};
    const auto kept =
        RowGroupsInSlice(*file, task, {{&request, &projection}}, slice, file->row_groups());
    ASSERT_TRUE(kept.ok()) << kept.status();
    EXPECT_EQ(kept->size(), exactness == Exactness::kSaid ? 1u : 2u);
  }
}

TEST_F(RowGroupChoiceTest, UnsignedAndUuidBoundsAreUnknown) {
  EXPECT_TRUE(IsNull(FactsOf(FromJson(arrow::uint32(), "[1, 4294967295]"), "long").lower));
  const auto uuid = FromJson(arrow::fixed_size_binary(16), R"(["0123456789abcdef"])");
  EXPECT_TRUE(IsNull(FactsOf(uuid, "uuid").upper));
}

}  // namespace
}  // namespace esker
