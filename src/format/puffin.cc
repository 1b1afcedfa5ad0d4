#include "format/puffin.h"

#include <optional>

#include "arrow/status.h"
#include "arrow/util/compression.h"
#include "base/byte_reader.h"
#include "base/status.h"
#include "format/json_node.h"
#include "nlohmann/json.hpp"

namespace esker {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kMagic = "PFA1";
constexpr uint32_t kFooterIsCompressed = 1;
constexpr size_t kMaxFooterBytes = 64 << 20;

std::optional<int64_t> LongAt(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number_integer()) return std::nullopt;
  return it->get<int64_t>();
}

std::string StringAt(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it != object.end() && it->is_string() ? it->get<std::string>() : std::string();
}

std::map<std::string, std::string> PropertiesOf(const Json& object) {
  std::map<std::string, std::string> properties;
  const auto it = object.find("properties");
  if (it == object.end() || !it->is_object()) return properties;
  for (const auto& [key, value] : it->items()) {
    if (value.is_string()) properties[key] = value.get<std::string>();
  }
  return properties;
}

arrow::Result<std::string> InflateLz4(std::string_view packed) {
  ARROW_ASSIGN_OR_RAISE(auto codec, arrow::util::Codec::Create(arrow::Compression::LZ4_FRAME));
  ARROW_ASSIGN_OR_RAISE(auto decompressor, codec->MakeDecompressor());
  std::string inflated;
  size_t used = 0;
  while (!decompressor->IsFinished()) {
    if (used == inflated.size()) inflated.resize(std::max<size_t>(64 << 10, 2 * used));
    if (inflated.size() > kMaxFooterBytes) {
      return arrow::Status::Invalid("Puffin footer inflates to more than ", kMaxFooterBytes,
                                    " bytes");
    }
    ARROW_ASSIGN_OR_RAISE(
        const auto step,
        decompressor->Decompress(packed.size(), reinterpret_cast<const uint8_t*>(packed.data()),
                                 inflated.size() - used,
                                 reinterpret_cast<uint8_t*>(inflated.data()) + used));
    packed.remove_prefix(step.bytes_read);
    used += step.bytes_written;
    if (step.bytes_read == 0 && step.bytes_written == 0 && !step.need_more_output) {
      return arrow::Status::Invalid("Puffin footer is cut");
    }
    if (step.need_more_output && used < inflated.size()) inflated.resize(2 * inflated.size());
  }
  inflated.resize(used);
  return inflated;
}

// `blobs_end` is where the footer begins.
arrow::Result<PuffinBlob> ParseBlob(const Json& json, int64_t blobs_end) {
  if (!json.is_object())
    return arrow::Status::Invalid("Puffin footer with a blob that is no object");
  PuffinBlob blob;
  blob.type = StringAt(json, "type");
  const auto offset = LongAt(json, "offset");
  const auto length = LongAt(json, "length");
  if (blob.type.empty() || !offset || !length) {
    return arrow::Status::Invalid("Puffin footer with a blob without type, offset or length");
  }
  blob.offset = *offset;
  blob.length = *length;
  if (blob.offset < static_cast<int64_t>(kMagic.size()) || blob.length < 0 ||
      blob.offset > blobs_end || blob.length > blobs_end - blob.offset) {
    return arrow::Status::Invalid("Puffin blob at ", blob.offset, " of ", blob.length,
                                  " bytes lies outside of the file");
  }
  if (const auto fields = json.find("fields"); fields != json.end() && fields->is_array()) {
    for (const Json& field : *fields) {
      if (field.is_number_integer()) blob.fields.push_back(field.get<int32_t>());
    }
  }
  blob.snapshot_id = LongAt(json, "snapshot-id").value_or(-1);
  blob.sequence_number = LongAt(json, "sequence-number").value_or(-1);
  blob.compression_codec = StringAt(json, "compression-codec");
  blob.properties = PropertiesOf(json);
  return blob;
}

arrow::Result<PuffinFile> ParseFooter(std::string_view text, int64_t blobs_end) {
  const auto parsed = ParseJson(text);
  if (!parsed.ok()) return WithPlace(parsed.status(), "Puffin footer");
  const Json& json = *parsed;
  const auto blobs = json.is_object() ? json.find("blobs") : json.end();
  if (!json.is_object() || blobs == json.end() || !blobs->is_array()) {
    return arrow::Status::Invalid("Puffin footer is no JSON object with a list of blobs");
  }
  PuffinFile file;
  for (const Json& blob : *blobs) {
    ARROW_ASSIGN_OR_RAISE(file.blobs.emplace_back(), ParseBlob(blob, blobs_end));
  }
  file.properties = PropertiesOf(json);
  return file;
}

arrow::Status NoPuffin() {
  return arrow::Status::Invalid("no Puffin file: magic bytes missing at start or end");
}
arrow::Status Misfit(int64_t payload) {
  return arrow::Status::Invalid("Puffin footer of ", payload, " bytes does not fit the file");
}

}  // namespace

const PuffinBlob* PuffinFile::FindBlob(int64_t offset, int64_t length) const {
  for (const PuffinBlob& blob : blobs) {
    if (blob.offset == offset && blob.length == length) return &blob;
  }
  return nullptr;
}

bool LooksLikePuffin(std::string_view file) { return file.starts_with(kMagic); }

arrow::Result<PuffinFile> ParsePuffin(std::string_view file) {
  const int64_t size = static_cast<int64_t>(file.size());
  if (!LooksLikePuffin(file)) return NoPuffin();
  ARROW_ASSIGN_OR_RAISE(const int64_t footer, PuffinFooterBytes(file, size));
  return ParsePuffinFooter(file.substr(size - footer), size);
}

arrow::Result<int64_t> PuffinFooterBytes(std::string_view tail, int64_t file_size) {
  const int64_t magic_bytes = static_cast<int64_t>(kMagic.size());
  const int64_t least = 2 * magic_bytes + kPuffinTrailerBytes;
  if (!tail.ends_with(kMagic) || file_size < least) return NoPuffin();
  ByteReader trailer(tail.substr(tail.size() - kPuffinTrailerBytes));
  const int64_t payload = trailer.ReadFixed<int32_t>();
  if (payload < 0 || payload > file_size - least) return Misfit(payload);
  return magic_bytes + payload + kPuffinTrailerBytes;
}

arrow::Result<PuffinFile> ParsePuffinFooter(std::string_view footer, int64_t file_size) {
  const int64_t blobs_end = file_size - static_cast<int64_t>(footer.size());
  const int64_t payload = static_cast<int64_t>(footer.size() - kMagic.size()) - kPuffinTrailerBytes;
  if (!footer.starts_with(kMagic)) return Misfit(payload);
  ByteReader trailer(footer.substr(footer.size() - kPuffinTrailerBytes));
  trailer.ReadFixed<int32_t>();
  const uint32_t flags = trailer.ReadFixed<uint32_t>();
  if ((flags & ~kFooterIsCompressed) != 0) return UnsupportedError("Puffin flags ", flags);
  const std::string_view text = footer.substr(kMagic.size(), payload);
  if ((flags & kFooterIsCompressed) == 0) return ParseFooter(text, blobs_end);
  ARROW_ASSIGN_OR_RAISE(const std::string inflated, InflateLz4(text));
  return ParseFooter(inflated, blobs_end);
}

}  // namespace esker
