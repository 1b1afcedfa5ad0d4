#include "plan/delete_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace esker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using Tuple = std::vector<std::pair<int32_t, Value>>;

Field FieldOf(int32_t id, const char* name, TypeId type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type.id = type;
  return field;
}

PartitionSpec Spec(int32_t id, const char* transform) {
  PartitionField field{{1}, 1000, "p", ParseTransform(transform)};
  return {id, {field}};
}

// Spec 0 unpartitioned, 1 and 2 partitioned by field 1000, 3 by a dropped field.
TableMetadata Metadata() {
  TableMetadata metadata;
  metadata.format_version = 3;
  metadata.schemas.push_back({0,
                              {FieldOf(1, "id", TypeId::kLong), FieldOf(2, "v", TypeId::kLong),
                               FieldOf(3, "k", TypeId::kString)},
                              {}});
  metadata.partition_specs = {{0, {}}, Spec(1, "identity"), Spec(2, "identity"), Spec(3, "void")};
  return metadata;
}

std::string LongBytes(int64_t value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

ColumnStatistics Range(int32_t field_id, std::string lower, std::string upper) {
  ColumnStatistics statistics;
  statistics.field_id = field_id;
  statistics.lower_bound = std::move(lower);
  statistics.upper_bound = std::move(upper);
  return statistics;
}

// One delete file, built in place: Delete("d1").Position().Sequence(5).Of(1, {{1000, v}}).
struct Delete : LiveFile {
  explicit Delete(const char* path) {
    entry.file.path = path;
    entry.file.format = "PARQUET";
    entry.file.content = DataFile::Content::kPositionDeletes;
    entry.file.record_count = 10;
    entry.sequence_number = 5;
  }
  Delete& Equality(std::vector<int32_t> ids) {
    entry.file.content = DataFile::Content::kEqualityDeletes;
    entry.file.equality_ids = std::move(ids);
    return *this;
  }
  Delete& Vector(const char* data_file) {
    entry.file.format = "PUFFIN";
    entry.file.content_offset = 4;
    entry.file.content_size_bytes = 44;
    return Of(data_file);
  }
  Delete& Of(const char* data_file) {
    entry.file.referenced_data_file = data_file;
    return *this;
  }
  Delete& Paths(std::string lower, std::string upper) {
    entry.file.columns.push_back(Range(kDeleteFilePathFieldId, std::move(lower), std::move(upper)));
    return *this;
  }
  Delete& Keys(int32_t field_id, int64_t lower, int64_t upper, int64_t nulls = 0) {
    entry.file.columns.push_back(Range(field_id, LongBytes(lower), LongBytes(upper)));
    entry.file.columns.back().null_count = nulls;
    return *this;
  }
  Delete& Sequence(int64_t sequence) {
    entry.sequence_number = sequence;
    return *this;
  }
  Delete& In(int32_t spec, Tuple tuple) {
    spec_id = spec;
    entry.file.partition = std::move(tuple);
    return *this;
  }
};

FileTask Data(std::string path, int64_t sequence, int32_t spec_id = 0, Tuple tuple = {}) {
  FileTask task;
  task.file.path = std::move(path);
  task.file.format = "PARQUET";
  task.file.record_count = 100;
  task.file.partition = std::move(tuple);
  task.sequence_number = sequence;
  task.spec_id = spec_id;
  return task;
}

// Paths of what was found: position deletes, equality deletes and the vector, in that order.
arrow::Result<std::vector<std::string>> Found(const std::vector<LiveFile>& deletes, FileTask task) {
  ARROW_ASSIGN_OR_RAISE(const auto index, DeleteIndex::Make(Metadata(), deletes));
  ARROW_RETURN_NOT_OK(index.AddTo(&task));
  std::vector<std::string> paths;
  for (const auto& file : task.position_deletes) paths.push_back(file->file.path);
  for (const auto& file : task.equality_deletes) paths.push_back(file->file.path);
  if (task.deletion_vector != nullptr) paths.push_back(task.deletion_vector->file.path);
  return paths;
}

std::vector<std::string> Paths(const std::vector<LiveFile>& deletes, FileTask task) {
  const auto found = Found(deletes, std::move(task));
  return found.ok() ? *found : std::vector<std::string>{"error: " + found.status().message()};
}

void ExpectInvalid(const std::vector<LiveFile>& deletes, FileTask task, const char* words) {
  const auto found = Found(deletes, std::move(task));
  ASSERT_FALSE(found.ok()) << words;
  EXPECT_TRUE(found.status().IsInvalid());
  EXPECT_THAT(found.status().message(), HasSubstr(words));
}

// Spec, Scan Planning: "less than or equal" for positions, "strictly less than" for equality
// (report 65).
TEST(DeleteIndexTest, SequenceNumbers) {
  const std::vector<LiveFile> deletes = {Delete("p"), Delete("e").Equality({1}),
                                         Delete("v").Vector("b")};
  EXPECT_THAT(Paths(deletes, Data("a", 4)), ElementsAre("p", "e"));
  EXPECT_THAT(Paths(deletes, Data("a", 5)), ElementsAre("p"));
  EXPECT_THAT(Paths(deletes, Data("a", 6)), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("b", 4)), ElementsAre("e", "v"));
  EXPECT_THAT(Paths(deletes, Data("b", 5)), ElementsAre("v"));
  EXPECT_THAT(Paths(deletes, Data("b", 6)), IsEmpty());
}

TEST(DeleteIndexTest, OfSeveralOnlyThoseOfTheRightAge) {
  std::vector<LiveFile> deletes;
  for (const char* path : {"p3", "p1", "p2"}) {
    deletes.push_back(Delete(path).Sequence(path[1] - '0'));
    deletes.push_back(Delete(path).Sequence(path[1] - '0').Equality({1}));
  }
  EXPECT_THAT(Paths(deletes, Data("a", 0)), ElementsAre("p1", "p2", "p3", "p1", "p2", "p3"));
  EXPECT_THAT(Paths(deletes, Data("a", 2)), ElementsAre("p2", "p3", "p3"));
  EXPECT_THAT(Paths(deletes, Data("a", 3)), ElementsAre("p3"));
}

TEST(DeleteIndexTest, SameSpecAndPartition) {
  const Value eu = std::string("eu");
  const std::vector<LiveFile> deletes = {Delete("p").In(1, {{1000, eu}}),
                                         Delete("e").In(1, {{1000, eu}}).Equality({1})};
  EXPECT_THAT(Paths(deletes, Data("a", 1, 1, {{1000, eu}})), ElementsAre("p", "e"));
  EXPECT_THAT(Paths(deletes, Data("a", 1, 1, {{1000, std::string("us")}})), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("a", 1, 1, {{1000, Value()}})), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("a", 1, 2, {{1000, eu}})), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("a", 1, 0)), IsEmpty());
}

TEST(DeleteIndexTest, UnpartitionedEqualityDeletesAreGlobalPositionDeletesAreNot) {
  const std::vector<LiveFile> deletes = {Delete("p"), Delete("e").Equality({1}),
                                         Delete("e3").In(3, {{1000, Value()}}).Equality({1})};
  EXPECT_THAT(Paths(deletes, Data("a", 1, 1, {{1000, int64_t{7}}})), ElementsAre("e", "e3"));
  EXPECT_THAT(Paths(deletes, Data("a", 1, 0)), ElementsAre("p", "e", "e3"));
}

// Spec, note 3 of Scan Planning: floats by their bits, NaN normalised.
TEST(DeleteIndexTest, PartitionValuesOfEveryKind) {
  const auto matches = [](Value of_delete, Value of_data) {
    return !Paths({Delete("p").In(1, {{1000, of_delete}})}, Data("a", 1, 1, {{1000, of_data}}))
                .empty();
  };
  uint64_t bits = 0xfff8000000000123;
  double other_nan;
  std::memcpy(&other_nan, &bits, sizeof(other_nan));
  EXPECT_TRUE(matches(Value(), Value()));
  EXPECT_TRUE(matches(std::nan(""), other_nan));
  EXPECT_TRUE(matches(1.5, 1.5));
  EXPECT_FALSE(matches(0.0, -0.0));
  EXPECT_FALSE(matches(std::nan(""), Value()));
  EXPECT_TRUE(matches(true, true));
  EXPECT_FALSE(matches(true, false));
  EXPECT_TRUE(matches(int64_t{-7}, int64_t{-7}));
  EXPECT_TRUE(matches(int128_t{1} << 100, int128_t{1} << 100));
  EXPECT_FALSE(matches(int128_t{1} << 100, int128_t{1} << 99));
  EXPECT_TRUE(matches(std::string("a\0b", 3), std::string("a\0b", 3)));
  EXPECT_FALSE(matches(std::string("a"), std::string("a\0", 2)));
  EXPECT_FALSE(matches(std::string(), Value()));
}

TEST(DeleteIndexTest, TuplesOfSeveralFieldsInAnyOrder) {
  const std::vector<LiveFile> deletes = {
      Delete("p").In(1, {{1000, std::string("a")}, {1001, std::string("b")}})};
  EXPECT_THAT(Paths(deletes, Data("f", 1, 1, {{1001, std::string("b")}, {1000, std::string("a")}})),
              ElementsAre("p"));
  EXPECT_THAT(Paths(deletes, Data("f", 1, 1, {{1000, std::string("b")}, {1001, std::string("a")}})),
              IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("f", 1, 1, {{1000, std::string("ab")}, {1001, Value()}})),
              IsEmpty());
}

// pgcolumnar/deletes_54_variants, eqpart_incomparable.
TEST(DeleteIndexTest, PartitionValuesOfAnotherTypeAreInvalid) {
  ExpectInvalid({Delete("e").In(1, {{1000, 1.5}}).Equality({1})},
                Data("a", 1, 1, {{1000, std::string("eu")}}), "values of different types");
  ExpectInvalid({Delete("d").In(1, {{1000, 1.5}}), Delete("e").In(1, {{1000, true}})}, Data("a", 1),
                "values of different types");
}

TEST(DeleteIndexTest, AVectorReplacesPositionDeletesOfItsFile) {
  const std::vector<LiveFile> deletes = {Delete("p"), Delete("q").Of("/w/a"),
                                         Delete("v").Vector("/w/a"), Delete("e").Equality({1})};
  EXPECT_THAT(Paths(deletes, Data("/w/a", 1)), ElementsAre("e", "v"));
  EXPECT_THAT(Paths(deletes, Data("/w/b", 1)), ElementsAre("p", "e"));
}

TEST(DeleteIndexTest, AVectorTooOldLeavesPositionDeletes) {
  EXPECT_THAT(Paths({Delete("p"), Delete("v").Vector("a").Sequence(3)}, Data("a", 4)),
              ElementsAre("p"));
}

// Reports 63 and 69; pgcolumnar: dvnoref, dvdup, dvdupscheme, dvv2.
TEST(DeleteIndexTest, VectorsThatCannotBe) {
  Delete no_reference("v");
  no_reference.Vector("a").entry.file.referenced_data_file.reset();
  ExpectInvalid({no_reference}, Data("a", 1), "without a referenced data file");
  Delete no_offset("v");
  no_offset.Vector("a").entry.file.content_offset.reset();
  ExpectInvalid({no_offset}, Data("a", 1), "without content_offset");
  ExpectInvalid({Delete("v").Vector("/w/a"), Delete("w").Vector("/w/a")}, Data("b", 1),
                "two deletion vectors for data file /w/a: in v and in w");
  ExpectInvalid({Delete("v").Vector("file:///w/a"), Delete("w").Vector("/w/a")}, Data("b", 1),
                "two deletion vectors");
  TableMetadata v2 = Metadata();
  v2.format_version = 2;
  EXPECT_TRUE(DeleteIndex::Make(v2, {Delete("v").Vector("a")}).status().IsInvalid());
}

TEST(DeleteIndexTest, PathsAreComparedAsRecorded) {
  const std::vector<LiveFile> deletes = {Delete("v").Vector("file:///w/a"),
                                         Delete("p").Of("file:///w/b")};
  EXPECT_THAT(Paths(deletes, Data("/w/a", 1)), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("/w/b", 1)), IsEmpty());
  EXPECT_THAT(Paths(deletes, Data("file:///w/b", 1)), ElementsAre("p"));
}

TEST(DeleteIndexTest, ANamedFileOfAnotherPartitionIsInvalid) {
  const Tuple eu = {{1000, std::string("eu")}};
  ExpectInvalid({Delete("v").Vector("a").In(1, eu)}, Data("a", 1), "is of another partition");
  ExpectInvalid({Delete("p").Of("a").In(1, eu)}, Data("a", 1), "is of another partition");
  EXPECT_THAT(Paths({Delete("v").Vector("a").In(1, eu)}, Data("a", 9)), IsEmpty());
}

TEST(DeleteIndexTest, BoundsOfThePathsNarrowPositionDeletes) {
  const std::string a = "s3://bucket/warehouse/a.parquet";
  const std::string b = "s3://bucket/warehouse/b.parquet";
  const std::string c = "s3://bucket/warehouse/c.parquet";
  const std::vector<LiveFile> deletes = {Delete("ab").Paths(a, b), Delete("b").Paths(b, b),
                                         Delete("bc").Paths(b, c), Delete("all")};
  EXPECT_THAT(Paths(deletes, Data(a, 1)), UnorderedElementsAre("ab", "all"));
  EXPECT_THAT(Paths(deletes, Data(b, 1)), UnorderedElementsAre("ab", "b", "bc", "all"));
  EXPECT_THAT(Paths(deletes, Data(c, 1)), UnorderedElementsAre("bc", "all"));
  EXPECT_THAT(Paths(deletes, Data("s3://bucket/warehouse/d.parquet", 1)), ElementsAre("all"));
}

// dremio/products_with_eq_deletes has bounds cut to 16 characters, the upper one rounded up;
// writers that do not round up are taken in too.
TEST(DeleteIndexTest, CutBoundsExcludeNothingThatTheyBegin) {
  EXPECT_THAT(Paths({Delete("p").Paths("file:/tmp/iceber", "file:/tmp/icebes")},
                    Data("file:/tmp/iceberg/a", 1)),
              ElementsAre("p"));
  EXPECT_THAT(Paths({Delete("p").Paths("file:/tmp/iceber", "file:/tmp/iceber")},
                    Data("file:/tmp/iceberg/a", 1)),
              ElementsAre("p"));
  EXPECT_THAT(Paths({Delete("p").Paths("file:/tmp/iceber", "file:/tmp/iceber")},
                    Data("file:/tmp/other", 1)),
              IsEmpty());
}

TEST(DeleteIndexTest, KeysThatCannotOccurAreLeftOut) {
  const auto data = [](int64_t lower, int64_t upper, int64_t nulls) {
    FileTask task = Data("a", 1);
    task.file.columns.push_back(Range(1, LongBytes(lower), LongBytes(upper)));
    task.file.columns.back().null_count = nulls;
    return task;
  };
  const auto keys = [](int64_t lower, int64_t upper, int64_t nulls) {
    return Delete("e").Equality({1}).Keys(1, lower, upper, nulls);
  };
  EXPECT_THAT(Paths({keys(10, 20, 0)}, data(20, 30, 0)), ElementsAre("e"));
  EXPECT_THAT(Paths({keys(10, 20, 0)}, data(21, 30, 0)), IsEmpty());
  EXPECT_THAT(Paths({keys(10, 20, 0)}, data(0, 9, 0)), IsEmpty());
  EXPECT_THAT(Paths({keys(10, 20, 1)}, data(21, 30, 1)), ElementsAre("e"));
  EXPECT_THAT(Paths({keys(10, 20, 1)}, data(21, 30, 0)), IsEmpty());
  EXPECT_THAT(Paths({keys(10, 20, 0)}, Data("a", 1)), ElementsAre("e"));
  EXPECT_THAT(Paths({Delete("e").Equality({1})}, data(0, 9, 0)), ElementsAre("e"));
  // A second key without statistics changes nothing; an unknown field id is for the reader.
  EXPECT_THAT(Paths({keys(10, 20, 0).Equality({1, 2})}, data(21, 30, 0)), IsEmpty());
  EXPECT_THAT(Paths({Delete("e").Equality({77})}, data(0, 9, 0)), ElementsAre("e"));
}

// Bounds of keys are cut to 16 characters too, on either side.
TEST(DeleteIndexTest, CutKeysExcludeNothingThatTheyBegin) {
  const std::string cut = "abcdefghijklmnop";
  const auto found = [](std::string key, std::string lower, std::string upper) {
    Delete deletes = Delete("e").Equality({3});
    deletes.entry.file.columns = {Range(3, key, key)};
    FileTask task = Data("a", 1);
    task.file.columns = {Range(3, std::move(lower), std::move(upper))};
    for (auto* columns : {&deletes.entry.file.columns, &task.file.columns}) {
      columns->back().null_count = 0;
    }
    return Paths({deletes}, task);
  };
  EXPECT_THAT(found(cut + "zzz", cut, cut), ElementsAre("e"));
  EXPECT_THAT(found(cut, cut + "zzz", cut + "zzz"), ElementsAre("e"));
  EXPECT_THAT(found("abcdefghijklmnoq", cut, cut), IsEmpty());
  EXPECT_THAT(found("abcz", "abc", "abc"), IsEmpty());  // too short to be cut
}

// pgcolumnar: eqnoids is an error, "equality" (which can never apply) is not.
TEST(DeleteIndexTest, EqualityWithoutFieldIds) {
  ExpectInvalid({Delete("e").Equality({})}, Data("a", 4), "without equality field ids");
  EXPECT_THAT(Paths({Delete("e").Equality({})}, Data("a", 5)), IsEmpty());
}

TEST(DeleteIndexTest, AnUnknownSpecIsInvalid) {
  ExpectInvalid({Delete("p").In(9, {})}, Data("a", 1), "partition spec 9");
}

TEST(DeleteIndexTest, WithoutDeletes) {
  const auto index = DeleteIndex::Make(Metadata(), {});
  ASSERT_TRUE(index.ok());
  EXPECT_TRUE(index->empty());
  FileTask task = Data("a", 1);
  EXPECT_TRUE(index->AddTo(&task).ok());
  EXPECT_FALSE(task.has_deletes());
}

// One data file and one delete file for each of `count` numbers; how many deletes were examined.
int64_t Examined(int count, void (*shape)(Delete*, const std::string& path, int number)) {
  std::vector<LiveFile> deletes;
  const auto path = [](int number) {
    return "s3://bucket/warehouse/data-" + std::to_string(100000 + number) + ".parquet";
  };
  for (int i = 0; i < count; ++i) {
    Delete file(("d" + std::to_string(i)).c_str());
    shape(&file, path(i), i);
    deletes.push_back(file);
  }
  const auto index = DeleteIndex::Make(Metadata(), deletes);
  int64_t examined = 0;
  for (int i = 0; i < count; ++i) {
    FileTask task = Data(path(i), 1, 1, {{1000, int64_t{i}}});
    if (deletes[0].spec_id == 0) task = Data(path(i), 1);
    EXPECT_TRUE(index->AddTo(&task, &examined).ok());
    EXPECT_TRUE(task.has_deletes());
  }
  return examined;
}

TEST(DeleteIndexTest, AThousandFilesTimesAThousandDeletesIsNotAMillion) {
  constexpr int kFiles = 1000;
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string& path, int) {
              file->Of(path.c_str());
            }));
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string& path, int) {
              file->Vector(path.c_str());
            }));
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string& path, int) {
              file->Paths(path, path);
            }));
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string& path, int) {
              file->Paths(path, path + ".crc");
            }));
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string&, int number) {
              file->In(1, {{1000, int64_t{number}}});
            }));
  EXPECT_EQ(kFiles, Examined(kFiles, [](Delete* file, const std::string&, int number) {
              file->In(1, {{1000, int64_t{number}}}).Equality({1});
            }));
}

}  // namespace
}  // namespace esker
