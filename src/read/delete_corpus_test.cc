// pgcolumnar/deletes_54_variants: one table of five rows, with right and with broken deletes. What
// each variant must give is stated by the repository that it comes from.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <set>

#include "arrow/array.h"
#include "arrow/buffer.h"
#include "arrow/memory_pool.h"
#include "arrow/record_batch.h"
#include "arrow/type.h"
#include "arrow/util/checked_cast.h"
#include "esker/options.h"
#include "format/table_metadata.h"
#include "plan/delete_index.h"
#include "plan/live_files.h"
#include "read/delete_file_reader.h"
#include "read/delete_set.h"

namespace esker {
namespace {

using Ids = std::vector<int64_t>;

std::string_view ViewOf(const arrow::Buffer& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), static_cast<size_t>(buffer.size())};
}

// Fields of other schemas stand behind those of the current one.
std::shared_ptr<Schema> AllFields(const TableMetadata& metadata) {
  auto all = std::make_shared<Schema>(metadata.current_schema());
  for (const Schema& schema : metadata.schemas) {
    for (const Field& field : schema.fields) {
      if (all->FindById(field.id).empty()) all->fields.push_back(field);
    }
  }
  return all;
}

// The columns of those ids of a data file, in one batch; null where the file lacks one. The file
// fits into one batch.
arrow::Result<arrow::ArrayVector> ReadColumns(const Storage& storage, const std::string& path,
                                              const Schema& schema,
                                              const std::vector<int32_t>& field_ids) {
  arrow::ArrayVector columns;
  for (const int32_t field_id : field_ids) {
    Field field = *schema.FindById(field_id).back();
    field.required = false;
    ARROW_ASSIGN_OR_RAISE(auto file, storage.Open(path));
    auto reader = DeleteFileReader::Open(file, {{field}}, {}, arrow::default_memory_pool());
    if (!reader.ok()) {
      ARROW_ASSIGN_OR_RAISE(auto ids, ReadColumns(storage, path, schema, {1}));
      ARROW_ASSIGN_OR_RAISE(columns.emplace_back(),
                            arrow::MakeArrayOfNull(arrow::int64(), ids[0]->length()));
      continue;
    }
    ARROW_ASSIGN_OR_RAISE(auto arrays, (*reader)->Next());
    columns.push_back(arrays[0]);
  }
  return columns;
}

arrow::Status KeepAlive(const Storage& storage, const Schema& schema, const FileTask& task,
                        const DeleteSet& deletes, Ids* alive) {
  ARROW_ASSIGN_OR_RAISE(const auto columns, ReadColumns(storage, task.file.path, schema, {1}));
  const auto& ids = arrow::internal::checked_cast<const arrow::Int64Array&>(*columns[0]);
  std::vector<uint8_t> keep(ids.length(), 1);
  for (size_t i = 0; deletes.positions != nullptr && i < keep.size(); ++i) {
    if (deletes.positions->Contains(static_cast<int64_t>(i))) keep[i] = 0;
  }
  for (const auto& equality : deletes.equality) {
    ARROW_ASSIGN_OR_RAISE(const auto keys,
                          ReadColumns(storage, task.file.path, schema, equality->field_ids()));
    arrow::FieldVector fields;
    for (const auto& key : keys) fields.push_back(arrow::field("", key->type()));
    ARROW_RETURN_NOT_OK(equality->Apply(
        *arrow::RecordBatch::Make(arrow::schema(fields), ids.length(), keys), keep.data()));
  }
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i] != 0) alive->push_back(ids.Value(static_cast<int64_t>(i)));
  }
  return arrow::Status::OK();
}

// The ids of the rows that are left in the table, ascending.
arrow::Result<Ids> AliveIds(const std::string& folder, const std::string& metadata_name) {
  const Storage plain(nullptr, {});
  ARROW_ASSIGN_OR_RAISE(const auto bytes, plain.ReadAll(folder + "/metadata/" + metadata_name));
  ARROW_ASSIGN_OR_RAISE(const auto metadata, ParseTableMetadata(ViewOf(*bytes)));
  const auto storage = std::make_shared<const Storage>(plain.WithRule(metadata.location, folder));
  const Snapshot* snapshot = metadata.FindSnapshot(*metadata.current_snapshot_id);
  ARROW_ASSIGN_OR_RAISE(auto files,
                        ListLiveFiles(metadata, *snapshot, *storage, {1, 2, kDeleteFilePathFieldId},
                                      nullptr, ScanOptions()));
  ARROW_ASSIGN_OR_RAISE(const auto index, DeleteIndex::Make(metadata, files.deletes));
  const auto schema = AllFields(metadata);
  DeleteCache cache(storage, schema, NameMapping(), nullptr, arrow::default_memory_pool());
  Ids alive;
  for (const LiveFile& file : files.data) {
    FileTask task;
    task.file = file.entry.file;
    task.sequence_number = file.entry.sequence_number;
    task.spec_id = file.spec_id;
    ARROW_RETURN_NOT_OK(index.AddTo(&task));
    ARROW_ASSIGN_OR_RAISE(const DeleteSet deletes, cache.Load(task));
    ARROW_RETURN_NOT_OK(KeepAlive(*storage, *schema, task, deletes, &alive));
  }
  std::sort(alive.begin(), alive.end());
  return alive;
}

const std::map<std::string, Ids> kAlive = {
    {"apply", {1, 3, 5}},
    {"noapply", {1, 2, 3, 4, 5}},
    {"inherit", {1, 3, 5}},
    {"wrongpath", {1, 2, 3, 4, 5}},
    {"zeropos", {2, 3, 4, 5}},
    {"v1seq", {1, 2, 3, 4, 5}},
    {"eqapply", {1, 3, 5}},
    {"eqboundary", {1, 2, 3, 4, 5}},
    {"eqmulti", {1, 2, 3, 5}},
    {"eqextra", {1, 3, 4, 5}},
    {"eqnull", {1, 2, 3, 4, 5, 7}},
    {"eqtwo", {3, 4}},
    {"eqmixed", {1, 3}},
    {"equality", {1, 2, 3, 4, 5}},
    {"eqpart_apply", {3, 4, 5}},
    {"eqpart_nomatch", {1, 2, 3, 4, 5}},
    {"eqpart_crossspec", {1, 2, 3, 4, 5}},
    {"eqstaletype", {1, 2, 3, 4, 5}},
    // By the specification an absent column reads as null; the repository refuses it.
    {"eqmissing", {1, 2, 3, 4, 5}},
    {"dvapply", {1, 3, 5}},
    {"dvnoapply", {1, 2, 3, 4, 5}},
    {"dvsupersede", {1, 3, 4, 5}},
    {"dvother", {1, 3, 4, 5, 7}},
    {"dvwide", {1, 3, 4, 5}},
    {"dvrun", {1, 2}},
    {"dvbitset", {2, 4}},
    {"dvtwo", {1, 3, 4, 5, 7}}};

const std::set<std::string> kRefused = {
    "nullpos",       "negpos",     "badseq",        "eqnoids",      "eqpart_datanospec",
    "eqtype",        "eqescape",   "eqdotdot",      "eqbigid",      "eqpart_incomparable",
    "eqnospec",      "eqnofields", "dvdup",         "dvbadcrc",     "dvbadmagic",
    "dvoffmismatch", "dvnoref",    "dvbadcount",    "dvcompressed", "dvv2",
    "dvescape",      "dvbigoff",   "dvrunoverflow", "dvdupscheme"};

TEST(DeleteCorpusTest, EveryVariantOfDeletes) {
  const char* tables = std::getenv("ESKER_TABLES");
  if (tables == nullptr) GTEST_SKIP() << "ESKER_TABLES is not set";
  const std::string folder = std::string(tables) + "/pgcolumnar/deletes_54_variants";
  for (const auto& [variant, ids] : kAlive) {
    const auto alive = AliveIds(folder, variant + ".metadata.json");
    EXPECT_TRUE(alive.ok()) << variant << ": " << alive.status().message();
    EXPECT_EQ(alive.ValueOr({}), ids) << variant;
  }
  for (const std::string& variant : kRefused) {
    const auto alive = AliveIds(folder, variant + ".metadata.json");
    EXPECT_FALSE(alive.ok()) << variant;
    std::cout << variant << ": " << alive.status().message() << "\n";
  }
}

}  // namespace
}  // namespace esker
