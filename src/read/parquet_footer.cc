#include "read/parquet_footer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "arrow/buffer.h"
#include "arrow/io/interfaces.h"
#include "base/byte_reader.h"
#include "base/status.h"
#include "format/encrypted_stream.h"
#include "parquet/file_reader.h"
#include "parquet/metadata.h"
#include "parquet/properties.h"
#include "read/parquet_status.h"

namespace esker {
namespace {

constexpr int64_t kTailBytes = 64 << 10;  // as much as the library reads at first
constexpr int64_t kTrailerBytes = 8;      // length of the footer and magic number
// Most structures and lists within one another; Thrift's own limit.
constexpr int kMostThriftLevels = 64;

// Types of Thrift's compact protocol.
enum WireType : uint8_t {
  kStop = 0,
  kTrue = 1,
  kFalse = 2,
  kByte = 3,
  kI16 = 4,
  kI32 = 5,
  kI64 = 6,
  kDouble = 7,
  kBinary = 8,
  kList = 9,
  kSet = 10,
  kMap = 11,
  kStruct = 12,
};

// The structures of parquet.thrift that have lists somewhere below them.
enum class Kind : uint8_t {
  kOther,
  kFile,
  kSchemaElement,
  kRowGroup,
  kChunk,
  kChunkMetadata,
  kSizes,
  kGeospatial,
  kChunkKey,
  kColumnKey,
};

struct Member {
  Kind of;
  int16_t id;
  WireType type;
  WireType item;  // of a list
  Kind kind;      // of the structure, or of the list's items
};

// All lists, and what leads to them. The generated reader takes the items of a list for what
// parquet.thrift says they are, whatever the list says: where those differ, it and this walk would
// see two different footers.
constexpr std::array<Member, 20> kMembers = {{
    {Kind::kFile, 2, kList, kStruct, Kind::kSchemaElement},
    {Kind::kFile, 4, kList, kStruct, Kind::kRowGroup},
    {Kind::kFile, 5, kList, kStruct, Kind::kOther},
    {Kind::kFile, 7, kList, kStruct, Kind::kOther},
    {Kind::kRowGroup, 1, kList, kStruct, Kind::kChunk},
    {Kind::kRowGroup, 4, kList, kStruct, Kind::kOther},
    {Kind::kChunk, 3, kStruct, kStop, Kind::kChunkMetadata},
    {Kind::kChunk, 8, kStruct, kStop, Kind::kChunkKey},
    {Kind::kChunkKey, 2, kStruct, kStop, Kind::kColumnKey},
    {Kind::kColumnKey, 1, kList, kBinary, Kind::kOther},
    {Kind::kChunkMetadata, 2, kList, kI32, Kind::kOther},
    {Kind::kChunkMetadata, 3, kList, kBinary, Kind::kOther},
    {Kind::kChunkMetadata, 8, kList, kStruct, Kind::kOther},
    {Kind::kChunkMetadata, 13, kList, kStruct, Kind::kOther},
    {Kind::kChunkMetadata, 16, kStruct, kStop, Kind::kSizes},
    {Kind::kChunkMetadata, 17, kStruct, kStop, Kind::kGeospatial},
    {Kind::kSizes, 2, kList, kI64, Kind::kOther},
    {Kind::kSizes, 3, kList, kI64, Kind::kOther},
    {Kind::kGeospatial, 2, kList, kI32, Kind::kOther},
    // A group's number of children.
    {Kind::kSchemaElement, 5, kI32, kStop, Kind::kOther},
}};

const Member* FindMember(Kind of, int16_t id, uint8_t type) {
  const auto* found = std::find_if(kMembers.begin(), kMembers.end(), [&](const Member& member) {
    return member.of == of && member.id == id && member.type == type;
  });
  return found == kMembers.end() ? nullptr : found;
}

// How deep the list of schema elements goes: each element takes the next open place, and a group
// opens as many as it has children.
class Levels {
 public:
  void Restart() {
    open_.clear();
    has_root_ = false;
  }

  /// False if this element lies too deep.
  bool Add(int64_t children) {
    while (!open_.empty() && open_.back() == 0) open_.pop_back();
    if (!open_.empty()) --open_.back();
    if (open_.empty() && has_root_) return true;  // more elements than places
    has_root_ = true;
    if (children > 0) open_.push_back(children);
    return open_.size() <= kMostParquetLevels;
  }

 private:
  std::vector<int64_t> open_;
  bool has_root_ = false;
};

class FooterWalk {
 public:
  explicit FooterWalk(std::string_view footer) : reader_(footer) {}

  arrow::Status Run() {
    ReadStruct(Kind::kFile, 0);
    if (is_too_deep_) {
      return arrow::Status::Invalid("the Parquet schema has more than ", kMostParquetLevels,
                                    " levels");
    }
    const arrow::Status status = reader_.status();
    return status.ok() ? status : status.WithMessage("in the Parquet footer: ", status.message());
  }

 private:
  int64_t children_ = 0;  // of the schema element that is being read

  void ReadStruct(Kind kind, int level) {
    int16_t id = 0;
    while (reader_.ok()) {
      const auto head = reader_.ReadFixed<uint8_t>();
      const auto type = static_cast<uint8_t>(head & 0x0F);
      if (type == kStop) return;
      // As the generated reader computes it: 16 bits, wrapping.
      id = static_cast<int16_t>(head >> 4 == 0 ? reader_.ReadVarint() : id + (head >> 4));
      ReadMember(FindMember(kind, id, type), type, level);
    }
  }

  void ReadMember(const Member* member, uint8_t type, int level) {
    if (type == kTrue || type == kFalse) return;  // the head is the value
    if (type == kList || type == kSet) return ReadList(member, level);
    if (member != nullptr && member->of == Kind::kSchemaElement) {
      children_ = reader_.ReadVarint();
      return;
    }
    ReadValue(type, member == nullptr ? Kind::kOther : member->kind, level);
  }

  void ReadList(const Member* member, int level) {
    const auto head = reader_.ReadFixed<uint8_t>();
    const auto item = static_cast<uint8_t>(head & 0x0F);
    const uint64_t size = head >> 4 == 15 ? ReadSize() : head >> 4;
    if (member != nullptr && size > 0 && item != member->item) {
      return reader_.Fail("list with items of a wrong type");
    }
    const Kind kind = member == nullptr ? Kind::kOther : member->kind;
    if (kind == Kind::kSchemaElement) levels_.Restart();
    for (uint64_t i = 0; i < size && reader_.ok(); ++i) {
      children_ = 0;
      ReadValue(item, kind, level);
      if (kind != Kind::kSchemaElement || levels_.Add(children_)) continue;
      is_too_deep_ = true;
      return reader_.Fail("schema");
    }
  }

  void ReadMap(int level) {
    const uint64_t size = ReadSize();
    if (size == 0) return;
    const auto types = reader_.ReadFixed<uint8_t>();
    for (uint64_t i = 0; i < size && reader_.ok(); ++i) {
      ReadValue(types >> 4, Kind::kOther, level);
      ReadValue(types & 0x0F, Kind::kOther, level);
    }
  }

  void ReadValue(uint8_t type, Kind kind, int level) {
    if (level >= kMostThriftLevels) return reader_.Fail("too many levels");
    switch (type) {
      case kTrue:
      case kFalse:
      case kByte:
        return reader_.Skip(1);
      case kI16:
      case kI32:
      case kI64:
        return reader_.SkipVarints(1);
      case kDouble:
        return reader_.Skip(8);
      case kBinary:
        return reader_.Skip(static_cast<int64_t>(ReadSize()));
      case kList:
      case kSet:
        return ReadList(nullptr, level + 1);
      case kMap:
        return ReadMap(level + 1);
      case kStruct:
        return ReadStruct(kind, level + 1);
      default:
        return reader_.Fail("unknown type");
    }
  }

  // A varint without sign. Thrift keeps 32 bits of it; more are refused.
  uint64_t ReadSize() {
    const auto zigzag = static_cast<uint64_t>(reader_.ReadVarint());
    const uint64_t size = (zigzag << 1) ^ (zigzag >> 63 != 0 ? ~uint64_t{0} : 0);
    if (size <= INT32_MAX) return size;
    reader_.Fail("size above 31 bits");
    return 0;
  }

  ByteReader reader_;
  Levels levels_;
  bool is_too_deep_ = false;
};

// The raw footer, checked; null where the file's end is none that can be read: the library has
// words for all that may be wrong there.
arrow::Result<std::shared_ptr<arrow::Buffer>> ReadRawFooter(arrow::io::RandomAccessFile* file) {
  ARROW_ASSIGN_OR_RAISE(const int64_t size, file->GetSize());
  const int64_t tail_bytes = std::min(size, kTailBytes);
  ARROW_ASSIGN_OR_RAISE(auto tail, file->ReadAt(size - tail_bytes, tail_bytes));
  if (tail->size() != tail_bytes || tail_bytes < 4) return nullptr;
  const std::string_view magic =
      std::string_view(*tail).substr(static_cast<size_t>(tail_bytes) - 4);
  if (magic == "PARE") return UnsupportedError("the Parquet file is encrypted");
  if (magic != "PAR1") {
    ARROW_ASSIGN_OR_RAISE(const auto head, file->ReadAt(0, 4));
    if (IsEncryptedStream(std::string_view(*head))) {
      return UnsupportedError("the file is encrypted");
    }
  }
  if (magic != "PAR1" || tail_bytes < kTrailerBytes) return nullptr;
  uint32_t bytes = 0;
  std::memcpy(&bytes, tail->data() + tail_bytes - kTrailerBytes, sizeof(bytes));
  if (bytes > size - kTrailerBytes) return nullptr;
  if (bytes + kTrailerBytes <= tail_bytes) {
    return arrow::SliceBuffer(tail, tail_bytes - kTrailerBytes - bytes, bytes);
  }
  ARROW_ASSIGN_OR_RAISE(auto footer, file->ReadAt(size - kTrailerBytes - bytes, bytes));
  return footer->size() == bytes ? footer : nullptr;
}

}  // namespace

arrow::Status CheckFooter(std::string_view footer) { return FooterWalk(footer).Run(); }

arrow::Result<std::unique_ptr<parquet::ParquetFileReader>> OpenParquet(
    std::shared_ptr<arrow::io::RandomAccessFile> file,
    const parquet::ReaderProperties& properties) {
  ARROW_ASSIGN_OR_RAISE(const auto footer, ReadRawFooter(file.get()));
  if (footer != nullptr) ARROW_RETURN_NOT_OK(CheckFooter(std::string_view(*footer)));
  std::unique_ptr<parquet::ParquetFileReader> reader;
  ARROW_RETURN_NOT_OK(CatchParquet([&] {
    std::shared_ptr<parquet::FileMetaData> metadata;
    if (footer != nullptr) {
      auto bytes = static_cast<uint32_t>(footer->size());
      metadata = parquet::FileMetaData::Make(footer->data(), &bytes, properties);
    }
    reader = parquet::ParquetFileReader::Open(std::move(file), properties, std::move(metadata));
    return arrow::Status::OK();
  }));
  if (!reader->metadata()->is_encryption_algorithm_set()) return reader;
  return UnsupportedError("the Parquet file is encrypted");
}

}  // namespace esker
