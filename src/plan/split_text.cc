#include "plan/split_text.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/byte_order.h"
#include "base/status.h"
#include "base/utf8.h"
#include "fmt/format.h"
#include "format/hex_text.h"
#include "format/json_node.h"

namespace esker {
namespace {

using Json = nlohmann::json;  // members sorted by name: the checksum does not depend on their order
using Kind = HalfRank::Kind;

constexpr int64_t kVersion = 1;
constexpr const char* kVersionMember = "esker_split";
constexpr const char* kChecksumMember = "crc32";

constexpr std::array<const char*, 18> kMembers = {
    "esker_split",  "crc32",           "metadata_file",  "table_folder", "snapshot_id",
    "schema_id",    "number",          "count",          "keys",         "ordered",
    "assume_order", "where",           "columns",        "on_disorder",  "use_bounds",
    "prune_files",  "prune_manifests", "estimated_rows",
};
constexpr std::array<const char*, 3> kPartMembers = {"lower", "upper", "files"};

// ---- writing ----

std::string Hex(uint64_t word) { return fmt::format("{:016x}", word); }

Json TextJson(const std::string& text) {
  if (IsUtf8(text)) return text;
  return {{"hex", FormatHex(text)}};
}

Json KeysJson(const std::vector<PinnedKey>& keys) {
  Json list = Json::array();
  for (const PinnedKey& key : keys) {
    list.push_back({{"field_id", key.field_id},
                    {"transform", TextJson(key.transform.text)},
                    {"descending", key.descending},
                    {"nulls_first", key.nulls_first}});
  }
  return list;
}

Json ValueJson(const Value& value) {
  if (const auto* x = std::get_if<bool>(&value)) return {{"boolean", *x}};
  if (const auto* x = std::get_if<int64_t>(&value)) return {{"integer", *x}};
  if (const auto* x = std::get_if<double>(&value)) {
    return {{"float", Hex(std::bit_cast<uint64_t>(*x))}};
  }
  if (const auto* x = std::get_if<int128_t>(&value)) {
    const auto bits = static_cast<uint128_t>(*x);
    return {{"decimal", Hex(static_cast<uint64_t>(bits >> 64)) + Hex(static_cast<uint64_t>(bits))}};
  }
  return {{"bytes", FormatHex(std::get<std::string>(value))}};
}

Json RankJson(const HalfRank& rank) {
  if (rank.kind == Kind::kValue) return ValueJson(rank.value);
  return {{"null", rank.kind == Kind::kNullFirst ? "first" : "last"}};
}

Json CutJson(const Corner& cut) {
  Json list = Json::array();
  for (const HalfRank& rank : cut) list.push_back(RankJson(rank));
  return list;
}

Json ColumnsJson(const SplitSpec& spec) {
  if (!spec.columns) return Json();
  Json list = Json::array();
  for (const std::string& column : *spec.columns) list.push_back(TextJson(column));
  return list;
}

// Of the object without its checksum, in the one way in which sorted members are printed.
std::string Checksum(Json json) {
  json.erase(kChecksumMember);
  const std::string text = json.dump();
  const uLong crc = crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size());
  return fmt::format("{:08x}", static_cast<uint32_t>(crc));
}

// ---- reading ----

arrow::Result<std::string> FromHex(const JsonNode& node, std::string_view text) {
  auto bytes = ParseHex(text);
  if (!bytes) return node.Error("must be hexadecimal bytes");
  return *std::move(bytes);
}

arrow::Result<std::string> HexOfWidth(const JsonNode& node, size_t width) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, node.AsString());
  ARROW_ASSIGN_OR_RAISE(std::string bytes, FromHex(node, text));
  if (bytes.size() != width) return node.Error(fmt::format("must have {} bytes", width));
  return bytes;
}

arrow::Status CheckMembers(const JsonNode& node, std::vector<std::string_view> known) {
  ARROW_RETURN_NOT_OK(node.CheckObject());
  for (const auto& [name, value] : node.value().items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      return node.Error("has an unknown member '" + name + "'");
    }
  }
  for (const std::string_view name : known) {
    if (!node.value().contains(name)) {
      return node.Error("has no member '" + std::string(name) + "'");
    }
  }
  return arrow::Status::OK();
}

arrow::Result<std::string> TextOf(const JsonNode& node) {
  if (!node.value().is_object()) return node.AsString();
  ARROW_RETURN_NOT_OK(CheckMembers(node, {"hex"}));
  ARROW_ASSIGN_OR_RAISE(const JsonNode hex, node.Get("hex"));
  ARROW_ASSIGN_OR_RAISE(const std::string text, hex.AsString());
  return FromHex(hex, text);
}

arrow::Result<std::string> GetText(const JsonNode& node, std::string_view member) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode text, node.Get(member));
  return TextOf(text);
}

arrow::Result<PinnedKey> KeyOf(const JsonNode& node) {
  ARROW_RETURN_NOT_OK(CheckMembers(node, {"field_id", "transform", "descending", "nulls_first"}));
  PinnedKey key;
  ARROW_ASSIGN_OR_RAISE(key.field_id, node.GetInt32("field_id"));
  ARROW_ASSIGN_OR_RAISE(const std::string transform, GetText(node, "transform"));
  key.transform = ParseTransform(transform);
  ARROW_ASSIGN_OR_RAISE(key.descending, node.GetBool("descending"));
  ARROW_ASSIGN_OR_RAISE(key.nulls_first, node.GetBool("nulls_first"));
  return key;
}

arrow::Result<std::vector<PinnedKey>> GetKeys(const JsonNode& node, std::string_view member) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode list, node.Get(member));
  ARROW_RETURN_NOT_OK(list.CheckArray());
  std::vector<PinnedKey> keys;
  for (size_t i = 0; i < list.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(keys.emplace_back(), KeyOf(list.At(i)));
  }
  return keys;
}

arrow::Result<Value> ValueOf(const JsonNode& node, const std::string& kind) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode value, node.Get(kind));
  if (kind == "boolean") return value.AsBool();
  if (kind == "integer") return value.AsInt64();
  if (kind == "float") {
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, HexOfWidth(value, 8));
    return std::bit_cast<double>(static_cast<uint64_t>(LoadBigEndian<uint128_t>(bytes)));
  }
  if (kind == "decimal") {
    ARROW_ASSIGN_OR_RAISE(const std::string bytes, HexOfWidth(value, 16));
    return static_cast<int128_t>(LoadBigEndian<uint128_t>(bytes));
  }
  if (kind != "bytes") return node.Error("has an unknown member '" + kind + "'");
  ARROW_ASSIGN_OR_RAISE(const std::string text, value.AsString());
  return FromHex(value, text);
}

arrow::Result<HalfRank> RankOf(const JsonNode& node, const PinnedKey& key) {
  ARROW_RETURN_NOT_OK(node.CheckObject());
  if (node.size() != 1) return node.Error("must have one member");
  const std::string kind = node.value().begin().key();
  if (kind != "null") {
    ARROW_ASSIGN_OR_RAISE(Value value, ValueOf(node, kind));
    return HalfRank{Kind::kValue, std::move(value)};
  }
  ARROW_ASSIGN_OR_RAISE(const std::string place, node.GetString("null"));
  if (place != (key.nulls_first ? "first" : "last")) {
    return node.Error("puts null where its key does not");
  }
  return HalfRank{key.nulls_first ? Kind::kNullFirst : Kind::kNullLast, Value{}};
}

arrow::Result<Corner> GetCut(const JsonNode& node, std::string_view member,
                             const std::vector<PinnedKey>& keys) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode list, node.Get(member));
  ARROW_RETURN_NOT_OK(list.CheckArray());
  if (list.size() > keys.size()) return list.Error("has more values than there are keys");
  Corner cut;
  for (size_t i = 0; i < list.size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(cut.emplace_back(), RankOf(list.At(i), keys[i]));
  }
  return cut;
}

arrow::Result<FileStretch> GetFiles(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const JsonNode files, node.Get("files"));
  ARROW_RETURN_NOT_OK(CheckMembers(files, {"begin", "end", "total"}));
  FileStretch stretch;
  ARROW_ASSIGN_OR_RAISE(stretch.begin, files.GetInt64("begin"));
  ARROW_ASSIGN_OR_RAISE(stretch.end, files.GetInt64("end"));
  ARROW_ASSIGN_OR_RAISE(stretch.total, files.GetInt64("total"));
  if (stretch.begin < 0 || stretch.begin > stretch.end || stretch.end > stretch.total) {
    return files.Error("is no stretch of the files");
  }
  return stretch;
}

arrow::Result<std::optional<std::vector<std::string>>> GetColumns(const JsonNode& node) {
  const auto list = node.Find("columns");
  if (!list) return std::nullopt;
  ARROW_RETURN_NOT_OK(list->CheckArray());
  std::vector<std::string> columns;
  for (size_t i = 0; i < list->size(); ++i) {
    ARROW_ASSIGN_OR_RAISE(columns.emplace_back(), TextOf(list->At(i)));
  }
  return columns;
}

arrow::Result<OnDisorder> GetOnDisorder(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const std::string text, node.GetString("on_disorder"));
  if (text == "error") return OnDisorder::kError;
  if (text == "sort") return OnDisorder::kSort;
  return node.Error("on_disorder must be 'error' or 'sort'");
}

// The version comes first: all else may mean something different in another one.
arrow::Status CheckVersion(const JsonNode& node) {
  ARROW_RETURN_NOT_OK(node.CheckObject());
  ARROW_ASSIGN_OR_RAISE(const int64_t version, node.GetInt64(kVersionMember));
  if (version == kVersion) return arrow::Status::OK();
  return node.Error(
      fmt::format("is of version {}; this Esker reads version {}", version, kVersion));
}

arrow::Status CheckChecksum(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const std::string checksum, node.GetString(kChecksumMember));
  if (checksum == Checksum(node.value())) return arrow::Status::OK();
  return node.Error("does not match its checksum: it was changed on its way");
}

arrow::Status CheckAllMembers(const JsonNode& node) {
  ARROW_ASSIGN_OR_RAISE(const bool ordered, node.GetBool("ordered"));
  std::vector<std::string_view> members(kMembers.begin(), kMembers.end());
  if (ordered) {
    members.insert(members.end(), kPartMembers.begin(), kPartMembers.end() - 1);
  } else {
    members.push_back(kPartMembers.back());
  }
  return CheckMembers(node, std::move(members));
}

arrow::Status ReadPart(const JsonNode& node, SplitSpec* spec) {
  if (!spec->ordered) {
    ARROW_ASSIGN_OR_RAISE(spec->files, GetFiles(node));
    return arrow::Status::OK();
  }
  if (spec->keys.empty()) return node.Error("is ordered and has no keys");
  ARROW_ASSIGN_OR_RAISE(spec->slice.lower, GetCut(node, "lower", spec->keys));
  ARROW_ASSIGN_OR_RAISE(spec->slice.upper, GetCut(node, "upper", spec->keys));
  return arrow::Status::OK();
}

arrow::Status ReadPlace(const JsonNode& node, SplitSpec* spec) {
  ARROW_ASSIGN_OR_RAISE(spec->metadata_file, GetText(node, "metadata_file"));
  ARROW_ASSIGN_OR_RAISE(spec->table_folder, GetText(node, "table_folder"));
  ARROW_ASSIGN_OR_RAISE(spec->snapshot_id, node.FindInt64("snapshot_id"));
  ARROW_ASSIGN_OR_RAISE(spec->schema_id, node.GetInt32("schema_id"));
  ARROW_ASSIGN_OR_RAISE(spec->number, node.GetInt32("number"));
  ARROW_ASSIGN_OR_RAISE(spec->count, node.GetInt32("count"));
  ARROW_ASSIGN_OR_RAISE(spec->estimated_rows, node.GetInt64("estimated_rows"));
  if (spec->number < 0 || spec->number >= spec->count) return node.Error("has a wrong number");
  return arrow::Status::OK();
}

arrow::Status ReadRequest(const JsonNode& node, SplitSpec* spec) {
  ARROW_ASSIGN_OR_RAISE(spec->keys, GetKeys(node, "keys"));
  ARROW_ASSIGN_OR_RAISE(spec->ordered, node.GetBool("ordered"));
  ARROW_ASSIGN_OR_RAISE(spec->assume_order, GetKeys(node, "assume_order"));
  ARROW_ASSIGN_OR_RAISE(spec->where, GetText(node, "where"));
  ARROW_ASSIGN_OR_RAISE(spec->columns, GetColumns(node));
  ARROW_ASSIGN_OR_RAISE(spec->on_disorder, GetOnDisorder(node));
  ARROW_ASSIGN_OR_RAISE(spec->use_bounds, node.GetBool("use_bounds"));
  ARROW_ASSIGN_OR_RAISE(spec->prune_manifests, node.GetBool("prune_manifests"));
  ARROW_ASSIGN_OR_RAISE(spec->prune_files, node.GetBool("prune_files"));
  return arrow::Status::OK();
}

arrow::Result<SplitSpec> ParseSplit(std::string_view text) {
  ARROW_ASSIGN_OR_RAISE(const Json json, ParseJson(text));
  const JsonNode node(json);
  ARROW_RETURN_NOT_OK(CheckVersion(node));
  ARROW_RETURN_NOT_OK(CheckChecksum(node));
  ARROW_RETURN_NOT_OK(CheckAllMembers(node));
  SplitSpec spec;
  ARROW_RETURN_NOT_OK(ReadPlace(node, &spec));
  ARROW_RETURN_NOT_OK(ReadRequest(node, &spec));
  ARROW_RETURN_NOT_OK(ReadPart(node, &spec));
  return spec;
}

}  // namespace

std::string SplitToText(const SplitSpec& spec) {
  Json json = {{kVersionMember, kVersion},
               {"metadata_file", TextJson(spec.metadata_file)},
               {"table_folder", TextJson(spec.table_folder)},
               {"snapshot_id", spec.snapshot_id ? Json(*spec.snapshot_id) : Json()},
               {"schema_id", spec.schema_id},
               {"number", spec.number},
               {"count", spec.count},
               {"estimated_rows", spec.estimated_rows},
               {"keys", KeysJson(spec.keys)},
               {"ordered", spec.ordered},
               {"assume_order", KeysJson(spec.assume_order)},
               {"where", TextJson(spec.where)},
               {"columns", ColumnsJson(spec)},
               {"on_disorder", spec.on_disorder == OnDisorder::kSort ? "sort" : "error"},
               {"use_bounds", spec.use_bounds},
               {"prune_manifests", spec.prune_manifests},
               {"prune_files", spec.prune_files}};
  if (spec.ordered) {
    json["lower"] = CutJson(spec.slice.lower);
    json["upper"] = CutJson(spec.slice.upper);
  } else {
    json["files"] = {
        {"begin", spec.files.begin}, {"end", spec.files.end}, {"total", spec.files.total}};
  }
  json[kChecksumMember] = Checksum(json);
  return json.dump();
}

arrow::Result<SplitSpec> SplitFromText(std::string_view text) {
  auto spec = ParseSplit(text);
  if (spec.ok()) return spec;
  return UsageError("text of a split: ", spec.status().message());
}

}  // namespace esker
