#include "catalog/storage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "arrow/buffer.h"
#include "arrow/filesystem/mockfs.h"
#include "arrow/io/interfaces.h"
#include "arrow/testing/gtest_util.h"
#include "arrow/util/future.h"
#include "base/status.h"

namespace esker {
namespace {

using ::testing::HasSubstr;

std::string Resolved(const Storage& storage, std::string_view location) {
  const auto path = storage.Resolve(location);
  return path.ok() ? *path : "error: " + path.status().message();
}

class TempFolder {
 public:
  TempFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "esker_storage_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~TempFolder() { std::filesystem::remove_all(path_); }
  std::string Write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
    return path_ + "/" + name;
  }

 private:
  std::string path_;
};

TEST(LocalPathOfTest, AllSpellingsOfALocalPathAreOne) {
  for (const char* location :
       {"/p/q", "file:/p/q", "file:///p/q", "file://localhost/p/q", "FILE:///p/q"}) {
    EXPECT_EQ(LocalPathOf(location), "/p/q") << location;
  }
  EXPECT_EQ(LocalPathOf("s3://p/q"), "s3://p/q");
  EXPECT_EQ(LocalPathOf("file://host/p"), "file://host/p");
  EXPECT_EQ(LocalPathOf("file"), "file");
  EXPECT_EQ(LocalPathOf("files:/p"), "files:/p");
  EXPECT_EQ(LocalPathOf(""), "");
}

TEST(SchemeOfTest, OnlyWhatStandsBeforeTheFirstSlashes) {
  EXPECT_EQ(SchemeOf("s3a://bucket/key"), "s3a");
  EXPECT_EQ(SchemeOf("file:/p"), "file");
  EXPECT_EQ(SchemeOf("/warehouse/x://y"), "");
  EXPECT_EQ(SchemeOf("a:b/c"), "");
  EXPECT_EQ(SchemeOf("://x"), "");
}

TEST(StorageTest, PathsWithoutARuleAreTakenAsTheyAre) {
  const Storage storage(nullptr, {});
  EXPECT_EQ(Resolved(storage, "/w/t/data/a.parquet"), "/w/t/data/a.parquet");
  EXPECT_EQ(Resolved(storage, "file:/w/t/a"), "/w/t/a");
  EXPECT_EQ(Resolved(storage, "file:///w/t/a"), "/w/t/a");
  EXPECT_EQ(Resolved(storage, "warehouse/t/a"), "warehouse/t/a");
}

// Report 115, iceberg#10283: nothing in a path is a fragment, a query or an escape.
TEST(StorageTest, OddCharactersMeanThemselves) {
  const Storage storage(nullptr, {});
  EXPECT_EQ(Resolved(storage, "file:///w/p=a#b?c=%20 d/é..x"), "/w/p=a#b?c=%20 d/é..x");
}

TEST(StorageTest, ARuleMatchesWholeSegmentsInEverySpelling) {
  const Storage storage(nullptr, {{"file:/w/t/", "/copy/t/"}});
  for (const char* location : {"/w/t/a", "file:/w/t/a", "file:///w/t/a"}) {
    EXPECT_EQ(Resolved(storage, location), "/copy/t/a") << location;
  }
  EXPECT_EQ(Resolved(storage, "/w/t"), "/copy/t");
  EXPECT_EQ(Resolved(storage, "/w/t2/a"), "/w/t2/a");
  EXPECT_EQ(Resolved(storage, "/w"), "/w");
}

TEST(StorageTest, TheLongestPrefixWinsAndTheUsersRuleComesFirst) {
  const Storage storage(nullptr, {{"s3://b", "/b"}, {"s3://b/w/t", "/user"}});
  EXPECT_EQ(Resolved(storage.WithRule("s3://b/w", "/w"), "s3://b/w/x"), "/w/x");
  EXPECT_EQ(Resolved(storage.WithRule("s3://b/w", "/w"), "s3://b/w/t/x"), "/user/x");
  EXPECT_EQ(Resolved(storage.WithRule("s3://b/w/t", "/found"), "s3://b/w/t/x"), "/user/x");
  EXPECT_EQ(Resolved(storage.WithRule("s3://b/w/t", "/found"), "s3://b/x"), "/b/x");
}

TEST(StorageTest, RelativeLocationsAndWholeStoragesCanBeMapped) {
  EXPECT_EQ(Resolved(Storage(nullptr, {{"data/persistent/t", "."}}), "data/persistent/t/m/a"),
            "./m/a");
  EXPECT_EQ(Resolved(Storage(nullptr, {{"/", "/mnt"}}), "/w/t"), "/mnt/w/t");
  EXPECT_EQ(Resolved(Storage(nullptr, {{"s3://", ""}}), "s3://b/w/t"), "b/w/t");
  EXPECT_EQ(Resolved(Storage(nullptr, {{"s3://b", "/"}}), "s3://b/w/t"), "/w/t");
  EXPECT_EQ(Resolved(Storage(nullptr, {{"", "/mnt"}}), "/w/t"), "/w/t");
}

TEST(StorageTest, AnotherStorageIsRefused) {
  const Storage storage(nullptr, {{"s3://b", "gs://c"}});
  for (const char* location : {"s3://x/a", "s3://b/a", "hdfs://n:1/a", "file://host/a"}) {
    const auto path = storage.Resolve(location);
    ASSERT_FALSE(path.ok()) << location;
    EXPECT_EQ(KindOf(path.status()), ErrorKind::kUnsupported) << location;
    EXPECT_THAT(path.status().message(), HasSubstr(location));
  }
}

TEST(StorageTest, LocationsThatLeadElsewhereAreInvalid) {
  const Storage storage(nullptr, {{"/w/t", "../copy"}});
  EXPECT_EQ(Resolved(storage, "/w/t/a"), "../copy/a");
  for (const std::string& location :
       {std::string(), std::string("/w/t/../../etc/passwd"), std::string(".."),
        std::string("/w/t/.."), std::string("/w/t\0/a", 7)}) {
    const auto path = storage.Resolve(location);
    ASSERT_FALSE(path.ok()) << location;
    EXPECT_TRUE(path.status().IsInvalid()) << location;
  }
}

TEST(StorageTest, OpenFindsOddNames) {
  const TempFolder folder;
  const std::string path = folder.Write("a#b?c=%20 d", "12345");
  ASSERT_OK_AND_ASSIGN(auto buffer, Storage(nullptr, {}).ReadAll("file://" + path));
  EXPECT_EQ(buffer->ToString(), "12345");
}

TEST(StorageTest, OpenNamesLocationAndPath) {
  const Storage storage(nullptr, {{"s3://b", "/nowhere/at/all"}});
  const auto file = storage.Open("s3://b/a.parquet");
  ASSERT_FALSE(file.ok());
  EXPECT_TRUE(file.status().IsIOError());
  EXPECT_EQ(KindOf(file.status()), ErrorKind::kFailure);
  EXPECT_THAT(file.status().message(), HasSubstr("'s3://b/a.parquet'"));
  EXPECT_THAT(file.status().message(), HasSubstr("'/nowhere/at/all/a.parquet'"));
}

TEST(StorageTest, ReadsAreCounted) {
  const TempFolder folder;
  const std::string path = folder.Write("a", "0123456789");
  const auto counters = std::make_shared<ScanCounters>();
  ASSERT_OK_AND_ASSIGN(auto file, Storage(nullptr, {}).Open(path, counters));
  char out[16];
  ASSERT_OK_AND_ASSIGN(int64_t read, file->ReadAt(2, 3, out));
  EXPECT_EQ(read, 3);
  ASSERT_OK_AND_ASSIGN(read, file->ReadAt(8, 8, out));
  EXPECT_EQ(read, 2);
  ASSERT_OK(file->ReadAt(0, 4).status());
  ASSERT_OK(file->Seek(0));
  ASSERT_OK(file->Read(1).status());
  ASSERT_OK(file->Read(1, out).status());
  const auto pending = file->ReadAsync(file->io_context(), 5, 5);  // owns what result() refers to
  ASSERT_OK_AND_ASSIGN(auto buffer, pending.result());
  EXPECT_EQ(buffer->ToString(), "56789");
  EXPECT_EQ(counters->requests, 6);
  EXPECT_EQ(counters->bytes_read, 3 + 2 + 4 + 1 + 1 + 5);
  ASSERT_OK(file->Close());
  EXPECT_TRUE(file->closed());
}

TEST(StorageTest, ReadAllHasALimit) {
  const TempFolder folder;
  const std::string path = folder.Write("a", "0123456789");
  const Storage storage(nullptr, {});
  const auto counters = std::make_shared<ScanCounters>();
  ASSERT_OK_AND_ASSIGN(auto buffer, storage.ReadAll(path, 10, counters));
  EXPECT_EQ(buffer->ToString(), "0123456789");
  EXPECT_EQ(counters->requests, 1);
  EXPECT_TRUE(storage.ReadAll(path, 9).status().IsInvalid());
}

TEST(StorageTest, WhatTheUserNamesMayLeadUpwards) {
  const TempFolder folder;
  const std::string path = folder.Write("a", "0123456789");
  const std::string around = path.substr(0, path.rfind('/')) + "/../" +
                             path.substr(path.rfind('/', path.rfind('/') - 1) + 1);
  const Storage storage(nullptr, {});
  ASSERT_OK_AND_ASSIGN(auto buffer, storage.ReadNamed(around, 10));
  EXPECT_EQ(buffer->ToString(), "0123456789");
  EXPECT_TRUE(storage.ReadNamed(around, 9).status().IsInvalid());
  EXPECT_TRUE(storage.ReadAll(around).status().IsInvalid());
}

TEST(StorageTest, AnotherFileSystemServesPaths) {
  auto mock = std::make_shared<arrow::fs::internal::MockFileSystem>(arrow::fs::kNoTime);
  ASSERT_OK(mock->CreateFile("w/t/a", "text"));
  const Storage storage(mock, {{"s3://", ""}});
  ASSERT_OK_AND_ASSIGN(auto buffer, storage.ReadAll("s3://w/t/a"));
  EXPECT_EQ(buffer->ToString(), "text");
}

}  // namespace
}  // namespace esker
