#include "format/avro_file.h"

#include "arrow/status.h"
#include "base/status.h"
#include "format/encrypted_stream.h"

namespace esker {
namespace {

using Metadata = std::vector<std::pair<std::string_view, std::string_view>>;

constexpr std::string_view kMagic("Obj\x01", 4);
constexpr int64_t kSyncBytes = 16;
constexpr int64_t kMaxInflatedBytes = int64_t{2} << 30;

// An Avro map comes in blocks; one with a negative count is followed by its size in bytes.
void ReadMetadata(ByteReader* reader, Metadata* metadata) {
  while (reader->ok()) {
    int64_t count = reader->ReadVarint();
    if (count == 0) return;
    if (count < 0) reader->ReadVarint();
    for (uint64_t left = count < 0 ? 0 - static_cast<uint64_t>(count) : count;
         left > 0 && reader->ok(); --left) {
      const std::string_view key = reader->ReadSizedBytes();
      metadata->emplace_back(key, reader->ReadSizedBytes());
    }
  }
}

std::optional<std::string_view> Find(const Metadata& metadata, std::string_view key) {
  for (const auto& [name, value] : metadata) {
    if (name == key) return value;
  }
  return std::nullopt;
}

}  // namespace

AvroFile::AvroFile(std::string_view bytes, AvroSchema schema, Metadata metadata,
                   std::string_view sync, AvroCodec codec, int64_t position)
    : bytes_(bytes),
      schema_(std::move(schema)),
      metadata_(std::move(metadata)),
      sync_(sync),
      inflater_(std::make_unique<AvroInflater>(codec)),
      position_(position) {}

arrow::Result<AvroFile> AvroFile::Open(std::string_view bytes) {
  if (IsEncryptedStream(bytes)) return UnsupportedError("the file is encrypted");
  if (!bytes.starts_with(kMagic)) {
    return arrow::Status::Invalid("not an Avro file: it does not start with 'Obj' and 1");
  }
  ByteReader reader(bytes);
  reader.Skip(kMagic.size());
  Metadata metadata;
  ReadMetadata(&reader, &metadata);
  const std::string_view sync = reader.ReadBytes(kSyncBytes);
  ARROW_RETURN_NOT_OK(reader.status());
  ARROW_ASSIGN_OR_RAISE(const AvroCodec codec,
                        ParseAvroCodec(Find(metadata, "avro.codec").value_or("")));
  const auto json = Find(metadata, "avro.schema");
  if (!json) return arrow::Status::Invalid("Avro file without 'avro.schema' in its header");
  ARROW_ASSIGN_OR_RAISE(AvroSchema schema, ParseAvroSchema(*json));
  return AvroFile(bytes, std::move(schema), std::move(metadata), sync, codec, reader.position());
}

std::optional<std::string_view> AvroFile::FindMetadata(std::string_view key) const {
  return Find(metadata_, key);
}

arrow::Result<std::optional<AvroBlock>> AvroFile::Next() {
  while (position_ < static_cast<int64_t>(bytes_.size())) {
    const int64_t start = position_;
    ByteReader reader(bytes_.substr(start), start);
    const int64_t count = reader.ReadVarint();
    const std::string_view packed = reader.ReadSizedBytes();
    const std::string_view sync = reader.ReadBytes(kSyncBytes);
    ARROW_RETURN_NOT_OK(reader.status());
    if (sync != sync_) {
      return arrow::Status::Invalid("Avro block at byte ", start, " ends in a wrong sync marker");
    }
    position_ = reader.position();
    if (count == 0) continue;
    auto inflated = inflater_->Inflate(packed);
    if (!inflated.ok()) {
      const arrow::Status& status = inflated.status();
      return status.WithMessage("Avro block at byte ", start, ": ", status.message());
    }
    const int64_t size = static_cast<int64_t>(inflated->size());
    if (count < 0 || count > size) {
      return arrow::Status::Invalid("Avro block at byte ", start, " says ", count, " objects in ",
                                    size, " bytes");
    }
    inflated_bytes_ += size;
    if (inflated_bytes_ > kMaxInflatedBytes) {
      return arrow::Status::Invalid("Avro file inflates to more than ", kMaxInflatedBytes,
                                    " bytes");
    }
    return AvroBlock{count, *inflated, start};
  }
  return std::nullopt;
}

}  // namespace esker
