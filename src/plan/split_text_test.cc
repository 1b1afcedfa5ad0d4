// Split text: what goes in comes out, to the last bit; what was changed on its way does not.
#include "plan/split_text.h"

#include <zlib.h>

#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/status.h"
#include "fmt/format.h"
#include "nlohmann/json.hpp"
#include "testing/random_keys.h"
#include "testing/seed.h"

namespace esker {
namespace {

using nlohmann::json;
using testing::Draw;
using Kind = HalfRank::Kind;

PinnedKey KeyOn(int32_t field_id, bool nulls_first = true) {
  return {field_id, ParseTransform("identity"), false, nulls_first};
}

SplitSpec Sample() {
  SplitSpec spec;
  spec.metadata_file = "/warehouse/db/t/metadata/v3.metadata.json";
  spec.table_folder = "/copy of/t";
  spec.snapshot_id = -7000000000000000001;
  spec.schema_id = 4;
  spec.number = 1;
  spec.count = 3;
  spec.estimated_rows = 1234567890123;
  spec.keys = {KeyOn(1), {7, ParseTransform("truncate[4]"), true, false}};
  spec.ordered = true;
  spec.assume_order = {KeyOn(2)};
  spec.where = "name = 'Zoë \"x\"'";
  spec.columns = {{"a.b", "ü"}};
  spec.on_disorder = OnDisorder::kSort;
  spec.prune_files = false;
  spec.slice.lower = {{Kind::kValue, Value(int64_t{5})}};
  spec.slice.upper = {{Kind::kNullFirst, {}}, {Kind::kValue, Value(std::string("x"))}};
  return spec;
}

bool SameBits(const Value& a, const Value& b) {
  if (a.index() != b.index()) return false;
  if (const auto* x = std::get_if<double>(&a)) {
    return std::bit_cast<uint64_t>(*x) == std::bit_cast<uint64_t>(std::get<double>(b));
  }
  return a == b;
}

void ExpectSameCut(const Corner& a, const Corner& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].kind, b[i].kind);
    EXPECT_TRUE(SameBits(a[i].value, b[i].value));
  }
}

void ExpectSame(const SplitSpec& a, const SplitSpec& b) {
  EXPECT_EQ(a.metadata_file, b.metadata_file);
  EXPECT_EQ(a.table_folder, b.table_folder);
  EXPECT_EQ(a.snapshot_id, b.snapshot_id);
  EXPECT_EQ(a.schema_id, b.schema_id);
  EXPECT_EQ(a.number, b.number);
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.estimated_rows, b.estimated_rows);
  EXPECT_EQ(a.keys, b.keys);
  EXPECT_EQ(a.ordered, b.ordered);
  EXPECT_EQ(a.assume_order, b.assume_order);
  EXPECT_EQ(a.where, b.where);
  EXPECT_EQ(a.columns, b.columns);
  EXPECT_EQ(a.on_disorder, b.on_disorder);
  EXPECT_EQ(a.use_bounds, b.use_bounds);
  EXPECT_EQ(a.prune_manifests, b.prune_manifests);
  EXPECT_EQ(a.prune_files, b.prune_files);
  EXPECT_EQ(a.files, b.files);
  ExpectSameCut(a.slice.lower, b.slice.lower);
  ExpectSameCut(a.slice.upper, b.slice.upper);
}

void ExpectRoundTrip(const SplitSpec& spec) {
  const std::string text = SplitToText(spec);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  const auto back = SplitFromText(text);
  ASSERT_TRUE(back.ok()) << back.status().ToString() << "\n" << text;
  ExpectSame(spec, *back);
  EXPECT_EQ(SplitToText(*back), text);
}

TEST(SplitText, WholeSpecsComeBack) {
  ExpectRoundTrip(Sample());
  SplitSpec spec = Sample();
  spec.snapshot_id.reset();
  spec.columns.reset();
  spec.slice = {};
  ExpectRoundTrip(spec);
  spec.ordered = false;
  spec.keys.clear();
  spec.files = {3, 9, 1'000'000};
  spec.columns = {std::vector<std::string>{}};
  spec.use_bounds = false;
  spec.prune_manifests = false;
  spec.on_disorder = OnDisorder::kError;
  ExpectRoundTrip(spec);
}

TEST(SplitText, EveryKeyTypeToTheLastBit) {
  int values = 0;
  for (const std::string& type : testing::KeyTypeNames()) {
    for (const Value& value : testing::PoolOf(testing::MakeKey(type).type)) {
      if (IsNull(value)) continue;
      SplitSpec spec = Sample();
      spec.slice.lower = {{Kind::kValue, value}};
      ExpectRoundTrip(spec);
      ++values;
    }
  }
  EXPECT_GT(values, 60);
}

TEST(SplitText, OddValues) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const int128_t least = static_cast<int128_t>(static_cast<uint128_t>(1) << 127);
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const Value& value : std::vector<Value>{
           -0.0, 0.0, nan, -nan, std::bit_cast<double>(0x7ff0000000000001u),
           std::numeric_limits<double>::denorm_min(), -std::numeric_limits<double>::infinity(),
           least, int128_t{-1}, ~least, std::numeric_limits<int64_t>::min(),
           std::numeric_limits<int64_t>::max(), true, false, std::string(), bytes}) {
    SplitSpec spec = Sample();
    spec.slice.upper = {{Kind::kValue, value}, {Kind::kNullLast, {}}};
    ExpectRoundTrip(spec);
  }
}

TEST(SplitText, StringsThatAreNoUtf8) {
  SplitSpec spec = Sample();
  spec.metadata_file = "/data\xff/\xc3\x28";
  spec.where = std::string("b = 'a\0\x80'", 9);
  spec.columns = {{"\xed\xa0\x80", "ok"}};
  spec.keys[1].transform = ParseTransform("bucket[\xff]");
  ExpectRoundTrip(spec);
}

// ---- what is not right ----

void ExpectRefused(const std::string& text, const std::string& word) {
  const auto split = SplitFromText(text);
  ASSERT_FALSE(split.ok()) << text;
  EXPECT_EQ(KindOf(split.status()), ErrorKind::kUsage) << split.status().ToString();
  EXPECT_NE(split.status().message().find(word), std::string::npos) << split.status().ToString();
}

// A text with that change and a checksum that fits it.
std::string Changed(const std::function<void(json&)>& change, const SplitSpec& spec = Sample()) {
  json text = json::parse(SplitToText(spec));
  text.erase("crc32");
  change(text);
  const std::string bytes = text.dump();
  const auto crc =
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(bytes.size()));
  text["crc32"] = fmt::format("{:08x}", static_cast<uint32_t>(crc));
  return text.dump();
}

TEST(SplitText, TheHelperOfTheseTestsIsHonest) {
  ExpectSame(Sample(), SplitFromText(Changed([](json&) {})).ValueOrDie());
}

TEST(SplitText, MalformedTextIsRefusedInWords) {
  ExpectRefused("", "not JSON");
  ExpectRefused("{", "not JSON");
  ExpectRefused("[]", "must be an object");
  ExpectRefused("{}", "esker_split: is missing");
  ExpectRefused(std::string(100000, '['), "nested too deeply");
  ExpectRefused(Changed([](json& t) { t["esker_split"] = 2; }), "version 2");
  ExpectRefused(Changed([](json& t) { t["esker_split"] = "1"; }), "must be an integer");
  ExpectRefused(Changed([](json& t) { t["upper_cut"] = 1; }), "unknown member 'upper_cut'");
  ExpectRefused(Changed([](json& t) { t["files"] = {}; }), "unknown member 'files'");
  ExpectRefused(Changed([](json& t) { t["number"] = 3; }), "number");
  ExpectRefused(Changed([](json& t) { t["number"] = -1; }), "number");
  ExpectRefused(Changed([](json& t) { t["schema_id"] = 1LL << 40; }), "schema_id");
  ExpectRefused(Changed([](json& t) { t["on_disorder"] = "ignore"; }), "on_disorder");
  ExpectRefused(Changed([](json& t) { t["keys"] = json::array(); }), "no keys");
  ExpectRefused(Changed([](json& t) { t["keys"][0]["desc"] = true; }), "unknown member 'desc'");
  ExpectRefused(Changed([](json& t) { t["keys"][0].erase("field_id"); }), "keys[0]");
  ExpectRefused(Changed([](json& t) { t["where"] = 5; }), "where");
  ExpectRefused(Changed([](json& t) { t["where"] = {{"hex", "0"}}; }), "hexadecimal");
  ExpectRefused(Changed([](json& t) { t["columns"] = "a"; }), "columns");
}

TEST(SplitText, EveryMemberIsNeeded) {
  SplitSpec by_files = Sample();
  by_files.ordered = false;
  for (const SplitSpec& spec : {Sample(), by_files}) {
    const json whole = json::parse(SplitToText(spec));
    for (const auto& [name, value] : whole.items()) {
      const auto text = Changed([&, key = name](json& t) { t.erase(key); }, spec);
      if (name != "crc32") ExpectRefused(text, name);
    }
    json text = whole;
    text.erase("crc32");
    ExpectRefused(text.dump(), "crc32");
  }
}

TEST(SplitText, CutsThatAreNone) {
  ExpectRefused(Changed([](json& t) { t["lower"] = 5; }), "lower");
  ExpectRefused(Changed([](json& t) { t["lower"] = {1, 2, 3}; }), "more values than");
  const auto with = [](const json& rank) {
    return Changed([&](json& t) { t["lower"][0] = rank; });
  };
  ExpectRefused(with(5), "lower[0]");
  ExpectRefused(with(json::object()), "one member");
  ExpectRefused(with({{"integer", 1}, {"float", "00"}}), "one member");
  ExpectRefused(with({{"integer", "1"}}), "lower[0].integer");
  ExpectRefused(with({{"integer", 1e300}}), "lower[0].integer");
  ExpectRefused(with({{"float", "7ff8"}}), "8 bytes");
  ExpectRefused(with({{"float", 1.5}}), "lower[0].float");
  ExpectRefused(with({{"decimal", "zz"}}), "hexadecimal");
  ExpectRefused(with({{"bytes", "+1"}}), "hexadecimal");
  ExpectRefused(with({{"bytes", "abc"}}), "hexadecimal");
  ExpectRefused(with({{"text", "abc"}}), "unknown member 'text'");
  ExpectRefused(with({{"null", "last"}}), "null");
}

TEST(SplitText, StretchesThatAreNone) {
  SplitSpec spec = Sample();
  spec.ordered = false;
  spec.files = {1, 2, 3};
  const std::vector<std::pair<const char*, int64_t>> changes = {
      {"begin", -1}, {"begin", 3}, {"end", 0}, {"end", 4}, {"total", 1}};
  for (const auto& [member, value] : changes) {
    ExpectRefused(Changed([&](json& t) { t["files"][member] = value; }, spec), "files");
  }
}

// A byte that is lost or changed is noticed, or makes no difference (a blank, an escape).
TEST(SplitText, DamageIsNoticed) {
  const std::string text = SplitToText(Sample());
  auto random = testing::MakeRandom(41);
  for (size_t length = 0; length < text.size(); ++length) {
    ExpectRefused(text.substr(0, length), "");
  }
  for (int round = 0; round < 5000; ++round) {
    std::string damaged = text;
    for (int64_t i = Draw(random, 1, 3); i > 0; --i) {
      damaged[Draw(random, 0, std::ssize(text) - 1)] = static_cast<char>(Draw(random, 0, 255));
    }
    const auto split = SplitFromText(damaged);
    if (split.ok()) {
      ExpectSame(Sample(), *split);
    } else {
      EXPECT_EQ(KindOf(split.status()), ErrorKind::kUsage) << split.status().ToString();
    }
  }
}

TEST(SplitText, BlanksAndTheOrderOfMembersDoNotMatter) {
  const nlohmann::ordered_json text = nlohmann::ordered_json::parse(SplitToText(Sample()));
  nlohmann::ordered_json turned;
  for (auto member = text.rbegin(); member != text.rend(); ++member) {
    turned[member.key()] = member.value();
  }
  ExpectSame(Sample(), SplitFromText(turned.dump(4)).ValueOrDie());
}

}  // namespace
}  // namespace esker
