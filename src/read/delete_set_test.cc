#include "read/delete_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <cstdlib>
#include <thread>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/filesystem/mockfs.h"
#include "arrow/json/from_string.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/key_value_metadata.h"
#include "base/status.h"
#include "plan/delete_index.h"
#include "roaring/roaring.hh"
#include "testing/parquet_bytes.h"

namespace esker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Positions = std::vector<int64_t>;

Field MakeField(int32_t id, const char* name, TypeId type) {
  Field field;
  field.id = id;
  field.name = name;
  field.type.id = type;
  return field;
}

// id long, name string, x double, ts timestamp, s struct<inner long>, l list; d was dropped.
std::shared_ptr<Schema> TableSchema() {
  auto schema = std::make_shared<Schema>();
  Field s = MakeField(5, "s", TypeId::kStruct);
  s.type.fields = std::make_shared<const std::vector<Field>>(
      std::vector<Field>{MakeField(6, "inner", TypeId::kLong)});
  Field l = MakeField(7, "l", TypeId::kList);
  l.type.fields = std::make_shared<const std::vector<Field>>(
      std::vector<Field>{MakeField(8, "element", TypeId::kLong)});
  Field u = MakeField(10, "u", TypeId::kUuid);
  schema->fields = {MakeField(1, "id", TypeId::kLong),
                    MakeField(2, "name", TypeId::kString),
                    MakeField(3, "x", TypeId::kDouble),
                    MakeField(4, "ts", TypeId::kTimestamp),
                    s,
                    l,
                    u,
                    MakeField(9, "d", TypeId::kInt)};
  return schema;
}

std::string BigEndian(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

std::string LittleEndian(uint64_t value, int width) {
  return {reinterpret_cast<const char*>(&value), static_cast<size_t>(width)};
}

// A blob of the Puffin spec's type deletion-vector-v1, with these positions below 2^32.
std::string VectorBlob(const std::vector<uint32_t>& positions) {
  Roaring bitmap;
  for (const uint32_t position : positions) bitmap.add(position);
  std::string body = "\xD1\xD3\x39\x64" + LittleEndian(1, 8) + LittleEndian(0, 4);
  std::string bytes(bitmap.getSizeInBytes(), '\0');
  bitmap.write(bytes.data());
  body += bytes;
  const uint32_t crc = crc32(0, reinterpret_cast<const Bytef*>(body.data()), body.size());
  return BigEndian(body.size()) + body + BigEndian(crc);
}

std::string Puffin(const std::vector<std::string>& blobs) {
  std::string file = "PFA1";
  std::string json;
  for (const std::string& blob : blobs) {
    json += std::string(json.empty() ? "" : ",") +
            R"({"type":"deletion-vector-v1","fields":[],"snapshot-id":-1,"sequence-number":-1,)" +
            "\"offset\":" + std::to_string(file.size()) +
            ",\"length\":" + std::to_string(blob.size()) + "}";
    file += blob;
  }
  json = "{\"blobs\":[" + json + "]}";
  return file + "PFA1" + json + LittleEndian(json.size(), 4) + LittleEndian(0, 4) + "PFA1";
}

class DeleteSetTest : public ::testing::Test {
 protected:
  DeleteSetTest() {
    cache_ = std::make_unique<DeleteCache>(storage_, TableSchema(), NameMapping(), counters_,
                                           arrow::default_memory_pool());
  }

  void Write(const std::string& path, std::string_view bytes) {
    ASSERT_TRUE(files_->CreateFile(path, bytes).ok());
  }
  void Write(const std::string& path, const std::vector<TestColumn>& columns) {
    Write(path, std::string_view(*ParquetBytes(columns)));
  }
  void WritePositions(const std::string& path, std::string paths, std::string rows) {
    Write(path, {{"file_path", kDeleteFilePathFieldId, arrow::utf8(), std::move(paths)},
                 {"pos", kDeletePosFieldId, arrow::int64(), std::move(rows)}});
  }

  static std::shared_ptr<DeleteFile> Delete(const char* path, int64_t sequence = 5) {
    auto file = std::make_shared<DeleteFile>();
    file->file.path = path;
    file->file.format = "PARQUET";
    file->file.content = DataFile::Content::kPositionDeletes;
    file->sequence_number = sequence;
    return file;
  }
  static std::shared_ptr<DeleteFile> Equality(const char* path, std::vector<int32_t> ids,
                                              int64_t sequence = 5) {
    auto file = Delete(path, sequence);
    file->file.content = DataFile::Content::kEqualityDeletes;
    file->file.equality_ids = std::move(ids);
    return file;
  }
  static std::shared_ptr<DeleteFile> Vector(const char* path, int64_t offset, int64_t size,
                                            int64_t positions) {
    auto file = Delete(path);
    file->file.format = "PUFFIN";
    file->file.referenced_data_file = "a";
    file->file.content_offset = offset;
    file->file.content_size_bytes = size;
    file->file.record_count = positions;
    return file;
  }

  static FileTask Task(const char* path, int64_t sequence = 1) {
    FileTask task;
    task.file.path = path;
    task.sequence_number = sequence;
    return task;
  }

  Positions Deleted(const FileTask& task) {
    const auto deletes = cache_->Load(task);
    EXPECT_TRUE(deletes.ok()) << deletes.status().message();
    Positions positions;
    if (deletes.ok() && deletes->positions != nullptr) {
      deletes->positions->AppendRange(0, int64_t{1} << 40, &positions);
    }
    return positions;
  }

  void ExpectInvalid(const FileTask& task, const char* words) {
    const auto deletes = cache_->Load(task);
    ASSERT_FALSE(deletes.ok()) << words;
    EXPECT_EQ(KindOf(deletes.status()), ErrorKind::kFailure);
    EXPECT_THAT(deletes.status().message(), HasSubstr(words));
  }
  void ExpectVectorInvalid(std::shared_ptr<DeleteFile> vector, const char* words) {
    FileTask task = Task("a");
    task.deletion_vector = std::move(vector);
    ExpectInvalid(task, words);
  }

  // Rows of `columns` that are left of a data file of that sequence number, by position.
  std::vector<int64_t> Left(const std::vector<std::shared_ptr<DeleteFile>>& files,
                            const arrow::ArrayVector& columns, int64_t sequence = 1) {
    FileTask task = Task("a", sequence);
    task.equality_deletes.assign(files.begin(), files.end());
    const auto deletes = cache_->Load(task);
    EXPECT_TRUE(deletes.ok()) << deletes.status().message();
    if (!deletes.ok()) return {-1};
    std::vector<uint8_t> keep(columns[0]->length(), 1);
    for (const auto& equality : deletes->equality) {
      arrow::FieldVector fields;
      for (const auto& column : columns) fields.push_back(arrow::field("", column->type()));
      const auto batch =
          arrow::RecordBatch::Make(arrow::schema(fields), columns[0]->length(), columns);
      const arrow::Status status = equality->Apply(*batch, keep.data());
      EXPECT_TRUE(status.ok()) << status.message();
    }
    std::vector<int64_t> left;
    for (size_t i = 0; i < keep.size(); ++i) {
      if (keep[i] != 0) left.push_back(static_cast<int64_t>(i));
    }
    return left;
  }
  void ExpectEqualityInvalid(std::shared_ptr<DeleteFile> file, const char* words) {
    FileTask task = Task("a");
    task.equality_deletes.push_back(std::move(file));
    ExpectInvalid(task, words);
  }

  static std::shared_ptr<arrow::Array> Json(const std::shared_ptr<arrow::DataType>& type,
                                            const char* json) {
    return arrow::json::ArrayFromJSONString(type, json).ValueOrDie();
  }
  static std::shared_ptr<arrow::Array> Longs(const char* json) {
    return Json(arrow::int64(), json);
  }

  std::shared_ptr<arrow::fs::internal::MockFileSystem> files_ =
      std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::kNoTime);
  std::shared_ptr<Storage> storage_ = std::make_shared<Storage>(files_, PrefixMap());
  std::shared_ptr<ScanCounters> counters_ = std::make_shared<ScanCounters>();
  std::unique_ptr<DeleteCache> cache_;
};

TEST_F(DeleteSetTest, NothingToDelete) {
  const auto deletes = cache_->Load(Task("a"));
  ASSERT_TRUE(deletes.ok());
  EXPECT_TRUE(deletes->empty());
}

TEST_F(DeleteSetTest, PositionsOfSeveralFilesAreUnited) {
  WritePositions("p1", R"(["a", "b", "a"])", "[3, 9, 1]");
  WritePositions("p2", R"(["a", "a"])", "[1, 7]");
  FileTask a = Task("a");
  a.position_deletes = {Delete("p1"), Delete("p2")};
  FileTask b = Task("b");
  b.position_deletes = a.position_deletes;
  FileTask c = Task("c");
  c.position_deletes = a.position_deletes;
  EXPECT_EQ(Deleted(a), (Positions{1, 3, 7}));
  EXPECT_EQ(Deleted(b), (Positions{9}));
  const auto none = cache_->Load(c);
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(Deleted(a), (Positions{1, 3, 7}));
}

// Report 63: the recorded strings are compared, scheme and all.
TEST_F(DeleteSetTest, PathsAreComparedAsRecorded) {
  WritePositions("p", R"(["hdfs://h:1/w/a", "/w/a"])", "[1, 2]");
  FileTask task = Task("/w/a");
  task.position_deletes = {Delete("p")};
  EXPECT_EQ(Deleted(task), (Positions{2}));
}

TEST_F(DeleteSetTest, AReferencedFileHidesRowsOfOthers) {
  WritePositions("p", R"(["a", "b"])", "[1, 2]");
  auto file = Delete("p");
  file->file.referenced_data_file = "a";
  FileTask a = Task("a");
  FileTask b = Task("b");
  a.position_deletes = b.position_deletes = {file};
  EXPECT_EQ(Deleted(a), (Positions{1}));
  EXPECT_THAT(Deleted(b), IsEmpty());
}

TEST_F(DeleteSetTest, AFileIsReadOnceHoweverManyTasksNeedIt) {
  WritePositions("p", R"(["a", "b"])", "[1, 2]");
  FileTask task = Task("a");
  task.position_deletes = {Delete("p")};
  Deleted(task);
  const int64_t requests = counters_->requests;
  EXPECT_GT(requests, 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { Deleted(task); });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(counters_->requests, requests);
}

TEST_F(DeleteSetTest, ErrorsNameTheDeleteFile) {
  WritePositions("bad", R"(["a"])", "[-1]");
  FileTask task = Task("a");
  task.position_deletes = {Delete("bad")};
  ExpectInvalid(task, "position delete file bad: negative position");
  ExpectInvalid(task, "position delete file bad: negative position");
  task.position_deletes = {Delete("absent")};
  ExpectInvalid(task, "'absent'");
  Write("junk", std::string_view("no Parquet at all"));
  task.position_deletes = {Delete("junk")};
  ExpectInvalid(task, "position delete file junk");
}

TEST_F(DeleteSetTest, OtherFormatsAreRefused) {
  for (const char* format : {"ORC", "AVRO"}) {
    auto file = Delete(format);
    file->file.format = format;
    FileTask positions = Task("a");
    positions.position_deletes = {file};
    FileTask equality = Task("a");
    equality.equality_deletes = {file};
    for (const FileTask& task : {positions, equality}) {
      const auto deletes = cache_->Load(task);
      ASSERT_FALSE(deletes.ok());
      EXPECT_EQ(KindOf(deletes.status()), ErrorKind::kUnsupported);
      EXPECT_THAT(deletes.status().message(), HasSubstr(format));
    }
  }
}

TEST_F(DeleteSetTest, VectorsOfOnePuffinFile) {
  const std::string first = VectorBlob({1, 3});
  const std::string second = VectorBlob({70000});
  Write("v", Puffin({first, second}));
  const int64_t size = static_cast<int64_t>(first.size());
  const int64_t second_size = static_cast<int64_t>(second.size());
  FileTask task = Task("a");
  task.deletion_vector = Vector("v", 4, size, 2);
  EXPECT_EQ(Deleted(task), (Positions{1, 3}));
  EXPECT_EQ(counters_->requests, 1);
  task.deletion_vector = Vector("v", 4 + size, second_size, 1);
  EXPECT_EQ(Deleted(task), (Positions{70000}));
  EXPECT_EQ(counters_->requests, 2);
  EXPECT_EQ(Deleted(task), (Positions{70000}));
}

TEST_F(DeleteSetTest, BareVectors) {
  const std::string blob = VectorBlob({2}) + VectorBlob({5, 6});
  Write("v", blob);
  const int64_t size = static_cast<int64_t>(VectorBlob({2}).size());
  FileTask task = Task("a");
  task.deletion_vector = Vector("v", 0, size, 1);
  EXPECT_EQ(Deleted(task), (Positions{2}));
  task.deletion_vector = Vector("v", size, static_cast<int64_t>(blob.size()) - size, 2);
  EXPECT_EQ(Deleted(task), (Positions{5, 6}));
}

TEST_F(DeleteSetTest, AVectorAndPositionsAreUnited) {
  const std::string blob = VectorBlob({1, 3});
  Write("v", Puffin({blob}));
  WritePositions("p", R"(["a"])", "[2]");
  FileTask task = Task("a");
  task.deletion_vector = Vector("v", 4, static_cast<int64_t>(blob.size()), 2);
  task.position_deletes = {Delete("p")};
  EXPECT_EQ(Deleted(task), (Positions{1, 2, 3}));
}

// pgcolumnar: dvbadcount, dvbadcrc, dvoffmismatch, dvbigoff, dvnoref. Each is asked for twice: a
// file whose footer is known already takes another way.
TEST_F(DeleteSetTest, VectorsThatAreNotWhatTheEntrySays) {
  const std::string blob = VectorBlob({1, 3});
  const int64_t size = static_cast<int64_t>(blob.size());
  Write("v", Puffin({blob}));
  for (int known = 0; known < 2; ++known) {
    ExpectVectorInvalid(Vector("v", 8, size, 2), "deletion vector for a in v");
    ExpectVectorInvalid(Vector("v", 4, size - 1, 2), "deletion vector for a in v");
    ExpectVectorInvalid(Vector("v", -1, size, 2), "deletion vector for a in v");
    ExpectVectorInvalid(Vector("v", int64_t{1} << 62, int64_t{1} << 62, 2), "in v");
    ExpectVectorInvalid(Vector("v", 4, size, 99), "it has 2 positions, the manifest says 99");
    auto no_reference = Vector("v", 4, size, 2);
    no_reference->file.referenced_data_file.reset();
    ExpectVectorInvalid(no_reference, "no referenced_data_file");
    auto parquet = Vector("v", 4, size, 2);
    parquet->file.format = "PARQUET";
    ExpectVectorInvalid(parquet, "format PARQUET");
  }
  std::string damaged = blob;
  damaged[damaged.size() - 6] ^= 1;
  Write("crc", Puffin({damaged}));
  ExpectVectorInvalid(Vector("crc", 4, size, 2), "checksum");
  ExpectVectorInvalid(Vector("absent", 4, size, 2), "'absent'");
}

// Reports 50 and 51: null equals null and nothing else.
TEST_F(DeleteSetTest, NullEqualsNull) {
  Write("null", {{"id", 1, arrow::int64(), "[null]"}});
  Write("three", {{"id", 1, arrow::int64(), "[3]"}});
  const auto data = Longs("[1, null, 3, null]");
  EXPECT_THAT(Left({Equality("null", {1})}, {data}), ElementsAre(0, 2));
  // Another partition, so that it is another group with other keys.
  auto three = Equality("three", {1});
  three->spec_id = 1;
  EXPECT_THAT(Left({three}, {data}), ElementsAre(0, 1, 3));
}

// Spec, Equality Delete Files: rows equal in all delete columns; other columns of the file do not
// count (report 52), nor does their place (report 53).
TEST_F(DeleteSetTest, OnlyTheColumnsOfTheIdsByTheirIds) {
  Write("e", {{"n", 2, arrow::utf8(), R"(["x", "y", null])"},
              {"other", 44, arrow::list(arrow::int32()), "[[1], null, []]"},
              {"renamed", 1, arrow::int64(), "[1, 2, 3]"}});
  const auto ids = Longs("[1, 1, 2, 3, 3]");
  const auto names = Json(arrow::utf8(), R"(["x", "y", "y", null, "x"])");
  EXPECT_THAT(Left({Equality("e", {2, 1})}, {ids, names}), ElementsAre(1, 4));
  EXPECT_THAT(Left({Equality("e", {1})}, {Longs("[4, 3, 2]")}), ElementsAre(0));
}

TEST_F(DeleteSetTest, FieldIdsAreSorted) {
  Write("e", {{"n", 2, arrow::utf8(), R"(["x"])"}, {"id", 1, arrow::int64(), "[1]"}});
  FileTask task = Task("a");
  task.equality_deletes = {Equality("e", {2, 1, 2}), Equality("e", {1})};
  const auto deletes = cache_->Load(task);
  ASSERT_TRUE(deletes.ok()) << deletes.status().message();
  ASSERT_EQ(deletes->equality.size(), 2u);
  EXPECT_THAT(deletes->equality[0]->field_ids(), ElementsAre(1, 2));
  EXPECT_THAT(deletes->equality[1]->field_ids(), ElementsAre(1));
}

// Report 65, and the merging of files: a key counts for older data only.
TEST_F(DeleteSetTest, KeysOfSeveralFilesKeepTheirSequenceNumbers) {
  Write("e3", {{"id", 1, arrow::int64(), "[10, 11]"}});
  Write("e5", {{"id", 1, arrow::int64(), "[11, 12]"}});
  const auto data = Longs("[10, 11, 12, 13]");
  const auto e3 = Equality("e3", {1}, 3);
  const auto e5 = Equality("e5", {1}, 5);
  EXPECT_THAT(Left({e3, e5}, {data}, 2), ElementsAre(3));
  EXPECT_THAT(Left({e5}, {data}, 3), ElementsAre(0, 3));
  EXPECT_THAT(Left({e5}, {data}, 4), ElementsAre(0, 3));
  EXPECT_THAT(Left({}, {data}, 5), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(Left({e3, e5}, {data}, 0), ElementsAre(3));
}

TEST_F(DeleteSetTest, RowsThatAreGoneStayGone) {
  Write("e", {{"id", 1, arrow::int64(), "[1]"}});
  FileTask task = Task("a");
  task.equality_deletes = {Equality("e", {1})};
  const auto deletes = cache_->Load(task);
  ASSERT_TRUE(deletes.ok());
  const auto batch = arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int64())}),
                                              3, {Longs("[1, 2, 3]")});
  uint8_t keep[] = {1, 0, 1};
  ASSERT_TRUE(deletes->equality[0]->Apply(*batch, keep).ok());
  EXPECT_THAT(keep, ElementsAre(0, 0, 1));
  const auto other = arrow::RecordBatch::Make(arrow::schema({arrow::field("id", arrow::int32())}),
                                              1, {Json(arrow::int32(), "[1]")});
  EXPECT_TRUE(deletes->equality[0]->Apply(*other, keep).IsInvalid());
}

// Files from before a promotion: int for long, float for double, date for timestamp.
TEST_F(DeleteSetTest, PromotedColumns) {
  Write("int", {{"id", 1, arrow::int32(), "[-2, null]"}});
  EXPECT_THAT(Left({Equality("int", {1})}, {Longs("[-2, 4294967294, null]")}), ElementsAre(1));
  Write("float", {{"x", 3, arrow::float32(), "[0.5, NaN, -0.0]"}});
  EXPECT_THAT(
      Left({Equality("float", {3})}, {Json(arrow::float64(), "[0.5, NaN, 0.0, -0.0, 0.25]")}),
      ElementsAre(2, 4));
  Write("date", {{"ts", 4, arrow::date32(), "[1]"}});
  EXPECT_THAT(Left({Equality("date", {4})},
                   {Json(arrow::timestamp(arrow::TimeUnit::MICRO), "[86400000000, 1]")}),
              ElementsAre(1));
}

TEST_F(DeleteSetTest, DroppedAndNestedColumns) {
  Write("d", {{"d", 9, arrow::int32(), "[7]"}});
  EXPECT_THAT(Left({Equality("d", {9})}, {Json(arrow::int32(), "[7, 8]")}), ElementsAre(1));
  const auto inner = arrow::field("inner", arrow::int64())
                         ->WithMetadata(arrow::key_value_metadata({{"PARQUET:field_id", "6"}}));
  // A null struct is a null leaf.
  Write("s", {{"s", 5, arrow::struct_({inner}), R"([{"inner": 1}, null])"}});
  EXPECT_THAT(Left({Equality("s", {6})}, {Longs("[1, null, 2]")}), ElementsAre(2));
}

// impala/v2_delete_different_equality_ids: equality deletes that hold file_path and pos.
TEST_F(DeleteSetTest, MislabelledFilesAreInvalid) {
  WritePositions("p", R"(["a"])", "[1]");
  ExpectEqualityInvalid(Equality("p", {1}), "equality delete file p: ");
  ExpectEqualityInvalid(Equality("p", {1, 2}), "no column 'id' (field id 1)");
  Write("part", {{"id", 1, arrow::int64(), "[1]"}});
  ExpectEqualityInvalid(Equality("part", {1, 3}), "no column 'x' (field id 3)");
  Write("type", {{"id", 1, arrow::utf8(), R"(["1"])"}});
  auto typed = Equality("type", {1});
  typed->spec_id = 1;
  ExpectEqualityInvalid(typed, "equality delete file type: ");
}

TEST_F(DeleteSetTest, IdsThatCannotBeKeys) {
  Write("e", {{"id", 1, arrow::int64(), "[1]"}});
  ExpectEqualityInvalid(Equality("e", {}), "without equality field ids");
  ExpectEqualityInvalid(Equality("e", {77}), "equality field id 77 is in no schema");
  ExpectEqualityInvalid(Equality("e", {5}), "'s') is no primitive column");
  ExpectEqualityInvalid(Equality("e", {8}), "is no primitive column");
}

TEST_F(DeleteSetTest, FilesWithoutIdsNeedANameMapping) {
  Write("e", {{"old_id", -1, arrow::int64(), "[1, 2]"}});
  ExpectEqualityInvalid(Equality("e", {1}), "field ids");
  const auto mapping = ParseNameMapping(R"([{"field-id": 1, "names": ["id", "old_id"]}])");
  ASSERT_TRUE(mapping.ok());
  cache_ = std::make_unique<DeleteCache>(storage_, TableSchema(), *mapping, counters_,
                                         arrow::default_memory_pool());
  EXPECT_THAT(Left({Equality("e", {1})}, {Longs("[1, 3]")}), ElementsAre(1));
}

// Many row groups, so that batches of two columns end at different rows.
TEST_F(DeleteSetTest, ManyRowGroups) {
  std::string ids = "[0";
  std::string names = "[\"n0\"";
  for (int i = 1; i < 1000; ++i) {
    ids += "," + std::to_string(i);
    names += ",\"n" + std::to_string(i) + "\"";
  }
  const auto file = ParquetBytes({TestColumn{"id", 1, arrow::int64(), ids + "]"},
                                  TestColumn{"name", 2, arrow::utf8(), names + "]"}},
                                 7);
  Write("e", std::string_view(*file));
  EXPECT_THAT(Left({Equality("e", {1, 2})},
                   {Longs("[0, 500, 999, 500, 1000]"),
                    Json(arrow::utf8(), R"(["n0", "n500", "n999", "n501", "n1000"])")}),
              ElementsAre(3, 4));
}

// What deletes are charged, with a budget that fits all.
class DeleteBudgetTest : public DeleteSetTest {
 protected:
  DeleteBudgetTest() { SetBudget(int64_t{1} << 30); }

  void SetBudget(int64_t bytes) {
    cache_ = nullptr;
    budget_ = std::make_shared<MemoryBudget>(bytes);
    pool_ = std::make_unique<arrow::ProxyMemoryPool>(arrow::default_memory_pool());
    cache_ = std::make_unique<DeleteCache>(storage_, TableSchema(), NameMapping(), counters_,
                                           pool_.get(), budget_, 64 << 10);
  }
  ~DeleteBudgetTest() override { cache_ = nullptr; }

  // Keys 0 to `count` - 1.
  void WriteKeys(const std::string& path, int64_t count) {
    Write(path, {{"id", 1, arrow::int64(), Numbers(count)}});
  }
  static std::string Numbers(int64_t count) {
    std::string numbers = "[0";
    for (int64_t i = 1; i < count; ++i) numbers += "," + std::to_string(i);
    return numbers + "]";
  }
  DeleteSet Load(const FileTask& task) {
    auto deletes = cache_->Load(task);
    EXPECT_TRUE(deletes.ok()) << deletes.status().message();
    return deletes.ok() ? *std::move(deletes) : DeleteSet();
  }
  static FileTask TaskWith(std::shared_ptr<DeleteFile> equality) {
    FileTask task = Task("a");
    task.equality_deletes = {std::move(equality)};
    return task;
  }

  std::shared_ptr<MemoryBudget> budget_;
  std::unique_ptr<arrow::ProxyMemoryPool> pool_;
};

TEST_F(DeleteBudgetTest, KeysAreChargedOnceForAllWhoShareThem) {
  WriteKeys("e", 50000);
  const FileTask task = TaskWith(Equality("e", {1}));
  std::vector<DeleteSet> sets = {Load(task)};
  const int64_t once = budget_->charged();
  // A slot is 16 bytes, two thirds are full at most; an entry is 21 bytes.
  EXPECT_GT(once, 50000 * (24 + 21));
  EXPECT_EQ(once, pool_->bytes_allocated());
  for (int i = 0; i < 99; ++i) sets.push_back(Load(task));
  EXPECT_EQ(budget_->charged(), once);
  // Idle, they stay until somebody asks for memory.
  sets.clear();
  EXPECT_EQ(budget_->charged(), once);
  EXPECT_TRUE(*budget_->MakeRoom(budget_->input_bytes()));
  EXPECT_EQ(budget_->charged(), 0);
  EXPECT_EQ(pool_->bytes_allocated(), 0);
  const int64_t requests = counters_->requests;
  Load(task);
  EXPECT_EQ(budget_->charged(), once);
  EXPECT_GT(counters_->requests, requests);
}

TEST_F(DeleteBudgetTest, WhatIsInUseIsNotLetGo) {
  WriteKeys("e", 1000);
  WriteKeys("f", 1000);
  auto other = Equality("f", {1});
  other->spec_id = 1;
  const DeleteSet used = Load(TaskWith(Equality("e", {1})));
  const int64_t one = budget_->charged();
  Load(TaskWith(other));
  EXPECT_EQ(budget_->charged(), 2 * one);
  EXPECT_FALSE(*budget_->MakeRoom(budget_->input_bytes()));
  EXPECT_EQ(budget_->charged(), one);
}

TEST_F(DeleteBudgetTest, TheSetUsedLongestAgoGoesFirst) {
  std::vector<FileTask> tasks;
  for (const char* name : {"e", "f", "g"}) {
    WriteKeys(name, 1000);
    auto file = Equality(name, {1});
    file->spec_id = name[0];
    tasks.push_back(TaskWith(file));
  }
  for (const int i : {0, 1, 2, 0}) Load(tasks[i]);
  const int64_t free_bytes = budget_->input_bytes() - budget_->charged();
  EXPECT_TRUE(*budget_->MakeRoom(free_bytes + 1));
  const int64_t requests = counters_->requests;
  Load(tasks[0]);
  Load(tasks[2]);
  EXPECT_EQ(counters_->requests, requests);
  Load(tasks[1]);
  EXPECT_GT(counters_->requests, requests);
}

// Every other position, so that no container is small: about two bytes a position.
TEST_F(DeleteBudgetTest, PositionsAreChargedOnce) {
  std::string paths = R"(["b")";
  std::string rows = "[7";
  for (int i = 0; i < 40000; ++i) {
    paths += R"(,"a")";
    rows += "," + std::to_string(2 * i);
  }
  WritePositions("p", paths + "]", rows + "]");
  FileTask a = Task("a");
  a.position_deletes = {Delete("p")};
  FileTask b = Task("b");
  b.position_deletes = a.position_deletes;
  DeleteSet of_a = Load(a);
  const int64_t once = budget_->charged();
  EXPECT_GT(once, 8192);  // one bitset at least
  EXPECT_LT(once, 8 * 40000);
  const DeleteSet of_b = Load(b);
  EXPECT_EQ(budget_->charged(), once);
  // The few positions of b keep the file that they came with.
  of_a = DeleteSet();
  EXPECT_FALSE(*budget_->MakeRoom(budget_->input_bytes()));
  EXPECT_EQ(budget_->charged(), once);
}

TEST_F(DeleteBudgetTest, WhatConcernsOneFileIsChargedWhileItIsThere) {
  const std::string blob = VectorBlob({1, 3});
  Write("v", Puffin({blob}));
  WritePositions("p", R"(["a"])", "[2]");
  FileTask task = Task("a");
  task.deletion_vector = Vector("v", 4, static_cast<int64_t>(blob.size()), 2);
  {
    const DeleteSet one = Load(task);
    const int64_t vector_bytes = budget_->charged();
    EXPECT_GT(vector_bytes, 0);
    const DeleteSet two = Load(task);
    EXPECT_EQ(budget_->charged(), 2 * vector_bytes);
  }
  EXPECT_EQ(budget_->charged(), 0);
  auto referenced = Delete("p");
  referenced->file.referenced_data_file = "a";
  task.position_deletes = {referenced};
  {
    const DeleteSet united = Load(task);
    EXPECT_GT(budget_->charged(), 0);
  }
  EXPECT_EQ(budget_->charged(), 0);
}

// The manifest may say anything; what counts is what comes.
TEST_F(DeleteBudgetTest, TooMuchIsRefusedWithANumberThatIsEnough) {
  WriteKeys("e", 50000);
  std::string paths = "[\"a\"";
  for (int i = 1; i < 50000; ++i) paths += ",\"a\"";
  WritePositions("p", paths + "]", Numbers(50000));
  std::vector<uint32_t> scattered;
  for (uint32_t i = 0; i < 50000; ++i) scattered.push_back(i * 65536);
  const std::string blob = VectorBlob(scattered);
  Write("v", Puffin({blob}));
  FileTask keys = TaskWith(Equality("e", {1}));
  FileTask positions = Task("a");
  positions.position_deletes = {Delete("p")};
  FileTask vector = Task("a");
  vector.deletion_vector = Vector("v", 4, static_cast<int64_t>(blob.size()), 50000);
  const std::vector<std::pair<FileTask, const char*>> cases = {
      {keys, "equality delete file e: "},
      {positions, "position delete file p: "},
      {vector, "deletion vector for a in v: "}};
  for (const auto& [task, name] : cases) {
    SCOPED_TRACE(name);
    SetBudget(100000);
    const auto refused = cache_->Load(task);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(KindOf(refused.status()), ErrorKind::kUsage);
    const std::string& message = refused.status().message();
    EXPECT_THAT(message, HasSubstr(name));
    EXPECT_THAT(message, HasSubstr("--memory"));
    const std::string before = ": give it ";
    ASSERT_THAT(message, HasSubstr(before));
    const int64_t enough = std::stoll(message.substr(message.find(before) + before.size()));
    SetBudget(enough);
    EXPECT_FALSE(Load(task).empty());
    EXPECT_LE(pool_->max_memory(), budget_->input_bytes());
  }
}

// A Puffin file of more than a megabyte: its footer is read, and the bytes of the vector.
TEST_F(DeleteBudgetTest, ALargePuffinFileIsNotReadWhole) {
  std::vector<uint32_t> scattered;
  for (uint32_t i = 0; i < 60000; ++i) scattered.push_back(i * 65536);
  const std::string large = VectorBlob(scattered);
  const std::string small = VectorBlob({1, 3});
  Write("v", Puffin({large, large, small}));
  const auto offset = static_cast<int64_t>(4 + 2 * large.size());
  FileTask task = Task("a");
  task.deletion_vector = Vector("v", offset, static_cast<int64_t>(small.size()), 2);
  EXPECT_EQ(Deleted(task), (Positions{1, 3}));
  EXPECT_LT(counters_->bytes_read, 10000);
  const int64_t requests = counters_->requests;
  EXPECT_EQ(Deleted(task), (Positions{1, 3}));
  EXPECT_EQ(counters_->requests, requests + 1);
  ExpectVectorInvalid(Vector("v", offset + 1, static_cast<int64_t>(small.size()), 2),
                      "no uncompressed deletion vector");
}

TEST_F(DeleteSetTest, KeysCountAgainstThePool) {
  std::string ids = "[0";
  for (int i = 1; i < 5000; ++i) ids += "," + std::to_string(i);
  Write("e", {{"id", 1, arrow::int64(), ids + "]"}});
  cache_ = nullptr;
  // The cap counts what is allocated in the pool below, files of the test included.
  const int64_t before = arrow::default_memory_pool()->bytes_allocated();
  arrow::CappedMemoryPool pool(arrow::default_memory_pool(), before + (600 << 10));
  cache_ = std::make_unique<DeleteCache>(storage_, TableSchema(), NameMapping(), counters_, &pool);
  FileTask task = Task("a");
  for (int i = 0; i < 100; ++i) {
    auto file = Equality("e", {1});
    file->spec_id = i;  // a group of its own
    task.equality_deletes.push_back(file);
  }
  const auto deletes = cache_->Load(task);
  ASSERT_FALSE(deletes.ok());
  EXPECT_TRUE(deletes.status().IsOutOfMemory()) << deletes.status().ToString();
  cache_ = nullptr;
  EXPECT_EQ(arrow::default_memory_pool()->bytes_allocated(), before);
}

}  // namespace
}  // namespace esker
