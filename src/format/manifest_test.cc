#include "format/manifest.h"

#include <array>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include "base/status.h"
#include "testing/avro_writer.h"
#include "testing/manifest_writer.h"

namespace esker {
namespace {

using testing::AvroBytes;
using testing::AvroContainer;
using testing::AvroLong;
using testing::ManifestShape;
using testing::WriteManifest;
using testing::WrittenEntry;

// A line of the list from which everything can be inherited.
ManifestFile Source() {
  ManifestFile source;
  source.sequence_number = 7;
  source.added_snapshot_id = 42;
  source.first_row_id = 1000;
  return source;
}

ManifestProjection Everything() {
  ManifestProjection projection;
  projection.all_statistics = true;
  projection.deleted_entries = true;
  return projection;
}

std::vector<ManifestEntry> Read(const std::vector<WrittenEntry>& written,
                                const ManifestShape& shape = {},
                                const ManifestFile& source = Source(),
                                const ManifestProjection& projection = Everything()) {
  auto entries = ReadManifest(WriteManifest(written, shape), source, projection);
  EXPECT_TRUE(entries.ok()) << entries.status().ToString();
  return entries.ok() ? *entries : std::vector<ManifestEntry>{};
}

void ExpectRefused(const WrittenEntry& written, const std::string& why,
                   const ManifestShape& shape = {}) {
  const arrow::Status status =
      ReadManifest(WriteManifest({written}, shape), Source(), Everything()).status();
  EXPECT_TRUE(status.IsInvalid());
  EXPECT_NE(status.message().find(why), std::string::npos) << status.ToString();
}

// An entry with a value in every field, none of them a default.
WrittenEntry FullEntry() {
  WrittenEntry entry;
  entry.status = 0;
  entry.snapshot_id = 11;
  entry.sequence_number = 3;
  entry.file_sequence_number = 4;
  entry.content = 2;
  entry.path = "s3://bucket/a path/%20#?.orc";
  entry.format = "orc";
  entry.day = -7;
  entry.record_count = 12;
  entry.file_size = 3456;
  entry.column_sizes = {{1, 100}, {2, 200}};
  entry.value_counts = {{1, 12}, {2, 13}};
  entry.null_counts = {{1, 0}, {2, 5}};
  entry.nan_counts = {{2, 6}};
  entry.lower_bounds = {{1, "aa"}, {3, std::string("\0\xff", 2)}};
  entry.upper_bounds = {{1, "zz"}, {3, ""}};
  entry.split_offsets = {4, 2000};
  entry.equality_ids = {1, 3};
  entry.sort_order_id = 5;
  entry.first_row_id = 77;
  entry.referenced_data_file = "data/x.parquet";
  entry.content_offset = 4;
  entry.content_size = 40;
  return entry;
}

void ExpectFullEntry(const ManifestEntry& entry) {
  EXPECT_EQ(entry.status, ManifestEntry::Status::kExisting);
  EXPECT_EQ(entry.snapshot_id, 11);
  EXPECT_EQ(entry.sequence_number, 3);
  EXPECT_EQ(entry.file_sequence_number, 4);
  const DataFile& file = entry.file;
  EXPECT_EQ(file.content, DataFile::Content::kEqualityDeletes);
  EXPECT_EQ(file.path, "s3://bucket/a path/%20#?.orc");
  EXPECT_EQ(file.format, "ORC");
  ASSERT_EQ(file.partition.size(), 1u);
  EXPECT_EQ(file.partition[0].first, 1000);
  EXPECT_EQ(file.partition[0].second, Value(int64_t{-7}));
  EXPECT_EQ(file.record_count, 12);
  EXPECT_EQ(file.file_size_bytes, 3456);
  EXPECT_EQ(file.split_offsets, (std::vector<int64_t>{4, 2000}));
  EXPECT_EQ(file.equality_ids, (std::vector<int32_t>{1, 3}));
  EXPECT_EQ(file.sort_order_id, 5);
  EXPECT_EQ(file.first_row_id, 77);
  EXPECT_EQ(file.referenced_data_file, "data/x.parquet");
  EXPECT_EQ(file.content_offset, 4);
  EXPECT_EQ(file.content_size_bytes, 40);
  ASSERT_EQ(file.columns.size(), 3u);
  EXPECT_EQ(file.columns[0].field_id, 1);
  EXPECT_EQ(file.columns[0].value_count, 12);
  EXPECT_EQ(file.columns[0].null_count, 0);
  EXPECT_EQ(file.columns[0].nan_count, std::nullopt);
  EXPECT_EQ(file.columns[0].lower_bound, "aa");
  EXPECT_EQ(file.columns[0].upper_bound, "zz");
  EXPECT_EQ(file.columns[1].field_id, 2);
  EXPECT_EQ(file.columns[1].null_count, 5);
  EXPECT_EQ(file.columns[1].nan_count, 6);
  EXPECT_EQ(file.columns[1].lower_bound, std::nullopt);
  EXPECT_EQ(file.columns[2].field_id, 3);
  EXPECT_EQ(file.columns[2].lower_bound, std::string("\0\xff", 2));
  EXPECT_EQ(file.columns[2].upper_bound, "");
  EXPECT_EQ(file.FindColumn(3), &file.columns[2]);
  EXPECT_EQ(file.FindColumn(4), nullptr);
}

TEST(ReadManifestTest, ReadsEveryFieldInEveryShape) {
  for (const char* codec : {"null", "deflate", "snappy", "zstandard"}) {
    for (int shape_bits = 0; shape_bits < 8; ++shape_bits) {
      ManifestShape shape;
      shape.codec = codec;
      shape.ids = (shape_bits & 1) == 0;
      shape.sized_blocks = (shape_bits & 2) != 0;
      shape.everything_optional = (shape_bits & 4) != 0;
      const auto entries = Read({FullEntry(), FullEntry()}, shape);
      ASSERT_EQ(entries.size(), 2u) << codec << " " << shape_bits;
      ExpectFullEntry(entries[0]);
      ExpectFullEntry(entries[1]);
    }
  }
}

TEST(ReadManifestTest, AbsentFieldsStayAbsent) {
  const auto entries = Read({WrittenEntry{}});
  const DataFile& file = entries[0].file;
  EXPECT_EQ(file.content, DataFile::Content::kData);
  EXPECT_TRUE(IsNull(file.partition[0].second));
  EXPECT_TRUE(file.columns.empty());
  EXPECT_TRUE(file.split_offsets.empty());
  EXPECT_TRUE(file.equality_ids.empty());
  EXPECT_EQ(file.sort_order_id, std::nullopt);
  EXPECT_EQ(file.referenced_data_file, std::nullopt);
  EXPECT_EQ(file.content_offset, std::nullopt);
}

TEST(ReadManifestTest, ProjectsStatistics) {
  WrittenEntry written;
  for (int id = 1; id <= 20; ++id) {
    for (auto* counts : {&written.column_sizes, &written.value_counts, &written.null_counts}) {
      if (!*counts) counts->emplace();
      (*counts)->emplace_back(id, id * 1000);
    }
    if (!written.lower_bounds) written.lower_bounds.emplace();
    written.lower_bounds->emplace_back(id, "low" + std::to_string(id));
  }
  for (const bool sized : {false, true}) {
    for (const bool optional : {false, true}) {
      ManifestShape shape;
      shape.sized_blocks = sized;
      shape.everything_optional = optional;
      const std::array<int32_t, 3> wanted = {2, 19, 300};
      ManifestProjection projection;
      projection.statistics_field_ids = wanted;
      const auto entries = Read({written, written}, shape, Source(), projection);
      ASSERT_EQ(entries.size(), 2u);
      for (const ManifestEntry& entry : entries) {
        ASSERT_EQ(entry.file.columns.size(), 2u);
        EXPECT_EQ(entry.file.columns[0].field_id, 2);
        EXPECT_EQ(entry.file.columns[0].null_count, 2000);
        EXPECT_EQ(entry.file.columns[0].lower_bound, "low2");
        EXPECT_EQ(entry.file.columns[1].field_id, 19);
        EXPECT_EQ(entry.file.columns[1].value_count, 19000);
      }
      const auto none = Read({written}, shape, Source(), ManifestProjection{});
      EXPECT_TRUE(none[0].file.columns.empty());
    }
  }
}

// Projection must not change what is read: any subset equals the same part of everything, however
// the keys are ordered, and for ids beyond the look-up table and below zero.
TEST(ReadManifestTest, ProjectionAgreesWithReadingAll) {
  WrittenEntry written;
  written.value_counts = {{9, 1}, {-3, 2}, {1 << 20, 3}, {4, 4}};
  written.null_counts = {{4, 5}, {9, 6}};
  written.lower_bounds = {{1 << 20, "x"}, {4, "y"}, {8, "z"}};
  const std::array<int32_t, 5> ids = {-3, 4, 8, 9, 1 << 20};
  const auto all = Read({written})[0].file;
  ASSERT_EQ(all.columns.size(), ids.size());
  for (unsigned subset = 1; subset < 1u << ids.size(); ++subset) {
    std::vector<int32_t> wanted;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (subset >> i & 1) wanted.push_back(ids[i]);
    }
    ManifestProjection projection;
    projection.statistics_field_ids = wanted;
    const auto some = Read({written}, {}, Source(), projection)[0].file;
    ASSERT_EQ(some.columns.size(), wanted.size());
    for (size_t i = 0; i < wanted.size(); ++i) {
      const ColumnStatistics& expected = *all.FindColumn(wanted[i]);
      EXPECT_EQ(some.columns[i].field_id, wanted[i]);
      EXPECT_EQ(some.columns[i].value_count, expected.value_count);
      EXPECT_EQ(some.columns[i].null_count, expected.null_count);
      EXPECT_EQ(some.columns[i].lower_bound, expected.lower_bound);
    }
  }
}

TEST(ReadManifestTest, AManifestWithoutBlocksIsEmpty) { EXPECT_TRUE(Read({}).empty()); }

TEST(ReadManifestTest, LeavesDeletedEntriesOutUnlessAsked) {
  WrittenEntry live, deleted;
  deleted.status = 2;
  deleted.path = "data/gone.parquet";
  EXPECT_EQ(Read({deleted, live}).size(), 2u);
  const auto entries = Read({deleted, live, deleted}, {}, Source(), ManifestProjection{});
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].file.path, "data/a.parquet");
}

// Spec: Manifest Entry Fields and Sequence Number Inheritance.
TEST(ReadManifestTest, AddedEntriesInherit) {
  const auto entries = Read({WrittenEntry{}});
  EXPECT_EQ(entries[0].snapshot_id, 42);
  EXPECT_EQ(entries[0].sequence_number, 7);
  EXPECT_EQ(entries[0].file_sequence_number, 7);
}

TEST(ReadManifestTest, ExistingEntriesDoNotInherit) {
  WrittenEntry existing;
  existing.status = 0;
  ExpectRefused(existing, "existing file without sequence number");
  existing.sequence_number = 2;
  const auto entries = Read({existing});
  EXPECT_EQ(entries[0].sequence_number, 2);
  EXPECT_EQ(entries[0].file_sequence_number, std::nullopt);
}

TEST(ReadManifestTest, VersionOneHasNoContentAndSequenceNumbers) {
  ManifestShape shape;
  shape.v1 = true;
  shape.format_version = "";
  WrittenEntry existing;
  existing.status = 0;
  existing.snapshot_id = 9;
  ManifestFile source;  // of a v1 list: everything is 0
  auto entries = Read({WrittenEntry{}, existing}, shape, source);
  ASSERT_EQ(entries.size(), 2u);
  for (const ManifestEntry& entry : entries) {
    EXPECT_EQ(entry.sequence_number, 0);
    EXPECT_EQ(entry.file.content, DataFile::Content::kData);
    EXPECT_EQ(entry.file.first_row_id, std::nullopt);
  }
  // The same manifest in a v2 table, where the list knows a number (duckdb-iceberg#374).
  entries = Read({WrittenEntry{}, existing}, shape);
  EXPECT_EQ(entries[0].sequence_number, 7);
  EXPECT_EQ(entries[1].sequence_number, 0);
}

// Data must not come out of a manifest of deletes only because a field is missing.
TEST(ReadManifestTest, DeletesWithoutContentAreRefused) {
  ManifestShape shape;
  shape.v1 = true;
  ManifestFile deletes = Source();
  deletes.content = ManifestFile::Content::kDeletes;
  EXPECT_TRUE(
      ReadManifest(WriteManifest({WrittenEntry{}}, shape), deletes, {}).status().IsInvalid());
  shape.header_content = "deletes";
  ExpectRefused(WrittenEntry{}, "manifest of deletes", shape);
}

// JanKaul/iceberg-rust#212: the list says data, the entry says equality deletes.
TEST(ReadManifestTest, TheEntryDecidesItsContent) {
  WrittenEntry written;
  written.content = 2;
  ManifestShape shape;
  shape.header_content = "data";
  EXPECT_EQ(Read({written}, shape)[0].file.content, DataFile::Content::kEqualityDeletes);
}

// Spec: First Row ID Inheritance; deleted entries and delete files take no ids.
TEST(ReadManifestTest, DataFilesInheritRowIds) {
  WrittenEntry first, with_id, second, deleted, deletes, last;
  first.record_count = 10;
  with_id.first_row_id = 5;
  with_id.record_count = 100;
  second.record_count = 20;
  second.status = 0;
  second.sequence_number = 1;
  deleted.status = 2;
  deletes.content = 1;
  for (const bool keep_deleted : {false, true}) {
    ManifestProjection projection;
    projection.deleted_entries = keep_deleted;
    auto entries = Read({first, with_id, second, deleted, deletes, last}, {}, Source(), projection);
    if (keep_deleted) {
      EXPECT_EQ(entries[3].file.first_row_id, std::nullopt);
      entries.erase(entries.begin() + 3);
    }
    ASSERT_EQ(entries.size(), 5u);
    EXPECT_EQ(entries[0].file.first_row_id, 1000);
    EXPECT_EQ(entries[1].file.first_row_id, 5);
    EXPECT_EQ(entries[2].file.first_row_id, 1010);
    EXPECT_EQ(entries[3].file.first_row_id, std::nullopt);
    EXPECT_EQ(entries[4].file.first_row_id, 1030);
  }
  ManifestFile source = Source();
  source.first_row_id = std::numeric_limits<int64_t>::max() - 5;
  EXPECT_TRUE(ReadManifest(WriteManifest({first}), source, {}).status().IsInvalid());
  WrittenEntry stated;  // by the entry itself
  stated.record_count = 10;
  stated.first_row_id = std::numeric_limits<int64_t>::max() - 10;
  EXPECT_EQ(Read({stated})[0].file.first_row_id, *stated.first_row_id);
  ++*stated.first_row_id;
  ExpectRefused(stated, "row ids above 64 bits");
}

TEST(ReadManifestTest, TheSpecIsThatOfTheList) {
  ManifestShape shape;
  ManifestFile source = Source();
  const auto status = [&] {
    return ReadManifest(WriteManifest({WrittenEntry{}}, shape), source, {}).status();
  };
  const auto recorded = [&] { return ReadManifestSpecId(WriteManifest({}, shape)).ValueOrDie(); };
  source.partition_spec_id = 2;
  EXPECT_TRUE(status().ok()) << status();  // the header need not say it
  EXPECT_EQ(recorded(), std::nullopt);
  shape.header_spec_id = "2";
  EXPECT_TRUE(status().ok()) << status();
  EXPECT_EQ(recorded(), 2);
  shape.header_spec_id = "1";
  EXPECT_EQ(status().message(), "its header has partition spec 1, the manifest list says 2");
  source.partition_spec_id.reset();
  EXPECT_TRUE(status().ok()) << status();
  for (const char* bad : {"", "x", "1x", "99999999999"}) {
    shape.header_spec_id = bad;
    EXPECT_EQ(status().ok(), *bad == '\0') << bad << ": " << status();
  }
}

TEST(ReadManifestTest, TheFileItselfTellsThatItIsEncrypted) {
  WrittenEntry written;
  written.key_metadata = "k";
  EXPECT_EQ(Read({written}).size(), 1);
  const arrow::Status status =
      ReadManifest("AGS1" + WriteManifest({written}), Source(), Everything()).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported) << status;
}

// One entry may be all of a file: the bound on memory has to stop it half-way.
TEST(ReadManifestTest, TheBoundOnMemoryHoldsWithinAnEntry) {
  ManifestProjection projection = Everything();
  projection.max_bytes = 20'000;
  const auto read = [&](const WrittenEntry& entry) {
    return ReadManifest(WriteManifest({entry}), Source(), projection).status();
  };
  // Where the read stopped, in an inflated block.
  const auto stopped_at = [&](const WrittenEntry& entry) {
    const std::string message = read(entry).message();
    EXPECT_NE(message.find("more entries in one file than its bound"), message.npos) << message;
    return std::stoll(message.substr(message.rfind(' ')));
  };
  EXPECT_TRUE(read(FullEntry()).ok()) << read(FullEntry());
  WrittenEntry offsets, ids, counts, bounds;
  offsets.split_offsets.emplace(100'000, 4);
  ids.equality_ids.emplace(100'000, 4);
  counts.null_counts.emplace();
  bounds.lower_bounds.emplace();
  for (int32_t id = 0; id < 100'000; ++id) {
    counts.null_counts->emplace_back(id, 0);
    bounds.lower_bounds->emplace_back(0, std::string(100, 'x'));
  }
  EXPECT_LT(stopped_at(offsets), 3'000);
  EXPECT_LT(stopped_at(ids), 6'000);
  EXPECT_LT(stopped_at(counts), 1'000);
  EXPECT_LT(stopped_at(bounds), 22'000);
}

TEST(ReadManifestTest, DropsSplitOffsetsThatCannotBeRight) {
  WrittenEntry written;
  written.file_size = 100;
  for (const auto& offsets : {std::vector<int64_t>{4, 100}, {-1, 4}, {50, 4}}) {
    written.split_offsets = offsets;
    EXPECT_TRUE(Read({written})[0].file.split_offsets.empty());
  }
}

TEST(ReadManifestTest, RefusesImpossibleValues) {
  const auto with = [](auto change) {
    WrittenEntry entry;
    change(&entry);
    return entry;
  };
  using Entry = WrittenEntry;
  ExpectRefused(with([](Entry* e) { e->status = 3; }), "status");
  ExpectRefused(with([](Entry* e) { e->status = -1; }), "status");
  ExpectRefused(with([](Entry* e) { e->content = 3; }), "content");
  ExpectRefused(with([](Entry* e) { e->path = ""; }), "without path");
  ExpectRefused(with([](Entry* e) { e->record_count = -1; }), "negative record count");
  ExpectRefused(with([](Entry* e) { e->file_size = -1; }), "negative file size");
  ExpectRefused(with([](Entry* e) { e->sequence_number = -1; }), "negative sequence number");
  ExpectRefused(with([](Entry* e) { e->first_row_id = -1; }), "negative first row id");
  ExpectRefused(with([](Entry* e) { e->content_offset = -1; }), "negative content offset");
  ExpectRefused(with([](Entry* e) { e->content_size = -1; }), "negative content size");
  ExpectRefused(with([](Entry* e) { e->value_counts = {{1, -1}}; }), "negative count");
  ExpectRefused(with([](Entry* e) { e->sort_order_id = int64_t{1} << 32; }), "above 32 bits");
  ExpectRefused(with([](Entry* e) { e->equality_ids = {int64_t{1} << 32}; }), "above 32 bits");
}

TEST(ReadManifestTest, SaysWhereTheDamageIs) {
  WrittenEntry bad;
  bad.status = 9;
  const std::string bytes = WriteManifest({WrittenEntry{}, bad});
  const arrow::Status status = ReadManifest(bytes, Source(), {}).status();
  EXPECT_TRUE(status.message().starts_with("in the Avro block at byte ")) << status.ToString();
}

TEST(ReadManifestTest, RefusesNewerFormatVersions) {
  ManifestShape shape;
  shape.format_version = "4";
  const auto status = ReadManifest(WriteManifest({}, shape), Source(), {}).status();
  EXPECT_EQ(KindOf(status), ErrorKind::kUnsupported);
}

TEST(ReadManifestTest, RefusesSchemasThatAreNoManifest) {
  for (const char* schema :
       {R"("long")", R"({"type": "record", "name": "r", "fields": []})",
        R"({"type": "record", "name": "r", "fields": [{"name": "status", "type": "int"}]})",
        R"({"type": "record", "name": "r", "fields": [{"name": "status", "type": "int"},
            {"name": "data_file", "type": "string"}]})"}) {
    EXPECT_TRUE(ReadManifest(AvroContainer(schema, {}), Source(), {}).status().IsInvalid());
  }
}

// Every byte of a manifest cut off or changed: an error or entries, never a crash.
TEST(ReadManifestTest, SurvivesDamageAnywhere) {
  const std::string good = WriteManifest({FullEntry(), WrittenEntry{}});
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {1, 0x80, 0xff}) {
      std::string bad = good;
      bad[i] = static_cast<char>(bad[i] ^ flip);
      (void)ReadManifest(bad, Source(), Everything());
    }
    const auto cut = ReadManifest(std::string_view(good).substr(0, i), Source(), Everything());
    EXPECT_TRUE(!cut.ok() || cut->empty()) << i;
  }
}

// Partition values of every type that the spec maps to Avro (Avro, Data Type Mappings).
TEST(ReadManifestTest, ReadsPartitionValuesByTheirAvroType) {
  const std::string partition = R"({"type": "record", "name": "r102", "fields": [
      {"name": "a", "field-id": 1005, "type": "boolean"},
      {"name": "b", "field-id": 1001, "type": {"type": "long", "logicalType": "timestamp-micros"}},
      {"name": "c", "field-id": 1002, "type": "float"},
      {"name": "d", "field-id": 1003, "type": "double"},
      {"name": "e", "field-id": 1004, "type": {"type": "fixed", "name": "dec", "size": 3,
          "logicalType": "decimal", "precision": 5, "scale": 2}},
      {"name": "f", "field-id": 1006, "type": {"type": "fixed", "name": "u", "size": 4}},
      {"name": "g", "field-id": 1007, "type": ["string", "null"]},
      {"name": "h", "field-id": 1008, "type": "null"},
      {"name": "i", "field-id": 1009, "type": {"type": "bytes", "logicalType": "decimal",
          "precision": 38, "scale": 0}}]})";
  const std::string schema = R"({"type": "record", "name": "entry", "fields": [
      {"name": "status", "field-id": 0, "type": "int"},
      {"name": "data_file", "field-id": 2, "type": {"type": "record", "name": "r2", "fields": [
          {"name": "file_path", "field-id": 100, "type": "string"},
          {"name": "file_format", "field-id": 101, "type": "string"},
          {"name": "partition", "field-id": 102, "type": )" +
                             partition + R"(},
          {"name": "record_count", "field-id": 103, "type": "long"},
          {"name": "file_size_in_bytes", "field-id": 104, "type": "long"}]}}]})";
  const auto entry_with_decimal = [](const std::string& decimal) {
    return AvroLong(1) + AvroBytes("p") + AvroBytes("avro") + '\x01' + AvroLong(-5) +
           std::string("\x00\x00\xc0\x3f", 4) + std::string("\x00\x00\x00\x00\x00\x00\x04\xc0", 8) +
           std::string("\xff\xff\x85", 3) + "uuid" + AvroLong(0) + AvroBytes("text") +
           AvroBytes(decimal) + AvroLong(1) + AvroLong(1);
  };
  const auto entries = ReadManifest(
      AvroContainer(schema, {{1, entry_with_decimal(std::string(17, '\0') + "\x80")}}), {}, {});
  ASSERT_TRUE(entries.ok()) << entries.status().ToString();
  const std::vector<std::pair<int32_t, Value>> expected = {{1005, true},
                                                           {1001, int64_t{-5}},
                                                           {1002, 1.5},
                                                           {1003, -2.5},
                                                           {1004, int128_t{-123}},
                                                           {1006, std::string("uuid")},
                                                           {1007, std::string("text")},
                                                           {1008, Value()},
                                                           {1009, int128_t{128}}};
  EXPECT_EQ(entries->at(0).file.partition, expected);
  for (const std::string& decimal : {std::string(), "\x01" + std::string(16, '\0'),
                                     std::string(1, '\0') + std::string(16, '\xff')}) {
    EXPECT_FALSE(
        ReadManifest(AvroContainer(schema, {{1, entry_with_decimal(decimal)}}), {}, {}).ok());
  }
}

TEST(ReadManifestTest, TakesPartitionIdsFromTheHeaderWhereAvroHasNone) {
  ManifestShape shape;
  shape.ids = false;
  WrittenEntry written;
  written.day = 3;
  EXPECT_EQ(Read({written}, shape)[0].file.partition[0].first, 1000);
}

}  // namespace
}  // namespace esker
