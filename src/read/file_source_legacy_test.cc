// Shapes that Arrow's writer no longer makes: written here with Parquet's own column writers.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "arrow/api.h"
#include "arrow/io/file.h"
#include "base/status.h"
#include "parquet/column_writer.h"
#include "parquet/encryption/encryption.h"
#include "parquet/file_writer.h"
#include "parquet/schema.h"
#include "testing/file_scan.h"

namespace esker {
namespace {

using parquet::ConvertedType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::NodeVector;
using parquet::schema::PrimitiveNode;
using testing::FileScan;
using testing::FromJson;
using testing::ListOf;
using testing::MakeField;
using testing::MapOf;

NodePtr Int32Node(const std::string& name, Repetition::type repetition, int id) {
  return PrimitiveNode::Make(name, repetition, nullptr, parquet::Type::INT32, -1, id);
}

class LegacyTest : public ::testing::Test {
 protected:
  // One leaf's values and levels.
  template <typename Type>
  struct Leaf {
    std::vector<int16_t> definition;
    std::vector<int16_t> repetition;
    std::vector<typename Type::c_type> values;
  };

  void Open(const NodePtr& column, std::shared_ptr<parquet::WriterProperties> properties =
                                       parquet::default_writer_properties()) {
    path_ = folder_.File("legacy.parquet");
    file_ = arrow::io::FileOutputStream::Open(path_).ValueOrDie();
    const auto root = GroupNode::Make("schema", Repetition::REQUIRED, NodeVector{column});
    writer_ = parquet::ParquetFileWriter::Open(file_, std::static_pointer_cast<GroupNode>(root),
                                               std::move(properties));
    group_ = writer_->AppendRowGroup();
  }

  template <typename Type>
  void WriteLeaf(const Leaf<Type>& leaf) {
    auto* column = static_cast<parquet::TypedColumnWriter<Type>*>(group_->NextColumn());
    column->WriteBatch(static_cast<int64_t>(std::max(leaf.definition.size(), leaf.values.size())),
                       leaf.definition.empty() ? nullptr : leaf.definition.data(),
                       leaf.repetition.empty() ? nullptr : leaf.repetition.data(),
                       leaf.values.data());
  }

  arrow::Result<std::shared_ptr<arrow::RecordBatch>> Read(const Field& field, int64_t rows) {
    writer_->Close();
    EXPECT_TRUE(file_->Close().ok());
    FileTask task;
    task.file.path = path_;
    task.file.format = "PARQUET";
    task.file.record_count = rows;
    FileScan scan;
    scan.schema = {field};
    scan.output = {field.name};
    return scan.Read(task);
  }

  void ExpectRows(const Field& field, int64_t rows, const std::string& json) {
    const auto read = Read(field, rows);
    ASSERT_TRUE(read.ok()) << read.status();
    const auto expected = FromJson((*read)->column(0)->type(), json);
    EXPECT_TRUE((*read)->column(0)->Equals(*expected)) << (*read)->column(0)->ToString();
  }

  testing::TemporaryFolder folder_;
  std::string path_;
  std::shared_ptr<arrow::io::FileOutputStream> file_;
  std::unique_ptr<parquet::ParquetFileWriter> writer_;
  parquet::RowGroupWriter* group_ = nullptr;
};

const Field kIntList = MakeField(1, "l", ListOf(MakeField(2, "element", "int")));

TEST_F(LegacyTest, ListOfTwoLevels) {
  // optional group l (LIST) { repeated int32 array }: [1, 2], null, []  (iceberg#3723)
  Open(GroupNode::Make("l", Repetition::OPTIONAL,
                       NodeVector{Int32Node("array", Repetition::REPEATED, 2)}, ConvertedType::LIST,
                       1));
  WriteLeaf<parquet::Int32Type>({{2, 2, 0, 1}, {0, 1, 0, 0}, {1, 2}});
  ExpectRows(kIntList, 3, "[[1, 2], null, []]");
}

TEST_F(LegacyTest, ListWhoseGroupsHaveOtherNames) {
  // optional group l (LIST) { repeated group bag { optional int32 array_element } }
  const auto bag = GroupNode::Make("bag", Repetition::REPEATED,
                                   NodeVector{Int32Node("array_element", Repetition::OPTIONAL, 2)});
  Open(GroupNode::Make("l", Repetition::OPTIONAL, NodeVector{bag}, ConvertedType::LIST, 1));
  WriteLeaf<parquet::Int32Type>({{3, 2, 0}, {0, 1, 0}, {7}});
  ExpectRows(kIntList, 2, "[[7, null], null]");
}

TEST_F(LegacyTest, ListElementsWithoutIdsFollowTheStructure) {
  const auto list = GroupNode::Make("list", Repetition::REPEATED,
                                    NodeVector{Int32Node("element", Repetition::OPTIONAL, -1)});
  Open(GroupNode::Make("l", Repetition::OPTIONAL, NodeVector{list}, ConvertedType::LIST, 1));
  WriteLeaf<parquet::Int32Type>({{3, 1}, {0, 0}, {7}});
  ExpectRows(kIntList, 2, "[[7], []]");
}

TEST_F(LegacyTest, RepeatedFieldIsAList) {
  Open(Int32Node("l", Repetition::REPEATED, 1));
  WriteLeaf<parquet::Int32Type>({{1, 1, 0}, {0, 1, 0}, {7, 8}});
  ExpectRows(kIntList, 2, "[[7, 8], []]");
}

TEST_F(LegacyTest, MapOfTheOldKind) {
  // optional group m (MAP_KEY_VALUE) { repeated group map { required int32 key; optional value } }
  const auto map = GroupNode::Make("map", Repetition::REPEATED,
                                   NodeVector{Int32Node("key", Repetition::REQUIRED, 2),
                                              Int32Node("value", Repetition::OPTIONAL, 3)});
  Open(
      GroupNode::Make("m", Repetition::OPTIONAL, NodeVector{map}, ConvertedType::MAP_KEY_VALUE, 1));
  WriteLeaf<parquet::Int32Type>({{2, 2, 0}, {0, 1, 0}, {1, 2}});
  WriteLeaf<parquet::Int32Type>({{3, 2, 0}, {0, 1, 0}, {10}});
  ExpectRows(
      MakeField(1, "m", MapOf(MakeField(2, "key", "int", true), MakeField(3, "value", "long"))), 2,
      "[[[1, 10], [2, null]], null]");
}

parquet::Int96 MakeInt96(int64_t julian_day, uint64_t nanos) {
  parquet::Int96 value;
  value.value[0] = static_cast<uint32_t>(nanos);
  value.value[1] = static_cast<uint32_t>(nanos >> 32);
  value.value[2] = static_cast<uint32_t>(julian_day);
  return value;
}

NodePtr Int96Node() {
  return PrimitiveNode::Make("t", Repetition::OPTIONAL, nullptr, parquet::Type::INT96, -1, 1);
}

TEST_F(LegacyTest, Int96FarBeyondNanosecondsIsRight) {
  // The years 1 and 9999 (comet#3856): julian days 1721426 and 5373484.
  Open(Int96Node());
  WriteLeaf<parquet::Int96Type>(
      {{1, 0, 1}, {}, {MakeInt96(1721426, 1'000), MakeInt96(5373484, 86'399'999'999'000)}});
  ExpectRows(MakeField(1, "t", "timestamp"), 3, "[-62135596799999999, null, 253402300799999999]");
}

TEST_F(LegacyTest, Int96BeyondMicrosecondsIsAnError) {
  Open(Int96Node());
  WriteLeaf<parquet::Int96Type>({{1, 1}, {}, {MakeInt96(2440588, 0), MakeInt96(4294967295, 0)}});
  const auto rows = Read(MakeField(1, "t", "timestamp"), 2);
  ASSERT_FALSE(rows.ok());
  EXPECT_NE(rows.status().ToString().find("INT96"), std::string::npos) << rows.status();
}

TEST_F(LegacyTest, EncryptedFilesAreRefusedByName) {
  for (const bool plaintext_footer : {false, true}) {
    parquet::FileEncryptionProperties::Builder encryption(
        arrow::util::SecureString("0123456789012345"));
    if (plaintext_footer) encryption.set_plaintext_footer();
    Open(Int32Node("c", Repetition::REQUIRED, 1),
         parquet::WriterProperties::Builder().encryption(encryption.build())->build());
    WriteLeaf<parquet::Int32Type>({{}, {}, {5}});
    const auto rows = Read(MakeField(1, "c", "int"), 1);
    ASSERT_FALSE(rows.ok());
    EXPECT_EQ(KindOf(rows.status()), ErrorKind::kUnsupported) << rows.status();
    EXPECT_NE(rows.status().ToString().find("encrypted"), std::string::npos) << rows.status();
  }
}

}  // namespace
}  // namespace esker
